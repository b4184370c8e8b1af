"""Pictures of the reference renderer in place of photographs, for a machine that has none.

Their light is computed and their materials are plain: what a metric learns from them is the order
of distortions, and nothing of photographs.
"""

from __future__ import annotations

from pathlib import Path
from threading import Event

from truehue.core.errors import BadInput
from truehue.core.fidelity.building.photographs import Photograph
from truehue.core.files import write_once
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import LIGHTS, OBJECTS
from truehue.core.generation.request import GenerationRequest
from truehue.core.images.load import encode_png
from truehue.core.prompts.draws import seeded_order
from truehue.core.prompts.parts import colors
from truehue.core.prompts.prompt import ObjectTarget, color_words

_MOST = 5_000


def rendered_photographs(
    folder: Path, count: int, size_px: int = 128, seed: int = 0
) -> list[Photograph]:
    """Renders ``count`` single objects into ``folder``, or those that are missing: in the names of
    colors of ISCC-NBS level 1, in a seeded order, under all lights in turn.

    Raises BadInput for a count that is not 1 to 5,000.
    """
    if not 1 <= count <= _MOST:
        raise BadInput(f"The renderer stands in for 1 to {_MOST:,} photographs, not {count:,}.")
    pairs = [(name, color) for name in OBJECTS for color in colors("l1")]
    order = seeded_order(len(pairs), f"fidelity/{seed}")
    renderer, lights = ReferenceRenderer(), list(LIGHTS)
    out = []
    for number in range(count):
        # Beyond the number of pairs they come again, seen from elsewhere.
        name, color = pairs[order[number % len(order)]]
        text = f"A photo of a {color_words(color)} {name}"
        path = folder / f"{seed}-{size_px}-{number:04d}.png"
        if not path.is_file():
            request = GenerationRequest(
                RENDERER,
                text,
                seed=seed + number,
                width=size_px,
                height=size_px,
                targets=(ObjectTarget(name, color),),
                options={"light": lights[number % len(lights)]},
            )
            image = renderer.draw([request], lambda report: None, Event())[0]
            write_once(path, encode_png(image.srgb8))
        out.append(Photograph(path.resolve(), text, "Others"))
    return out
