"""Pictures drawn through the tab and the engine, for tests that begin with one."""

from __future__ import annotations

from tests.tabs.generate.forms import started
from truehue.core.records import ImageRecord
from truehue.tabs.generate.plan import OwnPrompt
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER


def drawn(
    context: Context,
    object_name: str,
    target: str,
    light: str = "studio",
    seed: int = 0,
    size_px: int = 128,
    failure: str = "none",
) -> ImageRecord:
    """A picture of one object, drawn by the renderer and stored."""
    controls = (["reference-renderer"], seed, 1, "", "", size_px, light, failure)
    job = started(context, OWNER, {"mode": "own"}, OwnPrompt("", object_name, target), *controls)
    state = context.engine.wait(job, 300)
    assert (state.status, state.problems) == ("done", ())
    (row,) = context.storage.drawings.recent(1)
    assert row.image_id is not None
    return context.storage.images.get(row.image_id)
