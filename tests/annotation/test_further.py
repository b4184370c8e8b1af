"""What somebody gets next: training rounds, then all, or batches by what a vote would tell."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from tests.annotation.simulated import Taste, taken, taken_at_once
from tests.annotation.studies_made import plan
from truehue.annotation.assignment.assign import (
    BATCH,
    EXPLORED,
    REPEAT_GAP,
    Open,
    adaptive,
    assign_further,
    is_due,
    length_of,
    replay,
)
from truehue.annotation.assignment.information import VotePrecision
from truehue.annotation.assignment.ledger import AssignmentState, Ledger, current_colorings_of
from truehue.annotation.judgments.answers import Answer, AnswerKind, answers_of
from truehue.annotation.participants import ExclusionRule, quality_of, reasons
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import Method, Screening, StudyPlan, Training
from truehue.core.errors import BadInput
from truehue.core.studies import Event, EventKind, Purpose, Trial

pytestmark = pytest.mark.slow

NOTHING = AssignmentState()


def trained(needed: int, attempts: int = 2, **values: Any) -> StudyPlan:
    """A study with three training trials, of which ``m0`` is right."""
    stimuli = [stimulus for stimulus in plan(12, 3).stimuli if "m0" in stimulus.models][:3]
    keys = tuple((stimulus.id, "m0") for stimulus in stimuli)
    return plan(12, 3, training=Training(keys, needed, attempts), **values)


def answered(trials: tuple[Trial, ...], right: int) -> dict[int, Answer]:
    """Answers to all training trials, of which the first so many of a round are right."""
    return {
        trial.position: Answer(
            "",
            trial.position,
            AnswerKind.PLACE,
            (trial.expected or 0) ^ (index % 3 >= right),
            900.0,
        )
        for index, trial in enumerate(trials)
    }


def test_training_comes_first_and_again_where_too_few_were_right() -> None:
    study = trained(needed=2, repeats=1, attention=1)
    first = assign_further(study, 0, (), {}, NOTHING)
    assert [trial.purpose for trial in first] == [Purpose.TRAINING] * 3
    assert {trial.stimulus_id for trial in first} == {key for key, _ in study.training.keys}
    assert all(trial.order[trial.expected or 0] == "m0" for trial in first)
    some = answered(first, 1)
    assert assign_further(study, 0, first, {0: some[0], 1: some[1]}, NOTHING) == ()
    second = assign_further(study, 0, first, some, NOTHING)
    assert [trial.purpose for trial in second] == [Purpose.TRAINING] * 3
    assert [trial.position for trial in second] == [3, 4, 5]
    assert [trial.stimulus_id for trial in second] != [trial.stimulus_id for trial in first]
    assert length_of(study, first) == 3 + 5 + 1 + 1
    for trials, right in ((first, 2), (first + second, 0)):
        rest = assign_further(study, 0, trials, answered(trials, right), NOTHING)
        assert Counter(trial.purpose for trial in rest) == {
            Purpose.MAIN: 5,
            Purpose.REPEAT: 1,
            Purpose.ATTENTION: 1,
        }
        assert [trial.position for trial in rest] == list(
            range(len(trials), len(trials) + len(rest))
        )
        (repeat,) = [trial for trial in rest if trial.original is not None]
        assert rest[(repeat.original or 0) - len(trials)].stimulus_id == repeat.stimulus_id
        assert not {trial.stimulus_id for trial in rest} & {key for key, _ in study.training.keys}
        assert length_of(study, trials + rest) == len(trials) + len(rest)
        assert assign_further(study, 0, trials + rest, {}, NOTHING) == ()


def test_training_is_told_by_round_and_may_exclude() -> None:
    study = trained(needed=2)
    first = assign_further(study, 0, (), {}, NOTHING)
    wrong = answered(first, 1)
    second = assign_further(study, 0, first, wrong, NOTHING)
    both = wrong | answered(first + second, 2)
    both = {**both, **{index: wrong[index] for index in wrong}}
    quality = quality_of(study, first + second, both, {})
    assert quality.training == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert quality_of(study, first + second, wrong, {}).training == quality.training[:1]
    assert quality_of(plan(), (), {}, {}).training == ()
    assert reasons(quality, ExclusionRule(least_training=0.6)) == ()
    assert reasons(quality, ExclusionRule(least_training=0.7)) == (
        "67% of the last training round right, below 70%",
    )


def test_who_passes_the_screening_over_fails_a_rule_that_looks_at_it() -> None:
    study = plan(screening=Screening(True, True))
    quality = quality_of(study, (), {}, {})
    parts = ("the screening of the study was not taken",)
    assert reasons(quality, ExclusionRule(screen=True)) == parts
    assert reasons(quality, ExclusionRule(least_plates=0.5)) == parts
    assert reasons(quality, ExclusionRule()) == ()
    unasked = quality_of(plan(screening=Screening(False, False)), (), {}, {})
    assert reasons(unasked, ExclusionRule(screen=True, least_plates=0.5)) == ()


def test_who_leaves_after_a_batch_did_not_answer_all() -> None:
    study = plan(20, 3, method=Method.ADAPTIVE, trials=25)
    rng = np.random.default_rng(5)
    taste = Taste()
    (whole,) = taken_at_once(study, 1, lambda trial, _: taste.body(study, trial, rng))
    (gone,) = taken_at_once(
        study, 1, lambda trial, _: taste.body(study, trial, rng) if trial.position < 4 else None
    )
    rule = ExclusionRule(least_answered=0.3)
    for person, answered, values in ((whole, 25, 25), (gone, 4, 10)):
        answers = answers_of(study, person.trials, person.events)
        quality = quality_of(study, person.trials, answers, {})
        assert (quality.answered, quality.trials, quality.planned) == (answered, values, 25)
        assert bool(reasons(quality, rule)) == (person is gone)
    # Of a study that has no more to ask, and of a balanced one, all that was given is all.
    answers = answers_of(study, gone.trials[:4], gone.events)
    assert quality_of(study, gone.trials[:4], answers, {}).planned == 4
    assert quality_of(plan(20, 3, trials=25), gone.trials, answers, {}).planned == 10


def test_stimuli_of_training_are_no_part_of_what_is_wanted() -> None:
    study = trained(needed=0)
    assert study.answers_wanted == 2 * (36 - 3)
    assert len(study.stimuli) == 36


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"kind": Kind.RATINGS}, "a rating has none"),
        ({"attempts": 0}, "1 to 5 rounds"),
        ({"needed": 4}, "4 correct answers"),
    ],
)
def test_training_that_cannot_be_is_refused(values: dict[str, Any], text: str) -> None:
    attempts, needed = values.pop("attempts", 2), values.pop("needed", 0)
    with pytest.raises(BadInput, match=text):
        plan(
            2,
            3,
            training=Training(((plan(2, 3).stimuli[0].id, "m0"),), needed, attempts),
            **values,
        )


def test_pairs_are_drawn_as_often_as_their_propensity_says() -> None:
    study = plan(3, 4, method=Method.ADAPTIVE)
    tallies = {("m0", "m1"): (30, 2, 1), ("m0", "m2"): (9, 8, 3), ("m1", "m3"): (2, 2, 0)}
    open_ = Open({study.stimuli[0].id: 2}, 2, {study.stimuli[1].id})
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    message: dict[str, float] = {}
    expected: Counter[str] = Counter()
    draws = 800
    for seed in range(draws):
        item, other = adaptive(study.stimuli, open_, 2, tallies, np.random.default_rng(seed))
        first[item.stimulus.id] += 1
        message.setdefault(item.stimulus.id, item.propensity)
        assert message[item.stimulus.id] == item.propensity
        # An event weighted by the inverse of its probability is expected once in every draw.
        expected[other.stimulus.id] += 1
        second[other.stimulus.id] += 1 / other.propensity
    eligible = {stimulus.id for stimulus in study.stimuli[2:]}
    assert set(message) == eligible
    assert sum(message.values()) == pytest.approx(1)
    assert min(message.values()) >= EXPLORED / len(eligible)
    for name, chance in message.items():
        assert first[name] / draws == pytest.approx(chance, abs=4 * (chance / draws) ** 0.5)
        # It was open to the second draw where it was not the first.
        assert second[name] / (draws - first[name]) == pytest.approx(1, abs=0.5)
    assert len(set(message.values())) == 6, "equal models are equally likely, others are not"


def test_equals_and_strangers_tell_most() -> None:
    tallies = {("m0", "m1"): (20, 20, 0), ("m0", "m2"): (40, 0, 0), ("m1", "m2"): (40, 0, 0)}
    knowledge = VotePrecision(["m0", "m1", "m2", "m3"], tallies)
    pairs = np.array([[0, 1], [0, 2], [0, 3]])
    equals, unequals, stranger = knowledge.gains(pairs)
    assert stranger > equals > unequals > 0
    assert knowledge.information(pairs[:1]) == pytest.approx(0.25)
    knowledge.add(pairs[2:], np.ones(1))
    assert knowledge.gains(pairs)[2] < stranger
    tied = VotePrecision(["a", "b"], {("a", "b"): (5, 5, 90)})
    assert tied.information(pairs[:1]) < 0.05


def test_batches_bring_their_share_of_repeats_and_checks() -> None:
    study = plan(20, 3, trials=33, repeats=4, attention=3, method=Method.ADAPTIVE)
    (person,) = taken(study, 1, 3)
    trials = person.trials
    assert [trial.position for trial in trials] == list(range(len(trials)))
    assert Counter(trial.purpose for trial in trials) == {
        Purpose.MAIN: 33,
        Purpose.REPEAT: 4,
        Purpose.ATTENTION: 3,
    }
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]
    assert len({trial.stimulus_id for trial in main}) == 33
    for trial in trials:
        if trial.original is not None:
            original = trials[trial.original]
            assert (original.stimulus_id, original.order[::-1]) == (trial.stimulus_id, trial.order)
            assert trial.position - trial.original > REPEAT_GAP
    assert len({trial.original for trial in trials}) == 5  # four, and None
    assert length_of(study, ()) == len(trials)


def test_a_batch_waits_until_two_trials_are_left_and_a_full_study_gives_nothing() -> None:
    study = plan(20, 3, trials=12, method=Method.ADAPTIVE)
    trials = assign_further(study, 0, (), {}, NOTHING)
    assert len(trials) == BATCH
    said = {index: Answer("", index, AnswerKind.PLACE, 0, 900.0) for index in range(BATCH)}
    assert assign_further(study, 0, trials, {0: said[0], 1: said[1]}, NOTHING) == ()
    assert not is_due(study, trials, {0: said[0], 1: said[1]})
    assert (
        len(assign_further(study, 0, trials, {index: said[index] for index in range(3)}, NOTHING))
        == BATCH
    )
    full = AssignmentState({stimulus.id: study.votes for stimulus in study.stimuli})
    assert assign_further(study, 1, (), {}, full) == ()
    assert len(assign_further(study, 0, trials, said, full)) == BATCH, (
        "who has begun is not sent away"
    )


@pytest.mark.parametrize("method", list(Method))
def test_the_log_gives_every_batch_again(method: Method) -> None:
    study = trained(
        needed=2,
        method=method,
        trials=17,
        votes=3,
        repeats=2,
        attention=2,
        abandoned_after_s=60,
    )
    rng = np.random.default_rng(5)
    taste = Taste(log_tie=-1.0)

    def answering(trial: Trial, number: int) -> dict[str, Any] | None:
        """Number 2 goes away in the middle."""
        gone = number == 2 and trial.position > 12
        return None if gone else taste.body(study, trial, rng)

    people = taken_at_once(study, 6, answering, minutes=0.4)
    moments = {len({person.assigned_at(trial) for trial in person.trials}) for person in people}
    assert moments == ({2, 3} if method is Method.BALANCED else {4, 5, 6})
    assert replay(study, people) == {}
    moved = people[4].trials[-1]
    changed = replace(moved, propensity=moved.propensity / 2)
    forged = replace(people[4], trials=(*people[4].trials[:-1], changed))
    assert replay(study, [*people[:4], forged, *people[5:]]) == {4: [people[4].assigned_at(moved)]}
    late = people[-1].enrolled_at + timedelta(hours=1)
    state = current_colorings_of(study, people, late)
    assert set(state.load.values()) <= {1, 2, 3, 4}
    if method is Method.ADAPTIVE:
        votes = sum(sum(counts) for counts in state.tallies.values())
        assert votes == sum(state.load.values())
    else:
        assert state.tallies == {}


@pytest.mark.parametrize("method", list(Method))
def test_a_ledger_kept_up_stands_where_the_log_says(method: Method) -> None:
    study = plan(20, 3, method=method, trials=12, votes=3, abandoned_after_s=60)
    rng = np.random.default_rng(2)

    def answering(trial: Trial, number: int) -> dict[str, Any] | None:
        if number == 1 and trial.position == 7:
            return None
        skipped = {"kind": "skip", "value": None, "response_ms": 900.0}
        return skipped if rng.random() < 0.2 else Taste().body(study, trial, rng)

    people = taken_at_once(study, 4, answering, minutes=0.5)
    undone = people[0].events[-1]
    assert undone.at is not None
    undo = Event("f" * 32, EventKind.UNDO, undone.position, number=99, at=undone.at)
    people[0] = replace(people[0], events=(*people[0].events, undo))
    ledger = Ledger(study)
    rows = sorted(
        [
            (event.at, 1, item.number, event.number, event)
            for item in people
            for event in item.events
        ]
        + [
            (item.assigned_at(t), 0, item.number, t.position, t)
            for item in people
            for t in item.trials
        ],
        key=lambda row: row[:4],
    )
    for number, person in enumerate(people):
        ledger.enroll(number, person.enrolled_at)
    for index, (position, _, number, _, label) in enumerate(rows):
        assert position is not None
        if isinstance(label, Event):
            ledger.take(number, label)
        else:
            ledger.assign(number, [label])
        if index % 7 == 0 and rows[min(index + 1, len(rows) - 1)][0] != position:
            assert ledger.standing(position) == current_colorings_of(study, people, position)
    late = people[-1].enrolled_at + timedelta(hours=1)
    assert ledger.standing(late) == current_colorings_of(study, people, late)
    answered = sum(len(item.events) for item in people) - 2
    assert sum(ledger.standing(late).load.values()) == answered
