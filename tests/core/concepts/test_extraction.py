"""Extraction against the publication's steps in plain loops, and what must not change it."""

from __future__ import annotations

from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
import pytest
from colour import XYZ_to_Lab, sRGB_to_XYZ
from colour.difference import delta_E_CIE2000
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.concepts.pictures import BANANA, LEAF, PLUM, SNOW, several
from tests.core.concepts.test_palette import by_hand as merge_by_hand
from truehue.core.color import uw71
from truehue.core.concepts.extraction import (
    EXTRACTION_VERSION,
    GROUPINGS,
    Extraction,
    ExtractionSettings,
    ProfileArrays,
    extract,
    weights_of_draws,
)
from truehue.core.concepts.records import ColorProfile
from truehue.core.errors import BadInput

pytestmark = pytest.mark.slow

D65 = np.array([0.3127, 0.3290])


def _lab(srgb255: list[float]) -> list[float]:
    """CIELAB by colour-science; its white differs from ours by the fifth digit."""
    return np.asarray(XYZ_to_Lab(sRGB_to_XYZ(np.array(srgb255) / 255.0), D65)).tolist()


def _complete_by_hand(lab: list[list[float]], limit: float) -> list[list[int]]:
    """Groups are joined, the closest two first, as long as any two of their colors are alike."""
    groups = [[i] for i in range(len(lab))]
    while len(groups) > 1:
        apart, item, other = min(
            (max(float(delta_E_CIE2000(lab[i], lab[k])) for i in a for k in b), place_a, place_b)
            for place_a, a in enumerate(groups)
            for place_b, b in enumerate(groups)
            if place_a < place_b
        )
        if apart > limit:
            break
        groups[item] = sorted(groups[item] + groups.pop(other))
    return groups


def _by_hand(profiles: list[ColorProfile]) -> tuple[list[dict[str, Any]], list[float]]:
    """Appendix C.3 in plain loops, with colour-science's CIEDE2000."""
    dominants = [_lab(list(profile.dominant_srgb)) for profile in profiles]
    groups = _complete_by_hand(dominants, 12.0)
    steps: list[dict[str, Any]] = []
    weights = [0.0] * 71
    bins = [bin_.lab for bin_ in uw71.uw71()]
    for group in groups:
        pool: dict[int, list[int]] = {}
        for member in group:
            profile = profiles[member]
            for index, cell in enumerate(profile.cells):
                held = pool.setdefault(cell, [0, 0, 0, 0])
                held[0] += profile.counts[index]
                for channel in range(3):
                    held[1 + channel] += profile.sums[3 * index + channel]
        largest = sorted(pool, key=lambda cell: (-pool[cell][0], cell))[:20]
        saved = sum(pool[cell][0] for cell in largest)
        lab = [_lab([pool[cell][1 + i] / pool[cell][0] for i in range(3)]) for cell in largest]
        shares = [pool[cell][0] / saved for cell in largest]
        colors, merged, parts = merge_by_hand(lab, shares, 7.0)
        total = sum(held[0] for held in pool.values())
        steps.append(
            {
                "members": group,
                "pooled": lab,
                "shares": shares,
                "colors": colors,
                "merged": merged,
                "parts": parts,
                "kept": saved / total,
                "cells": len(pool),
            }
        )
        for color, share in zip(colors, merged, strict=True):
            squares = [sum((a - b) ** 2 for a, b in zip(color, bin_, strict=True)) for bin_ in bins]
            weights[squares.index(min(squares))] += share * len(group) / len(profiles)
    return steps, weights


@pytest.fixture(scope="module")
def pictures() -> list[ColorProfile]:
    return several((BANANA, 5), (LEAF, 3), (PLUM, 2), (SNOW, 1))


@pytest.fixture(scope="module")
def extraction(pictures: list[ColorProfile]) -> Extraction:
    return extract(pictures)


def test_every_step_is_that_of_plain_loops(
    pictures: list[ColorProfile], extraction: Extraction
) -> None:
    steps, weights = _by_hand(pictures)
    assert len(steps) >= 4
    by_first = sorted(extraction.groups, key=lambda group: group.members[0])
    for group, step in zip(by_first, steps, strict=True):
        assert list(group.members) == step["members"]
        assert group.colors == step["cells"]
        assert group.kept == pytest.approx(step["kept"], abs=1e-12)
        np.testing.assert_allclose(group.pooled.lab, step["pooled"], atol=1e-2)
        np.testing.assert_allclose(group.pooled.weights, step["shares"], atol=1e-12)
        assert [list(part) for part in group.merged_from] == step["parts"]
        np.testing.assert_allclose(group.merged.lab, step["colors"], atol=1e-2)
        np.testing.assert_allclose(group.merged.weights, step["merged"], atol=1e-12)
    np.testing.assert_allclose(extraction.weights, weights, atol=1e-12)


def test_this_example_has_all_that_can_happen(extraction: Extraction) -> None:
    """Groups of several sizes, colors that were left out, and colors that were merged."""
    assert len({len(group.members) for group in extraction.groups}) > 1
    assert any(group.kept < 1.0 for group in extraction.groups)
    assert any(len(part) > 1 for group in extraction.groups for part in group.merged_from)


def test_records_fit_together(extraction: Extraction, pictures: list[ColorProfile]) -> None:
    members = sorted(member for group in extraction.groups for member in group.members)
    assert members == list(range(len(pictures)))
    sizes = [len(group.members) for group in extraction.groups]
    assert all(item >= other for item, other in pairwise(sizes))
    for group in extraction.groups:
        assert group.weight == len(group.members) / len(pictures)
        assert group.pixels == sum(pictures[member].sampled_px for member in group.members)
        widest = max(
            float(delta_E_CIE2000(item, other))
            for item in group.dominants_lab
            for other in group.dominants_lab
        )
        assert group.widest_delta_e00 == pytest.approx(widest, abs=1e-6)
        assert widest <= 12.0
    np.testing.assert_allclose(
        extraction.weights, uw71.assign(extraction.palette.lab, extraction.palette.weights)
    )
    assert extraction.version == EXTRACTION_VERSION
    assert all(note.endswith(".") for note in extraction.notes)


def test_soft_assignment_spreads_the_same_palette(
    pictures: list[ColorProfile], extraction: Extraction
) -> None:
    soft = extract(pictures, ExtractionSettings(assignment="soft"))
    np.testing.assert_array_equal(soft.palette.lab, extraction.palette.lab)
    expected = uw71.assign(soft.palette.lab, soft.palette.weights, "soft")
    np.testing.assert_allclose(soft.weights, expected, atol=1e-12)
    assert (soft.weights > 0).all()


def test_settings_are_used(pictures: list[ColorProfile]) -> None:
    few = extract(pictures, ExtractionSettings(most_colors=3, merge_delta_e00=0.0))
    assert all(group.pooled.weights.size == 3 for group in few.groups)
    assert all(len(part) == 1 for group in few.groups for part in group.merged_from)
    item = extract(pictures, ExtractionSettings(group_delta_e00=200.0))
    assert [len(group.members) for group in item.groups] == [len(pictures)]
    each = extract(pictures, ExtractionSettings(group_delta_e00=0.0))
    assert len(each.groups) == len(pictures)
    every = extract(pictures, ExtractionSettings(most_colors=512))
    assert all(group.kept == 1.0 for group in every.groups)


# Pictures of two or three plain colors: equal sizes and equal distances are common.
PLAIN = st.lists(
    st.tuples(
        st.sampled_from([(0, 0, 0), (40, 40, 40), (80, 80, 80), (200, 30, 30), (250, 250, 90)]),
        st.integers(1, 5),
        st.sampled_from([(64, 64, 64), (100, 100, 100), (180, 60, 60), (30, 90, 200)]),
        st.integers(1, 5),
    ),
    min_size=1,
    max_size=8,
)


def _plain(
    first: tuple[int, int, int], n: int, second: tuple[int, int, int], m: int
) -> ColorProfile:
    from truehue.core.concepts.profile import profile_of

    srgb8 = np.array([[first] * n + [second] * m], np.uint8)
    return profile_of(srgb8, np.ones(srgb8.shape[:2], bool))


@settings(max_examples=100, deadline=None)
@given(PLAIN, st.sampled_from(sorted(GROUPINGS)), st.sampled_from(uw71.METHODS))
def test_weights_are_a_distribution(
    parts: list[tuple[tuple[int, int, int], int, tuple[int, int, int], int]],
    grouping: str,
    assignment: str,
) -> None:
    result = extract(
        [_plain(*part) for part in parts],
        ExtractionSettings(grouping=grouping, assignment=assignment),
    )
    assert result.weights.shape == (71,)
    assert (result.weights >= 0).all()
    assert result.weights.sum() == pytest.approx(1.0, abs=1e-12)
    assert result.palette.weights.sum() == pytest.approx(1.0, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(PLAIN, st.data(), st.sampled_from(["complete", "connected"]))
def test_order_of_images_changes_no_bit(
    parts: list[tuple[tuple[int, int, int], int, tuple[int, int, int], int]],
    data: st.DataObject,
    grouping: str,
) -> None:
    profiles = [_plain(*part) for part in parts]
    order = data.draw(st.permutations(range(len(profiles))))
    chosen = ExtractionSettings(grouping=grouping)
    item, other = extract(profiles, chosen), extract([profiles[i] for i in order], chosen)
    np.testing.assert_array_equal(item.weights, other.weights)
    np.testing.assert_array_equal(item.palette.lab, other.palette.lab)
    assert [len(group.members) for group in item.groups] == [
        len(group.members) for group in other.groups
    ]


@settings(max_examples=100, deadline=None)
@given(PLAIN, st.sampled_from(sorted(GROUPINGS)), st.integers(2, 3))
def test_repeating_every_image_changes_no_bit(
    parts: list[tuple[tuple[int, int, int], int, tuple[int, int, int], int]],
    grouping: str,
    times: int,
) -> None:
    profiles = [_plain(*part) for part in parts]
    chosen = ExtractionSettings(grouping=grouping)
    item, other = extract(profiles, chosen), extract(profiles * times, chosen)
    np.testing.assert_array_equal(item.weights, other.weights)
    np.testing.assert_array_equal(item.palette.weights, other.palette.weights)


@pytest.mark.parametrize("grouping", sorted(GROUPINGS))
@pytest.mark.parametrize("assignment", uw71.METHODS)
def test_draws_are_extractions_of_the_drawn_images(
    pictures: list[ColorProfile], grouping: str, assignment: str
) -> None:
    chosen = ExtractionSettings(grouping=grouping, assignment=assignment)
    count = len(pictures)
    draws = np.random.default_rng(1).multinomial(count, np.full(count, 1 / count), size=150)
    weights = weights_of_draws(ProfileArrays(pictures), draws, chosen)
    for row in range(0, 150, 7):
        profiles = [
            profile
            for profile, times in zip(pictures, draws[row], strict=True)
            for _ in range(times)
        ]
        np.testing.assert_allclose(weights[row], extract(profiles, chosen).weights, atol=1e-12)


def test_draws_stop_when_asked(pictures: list[ColorProfile]) -> None:
    stop = Event()
    stop.set()
    draws = np.ones((5, len(pictures)), dtype=np.int64)
    assert weights_of_draws(ProfileArrays(pictures), draws, ExtractionSettings(), stop).shape == (
        0,
        71,
    )


def test_one_image_is_one_group(pictures: list[ColorProfile]) -> None:
    result = extract(pictures[:1])
    assert [group.members for group in result.groups] == [(0,)]
    assert result.groups[0].weight == 1.0
    assert result.groups[0].widest_delta_e00 == 0.0


def test_what_cannot_be_is_refused(pictures: list[ColorProfile]) -> None:
    with pytest.raises(BadInput, match="no image"):
        extract([])
    with pytest.raises(BadInput, match="too many"):
        ProfileArrays(pictures[:1] * 5_001)
    for wrong, message in (
        ({"group_delta_e00": -1.0}, "limit to group"),
        ({"merge_delta_e00": float("nan")}, "limit to merge"),
        ({"most_colors": 0}, "1 to 512"),
        ({"most_colors": 513}, "1 to 512"),
        ({"grouping": "average"}, "complete, connected, leader"),
        ({"assignment": "hard"}, "nearest or soft"),
    ):
        with pytest.raises(BadInput, match=message):
            ExtractionSettings(**wrong)
