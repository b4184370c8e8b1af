"""The bins of numbers in a file: names of columns, colors and indices in cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.color.notation import read_hex, read_rgb, shorten
from truehue.core.color.spaces import hex_of, srgb8_to_lab, triple
from truehue.core.color.uw71 import COUNT, lab71, uw58, uw71
from truehue.core.errors import BadInput

WORDS = ("concept", "concepts", "word", "words")
UNNAMED = ("", "unnamed: 0")
MODIFIER = ("modifier",)
CONTRIBUTOR = ("contributor", "participant")
PEOPLE = ("people",)
LABEL = ("label",)
KIND = ("kind",)
METHOD = ("method",)
WEIGHT = ("weight", "weights")
VALUE = (*WEIGHT, "share", "shares", "value", "histogram")
INDEX = ("index", "bin", "uw71")
COLOR = ("hex", "color", "colour", "rgb", "lab", "srgb")
RGB = ("r", "g", "b")
LAB = ("l", "a", "b")

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)
_INDEX = re.compile(r"(?:bin|uw71)?[ _-]*(\d{1,3})", re.ASCII | re.IGNORECASE)
_HEX = re.compile(r"#?[0-9a-fA-F]{6}", re.ASCII)
_SEPARATORS = re.compile(r"[\s,;]+")


@dataclass(frozen=True)
class SourceColor:
    """A color as it was written: ``lab`` CIELAB D65/2°, and ``as_json`` what stood there,
    ``{"hex": "#RRGGBB"}``, ``{"rgb": [r, g, b]}`` or ``{"lab": [L*, a*, b*]}``."""

    lab: tuple[float, float, float]
    as_json: Mapping[str, object]

    @property
    def text(self) -> str:
        """For a message."""
        (value,) = self.as_json.values()
        return value if isinstance(value, str) else str(value)


def normalize_header(header: str) -> str:
    """The name of a column as the tuples above have it: small letters, no star of ``L*``."""
    return header.strip().casefold().replace("*", "")


def number(text: str, label: str, decimal_comma: bool = False) -> float:
    """The number in a cell; ``label`` begins the message of the BadInput for what is none."""
    plain = text.strip()
    if not plain:
        raise BadInput(f"{label} is empty")
    if decimal_comma and _COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        hint = ": write it with a point" if _COMMA.fullmatch(plain) else ""
        raise BadInput(f'{label} is "{shorten(plain)}", which is not a number{hint}')
    return float(plain)


def comma_is_decimal(cells: Iterable[str]) -> bool:
    """Whether numbers of a file have a decimal comma: some have one, none has a point, and not all
    of them could as well be thousands."""
    some = False
    for cell in cells:
        plain = cell.strip()
        if _COMMA.fullmatch(plain):
            some = some or not _THOUSANDS.fullmatch(plain)
        elif "." in plain and _NUMBER.fullmatch(plain):
            return False
    return some


def index_in(text: str) -> int | None:
    """12 for ``12``, ``bin12``, ``bin_012``, ``Bin 12``; None for anything else."""
    match = _INDEX.fullmatch(text.strip())
    return int(match[1]) if match else None


def color_in(text: str) -> SourceColor | None:
    """The color of ``#RRGGBB`` (or without the sign), ``rgb(r, g, b)`` or ``L, a, b``; None for
    anything else. Raises BadInput for a color with a fault in it."""
    plain = text.strip()
    if _HEX.fullmatch(plain):
        return of_hex("#" + plain[-6:])
    if plain.startswith("#"):
        return of_hex(plain)
    if plain.casefold().startswith("rgb"):
        return of_rgb(read_rgb(plain) or ())
    parts = _SEPARATORS.split(plain.casefold().removeprefix("lab").strip(" ()[]"))
    if len(parts) == 3 and all(_NUMBER.fullmatch(part) for part in parts):
        return of_lab([float(part) for part in parts])
    return None


def of_hex(text: str) -> SourceColor:
    """Raises BadInput for what is no hex color."""
    srgb8 = read_hex(text.strip())
    if srgb8 is None:
        raise BadInput(f'"{shorten(text)}" is not a hex color such as #D51C3C')
    return SourceColor(triple(srgb8_to_lab(np.array(srgb8))), {"hex": hex_of(srgb8)})


def of_rgb(codes: Sequence[float]) -> SourceColor:
    """Raises BadInput for codes that are not three whole numbers from 0 to 255."""
    if len(codes) != 3 or any(not 0 <= code <= 255 or code != int(code) for code in codes):
        raise BadInput(f"r, g, b are three whole numbers from 0 to 255, not {_number_list(codes)}")
    whole = [int(code) for code in codes]
    return SourceColor(triple(srgb8_to_lab(np.array(whole))), {"rgb": whole})


def of_lab(lab: Sequence[float]) -> SourceColor:
    """Raises BadInput for what is no color: L* is 0 to 100, a* and b* at most 200 from 0."""
    if len(lab) != 3 or not 0 <= lab[0] <= 100 or any(not abs(value) <= 200 for value in lab[1:]):
        raise BadInput(
            f"L, a, b are L* from 0 to 100 and a* and b* from -200 to 200, not {_number_list(lab)}"
        )
    lightness, a, b = (float(value) for value in lab)
    return SourceColor((lightness, a, b), {"lab": [lightness, a, b]})


def _number_list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values) or "nothing"


AS_58 = "as_58"
RATINGS = "ratings"
SHARES = "shares"
COUNT_58 = len(uw58())

TOLERANCE_LAB = 3.0
"""How far a color may lie from its bin, in CIELAB units: rounding to hex moves one by at most 0.6,
and no two bins are nearer than 12."""

NEEDED = (
    f"Name the {COUNT} columns by the colors of UW-71's bins (#RRGGBB, or L,a,b), or by the bins' "
    f"index, 0 to {COUNT - 1}."
)


class FileRefused(BadInput):
    """A file of distributions that was not read.

    ``offer`` is what would read it: ``"as_58"`` to take 58 numbers for UW-58's bins, ``"ratings"``
    to divide each row by its sum (``normalize``; ``"shares"`` does so too, for counts or percent),
    ``"words"`` to say which concept it is of, or empty. ``problems`` has one sentence for each row,
    where it was the rows that were refused.
    """

    def __init__(self, message: str, offer: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.offer, self.problems = offer, problems


def offer_58(label: str) -> FileRefused:
    """The refusal of 58 numbers that nobody said to be UW-58's. ``label`` has them."""
    return FileRefused(
        f"{label} has {COUNT_58} numbers; UW-71 has {COUNT} bins. These may be the {COUNT_58} bins "
        f"of UW-58: import them as UW-58, and each is assigned to its bin, with 0 in the "
        f"{COUNT - COUNT_58} bins of L* = 88.",
        AS_58,
    )


@dataclass(frozen=True)
class Order:
    """``bins[i]`` is the index in UW-71 of a file's number ``i``. ``notes`` say how it was found
    out."""

    bins: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @property
    def canonical(self) -> bool:
        """Whether the numbers stand in UW-71's own order, all of them."""
        return self.bins == tuple(range(COUNT))

    def placed(self, numbers: Sequence[float]) -> np.ndarray:
        """The numbers as float64 ``(71,)`` in UW-71's order; 0 in bins that the file lacks."""
        weights = np.zeros(COUNT)
        weights[list(self.bins)] = numbers
        return weights


def by_position(count: int, as_58: bool, label: str) -> Order:
    """The order of ``count`` bare numbers: nothing says more than their place. ``label`` has them.

    Raises FileRefused for a count that is neither 71 nor, with ``as_58``, 58.
    """
    _check_count(count, as_58, label)
    return by_index(range(count), as_58, label)


def by_index(indices: Sequence[int], as_58: bool, label: str) -> Order:
    """The order of numbers that have the index of their bin beside them.

    Raises FileRefused where an index is missing, stands twice or is above the last.
    """
    _check_count(len(indices), as_58, label)
    last = len(indices) - 1
    twice = sorted({index for index in indices if list(indices).count(index) > 1})
    if twice:
        raise FileRefused(f"{label} has bin {twice[0]} more than once. {NEEDED}")
    if min(indices) != 0 or max(indices) != last:
        missing = min(set(range(len(indices))) - set(indices))
        raise FileRefused(
            f"{label} has the bins {min(indices)} to {max(indices)} and no bin {missing}; the bins "
            f"of UW-{len(indices)} count from 0 to {last}. Renumber them, or give their colors."
        )
    if len(indices) == COUNT_58:
        note = (
            "The 58 bins were read in UW-71's order without L* = 88; nothing in the file "
            "confirms that order. The published order of UW-58 is another one: give the "
            "colors of the bins "
            "to be sure."
        )
        return Order(tuple(uw58()[index] for index in indices), (note,))
    note = "The bins were read by their index; nothing in the file confirms their order."
    return Order(tuple(indices), (note,))


def by_color(
    colors: Sequence[SourceColor],
    labels: Sequence[str],
    as_58: bool,
    label: str,
    indices: Sequence[int] | None = None,
) -> Order:
    """The order of numbers that have a color beside them: the nearest bin's.

    ``labels`` name the numbers in messages ("column 5"). Raises FileRefused for a color that is no
    bin's, for two of the same bin, and for an index in ``indices`` that contradicts its color.
    """
    _check_count(len(colors), as_58, label)
    bins: list[int] = []
    for position, color in enumerate(colors):
        nearest = _bin_of(color, labels[position])
        if nearest in bins:
            first = bins.index(nearest)
            raise FileRefused(
                f"{_begin(labels[first])} ({colors[first].text}) and {labels[position]} "
                f"({color.text}) are both bin {nearest}. Each bin may occur only once."
            )
        bins.append(nearest)
    if len(bins) == COUNT_58:
        extra = sorted(set(bins) - set(uw58()))
        if extra:
            raise FileRefused(
                f"{label} has {COUNT_58} colors, but {uw71()[extra[0]].hex} is one of L* = 88, "
                "which UW-58 does not have."
            )
        # An index then counts in UW-58's own order, which the colors need not follow.
        note = "The 58 bins of UW-58 were assigned by their colors, with 0 in those of L* = 88."
        return Order(tuple(bins), (note,))
    for index, nearest, color in zip(indices or bins, bins, colors, strict=True):
        if index != nearest:
            raise FileRefused(
                f"{label} calls the color {color.text} bin {index}, but it is that of bin {nearest} "
                f"({uw71()[nearest].hex}). Remove the index or the colors, whichever is wrong."
            )
    if bins == sorted(bins):
        return Order(tuple(bins), ("The order of the bins was checked by their colors.",))
    note = "The bins were in another order than UW-71's and were reordered by their colors."
    return Order(tuple(bins), (note,))


def _bin_of(color: SourceColor, label: str) -> int:
    distance = np.sqrt(((lab71() - np.array(color.lab)) ** 2).sum(axis=1))
    nearest = int(np.argmin(distance))
    if distance[nearest] > TOLERANCE_LAB:
        raise FileRefused(
            f"{_begin(label)} has the color {color.text}, which is not a bin of UW-71: the "
            f"closest is bin {nearest} ({uw71()[nearest].hex}), {distance[nearest]:.1f} "
            "CIELAB "
            "units away."
        )
    return nearest


def _begin(label: str) -> str:
    return label[:1].upper() + label[1:]


def _check_count(count: int, as_58: bool, label: str) -> None:
    if count == COUNT or (count == COUNT_58 and as_58):
        return
    if count == COUNT_58:
        raise offer_58(label)
    raise FileRefused(f"{label} has {count} numbers; UW-71 has {COUNT} bins. {NEEDED}")
