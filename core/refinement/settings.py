"""What is asked of CFR, as a request's plain JSON and as a record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.refinement.field import MAPPED, VARIANTS

MAX_CELLS = 64
"""Sides of a map as it is kept: finer than the latents of a picture of 512 pixels."""
PREDICTED = "predicted"
FIRST_PASS = "first pass"
"""Two passes: the picture of the same request without CFR says where colors are too vivid."""
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
    ``first_pass`` from the picture of the same request without CFR (two). ``source`` says in words
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
    def reads_first_pass(self) -> bool:
        """Whether the map comes from the picture without CFR, which has to be drawn before."""
        return self.discrepancy is None and self.variant in MAPPED and self.first_pass

    @property
    def changes_nothing(self) -> bool:
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
        elif self.reads_first_pass:
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
