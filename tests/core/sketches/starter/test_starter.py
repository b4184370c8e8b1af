"""The starter set: concepts of the list, whole outlines, room around, vectors without pixels."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import cv2
import numpy as np
import pytest

from truehue.core.prompts.concepts import concepts
from truehue.core.sketches.prepare import of_ink
from truehue.core.sketches.regions import LINE
from truehue.core.sketches.starter import starter
from truehue.core.sketches.starter.drawing import Drawing
from truehue.core.sketches.starter.registry import DRAWN

pytestmark = pytest.mark.slow

LEAST_SHARE = 0.0005
CATEGORIES = {concept.category: None for concept in concepts()}


def large_parts(area: np.ndarray) -> tuple[int, np.ndarray]:
    """How many parts of an area a hand can hit, and a map of them: 0 elsewhere, 1 to n."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(area, connectivity=4)
    large = stats[:, cv2.CC_STAT_AREA] >= LEAST_SHARE * area.size
    large[0] = False
    return int(large.sum()), (np.cumsum(large) * large)[labels]


def test_every_drawing_shows_a_concept_of_the_list() -> None:
    bases = {c.words: c for c in concepts() if c.modifier_kind == "base"}
    assert set(starter()) == set(DRAWN)
    for words, drawing in starter().items():
        concept = bases[words]
        assert (drawing.words, drawing.concept_id) == (words, concept.id)
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
    for words, drawing in list(starter().items())[::step]:
        if drawing.category == category:
            paper = (drawing.ink() >= LINE).view(np.uint8)
            regions, labels = large_parts(paper)
            assert 4 <= regions <= 80, words
            # What a ball as wide as a gap of 4 pixels cannot leave must be whole regions.
            away = cv2.distanceTransform(paper, cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
            cores, core_labels = large_parts((away > 2.5).view(np.uint8))
            held = {int(labels[core_labels == core][0]) for core in range(1, cores + 1)}
            assert cores - len(held) <= 0.1 * regions, words


def test_nothing_touches_the_border_and_no_ink_is_large() -> None:
    for words, drawing in starter().items():
        ink = drawing.ink(256)
        assert ink.shape == (256, 256)
        assert ink.dtype == np.uint8
        edges = np.concatenate([ink[0], ink[-1], ink[:, 0], ink[:, -1]])
        assert edges.min() == 255, words
        rows, columns = np.nonzero(ink < 128)
        extent = max(np.ptp(rows), np.ptp(columns))
        assert 0.75 * 256 <= extent <= 0.9 * 256, words
        assert np.mean(ink < 128) < 0.25, words


@pytest.mark.parametrize("words", ["apple", "butterfly", "lake"])
def test_a_drawing_passes_the_checks_of_imported_sketches(words: str) -> None:
    sketch = of_ink(starter()[words].ink())
    assert sketch.warnings == ()
    assert sketch.closing == 0


def test_a_drawing_is_the_same_each_time_it_is_made() -> None:
    for words in ("rose", "lake", "turtle"):
        again = Drawing(words, "", "", DRAWN[words])
        assert np.array_equal(again.ink(128), starter()[words].ink(128))
        assert again.svg() == starter()[words].svg()


def test_a_vector_document_holds_paths_alone() -> None:
    for drawing in starter().values():
        root = ElementTree.fromstring(drawing.svg())
        names = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert names <= {"svg", "title", "defs", "clipPath", "g", "path"}
        assert root.findtext("{http://www.w3.org/2000/svg}title") == drawing.words
