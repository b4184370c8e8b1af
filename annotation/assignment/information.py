"""Expected information of one more vote on two models about their strengths.

After M. E. Glickman and S. T. Jensen, "Adaptive paired comparison design", Journal of Statistical
Planning and Inference 127 (2005), 279–293, who choose pairs by their expected information;
X. Chen, P. N. Bennett, K. Collins-Thompson and E. Horvitz, "Pairwise ranking aggregation in a
crowdsourced setting", WSDM 2013, do so vote by vote. TrueHue uses the first-order gain about the
log strengths of Davidson's model: half the growth of the log determinant of their information
(D-optimality), ½ log(1 + I·v). I is the Fisher information of one vote about the difference of the
two log strengths, and v is the variance of that difference, as far as it is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truehue.annotation.ranking import fit

PRIOR_SD = 1.5
"""Standard deviation of the normal prior of a log strength: what is assumed before the first vote.
It is narrower than that of the results, because here it only says where to look next."""

Tallies = Mapping[tuple[str, str], tuple[int, int, int]]
"""By two models, sorted: votes for the first, votes for the second, ties."""


class VotePrecision:
    """Precision of the strengths of ``models`` by the votes so far: float ``(M, M)``."""

    def __init__(self, models: Sequence[str], tallies: Tallies) -> None:
        self.index = {model: i for i, model in enumerate(sorted(models))}
        known = sorted(pair for pair in tallies if set(pair) <= self.index.keys())
        pairs = np.array([[self.index[a], self.index[b]] for a, b in known], dtype=np.intp)
        counts = np.array([tallies[pair] for pair in known], dtype=np.float64)
        size = len(self.index)
        fitted = fit(pairs.reshape(-1, 2), counts.reshape(1, -1, 3), size, PRIOR_SD)
        self._log_strength, self._log_tie = fitted.log_strength[0], float(fitted.log_tie[0])
        self._precision = np.eye(size) * PRIOR_SD**-2
        if len(pairs):
            self.add(pairs, counts.sum(axis=1))

    def information(self, pairs: np.ndarray) -> np.ndarray:
        """float ``(P,)``: of int ``(P, 2)`` pairs, the Fisher information of one vote about the
        difference of the two log strengths, at what they are now thought to be: at most 1/4, for
        equals that never tie."""
        half = (self._log_strength[pairs[:, 0]] - self._log_strength[pairs[:, 1]]) / 2
        weight = np.stack([half, -half, np.full_like(half, self._log_tie)])
        weight = np.exp(weight - np.abs(half))
        wins, losses, _ = weight / weight.sum(axis=0)
        result: np.ndarray = (wins + losses) / 4 - ((wins - losses) / 2) ** 2
        return result

    def add(self, pairs: np.ndarray, votes: np.ndarray) -> None:
        """Takes so many votes on each of int ``(P, 2)`` pairs as given, whatever they will say."""
        # Pair by pair: another order of adding would give other last digits, and with them other
        # propensities than those of studies that are stored.
        for (first, second), gained in zip(pairs, votes * self.information(pairs), strict=True):
            self._precision[first, first] += gained
            self._precision[second, second] += gained
            self._precision[first, second] -= gained
            self._precision[second, first] -= gained

    def gains(self, pairs: np.ndarray) -> np.ndarray:
        """float ``(P,)``: the expected gain of one vote on each of int ``(P, 2)`` pairs, in nats;
        above 0."""
        covariance = np.linalg.inv(self._precision)
        first, second = pairs.T
        spread = np.diag(covariance)
        variance = spread[first] + spread[second] - 2 * covariance[first, second]
        result: np.ndarray = np.log1p(self.information(pairs) * variance) / 2
        return result
