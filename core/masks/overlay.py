"""A picture that tells measured pixels from those that a rule left out."""

from __future__ import annotations

import io

import numpy as np


def unmeasured_overlay_png(mask: np.ndarray, measured: np.ndarray) -> bytes | None:
    """PNG that hatches what of ``mask`` was not measured, and dots what was measured outside of it.

    Both bool ``(H, W)``; transparent elsewhere, neutral colors only, so that nothing tints what is
    judged. None when exactly the mask was measured.
    """
    from PIL import Image

    left_out, added = mask & ~measured, measured & ~mask
    if not (left_out.any() or added.any()):
        return None
    height, width = mask.shape
    period = max(8, round(max(height, width) / 96))
    stripe = (np.arange(height)[:, None] + np.arange(width)[None, :]) % period < period // 2
    index = np.where(left_out, np.where(stripe, 1, 2), 0).astype(np.uint8)
    checks = (np.arange(height)[:, None] // 2 + np.arange(width)[None, :] // 2) % 2 == 0
    index[added & checks] = 1
    picture = Image.fromarray(index, mode="P")
    picture.putpalette([0, 0, 0, 255, 255, 255, 60, 60, 60])
    out = io.BytesIO()
    picture.save(out, format="PNG", transparency=bytes([0, 200, 200]), compress_level=3)
    return out.getvalue()
