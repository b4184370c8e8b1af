"""Tiny pipelines that are loaded once for all tests of a process."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.generation.conftest import Tiny
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import model
from truehue.core.generation.weights.sources import Sources


@pytest.fixture(scope="session")
def opened(tiny: Tiny, models_folder: Callable[..., Path]) -> Callable[[str], Any]:
    """Models by registry id ("any": Stable Diffusion by its folder), loaded once. A test leaves
    them as they were."""
    loaded: dict[str, Any] = {}

    def by_id(model_id: str) -> Any:
        if model_id not in loaded:
            if model_id == "any":
                loaded[model_id] = open_model(f"folder:{tiny('stable_diffusion')}")
            else:
                location = models_folder(model_id, model(model_id).base or model_id)
                loaded[model_id] = open_model(model_id, Sources(location))
            gc.freeze()  # Nobody looks for garbage among libraries and these models.
        return loaded[model_id]

    # Nothing is unloaded: the process ends soon, and each unloading collects garbage.
    return by_id
