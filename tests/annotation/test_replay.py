"""A log gives its assignments again, and who is gone frees what they did not answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.annotation.studies_made import plan
from truehue.annotation.assignment.assign import assign, assign_further, replay
from truehue.annotation.assignment.ledger import Enrolled, current_colorings_of
from truehue.annotation.screening import patches_for, plates_for, scored, screening_of
from truehue.annotation.studies.plan import Screening
from truehue.core.studies import Event, EventKind

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
TIE = {"kind": "tie", "value": None, "response_ms": 900.0}
STUDY = plan(20, 3, votes=3, trials=12, repeats=1, abandoned_after_s=3600)


def served(people: int, answered: int, minutes: int) -> list[Enrolled]:
    """So many people, one every some minutes, who answer so many trials at once and go."""
    out: list[Enrolled] = []
    for number in range(people):
        index = BEGIN + timedelta(minutes=minutes * number)
        state = current_colorings_of(STUDY, out, index)
        trials = assign(STUDY, number, state.load, state.served)
        events = [
            Event(f"{number:016x}{i:016x}", EventKind.ANSWER, i, TIE, 0, i, index)
            for i in range(answered)
        ]
        out.append(Enrolled(number, index, trials, events))
    return out


def test_what_was_served_is_served_again() -> None:
    people = served(9, 4, 25)
    assert replay(STUDY, people) == {}
    assert replay(STUDY, people[::-1]) == {}
    changed = replace(people[5], trials=people[4].trials)
    assert 5 in replay(STUDY, [*people[:5], changed, *people[6:]])


def test_what_somebody_who_is_gone_did_not_answer_goes_to_others() -> None:
    (person,) = served(1, 4, 0)
    main = [trial for trial in person.trials if trial.original is None]
    soon, late = BEGIN + timedelta(minutes=59), BEGIN + timedelta(minutes=61)
    assert sum(current_colorings_of(STUDY, [person], soon).load.values()) == len(main)
    state = current_colorings_of(STUDY, [person], late)
    answered = sum(trial.position < 4 for trial in main)
    assert sum(state.load.values()) == sum(state.served.values()) == answered
    gone = replace(person, events=[Event("f" * 32, EventKind.WITHDRAWAL, at=BEGIN)])
    assert not current_colorings_of(STUDY, [gone], BEGIN).load


@settings(max_examples=20, deadline=None)
@given(leaving=st.lists(st.integers(0, 12), min_size=1, max_size=6), seed=st.integers(0, 2**31))
def test_whoever_leaves_every_pair_gets_its_answers_and_no_more(
    leaving: list[int], seed: int
) -> None:
    """Some answer so many trials and go; those who come later than that are given the rest."""
    study = plan(8, 3, votes=3, trials=12, abandoned_after_s=3600, seed=seed)
    people: list[Enrolled] = []
    for number in range(40):
        index = BEGIN + timedelta(hours=2 * number)
        trials = assign_further(study, number, (), {}, current_colorings_of(study, people, index))
        if not trials:
            break
        count = leaving[number] if number < len(leaving) else len(trials)
        events = [
            Event(f"{number:016x}{i:016x}", EventKind.ANSWER, i, TIE, number=i, at=index)
            for i in range(min(count, len(trials)))
        ]
        people.append(Enrolled(number, index, trials, events))
    answered = Counter(p.trials[e.position or 0].stimulus_id for p in people for e in p.events)
    assert {answered[stimulus.id] for stimulus in study.stimuli} == {3}
    assert replay(study, people) == {}


def test_screening_is_counted_and_nothing_is_guessed() -> None:
    plates, patches = plates_for(7, 3), patches_for(7, 3)
    assert plates == plates_for(7, 3)
    assert len({plate.axis for plate in plates}) == len({plate.digit for plate in plates}) == 4
    read = [plate.digit for plate in plates]
    body = {"plates": [*read[:3], None], "dark": patches[0].place, "light": None}
    assert scored(body, plates, patches) == {
        "shown": 4,
        "read": 3,
        "misread": [plates[3].axis.value],
        "dark": True,
        "light": None,
    }
    assert scored({}, plates, patches)["shown"] == 0


def test_a_screening_that_was_scored_when_it_was_stored_is_read_and_not_scored_twice() -> None:
    plates, patches = plates_for(7, 3), patches_for(7, 3)
    answers = {"plates": [plate.digit for plate in plates], "dark": patches[0].place, "light": 9}
    stored = {"ms": 1, **scored(answers, plates, patches), "answers": answers}
    event = Event("a" * 32, EventKind.SCREENING, body=stored)
    again = screening_of(plan(seed=7), 3, [event])
    assert again == {"shown": 4, "read": 4, "misread": [], "dark": True, "light": False}
    assert screening_of(plan(seed=7), 3, [replace(event, body=answers)]) == again
    assert screening_of(plan(seed=7, screening=Screening(False, False)), 3, [event]) == {
        "shown": 0,
        "read": 0,
        "misread": [],
    }
    assert screening_of(plan(seed=7), 3, []) is None
