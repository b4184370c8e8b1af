"""Where the objects of a scene stand: side by side, in depth, apart and all of them visible."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from truehue.core.generation.renderer.camera import framed
from truehue.core.generation.renderer.light import BRIGHTEST_BACKDROP_LINEAR1
from truehue.core.generation.renderer.objects import MODELS
from truehue.core.generation.renderer.scene import PlacedShape, Scene
from truehue.core.generation.renderer.stage import DARKEST_BACKDROP_LINEAR1, Viewpoint, view
from truehue.core.generation.renderer.trace import target_shares

LEAST_SHARES = {1: 0.05, 2: 0.02, 3: 0.02, 4: 0.01}
"""The exact mask of every object takes at least this share of a picture of so many objects, from
256 pixels upward. Below that thin parts have few pixels that are theirs alone."""

LEAST_UNHIDDEN = 0.6
"""At least this part of what would be seen of an object alone stays in sight behind the others."""

_SIZE = 0.62
_TRIES = 24
_LOOK_PX = 96
# What is aimed at is more than what is promised: the coarse look counts the mixed edges too, and
# not every choice of objects can be arranged so.
_WANTED_SHARE, _WANTED_UNHIDDEN = 0.03, 0.8


def scene_view(names: Sequence[str], seed: int) -> Viewpoint:
    """The view of several objects that belongs to ``seed``; the names are known.

    One object alone is seen as ``view`` sees it. Several are drawn about equally large, whatever
    their sizes in the world. Of up to 24 seeded arrangements, the later ones with less overlap
    in the picture, the first is taken in which every object is seen well enough, or
    else the one whose worst seen object is seen best.
    """
    if len(names) == 1:
        return view(names[0], seed)
    chance = np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])
    best: tuple[float, Viewpoint] | None = None
    sizes = [1.0] * len(names)
    for number in range(_TRIES):
        closeness = min(1.0, 2.0 * (1.0 - number / _TRIES))
        seen = _arranged(names, chance, sizes, closeness)
        shares, unhidden = target_shares(seen, _LOOK_PX)
        worst = min(min(shares) / _WANTED_SHARE, min(unhidden) / _WANTED_UNHIDDEN)
        if best is None or worst > best[0]:
            best = worst, seen
        if worst >= 1.0:
            break
        if number == 0:
            # Thin and flat objects take less of their outline's box: they may be drawn larger.
            mean = float(np.mean(shares))
            sizes = [float(np.clip(np.sqrt(mean / max(s, 1e-4)), 0.85, 1.35)) for s in shares]
    assert best is not None
    return best[1]


def _arranged(
    names: Sequence[str], chance: np.random.Generator, sizes: Sequence[float], closeness: float
) -> Viewpoint:
    """One arrangement; with ``closeness`` 1 objects may overlap in the picture, with 0 hardly."""

    def between(low: float, high: float) -> float:
        return low + (high - low) * float(chance.random())

    models = [MODELS[name] for name in names]
    middle = float(np.mean([sum(model.elevation_deg) / 2 for model in models]))
    # Two rows are seen from higher up, so that the near one does not hide the far one.
    low_deg = 16.0 if len(names) == 2 else 24.0
    elevation_deg = float(np.clip(middle + between(-3.0, 4.0), low_deg, 36.0))
    order = chance.permutation(len(names))
    # Neighbors stand alternately nearer and farther, the more the more of them there are.
    step = (0.10, 0.36, 0.40)[len(names) - 2] * between(0.85, 1.15)
    first = 1.0 if chance.random() < 0.5 else -1.0
    placed: list[PlacedShape | None] = [None] * len(names)
    boxes: list[tuple[float, float, float, float]] = []
    for index, number in enumerate(order):
        yaw_deg = between(*models[number].yaw_deg)
        alone = PlacedShape(models[number], yaw_deg=yaw_deg).corners()
        low, high = alone.min(axis=0), alone.max(axis=0)
        tilt = np.deg2rad(elevation_deg)
        tall = high[2] * np.cos(tilt) + (high[1] - low[1]) * np.sin(tilt)
        scale = (
            _SIZE * sizes[number] * between(0.92, 1.1) / float(np.sqrt((high[0] - low[0]) * tall))
        )
        y = first * (-1.0) ** index * step + between(-0.05, 0.05)
        near, far = y + scale * low[1], y + scale * high[1]
        gap, least = between(0.04, 0.12), between(0.50, 0.66)
        left = 0.0
        for _, right, other_near, other_far in boxes:
            # Behind one another objects may overlap in the picture; else they stand beside.
            behind = near > other_far + 0.04 or far < other_near - 0.04
            width = scale * (high[0] - low[0])
            back = closeness * (1.0 - least) * width if behind else -gap
            left = max(left, right - back)
        x = left - scale * low[0]
        boxes.append((left, left + scale * (high[0] - low[0]), near, far))
        placed[number] = PlacedShape(models[number], int(number), yaw_deg, x, y, scale)
    # The middle of the row goes to the middle of the stage.
    shift = -boxes[-1][1] / 2
    scene = Scene(
        [
            PlacedShape(
                item.model, item.object_id, item.yaw_deg, item.x + shift, item.y, item.scale
            )
            for item in placed
            if item is not None
        ]
    )
    camera = framed(
        scene,
        azimuth_deg=between(-8.0, 8.0),
        elevation_deg=elevation_deg,
        fill=between(0.62, 0.68),
        widest=0.90,
        tallest=0.72,
    )
    return Viewpoint(
        scene=scene,
        camera=camera,
        light_turn_deg=between(-14.0, 14.0),
        backdrop_linear1=between(DARKEST_BACKDROP_LINEAR1, BRIGHTEST_BACKDROP_LINEAR1),
    )
