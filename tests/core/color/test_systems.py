"""Finding colors by what people type, and names by color."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import (
    FORMS,
    STANDARDS,
    SYSTEMS,
    all_nearest,
    candidates,
    find,
    nearest_names,
    parse_target,
    system,
)
from truehue.core.errors import BadInput, UnknownColor

EVERY = [color for key in SYSTEMS for color in system(key).colors]


@st.composite
def written(draw: st.DrawFn) -> tuple:
    """A color and its name in any case, with any separators between its letters."""
    color = draw(st.sampled_from(EVERY))
    gaps = st.sampled_from(["", "", "", " ", "-", "_", "'", "’", "  ", "\t"])
    text = "".join(
        draw(gaps) + (letter.upper() if draw(st.booleans()) else letter.lower())
        for letter in color.name.replace(" ", "")
    )
    return color, text + draw(gaps)


@settings(deadline=None)
@given(written())
def test_any_writing_of_a_name_finds_it(case: tuple) -> None:
    color, text = case
    assert find(text, color.system) == color
    assert parse_target(f" {color.system.upper()} : {text}").value == f"{color.system}:{color.name}"


@settings(deadline=None)
@given(st.sampled_from(EVERY), st.booleans())
def test_grey_is_gray(color, upper: bool) -> None:
    text = color.name.replace("gray", "grey").replace("Gray", "Grey")
    assert find(text.upper() if upper else text, color.system).srgb8 == color.srgb8


@settings(deadline=None)
@given(st.text(max_size=60), st.sampled_from([None, *SYSTEMS]))
def test_any_text_gives_a_color_or_says_why_not(text: str, system_id: str | None) -> None:
    try:
        target = parse_target(text, system_id)
    except UnknownColor as error:
        for suggestion in error.suggestions:
            parse_target(suggestion, system_id)
    else:
        assert parse_target(target.value).srgb8 == target.srgb8


@settings(deadline=None)
@given(st.tuples(*[st.integers(0, 255)] * 3))
def test_hex_and_rgb_agree(srgb8: tuple[int, int, int]) -> None:
    red, green, blue = srgb8
    for text in (
        f"#{red:02x}{green:02x}{blue:02x}",
        f"rgb({red}, {green}, {blue})",
        f"{red},{green},{blue}",
        f"({red} {green} {blue})",
    ):
        target = parse_target(text)
        assert target.srgb8 == srgb8
        assert (target.name, target.system) == (None, None)
        assert target.label == target.hex == target.value == f"#{red:02X}{green:02X}{blue:02X}"


def test_order_of_the_systems() -> None:
    assert find("pink").system == "css"
    assert find("Pink").system == "css"
    assert find("reddish orange").system == "l2"
    assert find("vivid red").system == "l3"
    # The words as written go before the folded name of a system earlier in the order.
    assert find("Dark gray").system == find("dark grey").system == "l3"
    assert find("darkgrey").system == "css"
    assert find("Yellow green").system == "l2"
    assert find("yellowgreen").system == "css"


def test_the_spelling_that_was_typed() -> None:
    assert find("grey", "css").name == "grey"
    assert find("gray", "css").name == "gray"
    assert find("Dark Slate Grey", "css").name == "darkslategrey"
    assert find("light greyish red").name == "Light grayish red"


def test_target_of_a_name() -> None:
    target = parse_target("  l3:vivid reddish ORANGE ")
    assert target.name == target.label == "Vivid reddish orange"
    assert target.system == "l3"
    assert target.hex == "#E83B1B"
    assert target.text == "l3:vivid reddish ORANGE"
    assert target.value == "l3:Vivid reddish orange"
    # L*, a* and b* as in the drawn Inspect page, to its decimals.
    assert [round(value, 2) for value in target.lab] == [52.25, 64.36, 56.46]


def test_the_prefix_goes_before_the_system() -> None:
    assert parse_target("css:pink", "l2").system == "css"
    assert parse_target("pink", "l2").system == "l2"


@pytest.mark.parametrize(
    ("text", "srgb8"),
    [
        ("#f80", (255, 136, 0)),
        ("E83B1B", (232, 59, 27)),
        ("000000", (0, 0, 0)),
        ("RGB( 1 ,2, 3 )", (1, 2, 3)),
        ("1;2;3", (1, 2, 3)),
        ("0 0 0", (0, 0, 0)),
        ("l3:#E83B1B", (232, 59, 27)),
        ("１，２，３", (1, 2, 3)),
    ],
)
def test_numbers(text: str, srgb8: tuple[int, int, int]) -> None:
    assert parse_target(text).srgb8 == srgb8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "No color was given. Write a name"),
        ("   ", "No color was given"),
        ("'-'", "No color was given"),
        ("#E83G1B", 'digit 4 is "G"; hex digits are 0–9 and A–F'),
        ("E83B1G", 'digit 6 is "G"'),
        ("#12345", "has 5 digits; it needs 6"),
        ("#12345678", "has 8 digits.*Leave the transparency"),
        ("#", "has 0 digits"),
        ("1,2,256", "The blue of .* is 256"),
        ("rgb(-1,2,3)", "The red of .* is -1"),
        ("1, 2.5, 3", "The green of .* is 2.5"),
        ("50% 20% 10%", "The red of .* is 50%"),
        ("1,2", "has 2 numbers"),
        ("123", "has 1 number;"),
        ("rgb(1,2,3,4)", "has 4 numbers"),
        ("rgb(12)", "has 1 number;"),
        ("l4:red", '"l4" is no color system'),
        ("l3:", "should follow the colon"),
        ("facade", 'No color is called "facade"'),
        ("qqqqqq", r'called "qqqqqq"\. Write a name'),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(UnknownColor, match=message):
        parse_target(text)


@pytest.mark.parametrize("text", ["Lab 52 40 30", "5R 5/14"])
def test_what_can_be_written_instead_is_said_whole(text: str) -> None:
    with pytest.raises(UnknownColor, match="No color is called") as refused:
        parse_target(text)
    said = str(refused.value)
    assert said.endswith(FORMS)
    assert "Munsell notation is not read" in FORMS
    for form in ("lch", "oklab", "oklch", "hsl"):
        assert f"{form}()" in FORMS
    written = ("vivid red", "#D51C3C", "213, 28, 60", "lab(46 66 33)")
    assert all(example in FORMS and parse_target(example).srgb8 for example in written)


def test_nearest_spellings() -> None:
    with pytest.raises(UnknownColor) as caught:
        find("vivd red", "l3")
    message = 'No color is called "vivd red" in ISCC-NBS level 3. Names spelled alike: Vivid red, '
    assert str(caught.value).startswith(message)
    assert caught.value.suggestions[0] == "Vivid red"


def test_a_name_of_another_system() -> None:
    with pytest.raises(UnknownColor, match="ISCC-NBS level 3 has that name") as caught:
        parse_target("vivid red", "css")
    assert caught.value.suggestions[0] == "l3:Vivid red"


def test_a_long_text_is_cut_in_the_message() -> None:
    with pytest.raises(UnknownColor) as caught:
        parse_target("very " * 2000)
    assert len(str(caught.value)) < 400


def test_unknown_systems() -> None:
    for call in (
        lambda: find("red", "x"),
        lambda: parse_target("#fff", "x"),
        lambda: nearest_names((0, 0, 0), "x", 1),
    ):
        with pytest.raises(BadInput, match='no color system "x"'):
            call()


def test_nearest_names() -> None:
    color = find("vivid red", "l3")
    named_colors = nearest_names(color.lab, "l3", 5)
    assert named_colors[0] == (color, 0.0)
    distances = [distance for _, distance in named_colors]
    assert distances == sorted(distances)
    everything = delta_e00(system("l3").lab, np.array(color.lab))
    np.testing.assert_allclose(distances, np.sort(everything)[:5])
    assert len(nearest_names(color.lab, "l1", 100)) == 13
    assert nearest_names(color.lab, "l1", 0) == []


def test_names_of_one_color_count_once() -> None:
    assert len(nearest_names((50, 0, 0), "css", 1000)) == 148 - 9
    assert [color.name for color, _ in nearest_names(find("cyan", "css").lab, "css", 2)] == [
        "aqua",
        "turquoise",
    ]


def test_nearest_in_all_systems() -> None:
    named_colors = all_nearest((31.7, 29.38, 28.37), 2)
    assert tuple(named_colors) == STANDARDS
    assert [color.name for color, _ in named_colors["css"]] == ["darkred", "maroon"]
    assert named_colors["l2"][0][0].name == "Reddish brown"


@pytest.mark.parametrize("lab", [(1, 2), (np.nan, 0, 0), [[1, 2, 3]]])
def test_a_lab_that_is_none(lab) -> None:
    with pytest.raises(BadInput, match="three finite numbers"):
        nearest_names(lab, "l3", 1)


def test_candidates_of_a_name() -> None:
    colors, lab = candidates(parse_target("l3:vivid reddish orange"), "l3", 3)
    assert [color.name for color in colors[:2]] == ["Vivid reddish orange", "Strong reddish orange"]
    assert lab.shape == (4, 3)
    assert lab.dtype == np.float64
    np.testing.assert_array_equal(lab[0], colors[0].lab)
    assert candidates(parse_target("l3:vivid reddish orange"), None, 3)[0] == colors


def test_candidates_count_shared_coordinates_once() -> None:
    for name in ("gray", "grey", "cyan", "magenta", "darkslategrey"):
        colors, lab = candidates(parse_target(f"css:{name}"), "css", 4)
        assert colors[0].name == name
        assert len({color.srgb8 for color in colors}) == len(colors) == len(lab) == 5


def test_candidates_without_a_name_or_neighbors() -> None:
    colors, _ = candidates(parse_target("#E83B1B"), "l3", 2)
    assert [color.name for color in colors] == ["Vivid reddish orange", "Strong reddish orange"]
    colors, lab = candidates(parse_target("#E83B1B"), "l3", 0)
    assert colors == []
    assert lab.shape == (0, 3)
    assert len(candidates(parse_target("l1:pink"), "l1", 0)[0]) == 1
    assert len(candidates(parse_target("l1:pink"), "l1", 99)[0]) == 13


def test_candidates_in_another_system_keep_the_asked_color_first() -> None:
    colors, _ = candidates(parse_target("l3:vivid red"), "css", 2)
    assert [color.system for color in colors] == ["l3", "css", "css"]


def test_candidates_need_a_system_and_a_count() -> None:
    with pytest.raises(BadInput, match="belongs to no color system"):
        candidates(parse_target("#E83B1B"), None, 2)
    with pytest.raises(BadInput, match="cannot be -1"):
        candidates(parse_target("l3:vivid red"), "l3", -1)


def test_a_name_of_people_is_found_where_no_standard_has_it() -> None:
    assert parse_target("rust").value == "people:rust"
    assert parse_target("Grey-Blue").value == "people:gray blue"
    assert parse_target("teal").value == "css:teal"
    assert parse_target("people:teal").hex == "#029386"
