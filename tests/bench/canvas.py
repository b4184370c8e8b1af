"""``python -m tests.bench.canvas``: a sketch's regions and a log's replay, against known work.

The peer of the four region maps is ``scipy.ndimage.label`` of the same paper, once; that of the
replay is decoding the layer's own PNG. Times are of processors; seconds differ from machine to
machine, these ratios less.
The drawings are a cat with a gap in its tail, and three hundred lines by chance with holes in them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from io import BytesIO

import cv2
import numpy as np
from PIL import Image
from scipy import ndimage

from tests.core.sketches.drawings import cat, paper
from truehue.annotation.colorings import Action, Fill, Stroke, Undo, paint
from truehue.core.sketches.images import layer_png, svg
from truehue.core.sketches.regions import LINE, RegionMaps, decode, encode, label_maps

RUNS = 5
SIDE = 1024
ACTIONS = 400


def tangle(side: int = SIDE) -> np.ndarray:
    """Ink uint8 ``(side, side)`` of lines by chance, with holes."""
    rng = np.random.default_rng(1)
    ink = paper(side)
    for _ in range(300):
        item, other = rng.integers(0, side, (2, 2)).tolist()
        cv2.line(ink, item, other, 0, 3, cv2.LINE_AA)
        y, x = rng.integers(0, side - 8, 2)
        ink[y : y + 8, x : x + 8] = 255
    return ink


def log(maps: RegionMaps) -> list[Action]:
    """Fills, long strokes and what is taken back, as of somebody who colors for an hour."""
    rng = np.random.default_rng(2)
    height, width = maps.shape
    actions: list[Action] = []
    for step in range(ACTIONS):
        color = f"#{int(rng.integers(1 << 24)):06x}"
        if step % 3 == 0:
            x, y = int(rng.integers(width)), int(rng.integers(height))
            actions.append(Fill(x, y, step % 4, color))
        elif step % 10 == 1:
            actions.append(Undo())
        else:
            walk = np.cumsum(rng.integers(-9, 10, (90, 2)), axis=0) + rng.integers(0, height, 2)
            points = tuple(walk.clip(-2048, 4096).reshape(-1).tolist())
            actions.append(Stroke(points, int(rng.integers(2, 80)), color, step % 4 or None))
    return actions


def seconds(work: Callable[[], object]) -> float:
    """Processor time: the median of some runs after one that does not count."""
    work()
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def measured(name: str, ink: np.ndarray) -> str:
    """One drawing's times and ratios, in words."""
    labels = label_maps(ink)
    data = encode(labels)
    maps = RegionMaps(labels)
    actions = log(maps)
    layer = paint(actions, maps)
    png = layer_png(layer)
    ours_s, label_s = seconds(lambda: label_maps(ink)), seconds(lambda: plain(ink))
    replay_s = seconds(lambda: paint(actions, maps))
    decode_s = seconds(lambda: np.asarray(Image.open(BytesIO(png))))
    return (
        f"{name}, {SIDE} x {SIDE}, {maps.counts} regions: four maps {ours_s:.3f} s, "
        f"scipy.ndimage.label {label_s:.3f} s, ratio {ours_s / label_s:.1f}; as bytes "
        f"{len(data) / 1000:.0f} kB, coded in {seconds(lambda: encode(labels)):.4f} s, "
        f"read in {seconds(lambda: decode(data)):.4f} s\n"
        f"  {len(actions)} actions replayed in {replay_s:.3f} s, the PNG of the layer "
        f"({len(png) / 1000:.0f} kB) decoded in {decode_s:.3f} s, ratio "
        f"{replay_s / decode_s:.1f}; SVG in {seconds(lambda: svg(ink, layer)):.2f} s"
    )


def main() -> None:
    """Prints both drawings' times and ratios."""
    for name, ink in (("cat", cat(SIDE)), ("tangle", tangle())):
        print(measured(name, ink))


def plain(ink: np.ndarray) -> int:
    """Regions without closing, by scipy."""
    return int(ndimage.label(ink >= LINE)[1])


if __name__ == "__main__":
    main()
