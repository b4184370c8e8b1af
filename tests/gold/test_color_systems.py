"""The four color systems against the tables that they come from.

GenColorBench: arXiv:2510.20586, Tables 5 (ISCC-NBS level 2) and 6 (level 3). CSS: the package
webcolors, which holds the names of CSS Color Module Level 3, and `rebeccapurple` of level 4.
"""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import webcolors

from core.color import catalog
from core.color.difference import delta_e00
from core.color.spaces import srgb8_to_lab
from core.color.systems import SYSTEMS, system
from core.errors import BadInput, TrueHueError

# Quoted by hand from the paper: id, name, R, G, B.
TABLE_5 = [
    (1, "Pink", 230, 134, 151), (4, "Reddish orange", 215, 71, 42),
    (8, "Orange yellow", 227, 160, 69), (11, "Olive brown", 127, 97, 41),
    (16, "Yellowish green", 74, 195, 77), (21, "Purplish blue", 79, 71, 198),
    (26, "Purplish red", 186, 43, 119), (27, "White", 231, 225, 233),
    (28, "Gray", 147, 142, 147), (29, "Black", 43, 41, 43),
]  # fmt: skip
TABLE_6 = [
    # first, middle and last column, the rows where the columns end, and the neighbors of gaps
    (1, "Vivid pink", 253, 121, 146), (90, "Grayish yellow", 200, 177, 139),
    (179, "Deep blue", 17, 48, 116), (34, "Vivid reddish orange", 232, 59, 27),
    (48, "Vivid orange", 247, 118, 11), (50, "Strong orange", 234, 129, 39),
    (65, "Brownish black", 43, 33, 30), (67, "Brilliant orange yellow", 255, 190, 80),
    (123, "Strong olive green", 44, 85, 6), (125, "Moderate olive green", 73, 91, 34),
    (129, "Vivid yellowish green", 63, 215, 64), (139, "Vivid green", 35, 234, 165),
    (158, "Vivid bluish green", 19, 252, 213), (160, "Strong bluish green", 13, 143, 130),
    (162, "Very light bluish green", 152, 225, 224), (166, "Very dark bluish green", 10, 45, 46),
    (168, "Brilliant greenish blue", 45, 188, 226), (169, "Strong greenish blue", 19, 133, 175),
    (171, "Very light greenish blue", 148, 214, 239), (89, "Pale yellow", 239, 215, 178),
    (178, "Strong blue", 39, 108, 189), (221, "Very light purple", 228, 185, 243),
    (262, "Grayish purplish red", 148, 92, 115), (263, "White", 231, 225, 233),
    (264, "Light gray", 189, 183, 191), (265, "Medium gray", 138, 132, 137),
    (266, "Dark gray", 88, 84, 88), (267, "Black", 43, 41, 43),
]  # fmt: skip
LEVEL_1 = ("Pink", "Red", "Orange", "Brown", "Yellow", "Olive", "Yellow green", "Green", "Blue",
           "Purple", "White", "Gray", "Black")  # fmt: skip


def rows(system_id: str) -> list[tuple]:
    return [(color.id, color.name, *color.srgb8) for color in system(system_id).colors]


def test_counts_and_ids() -> None:
    assert {key: len(system(key).colors) for key in SYSTEMS} == {
        "css": 148, "l1": 13, "l2": 29, "l3": 260,
    }  # fmt: skip
    for key in ("css", "l1", "l2"):
        assert [color.id for color in system(key).colors] == list(range(1, len(rows(key)) + 1))
    absent = {49, 66, 124, 142, 161, 167, 170}
    assert [color.id for color in system("l3").colors] == sorted(set(range(1, 268)) - absent)


def test_rows_of_table_5() -> None:
    assert set(TABLE_5) <= set(rows("l2"))


def test_rows_of_table_6() -> None:
    assert set(TABLE_6) <= set(rows("l3"))


def test_level_1_takes_the_coordinates_of_level_2() -> None:
    assert tuple(color.name for color in system("l1").colors) == LEVEL_1
    level_2 = {color.name: color.srgb8 for color in system("l2").colors}
    for color in system("l1").colors:
        assert color.srgb8 == level_2[color.name]


def test_css_is_what_webcolors_says() -> None:
    published = {
        name: tuple(webcolors.name_to_rgb(name, spec=webcolors.CSS3))
        for name in webcolors.names(webcolors.CSS3)
    }
    published["rebeccapurple"] = (0x66, 0x33, 0x99)
    assert {color.name: color.srgb8 for color in system("css").colors} == published


@pytest.mark.parametrize("key", SYSTEMS)
def test_names_differ_and_values_are_codes(key: str) -> None:
    colors = system(key).colors
    assert len({color.name.casefold() for color in colors}) == len(colors)
    assert all(0 <= code <= 255 for color in colors for code in color.srgb8)
    assert all(color.system == key for color in colors)
    assert colors[0].hex == webcolors.rgb_to_hex(colors[0].srgb8).upper()


@pytest.mark.parametrize("key", SYSTEMS)
def test_lab_is_that_of_the_codes(key: str) -> None:
    chosen = system(key)
    codes = np.array([color.srgb8 for color in chosen.colors], dtype=np.uint8)
    assert chosen.lab.dtype == np.float64
    np.testing.assert_array_equal(chosen.lab, srgb8_to_lab(codes))
    np.testing.assert_array_equal(chosen.lab, [color.lab for color in chosen.colors])
    assert not chosen.lab.flags.writeable
    assert not delta_e00(chosen.lab, chosen.lab).any()


@pytest.mark.parametrize("key", SYSTEMS)
def test_files_are_plain_and_have_the_published_checksum(key: str) -> None:
    name, expected = catalog.FILES[key]
    content = (catalog.FOLDER / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == expected
    assert content.startswith(b"id,name,r,g,b\n")
    assert content.endswith(b"\n")
    assert b"\r" not in content
    assert expected in (catalog.FOLDER / "README.md").read_text("utf-8")


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _ in catalog.FILES.values():
        (tmp_path / name).write_bytes((catalog.FOLDER / name).read_bytes())
    monkeypatch.setattr(catalog, "FOLDER", tmp_path)
    fresh = catalog.system.__wrapped__
    assert len(fresh("l2").colors) == 29
    path = tmp_path / "iscc_nbs_l2.csv"
    path.write_bytes(path.read_bytes().replace(b"185,40,66", b"185,40,67"))
    with pytest.raises(TrueHueError, match=r"was changed.*ISCC-NBS level 2.*git checkout"):
        fresh("l2")
    path.unlink()
    with pytest.raises(TrueHueError, match="cannot be read"):
        fresh("l2")


def test_unknown_system() -> None:
    with pytest.raises(BadInput, match=r'no color system "l4".*css.*l1.*l2.*l3'):
        system("l4")
