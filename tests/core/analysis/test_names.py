from __future__ import annotations

import numpy as np
import pytest

from truehue.core.analysis.names import (
    BASIC_NAMES,
    basic_of,
    l2_names,
    nearest_l2,
    sector_codes,
    traits_of,
)
from truehue.core.analysis.records import SECTORS
from truehue.core.color.systems import MODIFIERS, modifiers_of, nearest_names, parse_target, system

L3 = [color.name for color in system("l3").colors]


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("Light green", ("light",)),
        ("Very light green", ("light",)),
        ("Very dark red", ("dark",)),
        ("Dark grayish olive green", ("dark", "-ish")),
        ("Light grayish reddish brown", ("light", "-ish")),
        ("Bluish white", ("-ish",)),
        ("Blackish green", ("-ish",)),
        ("Vivid red", ("none",)),
        ("Pale blue", ("none",)),
        ("Deep brown", ("none",)),
    ],
)
def test_modifiers_are_words_of_the_name(name: str, groups: tuple[str, ...]) -> None:
    assert name in L3
    assert modifiers_of(name) == groups


def test_every_level_3_name_is_in_a_group_and_none_in_light_and_dark() -> None:
    sets = [set(modifiers_of(name)) for name in L3]
    assert all(groups and groups <= set(MODIFIERS) for groups in sets)
    assert not any({"light", "dark"} <= groups for groups in sets)
    assert not any("none" in groups and len(groups) > 1 for groups in sets)
    counts = {item: sum(item in groups for groups in sets) for item in MODIFIERS}
    assert counts["light"] + counts["dark"] + counts["-ish"] + counts["none"] > len(L3)
    assert min(counts.values()) >= 30


def test_basic_names_are_the_papers_at_level_2() -> None:
    assert set(BASIC_NAMES) < set(l2_names())
    assert len(l2_names()) == 29
    assert [name for name in l2_names() if basic_of(name) == "basic"] == [
        "Red",
        "Orange",
        "Brown",
        "Yellow",
        "Olive",
        "Green",
        "Blue",
        "Purple",
        "White",
        "Gray",
        "Black",
    ]
    assert basic_of("Yellow green") == basic_of("Pink") == "intermediate"


def test_only_names_of_levels_2_and_3_have_traits() -> None:
    assert traits_of(parse_target("l3:Light grayish red")) == ("light", "-ish")
    assert traits_of(parse_target("l2:Red")) == ("basic",)
    assert traits_of(parse_target("l2:Purplish red")) == ("intermediate",)
    for text in ("l1:Red", "css:lightblue", "#AA1122"):
        assert traits_of(parse_target(text)) == ()


def test_sectors_begin_at_their_angle_and_gray_has_none() -> None:
    angles = np.array([0.0, 29.99, 30.01, 359.99, 180.0, -1e-17])
    lab = np.stack(
        [np.full(6, 50.0), 20 * np.cos(np.radians(angles)), 20 * np.sin(np.radians(angles))],
        axis=-1,
    )
    lab[5] = (50.0, 20.0, -1e-17)
    assert [SECTORS[code] for code in sector_codes(lab)] == ["0", "0", "30", "330", "180", "0"]
    red, gray = (parse_target(f"css:{name}").lab for name in ("red", "gray"))
    edges = sector_codes(np.array([(50.0, 4.9, 0.0), (50.0, 5.0, 0.0), red, gray]))
    assert [SECTORS[code] for code in edges] == ["neutral", "0", "30", "neutral"]


def test_nearest_level_2_name_is_that_of_the_slow_way() -> None:
    lab = np.random.default_rng(5).uniform((0, -90, -90), (100, 90, 90), (300, 3))
    slow = [nearest_names(point, "l2", 1)[0][0].name for point in lab]
    assert [l2_names()[index] for index in nearest_l2(lab)] == slow
    own = nearest_l2(np.asarray(system("l2").lab))
    assert own.tolist() == list(range(29))
    assert nearest_l2(np.empty((0, 3))).tolist() == []
