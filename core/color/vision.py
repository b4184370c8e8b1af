"""Simulation of color vision deficiency, by Machado, Oliveira and Fernandes.

"A physiologically-based model for simulation of color vision deficiency", IEEE Transactions on
Visualization and Computer Graphics 15 (2009) 1291-1298, DOI 10.1109/TVCG.2009.113. The matrices are
those that the authors published for severities in steps of 0.1, as colour-science has them; between
two steps they are interpolated. They apply to linear sRGB. Nothing that is measured uses them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truehue.core.color.spaces import linear1_to_srgb1, srgb8_to_linear1
from truehue.core.errors import BadInput
from truehue.core.packages import colour_science

DEFICIENCIES = ("protan", "deutan", "tritan")
SOURCE = "Machado, Oliveira, Fernandes 2009"


def simulation_matrix(deficiency: str, severity: float = 1.0) -> NDArray[np.float64]:
    """The matrix ``(3, 3)`` that takes linear sRGB, as columns, to what is seen.

    ``deficiency`` is one of :data:`DEFICIENCIES`; ``severity`` 0 (none) to 1 (protanopia,
    deuteranopia; of tritan the authors call it an approximation). Raises BadInput, also where
    colour-science is not installed.
    """
    if deficiency not in DEFICIENCIES:
        raise BadInput(f"The deficiency is one of {', '.join(DEFICIENCIES)}.", "deficiency")
    if not 0.0 <= severity <= 1.0:
        raise BadInput("The severity lies from 0 to 1.", "severity")
    colour = colour_science("simulate color vision deficiency")
    published = colour.blindness.CVD_MATRICES_MACHADO2010[
        deficiency_name(deficiency, 0.0).capitalize()
    ]
    steps = sorted(published)
    # colour-science's own function continues the next interval beyond its lower end.
    matrices = np.array([published[step] for step in steps]).reshape(len(steps), 9)
    return np.array([np.interp(severity, steps, entry) for entry in matrices.T]).reshape(3, 3)


def simulate(srgb8: NDArray[np.uint8], deficiency: str, severity: float = 1.0) -> NDArray[np.uint8]:
    """An image or colors ``(..., 3)`` as seen with a deficiency: uint8 sRGB of the same shape,
    clipped to the gamut. Errors as :func:`simulation_matrix`."""
    seen = srgb8_to_linear1(srgb8) @ simulation_matrix(deficiency, severity).T
    srgb1 = linear1_to_srgb1(np.clip(seen, 0.0, 1.0))
    return np.rint(255.0 * srgb1).astype(np.uint8)


def deficiency_name(deficiency: str, severity: float = 1.0) -> str:
    """``"deuteranopia"`` at severity 1, ``"deuteranomaly"`` below."""
    root = {"protan": "protan", "deutan": "deuteran", "tritan": "tritan"}[deficiency]
    return root + ("opia" if severity >= 1.0 else "omaly")
