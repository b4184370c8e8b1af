"""Images that a segmenter has looked at, kept for the next click."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.errors import BadInput
from truehue.core.masks.grounded.records import Box

KEPT = 4


@dataclass(frozen=True)
class Embedding:
    """What a segmenter knows of one image.

    ``by`` is the segmenter's id, ``features`` its own tensors. ``frame`` is the size in pixels to
    which the image was resized for the encoder, where the segmenter needs it. ``autocast`` as in
    :func:`truehue.core.masks.grounded.transformers_loading.computing`.
    """

    by: str
    height: int
    width: int
    features: Any
    frame: tuple[int, int] = (0, 0)
    autocast: bool = False


class EmbeddingCache(LruCache[Embedding]):
    """The last few embeddings, by the image's name; by its content where it has none."""

    def __init__(self) -> None:
        super().__init__(KEPT)

    def of(
        self, srgb8: np.ndarray, name: str, autocast: bool, make: Callable[[], Embedding]
    ) -> Embedding:
        """The kept one of that name, precision and size, else what ``make`` gives, which is
        kept."""
        data = np.ascontiguousarray(srgb8).data
        key = (name or hashlib.blake2b(data, digest_size=16).hexdigest(), autocast)
        size = srgb8.shape[:2]
        return self.get(key, make, lambda kept: (kept.height, kept.width) == size)


def checked_image(srgb8: np.ndarray) -> np.ndarray:
    """The image as contiguous uint8 ``(H, W, 3)``; raises BadInput for anything else."""
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3 or not srgb8.size:
        raise BadInput(
            f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}. Open it with "
            "truehue.core.images.load."
        )
    return np.ascontiguousarray(srgb8)


def checked_embedding(embedding: Any, by: str) -> Embedding:
    """The embedding, if this segmenter made it; raises BadInput otherwise."""
    if not isinstance(embedding, Embedding) or embedding.by != by:
        whose = getattr(embedding, "by", type(embedding).__name__)
        raise BadInput(f"{by} was given an embedding of {whose}: embed the image again.")
    return embedding


def checked_boxes(boxes: Sequence[Box]) -> list[list[float]]:
    """Boxes as lists; raises BadInput for one whose corners are not in order."""
    for box in boxes:
        if len(box) != 4 or not np.all(np.isfinite(box)) or box[2] < box[0] or box[3] < box[1]:
            raise BadInput(f"A box is x0, y0, x1, y1 with x0 <= x1 and y0 <= y1, not {list(box)}.")
    return [[float(value) for value in box] for box in boxes]


def checked_points(
    embedding: Embedding,
    points: Sequence[tuple[float, float]],
    inside: Sequence[bool],
    box: Box | None,
) -> None:
    """Raises BadInput for points outside of the image, or with nothing to cut out."""
    if len(points) != len(inside):
        raise BadInput(f"{len(points)} points have {len(inside)} marks: each needs one.")
    if box is None and not any(inside):
        raise BadInput("Mark at least one point of the object, or draw a box around it.")
    for x, y in points:
        if not (0 <= x <= embedding.width and 0 <= y <= embedding.height):
            raise BadInput(
                f"The point ({x:g}, {y:g}) lies outside of the image of {embedding.width} x "
                f"{embedding.height}."
            )


def several_wanted(points: Sequence[tuple[float, float]], box: Box | None) -> bool:
    """Whether to ask for the segmenter's three candidates and take the best.

    One point alone may mean a part, the object or a group, which is what the three are for; more
    points or a box say which, and the single output is the better one then (predictor.py of both
    segment-anything and sam2, and the released benchmark code, which asks for one a box).
    """
    return box is None and len(points) == 1
