"""Numbers and colors as they stand in a cell, and what columns are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.color.notation import read_hex, read_rgb, shortened
from truehue.core.color.spaces import hex_of, srgb8_to_lab
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


def called(header: str) -> str:
    """The name of a column as the tuples above have it: small letters, no star of ``L*``."""
    return header.strip().casefold().replace("*", "")


def number(text: str, label: str, decimal_comma: bool = False) -> float:
    """The number in a cell; ``what`` begins the message of the BadInput for what is none."""
    plain = text.strip()
    if not plain:
        raise BadInput(f"{label} is empty")
    if decimal_comma and _COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        hint = ": write it with a point" if _COMMA.fullmatch(plain) else ""
        raise BadInput(f'{label} is "{shortened(plain)}", which is not a number{hint}')
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
        raise BadInput(f'"{shortened(text)}" is not a hex color such as #D51C3C')
    return SourceColor(_triple(srgb8_to_lab(np.array(srgb8))), {"hex": hex_of(srgb8)})


def of_rgb(codes: Sequence[float]) -> SourceColor:
    """Raises BadInput for codes that are not three whole numbers from 0 to 255."""
    if len(codes) != 3 or any(not 0 <= code <= 255 or code != int(code) for code in codes):
        raise BadInput(f"r, g, b are three whole numbers from 0 to 255, not {_number_list(codes)}")
    whole = [int(code) for code in codes]
    return SourceColor(_triple(srgb8_to_lab(np.array(whole))), {"rgb": whole})


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


def _triple(lab: np.ndarray) -> tuple[float, float, float]:
    lightness, a, b = (float(value) for value in lab)
    return lightness, a, b
