"""``python -m tests.bench.ring [SEEDS]``: what a ring test says of scorers whose faults are known.

1. Scorers without bias, on fresh seeds: how many are said to have one (goal: at most 5%).
2. Scorers that measure blue 6 ΔE00 too light: how many are named so (goal: all).
3. The rules on rendered sets of two seeds: how many of the differences of their rates lie outside
   of the interval of the difference (goal: at most 5%). It renders, some minutes a set.
"""

from __future__ import annotations

import sys
import tempfile
from math import sqrt
from pathlib import Path

from tests.core.ring.simulated import keyed, measuring, too_light_in_blue
from truehue.core.machine import cpu_name
from truehue.core.ring.answers import answer_by_rules
from truehue.core.ring.folder import make_set, read_key
from truehue.core.ring.plan import DEFAULT_IMAGES, DEFAULT_SIZE_PX
from truehue.core.ring.report import RingReport, score
from truehue.core.ring.shares import Share

SEEDS = 100
RENDERED = (2034, 2035)
BLUE = "On blue objects"


def unbiased(seeds: int) -> None:
    """Prints how often a bias is found where there is none."""
    wrong = 0
    for seed in range(seeds):
        ring_set, key = keyed(seed)
        wrong += bool(score(ring_set, key, measuring(key, seed=seed)).findings)
    met = "met" if wrong <= 0.05 * seeds else "NOT MET"
    print(f"  no bias: {wrong} of {seeds} scorers are said to have one; goal at most 5%: {met}")


def planted(seeds: int) -> None:
    """Prints how often the planted bias comes first, and its mean size."""
    named, sizes = 0, []
    for seed in range(seeds):
        ring_set, key = keyed(seed)
        report = score(ring_set, key, measuring(key, too_light_in_blue, seed=seed))
        first = report.findings[0] if report.findings else ""
        named += first.startswith(BLUE) and "ΔE00 lighter" in first
        sizes += [
            shift.delta_e00.value
            for stratum in report.strata
            if (stratum.by, stratum.key) == ("hue", "blue")
            for shift in stratum.shifts
            if shift.axis == "lightness"
        ]
    met = "met" if named == seeds else "NOT MET"
    mean = sum(sizes) / len(sizes)
    print(
        f"  +6 ΔE00 in blue: {named} of {seeds} are named so, {mean:.1f} on average; goal all: {met}"
    )


def is_outside(a: Share, b: Share) -> bool:
    """Whether the interval of the difference (MOVER) leaves 0 out."""
    if a.percent < b.percent:
        a, b = b, a
    return a.percent - b.percent > sqrt((a.percent - a.low) ** 2 + (b.high - b.percent) ** 2)


def rates(report: RingReport) -> list[Share]:
    """Hits, false accepts, and these by kind, hue, lightness, chroma and light."""
    parts = [share for entry in report.strata for share in (entry.hits, entry.false_accepts)]
    return [*report.kinds.values(), *(share for share in parts if share is not None)]


def fresh_seed() -> None:
    """Prints the rates of the rules on two seeds."""
    by_seed = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in RENDERED:
            place, key_file = Path(folder) / str(seed), Path(folder) / f"{seed}.json"
            ring_set = make_set(place, key_file, seed, DEFAULT_IMAGES, DEFAULT_SIZE_PX)
            key = read_key(key_file, ring_set)
            by_seed.append([score(ring_set, key, a) for a in answer_by_rules(ring_set, ())])
    outside = total = 0
    for first, second in zip(*by_seed, strict=True):
        print(f"  {first.scorer:<18}", end="")
        for report in (first, second):
            hit, false = report.hits, report.false_accepts
            print(f"  hits {hit.percent:6.2f}%, false accepts {false.percent:5.2f}%", end="")
        print()
        pairs = list(zip(rates(first), rates(second), strict=True))
        outside += sum(is_outside(*pair) for pair in pairs)
        total += len(pairs)
    met = "met" if outside <= 0.05 * total else "NOT MET"
    print(f"  seeds {RENDERED}: {outside} of {total} rates differ by more than their intervals")
    print(f"  goal at most 5%: {met}")


def main() -> None:
    """Prints all three."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    print(f"{cpu_name()}; sets of {DEFAULT_IMAGES} images")
    unbiased(seeds)
    planted(seeds)
    fresh_seed()


if __name__ == "__main__":
    main()
