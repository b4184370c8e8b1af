"""A picture that tells measured pixels from those that a rule left out."""

from __future__ import annotations

import io

import numpy as np


def unmeasured_overlay_png(
    mask: np.ndarray, measured: np.ndarray, negative: np.ndarray | None = None
) -> bytes | None:
    """PNG that hatches what of ``mask`` was not measured, and dots what was measured outside of it.

    ``negative`` are the parts that negative labels took away, hatched the other way and wider. All
    bool ``(H, W)``; transparent elsewhere, neutral colors only, so that nothing tints what is
    judged. None when exactly the mask was measured and nothing was taken away.
    """
    from PIL import Image

    left_out, added = mask & ~measured, measured & ~mask
    taken = np.zeros_like(mask) if negative is None else negative & ~mask
    if not (left_out.any() or added.any() or taken.any()):
        return None
    height, width = mask.shape
    period = max(8, round(max(height, width) / 96))
    row, column = np.arange(height)[:, None], np.arange(width)[None, :]
    stripe = (row + column) % period < period // 2
    index = np.where(left_out, np.where(stripe, 1, 2), 0).astype(np.uint8)
    other = (row - column) % (2 * period) < period // 2
    index[taken] = np.where(other, 1, 3)[taken]
    checks = (row // 2 + column // 2) % 2 == 0
    index[added & checks] = 1
    picture = Image.fromarray(index, mode="P")
    picture.putpalette([0, 0, 0, 255, 255, 255, 60, 60, 60, 60, 60, 60])
    out = io.BytesIO()
    picture.save(out, format="PNG", transparency=bytes([0, 200, 200, 110]), compress_level=3)
    return out.getvalue()
