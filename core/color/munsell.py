"""Munsell samples by ISCC-NBS category, which the released code accepts beside the target color.

Their file is not public; users who have it can name its path. Without it the rule ``released``
accepts the nominal color alone, and every verdict states which of the two applied. The rule
``released-munsell`` accepts samples of our own reconstruction (``assets/munsell``).
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import ISCC_NBS
from truehue.core.errors import BadInput, TrueHueError

COLUMNS = ("R", "G", "B", "Level1", "Level2", "Level3")
RECONSTRUCTED = Path(__file__).resolve().parents[2] / "assets" / "munsell" / "reconstructed.csv"
RECONSTRUCTED_SHA256 = "ee8ba181420f5cad81c26c14a258ddcaa78953d04f7c6c629ad789d4f6a8bf2d"


@dataclass(frozen=True)
class MunsellSamples:
    """``lab`` float64 ``(N, 3)``; ``levels`` int ``(N, 3)``: category ids at levels 1, 2, 3.

    ``sha256`` names the samples, so that evidence says which ones a verdict accepted. ``names`` are
    the notations, where the file has them, else empty.
    """

    lab: np.ndarray
    levels: np.ndarray
    source: str
    sha256: str
    names: tuple[str, ...] = ()

    def indices(self, system: str, category_id: int) -> np.ndarray:
        """Where the samples of one category stand, int64 ``(M,)``; ``system`` is l1, l2 or l3."""
        return np.flatnonzero(self.levels[:, ISCC_NBS.index(system)] == category_id)

    def of(self, system: str, category_id: int) -> np.ndarray:
        """Lab ``(M, 3)`` of the samples of one category; ``system`` is l1, l2 or l3."""
        return np.asarray(self.lab[self.indices(system, category_id)])


@cache
def reconstructed() -> MunsellSamples:
    """Our reconstruction of the samples; ``assets/munsell/README.md`` says how it was made.

    Raises TrueHueError when the file is missing or not the very one.
    """
    restore = "Restore it with: git checkout -- assets/munsell"
    try:
        digest = hashlib.sha256(RECONSTRUCTED.read_bytes()).hexdigest()
    except OSError as error:
        raise TrueHueError(f"{RECONSTRUCTED} cannot be read. {restore}") from error
    if digest != RECONSTRUCTED_SHA256:
        raise TrueHueError(f"{RECONSTRUCTED} was changed: its SHA-256 is another. {restore}")
    return load_munsell(RECONSTRUCTED)


def load_munsell(path: str | Path) -> MunsellSamples:
    """Reads a CSV with the columns R, G, B (0 to 255), Level1, Level2, Level3 (category ids), and
    Munsell (the notation) if it is there.

    Raises BadInput naming the line that cannot be read.
    """
    path = Path(path)
    rows: list[list[int]] = []
    names: list[str] = []
    line = 1
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
            if missing:
                raise BadInput(
                    f"{path.name} lacks the columns {', '.join(missing)}. "
                    f"Munsell samples want {', '.join(COLUMNS)}."
                )
            for row in reader:
                line = reader.line_num
                rows.append([_whole(row[name], name) for name in COLUMNS])
                names.append((row.get("Munsell") or "").strip()[:40])
    except OSError as error:
        raise BadInput(f"Cannot read the Munsell samples {path}: {error.strerror}.") from error
    except BadInput:
        raise
    except (ValueError, csv.Error) as error:
        raise BadInput(f"{path.name}, line {line}: {error}.") from error
    if not rows:
        raise BadInput(f"{path.name} holds no samples.")
    table = np.array(rows)
    digest = hashlib.sha256(table.astype("<i8").tobytes()).hexdigest()
    named = tuple(names) if all(names) else ()
    return MunsellSamples(srgb8_to_lab(table[:, :3]), table[:, 3:], path.name, digest, named)


def _whole(text: str | None, name: str) -> int:
    """A whole number as text, "12" or "12.0"; ValueError says what it is instead."""
    try:
        number = float(text or "")
    except ValueError:
        number = float("nan")
    if not number.is_integer():  # also refuses inf and nan
        raise ValueError(f'{name} is "{(text or "")[:40]}", not a whole number')
    if name in "RGB" and not 0 <= number <= 255:
        raise ValueError(f"{name} is {number:g}, not between 0 and 255")
    return int(number)
