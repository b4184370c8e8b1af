"""Sweeps over guidance and size, with every number written out."""

from __future__ import annotations

import pytest

from tests.core.concepts.cells import APPLE, CABIN, DARK, LIGHT, MANGO, MIDDLE, cell, only
from truehue.core.concepts.scores import NOT_COMMON
from truehue.core.concepts.tables import (
    TableChoice,
    alignment,
    guidance_sweep,
    parameters_of,
    size_sweep,
)
from truehue.core.errors import BadInput

PEOPLE = {MANGO: only(DARK), APPLE: only(DARK)}
CELLS = [
    cell("r", MANGO, only(DARK), guidance=3.0),
    cell("r", MANGO, only(MIDDLE), guidance=7.0),
    cell("r", APPLE, only(LIGHT), guidance=7.0),
    cell("r", MANGO, only(LIGHT)),  # all scales together: no point of the line
]


def test_a_point_a_scale_on_the_same_concepts() -> None:
    lines = guidance_sweep(CELLS, PEOPLE, metrics=("emd_lab",))
    assert lines is not None
    (line,) = lines
    assert (line.run_id, line.group, line.style, line.metric) == ("r", "all", "photo", "emd_lab")
    assert [(scale, item.value, item.count) for scale, item in line.points] == [
        (3.0, 0.0, 1),
        (7.0, pytest.approx(25.0), 1),
    ]
    assert line.points[1][1].left_out == {NOT_COMMON: 1}
    (apart,) = guidance_sweep(CELLS, PEOPLE, metrics=("emd_lab",), common=False) or ()
    assert apart.points[1][1].value == pytest.approx(37.5)


def test_styles_together_count_a_concept_in_each() -> None:
    cells = [
        cell("r", MANGO, only(DARK), guidance=3.0),
        cell("r", MANGO, only(LIGHT), "cartoon", guidance=3.0),
    ]
    lines = guidance_sweep(cells, PEOPLE, metrics=("emd_lab",)) or ()
    result = {line.style: line.points[0][1] for line in lines}
    assert list(result) == ["photo", "cartoon", "all"]
    assert result["all"].value == pytest.approx(25.0)
    assert result["all"].count == 2


def test_lines_by_category() -> None:
    cells = [*CELLS, cell("r", CABIN, only(DARK), guidance=3.0)]
    people = {**PEOPLE, CABIN: only(LIGHT)}
    lines = guidance_sweep(cells, people, metrics=("emd_lab",), by="category", common=False) or ()
    assert [line.group for line in lines] == ["Fruits", "Buildings"]
    assert lines[1].points[0][1].value == pytest.approx(50.0)
    with pytest.raises(BadInput, match="by all, kind or category"):
        guidance_sweep(cells, people, by="size")


def test_size_beside_the_numbers() -> None:
    position = {"small": DARK, "medium": MIDDLE, "large": LIGHT, "unknown": DARK}
    cells = [cell(run, MANGO, only(index)) for run, index in position.items()]
    cells.append(cell("empty", MANGO, None))
    table = alignment(cells, PEOPLE, TableChoice(metrics=("emd_lab",)))
    assert table is not None
    sizes = {"small": 0.6, "medium": 2.0, "large": 12.0, "unknown": None, "empty": 4.8}
    (line,) = size_sweep(table, sizes)
    assert [(size, run, item.value) for size, run, item in line.points] == [
        (0.6, "small", 0.0),
        (2.0, "medium", pytest.approx(25.0)),
        (12.0, "large", pytest.approx(50.0)),
    ]
    assert line.unsized == ("unknown",)
    assert line.unscored == ("empty",)
    # Three numbers that rise with three sizes.
    assert line.spearman == pytest.approx(1.0)
    (few,) = size_sweep(table, {"small": 0.6, "large": 12.0})
    assert few.spearman is None


def test_sizes_come_from_the_registry() -> None:
    parameters = parameters_of(
        {"a": "sdxl-base-1.0", "b": "reference-renderer", "c": "nobody/knows", "d": "hub:own/er"}
    )
    assert parameters == {"a": 2.6, "b": None, "c": None, "d": None}
