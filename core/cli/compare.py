"""``python -m truehue compare``: two distributions of color compared, without a screen.

A side is an image with or without a mask, a folder of images, which are one distribution, or a CSV
or JSON file of 71 numbers. Without a mask the object is what stands out, as in Compare. Exit status 0
if all was measured, 2 for bad input, with its message on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from truehue.core.cli.compare_sides import IMAGE, NUMBERS, Reading, Side, kind_of, read_side
from truehue.core.color.distances import Comparison, Move, compare, dominant, emd_flow, entropy
from truehue.core.color.uw71 import uw71
from truehue.core.command import JSON, Command, arg, either, flag
from truehue.core.concepts.distribution import DRAWS, Intervals, intervals
from truehue.core.concepts.matching import normal
from truehue.core.concepts.reading import RATINGS, SHARES
from truehue.core.concepts.records import EXTRACTED, METHODS, PIXELS
from truehue.core.errors import BadInput
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.selection import MASKERS, SALIENT_OR_WHOLE, WHOLE

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
"""Labels of the numbers, by their names in :class:`truehue.core.color.distances.Comparison`."""

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
        if self.a.pixels is not None or self.b.pixels is not None:
            yield f"{'method':<16}{self.method}: {METHODS[self.method]}"
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
        """Notes on conversions, assumptions and open questions, each once."""
        a, b = ((*side.notes, *side.distribution.notes) for side in (self.a, self.b))
        for note in dict.fromkeys((*a, *b)):
            names = " and ".join(name for name, notes in (("A", a), ("B", b)) if note in notes)
            yield f"{names}: {note}"
        yield from () if self.intervals is None else self.intervals.notes
        if self.method == PIXELS and (self.a.pixels is not None or self.b.pixels is not None):
            yield f"Compare in the app begins with --method {EXTRACTED}; the numbers differ."

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
        "maskers": [{"name": name, "images": n} for name, n in side.selected_by.items()],
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
        by = "".join(f". {name}" for name in side.selected_by if side.mask is None)
        return f"{side.file}: {side.pixels:,} pixels{inside}{by}"
    left_out = f", {len(side.unscored):,} not measured" if side.unscored else ""
    by = "".join(f". {name}: {n:,}" for name, n in side.selected_by.items() if side.mask is None)
    return (
        f"{side.file}: {side.distribution.count:,} images{left_out}, {side.pixels:,} pixels{inside}"
        f"{by}"
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


EPILOG = """\
examples:
  python -m truehue compare banana.png drawing.png --mask-a banana-mask.png
  python -m truehue compare banana.jpg wall.jpg --masker whole
  python -m truehue compare photos/ cartoons/ --mask-a photo-masks/ --mask-b cartoon-masks/
  python -m truehue compare ratings.csv photos/ --concept banana --normalize --json

methods (how pixels become a distribution over the 71 colors of UW-71):
"""
MAX_DRAWS = 100_000


def _compare(options: argparse.Namespace) -> int:
    report = _report(options)
    bad = False
    for name, side in (("A", report.a), ("B", report.b)):
        for file, reason in side.unscored:
            bad = True
            print(f"{name}, {file}: {reason}", file=sys.stderr)
    if options.json:
        print(json.dumps(report.as_json()), flush=True)
    else:
        for line in report.lines():
            print(line, flush=True)
        for line in report.note_lines():
            print(line, file=sys.stderr)
    return 2 if bad else 0


def _report(options: argparse.Namespace) -> ComparisonReport:
    paths = Path(options.a), Path(options.b)
    _check_options(options, paths)
    method = options.method or PIXELS
    normalize = RATINGS if options.normalize else SHARES if options.shares else ""
    masker = options.masker or SALIENT_OR_WHOLE
    how = Reading(method, options.as_58, normalize, options.concept, masker=masker)
    a = _read(paths[0], options.mask_a, replace(how, label=options.label_a))
    b = _read(paths[1], options.mask_b, replace(how, label=options.label_b))
    p, q = a.distribution, b.distribution
    comparison = compare(p.weights, q.weights)
    moves = emd_flow(p.weights, q.weights) if options.flow else ()
    draws = DRAWS if options.draws is None else options.draws
    bounds = intervals(p, q, draws, options.seed) if draws else None
    return ComparisonReport(a, b, method, comparison, bounds, moves[: options.flow], len(moves))


def _read(path: Path, mask: Path | None, how: Reading) -> Side:
    if not path.exists():
        raise BadInput(f"There is no {path}.")
    if mask is not None and not mask.exists():
        raise BadInput(f"There is no mask {mask}.")
    return read_side(path, mask, how)


def _check_options(options: argparse.Namespace, paths: tuple[Path, Path]) -> None:
    """Raises BadInput for numbers out of range, and for options that nothing would read."""
    if options.flow < 0:
        raise BadInput("--flow is the number of flows to print, at least 1.")
    if options.draws is not None and not 0 <= options.draws <= MAX_DRAWS:
        raise BadInput(f"--draws is 0 to {MAX_DRAWS:,}.")
    if options.seed < 0:
        raise BadInput("--seed is a whole number from 0 on.")
    kinds = [kind_of(path) for path in paths]
    if NUMBERS not in kinds:
        for name in ("as_58", "normalize", "shares", "concept", "label_a", "label_b"):
            if getattr(options, name):
                option = "--" + name.replace("_", "-")
                raise BadInput(f"{option} applies to files of numbers, but both sides are images.")
    if kinds == [NUMBERS, NUMBERS]:
        for name in ("method", "masker"):
            if getattr(options, name):
                raise BadInput(f"--{name} applies to images, but both sides are numbers.")
    masked = zip(kinds, (options.mask_a, options.mask_b), strict=True)
    if options.masker and all(kind == NUMBERS or mask is not None for kind, mask in masked):
        raise BadInput(
            "--masker applies to images without a mask, but all have masks. Leave it out."
        )
    if kinds == [IMAGE, IMAGE] and options.draws:
        raise BadInput(
            "--draws applies to folders of images and to people. A single image cannot be "
            "resampled."
        )


_SIDE = "an image, a folder of images, or a CSV or JSON file of 71 numbers"
_MASK = (
    "mask image of A: the object is light (128 or more); for a folder, a folder of masks with the "
    "images' names. Without a mask --masker selects the pixels"
)
COMMAND = Command(
    "compare",
    "Compares two distributions of color over UW-71: PCC, EMD, ED, dominant color and hue, total "
    "variation, Jensen-Shannon.",
    (
        arg("a A", _SIDE),
        arg("b B", "the same"),
        arg("--mask-a MASK", _MASK, type=Path),
        arg("--mask-b MASK", "the same for B", type=Path),
        arg(
            "--masker",
            f"of images without a mask: {SALIENT_OR_WHOLE} (default), what is not transparent, else what "
            f"stands out, else the whole image; {SALIENT}, which measures no image in which nothing "
            f"stands out; or {WHOLE}, all that is not transparent. Of an image with transparency each takes what "
            "is not transparent",
            choices=MASKERS,
        ),
        arg("--method", f"for images; default: {PIXELS}", choices=tuple(METHODS)),
        arg("--concept WORDS", "the concept, for a file with several"),
        arg("--label-a LABEL", "the label, if file A has several distributions of the concept"),
        arg("--label-b LABEL", "the same for B"),
        flag("--as-58", "read 58 numbers as the bins of UW-58"),
        either(
            flag(
                "--normalize",
                "divide numbers that do not sum to 1 by their sum: association ratings",
            ),
            flag("--shares", "the same for counts, percent or rounded shares: histograms"),
        ),
        arg("--flow N", "print the N costliest flows of the transport plan", default=0),
        arg(
            "--draws N",
            "bootstrap draws for 95%% intervals over images or people; "
            f"default {DRAWS:,}, 0 for none",
            type=int,
        ),
        arg("--seed", "seed of the draws; default 0", default=0),
        JSON,
    ),
    _compare,
    epilog=EPILOG + "\n".join(f"  {name:<16}{text}." for name, text in METHODS.items()),
    former="-m core.compare",
)
main = COMMAND.main
