"""The four color systems against the tables that they come from.

GenColorBench: arXiv:2510.20586, every row of its Tables 5 (ISCC-NBS level 2), 6 (level 3) and 7
(CSS), which lie beside this file. CSS also: the package webcolors, which holds the names of CSS
Color Module Level 3, and `rebeccapurple` of level 4.
"""

import csv
import hashlib
from pathlib import Path

import numpy as np
import pytest
import webcolors

from truehue.core.color import systems
from truehue.core.color.difference import delta_e00
from truehue.core.color.spaces import srgb8_to_lab
from truehue.core.color.systems import SYSTEMS, system
from truehue.core.errors import BadInput, TrueHueError

LEVEL_1 = (
    "Pink",
    "Red",
    "Orange",
    "Brown",
    "Yellow",
    "Olive",
    "Yellow green",
    "Green",
    "Blue",
    "Purple",
    "White",
    "Gray",
    "Black",
)
# Names of CSS that Table 7 leaves out.
NOT_IN_TABLE_7 = {
    "gainsboro",
    "ghostwhite",
    "gold",
    "goldenrod",
    "gray",
    "green",
    "greenyellow",
    "grey",
    "honeydew",
    "hotpink",
    "indianred",
    "indigo",
    "ivory",
    "khaki",
    "lavender",
    "lavenderblush",
    "lawngreen",
    "lemonchiffon",
    "plum",
}


def printed(name: str) -> list[dict[str, str]]:
    """The rows of a table beside this file, as the paper prints them."""
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rows(system_id: str) -> list[tuple[int, str, int, int, int]]:
    return [(color.id, color.name, *color.srgb8) for color in system(system_id).colors]


def rgb(row: dict[str, str]) -> tuple[int, int, int]:
    return int(row["r"]), int(row["g"]), int(row["b"])


def test_counts_and_ids() -> None:
    assert {key: len(system(key).colors) for key in SYSTEMS} == {
        "css": 148,
        "l1": 13,
        "l2": 29,
        "l3": 260,
        "people": 151,
    }
    for key in ("css", "l1", "l2"):
        assert [color.id for color in system(key).colors] == list(range(1, len(rows(key)) + 1))
    absent = {49, 66, 124, 142, 161, 167, 170}
    assert [color.id for color in system("l3").colors] == sorted(set(range(1, 268)) - absent)


@pytest.mark.parametrize(
    ("key", "table", "count"),
    [("l2", "iscc_nbs_table5.csv", 29), ("l3", "iscc_nbs_table6.csv", 260)],
)
def test_iscc_nbs_is_what_the_paper_prints(key: str, table: str, count: int) -> None:
    published = [(int(row["id"]), row["name"], *rgb(row)) for row in printed(table)]
    assert len(published) == count
    assert rows(key) == published


def test_css_has_the_colors_of_table_7() -> None:
    table = printed("css_table7.csv")
    assert [int(row["id"]) for row in table] == list(range(1, 130))
    # The paper gives every color twice, which would show a slip in copying it.
    for row in table:
        assert row["hex"] == webcolors.rgb_to_hex(rgb(row)).upper(), row["name"]
    # The ids are the paper's own count, and its capitals are not those of CSS.
    published = {row["name"].lower(): rgb(row) for row in table}
    assert len(published) == 129
    ours = {color.name: color.srgb8 for color in system("css").colors}
    assert {name: ours[name] for name in published} == published
    assert ours.keys() - published.keys() == NOT_IN_TABLE_7


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
    name, expected = systems.FILES[key]
    content = (systems.FOLDER / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == expected
    assert content.startswith(b"id,name,r,g,b\n")
    assert content.endswith(b"\n")
    assert b"\r" not in content
    assert expected in (systems.FOLDER / "README.md").read_text("utf-8")


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, _ in systems.FILES.values():
        (tmp_path / name).write_bytes((systems.FOLDER / name).read_bytes())
    monkeypatch.setattr(systems, "FOLDER", tmp_path)
    fresh = systems.system.__wrapped__
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
