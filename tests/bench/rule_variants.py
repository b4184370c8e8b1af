"""``python -m tests.bench.rule_variants DIR``: versions of truehue on path-traced scenes.

``DIR`` has what ``tests/bench/path_traced.py`` wrote. The object of each scene gets every 8th color of
level 2 and CSS in three exposures. Every form of :data:`FORMS` scores it for its true color, for five
near names and for five of the other system. It also gets random colors without a name, which are scored
for themselves and for six random colors 11 ΔE00 away. Of the light's factors and hazes, every second is
tried.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.new_ground import NEAR, OTHER, TRUE, targets
from truehue.core.color.shading import USUAL, LitColor, lit_color
from truehue.core.color.spaces import (
    LINEAR1_TO_XYZ1,
    lab_to_xyz1,
    linear1_to_srgb1,
    linear1_to_xyz1,
    srgb8_to_lab,
    srgb8_to_linear1,
    xyz1_to_lab,
    xyz1_to_linear1,
)
from truehue.core.diagnosis.colors import APART_DELTA_E00, SET_SYSTEMS, set_colors
from truehue.core.images.pixels import distinct_colors
from truehue.core.verdict.truehue import _FACTORS, _HAZES, MAX_HAZE1, SURFACE_HAZE1

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    from colour.difference import delta_E_CIE2000

EVERY, OFF_STOPS, FRAME_MEAN1 = 8, 0.6, 0.22
ALBEDOS = np.array((0.03, 0.45, 0.92))
RIVALS, RIVAL_COST = 24, 3.0
"""So many named colors nearest to the lit color compete; what each unit by which one is better costs."""
HEXES, HEX_APART_DELTA_E00, HEX_RIVALS = 12, 11.0, 6
"""Random colors of a scene, and the random colors around each."""


@dataclass(frozen=True)
class Form:
    """Constants of a rule, as :mod:`truehue.core.verdict.truehue` names them.

    ``half_lightness``: CIEDE2000 has k_L = 2. ``rivals``: named colors at least 10 ΔE00 from the target
    that may explain the image better: none, those of both systems, or of the target's ``own``.
    """

    name: str
    limit: float
    rivals: str = "none"
    rival_cost: float = RIVAL_COST
    half_lightness: bool = True
    level_costs: tuple[float, float, float] = (0.3, 0.0, 2.2)
    full_light: float = 0.86
    darker: float = 2.7
    brighter: float = 7.0
    haze: float = 1.2


FORMS = (
    Form("1.1", 3.6, "none", 0.0, False, (0.5, 0.0, 2.0), 0.93, 7.0, 40.0, 3.0),
    Form("1.2", 2.5, "both"),
    Form("1.2, rivals of the system", 2.5, "own"),
    Form("1.2 without rivals", 2.5),
    Form("1.2 without rivals", 1.4),
)

NAMES = [(key, color) for key in SET_SYSTEMS for color in set_colors(key)]
LAB = np.array([color.lab for _, color in NAMES])
LINEAR1 = xyz1_to_linear1(lab_to_xyz1(LAB))
SYSTEM = np.array([key for key, _ in NAMES])
POSITION = {(key, color.hex): number for number, (key, color) in enumerate(NAMES)}


def exposures(
    path: Path, number: int, albedo1: np.ndarray
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Three exposures of a scene whose object has an albedo: metering, image uint8 ``(H, W, 3)`` and
    mask bool ``(H, W)``."""
    with np.load(path) as scene:
        images, mask = scene["images"].astype(np.float64), scene["mask"]
    parabola = np.tensordot(np.linalg.inv(np.vander(ALBEDOS, 3, increasing=True)), images, 1)
    powers = np.stack([np.ones(3), albedo1, albedo1**2])
    linear1 = np.maximum(np.tensordot(parabola, powers, ([0], [0])), 0.0)
    incident = 1.0 / float(np.percentile(images[1][mask] / ALBEDOS[1], 90))
    off = incident * 2.0 ** (OFF_STOPS if number % 2 else -OFF_STOPS)
    mean1 = float((linear1 @ LINEAR1_TO_XYZ1[1]).mean())
    frame = float(np.clip(FRAME_MEAN1 / mean1, incident / 2.0, incident * 2.0))
    meterings = {
        "incident": incident,
        f"incident {OFF_STOPS if number % 2 else -OFF_STOPS:+} stop": off,
        "frame mean": frame,
    }
    for metering, gain in meterings.items():
        srgb1 = linear1_to_srgb1(np.clip(linear1 * gain, 0.0, 1.0))
        yield metering, np.rint(255.0 * srgb1).astype(np.uint8), mask


def lit_of(srgb8: np.ndarray, mask: np.ndarray) -> LitColor:
    """The lit color of an image's pixels in a mask."""
    colors = distinct_colors(srgb8, mask)
    return lit_color(colors.srgb8, colors.lab, colors.counts)


def misfits(lit: LitColor, colors1: np.ndarray, forms: tuple[Form, ...]) -> list[np.ndarray]:
    """For each form the misfit ``(M,)`` of colors ``(M, 3)`` in linear sRGB, without rivals."""
    found1 = np.array([part.linear1 for part in lit.parts])
    highest = np.minimum(MAX_HAZE1, found1.min(axis=1))
    hazes1 = np.linspace(0.0, highest, _HAZES, axis=1)[:, ::2]
    factors = _FACTORS[::2]
    darker1 = colors1[None, :, None, None] * factors[:, None, None]
    seen1 = darker1 + hazes1[:, None, None, :, None]
    seen_lab = xyz1_to_lab(linear1_to_xyz1(np.minimum(seen1, 1.0)))
    found_lab = xyz1_to_lab(linear1_to_xyz1(found1))[:, None, None, None]
    distances = {
        half: difference(seen_lab, found_lab, half)
        for half in {form.half_lightness for form in forms}
    }
    result = []
    for form in forms:
        dim = form.darker * np.log(form.full_light / np.minimum(factors, form.full_light))
        bright = form.brighter * np.log(np.maximum(factors, 1.0))
        squares = (dim + bright)[:, None] ** 2 + (form.haze * hazes1[:, None] / SURFACE_HAZE1) ** 2
        squares = squares + np.array(form.level_costs)[:, None, None] ** 2
        squares = distances[form.half_lightness] ** 2 + squares[:, None]
        result.append(np.sqrt(squares.min(axis=(0, 2, 3))))
    return result


def difference(lab1: np.ndarray, lab2: np.ndarray, half_lightness: bool = False) -> np.ndarray:
    """CIEDE2000 by colour-science, ``(..., 3)`` broadcast to ``(...)``."""
    return np.asarray(
        delta_E_CIE2000(*np.broadcast_arrays(lab1, lab2), textiles=half_lightness), dtype=np.float64
    )


def passing(lit: LitColor, asked_lab: np.ndarray, systems: list[str]) -> np.ndarray:
    """Whether each form ``F`` accepts each color ``(M, 3)``, bool ``(F, M)``; ``systems`` of the colors,
    empty for those without a name."""
    lit_lab = xyz1_to_lab(linear1_to_xyz1(lit.parts[USUAL].linear1))
    away = difference(LAB, lit_lab, half_lightness=True)
    nearest = np.argsort(away, kind="stable")[: 2 * RIVALS]
    colors1 = np.concatenate([xyz1_to_linear1(lab_to_xyz1(asked_lab)), LINEAR1[nearest]])
    apart = difference(asked_lab[:, None], LAB[nearest]) >= APART_DELTA_E00
    # Names that share a color are one rival.
    first = np.unique(LAB[nearest], axis=0, return_index=True)[1]
    among = {
        "both": np.isin(np.arange(nearest.size), np.sort(first)[:RIVALS])[None],
        "own": np.array(systems)[:, None] == SYSTEM[nearest],
    }
    result = []
    for form, misfit in zip(FORMS, misfits(lit, np.maximum(colors1, 0.0), FORMS), strict=True):
        target, rivals = misfit[: len(asked_lab)], misfit[len(asked_lab) :]
        lead = np.zeros(target.size)
        if form.rivals != "none":
            best = np.where(apart & among[form.rivals], rivals, np.inf).min(axis=1)
            lead = np.maximum(target - best, 0.0)
        result.append(np.hypot(target, form.rival_cost * lead) < form.limit)
    return np.array(result)


def around(lab: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Random colors of sRGB :data:`HEX_APART_DELTA_E00` from one, ``(HEX_RIVALS, 3)``."""
    colors: list[np.ndarray] = []
    while len(colors) < HEX_RIVALS:
        direction, length = chance.normal(size=3), HEX_APART_DELTA_E00
        for _ in range(12):
            reached = float(difference(lab + length * direction, lab))
            length *= HEX_APART_DELTA_E00 / max(reached, 1e-3)
        linear1 = xyz1_to_linear1(lab_to_xyz1(lab + length * direction))
        if (linear1 >= 0.0).all() and (linear1 <= 1.0).all():
            colors.append(lab + length * direction)
    return np.array(colors)


def main(folder: Path) -> None:
    """Prints rates of every form."""
    counts: dict[tuple[str, str], np.ndarray] = {}
    chance = np.random.default_rng(0)

    def count(key: tuple[str, str], passed: np.ndarray) -> None:
        """Adds accepted colors ``(F, M)`` and how many there were."""
        row = np.append(passed.sum(axis=1), passed.shape[1])
        counts[key] = counts.get(key, np.zeros(len(FORMS) + 1)) + row

    for number, path in enumerate(sorted(folder.glob("*.npz"))):
        for system_id in SET_SYSTEMS:
            other = next(key for key in SET_SYSTEMS if key != system_id)
            for color in set_colors(system_id)[number % EVERY :: EVERY]:
                asked = [
                    (relation, POSITION[other if relation == OTHER else system_id, target.hex])
                    for relation, target in targets(color.name, system_id)
                ]
                relations = np.array([relation for relation, _ in asked])
                positions = np.array([position for _, position in asked])
                for _, image, mask in exposures(
                    path, number, srgb8_to_linear1(np.array(color.srgb8))
                ):
                    passed = passing(lit_of(image, mask), LAB[positions], list(SYSTEM[positions]))
                    for relation in (TRUE, NEAR):
                        count((system_id, relation), passed[:, relations == relation])
                    count(("", OTHER), passed[:, relations == OTHER])
        for srgb8 in chance.integers(0, 256, (HEXES, 3), dtype=np.uint8):
            lab = srgb8_to_lab(srgb8)
            asked_lab = np.concatenate([lab[None], around(lab, chance)])
            for _, image, mask in exposures(path, number, srgb8_to_linear1(srgb8)):
                passed = passing(lit_of(image, mask), asked_lab, [""] * len(asked_lab))
                count(("hex", TRUE), passed[:, :1])
                count(("hex", NEAR), passed[:, 1:])
    columns = [(key, relation) for relation in (TRUE, NEAR) for key in (*SET_SYSTEMS, "hex")]
    columns.append(("", OTHER))
    print(f"{'form':<34}" + "".join(f"{' '.join(column):>12}" for column in columns))
    for index, form in enumerate(FORMS):
        rates = [100.0 * counts[column][index] / counts[column][-1] for column in columns]
        name = f"{form.name}, {form.limit}"
        print(f"{name:<34}" + "".join(f"{rate:>12.1f}" for rate in rates))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
