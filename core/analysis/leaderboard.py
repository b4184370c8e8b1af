"""The leaderboard's numbers: accuracy by task as the paper's Table 4, with bootstrap intervals.

An accuracy is the share of images that pass, of one task and color system. A task's accuracy is
the plain mean over the systems L2, L3 and CSS (arXiv:2510.20586, caption of Table 4: "The scores
are averaged over ISCC-NBS L2, L3, and CSS3/X11 colors", section 4.2; level 1 is not in it), and
Average is the plain mean over the five tasks, as the last column of Table 4 is of its five.

Prompts without a color system (an imported list) are in no published table. They count only in the
pooled accuracy. A task that has no other prompts shows the pooled accuracy, and the cell is marked.

An image without a score is left out of the accuracy, or counts as incorrect if the user chose that
(:mod:`truehue.core.analysis.records`). ``images`` and ``scored`` of a :class:`Rate` count it in
either case.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from truehue.core.analysis.intervals import Tally, interval, mover, ratios, resampled_sums, wilson
from truehue.core.analysis.records import (
    LEFT_OUT,
    NO_SYSTEM,
    TABLE_SYSTEMS,
    UNSCORED,
    WRONG,
    PromptTally,
)
from truehue.core.errors import BadInput

TABLE_TASKS = ("cna", "coa", "moc", "ica", "ncu")
"""The tasks in the order of the paper's Table 4."""

AVERAGED, POOLED = "averaged", "pooled"
SYSTEMS: Mapping[str, tuple[str, ...]] = {
    AVERAGED: TABLE_SYSTEMS,
    POOLED: (*TABLE_SYSTEMS, ""),
    "l1": ("l1",),
    "l2": ("l2",),
    "l3": ("l3",),
    "css": ("css",),
    "people": ("people",),
}
"""The basis of a task's accuracy. ``averaged``: the mean of three accuracies, as published.
``pooled``: all images of the three systems, and those of prompts without one, in one accuracy,
where L3 weighs most, for it has most prompts. Else one system alone."""

SYSTEM_NAMES: Mapping[str, str] = {
    "l1": "Level 1",
    "l2": "L2",
    "l3": "L3",
    "css": "CSS",
    "people": "People",
}
PART_NAMES: Mapping[str, str] = {**SYSTEM_NAMES, NO_SYSTEM: "No system"}

FEW_PROMPTS = 20
"""Below so many prompts a task and color system an interval covers less than it says. In a
simulation (four images a prompt that are alike, the mean of three systems) 95% intervals covered
the truth in 91 to 96% with 20 to 100 prompts a system, in 88 to 92% with 10, in 84% with 3."""

BOOTSTRAP, WILSON = "bootstrap", "wilson"

_THREADS, _KEPT = 4, 256


@dataclass(frozen=True)
class Rate:
    """An accuracy and what it was made from.

    ``percent`` is None where nothing counts, as are ``low`` and ``high``, else the 95% interval
    over prompts (:mod:`truehue.core.analysis.intervals`), stratified by task and system. ``method``
    is :data:`BOOTSTRAP`, or :data:`WILSON` where it or a part of it has no bootstrap interval. Of
    ``images`` images of ``prompts`` prompts ``scored`` have a pass or a fail, ``passes`` a pass.
    """

    percent: float | None
    low: float | None
    high: float | None
    passes: int
    scored: int
    images: int
    prompts: int
    method: str = ""

    @property
    def few(self) -> bool:
        """Whether these are too few prompts for more than a rough interval."""
        return self.percent is not None and self.prompts < FEW_PROMPTS

    @property
    def unscored(self) -> int:
        """Images that no pass or fail could be given."""
        return self.images - self.scored


@dataclass(frozen=True)
class Cell:
    """The accuracy of one run in one task. ``parts`` are its color systems, those that were asked
    for and have an image, NO_SYSTEM for prompts that have none; ``missing`` the systems without a
    number, for they have no image or none with a score. A cell that misses a system is no number
    to compare with one that has all. ``apart`` are the prompts without a color system where they
    are not in the rate, for a mean over systems has no place for them."""

    task: str
    rate: Rate
    parts: Mapping[str, Rate]
    missing: tuple[str, ...]
    apart: Rate | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The parts that the number is made of: those that have one."""
        return tuple(name for name, part in self.parts.items() if part.percent is not None)

    @property
    def few(self) -> bool:
        """Whether its interval is rough, for a color system has too few prompts."""
        return any(part.few for part in self.parts.values())


@dataclass(frozen=True)
class LeaderboardEntry:
    """One run. ``cells`` are the tasks of TABLE_TASKS that it has, ``missing`` the tasks that keep
    ``average`` from being made: not there, or without a number in every system. ``average.percent``
    is then None. ``others`` are tasks that are in no published table, all images pooled."""

    run_id: str
    cells: Mapping[str, Cell]
    average: Rate
    missing: tuple[str, ...]
    others: Mapping[str, Rate]
    images: int
    scored: int


@dataclass(frozen=True)
class _Bounds:
    """An interval in percent, and by which method."""

    low: float | None = None
    high: float | None = None
    method: str = ""


@dataclass(frozen=True)
class Stratum:
    """The prompts of one run, task and system: how many of them have which tally. ``name`` is what
    their resamples are drawn by."""

    prompts: Mapping[Tally, int]
    name: str
    passes: int
    scored: int
    images: int

    def sums(self) -> np.ndarray:
        """Resampled sums of the tallies (:func:`resampled_sums`)."""
        return resampled_sums(self.prompts, self.name)

    @property
    def counted(self) -> int:
        """Images that count."""
        return sum(tally[1] * count for tally, count in self.prompts.items())

    @property
    def judged(self) -> int:
        """Those of them that the rule judged; the others are incorrect whatever it says."""
        return sum(tally[-1 if len(tally) > 2 else 1] * n for tally, n in self.prompts.items())

    @property
    def counted_prompts(self) -> int:
        """How many prompts have an image that counts."""
        return sum(count for tally, count in self.prompts.items() if tally[1])


def leaderboard(
    tallies: Iterable[PromptTally], systems: str = AVERAGED, unscored: str = LEFT_OUT
) -> dict[str, LeaderboardEntry]:
    """The rows by run id, in the order in which the runs appear.

    ``systems`` is a key of SYSTEMS, ``unscored`` one of UNSCORED. Raises BadInput for any other.
    """
    if systems not in SYSTEMS:
        raise BadInput(f"There is no choice of systems {systems!r}. Use {', '.join(SYSTEMS)}.")
    if unscored not in UNSCORED:
        raise BadInput(f"Unscored images are {', '.join(UNSCORED)}, not {unscored!r}.")
    runs = _by_run(tallies)
    # Drawing resamples leaves Python to others: runs are counted side by side.
    with ThreadPoolExecutor(_THREADS) as pool:
        rows = pool.map(
            lambda own: _row(tuple(sorted(own, key=_position_key)), systems, unscored),
            runs.values(),
        )
        return dict(zip(runs, rows, strict=True))


# A run that has not changed since is not counted again.
@lru_cache(maxsize=_KEPT)
def _row(tallies: tuple[PromptTally, ...], systems: str, unscored: str) -> LeaderboardEntry:
    return _row_of(tallies[0].run_id, _strata(tallies, unscored), systems)


def strata_by_run(
    tallies: Iterable[PromptTally], unscored: str = LEFT_OUT
) -> dict[str, Mapping[tuple[str, str], Stratum]]:
    """The strata of every run by task and system, as :func:`leaderboard` makes them."""
    return {run_id: _strata(own, unscored) for run_id, own in _by_run(tallies).items()}


def _by_run(tallies: Iterable[PromptTally]) -> dict[str, list[PromptTally]]:
    runs: dict[str, list[PromptTally]] = defaultdict(list)
    for tally in tallies:
        if tally.images and tally.prompts:
            runs[tally.run_id].append(tally)
    return runs


def _strata(tallies: Iterable[PromptTally], unscored: str) -> Mapping[tuple[str, str], Stratum]:
    by_stratum: dict[tuple[str, str], list[PromptTally]] = defaultdict(list)
    for tally in tallies:
        by_stratum[tally.task, tally.system].append(tally)
    return {key: _stratum(key, own, unscored) for key, own in by_stratum.items()}


def _position_key(tally: PromptTally) -> tuple[str, str, int, int, int, int]:
    return tally.task, tally.system, tally.passes, tally.scored, tally.images, tally.prompts


def _stratum(key: tuple[str, str], tallies: list[PromptTally], unscored: str) -> Stratum:
    prompts: dict[Tally, int] = defaultdict(int)
    for tally in tallies:
        counted = tally.images if unscored == WRONG else tally.scored
        judged = () if tally.judged is None else (tally.judged,)
        prompts[tally.passes, counted, *judged] += tally.prompts
    passes, scored, images = (
        sum(getattr(tally, name) * tally.prompts for tally in tallies)
        for name in ("passes", "scored", "images")
    )
    return Stratum(prompts, "/".join(key), passes, scored, images)


def _row_of(
    run_id: str, strata: Mapping[tuple[str, str], Stratum], systems: str
) -> LeaderboardEntry:
    cells, samples = {}, []
    for task in TABLE_TASKS:
        own = {
            system: strata[task, system] for system in SYSTEMS[systems] if (task, system) in strata
        }
        bare = strata.get((task, ""))
        if systems == AVERAGED and bare and not own:
            own, bare = {"": bare}, None
        if own:
            cell, resampled = _cell(task, own, systems)
            apart = _pooled([bare]) if systems == AVERAGED and bare else None
            cells[task] = replace(cell, apart=apart)
            samples.append(resampled)
    missing = tuple(
        task
        for task in TABLE_TASKS
        if task not in cells or cells[task].missing or cells[task].rate.percent is None
    )
    others = sorted({task for task, _ in strata if task not in TABLE_TASKS})
    return LeaderboardEntry(
        run_id,
        cells,
        _average(cells, samples, missing),
        missing,
        {
            task: _pooled([stratum for key, stratum in strata.items() if key[0] == task])
            for task in others
        },
        sum(stratum.images for stratum in strata.values()),
        sum(stratum.scored for stratum in strata.values()),
    )


def _cell(task: str, own: Mapping[str, Stratum], systems: str) -> tuple[Cell, np.ndarray]:
    """The cell and its resampled percents."""
    parts = {name or NO_SYSTEM: _pooled([stratum]) for name, stratum in own.items()}
    measured = {name for name, part in parts.items() if part.percent is not None}
    missing = tuple(name for name in SYSTEMS[systems] if name and name not in measured)
    strata = list(own.values())
    if systems == POOLED:
        return Cell(task, _pooled(strata), parts, missing), ratios(_added(strata))
    # A system without a score is missing: the others are shown, and the cell says which they are.
    averaged = [stratum for stratum in strata if stratum.counted] or strata
    resampled = np.mean([ratios(stratum.sums()) for stratum in averaged], axis=0)
    counting = [part for name, part in parts.items() if name in measured]
    percent = _mean([part.percent for part in counting])
    rate = _rate(percent, _bounds(resampled, counting), strata)
    return Cell(task, rate, parts, missing), resampled


def _average(
    cells: Mapping[str, Cell], samples: list[np.ndarray], missing: tuple[str, ...]
) -> Rate:
    """The mean over the tasks, or a rate without a number where one is missing."""
    rates = [cell.rate for cell in cells.values()]
    counts = [sum(getattr(rate, name) for rate in rates) for name in _COUNTS]
    if missing:
        return Rate(None, None, None, *counts)
    bounds = _bounds(np.mean(samples, axis=0), rates)
    percent = _mean([rate.percent for rate in rates])
    return replace(Rate(percent, bounds.low, bounds.high, *counts), method=bounds.method)


_COUNTS = ("passes", "scored", "images", "prompts")


def _pooled(strata: list[Stratum]) -> Rate:
    """All images of the strata in one accuracy; prompts are resampled within each stratum."""
    counted = sum(stratum.counted for stratum in strata)
    if not counted:
        return _rate(None, _Bounds(), strata)
    parts = [stratum for stratum in strata if stratum.counted]
    resampled = ratios(_added(strata))
    percent = 100.0 * sum(stratum.passes for stratum in strata) / counted
    if len(parts) > 1:
        weights = [stratum.counted for stratum in parts]
        return _rate(
            percent, _bounds(resampled, [_pooled([part]) for part in parts], weights), strata
        )
    result = interval(resampled)
    if result is None:
        instead = wilson(percent / 100.0, parts[0].counted_prompts)
        return _rate(percent, _Bounds(*instead, WILSON), strata)
    return _rate(percent, _Bounds(*result, BOOTSTRAP), strata)


def _bounds(resampled: np.ndarray, parts: Sequence[Rate], weights: Sequence[float] = ()) -> _Bounds:
    """The interval of a mean of ``parts``, and its method: that of its resamples where every part
    has a width in them, else the parts' own put together."""
    shares = [
        (part.percent, (part.low, part.high))
        for part in parts
        if part.percent is not None and part.low is not None and part.high is not None
    ]
    if not shares or len(shares) < len(parts):
        return _Bounds()
    result = interval(resampled) if all(part.method == BOOTSTRAP for part in parts) else None
    return _Bounds(*result, BOOTSTRAP) if result else _Bounds(*mover(shares, weights), WILSON)


def _added(strata: list[Stratum]) -> np.ndarray:
    return np.asarray(np.sum([stratum.sums() for stratum in strata], axis=0))


def _rate(percent: float | None, bounds: _Bounds, strata: list[Stratum]) -> Rate:
    return Rate(
        percent,
        bounds.low,
        bounds.high,
        sum(stratum.passes for stratum in strata),
        sum(stratum.scored for stratum in strata),
        sum(stratum.images for stratum in strata),
        sum(count for stratum in strata for count in stratum.prompts.values()),
        bounds.method,
    )


def _mean(percents: list[float | None]) -> float | None:
    """The mean, or None where a number is missing: a part must not stand for the whole."""
    values = [percent for percent in percents if percent is not None]
    return sum(values) / len(values) if values and len(values) == len(percents) else None


AVERAGE = "average"


def part_note(cell: Cell) -> str:
    """A short note on the basis of a number if a color system is missing."""
    names = [PART_NAMES[name] for name in cell.systems]
    if not names:
        return "all unscored"
    none = [PART_NAMES[name] for name in cell.parts if name not in cell.systems]
    parts = [f"{', '.join(none)}: all unscored"] if none else []
    if cell.systems == (NO_SYSTEM,):
        return "; ".join(["no color system: pooled", *parts])
    return "; ".join([f"only {', '.join(names)}", *parts]) if cell.missing else "; ".join(parts)


def apart_text(cell: Cell) -> str:
    """A note on the systems that a mean leaves out; empty if there are none."""
    if cell.apart is None:
        return ""
    images = "1 image" if cell.apart.images == 1 else f"{cell.apart.images:,} images"
    return f"{images} without a color system not in it"


def interval_text(rate: Rate, few: bool) -> str:
    """``84.5–100.0``, with ≈ where a bootstrap interval of few prompts is in it (``few``); empty
    without a number."""
    about = "≈" if few else ""
    return "" if rate.low is None else f"{about}{rate.low:.1f}–{rate.high:.1f}"


def n_text(rate: Rate, counted: int) -> str:
    """``20 of 36 images``: how many of its images are ``counted``; ``36 images`` where all are."""
    first = f"{counted:,} of " if counted < rate.images else ""
    return f"{first}{rate.images:,} image{'s' * (rate.images != 1)}"
