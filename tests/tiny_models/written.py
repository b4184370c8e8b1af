"""Tiny models that are written once for all processes of a run of tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.once import once


def written(name: str, write: Callable[[Path], object], file: str = "") -> Path:
    """What ``write`` makes of a folder of that name, or of ``file`` in it. Not to be changed."""
    within = file or name
    return once(("tiny", name), lambda folder: write(folder / within)) / within


def vision(name: str) -> Path:
    """The folder or the file of a tiny vision model: ``detector``, ``sam``, ``sam2``,
    ``sam2_video``, or a ``janus`` that answers Yes and No in one token each."""
    from tests.core.generation.tiny_janus import save_tiny_janus
    from tests.tiny_models import grounding

    if name == "sam":
        return written("vision-sam", grounding.sam_file, "tiny.pth")
    writers: dict[str, Callable[[Path], object]] = {
        "detector": grounding.detector,
        "sam2": grounding.sam2,
        "sam2_video": lambda folder: grounding.sam2(folder, video=True),
        "janus": lambda folder: save_tiny_janus(folder, terms=("Yes", "No")),
    }
    return written(f"vision-{name}", writers[name])
