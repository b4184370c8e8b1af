"""Actions: what a page may send, and what stands after undo and redo."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truehue.annotation.colorings import (
    Action,
    Clear,
    Fill,
    FillRegions,
    Pick,
    Redo,
    Stroke,
    Undo,
    as_json,
    effective_actions,
    has_color,
    read_action,
)
from truehue.core.errors import BadInput

FILL = {"do": "fill", "x": 3, "y": -4, "closing": 2, "color": "#FF8000"}
STROKE = {"do": "stroke", "points": [1, 2, 3, 4], "diameter": 9, "color": None, "within": 0}
REGIONS = {"do": "fill_regions", "points": [1, 2, 3, 4], "closing": 1, "color": "#102030"}
PICK = {"do": "pick", "color": "#102030"}
ONE, TWO, THREE = (Fill(index, 0, 0, "#102030") for index in (1, 2, 3))


def test_every_action_is_read_and_written_again() -> None:
    assert read_action(FILL) == Fill(3, -4, 2, "#ff8000")
    assert read_action(STROKE) == Stroke((1, 2, 3, 4), 9, None, 0)
    assert read_action(REGIONS) == FillRegions((1, 2, 3, 4), 1, "#102030")
    assert read_action(PICK) == Pick("#102030")
    for body in (FILL, REGIONS, STROKE, PICK, {"do": "clear"}, {"do": "undo"}, {"do": "redo"}):
        again = as_json(read_action(body))
        assert again == {**body, **({"color": "#ff8000"} if body is FILL else {})}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "do"),
        ({"do": 1}, "do"),
        ({"do": []}, "do"),
        ({"do": "paint"}, "do"),
        ({"do": "undo", "to": 0}, "do"),
        ({"do": "fill"}, "do"),
        (FILL | {"more": 1}, "do"),
        (FILL | {"x": 1.0}, "x"),
        (FILL | {"x": True}, "x"),
        (FILL | {"y": 4097}, "y"),
        (FILL | {"closing": 4}, "closing"),
        (FILL | {"closing": None}, "closing"),
        (FILL | {"color": "red"}, "color"),
        (FILL | {"color": "#12345"}, "color"),
        (FILL | {"color": "#123456\n"}, "color"),
        (FILL | {"color": 0}, "color"),
        (STROKE | {"points": []}, "points"),
        (STROKE | {"points": [1, 2, 3]}, "points"),
        (STROKE | {"points": "12"}, "points"),
        (STROKE | {"points": [1, None]}, "points"),
        (STROKE | {"points": [0, -2049]}, "points"),
        (STROKE | {"points": [0, 0] * 2049}, "points"),
        (STROKE | {"diameter": 0}, "diameter"),
        (STROKE | {"diameter": 257}, "diameter"),
        (STROKE | {"within": -1}, "closing"),
        (REGIONS | {"x": 1}, "do"),
        (PICK | {"x": 1}, "do"),
        (PICK | {"color": None}, "color"),
        (REGIONS | {"points": [1]}, "points"),
        (REGIONS | {"closing": 4}, "closing"),
        (REGIONS | {"color": 3}, "color"),
    ],
)
def test_anything_else_is_refused_by_its_field(body: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read_action(body)
    assert refusal.value.field == field


@pytest.mark.parametrize("body", [None, [], "fill", 7])
def test_what_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(BadInput):
        read_action(body)


@pytest.mark.parametrize(
    ("actions", "state"),
    [
        ([], ()),
        ([Undo(), Redo(), ONE], (ONE,)),
        ([ONE, TWO, Undo()], (ONE,)),
        ([ONE, TWO, Undo(), Undo(), Undo(), Redo()], (ONE,)),
        ([ONE, TWO, Undo(), THREE, Redo()], (ONE, THREE)),
        ([ONE, Clear(), Undo(), TWO], (ONE, TWO)),
        ([ONE, Pick("#102030"), Undo()], ()),
        ([ONE, TWO, Undo(), Pick("#102030"), Redo()], (ONE, TWO)),
        ([ONE, Clear(), TWO], (ONE, Clear(), TWO)),
        ([ONE, Clear(), Undo(), Redo()], (ONE, Clear())),
    ],
)
def test_undo_and_redo(actions: list[Action], state: tuple[Action, ...]) -> None:
    assert effective_actions(actions) == state


@given(st.lists(st.sampled_from([ONE, TWO, Clear(), Undo(), Redo()])))
def test_undo_then_redo_changes_nothing_where_something_stands(actions: list[Action]) -> None:
    before = effective_actions(actions)
    if before:
        assert effective_actions([*actions, Undo()]) == before[:-1]
        assert effective_actions([*actions, Undo(), Redo()]) == before


def test_whether_there_is_color() -> None:
    erased = Stroke((0, 0), 5, None)
    assert has_color([ONE])
    assert has_color([ONE, erased])
    assert has_color([Clear(), ONE])
    for actions in ([], [erased], [ONE, Undo()], [ONE, Clear()], [ONE, Clear(), erased]):
        assert not has_color(actions)
    assert has_color([ONE, Clear(), Undo()])
