"""The one list of generators, and one function that draws with any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import BadInput
from core.generation.renderer import RenderRequest, render
from core.masks.mask import Mask


@dataclass(frozen=True)
class ModelEntry:
    """A generator as people choose it.

    ``id`` never changes once images carry it. ``needs`` says which weights or files must be there
    before it can draw; it is empty for what works on a fresh machine.
    """

    id: str
    name: str
    license: str
    needs: tuple[str, ...]
    note: str


MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        id="reference-renderer",
        name="Reference renderer (no weights)",
        license="Apache-2.0",
        needs=(),
        note="Shaded objects of exactly known color with exact masks, for trying and testing.",
    ),
)


@dataclass(frozen=True)
class GenerationRequest:
    """One image asked of one generator. ``light`` is a name; ``size_px`` is the side."""

    model_id: str
    object_name: str
    color_srgb8: tuple[int, int, int]
    light: str = "studio"
    seed: int = 0
    size_px: int = 1024


@dataclass(frozen=True)
class GeneratedImage:
    """What came of a request.

    ``srgb8`` uint8 ``(H, W, 3)``. ``mask`` is None where the generator does not know which pixels
    are the object. ``origin`` is plain JSON with all that is needed to draw the image again.
    """

    srgb8: np.ndarray
    mask: Mask | None
    origin: dict[str, Any]


def model(model_id: str) -> ModelEntry:
    """The entry of that id; raises BadInput, naming the known ids, when there is none."""
    for entry in MODELS:
        if entry.id == model_id:
            return entry
    known = ", ".join(entry.id for entry in MODELS)
    raise BadInput(f"There is no generator {model_id!r}. Choose one of: {known}.")


def generate(request: GenerationRequest) -> GeneratedImage:
    """Draws one image; raises BadInput for what the generator cannot draw."""
    return _DRAW[model(request.model_id).id](request)


def _render(request: GenerationRequest) -> GeneratedImage:
    wanted = RenderRequest(
        object_name=request.object_name,
        albedo_srgb8=request.color_srgb8,
        light=request.light,
        seed=request.seed,
        size_px=request.size_px,
    )
    drawn = render(wanted)
    origin = {"model_id": request.model_id, **wanted.as_json()}
    return GeneratedImage(srgb8=drawn.srgb8, mask=drawn.mask, origin=origin)


_DRAW: dict[str, Callable[[GenerationRequest], GeneratedImage]] = {"reference-renderer": _render}
