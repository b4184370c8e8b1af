"""The reference renderer: shaded objects of known albedo with exact masks, no weights needed.

``render`` renders one of :data:`OBJECTS` under one of :data:`LIGHTS`. Light is linear; every pixel
is ``shade × albedo + highlight`` with achromatic shade and highlight, brought into the light's
illuminant, clipped to 0..1, encoded as sRGB (IEC 61966-2-1) and rounded to 8 bits. The light's
exposure is fixed and part of both maps.
``render_scene`` renders several of them side by side, each with its own color and mask.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from truehue.core.color.spaces import srgb8_to_linear1
from truehue.core.generation.renderer.checks import (
    LARGEST_PX,
    RENDERER_VERSION,
    SMALLEST_PX,
    check_color,
    check_object,
    check_size_and_seed,
    checked_light,
    develop,
)
from truehue.core.generation.renderer.failures import FAILURES
from truehue.core.generation.renderer.illuminants import D65
from truehue.core.generation.renderer.light import LIGHTS, TINTED_LIGHTS, Light
from truehue.core.generation.renderer.objects import OBJECTS
from truehue.core.generation.renderer.scenes import (
    MAX_OBJECTS,
    SceneObject,
    SceneRendering,
    SceneRequest,
    render_scene,
)
from truehue.core.generation.renderer.trace import GBuffer, gbuffer
from truehue.core.images.load import encode_png
from truehue.core.images.pixels import Mask

__all__ = [
    "FAILURES",
    "LARGEST_PX",
    "LIGHTS",
    "MAX_OBJECTS",
    "OBJECTS",
    "RENDERER_VERSION",
    "SMALLEST_PX",
    "TINTED_LIGHTS",
    "GBuffer",
    "Light",
    "RenderRequest",
    "Rendering",
    "SceneObject",
    "SceneRendering",
    "SceneRequest",
    "gbuffer",
    "render",
    "render_scene",
]


@dataclass(frozen=True)
class RenderRequest:
    """What to draw: the asked material's albedo is given as the sRGB color it has in full light.

    ``light`` is a name of :data:`LIGHTS` or :data:`TINTED_LIGHTS`, or a light of one's own; ``seed``
    chooses viewpoint, turn, light direction and backdrop; the image is a square of ``size_px``. A
    ``metal`` mirrors its surroundings in its color.
    """

    object_name: str
    albedo_srgb8: tuple[int, int, int]
    light: str | Light = "studio"
    seed: int = 0
    size_px: int = 1024
    metal: bool = False

    def as_json(self) -> dict[str, Any]:
        """All of it as plain JSON, with the renderer's version."""
        return {
            "renderer_version": RENDERER_VERSION,
            "object_name": self.object_name,
            "albedo_srgb8": [int(v) for v in self.albedo_srgb8],
            "light": self.light if isinstance(self.light, str) else asdict(self.light),
            "seed": int(self.seed),
            "size_px": int(self.size_px),
            **({"metal": True} if self.metal else {}),
        }


@dataclass(frozen=True)
class Rendering:
    """An image with what is known about it.

    ``srgb8`` uint8 ``(H, W, 3)``. ``mask`` is True where every sample of the pixel belongs to the
    asked material. ``shade`` and ``highlight``, float32 ``(H, W)``, read-only: linear light is
    ``shade × albedo + highlight`` in every pixel, as under D65. Inside the mask the highlight is the mirror
    reflection of the light; outside it holds all that is not the asked material.
    """

    srgb8: np.ndarray = field(repr=False)
    mask: Mask = field(repr=False)
    shade: np.ndarray = field(repr=False)
    highlight: np.ndarray = field(repr=False)
    request: RenderRequest

    def _repr_png_(self) -> bytes:
        """The image, for a notebook."""
        return encode_png(self.srgb8)


def render(request: RenderRequest) -> Rendering:
    """Draws the image; the same request gives the same bytes.

    Raises BadInput for an unknown object or light, an albedo outside 0..255, a size outside
    64..2048 or a seed below 0.
    """
    light = _checked(request)
    size, seed = int(request.size_px), int(request.seed)
    buffer = gbuffer(request.object_name, light, seed, size, request.metal)
    albedo_linear1 = srgb8_to_linear1(np.array(request.albedo_srgb8)).astype(np.float32)
    # In a tinted light nothing is gray.
    touched = buffer.touched if light.illuminant == D65 else np.arange(buffer.shade.size)
    srgb8 = np.repeat(buffer.rest_srgb8[:, :, None], 3, axis=2)
    shade, added = buffer.shade.take(touched), buffer.added.take(touched)
    pixels = develop(shade[:, None] * albedo_linear1 + added[:, None], light)
    srgb8.reshape(-1, 3)[touched] = pixels
    return Rendering(
        srgb8=srgb8,
        mask=Mask(buffer.mask, maker="renderer", parameters=request.as_json()),
        shade=buffer.shade,
        highlight=buffer.added,
        request=request,
    )


def _checked(request: RenderRequest) -> Light:
    """The light of a request that can be drawn; raises BadInput otherwise."""
    check_object(request.object_name)
    light = checked_light(request.light)
    check_color(request.albedo_srgb8)
    check_size_and_seed(request.size_px, request.seed)
    return light
