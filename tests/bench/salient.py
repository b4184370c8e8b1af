"""``python -m tests.bench.salient``: how near what stands out comes to the exact mask, by object.

Every shape of the reference renderer in two scenes of random color; the table of
``docs/science/salient_masks.md``. Beside it stands what the network and GrabCut find in a box
around the object. The color is the one that the rule truehue measures within either mask.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

import numpy as np

from tests.core.photographs import bounds, overlap
from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import parse_target
from truehue.core.errors import ObjectNotFound
from truehue.core.generation.renderer import OBJECTS, RenderRequest, render
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.verdict.measure import measure

SEEDS = (1, 2)
SIZE_PX = 384
MARGIN_PX = 8


@dataclass(frozen=True)
class Row:
    """One image: overlaps with the exact mask, 0 to 1, of the network alone, of it in a box and of
    GrabCut in that box; ΔE00 of the measured color to that of the exact mask; whether the verdict on
    the true color is the same."""

    iou: float
    iou_in_box: float
    iou_of_grabcut: float
    delta_e00: float
    same: bool


def measured(name: str, seed: int) -> Row | None:
    """One image; None where nothing stands out."""
    albedo = np.random.default_rng([seed, sorted(OBJECTS).index(name)]).integers(20, 236, 3)
    red, green, blue = (int(channel) for channel in albedo)
    drawn = render(RenderRequest(name, (red, green, blue), "studio", seed, SIZE_PX))
    truth = drawn.mask.pixels
    try:
        found = mask_from_marks(drawn.srgb8, [{"type": "salient"}]).pixels
    except ObjectNotFound:
        return None
    box = {"type": "box", "box": bounds(truth, MARGIN_PX)}
    in_box, grabcut = (
        mask_from_marks(drawn.srgb8, [mark]).pixels for mark in ({**box, "by": "salient"}, box)
    )
    target = parse_target(f"#{red:02X}{green:02X}{blue:02X}")
    by, exact = (measure(drawn.srgb8, pixels, target).verdict for pixels in (found, truth))
    assert by.lab is not None
    assert exact.lab is not None
    apart = float(delta_e00(np.array(by.lab), np.array(exact.lab)))
    return Row(
        overlap(found, truth),
        overlap(in_box, truth),
        overlap(grabcut, truth),
        apart,
        by.status == exact.status,
    )


def main() -> None:
    """Prints the table, the medians, and the processor time of one image."""
    begun = time.process_time()
    print("| object | IoU | in a box | GrabCut in that box | ΔE00 |")
    print("|---|---|---|---|---|")
    every: list[Row] = []
    for name in OBJECTS:
        rows = [row for seed in SEEDS if (row := measured(name, seed))]
        every += rows
        cells = [
            ", ".join(f"{value:.{digits}f}" for value in values)
            for digits, values in (
                (2, [row.iou for row in rows]),
                (2, [row.iou_in_box for row in rows]),
                (2, [row.iou_of_grabcut for row in rows]),
                (1, [row.delta_e00 for row in rows]),
            )
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    count = len(every)
    medians = (
        f"{statistics.median(values):.3f}"
        for values in (
            [row.iou for row in every],
            [row.iou_in_box for row in every],
            [row.iou_of_grabcut for row in every],
        )
    )
    print(f"median IoU {', '.join(medians)} (alone, in a box, GrabCut) of {count} images")
    print(f"ΔE00 under 2: {sum(row.delta_e00 < 2 for row in every)} of {count}")
    print(f"the same verdict: {sum(row.same for row in every)} of {count}")
    seconds = (time.process_time() - begun) / max(count, 1)
    print(f"{seconds:.1f} s of processor time an image, with its render and all three masks")


if __name__ == "__main__":
    main()
