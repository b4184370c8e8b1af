"""A comparison in words, and as plain JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from truehue.core.cli.compare.sides import Side
from truehue.core.color.distances import Comparison, Move, dominant, entropy
from truehue.core.color.uw71 import uw71
from truehue.core.concepts.distribution import Intervals
from truehue.core.concepts.matching import normal

NO_HUE = "has a neutral dominant color, which has no hue"
EVEN = "One side has the same share in every bin, so the correlation is undefined."

_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "pcc": "pcc",
        "emd": "emd_lab",
        "ed": "entropy_difference",
        "hue_deg": "delta_hue_deg",
        "total_variation": "total_variation",
        "jensen_shannon": "jensen_shannon",
    }
)
"""What numbers are called here, and in :class:`truehue.core.color.distances.Comparison`."""

_UNITS: Mapping[str, str] = MappingProxyType(
    {"emd": "CIELAB", "ed": "nats", "hue_deg": "degrees", "jensen_shannon": "nats"}
)


@dataclass(frozen=True)
class ComparisonReport:
    """Two sides compared. ``intervals`` is None where none were asked for; ``flow`` are the
    costliest moves of :func:`truehue.core.color.distances.emd_flow` and ``moves`` how many there
    are."""

    a: Side
    b: Side
    method: str
    found: Comparison
    intervals: Intervals | None = None
    flow: tuple[Move, ...] = ()
    moves: int = 0

    def value(self, name: str) -> float | None:
        """A number by its name here."""
        value = getattr(self.found, _FIELDS[name])
        return None if value is None else float(value)

    def hue_reason(self) -> str:
        """Why there is no difference of hue; empty where there is one."""
        if self.found.delta_hue_deg is not None:
            return ""
        neutral = [uw71()[bin_].neutral for bin_ in self.found.dominant]
        if all(neutral):
            return "Both sides have a neutral dominant color, which has no hue."
        return f"{'A' if neutral[0] else 'B'} {NO_HUE}."

    def as_json(self) -> dict[str, Any]:
        """Plain JSON, one object; what does not exist is null, with its reason beside it."""
        comparison, bounds = self.found, self.intervals
        return {
            "pcc": comparison.pcc,
            "emd": comparison.emd_lab,
            "ed": comparison.entropy_difference,
            "dominant_equal": comparison.dominant_equal,
            "hue_deg": comparison.delta_hue_deg,
            "pcc_reason": "" if comparison.pcc is not None else EVEN,
            "hue_reason": self.hue_reason(),
            "hue_literal_deg": comparison.delta_hue_literal_deg,
            "total_variation": comparison.total_variation,
            "jensen_shannon": comparison.jensen_shannon,
            "units": dict(_UNITS),
            "intervals": None if bounds is None or not bounds.draws else _intervals_json(bounds),
            "interval_notes": [] if bounds is None else list(bounds.notes),
            "flow": [{**asdict(move), "cost": move.cost} for move in self.flow],
            "moves": self.moves,
            "method": self.method,
            "a": _side_json(self.a, comparison.tied[0]),
            "b": _side_json(self.b, comparison.tied[1]),
        }

    def lines(self) -> Iterator[str]:
        """The comparison in lines of text."""
        comparison = self.found
        yield f"A  {_heading(self.a)}"
        yield f"B  {_heading(self.b)}"
        yield self._line("pcc", EVEN)
        yield self._line("emd")
        yield self._line("ed")
        share = "" if self.intervals is None else _equal(self.intervals)
        yield f"{'dominant_equal':<16}{'yes' if comparison.dominant_equal else 'no'}{share}"
        for name, side, tied in zip("AB", (self.a, self.b), comparison.tied, strict=True):
            yield f"{'':<16}{name} {_dominant(side.distribution.weights, tied)}"
        literal = f" As equation 5 is written: {comparison.delta_hue_literal_deg:.1f} degrees."
        yield self._line("hue_deg", self.hue_reason() + literal)
        yield self._line("total_variation")
        yield self._line("jensen_shannon")
        if self.flow:
            yield f"{'flow':<16}{_flow_heading(len(self.flow), self.moves)}"
        for move in self.flow:
            yield (
                f"{move.cost:>15.3f} = {move.mass:.4f} x {move.distance_lab:.1f}  "
                f"{_bin(move.source)} -> {_bin(move.target)}"
            )

    def note_lines(self) -> Iterator[str]:
        """What was converted, assumed or left open, each once."""
        a, b = ((*side.notes, *side.distribution.notes) for side in (self.a, self.b))
        for note in dict.fromkeys((*a, *b)):
            names = " and ".join(name for name, notes in (("A", a), ("B", b)) if note in notes)
            yield f"{names}: {note}"
        yield from () if self.intervals is None else self.intervals.notes

    def _line(self, name: str, reason: str = "") -> str:
        value = self.value(name)
        if value is None:
            return f"{name:<16}none. {reason}"
        digits = 1 if name == "hue_deg" else 2 if name == "emd" else 4
        unit = f" {_UNITS[name]}" if name in _UNITS else ""
        text = f"{name:<16}{value:.{digits}f}{unit}"
        between = None if self.intervals is None else self.intervals[_FIELDS[name]]
        if between is None:
            return text
        return f"{text}  [{between[0]:.{digits}f}, {between[1]:.{digits}f}]"


def _intervals_json(bounds: Intervals) -> dict[str, Any]:
    return {
        "draws": bounds.draws,
        "level": 0.95,
        **{name: bounds[field] for name, field in _FIELDS.items()},
        "undefined": {name: bounds.undefined.get(field, 0) for name, field in _FIELDS.items()},
        "dominant_equal": bounds.dominant_equal,
    }


def _side_json(side: Side, tied: int) -> dict[str, Any]:
    distribution = side.distribution
    index = dominant(distribution.weights)
    bin_ = uw71()[index]
    return {
        "file": side.file,
        "kind": side.kind,
        "of": distribution.kind,
        "mask": side.mask,
        "count": distribution.count,
        "pixels": side.pixels,
        "dominant": {
            "index": index,
            "name": bin_.name,
            "hex": bin_.hex,
            "lab": list(bin_.lab),
            "share": float(distribution.weights[index]),
            "tied": tied,
        },
        "entropy": entropy(distribution.weights),
        "weights": distribution.weights.tolist(),
        "notes": [*side.notes, *distribution.notes],
        "unscored": [{"file": name, "reason": reason} for name, reason in side.unscored],
    }


def _heading(side: Side) -> str:
    if side.pixels is None:
        text = side.distribution.rows[0].words
        label = side.distribution.rows[0].label
        named = f' "{label}"' if label else ""
        named += "" if text == normal(Path(side.file).stem) else f' of "{text}"'
        people = f", {side.distribution.count:,} people" if side.distribution.count > 1 else ""
        return f"{side.file}: {side.distribution.kind}{named}{people}"
    inside = "" if side.mask is None else f" in {side.mask}"
    if side.kind == "image":
        return f"{side.file}: {side.pixels:,} pixels{inside}"
    left_out = f", {len(side.unscored):,} not measured" if side.unscored else ""
    return (
        f"{side.file}: {side.distribution.count:,} images{left_out}, {side.pixels:,} pixels{inside}"
    )


def _dominant(weights: np.ndarray, tied: int) -> str:
    index = dominant(weights)
    more = "" if tied == 1 else f", the first of {tied} equal bins"
    return f"{_bin(index)}, {100.0 * float(weights[index]):.1f}%{more}"


def _bin(index: int) -> str:
    bin_ = uw71()[index]
    return f"{index} {bin_.name} ({bin_.hex})"


def _equal(bounds: Intervals) -> str:
    if bounds.dominant_equal is None:
        return ""
    return f"  (in {100.0 * bounds.dominant_equal:.1f}% of {bounds.draws:,} draws)"


def _flow_heading(shown: int, moves: int) -> str:
    limit_text = "" if shown == moves else f"the {shown} costliest of {moves} flows; "
    return f"{limit_text}CIELAB = mass x distance, from A to B"
