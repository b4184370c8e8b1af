"""Votes: one participant's answer to one pair, by models and not by sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from truehue.annotation.judgments.resampling import weights

TIE = ""
"""The winner of a tie."""


@dataclass(frozen=True)
class Vote:
    """``winner`` is ``left`` or ``right``, the models that stood there, or :data:`TIE`.

    ``participant`` is an id, and the cluster of all resampling. ``response_ms`` is the time from
    the moment both images were shown to the answer.
    """

    participant: str
    case_id: str
    left: str
    right: str
    winner: str
    group: str = ""
    response_ms: float = 0.0

    def __post_init__(self) -> None:
        if self.left == self.right:
            raise ValueError(f"A pair is of two models, not twice of {self.left!r}.")
        if self.winner not in (self.left, self.right, TIE):
            raise ValueError(f"{self.winner!r} stood at neither side of this pair.")


@dataclass(frozen=True)
class VoteTable:
    """Votes counted by participant and pair of models, for resampling.

    ``models`` are sorted; ``pairs`` is int ``(P, 2)``, indices into them with the first smaller;
    ``counts`` is float ``(N, P, 3)``: participants × pairs × (first wins, second wins, ties).
    """

    models: tuple[str, ...]
    participants: tuple[str, ...]
    pairs: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, votes: Sequence[Vote], models: Sequence[str] = ()) -> VoteTable:
        """Counts the votes; ``models`` are there even where no vote names them."""
        names = tuple(sorted({*models, *(m for vote in votes for m in (vote.left, vote.right))}))
        people = tuple(sorted({vote.participant for vote in votes}))
        index = {name: i for i, name in enumerate(names)}
        row = {name: i for i, name in enumerate(people)}
        pair_of = {
            pair: i
            for i, pair in enumerate(
                sorted({tuple(sorted((index[v.left], index[v.right]))) for v in votes})
            )
        }
        counts = np.zeros((len(people), len(pair_of), 3))
        for vote in votes:
            first, second = sorted((index[vote.left], index[vote.right]))
            outcome = 2 if vote.winner == TIE else int(index[vote.winner] == second)
            counts[row[vote.participant], pair_of[first, second], outcome] += 1
        pairs = np.array(list(pair_of), dtype=np.intp).reshape(-1, 2)
        return cls(names, people, pairs, counts)

    @cached_property
    def totals(self) -> np.ndarray:
        """float ``(P, 3)``: the counts of all participants together."""
        return np.asarray(self.counts.sum(axis=0))

    def resampled(self, replicates: int, rng: np.random.Generator) -> np.ndarray:
        """float ``(replicates, P, 3)``: the totals of participants drawn with replacement."""
        people = len(self.participants)
        flat = weights(people, replicates, rng) @ self.counts.reshape(people, -1)
        return flat.reshape(replicates, *self.counts.shape[1:])
