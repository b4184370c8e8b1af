"""Color names by other people than those of the XKCD survey, from a file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import truehue
from truehue.core.color.people import VARIABLE, naming, read_survey, same_name, surveys
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.errors import BadInput

RED = (200, 30, 40)


def written(folder: Path, text: str) -> Path:
    path = folder / "names.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        "name,hex\n赤,#C81E28\n赤,#C81E28\n朱色,#C81E28\n",
        "name,hex,count\n 赤 ,C81E28,2\n朱色,#C81E28,\n",
        "R,G,B,name,count\n200,30,40,赤,2\n200,30,40,朱色,1\n",
        "name,l,a,b\n" + "赤,42.6,63.4,42.3\n" * 2 + "朱色,42.6,63.4,42.3\n",
    ],
)
def test_answers_are_counted_in_every_form(tmp_path: Path, text: str) -> None:
    survey = read_survey(written(tmp_path, text))
    assert survey.title == "names"
    found = naming(srgb8_to_lab(np.array(RED, np.uint8)), survey)
    assert [(item.name, round(item.share, 2)) for item in found.names] == [
        ("赤", 0.67),
        ("朱色", 0.33),
    ]
    assert found.answers == 3
    assert found.share_of("青") is None


def test_a_color_takes_its_nearest_bins_until_they_have_enough(tmp_path: Path) -> None:
    """Twenty answers near, and a bin far away that is not needed."""
    near = "".join(f"rot,{50 + step},60,40,5\n" for step in (0, 5, 10, 15))
    survey = read_survey(written(tmp_path, f"name,l,a,b,count\n{near}blau,30,20,-60,900\n"))
    assert naming((50, 60, 40), survey).names[0].share == 1.0
    assert naming((30, 20, -60), survey).names[0].name == "blau"
    # Nobody was asked of a color like this one.
    assert naming((90, -40, 60), survey).names == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("color,count\nred,1\n", r"^names\.csv needs the columns name and hex"),
        ("name,hex\nrot,#zz0000\n", "line 2: In the hex color"),
        ("name,r,g,b\nrot,1,2,300\n", "line 2: r, g and b lie from 0 to 255"),
        ("name,l,a,b\nrot,1,2,nan\n", "line 2: l lies from 0 to 100"),
        ("name,hex,count\nrot,#FF0000,0\n", "line 2: count is 0"),
        ("name,hex,count\nrot,#FF0000,9223372036854775808\n", "lies from 1 to 1,000,000,000"),
        ("name,hex\n,#FF0000\n", "line 2: a name has 1 to 80 characters"),
        ("name,hex\nrot\n", "line 2: the hex code is missing"),
        ("name,hex\n", "has no answer"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        read_survey(written(tmp_path, text))


def test_names_are_the_same_in_any_script() -> None:
    assert same_name("Grün", "grün")
    assert not same_name("赤", "青")
    assert same_name("gru\u0308n", "grün")
    assert not same_name("नीला", "नील")
    assert same_name("Navy-blue", "navy blue")


def test_the_library_says_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = written(tmp_path, "name,hex\nrot,#C81E28\n")
    second = first.with_name("日本語.csv")
    second.write_text("name,hex\n赤,#C81E28\n", encoding="utf-8")
    monkeypatch.setenv(VARIABLE, os.pathsep.join(map(str, (first, second))))
    assert [survey.title for survey in surveys()] == ["XKCD survey", "names", "日本語"]
    result = truehue.color_of(np.full((9, 9, 3), RED, np.uint8))
    assert result.other_people == {"names": (("rot", 1.0),), "日本語": (("赤", 1.0),)}
    assert "; names: rot 100%; 日本語: 赤 100%" in repr(result)
    assert result.to_dict()["other_people"]["日本語"] == [{"name": "赤", "share": 1.0}]
    other = tmp_path / "b" / "names.csv"
    other.parent.mkdir()
    other.write_text("name,hex\nWeiß,#FFFFFF\n", encoding="utf-8")
    assert naming((100, 0, 0), read_survey(other)).names[0].name == "weiß"
    monkeypatch.setenv(VARIABLE, os.pathsep.join(map(str, (first, other))))
    with pytest.raises(BadInput, match="two files called names"):
        surveys()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone.csv"))
    with pytest.raises(BadInput, match=r"gone\.csv cannot be read"):
        surveys()
