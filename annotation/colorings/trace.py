"""A log of actions as one byte each: enough to know whether anything is colored, and cheap to keep
for everybody who colors at the same time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

COLORED, ERASED, CLEARED, UNDONE, REDONE = b"c", b"e", b"x", b"u", b"r"
_PLAIN = {"clear": CLEARED, "undo": UNDONE, "redo": REDONE}


def code_of(action: Mapping[str, Any]) -> bytes:
    """The byte of an action that :func:`truehue.annotation.colorings.actions.read_action` takes."""
    plain = _PLAIN.get(action["do"])
    if plain is not None:
        return plain
    return ERASED if action["color"] is None else COLORED


def current_colors(trace: bytes) -> int:
    """How many actions with a color stand that no clear took away; 0 where nothing is colored, as
    :func:`truehue.annotation.colorings.actions.has_color` says of the log itself."""
    state, undone = bytearray(), bytearray()
    for code in trace:
        if code == UNDONE[0]:
            if state:
                undone.append(state.pop())
        elif code == REDONE[0]:
            if undone:
                state.append(undone.pop())
        else:
            state.append(code)
            undone.clear()
    return state[state.rfind(CLEARED) + 1 :].count(COLORED)
