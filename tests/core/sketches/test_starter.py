"""The starter set: its exact ink, concepts of the list, whole outlines, files that are edited."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from tests.core.sketches import starter_ink
from truehue.core.errors import TrueHueError
from truehue.core.prompts.concepts import concepts
from truehue.core.sketches.prepare import of_ink
from truehue.core.sketches.regions import LINE
from truehue.core.sketches.starter import FOLDER, SIDE, Drawing, ink_of, marks_of, starter

pytestmark = pytest.mark.slow

MIN_SHARE = 0.0005
CATEGORIES = {concept.category: None for concept in concepts()}


@cache
def whole_ink(drawing: Drawing) -> np.ndarray:
    """The ink of a drawing, drawn once for all tests."""
    return drawing.ink()


def large_parts(area: np.ndarray) -> tuple[int, np.ndarray]:
    """How many parts of an area a hand can hit, and a map of them: 0 elsewhere, 1 to n."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(area, connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] >= MIN_SHARE * area.size
    large[0] = False
    return int(large.sum()), (np.cumsum(large) * large)[labels]


def test_the_ink_of_every_drawing_is_what_it_was() -> None:
    """Stored colorings name a sketch by the bytes of its ink."""
    assert (
        starter_ink.rows(whole_ink) == starter_ink.SILVER.read_text(encoding="utf-8").splitlines()
    )


def test_drawings_are_listed_without_opening_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Drawing, "svg", lambda _: pytest.fail("a file was opened"))
    assert len(starter.__wrapped__()) == len(starter()) == 86


def test_every_drawing_shows_a_concept_of_the_list() -> None:
    bases = {c.words: c for c in concepts() if c.modifier_kind == "base"}
    assert {text.replace(" ", "_") for text in starter()} == {
        path.stem for path in FOLDER.glob("*.svg")
    }
    for key, drawing in starter().items():
        concept = bases[key]
        assert (drawing.words, drawing.concept_id) == (key, concept.id)
        assert drawing.category == concept.category


def test_all_categories_have_drawings_enough_for_a_study() -> None:
    counts = Counter(drawing.category for drawing in starter().values())
    assert set(counts) == set(CATEGORIES)
    assert min(counts.values()) >= 6
    assert sum(counts.values()) >= 48


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("category", CATEGORIES)
def test_outlines_are_whole_and_regions_neither_few_nor_many(category: str, step: int) -> None:
    """Of every fourth drawing; of all at night."""
    for text, drawing in list(starter().items())[::step]:
        if drawing.category == category:
            paper = (whole_ink(drawing) >= LINE).view(np.uint8)
            regions, labels = large_parts(paper)
            assert 4 <= regions <= 80, text
            # What a ball as wide as a gap of 4 pixels cannot leave must be whole regions.
            away = cv2.distanceTransform(paper, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
            cores, core_labels = large_parts((away > 2.5).view(np.uint8))
            held = {int(labels[core_labels == core][0]) for core in range(1, cores + 1)}
            assert cores - len(held) <= 0.1 * regions, text


def test_nothing_touches_the_border_and_no_ink_is_large() -> None:
    for key, drawing in starter().items():
        ink = whole_ink(drawing)
        assert ink.shape == (SIDE, SIDE)
        assert ink.dtype == np.uint8
        edges = np.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]])
        assert edges.min() == 255, key
        inked = ink < 128
        extent = max(np.ptp(np.flatnonzero(inked.any(axis=axis))) for axis in (0, 1))
        assert 0.75 * SIDE <= extent <= 0.9 * SIDE, key
        assert np.mean(inked) < 0.25, key


@pytest.mark.parametrize("text", ["apple", "butterfly", "lake"])
def test_a_drawing_passes_the_checks_of_imported_sketches(text: str) -> None:
    sketch = of_ink(whole_ink(starter()[text]))
    assert sketch.warnings == ()
    assert sketch.closing == 0


def test_a_vector_document_holds_paths_alone() -> None:
    for drawing in starter().values():
        root = ElementTree.fromstring(drawing.svg())
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert names <= {"svg", "title", "defs", "clipPath", "g", "path"}
        assert root.findtext("{http://www.w3.org/2000/svg}title") == drawing.words
        # A viewer would otherwise paint the mats of scenes over all of them, or end lines flat.
        assert root.get("fill-rule") == "evenodd"
        assert root.get("stroke-linecap") == root.get("stroke-linejoin") == "round"


def document(body: str, root: str = 'viewBox="0 0 1024 1024"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {root}>{body}</svg>'


def ink(body: str) -> np.ndarray:
    return ink_of(marks_of(document(body), "tree.svg"), 256)


LINE_STYLE = 'fill="none" stroke="#000" stroke-width="8"'


def test_a_shape_hides_what_lies_behind_it() -> None:
    pixels = ink(
        f'<path {LINE_STYLE} d="M100 512H924"/>'
        '<path fill="#fff" stroke="#000" stroke-width="8" d="M400 400h200v200h-200z"/>'
    )
    assert pixels[128, 128] == 255
    assert pixels[128, 60] == 0


def test_a_line_inside_of_a_shape_is_cut_off_at_its_outline() -> None:
    pixels = ink(
        '<defs><clipPath id="a"><path d="M400 400h100v200h-100z"/><path d="M560 400h40v200h-40z"/>'
        f'</clipPath></defs><g clip-path="url(#a)"><path {LINE_STYLE} d="M100 512H924"/></g>'
    )
    assert (pixels[128, [112, 145]] == 0).all()
    assert (pixels[128, [60, 132, 180]] == 255).all()


def test_a_frame_hides_what_lies_beyond_it() -> None:
    pixels = ink(
        f'<path {LINE_STYLE} d="M100 512H924"/>'
        '<path fill="#fff" d="M0 0h1024v1024h-1024v-1024l400 400v200h200v-200h-200z"/>'
    )
    assert pixels[128, 128] == 0
    assert pixels[128, 60] == 255


@pytest.mark.parametrize(
    "data",
    [
        "M100,200 L300,200 C400,200 500,300 500,400 V600 H300 L200 500 Z",
        "m100 200h200c100 0 200 100 200 200v200h-200l-100-100z",
        "M100 200 300 200c1e2 0 200 1.e+2 200 200 0 60 0 140 0 200H300l-100-100L100 200Z",
    ],
)
def test_a_curve_is_the_same_however_an_editor_writes_it(data: str) -> None:
    expected = "M100 200L300 200C400 200 500 300 500 400L500 600L300 600L200 500L100 200Z"
    form = f'<path {LINE_STYLE} d="%s"/>'
    assert np.array_equal(ink(form % data), ink(form % expected))


def test_an_editor_may_write_style_groups_and_its_own_elements() -> None:
    expected = ink(f'<path {LINE_STYLE} d="M100 200H400"/>')
    edited = (
        '<metadata/><other:view xmlns:other="http://example.org"><other:grid/></other:view>'
        '<g id="layer1" fill="#000"><g style="stroke:#000000;stroke-width:8px">'
        '<path style="fill:none" d="M100 200H400"/></g></g>'
    )
    assert np.array_equal(ink(edited), expected)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "has no path"),
        ("<path", "not well-formed"),
        ('<path stroke="#000" stroke-width="5" d="M0 0H9"/>', "fill=None"),
        ('<path fill="red" d="M0 0H9"/>', "fill='red'"),
        ('<path fill="none" stroke="#fff" stroke-width="5" d="M0 0H9"/>', "stroke='#fff'"),
        ('<path fill="none" stroke="#000" d="M0 0H9"/>', "stroke-width=''"),
        (f"<path {LINE_STYLE}/>", "path data ''"),
        (f'<path {LINE_STYLE} d="M0 0A9 9 0 0 0 9 9"/>', "path data 'M0 0A9"),
        (f'<path {LINE_STYLE} d="M0 0H9M20 0H30"/>', "path data 'M0 0H9M20"),
        (f'<path {LINE_STYLE} d="M0 0C1 1 2 2"/>', "path data 'M0 0C1"),
        (f'<path {LINE_STYLE} transform="scale(2)" d="M0 0H9"/>', "transform"),
        (f'<path {LINE_STYLE} clip-path="url(#a)" d="M0 0H9"/>', "clip-path='url(#a)'"),
        (
            f'<defs><clipPath id="a"/></defs><path {LINE_STYLE} clip-path="url(#a)" d="M0 0H9"/>',
            "no <clipPath> with a path",
        ),
        ('<circle r="9"/>', "<circle>"),
    ],
)
def test_an_edited_file_that_lost_something_is_refused_by_name(body: str, reason: str) -> None:
    with pytest.raises(TrueHueError) as caught:
        marks_of(document(body), "tree.svg")
    assert "assets/sketches/tree.svg" in str(caught.value)
    assert reason in str(caught.value)


def test_files_of_another_size_or_kind_are_refused_by_name(tmp_path: Path) -> None:
    body = f'<path {LINE_STYLE} d="M0 0H9"/>'
    file = tmp_path / "tree.svg"
    for content in (document(body, 'viewBox="0 0 9 9"').encode(), body.encode(), b"\xff", None):
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(TrueHueError, match=r"assets/sketches/tree\.svg cannot be used"):
            Drawing("tree", "", "", file).ink()
