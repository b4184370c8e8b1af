"""Who colors what: no concept twice for a person, five a concept, what nobody colored again."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.annotation.studies_made import coloring_plan, sketch_cases
from truehue.annotation.assignment.assign import assign_further, is_due, length_of, replay
from truehue.annotation.assignment.ledger import Enrolled, current_colorings_of
from truehue.annotation.assignment.practice import PracticeStage, practice_state, recolors_open
from truehue.annotation.judgments.answers import answers_of
from truehue.annotation.studies.plan import Review, StudyPlan
from truehue.core.studies import (
    ColoringMark,
    Event,
    EventKind,
    MarkKind,
    Purpose,
    StoredTrial,
    Trial,
)

pytestmark = pytest.mark.slow

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
COLORED = {"kind": "coloring", "value": None, "actions": 3, "checksum": "0" * 8}
SKIPPED = {"kind": "skip", "value": None, "reason": "unknown-word"}


class Study:
    """A study as it is served, with a log that a replay reads."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan, self.people, self.at = plan, list[Enrolled](), BEGIN

    def enroll(self) -> Enrolled:
        person = Enrolled(len(self.people), self.at, [], [], [])
        self.people.append(person)
        self.give(person)
        return person

    def give(self, person: Enrolled) -> list[Trial]:
        self.at += timedelta(seconds=10)
        others = [item for item in self.people if item.trials or item is not person]
        answers = answers_of(self.plan, person.trials, person.events)
        state = current_colorings_of(self.plan, others, self.at)
        given_ = assign_further(
            self.plan, person.number, list(person.trials), answers, state, person.marks
        )
        stored = [StoredTrial(**vars(trial), assigned_at=self.at) for trial in given_]
        person.trials.extend(stored)  # type: ignore[attr-defined]
        return list(stored)

    def does(self, person: Enrolled, kind: EventKind, position: int, body: object = None) -> None:
        self.at += timedelta(seconds=1)
        number = len(person.events)
        content = {"response_ms": 900.0, **body} if isinstance(body, dict) else {}
        event = Event(f"{person.number:016x}{number:016x}", kind, position, content, 0, number)
        person.events.append(  # type: ignore[attr-defined]
            Event(event.id, kind, position, content, 0, number, self.at)
        )

    def color(self, person: Enrolled, position: int) -> None:
        self.does(person, EventKind.ACTION, position, {"do": "clear"})
        self.does(person, EventKind.ANSWER, position, COLORED)

    def mark(self, person: Enrolled, position: int, kind: MarkKind, value: str) -> None:
        self.at += timedelta(seconds=1)
        mark = ColoringMark("p", position, kind, value, "why", "ann", len(person.marks), self.at)
        person.marks.append(mark)  # type: ignore[attr-defined]

    def practice(self, person: Enrolled) -> None:
        """Through the practice, however it is looked at."""
        for trial in person.trials:
            if trial.purpose is Purpose.TRAINING:
                self.color(person, trial.position)
        if self.plan.practice.case_ids and self.plan.practice.review is not Review.NONE:
            self.mark(person, person.trials[-1].position, MarkKind.PRACTICE, "accepted")
        if not any(trial.purpose is Purpose.MAIN for trial in person.trials):
            self.give(person)

    def answers(self, person: Enrolled) -> dict[int, object]:
        return dict(answers_of(self.plan, person.trials, person.events))

    def main(self, person: Enrolled) -> list[Trial]:
        return [trial for trial in person.trials if trial.purpose is Purpose.MAIN]

    def load(self) -> Counter[str]:
        return Counter(trial.stimulus_id for person in self.people for trial in self.main(person))


def test_the_papers_study() -> None:
    """45 sketches a person, five colorings a concept: 90 concepts are colored by ten people."""
    study = Study(coloring_plan(93, 3, votes=5, trials=45, review=Review.NONE))
    for _ in range(10):
        person = study.enroll()
        assert len(person.trials) == 3
        study.practice(person)
        assert len(study.main(person)) == 45
        assert length_of(study.plan, person.trials) == 48
    assert set(study.load().values()) == {5}
    late = study.enroll()
    study.practice(late)
    assert study.main(late) == []
    assert not replay(study.plan, study.people)


@settings(max_examples=40, deadline=None)
@given(
    concepts=st.integers(1, 15),
    sharing=st.integers(1, 4),
    practice=st.integers(0, 3),
    votes=st.integers(1, 5),
    trials=st.integers(1, 20),
    people=st.integers(1, 7),
    review=st.sampled_from(list(Review)),
    skips=st.sets(st.tuples(st.integers(0, 6), st.integers(0, 10)), max_size=8),
    leaving=st.sets(st.integers(0, 6), max_size=3),
    seed=st.integers(0, 2**31 - 1),
)
def test_any_study_of_colorings_is_balanced(
    concepts: int,
    sharing: int,
    practice: int,
    votes: int,
    trials: int,
    people: int,
    review: Review,
    skips: set[tuple[int, int]],
    leaving: set[int],
    seed: int,
) -> None:
    number = concepts + practice
    study = Study(
        coloring_plan(
            number,
            practice,
            review,
            cases=sketch_cases(number, sharing),
            votes=votes,
            trials=trials,
            seed=seed,
        )
    )
    for index in range(people):
        person = study.enroll()
        if person.trials or practice:
            study.practice(person)
        main = study.main(person)
        ids = [trial.stimulus_id for trial in main]
        assert len(set(ids)) == len(ids) <= trials  # no concept twice
        practiced = {practice_stimulus.id for practice_stimulus in study.plan.practice_stimuli}
        assert not practiced & set(ids)
        for position, trial in enumerate(main):
            if index in leaving and position >= len(main) // 2:
                break
            if (index, position) in skips:
                study.does(person, EventKind.ANSWER, trial.position, SKIPPED)
            else:
                study.color(person, trial.position)
        study.at += timedelta(hours=2)  # who left is gone
    wanted = {main_stimulus.id for main_stimulus in study.plan.main_stimuli}
    state = current_colorings_of(study.plan, study.people, study.at)
    colored = Counter(
        person.trials[event.position or 0].stimulus_id
        for person in study.people
        for event in person.events
        if event.kind is EventKind.ANSWER
        and event.body["kind"] == "coloring"
        and person.trials[event.position or 0].purpose is Purpose.MAIN
    )
    assert {name: count for name, count in state.load.items() if count} == dict(colored)
    assert set(colored) <= wanted
    assert max(colored.values(), default=0) <= votes
    assert not replay(study.plan, study.people)
    # People who color all that they get make the study whole, whoever left before.
    for _ in range(votes * (concepts // trials + 1) + 1):
        person = study.enroll()
        study.practice(person)
        for trial in study.main(person):
            study.color(person, trial.position)
    state = current_colorings_of(study.plan, study.people, study.at)
    assert {state.load.get(name, 0) for name in wanted} == {votes}
    assert not replay(study.plan, study.people)


def test_the_same_sketch_does_not_follow_itself() -> None:
    """A concept and its modifiers share a sketch: others come between them."""
    study = Study(coloring_plan(40, 0, cases=sketch_cases(40, 4), trials=20))
    person = study.enroll()
    sketch_of = {
        stimulus.id: study.plan.case_by_id[stimulus.case_id].sketch
        for stimulus in study.plan.stimuli
    }
    sketches = [sketch_of[trial.stimulus_id] for trial in person.trials]
    assert all(first != second for first, second in pairwise(sketches))
    assert set(Counter(sketches).values()) == {2}  # ten sketches, each as often as every other


def test_practice_waits_for_its_review_and_is_done_again() -> None:
    study = Study(coloring_plan())
    person = study.enroll()

    def stage() -> PracticeStage:
        answers = answers_of(study.plan, person.trials, person.events)
        return practice_state(study.plan, person.trials, answers, person.marks).stage

    assert stage() is PracticeStage.OPEN
    for trial in list(person.trials):
        study.color(person, trial.position)
    assert stage() is PracticeStage.WAITING
    assert study.give(person) == []
    study.mark(person, 1, MarkKind.PRACTICE, "again")
    assert stage() is PracticeStage.AGAIN
    assert [trial.purpose for trial in study.give(person)] == [Purpose.TRAINING] * 3
    assert stage() is PracticeStage.AGAIN
    for trial in person.trials[3:]:
        study.color(person, trial.position)
    assert stage() is PracticeStage.WAITING
    study.mark(person, 0, MarkKind.PRACTICE, "accepted")  # of the round before
    assert stage() is PracticeStage.WAITING
    study.mark(person, 4, MarkKind.PRACTICE, "accepted")
    assert len(study.give(person)) == 5
    assert stage() is PracticeStage.ACCEPTED
    assert not replay(study.plan, study.people)


def test_a_second_coloring_is_a_repeat_of_the_first() -> None:
    study = Study(coloring_plan(12, 0, review=Review.NONE))
    person = study.enroll()
    for trial in list(person.trials)[:3]:
        study.color(person, trial.position)
    study.does(person, EventKind.ANSWER, 3, SKIPPED)
    for position in (1, 3, 4, 99):  # colored, skipped, not colored yet, not there
        study.mark(person, position, MarkKind.RECOLOR, "asked")
    study.mark(person, 2, MarkKind.RECOLOR, "asked")
    study.mark(person, 2, MarkKind.RECOLOR, "withdrawn")
    (second,) = study.give(person)
    assert (second.position, second.original) == (5, 1)
    assert second.stimulus_id == person.trials[1].stimulus_id
    assert second.purpose is Purpose.REPEAT
    # It is a vote of nobody, and asked for once more only when it was asked for once more.
    assert sum(current_colorings_of(study.plan, study.people, study.at).load.values()) == 4
    assert study.give(person) == []
    study.mark(person, 5, MarkKind.RECOLOR, "asked")
    assert not is_due(study.plan, person.trials, study.answers(person), person.marks)  # type: ignore[arg-type]
    study.color(person, 5)
    study.color(person, 4)
    assert [trial.original for trial in study.give(person)] == [1, 4]
    assert not replay(study.plan, study.people)


def test_a_withdrawal_takes_back_only_what_was_not_given_out() -> None:
    study = Study(coloring_plan(12, 0, review=Review.NONE))
    person = study.enroll()
    for trial in list(person.trials):
        study.color(person, trial.position)

    def asked() -> dict[int, int]:
        answers = answers_of(study.plan, person.trials, person.events)
        return recolors_open(person.trials, answers, person.marks)

    study.mark(person, 1, MarkKind.RECOLOR, "withdrawn")
    study.mark(person, 1, MarkKind.RECOLOR, "asked")
    assert asked() == {1: 1}
    study.mark(person, 1, MarkKind.RECOLOR, "withdrawn")
    assert asked() == {}
    assert study.give(person) == []
    study.mark(person, 1, MarkKind.RECOLOR, "asked")
    (second,) = study.give(person)
    study.mark(person, 1, MarkKind.RECOLOR, "withdrawn")  # it is before them
    assert asked() == {1: 1}
    study.color(person, second.position)
    assert asked() == {}
    assert study.give(person) == []
    study.mark(person, 1, MarkKind.RECOLOR, "asked")
    assert asked() == {1: 1}
    (third,) = study.give(person)
    assert third.original == 1
    study.does(person, EventKind.ANSWER, third.position, SKIPPED)
    assert asked() == {}
    assert not replay(study.plan, study.people)


def test_a_skipped_sketch_is_free_for_others_until_the_skip_is_taken_back() -> None:
    study = Study(coloring_plan(4, 0, votes=1, trials=2, review=Review.NONE))
    person = study.enroll()
    first, _ = study.main(person)

    def held() -> int:
        return current_colorings_of(study.plan, study.people, study.at).load.get(
            first.stimulus_id, 0
        )

    study.does(person, EventKind.ANSWER, first.position, SKIPPED)
    assert held() == 0
    study.does(person, EventKind.UNDO, first.position)
    assert held() == 1


def test_actions_may_be_left_out_of_a_log_but_for_one_a_minute() -> None:
    """Somebody who draws is there, and a log that says so once a minute gives the same trials."""
    plan = coloring_plan(6, 0, votes=1, trials=6, abandoned_after_s=600)
    study = Study(plan)
    slow = study.enroll()
    for _ in range(200):  # half an hour on one sketch
        study.at += timedelta(seconds=8)
        study.does(slow, EventKind.ACTION, 0, {"do": "clear"})
    late = study.enroll()
    assert late.trials == []  # nothing is free
    study.at += timedelta(seconds=700)
    heir = study.enroll()
    assert len(heir.trials) == 6
    thinned = []
    minutes = set[datetime]()
    for event in slow.events:
        assert event.at is not None
        minute = event.at.replace(second=0, microsecond=0)
        if minute not in minutes:
            minutes.add(minute)
            thinned.append(Event("", EventKind.ACTION, at=event.at))
    assert len(thinned) < 40
    people = [Enrolled(0, slow.enrolled_at, slow.trials, thinned), *study.people[1:]]
    assert not replay(plan, people)
    assert not replay(plan, study.people)
