"""Tiny models that are written once for all processes of a run of tests."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def once(
    factory: pytest.TempPathFactory, name: str, write: Callable[[Path], object], file: str = ""
) -> Path:
    """What ``write`` makes of a folder of that name, or ``file`` in it. Not to be changed: whoever
    asks first writes it, and everybody reads it."""
    top = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each process has a folder of its own in the run's
        top = top.parent
    folder, making = top / "tiny" / name, top / "tiny" / f"{name}.making"
    folder.parent.mkdir(exist_ok=True)
    with (top / "tiny" / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.rmtree(making, ignore_errors=True)
            write(making / file)
            making.rename(folder)
    return folder / file


def vision(factory: pytest.TempPathFactory, name: str) -> Path:
    """The folder or the file of a tiny vision model: ``detector``, ``sam``, ``sam2``,
    ``sam2_video``, or a ``janus`` that answers Yes and No in one token each."""
    from tests.core.generation.tiny_janus import save_tiny_janus
    from tests.tiny_models import grounding

    if name == "sam":
        return once(factory, "vision-sam", grounding.sam_file, "tiny.pth")
    writers: dict[str, Callable[[Path], object]] = {
        "detector": grounding.detector,
        "sam2": grounding.sam2,
        "sam2_video": lambda folder: grounding.sam2(folder, video=True),
        "janus": lambda folder: save_tiny_janus(folder, terms=("Yes", "No")),
    }
    return once(factory, f"vision-{name}", writers[name])
