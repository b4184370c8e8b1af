"""People's names of colors against figures that other code took from the survey's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from truehue.core.color import people
from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import system
from truehue.core.errors import TrueHueError

# Of all answers that name one of the 13 colors of level 1, for the bins that lie nearest to a color
# by CIEDE2000: which name people say, in percent.
SAID = {
    "Blue": {"blue": 94},
    "Pink": {"pink": 85},
    "Brown": {"brown": 78},
    "Orange": {"orange": 64},
    "Red": {"red": 60, "pink": 21},
    "Yellow": {"yellow": 49},
    "White": {"gray": 41, "pink": 23},
    "Black": {"purple": 29, "blue": 25, "black": 23},
    "Olive": {"green": 55},
}


def every_count() -> tuple[np.ndarray, np.ndarray]:
    """The bins' CIELAB, and how often each of the 153 names was said of each."""
    survey = people._survey()
    return survey.lab, np.stack([survey.counts_of([i]) for i in range(len(survey.lab))])


def test_it_is_the_whole_survey() -> None:
    lab, counts = every_count()
    assert counts.shape == (8325, 153)
    assert counts.sum() == 2_677_400
    basic = [people._survey().names.index(item.name.lower()) for item in system("l1").colors]
    assert np.count_nonzero(counts[:, basic].sum(axis=1) >= people.MIN_ANSWERS) == 8299
    assert not (lab % 5).any()


def test_names_in_the_cells_nearest_to_the_level_1_colors() -> None:
    lab, counts = every_count()
    colors = system("l1").colors
    index = [people._survey().names.index(item.name.lower()) for item in colors]
    nearest = np.argmin([delta_e00(lab, np.array(item.lab)) for item in colors], axis=0)
    for place, color in enumerate(colors):
        said = counts[nearest == place][:, index].sum(axis=0)
        share = {
            c.name.lower(): round(100 * n / said.sum()) for c, n in zip(colors, said, strict=True)
        }
        for name, percent in SAID.get(color.name, {}).items():
            assert share[name] == percent, (color.name, name)


@pytest.mark.parametrize(
    ("srgb8", "name"),
    [
        ((0, 0, 0), "black"),
        ((255, 255, 255), "white"),
        ((255, 0, 0), "red"),
        ((0, 0, 255), "blue"),
        ((101, 55, 0), "brown"),
        ((249, 115, 6), "orange"),
        ((149, 208, 252), "light blue"),
    ],
)
def test_what_people_call_a_color(srgb8: tuple[int, int, int], name: str) -> None:
    """The last three are what the survey's author gives for these names (xkcd.com/color/rgb)."""
    found = people.naming(srgb8_to_lab(np.array(srgb8, dtype=np.uint8)))
    assert found.names[0].name == name
    assert found.answers >= people.MIN_ANSWERS
    assert sum(item.share for item in found.names) == pytest.approx(1.0)
    assert people.percent_text(0.999) == ">99%"


def test_names_are_asked_for_in_any_spelling() -> None:
    found = people.naming((40.0, 20.0, 25.0))
    assert found.label().startswith("brown ")
    assert found.share_of("Brown") == found.names[0].share
    assert found.share_of("navy-blue") == 0.0
    assert found.share_of("Vivid orange yellow") is None
    assert people.naming((50.0, 0.0, 0.0)).share_of("Grey") == pytest.approx(0.9, abs=0.1)


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.npz").write_bytes(people.FILE.read_bytes() + b"\0")
    monkeypatch.setattr(people, "FILE", tmp_path / "people.npz")
    with pytest.raises(TrueHueError, match="was changed"):
        people._survey.__wrapped__()
    monkeypatch.setattr(people, "FILE", tmp_path / "none")
    with pytest.raises(TrueHueError, match="git checkout"):
        people._survey.__wrapped__()


def test_the_colors_of_the_names_are_those_that_were_published() -> None:
    """Matplotlib has the survey's published list too."""
    from matplotlib.colors import XKCD_COLORS

    published = {name.removeprefix("xkcd:"): code.upper() for name, code in XKCD_COLORS.items()}
    colors = system("people").colors
    assert len(colors) == 151
    for color in colors:
        spelled = color.name if color.name in published else color.name.replace("gray", "grey")
        assert color.hex == published[spelled], color.name
    names = people._survey().names
    assert [names[color.id - 1] for color in colors] == [color.name for color in colors]
    assert set(names) - {color.name for color in colors} == {"flesh", "skin"}
