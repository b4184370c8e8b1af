"""Runs of two models, made once; every test takes them into a storage of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.run_samples import ingest_copied, sample_plan, sample_run
from truehue.core.runs.folder import RunFolder
from truehue.tabs.page.context import Context

PROMPTS, IMAGES = 12, 4


@pytest.fixture(scope="session")
def run_folders(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    """Finished runs of two models over the same prompts, four pictures each."""
    root: Path = tmp_path_factory.mktemp("runs")
    return [sample_run(root, sample_plan(name, PROMPTS, IMAGES)) for name in ("model-a", "model-b")]


@pytest.fixture
def runs(context: Context, run_folders: list[RunFolder]) -> list[str]:
    """The ids of those runs, in the context's storage."""
    return ingest_copied(context.storage, run_folders)
