"""The matrix by which the page simulates color vision deficiency, for a filter of the screen."""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from truehue.core.color.vision import SOURCE, deficiency_name, simulation_matrix
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor


class SimulateVision(PageRequest):
    """A deficiency, protan, deutan or tritan, and its severity, 0 to 1."""

    deficiency: str
    severity: float = Field(1.0, title="The severity")


class VisionSimulation(TypedDict):
    """The matrix of a simulation, three rows for linear sRGB, and what it is called."""

    name: str
    severity: float
    matrix: list[list[float]]
    source: str


def vision_simulation(context: Context, actor: Actor, request: SimulateVision) -> VisionSimulation:
    """The matrix that simulates a color vision deficiency in linear sRGB: `deficiency` is protan,
    deutan or tritan, `severity` 0 to 1."""
    matrix = simulation_matrix(request.deficiency, request.severity)
    return {
        "name": deficiency_name(request.deficiency, request.severity),
        "severity": request.severity,
        "matrix": matrix.tolist(),
        "source": SOURCE,
    }
