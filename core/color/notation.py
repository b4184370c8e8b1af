"""Colors written as hex, ``rgb()``, ``lab()``, ``lch()``, ``oklab()``, ``oklch()`` or ``hsl()``.

One deliberate difference from CSS: CSS defines ``lab()`` and ``lch()`` relative to D50. TrueHue
reads them as CIELAB for D65 and 2 degrees, like all its other numbers, so that a Lab value copied
from the page means the same color when pasted. OKLab and HSL are defined for D65 in CSS too.

Sources: CSS Color Module Level 4, sections 7 to 9 (syntax, and what 100% means); Ottosson, "A
perceptual color space for image processing" (2020) for OKLab.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from truehue.core.color.spaces import (
    hex_of,
    lab_to_srgb1,
    lab_to_srgb8,
    srgb1_to_lab,
    srgb8_to_lab,
    triple,
    xyz1_to_lab,
)
from truehue.core.errors import UnknownColor

HEX_DIGITS = "0123456789abcdefABCDEF"
CHANNELS = ("red", "green", "blue")


def shorten(text: str, limit: int = 40) -> str:
    """The typed text, on one line and at most ``limit`` characters long, for a message."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def read_hex(text: str) -> tuple[int, int, int] | None:
    """sRGB codes 0 to 255 of ``#RRGGBB``, ``#RGB`` or ``RRGGBB`` with a digit in it.

    None when the text is no hex value; UnknownColor, naming the fault, when it is a wrong one.
    """
    digits = text.removeprefix("#").strip()
    wrong = [(position, sign) for position, sign in enumerate(digits, 1) if sign not in HEX_DIGITS]
    if not text.startswith("#"):
        # No color name has a digit: six signs with one, and at most one of them wrong, are meant
        # as hex. "facade" may be a name, and "123" could be the start of a triple: both stay.
        numbered = any(sign in "0123456789" for sign in digits)
        if len(digits) != 6 or not numbered or len(wrong) > 1 or not digits.isalnum():
            return None
    if wrong:
        index, sign = wrong[0]
        raise UnknownColor(
            f'In the hex color "{shorten(text)}" digit {index} is "{sign}"; hex digits are 0–9 '
            "and A–F."
        )
    if len(digits) not in (3, 6):
        hint = " Leave the transparency at its end out." if len(digits) in (4, 8) else ""
        raise UnknownColor(
            f'The hex color "{shorten(text)}" has {len(digits)} digits; it needs 6 (#D51C3C) '
            f"or 3 (#F80).{hint}"
        )
    if len(digits) == 3:
        digits = "".join(sign * 2 for sign in digits)
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def read_rgb(text: str) -> tuple[int, int, int] | None:
    """sRGB codes 0 to 255 of ``rgb(1, 2, 3)``, ``1,2,3``, ``1 2 3`` or ``(1, 2, 3)``.

    None when the text is no rgb value; UnknownColor, naming the channel, when it is a wrong one.
    """
    called = re.fullmatch(r"rgb\s*\(([^()]*)\)?", text, flags=re.IGNORECASE)
    bare = re.fullmatch(r"(?=.*[0-9])[(\[]?([-+0-9.%]+(?:[\s,;]+[-+0-9.%]+)*)[\s,;]*[)\]]?", text)
    match = called or bare
    if match is None:
        return None
    parts = [part for part in re.split(r"[\s,;]+", match[1]) if part]
    if len(parts) != 3:
        raise UnknownColor(
            f'"{shorten(text)}" has {len(parts)} number{"" if len(parts) == 1 else "s"}; an rgb '
            "color has three: red, green and blue."
        )
    codes = []
    for channel, part in zip(CHANNELS, parts, strict=True):
        if not re.fullmatch(r"[0-9]{1,3}", part) or int(part) > 255:
            raise UnknownColor(
                f'The {channel} of "{shorten(text)}" is {shorten(part)}; it must be a whole '
                "number from 0 to 255."
            )
        codes.append(int(part))
    return codes[0], codes[1], codes[2]


Triple = tuple[float, float, float]

XYZ1_TO_LMS = np.array(
    [
        [0.8189330101, 0.3618667424, -0.1288597137],
        [0.0329845436, 0.9293118715, 0.0361456387],
        [0.0482003018, 0.2643662691, 0.6338517070],
    ]
)
LMS_TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LMS_TO_XYZ1 = np.linalg.inv(XYZ1_TO_LMS)
_OKLAB_TO_LMS = np.linalg.inv(LMS_TO_OKLAB)
MAX_NUMBER = 1e5
"""No number of a color is larger, however it is written; an angle of more has lost its degrees."""
OUTSIDE_BY = 0.5
"""In CIELAB: numbers that were rounded to be read may lie as little outside of sRGB."""
# Of each function: its parts, and what 100% of each is; None for an angle.
_PARTS: dict[str, tuple[tuple[str, float | None], ...]] = {
    "lab": (("L*", 100.0), ("a*", 125.0), ("b*", 125.0)),
    "lch": (("L*", 100.0), ("C*", 150.0), ("hue", None)),
    "oklab": (("L", 1.0), ("a", 0.4), ("b", 0.4)),
    "oklch": (("L", 1.0), ("C", 0.4), ("hue", None)),
    "hsl": (("hue", None), ("saturation", 100.0), ("lightness", 100.0)),
}
_TURNS = {"": 1.0, "deg": 1.0, "grad": 0.9, "rad": 180.0 / math.pi, "turn": 360.0}
_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)(%|deg|grad|rad|turn)?")


@dataclass(frozen=True)
class WrittenColor:
    """A color that was written as a function.

    ``lab`` is what was asked for, D65 and 2 degrees, not rounded to 8 bits; ``srgb8`` the nearest
    code. ``notation`` is the text in its plainest form, which reads back to the same color; empty
    for hsl, which is an sRGB color of 8 bits as in every browser.
    """

    lab: Triple
    srgb8: tuple[int, int, int]
    notation: str


def read_function(text: str) -> WrittenColor | None:
    """Reads ``lab(52 40 30)`` and its kin; None for a text that is no such function.

    Blanks or commas part the numbers; percent, ``none``, and ``deg``, ``grad``, ``rad`` or ``turn``
    after a hue are read as in CSS. Raises UnknownColor that names the fault; also for a color
    outside of sRGB, which no image here could hold, with the most vivid one of its lightness and
    hue.
    """
    match = re.fullmatch(r"([a-z]+)\s*\((.*?)\)?", text.strip(), flags=re.IGNORECASE | re.DOTALL)
    if match is None or match[1].lower().removesuffix("a") not in _PARTS:
        return None
    name = match[1].lower()
    name = name if name in _PARTS else name.removesuffix("a")
    if "/" in match[2]:
        raise UnknownColor(
            f'"{shorten(text)}" is see-through; leave out the slash and what follows it.'
        )
    parts = [part for part in re.split(r"[\s,;]+", match[2].lower()) if part]
    part_scales = _PARTS[name]
    if len(parts) != 3:
        names = ", ".join(part for part, _ in part_scales)
        raise UnknownColor(
            f'"{shorten(text)}" has {len(parts)} number{"" if len(parts) == 1 else "s"}; {name} '
            f"has three: {names}."
        )
    values = [
        _value(text, part, label, full)
        for part, (label, full) in zip(parts, part_scales, strict=True)
    ]
    _check(text, name, values)
    first, second, third = values
    if name == "hsl":
        srgb8 = hsl_to_srgb8((first, second, third))
        lab = triple(srgb8_to_lab(np.array(srgb8, dtype=np.uint8)))
        return WrittenColor(lab, srgb8, "")
    lab = TO_LAB[name]((first, second, third))
    if not bool(in_srgb(np.array(lab))):
        near = reduce_chroma_to_srgb(name, (first, second, third))
        raise UnknownColor(
            f'"{shorten(text)}" lies outside of sRGB, so no image here can have that color. Of its '
            f"lightness and hue the most vivid inside is {_written(name, near)}, "
            f"{hex_of(lab_to_srgb8(np.array(TO_LAB[name](near))))}."
        )
    code = lab_to_srgb8(np.array(lab))
    notation = _written(name, (first, second, third))
    return WrittenColor(lab, (int(code[0]), int(code[1]), int(code[2])), notation)


def oklab_to_lab(oklab: Triple) -> Triple:
    """OKLab, L 0 to 1, to CIELAB for D65."""
    lms = (_OKLAB_TO_LMS @ np.array(oklab, dtype=np.float64)) ** 3
    return triple(xyz1_to_lab(_LMS_TO_XYZ1 @ lms))


def from_polar(lch: Triple) -> Triple:
    """Lightness, chroma and hue in degrees to lightness and two rectangular coordinates."""
    angle = math.radians(lch[2])
    return lch[0], lch[1] * math.cos(angle), lch[1] * math.sin(angle)


def hsl_to_srgb8(hsl: Triple) -> tuple[int, int, int]:
    """Hue in degrees, saturation and lightness in percent to sRGB codes (CSS Color 4, 7.1)."""
    hue, saturation, lightness = hsl[0] % 360.0, hsl[1] / 100.0, hsl[2] / 100.0
    reach = saturation * min(lightness, 1.0 - lightness)

    def code(n: int) -> int:
        k = (n + hue / 30.0) % 12.0
        value = lightness - reach * max(-1.0, min(k - 3.0, 9.0 - k, 1.0))
        return math.floor(255.0 * min(max(value, 0.0), 1.0) + 0.5)

    return code(0), code(8), code(4)


TO_LAB: dict[str, Callable[[Triple], Triple]] = {
    "lab": lambda lab: lab,
    "lch": from_polar,
    "oklab": oklab_to_lab,
    "oklch": lambda lch: oklab_to_lab(from_polar(lch)),
}
"""How the three numbers of each function become CIELAB; hsl becomes codes instead."""


def in_srgb(lab: np.ndarray) -> np.ndarray:
    """Whether colors ``(..., 3)`` in CIELAB lie in sRGB, or no more outside than rounding can
    put them; bool ``(...)``."""
    lab = np.asarray(lab, dtype=np.float64)
    clipped = srgb1_to_lab(np.clip(lab_to_srgb1(lab), 0.0, 1.0))
    return np.asarray(((lab - clipped) ** 2).sum(axis=-1) <= OUTSIDE_BY**2)


def reduce_chroma_to_srgb(name: str, values: Triple) -> Triple:
    """The numbers, in the function ``name``, of the color of sRGB that has the lightness and hue of
    ``values`` and the most chroma: C* for lab and lch, C of OKLab for oklab and oklch.

    They are cut to tenths or thousandths, so that the color as it is written lies inside.
    """
    # No color of sRGB has a chroma as high.
    scale, high = (1000.0, 0.4) if name.startswith("ok") else (10.0, 150.0)
    lightness, second, third = values
    chroma = second if name.endswith("lch") else math.hypot(second, third)

    def cut(value: float) -> float:
        return math.trunc(scale * value) / scale

    def color_of(size: float) -> Triple:
        if name.endswith("lch"):
            return lightness, cut(size), third % 360.0
        return lightness, cut(second * size / chroma), cut(third * size / chroma)

    low = 0.0
    for _ in range(40):
        middle = (low + high) / 2.0
        srgb1 = lab_to_srgb1(np.array(TO_LAB[name](color_of(middle))))
        inside = bool(((srgb1 >= 0.0) & (srgb1 <= 1.0)).all())
        low, high = (middle, high) if inside else (low, middle)
    return color_of(low)


def format_signed(value: float, decimals: int = 2) -> str:
    """Fixed decimals with a real minus sign and no minus zero."""
    text = f"{value:.{decimals}f}"
    return (text.removeprefix("-") if float(text) == 0.0 else text).replace("-", "−")


def lab_text(lab: Sequence[float]) -> str:
    """``L* 52.2 · a* 64.36 · b* −5.10``; lines break between the numbers, not within one."""
    parts = (
        f"L*\u00a0{lab[0]:.1f}",
        f"a*\u00a0{format_signed(lab[1])}",
        f"b*\u00a0{format_signed(lab[2])}",
    )
    return "\u00a0· ".join(parts)


def _value(text: str, part: str, label: str, full: float | None) -> float:
    """One number of a function. ``full`` is what 100% is, None for an angle."""
    if part == "none":
        return 0.0
    match = _NUMBER.fullmatch(part.replace("−", "-").replace("°", "deg"))
    unit = (match[2] or "") if match else ""
    fits = match is not None and (unit in _TURNS if full is None else unit in ("", "%"))
    if match is None or not fits or abs(float(match[1])) > MAX_NUMBER:
        kind = "an angle such as 120 or 120deg" if full is None else "a number or a percentage"
        kind += f", at most {MAX_NUMBER:,.0f}" if fits else ""
        raise UnknownColor(
            f'The {label} of "{shorten(text)}" is {shorten(part)}; it must be {kind}.'
        )
    number = float(match[1])
    if full is None:
        return number * _TURNS[unit]
    return number * full / 100.0 if unit == "%" else number


def _check(text: str, name: str, values: list[float]) -> None:
    """Raises UnknownColor for a lightness, chroma or saturation that there is not."""
    for (label, full), value in zip(_PARTS[name], values, strict=True):
        limit = full if label in ("L*", "L", "saturation", "lightness") else None
        chroma = label in ("C*", "C")
        if (limit is not None and not 0.0 <= value <= limit) or (chroma and value < 0.0):
            room = "0 or more" if limit is None else f"from 0 to {limit:g}"
            raise UnknownColor(f'The {label} of "{shorten(text)}" is {value:g}; it must be {room}.')


def _written(name: str, values: Triple) -> str:
    return f"{name}({' '.join(map(_plain, values))})"


def _plain(value: float) -> str:
    """A number as short as it reads back: ``0.1``, ``52``."""
    return f"{value:.10g}" if value else "0"
