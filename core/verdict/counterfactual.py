"""With which limits a verdict would pass: nothing is judged anew, and nothing stored changes.

A verdict passes where one of its *alternatives* has every judged number below its limit. The rules
of the paper and ``truehue`` have one alternative: the numbers of the verdict itself. A rule that
wants all numbers on one accepted color has one for each color that could count.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from truehue.core.color.difference import delta_chroma, delta_e00, hue_difference_deg
from truehue.core.errors import BadInput
from truehue.core.verdict.measure import Measurement
from truehue.core.verdict.rules import rule

Limits = Mapping[str, float]
METRICS = ("misfit", "delta_e00", "delta_chroma", "hue_deg")
MOST = {"misfit": 50.0, "delta_e00": 100.0, "delta_chroma": 200.0, "hue_deg": 180.0}
"""Beyond these there is nothing left to forbid."""


def judged_limits(measurement: Measurement) -> dict[str, float]:
    """The limits that this verdict was judged by, by metric."""
    return {m.name: m.threshold for m in measurement.verdict.metrics if m.threshold is not None}


def alternatives(measurement: Measurement) -> list[dict[str, float]]:
    """The numbers, by judged metric, of each account that could make this verdict pass.

    Of a rule that judges by one accepted color, those that another one beats in every number are
    left out. Empty for an unscored measurement.
    """
    verdict, names = measurement.verdict, list(judged_limits(measurement))
    if verdict.lab is None or not names:
        return []
    by = rule(verdict.rule)
    if not by.same_candidate or len(measurement.candidates) == 1:
        values = {metric.name: metric.value for metric in verdict.metrics}
        return [{name: values[name] for name in names}]
    return [
        dict(zip(names, (float(value) for value in row), strict=True))
        for row in _undominated(_of_candidates(measurement, names))
    ]


def read_limits(text: str) -> dict[str, float]:
    """``"delta_e00:8,hue_deg:40"`` as limits by metric; raises BadInput for what is none."""
    limits = {}
    for part in filter(None, text.split(",")):
        name, _, number = part.partition(":")
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if name not in MOST or not 0.0 < value <= MOST[name]:
            raise BadInput(
                f'The limit "{part[:40]}" cannot be read: write one of {", ".join(METRICS)}, a '
                "colon and a number above 0, as in delta_e00:8."
            )
        limits[name] = value
    return limits


def _of_candidates(measurement: Measurement, names: list[str]) -> np.ndarray:
    """The numbers ``(M, N)`` of each accepted color that could count, the nominal one first.

    In the released search a color that passes counts only when its summed metrics are below the
    nominal color's (gen-color-bench @ 802a3ba).
    """
    assert measurement.verdict.lab is not None
    candidates_lab = np.array([candidate.lab for candidate in measurement.candidates])
    lab = np.array(measurement.verdict.lab)
    values = {
        "delta_chroma": delta_chroma(lab, candidates_lab),
        "delta_e00": delta_e00(candidates_lab, lab),
        "hue_deg": hue_difference_deg(lab, candidates_lab),
    }
    total = np.sum(list(values.values()), axis=0)
    counts = total < total[0]
    counts[0] = True
    return np.stack([values[name][counts] for name in names], axis=-1)


def _undominated(rows: np.ndarray) -> np.ndarray:
    """The rows that no other row is below or equal to in every number; of equal ones the first."""
    front: list[np.ndarray] = []
    for row in rows[np.argsort(rows.sum(axis=1), kind="stable")]:
        if not any((other <= row).all() for other in front):
            front.append(row)
    return np.array(front)
