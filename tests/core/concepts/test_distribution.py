"""Distributions and their intervals against means, percentiles and draws written out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from threading import Event

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.concepts.pictures import BANANA, LEAF, PLUM, several
from truehue.core.color import uw71
from truehue.core.color.distances import NotADistribution, compare, emd
from truehue.core.concepts import distribution as drawing
from truehue.core.concepts.distribution import (
    FIELDS,
    PICTURES,
    Distribution,
    intervals,
    of_pictures,
    of_rows,
    resampled,
)
from truehue.core.concepts.extraction import ExtractionSettings, extract
from truehue.core.concepts.records import (
    EXTRACTED,
    EXTRACTED_SOFT,
    HISTOGRAMS,
    METHODS,
    PALETTES,
    PIXELS,
    RATINGS,
    ColorProfile,
    DistributionRow,
    ImageProfile,
)
from truehue.core.errors import BadInput

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bananas() -> list[ColorProfile]:
    return several((BANANA, 6), (LEAF, 2))


@pytest.fixture(scope="module")
def plums() -> list[ColorProfile]:
    return several((PLUM, 5), (LEAF, 4))


def _row(seed: int, contributor: str = "", people: int = 0) -> DistributionRow:
    weights = np.random.default_rng(seed).dirichlet(np.full(71, 0.2))
    return DistributionRow("banana", contributor, weights, people)


def _weights(rows: Sequence[DistributionRow]) -> list[list[float]]:
    return [row.weights.tolist() for row in rows]


def test_pixels_is_the_mean_of_the_images_own_shares(bananas: list[ColorProfile]) -> None:
    expected = [0.0] * 71
    for profile in bananas:
        for bin_, count in zip(profile.bins, profile.bin_counts, strict=True):
            expected[bin_] += count / profile.mask_px / len(bananas)
    result = of_pictures("Bananas", bananas, PIXELS)
    np.testing.assert_allclose(result.weights, expected, atol=1e-14)
    assert result.extraction is None


def test_images_of_any_size_weigh_the_same() -> None:
    def flat(bin_: int, pixels: int) -> ColorProfile:
        return ColorProfile(
            pixels, pixels, (0.0, 0.0, 0.0), 1.0, (0,), (pixels,), (0, 0, 0), (bin_,), (pixels,)
        )

    result = of_pictures("Two", [flat(3, 10), flat(5, 1_000_000)], PIXELS)
    assert result.weights[3] == result.weights[5] == 0.5


@pytest.mark.parametrize(("method", "by"), [(EXTRACTED, "nearest"), (EXTRACTED_SOFT, "soft")])
def test_method_decides_the_assignment(bananas: list[ColorProfile], method: str, by: str) -> None:
    chosen = ExtractionSettings(merge_delta_e00=3.0)
    result = of_pictures("Bananas", bananas, method, chosen)
    expected = extract(bananas, ExtractionSettings(merge_delta_e00=3.0, assignment=by))
    np.testing.assert_array_equal(result.weights, expected.weights)
    assert result.extraction is not None
    assert result.extraction.settings.assignment == by
    assert (result.kind, result.method, result.count) == (PICTURES, method, 8)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=9),
    st.sampled_from(sorted(METHODS)),
    st.data(),
)
def test_order_of_images_does_not_matter(
    seeds: list[int], method: str, data: st.DataObject
) -> None:
    kinds = (BANANA, LEAF, PLUM)
    profiles = [several((kinds[seed % 3], 1 + seed // 3))[-1] for seed in seeds]
    order = data.draw(st.permutations(range(len(profiles))))
    item = of_pictures("One", profiles, method)
    other = of_pictures("Other", [profiles[index] for index in order], method)
    np.testing.assert_allclose(item.weights, other.weights, rtol=0, atol=1e-15)
    assert item.weights.sum() == pytest.approx(1.0, abs=1e-12)
    twice = of_pictures("Twice", profiles * 2, method)
    np.testing.assert_allclose(item.weights, twice.weights, rtol=0, atol=1e-15)


def test_people_count_once_by_their_mean() -> None:
    rows = [_row(1, "Ann"), _row(2, "Bo"), _row(3, "Ann"), _row(4, "Cy")]
    w = _weights(rows)
    distribution = of_rows("Designers", rows, PALETTES)
    expected = [((w[0][i] + w[2][i]) / 2 + w[1][i] + w[3][i]) / 3 for i in range(71)]
    np.testing.assert_allclose(distribution.weights, expected, atol=1e-14)
    assert distribution.count == 3
    assert distribution.of_people
    assert not distribution.of_pictures
    assert any("4 rows by 3 people" in note for note in distribution.notes)


def test_means_weigh_by_their_people_where_these_are_known() -> None:
    rows = [_row(1, people=30), _row(2, people=10), _row(3, "Ann")]
    w = _weights(rows)
    distribution = of_rows("Means", rows, RATINGS)
    expected = [(30 * w[0][i] + 10 * w[1][i] + w[2][i]) / 41 for i in range(71)]
    np.testing.assert_allclose(distribution.weights, expected, atol=1e-14)
    assert distribution.count == 41
    assert "without individual people" in distribution.fixed
    assert resampled(distribution) is None


def test_means_of_nobody_knows_how_many_weigh_the_same() -> None:
    rows = [_row(1, people=30), _row(2), _row(3, "Ann")]
    w = _weights(rows)
    distribution = of_rows("Means", rows, RATINGS)
    expected = [(w[0][i] + w[1][i] + w[2][i]) / 3 for i in range(71)]
    np.testing.assert_allclose(distribution.weights, expected, atol=1e-14)
    assert distribution.count == 0
    assert any("behind some rows is unknown" in note for note in distribution.notes)
    assert distribution.notes[0].startswith("Association ratings, normalized")


def test_one_mean_is_as_it_came() -> None:
    row = _row(7)
    distribution = of_rows("Ratings", [row], RATINGS)
    np.testing.assert_allclose(distribution.weights, row.weights, atol=1e-15)
    assert distribution.count == 0
    assert resampled(distribution) is None


def test_draws_of_people_are_means_of_people() -> None:
    rows = [_row(1, "Ann"), _row(2, "Bo"), _row(3, "Ann"), _row(4, "Cy")]
    w = np.array(_weights(rows))
    persons = np.array([(w[0] + w[2]) / 2, w[1], w[3]])
    result = resampled(of_rows("Designers", rows, PALETTES), 400, seed=3)
    assert result is not None
    # Every draw is one of the ten ways to take three of three with replacement, by hand.
    ways = [
        persons[[i, j, k]].mean(axis=0) for i in range(3) for j in range(i, 3) for k in range(j, 3)
    ]
    apart = np.abs(result[:, None] - np.array(ways)[None]).max(axis=2)
    assert (apart.min(axis=1) < 1e-14).all()
    assert len(set(apart.argmin(axis=1).tolist())) == 10
    np.testing.assert_allclose(result.mean(axis=0), persons.mean(axis=0), atol=0.02)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_draws_of_images_are_distributions_of_images(
    bananas: list[ColorProfile], method: str
) -> None:
    few = bananas[4:7]
    result = resampled(of_pictures("Few", few, method), 200, seed=1)
    assert result is not None
    assert result.shape == (200, 71)
    ways = [
        of_pictures("Way", [few[i], few[j], few[k]], method).weights
        for i in range(3)
        for j in range(i, 3)
        for k in range(j, 3)
    ]
    apart = np.abs(result[:, None] - np.array(ways)[None]).max(axis=2)
    assert (apart.min(axis=1) < 1e-12).all()
    assert len(set(apart.argmin(axis=1).tolist())) == 10


def test_the_same_seed_draws_the_same(bananas: list[ColorProfile]) -> None:
    made = of_pictures("Bananas", bananas)
    item, again, other = (resampled(made, 30, seed) for seed in (5, 5, 6))
    assert item is not None
    assert other is not None
    np.testing.assert_array_equal(item, again)
    assert np.abs(item - other).max() > 0.0


def test_colorings_of_one_person_are_drawn_together(bananas: list[ColorProfile]) -> None:
    images = [
        ImageProfile(f"image{index}", "mask", profile, contributor=name)
        for index, (profile, name) in enumerate(
            zip(bananas[:5], ["Ann", "Bo", "Ann", "", "Bo"], strict=True)
        )
    ]
    result = of_pictures("Designers", images, PIXELS, of_people=True)
    assert result.units == (0, 1, 0, 2, 1)
    assert result.count == 3
    assert any("5 colorings by 3 people" in note for note in result.notes)
    sample = resampled(result, 300, seed=2)
    assert sample is not None
    histograms = np.array(
        [of_pictures("One", [profile], PIXELS).weights for profile in bananas[:5]]
    )
    of_person = [[0, 2], [1, 4], [3]]
    ways = [
        histograms[of_person[i] + of_person[j] + of_person[k]].mean(axis=0)
        for i in range(3)
        for j in range(i, 3)
        for k in range(j, 3)
    ]
    apart = np.abs(sample[:, None] - np.array(ways)[None]).max(axis=2)
    assert (apart.min(axis=1) < 1e-12).all()
    assert of_pictures("Images", images, PIXELS).units == (0, 1, 2, 3, 4)


@pytest.mark.parametrize("method", [PIXELS, EXTRACTED])
def test_equal_pictures_are_drawn_together(bananas: list[ColorProfile], method: str) -> None:
    names = ["red", "green", "red", "blue", "green", "red"]
    source = {"red": bananas[0], "green": bananas[6], "blue": bananas[1]}
    images = [ImageProfile(name, f"mask{index}", source[name]) for index, name in enumerate(names)]
    result = of_pictures("Run", images, method)
    assert result.units == (0, 1, 0, 2, 1, 0)
    assert result.count == 6
    said = "6 images, 3 different: identical images are resampled together, and each counts."
    assert said in result.notes
    assert any("3 different images" in note for note in result.notes)
    # All six count, as they did when nobody knew that some are equal.
    alone = of_pictures("Run", [entry.profile for entry in images], method)
    np.testing.assert_array_equal(result.weights, alone.weights)
    sample = resampled(result, 60, seed=4)
    assert sample is not None
    times = {"red": 3, "green": 2, "blue": 1}
    ways = [
        of_pictures(
            "Way", [source[name] for name in chosen for _ in range(times[name])], method
        ).weights
        for chosen in combinations_with_replacement(sorted(times), 3)
    ]
    apart = np.abs(sample[:, None] - np.array(ways)[None]).max(axis=2)
    assert (apart.min(axis=1) < 1e-9).all()
    item = of_pictures("Run", [images[0], images[2], images[5]], method)
    assert item.fixed == "a single image, repeated"
    assert item.count == 3


def test_intervals_are_percentiles_of_the_numbers_of_draws(
    bananas: list[ColorProfile], plums: list[ColorProfile]
) -> None:
    a, b = of_pictures("Bananas", bananas), of_pictures("Plums", plums)
    result = intervals(a, b, draws=120, seed=4)
    first, second = resampled(a, 120, (4, 0)), resampled(b, 120, (4, 1))
    assert first is not None
    assert second is not None
    assert result.draws == 120
    every = [compare(p, q) for p, q in zip(first, second, strict=True)]
    assert set(result) == set(FIELDS)
    for metric in FIELDS:
        values = sorted(getattr(item, metric) for item in every)
        # Linear interpolation between order statistics, written out.
        expected = []
        for share in (0.025, 0.975):
            index = share * (len(values) - 1)
            below = int(index)
            expected.append(values[below] + (values[below + 1] - values[below]) * (index - below))
        assert result[metric] == pytest.approx(expected, abs=1e-9), metric
    assert result.dominant_equal == sum(item.dominant_equal for item in every) / 120
    assert result.undefined == dict.fromkeys(FIELDS, 0)
    span = result["emd_lab"]
    assert span is not None
    assert span[0] < emd(a.weights, b.weights) < span[1]


def test_both_sides_are_drawn_independently(bananas: list[ColorProfile]) -> None:
    made = of_pictures("Bananas", bananas)
    span = intervals(made, made, draws=60)["total_variation"]
    assert span is not None
    assert span[1] > 0.0  # the same draws on both sides would differ by nothing


def test_a_side_that_cannot_be_drawn_is_kept(bananas: list[ColorProfile]) -> None:
    a, b = of_pictures("Bananas", bananas), of_rows("Ratings", [_row(1)], RATINGS)
    result = intervals(a, b, draws=40, seed=9)
    sample = resampled(a, 40, (9, 0))
    assert sample is not None
    low, high = np.percentile([emd(p, b.weights) for p in sample], [2.5, 97.5])
    assert result["emd_lab"] == pytest.approx((low, high))
    assert result.notes[0].startswith("Ratings is not resampled: it is a mean")


@pytest.mark.parametrize("method", sorted(METHODS))
def test_single_images_have_numbers_and_no_interval(
    bananas: list[ColorProfile], plums: list[ColorProfile], method: str
) -> None:
    a, b = (
        of_pictures(label, [result[0]], method) for label, result in (("A", bananas), ("B", plums))
    )
    assert a.weights.sum() == pytest.approx(1.0)
    assert "single image" in a.fixed
    assert resampled(a) is None
    match_result = intervals(a, b)
    assert match_result.draws == 0
    assert set(match_result.values()) == {None}
    assert match_result.dominant_equal is None
    assert len(match_result.notes) == 3


def test_undefined_hues_are_counted(bananas: list[ColorProfile]) -> None:
    gray = np.zeros(71)
    gray[next(bin_.index for bin_ in uw71.uw71() if bin_.neutral)] = 1.0
    result = intervals(
        of_pictures("Bananas", bananas),
        of_rows("Gray", [DistributionRow("banana", "", gray)], HISTOGRAMS),
        draws=25,
    )
    assert result.undefined["delta_hue_deg"] == 25
    assert result["delta_hue_deg"] is None
    assert result["emd_lab"] is not None


def test_stopped_intervals_are_of_the_draws_so_far(bananas: list[ColorProfile]) -> None:
    stop = Event()
    stop.set()
    made = of_pictures("Bananas", bananas)
    result = intervals(made, made, stop=stop)
    assert result.draws == 0
    assert result["emd_lab"] is None
    assert result.notes == ("There was no draw.",)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_draws_in_parts_are_the_same_draws(
    bananas: list[ColorProfile], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = of_pictures("Bananas", bananas, method)
    whole = resampled(made, 40, seed=4)
    monkeypatch.setattr(drawing, "_COUNTS_AT_ONCE", 7 * len(bananas))
    parts = resampled(made, 40, seed=4)
    assert whole is not None
    assert parts is not None
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-15)


def test_draws_of_any_kind_stop_when_told_to(bananas: list[ColorProfile]) -> None:
    stop = Event()
    stop.set()
    for made in (
        of_pictures("Bananas", bananas, PIXELS),
        of_rows("Designers", [_row(1, "Ann"), _row(2, "Bo")], PALETTES),
    ):
        result = resampled(made, stop=stop)
        assert result is not None
        assert result.shape == (0, 71)


def test_notes_can_be_added(bananas: list[ColorProfile]) -> None:
    made = of_pictures("Bananas", bananas)
    noted: Distribution = made.noted("One picture was left out.")
    assert noted.notes == (*made.notes, "One picture was left out.")
    assert any("8 images" in note for note in made.notes)
    assert all(note.endswith(".") for note in made.notes)


def test_what_cannot_be_is_refused(bananas: list[ColorProfile]) -> None:
    for method in METHODS:
        with pytest.raises(BadInput, match="no image"):
            of_pictures("Nothing", [], method)
    with pytest.raises(BadInput, match="extracted, extracted-soft, pixels"):
        of_pictures("Bananas", bananas, "average")
    with pytest.raises(BadInput, match="no distribution"):
        of_rows("Nothing", [], RATINGS)
    with pytest.raises(BadInput, match="palettes, histograms, ratings"):
        of_rows("Rows", [_row(1)], "votes")
    with pytest.raises(BadInput, match="apple, banana"):
        of_rows("Rows", [_row(1), DistributionRow("apple", "", _row(2).weights)], RATINGS)
    with pytest.raises(NotADistribution):
        of_rows("Rows", [DistributionRow("banana", "", np.ones(71))], RATINGS)
