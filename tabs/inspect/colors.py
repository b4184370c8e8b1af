"""The measured colors of a mask or of a whole image, without a target color."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from truehue.core.analysis.intervals import wilson
from truehue.core.color.notation import lab_text
from truehue.core.color.people import Survey, naming, percent_text, same_name, surveys
from truehue.core.color.spaces import chroma, hex_of, hue_deg, lab_to_srgb8, srgb8_to_lab
from truehue.core.color.systems import SYSTEMS, all_nearest
from truehue.core.concepts.palette import (
    MERGED_DELTA_E00,
    ColorDescription,
    describe_colors,
)
from truehue.core.errors import BadInput
from truehue.core.images.pixels import MaskedColors, masked_colors
from truehue.core.spreadsheets import csv_text
from truehue.tabs.inspect.steps import StepJson
from truehue.tabs.page import figures

Lab = tuple[float, float, float]

EVEN_CONTRAST = 49.5
"""The L* on which black and white text have the same contrast (WCAG, about 4.6 to 1)."""
COLOR_COLUMNS = (
    *("part", "percent", "hex", "L*", "a*", "b*"),
    *("people_name", "people_percent", "people_answers"),
)
PEOPLE_ROWS = 3
PEOPLE_TEXT = "Names by people ({survey}, {answers:,} answers; 95% intervals), which no rule uses"
MAX_PIXELS = 1_000_000
"""Of a whole picture, so that a photograph of many megapixels opens as fast as another."""
LIT_HELP = (
    "The color of the best-lit part of the largest material: light and shade are seen through, as "
    "by the rule truehue."
)
MEAN_HELP = "The mean of all pixels in CIELAB, shadows and highlights included."
PALETTE_HELP = (
    "Exact pixels pooled in 8 × 8 × 8 cells of sRGB; the largest 20, merged while "
    f"{MERGED_DELTA_E00:g} ΔE00 or less apart. Compare pools a sample of 100 × 100 pixels, as "
    "ColorConceptBench does, so its palette of the same pixels can differ."
)


HUELESS_CHROMA = 0.5
"""C*ab below which no hue is printed: rounding to 8 bits alone moves a neutral by up to 0.6 to 0.9 in
any direction. Differences of hue, which decide verdicts, have their own gate of C*ab 5."""


def lch_text(lab: Sequence[float]) -> str:
    """Chroma and hue angle; ``h –`` for a neutral."""
    size = float(chroma(np.array(lab)))
    hue = f"{float(hue_deg(np.array(lab))):.1f}°" if size >= HUELESS_CHROMA else "–"
    return f"C*\u00a0{size:.2f}\u00a0· h\u00a0{hue}"


class NearestName(TypedDict):
    """The nearest name in a color system, and how far it is."""

    system: str
    name: str
    hex: str
    delta_e00: str


class ColorRow(TypedDict):
    """A color in numbers and names; ``dark_text`` is what can be read on it."""

    title: str
    text: str
    help: str
    hex: str
    lab: str
    lch: str
    dark_text: bool
    people: str
    names: list[NearestName]


def color_row(title: str, lab: Lab, text: str = "", tip: str = "") -> ColorRow:
    """One color with its numbers and its nearest name in each standard system."""
    names: list[NearestName] = [
        {
            "system": SYSTEMS[key],
            "name": near[0][0].name,
            "hex": near[0][0].hex,
            "delta_e00": f"{near[0][1]:.1f}",
        }
        for key, near in all_nearest(np.array(lab), 1).items()
    ]
    return {
        "title": title,
        "text": text,
        "help": tip,
        "hex": hex_of(lab_to_srgb8(np.array(lab))),
        "lab": lab_text(lab),
        "lch": lch_text(lab),
        "dark_text": lab[0] > EVEN_CONTRAST,
        "people": _people_text(lab),
        "names": names,
    }


def _people_text(lab: Lab) -> str:
    """The names that people use most for a color, by each survey that has an answer for it."""
    said = [f"people say {naming(lab).label()}"]
    for survey in surveys()[1:]:
        found = naming(lab, survey)
        if found.names:
            said.append(f"{survey.title}: {found.label()}")
    return "; ".join(said)


class PaletteShare(TypedDict):
    """A color of a palette, and the percentage of the pixels that it has."""

    hex: str
    percent: float
    text: str


class ColorsJson(TypedDict):
    """The colors for the card; ``of`` says of what, ``note`` what to know about it; ``csv`` has them as
    a file."""

    of: str
    note: str
    palette: list[PaletteShare]
    palette_help: str
    palette_text: str
    rows: list[ColorRow]
    csv: str


class CloseName(TypedDict):
    """A named color, and how far it is."""

    name: str
    hex: str
    delta_e00: str


class PeopleName(TypedDict):
    """A name that people use, and how many do, with the 95% interval; ``target``: it is the
    target's."""

    name: str
    percent: str
    interval: str
    target: bool


class PeopleNames(TypedDict):
    """What people call a color, by a survey; ``text`` says which, and of how many answers."""

    text: str
    rows: list[PeopleName]


class SystemNames(TypedDict):
    """The nearest names of a color system."""

    system: str
    rows: list[CloseName]


class OffsetRow(TypedDict):
    """A difference of measured and target color."""

    label: str
    text: str
    value: float
    word: str


class OffsetsJson(TypedDict):
    """The differences to a color."""

    to: str
    rows: list[OffsetRow]


class MeasureText(TypedDict):
    """What a measure says of the whole image."""

    name: str
    text: str
    title: str


class EvidenceCards(TypedDict):
    """The cards below the image; empty where there is nothing to show."""

    chromaticity: dict[str, Any]
    lightness: dict[str, Any]
    offsets: OffsetsJson | Literal[""]
    names_of: str
    names: list[SystemNames]
    people: list[PeopleNames]
    steps: list[StepJson]
    measures: NotRequired[list[MeasureText]]
    colors: NotRequired[ColorsJson | Literal[""]]


def colors_view(described: ColorDescription, suffix: str, note: str = "") -> ColorsJson:
    """The colors for the card."""
    lit_share = f"{100.0 * described.lit_share:.0f}% of the pixels"
    palette: list[PaletteShare] = [
        {
            "hex": hex_code,
            "percent": 100.0 * float(weight),
            "text": f"{hex_code} · {100.0 * float(weight):.1f}% · {lab_text(lab)}",
        }
        for hex_code, weight, lab in zip(
            described.palette.hexes, described.palette.weights, described.palette.lab, strict=True
        )
    ]
    share = 100.0 * described.palette_share
    return {
        "of": suffix,
        "note": note,
        "palette": palette,
        "palette_help": PALETTE_HELP,
        "palette_text": f"{_many(len(palette))}, {share:.0f}% of all pixels · CIELAB for D65, 2°",
        "rows": [
            color_row("Lit region", described.lit_lab, lit_share, LIT_HELP),
            color_row("Mean of all pixels", described.mean_lab, "all pixels", MEAN_HELP),
        ],
        "csv": colors_csv(described),
    }


def colors_csv(described: ColorDescription) -> str:
    """The colors as CSV: lit region, mean and palette, each with its share of the pixels, CIELAB for
    D65 and 2 degrees, and the name that people use most for it."""
    every: list[tuple[str, float, ArrayLike]] = [
        ("lit region", described.lit_share, described.lit_lab),
        ("mean of all pixels", 1.0, described.mean_lab),
    ]
    palette = zip(described.palette.weights, described.palette.lab, strict=True)
    every += [("palette", float(share), lab) for share, lab in palette]
    return csv_text(COLOR_COLUMNS, [_color_values(*color) for color in every])


def _color_values(part: str, share: float, lab: ArrayLike) -> list[str | float | int]:
    values, people = np.asarray(lab, dtype=np.float64), naming(lab)
    name = people.names[0]
    return [
        part,
        round(100.0 * share, 2),
        hex_of(lab_to_srgb8(values)),
        *(round(float(value), 3) for value in values),
        name.name,
        round(100.0 * name.share, 1),
        people.answers,
    ]


def _many(count: int) -> str:
    return "1 color" if count == 1 else f"{count} colors"


def evidence_of_colors(
    colors: MaskedColors, described: ColorDescription, steps: Sequence[StepJson]
) -> EvidenceCards:
    """The cards below the image while nothing is asked: there is no difference to show."""
    return {
        "chromaticity": figures.chromaticity_of_colors(colors, described),
        "lightness": figures.lightness_of_colors(colors, described),
        "offsets": "",
        "names_of": "the lit region",
        "names": nearest_names_view(described.lit_lab),
        "people": people_view(described.lit_lab),
        "steps": list(steps),
    }


def nearest_names_view(lab: Lab) -> list[SystemNames]:
    """The three nearest names of each standard system."""
    return [
        {
            "system": SYSTEMS[key],
            "rows": [
                {"name": color.name, "hex": color.hex, "delta_e00": f"{distance:.1f}"}
                for color, distance in near
            ],
        }
        for key, near in all_nearest(np.array(lab), 3).items()
    ]


def people_view(lab: Lab, target: str = "") -> list[PeopleNames]:
    """By each survey: the names that people use most for a color, and how many use the ``target``'s
    name for it, where that is a name of the survey."""
    views = (_names_of(survey, lab, target) for survey in surveys())
    return [view for view in views if view["rows"]]


def _names_of(survey: Survey, lab: Lab, target: str) -> PeopleNames:
    found = naming(lab, survey)
    rows = [(item.name, item.share) for item in found.names[:PEOPLE_ROWS]]
    share = found.share_of(target) if rows else None
    if share is not None and not any(same_name(name, target) for name, _ in rows):
        rows.append((target, share))
    return {
        "text": PEOPLE_TEXT.format(survey=survey.title, answers=found.answers),
        "rows": [
            {
                "name": name,
                "percent": percent_text(share),
                "interval": "{:.0f}–{:.0f}%".format(*wilson(share, found.answers)),
                "target": same_name(name, target),
            }
            for name, share in rows
        ],
    }


def whole_image(srgb8: np.ndarray) -> tuple[MaskedColors, ColorDescription, str]:
    """The colors of a picture ``(H, W, 3)`` without a mask, and which of its pixels were looked at
    in words. Raises NoPixels for a picture of one pixel."""
    step = max(1, math.ceil(math.sqrt(srgb8.shape[0] * srgb8.shape[1] / MAX_PIXELS)))
    part = np.ascontiguousarray(srgb8[::step, ::step])
    colors = masked_colors(part, np.ones(part.shape[:2], dtype=bool))
    every = "" if step == 1 else f" Measured on every {_ordinal(step)} pixel of a row and column."
    return colors, describe_colors(colors), every


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def pixel_view(text: str) -> ColorRow:
    """What the eyedropper says of a color ``RRGGBB``; raises BadInput for anything else."""
    digits = text.removeprefix("#")
    if len(digits) != 6 or any(sign not in "0123456789abcdefABCDEF" for sign in digits):
        raise BadInput(f'"{text[:20]}" is no color: write six hex digits, as in E83B1B.')
    srgb8 = np.array([int(digits[index : index + 2], 16) for index in (0, 2, 4)], dtype=np.uint8)
    lab = srgb8_to_lab(srgb8)
    return color_row("", (float(lab[0]), float(lab[1]), float(lab[2])))
