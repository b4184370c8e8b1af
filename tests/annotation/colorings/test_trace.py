"""A byte an action tells whether anything is colored, as the log itself does."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.annotation.colorings import (
    as_json,
    code_of,
    current_colors,
    has_color,
    read_action,
)

COLOR = st.sampled_from([None, "#aa5500", "#ffffff"])
ACTIONS = st.one_of(
    st.builds(
        lambda color: {"do": "fill", "x": 1, "y": 2, "closing": 0, "color": color},
        COLOR,
    ),
    st.builds(
        lambda color: {"do": "fill_regions", "points": [1, 2, 3, 4], "closing": 0, "color": color},
        COLOR,
    ),
    st.builds(
        lambda color: {
            "do": "stroke",
            "points": [1, 2, 3, 4],
            "diameter": 4,
            "color": color,
            "within": None,
        },
        COLOR,
    ),
    st.just({"do": "pick", "color": "#aa5500"}),
    st.sampled_from([{"do": "clear"}, {"do": "undo"}, {"do": "redo"}]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(ACTIONS, max_size=40))
def test_a_trace_says_what_the_log_says(log: list[dict[str, Any]]) -> None:
    actions = [read_action(action) for action in log]
    trace = b"".join(code_of(as_json(action)) for action in actions)
    assert len(trace) == len(log)
    assert (current_colors(trace) > 0) == has_color(actions)
