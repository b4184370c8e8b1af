"""Checkpoints of trainings and the log lines beside them, valid after a kill or a copy."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from truehue.core.batch.locks import hold_lock
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import file_problem, replace_file, whole_folder

LOCK = ".training.lock"


@contextmanager
def run_folder(folder: Path) -> Iterator[None]:
    """Holds the folder of a training, made where it is not there, for this process alone.

    Raises InUse where another process trains in it, DataFolderError where it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be made: {file_problem(error)}.") from error
    with hold_lock(
        folder / LOCK, f"Another process trains in {folder}: give this one another --run."
    ):
        yield


def write_checkpoint(path: Path, tensors: Mapping[str, Any], about: Mapping[str, str]) -> None:
    """A file of safetensors with what it says of itself. It appears whole or not at all; what
    stands there stays until then. Raises DataFolderError, as on a full disk."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    half = path.with_name(f".{path.name}.part")
    try:
        save_file({name: t.contiguous() for name, t in tensors.items()}, half, dict(about))
        with half.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(half, path)
    except (OSError, SafetensorError) as error:
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)


@contextmanager
def whole_weights(folder: Path) -> Iterator[Path]:
    """:func:`truehue.core.files.whole_folder` for weights, whose own errors of writing are said,
    too."""
    from safetensors import SafetensorError

    with whole_folder(folder) as half:
        try:
            yield half
        except SafetensorError as error:
            raise OSError(str(error)) from error


def add_line(path: Path, fields: Mapping[str, Any]) -> None:
    """Adds a JSON object as a line. Raises DataFolderError."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(dict(fields)) + "\n")
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {file_problem(error)}.") from error


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
            f"{path} is no whole checkpoint ({error!s:.200}). Put a copy back, or remove it: "
            "then the training starts from the beginning."
        ) from error


def save_steps(path: Path, step: int) -> None:
    """Takes from a file of lines about steps those after ``step``, which will be done again, those
    that a kill tore, and at step 0 all. Raises BadInput and DataFolderError for a file that cannot
    be read or written."""
    if not path.is_file():
        return
    try:
        content = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    splitlines = [line for line in content.splitlines() if step > 0 and 0 <= _step(line) <= step]
    text = "".join(f"{line}\n" for line in splitlines)
    if text != content:
        replace_file(path, text.encode())


def _step(line: str) -> int:
    """The step that a line is about; -1 where it is torn."""
    try:
        return int(json.loads(line)["step"])
    except (ValueError, TypeError, LookupError):
        return -1
