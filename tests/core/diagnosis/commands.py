"""Runs ``python -m truehue diagnose`` as a person does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]

# Small enough for a test: 2 objects, 1 light, every 20th color.
SLICE = (
    "--objects",
    "sphere,mug",
    "--lights",
    "overcast",
    "--every",
    "20",
    "--size",
    "96",
    "--rules",
    "paper,released",
    "--workers",
    "2",
)


def command(*arguments: str) -> dict[str, Any]:
    """What subprocess needs to run the command."""
    return {
        "args": [sys.executable, "-m", "core.diagnose", *arguments],
        "cwd": ROOT,
        "env": {**os.environ, "PYTHONIOENCODING": "utf-8"},
        "encoding": "utf-8",
    }


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command to its end."""
    return subprocess.run(**command(*arguments), capture_output=True, timeout=300, check=False)
