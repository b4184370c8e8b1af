"""Tiny pipelines that are loaded once for all tests of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.generation.opening import open_model
from core.generation.registry import model
from core.generation.weights.sources import Sources
from tests.core.generation.conftest import Tiny


@pytest.fixture(scope="module")
def opened(tiny: Tiny, models_folder: Callable[..., Path]) -> Iterator[Callable[[str], Any]]:
    """Models by registry id ("any": Stable Diffusion by its folder), loaded once."""
    loaded: dict[str, Any] = {}

    def by_id(model_id: str) -> Any:
        if model_id not in loaded:
            if model_id == "any":
                loaded[model_id] = open_model(f"folder:{tiny('stable_diffusion')}")
            else:
                where = models_folder(model_id, model(model_id).base or model_id)
                loaded[model_id] = open_model(model_id, Sources(where))
        return loaded[model_id]

    yield by_id
    for one in loaded.values():
        one.unload()
