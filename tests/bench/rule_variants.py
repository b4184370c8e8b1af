"""``python -m tests.bench.rule_variants DIR``: other constants of truehue on path-traced scenes.

``DIR`` has what ``tests/bench/path_traced.py`` wrote. The object of each scene gets every 8th color of
level 2 and CSS in three exposures. Every form of :data:`FORMS` scores it for its true color, for five
near names and for five of the other system. Of the light's factors and hazes, every second is tried.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.bench.new_ground import NEAR, OTHER, TRUE, targets
from truehue.core.color.shading import LitColor, lit_color
from truehue.core.color.spaces import (
    LINEAR1_TO_XYZ1,
    lab_to_xyz1,
    linear1_to_srgb1,
    linear1_to_xyz1,
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
CANDIDATES = 45
"""So many names nearest to the lit color can compete: others have no low mismatch score."""


@dataclass(frozen=True)
class Form:
    """Constants of a rule, as :mod:`truehue.core.verdict.truehue` names them, and its clauses.

    With ``half_lightness`` CIEDE2000 has k_L = 2. Another name of the target's system whose mismatch
    score is lower by at least ``lead`` speaks against the target.
    """

    name: str
    limit: float
    lead: float = np.inf
    half_lightness: bool = False
    level_costs: tuple[float, float, float] = (0.5, 0.0, 2.0)
    full_light: float = 0.93
    darker: float = 7.0
    brighter: float = 40.0
    haze: float = 3.0


_OTHERS = {
    "half_lightness": True,
    "level_costs": (0.39, 0.0, 2.1),
    "full_light": 0.86,
    "darker": 4.21,
    "brighter": 10.0,
    "haze": 1.75,
}
FORMS = (
    Form("truehue 1.1", 3.6),
    Form("1.1's constants, competing name", 4.4, 0.25),
    Form("other constants", 1.8, **_OTHERS),  # type: ignore[arg-type]
    Form("both", 2.9, 0.5, **_OTHERS),  # type: ignore[arg-type]
)

NAMES = [(key, color) for key in SET_SYSTEMS for color in set_colors(key)]
LAB = np.array([color.lab for _, color in NAMES])
LINEAR1 = xyz1_to_linear1(lab_to_xyz1(LAB))
SYSTEM = np.array([key for key, _ in NAMES])
POSITION = {(key, color.hex): number for number, (key, color) in enumerate(NAMES)}


def exposures(path: Path, number: int, albedo1: np.ndarray) -> Iterator[np.ndarray]:
    """The pixels inside the mask, uint8 ``(N, 3)``, in three exposures."""
    with np.load(path) as scene:
        images, mask = scene["images"].astype(np.float64), scene["mask"]
    parabola = np.tensordot(np.linalg.inv(np.vander(ALBEDOS, 3, increasing=True)), images, 1)
    powers = np.stack([np.ones(3), albedo1, albedo1**2])
    linear1 = np.maximum(np.tensordot(parabola, powers, ([0], [0])), 0.0)
    incident = 1.0 / float(np.percentile(images[1][mask] / ALBEDOS[1], 90))
    off = incident * 2.0 ** (OFF_STOPS if number % 2 else -OFF_STOPS)
    mean1 = float((linear1 @ LINEAR1_TO_XYZ1[1]).mean())
    frame = float(np.clip(FRAME_MEAN1 / mean1, incident / 2.0, incident * 2.0))
    for gain in (incident, off, frame):
        srgb1 = linear1_to_srgb1(np.clip(linear1[mask] * gain, 0.0, 1.0))
        yield np.rint(255.0 * srgb1).astype(np.uint8)


def lit_of(pixels: np.ndarray) -> LitColor:
    """The lit color of pixels ``(N, 3)``."""
    colors = distinct_colors(pixels[None], np.ones((1, len(pixels)), dtype=bool))
    return lit_color(colors.srgb8, colors.lab, colors.counts)


def misfits(lit: LitColor, picked: np.ndarray, forms: tuple[Form, ...]) -> list[np.ndarray]:
    """For each form the mismatch score of every name, ``(names,)``, infinite for those not picked."""
    found1 = np.array([part.linear1 for part in lit.parts])
    highest = np.minimum(MAX_HAZE1, found1.min(axis=1))
    hazes1 = np.linspace(0.0, highest, _HAZES, axis=1)[:, ::2]
    factors = _FACTORS[::2]
    darker1 = LINEAR1[picked][None, :, None, None] * factors[:, None, None]
    seen1 = darker1 + hazes1[:, None, None, :, None]
    seen_lab = xyz1_to_lab(linear1_to_xyz1(np.minimum(seen1, 1.0)))
    found_lab = xyz1_to_lab(linear1_to_xyz1(found1))[:, None, None, None]
    found_lab = np.broadcast_to(found_lab, seen_lab.shape)
    distances = {
        half: delta_E_CIE2000(seen_lab, found_lab, textiles=half)
        for half in {form.half_lightness for form in forms}
    }
    result = []
    for form in forms:
        dim = form.darker * np.log(form.full_light / np.minimum(factors, form.full_light))
        bright = form.brighter * np.log(np.maximum(factors, 1.0))
        squares = (dim + bright)[:, None] ** 2 + (form.haze * hazes1[:, None] / SURFACE_HAZE1) ** 2
        squares = squares + np.array(form.level_costs)[:, None, None] ** 2
        every = np.full(len(NAMES), np.inf)
        every[picked] = np.sqrt(
            (distances[form.half_lightness] ** 2 + squares[:, None]).min(axis=(0, 2, 3))
        )
        result.append(every)
    return result


def passes(form: Form, misfit: np.ndarray, target: int) -> bool:
    """Whether the name of that number passes."""
    if misfit[target] >= form.limit:
        return False
    apart = delta_E_CIE2000(LAB, np.broadcast_to(LAB[target], LAB.shape)) >= APART_DELTA_E00
    rivals = misfit[apart & (SYSTEM[target] == SYSTEM)]
    return bool(misfit[target] - rivals.min() < form.lead)


def main(folder: Path) -> None:
    """Prints rates of every form."""
    counts: Counter[tuple[str, ...]] = Counter()
    for number, path in enumerate(sorted(folder.glob("*.npz"))):
        for system_id in SET_SYSTEMS:
            other = next(key for key in SET_SYSTEMS if key != system_id)
            for color in set_colors(system_id)[number % EVERY :: EVERY]:
                asked = [
                    (relation, POSITION[other if relation == OTHER else system_id, target.hex])
                    for relation, target in targets(color.name, system_id)
                ]
                albedo1 = srgb8_to_linear1(np.array(color.srgb8))
                for pixels in exposures(path, number, albedo1):
                    lit = lit_of(pixels)
                    lit_lab = xyz1_to_lab(linear1_to_xyz1(lit.parts[1].linear1))
                    away = delta_E_CIE2000(LAB, np.broadcast_to(lit_lab, LAB.shape))
                    nearest = np.argsort(away)[:CANDIDATES]
                    picked = np.union1d(nearest, [index for _, index in asked])
                    for form, misfit in zip(FORMS, misfits(lit, picked, FORMS), strict=True):
                        for relation, index in asked:
                            key = form.name, "" if relation == OTHER else system_id, relation
                            counts[(*key, "of")] += 1
                            counts[key] += passes(form, misfit, index)
    columns = [(key, relation) for relation in (TRUE, NEAR) for key in SET_SYSTEMS]
    columns.append(("", OTHER))
    print(f"{'form':<34}" + "".join(f"{' '.join(column):>12}" for column in columns))
    for form in FORMS:
        rates = [100.0 * counts[form.name, *c] / counts[form.name, *c, "of"] for c in columns]
        print(f"{form.name:<34}" + "".join(f"{rate:>12.1f}" for rate in rates))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
