"""``python -m tests.bench.trust``: do the intervals and ranks of the leaderboard hold?

1. 1,000 runs with true accuracies of 5 to 95%, judged by a rule that misses and accepts falsely, whose
   errors are estimated anew for each run: how often do the raw and the corrected 95% interval cover
   the true accuracy? Once with errors that are the same in every light, once with errors that differ.
2. 1,000 audits of 200 images: how often does the interval by people cover, and how wide is it beside
   that of the judged images alone?
3. 20 models, of which every two are equally good, and 20 that all are: how often is any of the ranks
   false?

Goals: corrected and audited intervals cover in 93 to 97%, raw ones do not; false ranks in at most
5%, within what chance does in so many repetitions. The exit status is 0 when all are met.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from truehue.core.analysis.audit import people_accuracy, sample
from truehue.core.analysis.judge_error import Calibration, ErrorCounts, corrected_by_run
from truehue.core.analysis.leaderboard import leaderboard
from truehue.core.analysis.ranks import PromptScores, rank_ranges
from truehue.core.analysis.records import NOT_FOUND, PromptTally

PROMPTS, IMAGES = 200, 2
HIT, ACCEPT = 0.80, 0.06
RIGHT, WRONG, LIGHTS = 480, 2_400, 8
TRUTH = (0.05, 0.95)
LOW, HIGH, MAX_FALSE = 0.93, 0.97, 0.05
MODELS, STRATA = 20, 5


@dataclass(frozen=True)
class Coverage:
    """The shares of runs whose raw and whose corrected interval has the true accuracy."""

    raw: float
    corrected: float


def coverage(runs: int, uneven: float, seed: int = 34, not_found: float = 0.0) -> Coverage:
    """``uneven`` is the standard deviation of hits and, a third of it, of false accepts between
    lights; ``not_found`` the share of images whose object is not found, which are incorrect."""
    rng = np.random.default_rng(seed)
    raw = right = 0
    for run in range(runs):
        truth = float(rng.uniform(*TRUTH))
        tallies = list(_tallies(rng, truth, not_found))
        truth *= 1.0 - not_found
        entries = leaderboard(tallies, "l2", NOT_FOUND)
        calibration = _calibration(rng, run, uneven)
        result = corrected_by_run(tallies, entries, {"run": calibration}, unscored=NOT_FOUND)[
            "run"
        ]["cna"]
        rate = entries["run"].cells["cna"].rate
        raw += (rate.low or 0.0) <= 100 * truth <= (rate.high or 100.0)
        # A run without a correction has no interval that could hold the truth.
        right += result.low is not None and result.low <= 100 * truth <= (result.high or 0.0)
    return Coverage(raw / runs, right / runs)


def _tallies(
    rng: np.random.Generator, truth: float, not_found: float = 0.0
) -> Iterator[PromptTally]:
    """A run's prompts: some are harder, and the images of one are alike."""
    own = rng.beta(truth * 6.0, (1.0 - truth) * 6.0, PROMPTS)
    judged = np.full(PROMPTS, IMAGES)
    if not_found:
        judged = rng.binomial(IMAGES, rng.beta((1.0 - not_found) * 3.0, not_found * 3.0, PROMPTS))
    true = rng.binomial(judged, own)
    passes = rng.binomial(true, HIT) + rng.binomial(judged - true, ACCEPT)
    for (count, number), prompts in Counter(
        zip(passes.tolist(), judged.tolist(), strict=True)
    ).items():
        yield PromptTally("run", "cna", "l2", count, IMAGES, IMAGES, prompts, number)


def _calibration(rng: np.random.Generator, run: int, uneven: float) -> Calibration:
    counts = []
    for light in range(LIGHTS):
        hit = float(np.clip(rng.normal(HIT, uneven), 0.0, 1.0))
        accept = float(np.clip(rng.normal(ACCEPT, uneven / 3.0), 0.0, 1.0))
        right, wrong = RIGHT // LIGHTS, WRONG // LIGHTS
        hits, accepts = int(rng.binomial(right, hit)), int(rng.binomial(wrong, accept))
        counts.append(ErrorCounts("l2", "light", str(light), hits, right, accepts, wrong))
    whole = ErrorCounts(
        "l2", "all", "", sum(c.hits for c in counts), RIGHT, sum(c.accepts for c in counts), WRONG
    )
    return Calibration(f"bench {run}", "", "", "rule", "1", (whole, *counts))


@dataclass(frozen=True)
class Audits:
    """The share of audits whose interval has the true accuracy, and the mean widths in percent
    points of that interval and of one from the judged images alone."""

    covered: float
    width: float
    width_alone: float


def audits(runs: int, images: int = 200, seed: int = 34) -> Audits:
    """People's answers are the truth; the rule errs as in :func:`coverage`."""
    rng = np.random.default_rng(seed)
    covered, widths, alone = 0, 0.0, 0.0
    for run in range(runs):
        truths = rng.uniform(*TRUTH, STRATA)
        passes: dict[str, dict[int, bool]] = {}
        people: dict[int, float] = {}
        for stratum, truth in enumerate(truths):
            own = rng.random(600) < truth
            verdicts = np.where(own, rng.random(600) < HIT, rng.random(600) < ACCEPT)
            first = stratum * 600
            passes[str(stratum)] = {first + i: bool(v) for i, v in enumerate(verdicts)}
            people |= {first + i: float(v) for i, v in enumerate(own)}
        chosen = sample({key: list(own) for key, own in passes.items()}, images, run)
        judged = {position: people[position] for own in chosen.values() for position in own}
        by_rule = people_accuracy(passes, judged, STRATA * 600)
        nothing = {key: dict.fromkeys(own, False) for key, own in passes.items()}
        by_people = people_accuracy(nothing, judged, STRATA * 600)
        assert by_rule is not None
        assert by_people is not None
        covered += by_rule.low <= 100 * float(truths.mean()) <= by_rule.high
        widths += by_rule.high - by_rule.low
        alone += by_people.high - by_people.low
    return Audits(covered / runs, widths / runs, alone / runs)


def false_ranks(repetitions: int, all_equal: bool, prompts: int = 60, seed: int = 34) -> float:
    """The share of repetitions in which any of 20 models has a rank that it cannot have."""
    rng = np.random.default_rng(seed)
    skill = np.zeros(MODELS) if all_equal else np.repeat(np.linspace(-1.5, 1.5, MODELS // 2), 2)
    names = [str(model) for model in range(MODELS)]
    better = np.array([(skill > own).sum() for own in skill])
    worse = np.array([(skill < own).sum() for own in skill])
    false = 0
    for _ in range(repetitions):
        scores = []
        for stratum in range(STRATA):
            hard = rng.normal(0.0, 1.5, (prompts, 1))
            own = 1.0 / (1.0 + np.exp(hard - skill))
            passes = rng.binomial(IMAGES, np.broadcast_to(own, (prompts, MODELS)))
            scores.append(PromptScores(str(stratum), "", passes / IMAGES))
        ranks = rank_ranges(names, scores, [1.0] * STRATA)
        # Equal models share their ranks: a range must have both of them.
        false += any(
            ranks[name].best > better[i] + 1 or ranks[name].worst < MODELS - worse[i]
            for i, name in enumerate(names)
        )
    return false / repetitions


def main() -> int:
    """Prints every share beside its goal."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=1_000)
    runs = parser.parse_args().runs
    good = True

    def line(name: str, value: float, met: bool, goal: str) -> None:
        nonlocal good
        good &= met
        print(f"{name:<58}{100 * value:6.1f}%  {'met' if met else 'MISSED'}: {goal}", flush=True)

    start = time.perf_counter()
    for uneven, words in ((0.0, "equal in every light"), (0.08, "uneven over 8 lights")):
        result = coverage(runs, uneven)
        line(f"raw interval covers, errors {words}", result.raw, result.raw < LOW, "below 93%")
        inside = LOW <= result.corrected <= HIGH
        line(f"corrected interval covers, errors {words}", result.corrected, inside, "93 to 97%")
    audited = audits(runs)
    line("interval by people covers, 200 of 3,000 judged", audited.covered,
         LOW <= audited.covered <= HIGH, "93 to 97%")  # fmt: skip
    print(
        f"  {audited.width:.1f} points wide; of the judged images alone {audited.width_alone:.1f}"
    )
    slack = 2.0 * sqrt(MAX_FALSE * (1.0 - MAX_FALSE) / runs)
    for prompts in (12, 60):
        for equal, words in ((False, "10 equal pairs"), (True, "all equal")):
            share = false_ranks(runs, equal, prompts)
            name = f"any false rank, 20 models, {words}, {prompts} prompts a task"
            line(name, share, share <= MAX_FALSE + slack, "at most 5%")
    print(f"{time.perf_counter() - start:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
