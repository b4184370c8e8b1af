"""The tables that prompt sets are built from: CSV files that are verified when they are read."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

from core.errors import TrueHueError

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "prompts"


def read_rows(name: str, sha256: str) -> list[dict[str, str]]:
    """The rows of ``assets/prompts/<name>``, by the words of its header line.

    A prompt's id stands for its sentence only while the tables are the very same bytes. Raises
    TrueHueError when the file is missing or its SHA-256 is another.
    """
    path = FOLDER / name
    restore = f"Restore it with: git checkout -- assets/prompts/{name}"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrueHueError(
            f"A table of the prompts cannot be read from {path}. {restore}"
        ) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise TrueHueError(
            f"{path} was changed: its SHA-256 is another, so the ids of prompts would no longer "
            f"name the same sentences. {restore}"
        )
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"))))


def listed(cell: str) -> tuple[str, ...]:
    """The parts of a cell that holds a list: ``"stem; leaf"`` as ``("stem", "leaf")``."""
    return tuple(part for part in cell.split("; ") if part)
