"""Scripts that are sent in fewer bytes say the same, and they are few."""

from __future__ import annotations

import re

import pytest
from rjsmin import jsmin

from tests.house import ROOT
from tests.node import run_module
from truehue.annotation.studies.cases import Kind
from truehue.tabs.participants.page import participant_files, shell

pytestmark = pytest.mark.process


def test_every_module_means_the_same_as_before() -> None:
    """By the syntax trees of acorn, where the checkers of scripts are installed."""
    acorn = ROOT / "node_modules/acorn/dist/acorn.mjs"
    if not acorn.exists():
        pytest.skip("npm ci was not run")
    scripts = {path.name: path.read_text("utf-8") for path in ROOT.glob("assets/js/*/*.js")}
    differing = run_module(
        """
        const { parse } = await import(value.acorn);
        const plain = (key, part) => (key === 'start' || key === 'end' ? undefined : part);
        const tree = (text) =>
          JSON.stringify(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), plain);
        const differs = ([, one, other]) => tree(one) !== tree(other);
        return value.pairs.filter(differs).map(([name]) => name);
        """,
        {
            "acorn": acorn.as_uri(),
            "pairs": [(name, text, jsmin(text)) for name, text in scripts.items()],
        },
    )
    assert differing == []


def test_the_page_has_no_style_for_a_state_of_the_canvas() -> None:
    """Such a style once hid a drawing from everybody who typed a color on a phone."""
    scripts = "".join(path.read_text("utf-8") for path in ROOT.glob("assets/js/canvas/*.js"))
    states = set(re.findall(r"classList\.(?:add|toggle)\('([\w-]+)'", scripts))
    styles = "".join(
        (ROOT / f"assets/css/participants/{name}.css").read_text("utf-8")
        for name in ("participants", "coloring")
    )
    assert len(states) > 5
    assert states & set(re.findall(r"\.([a-z][\w-]*)", styles)) == set()


# Colorings: 20 kB more, 6 of them sent, for drags that fill, fills of all alike, shades, the last
# colors, palettes, a reference image and all sketches before the end, with their words in two
# languages; and 4.6 kB for what Fill alike shows before it fills, and where the buttons stand. What
# reads a palette or an image, the list of keys, the loupe and the small pictures come later.
@pytest.mark.parametrize(
    ("kind", "plain", "sent"), [(Kind.PAIRS, 90_000, 35_000), (Kind.COLORINGS, 198_000, 66_000)]
)
def test_a_page_is_light_also_in_german(kind: Kind, plain: int, sent: int) -> None:
    """The page, and all script and style that a participant's browser fetches, plain and as it is
    sent; that it fetches no other is seen in one (tests/browser/)."""
    files = participant_files()
    paths = [*files.first(kind), *files.styles(kind)]
    bodies = [
        shell("de", kind, "token"),
        *(files.body(files.version, path.partition(f"{files.version}/")[2]) for path in paths),
    ]
    assert len(bodies) > 12
    listed = " ".join(paths)
    colored = kind is Kind.COLORINGS
    assert ("/canvas/" in listed, "/trials.js" in listed) == (colored, not colored)
    assert sum(len(body.plain) for body in bodies if body) < plain
    assert sum(len(body.brotli) for body in bodies if body) < sent
    assert None not in bodies
    for later in (
        "palettes.js",
        "reference.js",
        "help.js",
        "glance.js",
        "loupe.js",
        "uncolored.js",
        "background.js",
        "original.js",
        "sharp.js",
        "forms.js",
    ):
        assert later not in listed
