"""The images of a folder."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadInput
from core.image_sets.planning import SUFFIXES


def images_of(folder: Path) -> list[Path]:
    """The image files below a folder, by name, or the one file. Raises BadInput where there is
    none."""
    if folder.is_file():
        return [folder]
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    paths = [path for path in paths if path.is_file() and not path.name.startswith(".")]
    if not paths:
        raise BadInput(f"{folder} holds no images.")
    return paths
