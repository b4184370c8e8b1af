"""Groups of known order: pictures of the renderer and made photographs, more and more vivid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from tests.core.photographs import object_photograph
from truehue.core.fidelity.building import DISTORTIONS, SCALES
from truehue.core.fidelity.groups import Group
from truehue.core.generation.renderer import OBJECTS, RenderRequest, render

SIZE_PX = 112


def vivid_groups(folder: Path, count: int, seed: int = 0) -> list[Group]:
    """``count`` groups of seven files in ``folder``, by saturation and by contrast in turn; every
    fifth photograph is a rendering."""
    chance = np.random.default_rng(seed)
    groups = []
    for number in range(count):
        if number % 5:
            photograph = object_photograph(SIZE_PX, seed=1000 * seed + number)[0]
            # Another hue and brightness each, or one picture would stand for all.
            photograph = np.roll(photograph, int(chance.integers(3)), axis=2)
            photograph = (photograph * chance.uniform(0.6, 1.0)).astype(np.uint8)
        else:
            name = OBJECTS[number % len(OBJECTS)]
            color = tuple(int(code) for code in chance.integers(60, 190, 3))
            photograph = render(RenderRequest(name, color, size_px=64, seed=number)).srgb8
        kind = ("saturation", "contrast")[number % 2]
        images = [photograph, *(DISTORTIONS[kind](photograph, scale) for scale in SCALES)]
        files = [folder / f"{seed}-{number}-{rank}.png" for rank in range(len(images))]
        for path, image in zip(files, images, strict=True):
            Image.fromarray(image).save(path, compress_level=1)
        caption = f"photograph {seed}-{number}"
        groups.append(Group(files[0], tuple(files[1:]), caption, "", kind))
    return groups
