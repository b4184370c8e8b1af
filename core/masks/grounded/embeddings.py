"""Segmenters that encode an image once, and a cache of embeddings for the next click."""

from __future__ import annotations

import gc
import hashlib
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.machine import Placement
from truehue.core.masks.grounded.records import Box, Segment
from truehue.core.masks.grounded.transformers_loading import applies
from truehue.core.masks.grounded.weights import VisionEntry

KEPT = 4
# Boxes cut out at once: each takes a float32 mask of the image's size on the device.
BOXES_AT_ONCE = 16


@dataclass(frozen=True)
class Embedding:
    """A segmenter's embedding of one image.

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


class EmbeddingCache:
    """The last few embeddings, by the image's name; by its content where it has none."""

    def __init__(self, limit: int = KEPT) -> None:
        self._most = limit
        self._saved: OrderedDict[tuple[str, bool], Embedding] = OrderedDict()

    def get(
        self, srgb8: np.ndarray, name: str, autocast: bool, make: Callable[[], Embedding]
    ) -> Embedding:
        """The kept one of that name, precision and size, else what ``make`` gives, which is
        kept."""
        data = np.ascontiguousarray(srgb8).data
        key = (name or hashlib.blake2b(data, digest_size=16).hexdigest(), autocast)
        embedding = self._saved.get(key)
        if embedding is None or (embedding.height, embedding.width) != srgb8.shape[:2]:
            embedding = make()
        self._saved[key] = embedding
        self._saved.move_to_end(key)
        while len(self._saved) > self._most:
            self._saved.popitem(last=False)
        return embedding

    def clear(self) -> None:
        """Forgets all of them."""
        self._saved.clear()

    @property
    def embeddings(self) -> tuple[Embedding, ...]:
        """Those that are kept, the last used last."""
        return tuple(self._saved.values())


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


class EmbeddingSegmenter(ABC):
    """A segmenter in memory (:class:`truehue.core.masks.grounded.records.Segmenter`) that embeds an
    image once and then cuts out of the embedding; a kind says how it does both."""

    def __init__(
        self, entry: VisionEntry, model: Any, placement: Placement, about: dict[str, Any]
    ) -> None:
        self._entry, self._model, self._at = entry, model, placement
        self._saved = EmbeddingCache()
        self.about = {
            "id": entry.id,
            "class": type(model).__name__,
            "device": placement.device,
            **about,
        }

    @property
    def placement(self) -> Placement:
        """Where its weights are."""
        return self._at

    @property
    def id(self) -> str:
        """Its id in the list of vision models."""
        return self._entry.id

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> Embedding:
        """The image's embedding, computed once and kept for the last few images.

        ``srgb8`` uint8 ``(H, W, 3)``. ``name`` is the image's id; without one the content names it.
        ``autocast`` as in :func:`truehue.core.masks.grounded.transformers_loading.computing`; boxes
        follow it.
        """
        image = checked_image(srgb8)
        autocast = applies(self._at.device, autocast)
        return self._saved.get(image, name, autocast, lambda: self._embedded(image, autocast))

    def from_boxes(self, embedding: Any, boxes: Sequence[Box]) -> tuple[Segment, ...]:
        """One segment a box, in order: the single output of the mask decoder."""
        image_embedding = checked_embedding(embedding, self.id)
        corners = checked_boxes(boxes)
        return tuple(
            segment
            for start in range(0, len(corners), BOXES_AT_ONCE)
            for segment in self._of_boxes(image_embedding, corners[start : start + BOXES_AT_ONCE])
        )

    def from_points(
        self,
        embedding: Any,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None = None,
    ) -> Segment:
        """The segment that has the points marked ``inside`` and has not the others.

        A single point without a box is ambiguous: then the best of three candidates by the model's
        own estimate, else its single output (``several_wanted``).
        """
        image_embedding = checked_embedding(embedding, self.id)
        checked_points(image_embedding, points, inside, box)
        masks, scores = self._of_points(image_embedding, points, inside, box)
        best = int(np.argmax(scores))
        return Segment(masks[best].astype(bool), float(scores[best]))

    def unload(self) -> None:
        """Drops weights and embeddings; safe to call twice."""
        self._model = None
        self._saved.clear()
        gc.collect()

    @abstractmethod
    def _embedded(self, image: np.ndarray, autocast: bool) -> Embedding:
        """The embedding of a checked image."""

    @abstractmethod
    def _of_boxes(self, embedding: Embedding, corners: list[list[float]]) -> list[Segment]:
        """A segment for each of a few boxes."""

    @abstractmethod
    def _of_points(
        self,
        embedding: Embedding,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The candidates, bool ``(C, H, W)``, and the model's estimates ``(C,)``."""

    def _loaded(self) -> Any:
        if self._model is None:
            raise TrueHueError(f"{self._entry.name} was unloaded; load it again to cut out.")
        return self._model
