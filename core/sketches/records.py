"""The records of sketches: the line art with its id, its settings, and warnings."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np

from truehue.core.errors import BadInput

SKETCH_VERSION = "1"
"""Another one means that other regions would come of the same ink; it is part of every id."""

SIDE = 1024
"""What lengths of sketches are given for: the longer side in pixels that most sketches have."""

LONGEST_SIDE = 2048
MIN_SIDE = 8

MAX_LINES = 100
LINE_UNITS = 10_000
"""Lines across gaps are given in so many parts of the width and of the height."""

INK = 128
"""Of 255: from here on a pixel counts as paper where colors are measured; below, ink covers it."""


@dataclass(frozen=True)
class SketchSettings:
    """How an image becomes a sketch.

    ``line_threshold`` is the lightness, 1 to 254 of 255 after the paper was made white, at which a
    line begins; None finds one between the lines and the paper. ``longer_side`` is that of the
    sketch in pixels, 64 to 2048; smaller images are enlarged up to four times. Specks of ink and
    of paper under ``speck_px`` pixels (at a longer side of 1024) are cleaned away, 0 keeps all.
    ``flatten`` divides by the paper around, which takes shadows and gray wash away. ``lines`` are
    drawn across gaps that no closing closes: x0, y0, x1, y1 of each in ten-thousandths of width and
    height, up to 100. Raises BadInput for others.
    """

    line_threshold: int | None = None
    longer_side: int = SIDE
    speck_px: int = 12
    flatten: bool = True
    lines: tuple[tuple[int, int, int, int], ...] = ()

    def __post_init__(self) -> None:
        threshold = self.line_threshold
        if threshold is not None and not 1 <= threshold <= 254:
            raise BadInput(
                f"The line threshold is 1 to 254, not {threshold}. Leave it empty to find one.",
                "line_threshold",
            )
        if not 64 <= self.longer_side <= LONGEST_SIDE:
            raise BadInput(
                f"The longer side is 64 to {LONGEST_SIDE} pixels, not {self.longer_side}.",
                "longer_side",
            )
        if not 0 <= self.speck_px <= 400:
            raise BadInput(f"Specks are of 0 to 400 pixels, not {self.speck_px}.", "speck_px")
        if len(self.lines) > MAX_LINES or not all(
            len(line) == 4 and all(0 <= part <= LINE_UNITS for part in line) for line in self.lines
        ):
            raise BadInput(
                f"A drawing has up to {MAX_LINES} lines of your own, each x0, y0, x1, y1 of 0 to "
                f"{LINE_UNITS}.",
                "lines",
            )


@dataclass(frozen=True)
class SketchWarning:
    """Something to look at before people color a sketch: ``code`` for programs, ``words`` to read.

    Codes are those of truehue.core.sketches.prepare.
    """

    code: str
    words: str


@dataclass(frozen=True)
class Sketch:
    """A line drawing prepared for coloring.

    ``ink`` is uint8 ``(H, W)``, 255 paper and 0 ink, C-contiguous, not writeable; ``id`` names it,
    see :func:`sketch_id`. ``closing`` is the index of the gap closing that suits it, of
    truehue.core.sketches.regions.CLOSINGS_PX.
    """

    id: str
    ink: np.ndarray = field(repr=False)
    warnings: tuple[SketchWarning, ...] = ()
    closing: int = 0


def sketch_id(ink: np.ndarray) -> str:
    """The first 32 hex digits of the SHA-256 of ``SKETCH_VERSION``, size and ink bytes.

    Raises as :func:`check_ink`.
    """
    check_ink(ink)
    height, width = ink.shape
    digest = hashlib.sha256(f"sketch {SKETCH_VERSION} {height}x{width}\n".encode())
    digest.update(np.ascontiguousarray(ink).data)
    return digest.hexdigest()[:32]


def check_ink(ink: np.ndarray) -> None:
    """Raises BadInput unless ``ink`` is uint8 ``(H, W)`` with sides of 8 to 2048 pixels."""
    if ink.dtype != np.uint8 or ink.ndim != 2:
        raise BadInput(f"Ink is uint8 (H, W), not {ink.dtype} {ink.shape}.")
    if min(ink.shape) < MIN_SIDE or max(ink.shape) > LONGEST_SIDE:
        height, width = ink.shape
        raise BadInput(
            f"A sketch has sides of {MIN_SIDE} to {LONGEST_SIDE} pixels, not {width} × {height}."
        )


def scale_of(shape: tuple[int, ...]) -> float:
    """What lengths given for a longer side of 1024 are multiplied by: 1.0 at 1024."""
    return max(shape[:2]) / SIDE
