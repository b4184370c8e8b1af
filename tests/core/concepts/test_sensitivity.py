"""Shifts by modifiers: arithmetic written out, and every place of the plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from tests.core.concepts.cells import (
    APPLE,
    CABIN,
    DARK,
    FRESH,
    LIGHT,
    LONELY,
    MANGO,
    MIDDLE,
    ROTTEN,
    ROTTEN_APPLE,
    UNRIPE,
    bins,
    cell,
    only,
)
from truehue.core.concepts.records import ConceptCell
from truehue.core.concepts.scores import NO_PEOPLE, NOT_DRAWN, UNMEASURED
from truehue.core.concepts.sensitivity import (
    BEHAVIORS,
    DRIFT,
    INERTIA,
    MODEL_STILL,
    NO_BASE_PEOPLE,
    NOT_DRAWN_BASE,
    OVER_CORRECTION,
    PEOPLE_STAY,
    PEOPLE_STILL,
    PRECISE,
    UNDIRECTED,
    UNMEASURED_BASE,
    Limits,
    ModelsMean,
    Shift,
    behavior_of,
    direction,
    mean_of_models,
    shifts,
    summaries,
    summary_of,
)
from truehue.core.errors import BadInput

# Of L* 50, 25 from the neutral MIDDLE: at the hues 3, 93 and 183 degrees.
RED, YELLOW, GREEN = 31, 42, 21


def found_of(
    cells: Sequence[ConceptCell], people: Mapping[str, np.ndarray], guidance: float | None = None
) -> dict[tuple[str, str], Shift]:
    result = shifts(cells, people, guidance=guidance)
    assert result is not None
    return {(shift.run_id, shift.concept_id): shift for shift in result}


def test_a_shift_is_the_emd_from_the_thing_to_the_modified_thing() -> None:
    people = {MANGO: only(MIDDLE), ROTTEN: only(RED)}
    cells = [cell("r", MANGO, only(MIDDLE)), cell("r", ROTTEN, bins(b26=0.2, b42=0.8))]
    shift = found_of(cells, people)["r", ROTTEN]
    assert shift.model_lab == pytest.approx(20.0)
    assert shift.people_lab == pytest.approx(25.0)
    assert shift.ratio == pytest.approx(0.8)
    assert shift.direction_deg == pytest.approx(90.0)
    assert shift.behavior == DRIFT
    assert (shift.base_id, shift.modifier, shift.kind) == (MANGO, "rotten", "visual state")
    turned = np.radians(3)
    assert shift.people_way == pytest.approx((0.0, 25 * np.cos(turned), 25 * np.sin(turned)))
    assert np.linalg.norm(shift.model_way or ()) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("model", "ratio", "angle", "behavior"),
    [
        (only(MIDDLE), 0.0, None, INERTIA),
        (bins(b26=0.8, b31=0.2), 0.2, 0.0, INERTIA),
        (only(RED), 1.0, 0.0, PRECISE),
        (only(YELLOW), 1.0, 90.0, DRIFT),
        (only(GREEN), 1.0, 180.0, DRIFT),
        (only(33), 2.0, 0.0, OVER_CORRECTION),
        # Twice as far, and at a right angle to people's red.
        (only(56), 2.0, 90.0, DRIFT),
        # Half to either side: all of it moved by 25, and the mean stays.
        (bins(b31=0.5, b21=0.5), 1.0, None, UNDIRECTED),
        (bins(b24=0.5, b28=0.5), 2.0, None, OVER_CORRECTION),
    ],
)
def test_every_place_of_the_plane(
    model: np.ndarray, ratio: float, angle: float | None, behavior: str
) -> None:
    people = {MANGO: only(MIDDLE), ROTTEN: only(RED)}
    cells = [cell("r", MANGO, only(MIDDLE)), cell("r", ROTTEN, model)]
    shift = found_of(cells, people)["r", ROTTEN]
    assert shift.ratio == pytest.approx(ratio)
    assert shift.direction_deg == (None if angle is None else pytest.approx(angle, abs=1e-5))
    assert shift.direction_reason == (MODEL_STILL if angle is None else "")
    assert shift.behavior == behavior
    assert behavior in BEHAVIORS


def test_what_is_lacking_is_named() -> None:
    people = {MANGO: only(MIDDLE), ROTTEN: only(MIDDLE), UNRIPE: only(RED), ROTTEN_APPLE: only(RED)}
    people["concept-0044"] = people["concept-0044-fresh"] = only(RED)
    people["concept-0042"] = people["concept-0042-fresh"] = only(RED)
    cells = [
        cell("r", MANGO, only(MIDDLE)),
        cell("r", ROTTEN, only(RED)),
        cell("r", FRESH, only(RED)),
        cell("r", "concept-0044-fresh", only(RED)),
        cell("r", "concept-0042", None),
        cell("r", "concept-0042-fresh", only(RED)),
        cell("b", MANGO, only(MIDDLE)),
        cell("b", UNRIPE, None),
    ]
    result = found_of(cells, people)
    reasons = {key: shift.reason for key, shift in result.items()}
    assert reasons["r", ROTTEN] == PEOPLE_STAY
    assert result["r", ROTTEN].direction_reason == PEOPLE_STILL
    assert result["r", ROTTEN].model_lab == pytest.approx(25.0)
    assert reasons["r", FRESH] == NO_PEOPLE
    assert reasons["r", UNRIPE] == NOT_DRAWN
    assert reasons["b", UNRIPE] == UNMEASURED
    assert reasons["r", ROTTEN_APPLE] == NO_BASE_PEOPLE
    assert reasons["r", "concept-0044-fresh"] == NOT_DRAWN_BASE
    assert reasons["r", "concept-0042-fresh"] == UNMEASURED_BASE
    summary = summary_of([shift for (run, _), shift in result.items() if run == "r"])
    assert summary.sensitivity.count == 0
    assert sum(summary.sensitivity.left_out.values()) == 6
    assert summary.behavior == ""
    assert summary.behaviors == {}


def two_runs() -> tuple[Shift, ...]:
    """Run a shifts 12.5 and 30 where people shift 25 and 50; run b 25 and 50."""
    people = {MANGO: only(MIDDLE), ROTTEN: only(RED), CABIN: only(DARK), LONELY: only(LIGHT)}
    cells = [
        cell("a", MANGO, only(MIDDLE)),
        cell("a", ROTTEN, bins(b26=0.5, b31=0.5)),
        cell("a", CABIN, only(DARK)),
        cell("a", LONELY, bins(b25=0.4, b27=0.6)),
        cell("b", MANGO, only(MIDDLE)),
        cell("b", ROTTEN, only(RED)),
        cell("b", CABIN, only(DARK)),
        cell("b", LONELY, only(LIGHT)),
    ]
    result = shifts(cells, people)
    assert result is not None
    return result


def test_the_headline_is_the_ratio_of_mean_shifts() -> None:
    by_run = summaries(two_runs())
    a = by_run["a",]
    assert a.sensitivity.value == pytest.approx((12.5 + 30) / (25 + 50))
    assert a.mean_ratio.value == pytest.approx((0.5 + 0.6) / 2)
    assert a.median_ratio == pytest.approx(0.55)
    assert a.model_lab == pytest.approx(21.25)
    assert a.people_lab == pytest.approx(37.5)
    assert a.direction_deg.value == pytest.approx(0.0, abs=1e-5)
    assert a.behavior == PRECISE
    assert by_run["b",].sensitivity.value == pytest.approx(1.0)


def test_tables_by_style_by_kind_and_the_mean_of_models() -> None:
    result = two_runs()
    assert list(summaries(result, ("run_id", "style"))) == [("a", "photo"), ("b", "photo")]
    kinds = summaries(result, ("run_id", "kind"))
    assert kinds["a", "visual state"].sensitivity.value == pytest.approx(0.5)
    assert kinds["a", "emotional"].sensitivity.value == pytest.approx(0.6)
    moods = mean_of_models([shift for shift in result if shift.kind == "emotional"])
    assert moods.value == pytest.approx((0.6 + 1.0) / 2)
    assert (moods.runs, moods.missing) == (2, 0)
    # A run counts once, whatever its concepts; one without a ratio does not.
    none = replace(
        result[0], run_id="c", ratio=None, model_lab=None, people_lab=None, reason="none"
    )
    every = mean_of_models([*result, none])
    assert every.value == pytest.approx(((12.5 + 30) / 75 + 1.0) / 2)
    assert (every.runs, every.missing) == (2, 1)
    assert mean_of_models(()) == ModelsMean(None, 0, 0)
    with pytest.raises(BadInput, match="not by 'color'"):
        summaries(result, ("color",))


@pytest.mark.parametrize(
    ("ratio", "angle", "behavior"),
    [
        # Too small is inertia, wherever it goes; then drift, at any size; then what is too large.
        (0.49, 180.0, INERTIA),
        (0.49, None, INERTIA),
        (0.5, 180.0, DRIFT),
        (1.5, 61.0, DRIFT),
        (1.6, 61.0, DRIFT),
        (8.0, 180.0, DRIFT),
        (1.6, 60.0, OVER_CORRECTION),
        (1.6, None, OVER_CORRECTION),
        (1.5, 60.0, PRECISE),
        (0.5, 0.0, PRECISE),
        (1.5, None, UNDIRECTED),
    ],
)
def test_the_first_behavior_that_fits_is_it(
    ratio: float, angle: float | None, behavior: str
) -> None:
    assert behavior_of(ratio, angle) == behavior


def test_a_run_that_goes_far_the_wrong_way_drifts_as_a_whole() -> None:
    people = {MANGO: only(MIDDLE), ROTTEN: only(RED), APPLE: only(MIDDLE), ROTTEN_APPLE: only(RED)}
    cells = [
        cell("r", MANGO, only(MIDDLE)),
        cell("r", ROTTEN, only(56)),
        cell("r", APPLE, only(MIDDLE)),
        cell("r", ROTTEN_APPLE, only(56)),
    ]
    whole = summary_of(list(found_of(cells, people).values()))
    assert whole.sensitivity.value == pytest.approx(2.0)
    assert whole.direction_deg.value == pytest.approx(90.0)
    assert (whole.behavior, whole.behaviors) == (DRIFT, {DRIFT: 2})


def test_limits_are_the_readers() -> None:
    assert behavior_of(0.8, 20.0) == PRECISE
    assert behavior_of(0.8, 20.0, Limits(inertia_below=0.9, over_above=1.1)) == INERTIA
    assert behavior_of(0.8, 20.0, Limits(over_above=0.7)) == OVER_CORRECTION
    assert behavior_of(0.8, 20.0, Limits(drift_over_deg=10.0)) == DRIFT
    assert behavior_of(0.5, None) == UNDIRECTED
    for bad in (
        {"inertia_below": 2.0},
        {"drift_over_deg": 0.0},
        {"still_below_lab": -1.0},
        {"over_above": float("nan")},
    ):
        with pytest.raises(BadInput):
            Limits(**bad)


def test_a_mean_that_hardly_moves_has_no_direction() -> None:
    far, near = np.array((0.0, 0.0, 30.0)), np.array((0.0, 1.9, 0.0))
    assert direction(far, near) == (None, PEOPLE_STILL)
    assert direction(near, far) == (None, MODEL_STILL)
    angle, reason = direction(far, near, still_below_lab=1.0)
    assert angle == pytest.approx(90.0)
    assert reason == ""
    assert direction(far, np.zeros(3), still_below_lab=0.0) == (None, PEOPLE_STILL)


def test_scales_are_apart_and_a_stop_is_obeyed() -> None:
    people = {MANGO: only(MIDDLE), ROTTEN: only(RED), APPLE: only(RED)}
    cells = [
        cell("r", MANGO, only(MIDDLE), guidance=3.0),
        cell("r", ROTTEN, only(RED), guidance=3.0),
        cell("r", MANGO, only(MIDDLE)),
        cell("r", ROTTEN, only(33)),
    ]
    assert found_of(cells, people)["r", ROTTEN].ratio == pytest.approx(2.0)
    assert found_of(cells, people, guidance=3.0)["r", ROTTEN].ratio == pytest.approx(1.0)
    stop = Event()
    stop.set()
    assert shifts(cells, people, stop=stop) is None


def test_a_concept_that_people_leave_is_in_the_ratio_of_means() -> None:
    """Its own ratio does not exist; the mean shifts of all concepts do."""
    result = [shift for shift in two_runs() if shift.run_id == "a"]
    moved = [shift for shift in result if shift.ratio is not None]
    model = sum(shift.model_lab or 0.0 for shift in moved)
    people = sum(shift.people_lab or 0.0 for shift in moved)
    left = replace(
        moved[0],
        concept_id="left",
        ratio=None,
        model_lab=11.0,
        people_lab=0.0,
        reason=PEOPLE_STAY,
        direction_deg=None,
        behavior="",
    )
    summary = summary_of([*moved, left])
    assert summary.sensitivity.value == pytest.approx((model + 11.0) / people)
    assert summary.sensitivity.count == len(moved) + 1
    assert summary.mean_ratio.count == len(moved)
    assert summary.mean_ratio.left_out == {PEOPLE_STAY: 1}
    assert summary.model_lab == pytest.approx((model + 11.0) / (len(moved) + 1))
