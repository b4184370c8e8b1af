"""Inputs and outputs of detectors, segmenters and presence models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from truehue.core.images.pixels import Mask

Box = tuple[float, float, float, float]
"""``(x0, y0, x1, y1)`` in image pixels, origin at the top left corner of the image."""

Answer = Literal["yes", "no", "unknown"]


@dataclass(frozen=True)
class Detection:
    """One box that a detector found for ``label``; ``score`` is its confidence, 0 to 1."""

    label: str
    box: Box
    score: float


@dataclass(frozen=True)
class Segment:
    """One cut-out: bool ``(H, W)``, and the segmenter's own estimate of its quality, 0 to 1."""

    pixels: np.ndarray
    score: float


@dataclass(frozen=True)
class Negative:
    """The outcome for one negative label.

    ``detections`` are its boxes, ``pixels`` bool ``(H, W)`` what was taken from the object (all
    False where nothing was). ``reason`` says why nothing was taken, and is empty where it was.
    """

    label: str
    detections: tuple[Detection, ...]
    pixels: np.ndarray
    reason: str = ""


@dataclass(frozen=True)
class Presence:
    """A yes/no answer to "is there a NAME in the image?", with the question as it was put.

    ``text`` is what the model said; ``yes_percent`` its probability of yes against no, 0 to 100,
    None where the model gives none. ``by`` is the model's id, or ``person`` for an override.
    """

    object_name: str
    answer: Answer
    question: str
    text: str = ""
    yes_percent: float | None = None
    by: str = ""


@dataclass(frozen=True)
class PresenceQuestion:
    """How a presence model is asked: in the ``wording`` of the ``paper`` or of the ``released``
    code, which quotes ``prompt_text``, what the image was generated from, where it is known.

    ``autocast`` as in :func:`truehue.core.masks.grounded.transformers_loading.computing`.
    """

    wording: Literal["paper", "released"] = "paper"
    prompt_text: str = ""
    autocast: bool = False


PAPER_QUESTION = PresenceQuestion()


@dataclass(frozen=True)
class Grounded:
    """An automatic mask with every step that led to it.

    ``mask`` is the result, its ``parameters`` plain JSON with detector, segmenter, variant, boxes,
    scores and negatives. ``detections`` and ``segments`` are those of the object, in one order;
    ``before_negatives`` bool ``(H, W)`` their union. ``notes`` say what was undone or left out.
    """

    mask: Mask
    detections: tuple[Detection, ...]
    segments: tuple[Segment, ...]
    before_negatives: np.ndarray
    negatives: tuple[Negative, ...] = ()
    notes: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)


class Tool(Protocol):
    """A model in memory that answers questions about images; only one thread calls it."""

    @property
    def id(self) -> str:
        """Its id in the registry of vision models."""
        ...

    @property
    def memory_bytes(self) -> int:
        """What it holds on its device."""
        ...

    def unload(self) -> None:
        """Gives its memory back; safe to call twice."""
        ...


class Detector(Tool, Protocol):
    """Finds boxes by words."""

    def detect(
        self,
        srgb8: np.ndarray,
        labels: Sequence[str],
        box_threshold: float,
        text_threshold: float,
        autocast: bool = False,
    ) -> tuple[Detection, ...]:
        """Boxes of each label (one query a label, batched), best first within a label.

        ``srgb8`` uint8 ``(H, W, 3)``; thresholds 0 to 1; ``autocast`` as in
        :func:`truehue.core.masks.grounded.transformers_loading.computing`. One of fixed names raises
        UnknownName where it knows none of the labels, and finds nothing for the others.
        """
        ...


class Segmenter(Tool, Protocol):
    """Cuts out what a box or points show."""

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> Any:
        """The embedding of uint8 sRGB ``(H, W, 3)``, computed once; ``name`` (the image's id) finds
        a kept one. Boxes are cut out in the precision of their embedding."""
        ...

    def from_boxes(self, embedding: Any, boxes: Sequence[Box]) -> tuple[Segment, ...]:
        """One segment a box, in order."""
        ...

    def from_points(
        self,
        embedding: Any,
        points: Sequence[tuple[float, float]],
        inside: Sequence[bool],
        box: Box | None = None,
    ) -> Segment:
        """The segment that has the points marked ``inside`` and has not the others."""
        ...


class PresenceModel(Tool, Protocol):
    """Answers whether objects are in an image."""

    def ask(
        self,
        srgb8: np.ndarray,
        object_names: Sequence[str],
        form: PresenceQuestion = PAPER_QUESTION,
    ) -> tuple[Presence, ...]:
        """One answer an object, in one batch; ``srgb8`` uint8 ``(H, W, 3)``."""
        ...
