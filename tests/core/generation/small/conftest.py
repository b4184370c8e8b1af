"""One bank of small scenes, rendered once a session, and settings that train in seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

from truehue.core.generation.small.scenes import SceneBank, render_scenes
from truehue.core.generation.small.settings import SceneSettings, Settings

SMALL = SceneSettings(size_px=32, single_seeds=1, pair_seeds=0, lights=("even",))
TINY = Settings(
    size_px=32,
    text_width=32,
    text_layers=1,
    text_steps=6,
    text_batch=4,
    width=32,
    heads=2,
    layers=1,
    batch=4,
    warmup=4,
    mix={"l1": 0.8, "hex": 0.2},
)


@pytest.fixture(scope="session")
def bank(tmp_path_factory: pytest.TempPathFactory) -> SceneBank:
    """Every shape once, at 32 pixels."""
    return render_scenes(tmp_path_factory.mktemp("scenes"), SMALL)


@pytest.fixture(scope="session")
def bank_folder(bank: SceneBank) -> Path:
    """Where that bank lies."""
    return Path(str(bank.planes.filename)).parent
