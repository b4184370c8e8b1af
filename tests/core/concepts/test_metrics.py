"""The one list of metrics, and what is made of it: names in files and links stay as they are."""

from __future__ import annotations

import numpy as np

from truehue.core.color.distances import compare
from truehue.core.color.uw71 import COUNT
from truehue.core.concepts.distribution import FIELDS
from truehue.core.concepts.metrics import MEANINGS, METRICS, TABLE_1, TABLE_2, of_table
from truehue.core.concepts.tables import METRICS_SHOWN

NAMES_SILVER = (
    "pcc",
    "emd_lab",
    "entropy_difference",
    "dca",
    "delta_hue_deg",
    "delta_hue_literal_deg",
    "total_variation",
    "jensen_shannon",
)
COLUMNS_SILVER = ["pcc", "emd", "ed", "dominant_equal", "hue_deg", "tv", "js"]


def test_names_of_before_are_kept() -> None:
    assert tuple(METRICS) == NAMES_SILVER
    assert [metric.pair.id for metric in METRICS.values() if metric.pair] == COLUMNS_SILVER
    assert of_table(TABLE_1) == NAMES_SILVER[:3]
    assert of_table(TABLE_2) == NAMES_SILVER[3:6]
    assert set(NAMES_SILVER) - set(FIELDS) == {"dca", "delta_hue_literal_deg"}
    assert set(FIELDS) < set(NAMES_SILVER)


def test_every_metric_reads_a_number_of_a_comparison() -> None:
    first, second = np.eye(COUNT)[[31, 42]]
    values = {name: metric.of(compare(first, second)) for name, metric in METRICS.items()}
    assert all(type(value) is float for value in values.values())
    assert values["dca"] == 0.0
    assert METRICS["dca"].of(compare(first, first)) == 1.0
    assert METRICS["pcc"].of(compare(first, np.full(COUNT, 1 / COUNT))) is None


def test_what_a_table_shows_has_a_meaning() -> None:
    assert tuple(MEANINGS) == METRICS_SHOWN
    assert {*of_table(TABLE_1), *of_table(TABLE_2)} <= set(MEANINGS)
