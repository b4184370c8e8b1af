"""The four color systems as published: files that are verified when they are read."""

from __future__ import annotations

import csv
import hashlib
import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.spaces import hex_of, srgb8_to_lab
from truehue.core.errors import BadInput, TrueHueError

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "color_systems"

SYSTEMS: dict[str, str] = {
    "css": "CSS Color Level 4",
    "l1": "ISCC-NBS level 1",
    "l2": "ISCC-NBS level 2",
    "l3": "ISCC-NBS level 3",
}

# File and SHA-256 of each system: a score is only comparable while these are the very same
# coordinates. Sources are in the folder's README.
FILES: dict[str, tuple[str, str]] = {
    "css": ("css.csv", "f7656546e87931eac48edfcd7cf462a5e62173f77600f213721642486d9e633d"),
    "l1": ("iscc_nbs_l1.csv", "e4cf5ec5db15877be1db2251e10f82dd80e75720879cbcc9551f96316afc289f"),
    "l2": ("iscc_nbs_l2.csv", "f5d37bfa929050ede8e6f349d55fae6f981f9db9fa062ff183b8f9630c3f1a14"),
    "l3": ("iscc_nbs_l3.csv", "105af8f73cdbcd76c6a984802bcd45ffd2c1559a47a29474491a8eb2c07962ea"),
}

Srgb8 = tuple[int, int, int]
Lab = tuple[float, float, float]


@dataclass(frozen=True)
class NamedColor:
    """One color of one system. ``id`` is the publisher's number; ``lab`` is D65, 2 degrees."""

    system: str
    id: int
    name: str
    srgb8: Srgb8
    lab: Lab

    @property
    def hex(self) -> str:
        """``"#E83B1B"``."""
        return hex_of(self.srgb8)


@dataclass(frozen=True, eq=False)
class ColorSystem:
    """A system's colors in the publisher's order; ``lab`` is float64 (N, 3), read-only, alike."""

    id: str
    name: str
    colors: tuple[NamedColor, ...]
    lab: NDArray[np.float64]


@cache
def system(system_id: str) -> ColorSystem:
    """The system called ``css``, ``l1``, ``l2`` or ``l3``.

    Raises BadInput for any other id, and TrueHueError when the file is missing or is not the
    published one, byte for byte.
    """
    if system_id not in SYSTEMS:
        raise BadInput(
            f'There is no color system "{system_id}". The systems are: '
            + ", ".join(f"{key} ({name})" for key, name in SYSTEMS.items())
            + "."
        )
    rows = list(csv.DictReader(io.StringIO(_verified(system_id).decode("utf-8"))))
    codes = np.array([[int(row[c]) for c in "rgb"] for row in rows], dtype=np.uint8)
    lab = np.array(srgb8_to_lab(codes), dtype=np.float64)
    lab.setflags(write=False)
    colors = tuple(
        NamedColor(
            system=system_id,
            id=int(row["id"]),
            name=row["name"],
            srgb8=(int(r), int(g), int(b)),
            lab=(float(point[0]), float(point[1]), float(point[2])),
        )
        for row, (r, g, b), point in zip(rows, codes, lab, strict=True)
    )
    return ColorSystem(system_id, SYSTEMS[system_id], colors, lab)


def _verified(system_id: str) -> bytes:
    """The bytes of a system's file, once their checksum is the published file's."""
    name, expected = FILES[system_id]
    path = FOLDER / name
    restore = "Restore it with: git checkout -- assets/color_systems"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrueHueError(f"{SYSTEMS[system_id]} cannot be read from {path}. {restore}") from error
    if hashlib.sha256(content).hexdigest() != expected:
        raise TrueHueError(
            f"{path} was changed: its SHA-256 is not that of {SYSTEMS[system_id]} as published, "
            f"so scores would not be comparable. {restore}"
        )
    return content
