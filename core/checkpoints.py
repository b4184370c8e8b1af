"""Checkpoints of trainings and the lines beside them, as they lie after a kill or a copy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import replace_file


@contextmanager
def opened_checkpoint(path: Path) -> Iterator[tuple[Any, dict[str, str]]]:
    """A file of safetensors and what it says of itself.

    Raises BadInput, here and for what is read of it within the block, where it is torn, is of
    something else or lacks a part; a BadInput of the block stays as it is.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            yield file, dict(file.metadata() or {})
    except BadInput:
        raise
    except (SafetensorError, OSError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise BadInput(
            f"{path} is no whole checkpoint ({error!s:.200}). Put a copy back, or take it away: "
            "then the training begins anew."
        ) from error


def keep_steps(path: Path, step: int) -> None:
    """Takes from a file of lines about steps those after ``step``, which will be done again, those
    that a kill tore, and at step 0 all. Raises BadInput and DataFolderError for a file that cannot
    be read or written."""
    if not path.is_file():
        return
    try:
        content = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    kept = [line for line in content.splitlines() if step > 0 and 0 <= _step(line) <= step]
    text = "".join(f"{line}\n" for line in kept)
    if text != content:
        replace_file(path, text.encode())


def _step(line: str) -> int:
    """The step that a line is about; -1 where it is torn."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, TypeError, LookupError):
        return -1
