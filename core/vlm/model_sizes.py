"""The sizes of vision-language models: language model and vision encoder, in billions of weights."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truehue.core.errors import BadInput

PATH = Path(__file__).resolve().parents[2] / "assets" / "vlm" / "model_sizes.csv"
GROUPS: Mapping[str, tuple[float, float]] = {
    "< 7B": (0.0, 6.5),
    "7B-8B": (6.5, 9.0),
    "10B-30B": (9.0, 30.0),
    "30B-70B": (30.0, 70.0),
    "> 70B": (70.0, float("inf")),
}
"""ColorBench's groups by the size of the language model: from, and below."""


@dataclass(frozen=True)
class ModelSize:
    """A model's parts in billions of weights; None where nobody says. ``names`` are parts of the
    names that it goes by, in lower case."""

    model: str
    family: str
    language_b: float | None
    vision_b: float | None
    language: str = ""
    vision: str = ""
    names: tuple[str, ...] = ()

    @property
    def total_b(self) -> float | None:
        """Both together."""
        if self.language_b is None or self.vision_b is None:
            return None
        return self.language_b + self.vision_b

    @property
    def group(self) -> str:
        """ColorBench's group of its size; empty where the size is not known."""
        size = self.language_b
        if size is None:
            return ""
        return next(name for name, (low, high) in GROUPS.items() if low <= size < high)


@cache
def published_sizes() -> tuple[ModelSize, ...]:
    """Those of the paper's open models, and of some newer ones. Raises BadInput for a broken
    file."""
    return read_sizes(PATH)


def read_sizes(path: Path) -> tuple[ModelSize, ...]:
    """Sizes of a CSV with the columns ``model``, ``family``, ``language_b`` and ``vision_b``; more
    names in ``names``, with semicolons. Raises BadInput, with the line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = {"model", "language_b", "vision_b"} - set(reader.fieldnames or ())
            if missing:
                raise BadInput(f"{path.name} has no column {', '.join(sorted(missing))}.")
            return tuple(_size(row, f"{path.name}, line {reader.line_num}") for row in reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read: {error}.") from error


def size_of(names: Iterable[str], own: Iterable[ModelSize] = ()) -> ModelSize | None:
    """The size of a model that goes by these names: one's ``own`` first; None for an unknown one.
    The longest name that fits decides: ``internvl2_5-1b`` is not InternVL2."""
    lowered = [name.lower() for name in names]
    for sizes in (tuple(own), published_sizes()):
        best: tuple[int, ModelSize] | None = None
        for size in sizes:
            for part in (size.model.lower(), *size.names):
                if any(part in name for name in lowered) and (best is None or len(part) > best[0]):
                    best = (len(part), size)
        if best is not None:
            return best[1]
    return None


def _size(row: Mapping[str, str], where: str) -> ModelSize:
    if not (row["model"] or "").strip():
        raise BadInput(f"{where} names no model.")
    names = (row.get("names") or "").lower().split(";")
    return ModelSize(
        model=row["model"].strip(),
        family=(row.get("family") or "").strip(),
        language_b=_billions(row["language_b"], where),
        vision_b=_billions(row["vision_b"], where),
        language=(row.get("language") or "").strip(),
        vision=(row.get("vision") or "").strip(),
        names=tuple(name.strip() for name in names if name.strip()),
    )


def _billions(text: str | None, where: str) -> float | None:
    if not (text or "").strip():
        return None
    try:
        value = float(str(text))
    except ValueError:
        value = -1.0
    if not 0 < value < 100_000:
        raise BadInput(f"{where}: {text!r:.40} is no size in billions of weights.")
    return value
