"""Why metrics of color fidelity are not their printed rows: pairs count otherwise, data are not here."""

from __future__ import annotations

import pytest

from truehue.core.reproduce.fidelity_groups import metric_gaps

PAIRS = {"percent": 75.0, "low": 70.0, "high": 80.0, "pairs": 100, "ties": 10, "unscored": 25}
REPORT = {
    "HPSv3 (hf)": {
        "syn_pairs": PAIRS,
        "real_syn": {**PAIRS, "ties": 0, "unscored": 0},
        "agreement": {"images": 9, "spearman": {"value": 0.5}, "kendall": {"value": None}},
    },
    "my own": {"syn_pairs": PAIRS, "real_syn": PAIRS, "agreement": None},
}


def test_ties_and_unscored_pairs_are_switched_alone() -> None:
    gaps = {gap.column: gap for gap in metric_gaps("1", REPORT)}
    assert set(gaps) == {"CFD-SynPairs", "CFD-Real&Syn"}  # of my own there is no printed row
    gap = gaps["CFD-SynPairs"]
    assert gap.keys["ours"] == "HPSv3 (hf)"
    assert gap.points == pytest.approx(57.5 - 75.0)
    shares = {entry.name: entry.points for entry in gap.differences if entry.evaluable}
    assert shares == pytest.approx({"Unscored pairs": 75 / 1.25 - 75, "Ties": -5.0})
    needing = {entry.name for entry in gap.differences if not entry.evaluable}
    assert needing == {"Groups", "Counterpart of a photograph", "Ratings"}


def test_a_correlation_needs_their_ratings() -> None:
    (gap,) = metric_gaps("2", REPORT)
    assert (gap.column, gap.ours, gap.published) == ("Spearman", 50.0, 74.4)
    assert {entry.name for entry in gap.differences} == {"Groups", "Ratings"}
    assert not any(entry.evaluable for entry in gap.differences)
