"""A mask with its maker: what every masker returns."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from PIL import Image


@dataclass(frozen=True)
class Mask:
    """Which pixels of an image belong to the object.

    ``pixels`` is bool ``(H, W)``, True inside. ``maker`` names the masker (``grabcut``, ``brush``,
    ``whole``, ``renderer``, ``file``) and ``parameters`` hold, as plain JSON, all that it needs to
    make the same mask again from the same image.
    """

    pixels: np.ndarray
    maker: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def area_px(self) -> int:
        """Number of pixels inside."""
        return int(np.count_nonzero(self.pixels))

    @property
    def area_percent(self) -> float:
        """Share of the image inside, 0 to 100."""
        return 100.0 * self.area_px / self.pixels.size if self.pixels.size else 0.0

    @property
    def content_sha256(self) -> str:
        """SHA-256 of size and pixels: equal masks have equal names, whoever made them."""
        height, width = self.pixels.shape
        packed = np.packbits(self.pixels.astype(bool)).tobytes()
        return hashlib.sha256(f"mask {height}x{width}\n".encode() + packed).hexdigest()

    def png(self) -> bytes:
        """The pixels as a PNG of one bit a pixel, white inside."""
        buffer = io.BytesIO()
        Image.fromarray(self.pixels).save(buffer, format="PNG")
        return buffer.getvalue()
