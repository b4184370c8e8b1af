from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]


def _modules_after(statement: str) -> set[str]:
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_folder_is_cheap() -> None:
    assert not {"duckdb", "PIL", "numpy"} & _modules_after("import storage")


def test_the_storage_needs_neither_page_nor_models() -> None:
    loaded = _modules_after("from truehue.storage import Storage")
    assert "duckdb" in loaded
    assert not {"gradio", "torch"} & loaded
