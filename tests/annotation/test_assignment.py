"""Assignments: balanced, without repeats, at drawn sides, the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.annotation.studies_made import plan
from truehue.annotation.assignment import assign as assign_module
from truehue.annotation.assignment.assign import REPEAT_GAP, Choice, assign, shuffled, spaced
from truehue.annotation.studies.cases import Kind, Stimulus
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import Purpose, Trial


def load_of(trials: Iterable[Trial]) -> Counter[str]:
    """How often each stimulus, by id, stands in these as a main trial."""
    return Counter(trial.stimulus_id for trial in trials if trial.purpose is Purpose.MAIN)


def served_of(trials: Iterable[Trial]) -> Counter[tuple[str, tuple[str, ...]]]:
    """How often each stimulus stands in these as a main trial in which order."""
    return Counter(
        (trial.stimulus_id, trial.order) for trial in trials if trial.purpose is Purpose.MAIN
    )


def main_trials(trials: tuple[Trial, ...]) -> list[Trial]:
    return [trial for trial in trials if trial.purpose is Purpose.MAIN]


def enrolled(study: StudyPlan, people: int) -> list[tuple[Trial, ...]]:
    """The trials of so many participants, one after another, of whom all finish."""
    load: Counter[str] = Counter()
    served: Counter[tuple[str, tuple[str, ...]]] = Counter()
    out = []
    for number in range(people):
        trials = assign(study, number, load, served)
        load += load_of(trials)
        served += served_of(trials)
        out.append(trials)
    return out


@pytest.mark.parametrize("seed", [0, 1])
def test_the_study_of_the_paper(seed: int) -> None:
    """150 concepts × 3 pairs × 6 votes by 36 people with 75 each: all exactly even."""
    study = plan(150, 3, votes=6, trials=75, seed=seed)
    people = enrolled(study, 36)
    assert [len(trials) for trials in people] == [75] * 36
    assert set(load_of(trial for trials in people for trial in trials).values()) == {6}
    served = served_of(trial for trials in people for trial in trials)
    assert len(served) == 900
    assert set(served.values()) == {3}  # each pair three times in either order
    for trials in people:
        stimuli = [study.by_id[trial.stimulus_id] for trial in trials]
        assert len({stimulus.case_id for stimulus in stimuli}) == 75
        assert set(Counter(stimulus.models for stimulus in stimuli).values()) == {25}
    assert assign(study, 36, dict.fromkeys(study.by_id, 6), {}) == ()


@settings(max_examples=40, deadline=None)
@given(
    cases=st.integers(1, 12),
    models=st.integers(2, 5),
    votes=st.integers(1, 4),
    trials=st.integers(1, 30),
    people=st.integers(1, 8),
    repeats=st.integers(0, 3),
    attention=st.integers(0, 3),
    seed=st.integers(0, 2**31),
)
def test_any_study_is_balanced(
    cases: int,
    models: int,
    votes: int,
    trials: int,
    people: int,
    repeats: int,
    attention: int,
    seed: int,
) -> None:
    study = plan(
        cases,
        models,
        votes=votes,
        trials=trials,
        repeats=min(repeats, trials),
        attention=min(attention, trials),
        seed=seed,
    )
    load: Counter[str] = Counter()
    sides: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for item in enrolled(study, people):
        served = main_trials(item)
        ids = [trial.stimulus_id for trial in served]
        assert len(set(ids)) == len(ids) <= trials, "no stimulus twice"
        assert [trial.position for trial in item] == list(range(len(item)))
        for trial in served:
            assert sorted(trial.order) == list(study.by_id[trial.stimulus_id].models)
            assert 0 < trial.propensity <= 1
        load.update(ids)
        # A pair was shown as often in the one order as in the other, as far as it can be.
        sides += served_of(item)
        for stimulus in study.stimuli:
            there, back = (
                sides[stimulus.id, order] for order in (stimulus.models, stimulus.models[::-1])
            )
            assert abs(there - back) <= 1
        counts = [load[stimulus.id] for stimulus in study.stimuli]
        assert max(counts) <= votes
        # Whoever comes next finds all stimuli at one of two loads that follow each other.
        assert max(counts) - min(counts) <= 1
        for trial in item:
            if trial.purpose is Purpose.REPEAT:
                assert trial.original is not None
                original = item[trial.original]
                assert original.stimulus_id == trial.stimulus_id
                assert original.order == trial.order[::-1]
                assert trial.position > original.position
            elif trial.purpose is Purpose.ATTENTION:
                assert trial.expected in range(2)
                assert not trial.stimulus_id


def test_a_repeat_comes_late() -> None:
    study = plan(20, 3, trials=40, repeats=5, attention=2)
    (trials,) = enrolled(study, 1)
    gaps = [
        trial.position - (trial.original or 0) for trial in trials if trial.original is not None
    ]
    assert len(gaps) == 5
    assert min(gaps) > REPEAT_GAP


def test_no_case_follows_itself() -> None:
    study = plan(3, 4, votes=1, trials=18)
    (trials,) = enrolled(study, 1)
    cases = [study.by_id[trial.stimulus_id].case_id for trial in trials]
    assert len(cases) == 18
    assert all(first != second for first, second in pairwise(cases))


def test_the_same_arguments_give_the_same_trials_and_others_give_others() -> None:
    study = plan(30, 3, trials=20, repeats=2, attention=1)
    assert assign(study, 3, {}, {}) == assign(study, 3, {}, {})
    assert assign(study, 3, {}, {}) != assign(study, 4, {}, {})
    assert assign(study, 3, {}, {}) != assign(plan(30, 3, trials=20, seed=8), 3, {}, {})


def test_sides_are_drawn() -> None:
    """Over many people neither side is known from the models, nor from the side before."""
    study = plan(40, 2, votes=200, trials=40)
    sides = [
        [trial.order[0] == "m0" for trial in assign(study, number, {}, {})] for number in range(60)
    ]
    lefts = sum(sum(side) for side in sides) / (60 * 40)
    assert lefts == pytest.approx(0.5, abs=0.01)
    same = sum(a == b for side in sides for a, b in pairwise(side)) / (60 * 39)
    assert 0.2 < same < 0.8


@pytest.mark.parametrize(("kind", "size"), [(Kind.RATINGS, 1), (Kind.BEST_OF, 4)])
def test_ratings_and_sets(kind: Kind, size: int) -> None:
    study = plan(6, 5, kind=kind, votes=3, trials=10)
    for trials in enrolled(study, 4):
        assert all(len(trial.order) == size for trial in trials)


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=12),
    gap=st.integers(1, 6),
    seed=st.integers(0, 99),
    before=st.lists(st.integers(0, 3), max_size=4),
)
def test_cases_come_again_after_as_many_trials_as_can_be(
    sizes: list[int], gap: int, seed: int, before: list[int]
) -> None:
    cases = [f"c{case}" for case, size in enumerate(sizes) for _ in range(size)]
    choices = [Choice(Stimulus(case, ("a", "b")), float(index)) for index, case in enumerate(cases)]
    kin = {case: case for case in cases}
    shown = [f"c{case}" for case in before]
    order = spaced(choices, np.random.default_rng(seed), kin, gap, shown)
    assert sorted(choice.propensity for choice in order) == list(map(float, range(len(cases))))
    again = spaced(choices, np.random.default_rng(seed), kin, gap, shown)
    assert again == order
    last = {case: index - len(shown) for index, case in enumerate(shown)}
    gaps = []
    for index, choice in enumerate(order):
        case = choice.stimulus.case_id
        gaps.append(index - last.get(case, -99) - 1)
        last[case] = index
    most = max(sizes)
    # The most frequent cases, each gap filled, have to fit.
    possible = (most - 1) * (gap + 1) + sizes.count(most) <= len(cases)
    if possible and not shown:
        assert min(gaps) >= gap
    # Where it is not, no case follows itself more often than it has to.
    if not shown:
        follows = sum(number == 0 for number in gaps)
        assert follows == max(0, 2 * most - len(cases) - 1)


def test_a_plan_without_a_gap_gives_the_trials_that_it_gave(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = plan(14, 3, votes=4, trials=42)
    before = assign(study, 3, {}, {})
    with monkeypatch.context() as patch:
        patch.setattr(assign_module, "spaced", lambda made, rng, kin, _: shuffled(made, rng, kin))
        assert assign(study, 3, {}, {}) == before
    wide = assign(replace(study, case_gap=6), 3, {}, {})
    assert load_of(wide) == load_of(before)
    cases = [study.by_id[trial.stimulus_id].case_id for trial in main_trials(wide)]
    nearest = min(
        later - index - 1
        for index, case in enumerate(cases)
        for later in range(index + 1, len(cases))
        if cases[later] == case
    )
    assert nearest >= 6
