"""Builds ``assets/munsell/reconstructed.csv`` from the Munsell renotation in colour-science.

``python -m tests.gold.munsell_samples`` writes the file again; a test compares it. The rule and why
it is so stand in ``assets/munsell/README.md``.
"""

from __future__ import annotations

import csv
import io
import warnings
from pathlib import Path

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import NamedColor, system

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # colour says that plotting is not installed
    import colour
    from colour.notation import munsell_value_ASTMD1535

FILE = Path(__file__).resolve().parents[2] / "assets" / "munsell" / "reconstructed.csv"
COLUMNS = ("R", "G", "B", "Level1", "Level2", "Level3", "Munsell")
OBSERVER = "CIE 1931 2 Degree Standard Observer"
MAGNESIUM_OXIDE = 0.975
"""Reflectance of the white that the renotation's Y is relative to (ASTM D1535)."""
NEUTRAL_VALUES = tuple(step / 2.0 for step in range(1, 20))


def rows() -> list[tuple[int | str, ...]]:
    """A row a sample in :data:`COLUMNS`, in the order of the renotation, the neutral ones last."""
    samples = [*chromatic(), *neutral()]
    linear = np.array([_linear1(xyy) for _, xyy in samples])
    inside = ((linear >= 0.0) & (linear <= 1.0)).all(axis=1)
    srgb8 = np.rint(colour.cctf_encoding(linear[inside]) * 255.0).astype(np.uint8)
    names = [name for (name, _), saved in zip(samples, inside, strict=True) if saved]
    level3 = system("l3")
    nearest = delta_e00(srgb8_to_lab(srgb8)[:, None], level3.lab[None]).argmin(axis=1)
    out: list[tuple[int | str, ...]] = []
    for code, name, index in zip(srgb8.tolist(), names, nearest, strict=True):
        third = level3.colors[index]
        second = second_of(third.name)
        out.append((*code, first_of(second.name).id, second.id, third.id, name))
    return out


def chromatic() -> list[tuple[str, np.ndarray]]:
    """Notation and xyY (Y 0 to 1, illuminant C) of the samples that were measured."""
    out = []
    for (hue, value, chroma), xyy in colour.MUNSELL_COLOURS["real"]:
        scaled = np.array([xyy[0], xyy[1], xyy[2] / 100.0 * MAGNESIUM_OXIDE])
        out.append((f"{hue} {value:g}/{chroma:g}", scaled))
    return out


def neutral() -> list[tuple[str, np.ndarray]]:
    """The same of the neutral samples, which the renotation's tables leave to their formula."""
    white = colour.CCS_ILLUMINANTS[OBSERVER]["C"]
    lumen = np.linspace(0.0, 100.0, 200_001)
    values = munsell_value_ASTMD1535(lumen)
    return [
        (f"N {value:g}", np.array([*white, np.interp(value, values, lumen) / 100.0]))
        for value in NEUTRAL_VALUES
    ]


def second_of(level3_name: str) -> NamedColor:
    """The level 2 color that a level 3 name ends with, the longest of several."""
    return _ending(level3_name, "l2")


def first_of(level2_name: str) -> NamedColor:
    """The level 1 color that a level 2 name ends with; violet is purple there."""
    return _ending("Purple" if level2_name == "Violet" else level2_name, "l1")


def _ending(name: str, system_id: str) -> NamedColor:
    message = f" {name.lower()}"
    fitting = [
        color for color in system(system_id).colors if message.endswith(f" {color.name.lower()}")
    ]
    return max(fitting, key=lambda item: len(item.name))


def _linear1(xyy: np.ndarray) -> np.ndarray:
    """Linear sRGB as the numbers are, without adapting white: so the published centroids are."""
    xyz = colour.xyY_to_XYZ(xyy)
    return np.asarray(
        colour.XYZ_to_RGB(
            xyz, "sRGB", apply_cctf_encoding=False, chromatic_adaptation_transform=None
        )
    )


def text() -> str:
    """The file's text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows())
    return out.getvalue()


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
    print(f"{FILE}: {len(rows()):,} samples")
