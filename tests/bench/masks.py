"""``python -m tests.bench.masks``: a mask from a box over OpenCV's GrabCut on the same box.

The peer is ``cv2.grabCut`` with five iterations on the whole image at full size. Ours works on the
box's surroundings at 512 pixels and refines the edge, so it is also asked how well both agree.
Times are of processors.
"""

from __future__ import annotations

import statistics
import time

import cv2
import numpy as np

from tests.core.photographs import bounds, object_photograph, overlap
from truehue.core.masks.from_marks import mask_from_marks

RUNS = 3


def plain(srgb8: np.ndarray, box: list[int]) -> np.ndarray:
    """bool ``(H, W)`` by cv2.grabCut alone."""
    cv2.setRNGSeed(0)
    labels = np.zeros(srgb8.shape[:2], dtype=np.uint8)
    x0, y0, x1, y1 = box
    background, foreground = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(
        np.ascontiguousarray(srgb8[..., ::-1]),
        labels,
        (x0, y0, x1 - x0, y1 - y0),
        background,
        foreground,
        5,
        cv2.GC_INIT_WITH_RECT,
    )
    return (labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD)


def main() -> None:
    """Prints times, their ratio, and the overlap of both masks with the truth."""
    for size in (1024, 2048):
        srgb8, truth = object_photograph(size)
        box = bounds(truth, size // 64)
        marks = [{"type": "box", "box": box}]
        pairs = []
        for _ in range(RUNS + 1):
            start = time.process_time()
            ours = mask_from_marks(srgb8, marks).pixels
            middle = time.process_time()
            theirs = plain(srgb8, box)
            pairs.append((middle - start, time.process_time() - middle))
        ours_s, theirs_s = (statistics.median(column) for column in zip(*pairs[1:], strict=True))
        ratio = statistics.median(b / a for a, b in pairs[1:])
        print(
            f"{size} x {size}: mask from a box {ours_s:.2f} s, cv2.grabCut at full size "
            f"{theirs_s:.2f} s, ratio {ratio:.1f}; overlap with the truth "
            f"{overlap(ours, truth):.3f} and {overlap(theirs, truth):.3f}"
        )


if __name__ == "__main__":
    main()
