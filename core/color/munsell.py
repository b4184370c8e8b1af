"""Munsell samples by ISCC-NBS category, an optional import of the released rule.

The released code accepts every Munsell sample of the asked category. That file is not public with
a license that lets us ship it, so whoever has it points at it. Without it the released rule
accepts the nominal color alone, and every verdict says which of the two it was.
"""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.color.spaces import srgb8_to_lab
from core.errors import BadInput

COLUMNS = ("R", "G", "B", "Level1", "Level2", "Level3")


@dataclass(frozen=True)
class MunsellSamples:
    """``lab`` float64 ``(N, 3)``; ``levels`` int ``(N, 3)``: category ids at levels 1, 2, 3.

    ``sha256`` names the samples, so that evidence says which ones a verdict accepted.
    """

    lab: np.ndarray
    levels: np.ndarray
    source: str
    sha256: str

    def of(self, system: str, category_id: int) -> np.ndarray:
        """Lab ``(M, 3)`` of the samples of one category; ``system`` is l1, l2 or l3."""
        column = ("l1", "l2", "l3").index(system)
        return np.asarray(self.lab[self.levels[:, column] == category_id])


def load_munsell(path: str | Path) -> MunsellSamples:
    """Reads a CSV with the columns R, G, B (0 to 255), Level1, Level2, Level3 (category ids).

    Raises BadInput naming the line that cannot be read.
    """
    path = Path(path)
    rows: list[list[int]] = []
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
    return MunsellSamples(srgb8_to_lab(table[:, :3]), table[:, 3:], path.name, digest)


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
