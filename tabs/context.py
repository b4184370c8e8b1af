"""What every tab is given: storage, settings, and a small memory of decoded images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.color.munsell import MunsellSamples

if TYPE_CHECKING:
    from storage.store import Storage

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Context:
    """Made once in app.py. ``data_label`` is the data folder as the user wrote it."""

    storage: Storage
    data_label: str
    munsell: MunsellSamples | None = None

    def __post_init__(self) -> None:
        # A mark on an image decodes it again and again: keep the last few (12 MB each at 2048).
        object.__setattr__(self, "_decoded", lru_cache(maxsize=8)(self.storage.images.srgb8))

    def srgb8(self, image_id: str) -> np.ndarray:
        """uint8 ``(H, W, 3)`` of a stored image, not to be written to; raises NotStored."""
        pixels: np.ndarray = self._decoded(image_id)  # type: ignore[attr-defined]
        return pixels

    def data_text(self) -> str:
        """The data folder and what is in it, for the header."""
        images = self.storage.images.count()
        verdicts = self.storage.evidence.count()
        return f"{self.data_label} · {_count(images, 'image')} · {_count(verdicts, 'verdict')}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
