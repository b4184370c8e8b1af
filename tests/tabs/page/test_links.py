"""A link carries what it was made from, through a browser's address bar and back."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.tabs.page.links import link, read

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=200).map(str.strip)


def followed(address: str) -> dict[str, str]:
    """What the app is asked for when a browser opens the link: nothing behind a ``#`` is sent."""
    parts = urlsplit("http://127.0.0.1:7860/" + address)
    assert parts.fragment == ""
    return read(dict(parse_qsl(parts.query, keep_blank_values=True)))


def test_an_inspect_link_opens_what_it_was_made_from() -> None:
    values = {
        "image": "0123456789abcdef",
        "mask": "fedcba9876543210",
        "object": "tea mug",
        "target": "l3:Vivid reddish orange",
        "rule": "released",
        "k": 3,
    }
    assert followed(link("inspect", values)) == {
        "tab": "inspect",
        **{key: str(value) for key, value in values.items()},
    }


@pytest.mark.parametrize(
    "target", ["#E83B1B", "css:tomato", "l1:Pink", "rgb(1, 2, 3)", "100%", "a&b=c", "a+b", "ä ☂"]
)
def test_every_way_to_write_a_color_survives_a_link(target: str) -> None:
    values = {"target": target, "rule": "released"}
    assert followed(link("inspect", values)) == {"tab": "inspect", **values}


@settings(deadline=None)
@given(WORDS, WORDS)
def test_any_words_survive_a_link(resource: str, target: str) -> None:
    got = followed(link("inspect", {"object": resource, "target": target, "rule": "paper"}))
    wanted = {"tab": "inspect", "object": resource, "target": target, "rule": "paper"}
    assert got == {key: value for key, value in wanted.items() if value}


def test_settings_of_refinement_survive_a_link() -> None:
    values = {"cfr": "0.5", "cfr_map": "object", "cfr_variant": "cfr", "cfr_at": "10"}
    assert followed(link("generate", values)) == {"tab": "generate", **values}


def test_what_is_empty_is_left_out_and_zero_is_kept() -> None:
    assert link("generate", {"object": "", "light": None, "seed": 0}) == "?tab=generate&seed=0"


def test_a_link_of_colors_by_name_stays_readable() -> None:
    assert link("inspect", {"target": "css:tomato"}) == "?tab=inspect&target=css:tomato"


def test_unknown_blank_and_endless_parameters_are_cut() -> None:
    query = {"tab": " inspect ", "evil": "1", "object": "   ", "target": "x" * 5000}
    assert read(query) == {"tab": "inspect", "target": "x" * 1000}


def test_an_empty_field_of_generate_is_what_was_on_screen() -> None:
    query = {"tab": "generate", "object": "", "text": "x" * 5000, "seed": ""}
    assert read(query) == {"tab": "generate", "object": "", "text": "x" * 5000}
