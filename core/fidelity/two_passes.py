"""CFR in two passes: generate, map the image, generate again from the same noise with the map.

The paper's figure 8 supports this reading; the paper states neither the passes nor the source of
the map.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.generation.request import GeneratedImage, GenerationRequest, LoadedModel, OnStep
from truehue.core.images.load import load_image
from truehue.core.refinement.settings import (
    FIRST_PASS_WORDS,
    MAX_CELLS,
    Refinement,
    cell_means,
    discrepancy_of,
    rows_of,
    saturation_map,
)

MapOf = Callable[[np.ndarray], np.ndarray]
"""An image, uint8 ``(H, W, 3)``, to float ``(h, w)`` in [0, 1], sides at most MAX_CELLS."""


@dataclass(frozen=True)
class TwoPasses:
    """The image without CFR, the one with it, and what was asked between them."""

    before: GeneratedImage
    after: GeneratedImage
    refinement: Refinement


def generate_twice(
    loaded: LoadedModel,
    request: GenerationRequest,
    refinement: Refinement,
    on_step: OnStep,
    stop: Event,
    map_of: MapOf = saturation_map,
    source: str = FIRST_PASS_WORDS,
) -> TwoPasses:
    """Draws ``request`` without CFR and with it.

    ``refinement`` as it is asked for: where it has no map of its own, ``map_of`` makes one from the
    first image, which ``source`` names. A map of 64 cells a side is finer than the latents of 512
    pixels, and is what the second image's origin keeps. Raises what ``draw`` raises, and BadInput
    for a request that asks for a refinement itself.
    """
    if request.options.get("cfr") is not None:
        raise BadInput(
            "The first of two passes is generated without CFR: leave it out of the request."
        )
    before = loaded.draw([request], on_step, stop)[0]
    if refinement.reads_prediction or refinement.needs_first_pass:
        discrepancy = discrepancy_of(rows_of(map_of(before.srgb8)))
        refinement = replace(refinement, discrepancy=discrepancy, source=source)
    again = replace(request, options={**request.options, "cfr": refinement.to_json()})
    return TwoPasses(before, loaded.draw([again], on_step, stop)[0], refinement)


def painted_map(path: Path) -> np.ndarray:
    """A map from an image file: black leaves guidance, white turns it down most.

    Linear in the file's gray level (the mean of its channels), area means where it has more than
    MAX_CELLS a side. Returns float64 ``(h, w)`` in [0, 1]; raises ImageError for what is no image.
    """
    gray = load_image(path).srgb8.mean(axis=2) / 255
    height, width = gray.shape
    scale = min(1.0, MAX_CELLS / max(height, width))
    return cell_means(gray, (max(1, round(height * scale)), max(1, round(width * scale))))
