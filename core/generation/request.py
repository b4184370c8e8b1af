"""Requests to generators and their results: the same records for every kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Protocol

import numpy as np

from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import ObjectTarget

MAX_SEED = 2**31 - 1


@dataclass(frozen=True)
class GenerationRequest:
    """One image asked of one model. None stands for the model's own default.

    ``model`` is an id of the registry, or ``hub:owner/name`` or ``folder:path`` of any diffusers
    pipeline. ``targets`` are the objects and colors that the prompt asks for; ``concept`` and
    ``modifier`` those of a prompt for a color concept ("mango", "rotten"), empty for all others. A
    model with weights reads only ``text``, the reference renderer only ``targets``, ``concept`` and
    ``modifier``. ``options`` holds what only one kind of model knows, as plain JSON (the renderer's
    ``light`` and ``failure``).
    """

    model: str
    text: str
    seed: int = 0
    steps: int | None = None
    guidance: float | None = None
    width: int | None = None
    height: int | None = None
    negative_text: str = ""
    prompt_id: str = ""
    targets: tuple[ObjectTarget, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    concept: str = ""
    modifier: str = ""


@dataclass(frozen=True)
class ObjectMask:
    """The exact pixels of one target, where the generator knows them: the target's position in
    ``GenerationRequest.targets``."""

    target: int
    mask: Mask


@dataclass(frozen=True)
class GeneratedImage:
    """One drawn image.

    ``srgb8`` uint8 ``(H, W, 3)``. ``origin`` is plain JSON with all that is needed to draw it
    again: model, source and revision, text, seed, steps, guidance, size, dtype, device and
    library versions. ``notes`` are sentences for people (a prompt that was cut, a stand-in shape).
    """

    srgb8: np.ndarray
    origin: Mapping[str, Any]
    masks: tuple[ObjectMask, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepReport:
    """Where a drawing stands after a step: ``step`` of ``steps`` (from 1), and a small preview,
    uint8 ``(h, w, 3)``, where one could be had."""

    step: int
    steps: int
    preview_srgb8: np.ndarray | None = None


OnStep = Callable[[StepReport], None]


class Cancelled(Exception):
    """Raised by a model whose ``stop`` was set: there is no image, and nothing is wrong."""


class LoadedModel(Protocol):
    """A model that is in memory and can draw. Only the engine's one thread calls it."""

    @property
    def memory_bytes(self) -> int:
        """The bytes that it holds on its device, weights included."""
        ...

    @property
    def batch_size(self) -> int:
        """How many requests of one batch it draws at once; 1 where batches are no faster."""
        ...

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        """Draws requests that differ in text, targets, concept and seed only, in their order.

        The same request gives the same pixels on the same machine, in whatever batch it stands.
        Looks at ``stop`` after every step and raises Cancelled once it is set. Raises BadInput for
        what it cannot draw.
        """
        ...

    def unload(self) -> None:
        """Gives its memory back; it cannot draw afterwards."""
        ...
