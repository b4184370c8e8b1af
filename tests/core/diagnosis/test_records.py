"""The report as JSON and back, and the split that it is reported by."""

from __future__ import annotations

import json
from typing import Any

import pytest

from truehue.core.diagnosis.plan import SPLIT, part_of
from truehue.core.diagnosis.records import (
    SETS,
    DiagnosisReport,
    Example,
    Figure,
    Published,
    Roc,
    RocPoint,
    RuleReport,
)
from truehue.core.errors import BadInput
from truehue.core.generation.renderer import LIGHTS, OBJECTS


def report() -> DiagnosisReport:
    """A report with one of everything."""
    figure = Figure(
        "pooled", "l2", "light", "hard", 3, 4, 1, 20, 2, 75.0, 30.0, 95.0, 5.0, 0.9, 23.6
    )
    empty = Figure("held_out", "l2", "all", "", 0, 0, 0, 5, 0, None, None, None, 0.0, 0.0, 43.4)
    rule = RuleReport(
        "paper",
        "1.0",
        "paper",
        {"k": 0, "thresholds": {"hue_deg": 30.0}},
        (figure, empty),
        {"l2": Roc(0.9, (RocPoint(1.0, 75.0, 5.0),)), "css": Roc(None, ())},
        (Example("car", "hard", 0, "l2", "Vivid red", "Vivid red", "missed", None, None),),
    )
    return DiagnosisReport(
        "1.0",
        "2026-11-21T16:00:00+00:00",
        512,
        (0, 1),
        ("car",),
        ("hard",),
        {"l2": 29},
        29,
        1,
        SPLIT,
        1.5,
        (rule,),
        (Published("l2", 96.46, "somewhere"),),
    )


def test_a_report_comes_back_from_json_as_it_was() -> None:
    text = json.dumps(report().as_json())
    assert DiagnosisReport.from_json(json.loads(text)) == report()


def test_what_a_later_writer_added_is_left_out() -> None:
    data = report().as_json()
    data["weather"] = "fine"
    data["rules"][0]["figures"][0]["mood"] = 1
    assert DiagnosisReport.from_json(data) == report()


@pytest.mark.parametrize(
    "data",
    [{}, {"schema": 2}, [], "text", {"schema": 1}, {"schema": 1, "rules": 3}],
)
def test_what_is_no_report_is_refused(data: Any) -> None:
    with pytest.raises(BadInput, match="diagnosis"):
        DiagnosisReport.from_json(data)


def test_a_figure_is_found_by_its_part() -> None:
    rule = report().rule("paper")
    assert rule is not None
    figure = rule.figure("pooled", "l2", "light", "hard")
    assert figure is not None
    assert figure.hits == 3
    assert rule.figure("pooled", "css") is None
    assert report().rule("none") is None


def test_the_split_halves_objects_and_lights() -> None:
    objects, lights = SPLIT["objects"], SPLIT["lights"]
    assert sorted(objects["tuned"] + objects["held_out"]) == sorted(OBJECTS)
    assert len(objects["tuned"]) == len(objects["held_out"]) == 7
    assert sorted((*lights["tuned"], *lights["held_out"], "even")) == sorted(LIGHTS)
    assert part_of("mug", "window") == "tuned"
    assert part_of("car", "hard") == "held_out"
    assert part_of("car", "window") == part_of("mug", "hard") == "mixed"
    assert part_of("mug", "even") == part_of("fork", "hard") == ""
    assert {"tuned", "held_out", "mixed"} < set(SETS)
