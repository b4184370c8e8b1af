"""Settings of CFR, as a request's plain JSON and as a record; its field and its maps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.core.errors import BadInput

VARIANTS = {
    "full": "in space and in time: as published",
    "spatial": "in space alone: the map counts alike at every step",
    "temporal": "in time alone: everywhere alike, most at the first step",
    "none": "not at all",
}

MAPPED = ("full", "spatial")
"""The variants that read a map."""


def decay(step: int, steps: int) -> float:
    """α(t) = 1 - t / T: 1 at the first of ``steps`` (``step`` 0), 1 / T at the last.

    The paper states the formula and not how t counts; as it is to "gradually reduce" the
    modulation "along the denoising trajectory", t counts the steps that are done.
    """
    if not 0 <= step < steps:
        raise BadInput(f"Step {step} is none of {steps} steps.")
    return 1.0 - step / steps


def guidance_ratio(
    discrepancy: np.ndarray, step: int, steps: int, strength: float, variant: str = "full"
) -> np.ndarray:
    """s_t(u, v) / s_0 = 1 - λ α(t) a'(u, v), equation 10 divided by s_0.

    ``discrepancy`` a' float ``(h, w)`` in [0, 1]; ``strength`` λ in [0, 1]; ``variant`` of
    VARIANTS. Returns float32 ``(h, w)`` in [0, 1], exactly 1 where nothing changes. Raises BadInput
    for values out of range.
    """
    if variant not in VARIANTS:
        raise BadInput(f"CFR has no variant {variant!r}: {', '.join(VARIANTS)}.")
    if not 0 <= strength <= 1:
        raise BadInput(f"The strength λ lies from 0 to 1, not at {strength:g}.")
    if variant == "none":
        return np.ones(discrepancy.shape, np.float32)
    alpha = 1.0 if variant == "spatial" else decay(step, steps)
    indices = np.ones_like(discrepancy) if variant == "temporal" else discrepancy
    ratio: np.ndarray = (1.0 - strength * alpha * indices.astype(np.float64)).astype(np.float32)
    return ratio


MAX_CELLS = 64
"""Sides of a map as it is kept: finer than the latents of an image of 512 pixels."""
PREDICTED = "predicted"
FIRST_PASS = "first pass"
"""Two passes: the image of the same request without CFR says where colors are too vivid."""
PREDICTED_AT = 0.3
"""Share of the steps after which a one-pass refinement reads its map. Ours: the paper names none.
Early predictions are gray, late ones leave little guidance to turn down."""
_KEYS = ("strength", "variant", "map", "source", "at")


@dataclass(frozen=True)
class Refinement:
    """How guidance is turned down.

    ``strength`` λ in [0, 1]. ``variant`` of VARIANTS. ``discrepancy`` float32 ``(h, w)`` in [0, 1]
    in steps of 1/255, both sides at most MAX_CELLS; None where the map comes from the drawing: from
    the image that the pipeline predicts after the share ``at`` of its steps (one pass), or with
    ``first_pass`` from the image of the same request without CFR (two). ``source`` says in words
    where the map comes from.
    """

    strength: float
    variant: str = "full"
    discrepancy: np.ndarray | None = None
    source: str = ""
    at: float = PREDICTED_AT
    first_pass: bool = False

    @property
    def reads_prediction(self) -> bool:
        """Whether the map comes from the drawing itself (one pass)."""
        return self.discrepancy is None and self.variant in MAPPED and not self.first_pass

    @property
    def needs_first_pass(self) -> bool:
        """Whether the map comes from the image without CFR, which has to be drawn before."""
        return self.discrepancy is None and self.variant in MAPPED and self.first_pass

    @property
    def is_identity(self) -> bool:
        """Whether every guidance stays what it is, whatever is drawn."""
        if self.strength == 0 or self.variant == "none":
            return True
        spatial = self.variant != "temporal"
        return spatial and self.discrepancy is not None and not self.discrepancy.any()

    def to_json(self) -> dict[str, Any]:
        """The plain JSON that ``refinement_of`` reads."""
        out: dict[str, Any] = {"strength": self.strength, "variant": self.variant}
        if self.discrepancy is not None:
            out["map"] = rows_of(self.discrepancy)
        elif self.reads_prediction:
            out |= {"map": PREDICTED, "at": self.at}
        elif self.needs_first_pass:
            out["map"] = FIRST_PASS
        return out | ({"source": self.source} if self.source else {})


def refinement_of(options: Mapping[str, Any]) -> Refinement | None:
    """The refinement that ``options["cfr"]`` of a request asks for; None where it asks for none.

    ``{"strength": 0.5, "variant": "full", "map": "predicted", "at": 0.3, "source": "..."}``; the
    map is ``"predicted"``, ``"first pass"``, or a list of rows, each two hexadecimal digits a cell
    ("00" leaves the guidance, "ff" turns it down most). Raises BadInput, naming the key, for
    anything else.
    """
    target = options.get("cfr")
    if target is None:
        return None
    if not isinstance(target, Mapping):
        raise BadInput('"cfr" is an object with "strength", "variant" and "map".', "cfr")
    unknown = sorted(set(target) - set(_KEYS))
    if unknown:
        raise BadInput(f"CFR has no {unknown[0]!r}; it has {', '.join(_KEYS)}.", "cfr")
    strength = _share(target.get("strength"), "strength λ")
    variant = target.get("variant", "full")
    if variant not in VARIANTS:
        raise BadInput(f"CFR has no variant {variant!r}: {', '.join(VARIANTS)}.", "cfr")
    source = target.get("source", "")
    if not isinstance(source, str):
        raise BadInput(f"CFR's source is text, not {source!r:.40}.", "cfr")
    position = _share(target.get("at", PREDICTED_AT), "place of the prediction (at)")
    if variant not in MAPPED:
        if target.get("map") is not None:
            raise BadInput(f"The variant {variant!r} reads no map: leave it out.", "cfr")
        return Refinement(strength, variant, None, source)
    rows = target.get("map", PREDICTED)
    if rows == PREDICTED:
        if position >= 1:
            raise BadInput("The map must be read before the last step: at below 1.", "cfr")
        return Refinement(strength, variant, None, source or _PREDICTED_WORDS, position)
    if rows == FIRST_PASS:
        return Refinement(strength, variant, None, source, first_pass=True)
    return Refinement(strength, variant, discrepancy_of(rows), source)


_PREDICTED_WORDS = "saturation of the predicted clean image"
FIRST_PASS_WORDS = "map of the first pass"


def refuse(options: Mapping[str, Any], model: str) -> None:
    """Raises BadInput where a request asks CFR of a model that it cannot be applied to."""
    if options.get("cfr") is not None:
        raise BadInput(f"CFR works on diffusion with guidance, and {model} has none: leave it out.")


def rows_of(discrepancy: np.ndarray) -> list[str]:
    """A map as rows of two hexadecimal digits a cell, each rounded to the nearest of 256 levels."""
    levels = np.rint(np.clip(discrepancy, 0, 1) * 255).astype(np.uint8)
    return [row.tobytes().hex() for row in np.ascontiguousarray(levels)]


def discrepancy_of(rows: Any) -> np.ndarray:
    """float32 ``(h, w)`` in [0, 1] of such rows; raises BadInput for what is no map."""
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not 1 <= len(rows) <= MAX_CELLS:
        raise BadInput(
            f'CFR\'s map is "{PREDICTED}", "{FIRST_PASS}", or 1 to {MAX_CELLS} rows of cells.',
            "cfr",
        )
    try:
        cells = [bytes.fromhex(row) for row in rows]
    except (TypeError, ValueError):
        raise BadInput(
            "A row of CFR's map has two hexadecimal digits a cell, such as 00ff80.", "cfr"
        ) from None
    width = len(cells[0])
    if not 1 <= width <= MAX_CELLS or any(len(row) != width for row in cells):
        raise BadInput(f"The rows of CFR's map are equally long, 1 to {MAX_CELLS} cells.", "cfr")
    levels = np.frombuffer(b"".join(cells), np.uint8).reshape(len(cells), width)
    return (levels / 255).astype(np.float32)


def _share(value: Any, name: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not 0 <= value <= 1:
        raise BadInput(f"CFR's {name} is a number from 0 to 1, not {value!r:.40}.", "cfr")
    return float(value)


NATURAL_SATURATION = 0.33
"""Mean saturation of real photographs by the paper's ΔSat (its color space is not stated; HSV S
here, as everywhere in TrueHue)."""


def saturation_map(srgb8: np.ndarray, cells: int = MAX_CELLS) -> np.ndarray:
    """How far the saturation of each cell lies above that of photographs.

    ``srgb8`` uint8 ``(H, W, 3)``. The longer side has ``cells`` cells, at most the image's pixels.
    The saturation of a cell is the mean of max - min over the mean of max: HSV S with each pixel
    weighted by its value, so that the noise of dark pixels does not count. Returns float32
    ``(h, w)`` in [0, 1]: 0 up to NATURAL_SATURATION, 1 where a cell is fully saturated, linear
    between. It is not stretched to [0, 1]: a dull image has a map of zeros. Raises BadInput for
    what is no image, or one without pixels.
    """
    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8 or not srgb8.size:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    height, width = srgb8.shape[:2]
    scale = min(1.0, cells / max(height, width))
    shape = max(1, round(height * scale)), max(1, round(width * scale))
    limit = srgb8.max(axis=2).astype(np.float64)
    least = srgb8.min(axis=2).astype(np.float64)
    value, chroma = cell_means(limit, shape), cell_means(limit - least, shape)
    saturation = np.divide(chroma, value, out=np.zeros_like(value), where=value > 0)
    excess = (saturation - NATURAL_SATURATION) / (1 - NATURAL_SATURATION)
    out: np.ndarray = np.clip(excess, 0, 1).astype(np.float32)
    return out


def cell_means(values: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Area means of ``values`` ``(H, W)`` on a grid of ``shape`` cells, which pixels at the edges
    of cells share by area; ``shape`` is at most the array's own."""
    rows = _shares(values.shape[0], shape[0])
    columns = _shares(values.shape[1], shape[1])
    out: np.ndarray = rows @ values @ columns.T
    return out


def _shares(pixels: int, cells: int) -> np.ndarray:
    """float64 ``(cells, pixels)``: the share of each cell that each pixel covers."""
    edges = np.linspace(0, pixels, cells + 1)
    indices = np.arange(pixels)
    covered = np.minimum(edges[1:, None], indices + 1) - np.maximum(edges[:-1, None], indices)
    return np.clip(covered, 0, 1) * (cells / pixels)
