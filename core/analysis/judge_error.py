"""A rule's own errors on objects of known color, and accuracies corrected for them.

A rule passes a share h of the images that have the target color (hits) and a share f of those that
do not (false accepts). Where the true accuracy is a, it passes p = a·h + (1 - a)·f of the images.
Solved for a, this is the estimator of Rogan and Gladen (1978), American Journal of Epidemiology
107: 71-76: a = (p - f) / (h - f). It is bounded to 0 and 100%.

Its interval carries both uncertainties, that of p (prompts) and those of h and f (the objects whose
color is known): each is drawn 1,000 times, h and f from a Beta distribution with Jeffreys' prior
(Brown, Cai and DasGupta 2001, Statistical Science 16: 101-133). Results below 0 and above 100% are
impossible and left out, as a prior on 0 to 100% does, and the middle 95% of the others are shown.
Fewer than 2.5% of them left say that the images are unlike those tested. A
corrected interval reaches at least as far from its number as the raw one does, divided by the tested
h - f. An average is the mean of its corrected tasks. Images of one light or object are
alike. Where rates differ between those by more than chance, the counts are divided by the design
effect, as in Kish (1965), Survey Sampling, section 5.4.

Images whose object was not found may count as incorrect. The rule did not judge them, so its errors
are of the others, a share s of the images: p = a·h + (s - a)·f, so a = (p - s·f) / (h - f), at most
s. A resample of prompts draws p and s together.

The rates are of one object. In images of several objects the errors of the objects may be
independent or the same: each draw takes a point between both.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np

from truehue.core.analysis.intervals import RESAMPLES, SEED, interval, ratios
from truehue.core.analysis.leaderboard import (
    AVERAGE,
    LeaderboardEntry,
    Rate,
    Stratum,
    strata_by_run,
)
from truehue.core.analysis.records import LEFT_OUT, NO_SYSTEM, WRONG, PromptTally
from truehue.core.errors import BadInput

OBJECTS_TO_MATCH = {"coa": 1, "moc": 3, "ica": 2}
"""Objects of an image that must have their color, at most; one in other tasks."""
LEAKING = "coa"
"""The task in which another object must not have the color."""
GROUPINGS = ("light", "object")
"""Images that share one of these are alike."""
MIN_CLUSTERS = 3

MAX_WIDTH = 0.6
"""A corrected share with a wider interval says nothing, where the rule's errors widened it."""
MAX_WIDENED = 0.1
"""So much wider than the raw interval may be what is wider than ``MAX_WIDTH``."""
MIN_POSSIBLE = 0.025
"""Of the draws, how many must lie between 0 and 1."""

NO_CALIBRATION = "the rule's errors are not known in this version"
OTHER_NEIGHBORS = "the rule's errors are known for k = 0 only"
MOVED_LIMITS = "the rule's errors are not known for other thresholds"
NO_BETTER = "the rule passes wrong colors about as often as right ones, so nothing can be corrected"
PASSES_MORE = (
    "more images pass than right colors did in the test, so these images are unlike those tested"
)
PASSES_LESS = (
    "fewer images pass than wrong colors did in the test, so these images are unlike those tested"
)
LACKS = "no corrected number for "
TOO_UNCERTAIN = "its interval would span more than 60 points"


@dataclass(frozen=True)
class ErrorCounts:
    """Verdicts on objects of known color: ``hits`` of ``right`` objects of the target color, and
    ``accepts`` of ``wrong`` objects of another color passed. ``by`` and ``key`` name the stratum,
    such as ``light`` and ``dusk``; ``by`` is ``all`` for all of a color system. ``independent``: how
    many independent images the right and the wrong ones are worth at most, where that is known."""

    system: str
    by: str
    key: str
    hits: int
    right: int
    accepts: int
    wrong: int
    independent: tuple[float, float] | None = None


@dataclass(frozen=True)
class Calibration:
    """The errors of one rule and version on one set of images, which ``description`` describes.

    ``counts`` has every stratum, those of ``by == "all"`` among them.
    """

    id: str
    name: str
    description: str
    rule: str
    version: str
    counts: tuple[ErrorCounts, ...]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The color systems that were tested."""
        return tuple(count.system for count in self.counts if count.by == "all")

    def whole(self, system: str) -> ErrorCounts:
        """The counts of a color system that was tested."""
        return next(c for c in self.counts if c.by == "all" and c.system == system)

    def clusters(self, system: str) -> list[list[ErrorCounts]]:
        """The strata whose images are alike, by each of GROUPINGS that has enough of them."""
        groups = [
            [count for count in self.counts if count.by == by and count.system == system]
            for by in GROUPINGS
        ]
        return [group for group in groups if len(group) >= MIN_CLUSTERS]


def effective_n(share: float, n: int, clusters: Iterable[Sequence[tuple[int, int]]]) -> float:
    """How many independent images ``n`` images equal, by the most uneven of the groupings.

    ``clusters`` has of each grouping the passes and images of each cluster. The variance of a ratio
    is that between clusters (Cochran 1977, Sampling Techniques, section 2.11), widened by Student's
    quantile for few clusters. Never more than ``n``.
    """
    from scipy.stats import t

    effective = float(n)
    for grouping in clusters:
        counts = np.array([cluster for cluster in grouping if cluster[1]], dtype=np.float64)
        if len(counts) < MIN_CLUSTERS or not 0.0 < share < 1.0:
            continue
        residual = counts[:, 0] - share * counts[:, 1]
        size, many = counts[:, 1].mean(), len(counts)
        variance = float(residual @ residual) / (many * (many - 1) * size * size)
        variance *= (float(t.ppf(0.975, many - 1)) / 1.959964) ** 2
        if variance > 0:
            effective = min(effective, share * (1.0 - share) / variance)
    return max(effective, 1.0)


@dataclass(frozen=True)
class _Draws:
    """Draws of a rule's shares of hits and false accepts, float64 ``(RESAMPLES,)``, 0 to 1; and
    the shares themselves."""

    hit: float
    accept: float
    hits: np.ndarray
    accepts: np.ndarray


# The same draws for every run and task of a color system: they are the same rule's errors.
@lru_cache(maxsize=64)
def _draws(calibration: Calibration, system: str) -> _Draws:
    rng = np.random.default_rng((SEED, crc32(f"{calibration.id}/{system}".encode())))
    if system not in calibration.systems:
        # It may be like any of those that were tested.
        tested = [_draws(calibration, each) for each in calibration.systems]
        pick = rng.integers(len(tested), size=RESAMPLES), np.arange(RESAMPLES)
        return _Draws(
            float(np.mean([each.hit for each in tested])),
            float(np.mean([each.accept for each in tested])),
            np.array([each.hits for each in tested])[pick],
            np.array([each.accepts for each in tested])[pick],
        )
    whole, clusters = calibration.whole(system), calibration.clusters(system)
    shares, draws = [], []
    for kind, (passed, tried) in enumerate((("hits", "right"), ("accepts", "wrong"))):
        count, n = getattr(whole, passed), getattr(whole, tried)
        share = count / n
        grouped = [[(getattr(c, passed), getattr(c, tried)) for c in group] for group in clusters]
        effective = effective_n(share, n, grouped)
        if whole.independent is not None:
            effective = min(effective, whole.independent[kind])
        shares.append(share)
        draws.append(rng.beta(share * effective + 0.5, (1.0 - share) * effective + 0.5, RESAMPLES))
    return _Draws(shares[0], shares[1], draws[0], draws[1])


@lru_cache(maxsize=256)
def _of_image(calibration: Calibration, task: str, system: str) -> _Draws:
    """The shares of images that pass, with all objects right and with one of them wrong."""
    single = _draws(calibration, system)
    objects = OBJECTS_TO_MATCH.get(task, 1)
    if objects == 1 and task != LEAKING:
        return single
    rng = np.random.default_rng((SEED, crc32(f"{task}/{system}".encode())))
    between, mixed = rng.random((2, RESAMPLES))
    hits, accepts = _several(task, objects, single.hits, single.accepts, between, mixed)
    shares = np.array([single.hit]), np.array([single.accept])
    middle = np.array([0.5])
    hit, accept = _several(task, objects, *shares, middle, middle)
    return _Draws(float(hit[0]), float(accept[0]), hits, accepts)


def _several(
    task: str,
    objects: int,
    hit: np.ndarray,
    accept: np.ndarray,
    between: np.ndarray,
    mixed: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """``between``, 0 to 1: from objects whose errors are independent to objects that err together;
    ``mixed``: from the rarest to the most frequent way in which a wrong image passes."""
    if task == LEAKING:
        # Wrong is another object in the color: it passes where that object is missed.
        missed = np.maximum(accept, hit * (1.0 - hit))
        return hit * (1.0 - between * accept), accept + mixed * (missed - accept)
    return hit**objects + between * (hit - hit**objects), mixed * accept


@dataclass(frozen=True)
class Corrected:
    """A corrected accuracy in percent with its 95% interval, or the ``reason`` why there is none.

    ``borrowed`` are color systems of it that were not tested: they take the rates of any that were.
    """

    percent: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    borrowed: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """One task and system: the corrected share and its draws, neither bounded. ``gain``: by how
    much more of the right images than of the wrong ones pass, 0 to 1. ``judged``: the share of the
    images that the rule judged, 0 to 1, which no accuracy exceeds, and its draws."""

    share: float
    draws: np.ndarray
    reason: str = ""
    gain: float = 1.0
    judged: float = 1.0
    judged_draws: np.ndarray | float = 1.0

    @property
    def bounded(self) -> float:
        """The share, within what is possible."""
        return min(max(self.share, 0.0), self.judged)


def _part(task: str, system: str, stratum: Stratum, calibration: Calibration) -> _Part:
    errors = _of_image(calibration, task, system)
    gain = errors.hits - errors.accepts
    if errors.hit <= errors.accept or np.percentile(gain, 2.5) <= 0.0:
        return _Part(np.nan, np.array([]), NO_BETTER)
    judged, draws = stratum.judged / stratum.counted, _judged_draws(stratum)
    return _Part(
        (stratum.passes / stratum.counted - judged * errors.accept) / (errors.hit - errors.accept),
        (passing_draws(stratum) - draws * errors.accepts) / np.maximum(gain, 1e-9),
        gain=errors.hit - errors.accept,
        judged=judged,
        judged_draws=draws,
    )


def _judged_draws(stratum: Stratum) -> np.ndarray | float:
    """Draws of the share of counted images that the rule judged, 0 to 1, of the same resamples as
    :func:`passing_draws`; 1 where it judged all."""
    if stratum.judged == stratum.counted:
        return 1.0
    _, counted, judged = stratum.sums().T
    has_any = counted > 0
    return np.asarray(judged[has_any] / counted[has_any]).take(range(RESAMPLES), mode="wrap")


def passing_draws(stratum: Stratum) -> np.ndarray:
    """Draws of the share of images that pass, 0 to 1: its resamples over prompts, or Jeffreys' Beta
    with a prompt for a trial where all prompts score alike."""
    resampled = ratios(stratum.sums())
    if interval(resampled) is not None:
        return np.asarray(resampled[~np.isnan(resampled)] / 100.0).take(
            range(RESAMPLES), mode="wrap"
        )
    prompts, share = stratum.counted_prompts, stratum.passes / stratum.counted
    rng = np.random.default_rng((SEED, crc32(stratum.name.encode()), prompts))
    return rng.beta(share * prompts + 0.5, (1.0 - share) * prompts + 0.5, RESAMPLES)


def corrected(
    entry: LeaderboardEntry,
    strata: Mapping[tuple[str, str], Stratum],
    calibration: Calibration,
    pooled: bool = False,
) -> dict[str, Corrected]:
    """The corrected accuracies of a run by task and AVERAGE, each made of the same parts as the
    raw one beside which it stands. ``pooled``: parts weigh as many images as they have."""
    cells: dict[str, Corrected] = {}
    means: dict[str, _Part] = {}
    for task, cell in entry.cells.items():
        systems = ["" if name == NO_SYSTEM else name for name in cell.systems]
        if not systems:
            continue
        own = [strata[task, system] for system in systems]
        parts = [
            _part(task, system, stratum, calibration)
            for system, stratum in zip(systems, own, strict=True)
        ]
        weights = [stratum.counted if pooled else 1 for stratum in own]
        means[task] = _mean(parts, weights)
        borrowed = tuple(name for name in cell.systems if name not in calibration.systems)
        cells[task] = _bounded(means[task], borrowed, cell.rate)
    if entry.average.percent is not None:
        borrowed = tuple(dict.fromkeys(name for cell in cells.values() for name in cell.borrowed))
        average = _mean(list(means.values()), [1] * len(means))
        lacking = ", ".join(task.upper() for task in means if cells[task].reason)
        if lacking:
            cells[AVERAGE] = Corrected(reason=f"{LACKS}{lacking}")
        else:
            shown = [part.bounded for part in means.values()]
            average = replace(average, share=float(np.mean(shown)))
            cells[AVERAGE] = _bounded(average, borrowed, entry.average)
    return cells


def corrected_by_run(
    tallies: Iterable[PromptTally],
    entries: Mapping[str, LeaderboardEntry],
    calibrations: Mapping[str, Calibration],
    pooled: bool = False,
    unscored: str = LEFT_OUT,
) -> dict[str, dict[str, Corrected]]:
    """:func:`corrected` of every run that has one of ``calibrations``, by run id. ``unscored`` is how
    images without a score count, as in ``entries``; where objects that were not found are incorrect,
    the tallies say how many images the rule judged."""
    if unscored == WRONG:
        tallies = [replace(tally, judged=tally.scored) for tally in tallies]
    return {
        run_id: corrected(entries[run_id], strata, calibrations[run_id], pooled)
        for run_id, strata in strata_by_run(tallies, unscored).items()
        if run_id in calibrations and run_id in entries
    }


def _mean(parts: Sequence[_Part], weights: Sequence[float]) -> _Part:
    reason = next((part.reason for part in parts if part.reason), "")
    if reason:
        return _Part(np.nan, np.array([]), reason)
    return _Part(
        float(np.average([part.share for part in parts], weights=weights)),
        np.average([part.draws for part in parts], axis=0, weights=weights),
        gain=float(np.average([part.gain for part in parts], weights=weights)),
        judged=float(np.average([part.judged for part in parts], weights=weights)),
        judged_draws=np.average(
            [np.broadcast_to(part.judged_draws, RESAMPLES) for part in parts],
            axis=0,
            weights=weights,
        ),
    )


def _bounded(part: _Part, borrowed: tuple[str, ...], raw: Rate) -> Corrected:
    if part.reason:
        return Corrected(reason=part.reason)
    possible = part.draws[(part.draws >= 0.0) & (part.draws <= part.judged_draws)]
    if len(possible) < MIN_POSSIBLE * len(part.draws):
        is_more = np.median(part.draws) > 0.5 * part.judged
        return Corrected(reason=PASSES_MORE if is_more else PASSES_LESS)
    low, high = np.percentile(possible, [2.5, 97.5])
    if raw.percent is not None and raw.low is not None and raw.high is not None:
        # Draws of a part whose prompts score alike are by another method than its raw interval, and
        # of few prompts many are impossible: neither makes an interval narrower than the raw one.
        middle = part.bounded
        low = min(low, middle - (raw.percent - raw.low) / 100.0 / part.gain)
        high = max(high, middle + (raw.high - raw.percent) / 100.0 / part.gain)
    raw_width = 0.0 if raw.low is None or raw.high is None else (raw.high - raw.low) / 100.0
    if min(high, 1.0) - max(low, 0.0) > max(MAX_WIDTH, raw_width + MAX_WIDENED):
        return Corrected(reason=TOO_UNCERTAIN)
    percent, low, high = (100.0 * min(max(float(x), 0.0), 1.0) for x in (part.bounded, low, high))
    return Corrected(percent, min(low, percent), max(high, percent), borrowed=borrowed)


TRACED, RENDERED = "traced", "rendered"
NAMES = {TRACED: "in difficult light", RENDERED: "in plain light"}
DESCRIPTIONS = {
    TRACED: "path-traced objects of known color in six white lights (overcast, window, sun, soft box, "
    "spot, two lamps), exposed up to a stop over or under, with exact masks",
    RENDERED: "rendered objects of known color in two plain lights, with exact masks",
}
FIGURES_OF = {TRACED: "reported-on", RENDERED: "held_out"}
"""The set of Rule accuracy whose rates a choice takes."""


def read_calibrations(report: Path, path_traced: Path) -> tuple[Calibration, ...]:
    """The shipped errors of every rule: of the report of a diagnosis, its held-out objects and lights,
    of which truehue 1.2 was chosen on other views; and of path-traced images, the set that was kept
    for reporting.

    Raises BadInput for a file that is missing or damaged.
    """
    try:
        traced = json.loads(path_traced.read_text(encoding="utf-8"))["figures"]
        rules = json.loads(report.read_text(encoding="utf-8"))["rules"]
        by_rule: dict[tuple[str, str, str], list[ErrorCounts]] = defaultdict(list)
        for figure in traced:
            if figure["set"] == FIGURES_OF[TRACED]:
                by_rule[TRACED, figure["rule"], figure["version"]].append(_counts(figure))
        for rule in rules:
            for figure in rule["figures"]:
                if figure["set"] == FIGURES_OF[RENDERED]:
                    by_rule[RENDERED, rule["id"], rule["version"]].append(_counts(figure))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"The rules' errors cannot be read: {error!r}.") from error
    return tuple(
        Calibration(id, NAMES[id], DESCRIPTIONS[id], rule_id, version, tuple(counts))
        for (id, rule_id, version), counts in by_rule.items()
    )


def _counts(figure: Mapping[str, str | int]) -> ErrorCounts:
    system, by, key = (str(figure[name]) for name in ("system", "by", "key"))
    hits, right, accepts, wrong = (
        int(figure[name]) for name in ("hits", "asked", "false_accepts", "tried")
    )
    return ErrorCounts(system, by, key, hits, right, accepts, wrong)
