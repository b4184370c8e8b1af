"""Drawing with the reference renderer by object and color, as the Generate tab does today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import BadInput
from core.generation.renderer import RenderRequest, render
from core.masks.mask import Mask


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


def generate(request: GenerationRequest) -> GeneratedImage:
    """Draws one image; raises BadInput for what the renderer cannot draw and for other models."""
    if request.model_id != "reference-renderer":
        raise BadInput(
            f"{request.model_id!r} does not draw by object and color: choose reference-renderer."
        )
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
