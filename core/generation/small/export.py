"""The small model as a folder for others: pipeline, held-out pairs and checksums, whole or not at
all."""

from __future__ import annotations

import csv
import hashlib
import shutil
from pathlib import Path

from truehue.core.checkpoints import whole_weights
from truehue.core.errors import BadInput
from truehue.core.generation.small.captions import held_out_pairs
from truehue.core.generation.small.training import ABOUT, Training

CHECKSUMS, HELD_OUT = "SHA256SUMS", "held_out.csv"
_README = "README.md"
"""Written by people: it stays, and is in no checksum."""


def check_place(folder: Path) -> None:
    """Raises BadInput for a folder that holds something else than an exported small model."""
    if not folder.exists():
        return
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / ABOUT).is_file()):
        raise BadInput(f"{folder} holds something else than a small model: choose another folder.")


def write_model(training: Training, folder: Path) -> None:
    """The model as it is to a folder that others load; one that is there is replaced, but for its
    README. Raises BadInput for a folder that holds something else, DataFolderError."""
    check_place(folder)
    with whole_weights(folder) as half:
        training.export(half)
        _write_held_out(half / HELD_OUT, training.settings.held_out)
        _write_checksums(half)
        if (folder / _README).is_file():
            shutil.copy2(folder / _README, half)


def _write_held_out(path: Path, share: float) -> None:
    """The held-out pairs of a color and an object."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("color", "object"))
        writer.writerows(held_out_pairs(share))


def _write_checksums(folder: Path) -> None:
    """The SHA-256 of every file of the model, which sha256sum reads."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
