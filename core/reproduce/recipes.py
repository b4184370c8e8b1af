"""The one list of recipes: a new one is a line here."""

from __future__ import annotations

from truehue.core.reproduce import (
    color_judge,
    colorbench,
    colorconceptbench,
    fidelity,
    gencolorbench,
)
from truehue.core.reproduce.recipe import Recipe

RECIPES: tuple[Recipe, ...] = (
    *gencolorbench.RECIPES,
    *color_judge.RECIPES,
    *colorconceptbench.RECIPES,
    *colorbench.RECIPES,
    *fidelity.RECIPES,
)
"""By paper, in the papers' order."""
