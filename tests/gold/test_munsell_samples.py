"""The reconstructed Munsell samples: the file is what its rule makes of colour-science's data."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from tests.gold import munsell_samples
from truehue.core.color.munsell import RECONSTRUCTED_SHA256, reconstructed
from truehue.core.color.systems import system


def test_the_file_is_built_again_row_by_row() -> None:
    stored = munsell_samples.FILE.read_text(encoding="utf-8").splitlines()
    built = munsell_samples.text().splitlines()
    assert stored == built
    assert len(stored) == 1 + 1_533


def test_the_readme_names_the_very_file() -> None:
    digest = hashlib.sha256(munsell_samples.FILE.read_bytes()).hexdigest()
    assert digest == RECONSTRUCTED_SHA256
    assert digest in (munsell_samples.FILE.parent / "README.md").read_text(encoding="utf-8")


def test_a_sample_by_hand() -> None:
    """N 5: Y of value 5 is 19.272% (ASTM D1535), at illuminant C, xy = (0.31006, 0.31616)."""
    x, y, lumen = 0.31006, 0.31616, 0.19272
    xyz = (x / y * lumen, lumen, (1.0 - x - y) / y * lumen)
    matrix = ((3.2406, -1.5372, -0.4986), (-0.9689, 1.8758, 0.0415), (0.0557, -0.2040, 1.0570))
    linear = [sum(m * part for m, part in zip(row, xyz, strict=True)) for row in matrix]
    codes = [round(255.0 * (1.055 * item ** (1.0 / 2.4) - 0.055)) for item in linear]
    row = next(row for row in munsell_samples.rows() if row[-1] == "N 5")
    assert list(row[:3]) == codes == [124, 120, 127]


@pytest.mark.parametrize(
    ("level3", "level2", "level1"),
    [
        ("Dark grayish reddish brown", "Reddish brown", "Brown"),
        ("Vivid yellow green", "Yellow green", "Yellow green"),
        ("Moderate yellowish green", "Yellowish green", "Green"),
        ("Deep violet", "Violet", "Purple"),
        ("Light olive brown", "Olive brown", "Brown"),
        ("Olive gray", "Gray", "Gray"),
        ("Bluish white", "White", "White"),
    ],
)
def test_levels_follow_the_names(level3: str, level2: str, level1: str) -> None:
    assert munsell_samples.second_of(level3).name == level2
    assert munsell_samples.first_of(level2).name == level1


def test_every_name_has_a_place_in_the_levels_above() -> None:
    seconds = {munsell_samples.second_of(color.name).id for color in system("l3").colors}
    assert seconds == {color.id for color in system("l2").colors}
    firsts = {munsell_samples.first_of(color.name).id for color in system("l2").colors}
    assert firsts == {color.id for color in system("l1").colors}


def test_samples_are_read_with_their_categories() -> None:
    samples = reconstructed()
    assert samples.lab.shape == (1_533, 3)
    grays = samples.of("l2", 28)
    reds = samples.of("l2", 2)
    assert np.median(np.hypot(grays[:, 1], grays[:, 2])) < 15.0
    assert np.median(np.hypot(reds[:, 1], reds[:, 2])) > 25.0
    for column, key, empty in ((0, "l1", 0), (1, "l2", 0), (2, "l3", 9)):
        known = {color.id for color in system(key).colors}
        assert len(known - set(samples.levels[:, column].tolist())) == empty
