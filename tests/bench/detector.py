"""``python -m tests.bench.detector``: what COCO SSD says of rendered objects, by object.

Objects of the reference renderer whose names it knows, each in five colors; the table of
``docs/science/salient_masks.md``. The score in color alone stands beside the better one of color and
gray, which counts. Names that were not rendered are asked of the same images.
"""

from __future__ import annotations

import numpy as np

from tests.core.photographs import overlap
from truehue.core.generation.renderer import OBJECTS, RenderRequest, render
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.coco import ABSENT, CLASSES, SURE, CocoDetector, class_of
from truehue.core.masks.grounded.tools import open_detector, open_segmenter
from truehue.core.masks.grounded.weights import COCO

COLORS = ((180, 83, 42), (48, 96, 192), (64, 160, 64), (216, 192, 32), (192, 64, 192))
SIZE_PX = 384
LEAST_SCORE = 0.3


def main() -> None:
    """Prints the table."""
    sources = Sources.local()
    detector, segmenter = open_detector(COCO, sources), open_segmenter("u2netp", sources)
    assert isinstance(detector, CocoDetector)
    present, absent = list[float](), list[float]()
    print("object: best scores in color alone, then with the gray copy; IoU of what was found")
    for name in (name for name in sorted(OBJECTS) if class_of(name)):
        alone, both, ious = list[float](), list[float](), list[float]()
        for seed, color in enumerate(COLORS):
            drawn = render(RenderRequest(name, color, "studio", seed, SIZE_PX))
            boxes = detector.boxes(drawn.srgb8, name)
            both.append(max((box.score for box in boxes), default=0.0))
            rows = detector.rows(drawn.srgb8, gray=False)
            alone.append(max((row[2] for row in rows if row[1] == class_of(name)), default=0.0))
            others = [other for other in CLASSES if class_of(other) != class_of(name)]
            found = [detector.boxes(drawn.srgb8, other) for other in others]
            absent += [max((box.score for box in each), default=0.0) for each in found]
            if both[-1] > LEAST_SCORE:
                (segment,) = segmenter.from_boxes(drawn.srgb8, [boxes[0].box])
                ious.append(overlap(segment.pixels, drawn.mask.pixels))
        present += both
        print(
            f"{name:<11} {' '.join(f'{score:4.2f}' for score in alone)}  "
            f"{' '.join(f'{score:4.2f}' for score in both)}  "
            f"{' '.join(f'{iou:4.2f}' for iou in ious)}"
        )
    for title, scores in (("rendered", np.array(present)), ("not rendered", np.array(absent))):
        yes, no = 100 * np.mean(scores >= SURE), 100 * np.mean(scores < ABSENT)
        print(
            f"{title}: {scores.size} questions, yes {yes:.1f}%, no {no:.1f}%, the rest cannot say"
        )


if __name__ == "__main__":
    main()
