"""``python -m tests.bench.renderer``: how long the reference renderer takes at 1024 pixels.

Seconds of processor time of fresh pictures in the studio's light, as ratios: every object over the
sphere, a scene of three over its three objects one by one, and the same scene in other colors over
the fresh one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from truehue.core.generation.renderer import (
    OBJECTS,
    RenderRequest,
    SceneObject,
    SceneRequest,
    gbuffer,
    render,
    render_scene,
)
from truehue.core.generation.renderer.scenes import forget_scenes

SIZE = 1024
TRIO = ("apple", "mug", "book")
COLORS = ((190, 60, 50), (60, 110, 180), (90, 150, 80))


def seconds(call: Callable[[], object], runs: int = 2) -> float:
    """The least processor time of a few fresh runs."""
    used = []
    for _ in range(runs):
        gbuffer.cache_clear()
        forget_scenes()
        start = time.process_time()
        call()
        used.append(time.process_time() - start)
    return min(used)


def trio(first: int) -> SceneRequest:
    """The scene of three, its colors dealt from the given place on."""
    colors = COLORS[first:] + COLORS[:first]
    objects = tuple(SceneObject(*item) for item in zip(TRIO, colors, strict=True))
    return SceneRequest(objects, "studio", 1, SIZE)


def main() -> int:
    """Prints the table; returns the exit status."""
    alone: dict[str, float] = {}
    for name in OBJECTS:
        request = RenderRequest(name, COLORS[0], "studio", 1, SIZE)
        alone[name] = seconds(lambda request=request: render(request))  # type: ignore[misc]
        ratio = alone[name] / alone["sphere"]
        print(f"{name:<12}{alone[name]:6.2f} s  / sphere {ratio:5.2f}", flush=True)
    scene = seconds(lambda: render_scene(trio(0)))
    one_by_one = sum(alone[name] for name in TRIO)
    print(f"{', '.join(TRIO)} in one scene {scene:.2f} s  / one by one {scene / one_by_one:.2f}")
    render_scene(trio(0))
    start = time.process_time()
    render_scene(trio(1))
    again = time.process_time() - start
    print(f"the same in other colors {again:.3f} s  / fresh {again / scene:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
