"""The images of a folder, and the folder that results go to."""

from __future__ import annotations

from pathlib import Path

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import why_of
from truehue.core.image_sets import SUFFIXES


def images_of(folder: Path) -> list[Path]:
    """The image files below a folder, by name, or the one file. Raises BadInput where there is
    none."""
    if folder.is_file():
        return [folder]
    if not folder.exists():
        raise BadInput(f"{folder} is not there.")
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    paths = [path for path in paths if path.is_file() and not path.name.startswith(".")]
    if not paths:
        raise BadInput(f"{folder} holds no images.")
    return paths


def make_out(folder: Path) -> None:
    """The folder of --out, before anything is computed. Raises DataFolderError where there can be
    none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataFolderError(
            f"The folder {folder} cannot be made: {why_of(error)}. Choose another --out."
        ) from error
