"""Gradio's events: which of them run side by side."""

from __future__ import annotations

from itertools import combinations

from truehue.tabs.page.context import Context
from truehue.tabs.shell.shell import build

EDITS = {"change", "input", "submit", "blur"}


def test_edits_of_two_fields_that_fill_the_same_are_one_event(context: Context) -> None:
    """Else two edits a moment apart are answered side by side, and the answer to the older one can
    stand in the page for good: of two fields that were put right, one stayed marked as wrong."""
    demo = build(context)
    edits = [
        fn
        for fn in demo.fns.values()
        if fn.trigger_mode == "always_last" and EDITS & {event for _, event in fn.targets}
    ]
    assert max(len(fn.targets) for fn in edits) >= 8  # the fields of Inspect
    for item, other in combinations(edits, 2):
        same = {part._id for part in item.outputs} & {part._id for part in other.outputs}
        assert not same, (item.targets, other.targets)
