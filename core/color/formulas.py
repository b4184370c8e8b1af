"""The difference of two colors by name of its formula, from CIE 1976 to HyAB.

CIEDE2000 is ours (:mod:`truehue.core.color.difference`); the others are colour-science's, which is
imported when one is first computed. Verdicts use none of them. Colors are CIELAB (D65, 2 degree)
``(..., 3)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import WHITE_XYZ1, lab_to_xyz1
from truehue.core.errors import BadInput
from truehue.core.packages import colour_science

SURROUNDS = ("average", "dim", "dark")


@dataclass(frozen=True)
class ViewingConditions:
    """The conditions that CAM16-UCS and ΔE ITP depend on; other formulas have none.

    ``adapting_cd_m2`` is CAM16's L_A, above 0 to 10,000, ``background_percent`` its Y_b relative to
    white, 1 to 100, ``surround`` one of :data:`SURROUNDS`. ``white_cd_m2``, 1 to 10,000, is the
    luminance of sRGB's white for ΔE ITP. The defaults are sRGB's own conditions (IEC 61966-2-1: a
    fifth of 64 lx / π) and the reference display of ITU-R BT.2035. Raises BadInput.
    """

    adapting_cd_m2: float = 4.07
    background_percent: float = 20.0
    surround: str = "average"
    white_cd_m2: float = 100.0

    def __post_init__(self) -> None:
        for name, label, unit, least, most in (
            ("adapting_cd_m2", "adapting luminance L_A", "cd/m²", 0.001, 10_000.0),
            ("background_percent", "background Y_b", "% of white", 1.0, 100.0),
            ("white_cd_m2", "luminance of white", "cd/m²", 1.0, 10_000.0),
        ):
            if not least <= getattr(self, name) <= most:  # nor is NaN
                raise BadInput(f"The {label} lies from {least:g} to {most:,.0f} {unit}.", name)
        if self.surround not in SURROUNDS:
            raise BadInput(f"The surround is one of {', '.join(SURROUNDS)}.", "surround")


SRGB_VIEWING = ViewingConditions()
"""sRGB's reference viewing conditions, and a white of 100 cd/m²."""


@dataclass(frozen=True)
class Formula:
    """A formula: what it is called, its parameters, and the source."""

    id: str
    name: str
    definition: str
    source: str


FORMULAS = (
    Formula(
        "cie2000",
        "CIEDE2000",
        "kL = kC = kH = 1",
        "CIE 142-2001; Sharma, Wu, Dalal 2005",
    ),
    Formula("cie1976", "CIE 1976 ΔE*ab", "√(ΔL*² + Δa*² + Δb*²)", "CIE 15:2018"),
    Formula(
        "cie1994_graphic_arts",
        "CIE 1994, graphic arts",
        "kL = 1, K1 = 0.045, K2 = 0.015",
        "CIE 116-1995",
    ),
    Formula(
        "cie1994_textiles",
        "CIE 1994, textiles",
        "kL = 2, K1 = 0.048, K2 = 0.014",
        "CIE 116-1995",
    ),
    Formula(
        "cmc_2_1",
        "CMC(2:1)",
        "l:c = 2:1, acceptability",
        "Clarke, McDonald, Rigg 1984; ISO 105-J03",
    ),
    Formula(
        "cmc_1_1",
        "CMC(1:1)",
        "l:c = 1:1, perceptibility",
        "Clarke, McDonald, Rigg 1984; ISO 105-J03",
    ),
    Formula(
        "cam16_ucs",
        "CAM16-UCS",
        "√(ΔJ′² + Δa′² + Δb′²); white is D65",
        "Li, Li, Wang, Xu, Luo and others 2017",
    ),
    Formula(
        "itp",
        "ΔE ITP",
        "720 √(ΔI² + ΔT² + ΔP²), T = Ct / 2, by PQ; none outside BT.2020",
        "ITU-R BT.2124",
    ),
    Formula(
        "hyab",
        "HyAB",
        "|ΔL*| + √(Δa*² + Δb*²)",
        "Abasi, Amani Tehran, Fairchild 2020",
    ),
)
"""The formulas in the order of the tables; CIEDE2000, which verdicts use, first."""


def formula(formula_id: str) -> Formula:
    """The formula of that id; raises BadInput naming the known ones."""
    for entry in FORMULAS:
        if entry.id == formula_id:
            return entry
    known = ", ".join(entry.id for entry in FORMULAS)
    raise BadInput(f'No difference is called "{formula_id:.40}". Known ones: {known}.')


def difference(
    formula_id: str,
    sample_lab: ArrayLike,
    reference_lab: ArrayLike,
    viewing: ViewingConditions = SRGB_VIEWING,
) -> NDArray[np.float64]:
    """The difference of samples from references ``(..., 3)``, broadcast to float64 ``(...)``.

    The order matters to CIE 1994 and CMC, which weight by the reference: of a verdict, the target.
    NaN where a formula is not defined (ΔE ITP outside of BT.2020). Raises BadInput for an unknown
    formula, for colors that are not three finite numbers, and without colour-science.
    """
    by = formula(formula_id).id
    sample, reference = _checked(sample_lab), _checked(reference_lab)
    if by == "cie2000":
        return delta_e00(reference, sample)
    colour = colour_science("compute differences by other formulas")
    reference, sample = np.broadcast_arrays(reference, sample)
    if by == "cam16_ucs":
        return colour.delta_E(
            _cam16_ucs(colour, reference, viewing),
            _cam16_ucs(colour, sample, viewing),
            method="CAM16-UCS",
        )
    if by == "itp":
        return colour.delta_E(
            _ictcp(colour, reference, viewing), _ictcp(colour, sample, viewing), method="ITP"
        )
    method, parameters = _METHODS[by]
    return colour.delta_E(reference, sample, method=method, **parameters)


def differences(
    sample_lab: ArrayLike, reference_lab: ArrayLike, viewing: ViewingConditions = SRGB_VIEWING
) -> dict[str, NDArray[np.float64]]:
    """:func:`difference` by every formula, by its id."""
    return {
        entry.id: difference(entry.id, sample_lab, reference_lab, viewing) for entry in FORMULAS
    }


_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "cie1976": ("CIE 1976", {}),
    "cie1994_graphic_arts": ("CIE 1994", {"textiles": False}),
    "cie1994_textiles": ("CIE 1994", {"textiles": True}),
    "cmc_2_1": ("CMC", {"l": 2, "c": 1}),
    "cmc_1_1": ("CMC", {"l": 1, "c": 1}),
    "hyab": ("HyAB", {}),
}


def _checked(lab: ArrayLike) -> NDArray[np.float64]:
    point = np.asarray(lab, dtype=np.float64)
    if point.shape[-1:] != (3,) or not np.isfinite(point).all():
        raise BadInput("A Lab color is three finite numbers: L*, a* and b*.")
    return point


def _cam16_ucs(
    colour: Any, lab: NDArray[np.float64], viewing: ViewingConditions
) -> NDArray[np.float64]:
    """J′a′b′ ``(..., 3)``; XYZ and white enter with Y = 100 for white."""
    seen = colour.XYZ_to_CAM16(
        100.0 * lab_to_xyz1(lab),
        100.0 * WHITE_XYZ1,
        viewing.adapting_cd_m2,
        viewing.background_percent,
        colour.VIEWING_CONDITIONS_CAM16[viewing.surround.capitalize()],
    )
    return colour.JMh_CAM16_to_CAM16UCS(np.stack([seen.J, seen.M, seen.h], axis=-1))


def _ictcp(
    colour: Any, lab: NDArray[np.float64], viewing: ViewingConditions
) -> NDArray[np.float64]:
    """ICtCp ``(..., 3)`` of absolute luminance; NaN outside of BT.2020, for which PQ has no code."""
    to_bt2020 = colour.RGB_COLOURSPACES["ITU-R BT.2020"].matrix_XYZ_to_RGB
    linear1 = lab_to_xyz1(lab) @ to_bt2020.T
    outside = (linear1 < -_ROUNDING).any(axis=-1, keepdims=True)
    absolute = viewing.white_cd_m2 * np.where(outside, np.nan, np.maximum(linear1, 0.0))
    return colour.RGB_to_ICtCp(absolute, method="ITU-R BT.2100-2 PQ")


_ROUNDING = 1e-9
"""Linear light below 0 that is a rounding of 0."""
