"""One version, wherever it is stated."""

from __future__ import annotations

import tomllib
from pathlib import Path

from truehue.core.version import VERSION


def test_the_version_is_the_projects() -> None:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["version"] == VERSION
