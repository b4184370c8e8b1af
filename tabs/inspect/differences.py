"""The difference of colors by other formulas than a verdict's: evidence, which stores nothing."""

from __future__ import annotations

from dataclasses import fields
from typing import TypedDict

from pydantic import Field

from truehue.core.color.formulas import FORMULAS, SRGB_VIEWING, ViewingConditions
from truehue.core.color.systems import Lab
from truehue.core.verdict.differences import plain
from truehue.core.verdict.measure import Measurement
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor

MAX_REFERENCES = 100


class ReferenceColor(TypedDict):
    """A color that the measured one is compared with."""

    title: str
    lab: Lab


class ComparedColors(TypedDict):
    """The colors of a verdict: the measured one, and those that it is compared with."""

    lab: Lab
    references: list[ReferenceColor]


class CompareColors(PageRequest):
    """A color, those to compare it with, and the viewing conditions: CIELAB for D65 and 2 degrees."""

    lab: Lab = Field(title="The color")
    references: list[Lab] = Field(
        title="The colors to compare with", min_length=1, max_length=MAX_REFERENCES
    )
    adapting_cd_m2: float = Field(SRGB_VIEWING.adapting_cd_m2, title="The adapting luminance L_A")
    background_percent: float = Field(SRGB_VIEWING.background_percent, title="The background Y_b")
    surround: str = SRGB_VIEWING.surround
    white_cd_m2: float = Field(SRGB_VIEWING.white_cd_m2, title="The luminance of white")


class FormulaDifferences(TypedDict):
    """A formula, and the difference from each reference; null where it is not defined."""

    id: str
    name: str
    definition: str
    source: str
    values: list[float | None]


class ColorDifferences(TypedDict):
    """The differences by every formula, and the viewing conditions that they are for."""

    viewing: ViewingConditions
    formulas: list[FormulaDifferences]


def color_differences(context: Context, actor: Actor, request: CompareColors) -> ColorDifferences:
    """The difference of a color from each of some references by CIEDE2000, CIE 1976, CIE 1994, CMC,
    CAM16-UCS, ΔE ITP and HyAB; changes no verdict."""
    viewing = ViewingConditions(
        **{field.name: getattr(request, field.name) for field in fields(ViewingConditions)}
    )
    found = [plain(request.lab, reference, viewing) for reference in request.references]
    return {
        "viewing": viewing,
        "formulas": [
            {
                "id": entry.id,
                "name": entry.name,
                "definition": entry.definition,
                "source": entry.source,
                "values": [values[entry.id] for values in found],
            }
            for entry in FORMULAS
        ],
    }


def compared_colors(measurement: Measurement) -> ComparedColors:
    """The colors whose difference the card can show: the target, and where it is another one the
    color to which the verdict's ΔE00 was taken."""
    lab, compared = measurement.verdict.lab, measurement.compared_lab
    assert lab is not None
    assert compared is not None
    target = measurement.target.lab
    references: list[ReferenceColor] = [{"title": "Target", "lab": target}]
    if compared != target:
        lit = measurement.verdict.light is not None
        title = "Target under this light" if lit else "Accepted color"
        references.append({"title": title, "lab": compared})
    return {"lab": lab, "references": references}
