"""What the tabs are given: one engine that draws, and calls the tools of grounded masks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.core.generation.tiny_janus import save_tiny_janus
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.tools import tool_id
from truehue.storage.store import Storage
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.weights

WAIT_S = 300


def test_tools_are_called_by_their_ids(tmp_path: Path) -> None:
    save_tiny_janus(tmp_path / "models" / "janus-pro-1b")
    sources = Sources(models_folder=tmp_path / "models", hub_cache=tmp_path / "empty")
    stored = np.full((30, 40, 3), 90, np.uint8)
    with Storage.open(tmp_path / "data") as storage:
        context = make_context(storage, "data", sources=sources)
        try:
            call = context.engine.call("janus-pro-1b", lambda tool: tool.ask(stored, ["mug"]))
            (answer,) = call.result(WAIT_S)
            assert answer.question == "Is there a mug in the image? Answer yes or no."
            assert answer.by == "janus-pro-1b"
            assert [name for name, _ in context.engine.loaded()] == ["janus-pro-1b"]
            folder = tool_id(f"folder:{tmp_path / 'models' / 'janus-pro-1b'}", "presence")
            (other,) = context.engine.call(folder, lambda tool: tool.ask(stored, ["mug"])).result(
                WAIT_S
            )
            assert (other.text, other.yes_percent) == (answer.text, answer.yes_percent)
            with pytest.raises(ModelMissing, match="GroundingDINO tiny"):
                context.engine.call("grounding-dino-tiny", lambda tool: tool.id).result(WAIT_S)
        finally:
            context.close()
