"""``python -m tests.bench.grounding``: a click after the first over looking at the image anew.

Models of the published sizes with random weights: the time does not depend on what the numbers are.
The peers are the libraries as their examples use them, ``SamPredictor.set_image`` and ``predict``,
and ``Sam2Model`` on the picture itself, for every click. Both ways must give the same pixels. Times are
of processors.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.core.photographs import object_photograph
from truehue.core.machine import Placement, cpu_name
from truehue.core.masks.grounded.records import Segmenter
from truehue.core.masks.grounded.sam import SamSegmenter
from truehue.core.masks.grounded.sam2 import Sam2Segmenter
from truehue.core.masks.grounded.weights import vision_model

SIZE = 1024
CLICKS = 5
RUNS = 3
POINT = (480.0, 520.0)
GOAL = 10.0
AT = Placement("cpu", "float32", "none", "")
Anew = Callable[[np.ndarray], np.ndarray]


def sam_vit_b() -> tuple[Segmenter, Anew]:
    """Ours, and segment_anything's own predictor on the same model."""
    import torch
    from segment_anything import SamPredictor, sam_model_registry

    torch.manual_seed(0)
    model = sam_model_registry["vit_b"]()
    predictor = SamPredictor(model)

    def anew(srgb8: np.ndarray) -> np.ndarray:
        predictor.set_image(srgb8)
        masks, scores, _ = predictor.predict(np.array([POINT]), np.array([1]))
        return masks[scores.argmax()]

    return SamSegmenter(vision_model("sam-vit-b"), model, AT, {}), anew


def sam2_tiny() -> tuple[Segmenter, Anew]:
    """Ours, and transformers' model on the picture itself."""
    import torch
    from transformers import Sam2Config, Sam2ImageProcessor, Sam2Model, Sam2Processor

    torch.manual_seed(0)
    model, processor = Sam2Model(Sam2Config()).eval(), Sam2Processor(Sam2ImageProcessor())

    def anew(srgb8: np.ndarray) -> np.ndarray:
        inputs: Any = processor(
            images=srgb8,
            input_points=[[[list(POINT)]]],
            input_labels=[[[1]]],
            return_tensors="pt",
        )
        sizes = inputs.pop("original_sizes")
        with torch.inference_mode():
            result = model(**inputs)
        masks = processor.post_process_masks(result.pred_masks, sizes)[0][0]
        return masks[result.iou_scores[0, 0].argmax()].numpy()

    return Sam2Segmenter(vision_model("sam2.1-hiera-tiny"), model, processor, AT, {}), anew


def main() -> int:
    """Prints both times and their ratio; 1 when the two ways give different pixels."""
    srgb8, _ = object_photograph(SIZE)
    print(f"{cpu_name()}; {SIZE} x {SIZE}, one point, random weights; goal: at least {GOAL:g}")
    for name, make in (("SAM ViT-B", sam_vit_b), ("SAM 2.1 Hiera tiny", sam2_tiny)):
        ours, anew = make()
        ours.embed(srgb8, "photograph")

        def click(segmenter: Segmenter = ours) -> np.ndarray:
            return segmenter.from_points(
                segmenter.embed(srgb8, "photograph"), [POINT], [True]
            ).pixels

        if not np.array_equal(click(), anew(srgb8)):
            print(f"{name}: the two ways gave different pixels.", file=sys.stderr)
            return 1
        click_s, anew_s = [], []
        for _ in range(RUNS):
            start = time.process_time()
            for _ in range(CLICKS):
                click()
            middle = time.process_time()
            anew(srgb8)
            click_s.append((middle - start) / CLICKS)
            anew_s.append(time.process_time() - middle)
        each, again = statistics.median(click_s), statistics.median(anew_s)
        ratio = statistics.median(b / a for a, b in zip(click_s, anew_s, strict=True))
        print(
            f"{name}: a click {each * 1e3:.0f} ms, looking at the image anew {again:.2f} s, "
            f"ratio {ratio:.0f}: {'met' if ratio >= GOAL else 'NOT MET'}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
