"""A small picture that shows which pixels count."""

from __future__ import annotations

import io

import numpy as np

OUTSIDE_ALPHA = 40
"""Of 255: how much is left of what does not count, over whatever lies below."""


def cutout_png(srgb8: np.ndarray, mask: np.ndarray, most_px: int) -> bytes:
    """PNG of the picture, its longer side at most ``most_px``, faded where ``mask`` is False.

    ``srgb8`` uint8 ``(H, W, 3)``, ``mask`` bool ``(H, W)``.
    """
    from PIL import Image

    picture = Image.fromarray(srgb8)
    alpha = Image.fromarray(np.where(mask, 255, OUTSIDE_ALPHA).astype(np.uint8))
    # Apart from each other: together, a resize would weigh colors by their alpha.
    for layer in (picture, alpha):
        layer.thumbnail((most_px, most_px), Image.Resampling.LANCZOS)
    picture.putalpha(alpha)
    out = io.BytesIO()
    picture.save(out, format="PNG")
    return out.getvalue()
