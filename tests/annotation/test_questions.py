"""Questions that people answer: what is asked, given and refused, and what they got right."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from tests.annotation.studies_made import cases, plan, question_cases, question_plan
from truehue.annotation.assignment.assign import assign
from truehue.annotation.judgments.answers import AnswerKind, read_answer
from truehue.annotation.judgments.questions import (
    PARTICIPANTS,
    QUESTIONS,
    answers_by_person,
    right_shares,
    target_in,
)
from truehue.annotation.participants import ExclusionRule, quality_of
from truehue.annotation.report import Analysis, Person, results
from truehue.annotation.studies.cases import Kind, QuestionSetName, answer_record, stored_question
from truehue.annotation.studies.plan import (
    Consent,
    Material,
    StudyPlan,
    Training,
    from_json,
    to_json,
)
from truehue.annotation.studies.presets import PRESETS, plan_of
from truehue.core.analysis.intervals import Rate
from truehue.core.errors import BadInput
from truehue.core.studies import Event, EventKind, Purpose, Trial
from truehue.core.vlm.records import Answer, Form, Outcome, Question
from truehue.core.vlm.scoring import score

IMAGE = "ab" * 32


def question(form: Form, answer: str, choices: tuple[str, ...] = ()) -> Question:
    return Question("q1", "color_counting", form, "How many?", choices, answer, IMAGE)


def event(position: int, kind: AnswerKind, value: int | None = None) -> Event:
    body = {"kind": kind.value, "value": value, "response_ms": 900}
    return Event(f"{position:032x}", EventKind.ANSWER, position, body)


def answered(study: StudyPlan, number: int, wrong: int = 0, skips: int = 0) -> Person:
    """Somebody who answers right, but the first ``wrong`` and ``skips`` main trials."""
    trials = assign(study, number, {}, {})
    events, main = [], 0
    for trial in trials:
        target = study.question_of(trial.stimulus_id)
        if target is None:
            events.append(event(trial.position, AnswerKind.PLACE, trial.expected))
            continue
        index = target.right
        if trial.purpose is Purpose.MAIN:
            main += 1
            if main <= skips:
                events.append(event(trial.position, AnswerKind.SKIP))
                continue
            if main <= skips + wrong:
                index = (index + 1) % len(target.choices)
        events.append(event(trial.position, AnswerKind.PLACE, index))
    return Person(f"{number:06d}", number, trials, events)


def test_a_question_of_a_set_as_people_are_asked_it() -> None:
    choice = stored_question(question(Form.CHOICE, "C", ("2", "3", "4")))
    assert (choice.choices, choice.right, choice.chance) == (("2", "3", "4"), 2, 1 / 3)
    assert answer_record(choice, 2) == Answer("q1", "4", "C", Outcome.RIGHT)
    assert answer_record(choice, 0).outcome is Outcome.WRONG
    skip = answer_record(choice, None)
    assert (skip.reading, skip.outcome) == (None, Outcome.UNREADABLE)
    yes = stored_question(question(Form.BINARY, "no"))
    assert (yes.choices, yes.right) == (("yes", "no"), 1)
    assert answer_record(yes, 1) == Answer("q1", "no", "no", Outcome.RIGHT)
    with pytest.raises(BadInput, match="answered in words"):
        stored_question(question(Form.OPEN, "teal"))


def test_the_preset_and_its_plan_come_back_from_json() -> None:
    preset = PRESETS["questions"]
    assert (preset.a_task, preset.skip, preset.tie) == (50, True, False)
    named = QuestionSetName("Ten questions", "ab" * 32)
    study = plan_of(preset, question_cases(10), 5, Consent("1", "Yes."), question_set=named)
    assert from_json(json.loads(json.dumps(to_json(study)))) == study
    assert (study.choice_count, len(study.main_stimuli)) == (4, 10)
    # A plan from before there were questions is read as it was.
    before = to_json(plan())
    del before["question_set"]
    for case in before["cases"]:
        del case["question"]
    assert from_json(before) == plan()


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"material": Material.IMAGES}, "Questions are answered"),
        ({"kind": Kind.RATINGS}, "Questions are answered"),
        ({"cases": cases(3, 2)}, "is no question"),
        ({"question_set": None}, "names their set"),
        ({"tie": True}, "no tie"),
        ({"training": Training((("x", "m0"),), 1)}, "stimulus that is not here"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(changes: dict[str, object], text: str) -> None:
    with pytest.raises(BadInput, match=text):
        replace(question_plan(), **changes)  # type: ignore[arg-type]


def test_everybody_gets_as_many_of_each_task_and_no_task_twice_in_a_row() -> None:
    study = question_plan(40, 4, trials=12, repeats=2, attention=1, votes=3)
    load: dict[str, int] = {}
    for number in range(10):
        trials = assign(study, number, load, {})
        main = [item for item in trials if item.purpose is Purpose.MAIN]
        for trial in main:
            load[trial.stimulus_id] = load.get(trial.stimulus_id, 0) + 1
        tasks = [study.case_by_id[study.by_id[item.stimulus_id].case_id].group for item in main]
        assert [tasks.count(task) for task in sorted(set(tasks))] == [3, 3, 3, 3]
        assert all(item != after for item, after in itertools.pairwise(tasks))
        assert [item.purpose for item in trials].count(Purpose.REPEAT) == 2
        assert all(trial.order == () for trial in trials)
    assert set(load.values()) == {3}


def test_an_answer_is_the_place_of_a_choice_or_a_skip() -> None:
    study = question_plan()
    four, two = (Trial(0, study.stimuli[index].id, (), Purpose.MAIN) for index in (0, 4))
    assert read_answer(study, four, event(0, AnswerKind.PLACE, 3)).value == 3
    assert read_answer(study, two, event(0, AnswerKind.SKIP)).value is None
    check = Trial(0, "", (), Purpose.ATTENTION, expected=3)
    assert read_answer(study, check, event(0, AnswerKind.PLACE, 3)).value == 3
    for trial, kind, value in (
        (four, AnswerKind.PLACE, 4),
        (two, AnswerKind.PLACE, 2),
        (two, AnswerKind.TIE, None),
        (two, AnswerKind.RATING, 1),
        (check, AnswerKind.PLACE, 4),
    ):
        with pytest.raises(BadInput):
            read_answer(study, trial, event(0, kind, value))


def test_a_repeat_is_the_same_where_the_same_choice_is_taken() -> None:
    study = question_plan(repeats=2, attention=1)
    person = answered(study, 0)
    values = {item.position: item for item in map(_read(study, person), person.events)}
    quality = quality_of(study, person.trials, values, {})
    assert (quality.consistency, quality.attention, quality.answered) == (1.0, 1.0, 10)


def _read(study: StudyPlan, person: Person):  # type: ignore[no-untyped-def]
    return lambda item: read_answer(study, person.trials[item.position], item)


def test_shares_of_a_study_with_and_without_those_excluded() -> None:
    study = question_plan(20, 2, votes=6, attention=2)
    people = [answered(study, 0, 2), answered(study, 1, 4), answered(study, 2, 0, skips=3)]
    lazy = answered(study, 3, 20)
    off = [
        replace(item, body={**item.body, "value": (item.body["value"] + 1) % 4})
        if lazy.trials[item.position].purpose is Purpose.ATTENTION
        else item
        for item in lazy.events
    ]
    people.append(Person(lazy.id, lazy.number, lazy.trials, off))
    message = results(study, people, Analysis(ExclusionRule(), {}, 3, 300))
    assert [bool(person.excluded) for person in message.people] == [False, False, False, True]
    inside, all_of_them = message.included.questions, message.everybody.questions
    assert inside is not None
    assert all_of_them is not None
    overall = inside.shares.overall
    assert (overall.right, overall.wrong, overall.skips, overall.people) == (51, 6, 3, 3)
    assert (overall.answers, overall.questions) == (60, 20)
    assert overall.share.value == 51 / 60
    assert overall.told.value == 51 / 57
    assert overall.over == PARTICIPANTS
    assert overall.share.low < 51 / 60 < overall.share.high
    assert overall.chance == pytest.approx((16 / 4 + 4 / 2) / 20)
    assert [task.task for task in inside.shares.tasks] == ["task_0", "task_1"]
    assert inside.shares.macro is not None
    assert inside.shares.macro.share.value == pytest.approx(
        np.mean([task.share.value for task in inside.shares.tasks])
    )
    assert [person.right for person in inside.shares.people] == [18, 16, 17]
    assert all_of_them.shares.overall.right == 51
    assert sum(sum(item.counts) + item.skips for item in inside.questions) == 60
    # Agreement is of the choices, whatever their letters; skips count, and are no choice.
    assert message.included.skips == 3
    assert message.included.fleiss is not None
    assert message.included.fleiss.observed.value > 0.6
    again = results(study, people, Analysis(ExclusionRule(), {}, 3, 300))
    assert again.included.questions == inside


def test_one_person_has_wilsons_interval_over_questions() -> None:
    study = question_plan(20, 2)
    message = results(study, [answered(study, 0, 3)], Analysis(ExclusionRule(), {}, 0, 100))
    result = message.everybody.questions
    assert result is not None
    overall = result.shares.overall
    interval = Rate(17, 3).interval
    assert interval is not None
    assert overall.over == QUESTIONS
    assert (overall.share.low, overall.share.high) == (interval[0] / 100, interval[1] / 100)
    assert result.shares.macro is not None
    assert result.shares.macro.over == QUESTIONS


def test_people_who_are_all_right_have_an_interval_too() -> None:
    study = question_plan(10, 2)
    people = [answered(study, number) for number in range(3)]
    message = results(study, people, Analysis(ExclusionRule(), {}, 0, 100))
    result = message.everybody.questions
    assert result is not None
    for item in (result.shares.overall, *result.shares.tasks):
        assert (item.share.value, item.share.high, item.over) == (1.0, 1.0, QUESTIONS)
        assert 0.4 < item.share.low < 0.8
    assert result.shares.macro is not None
    assert result.shares.macro.share.low > 0.4


def test_one_persons_shares_are_those_of_the_same_answers_of_a_model() -> None:
    texts = ("red", "green", "blue", "gray")
    questions = [
        Question(f"q{index}", f"t{index % 3}", Form.CHOICE, "?", texts, "ABCD"[index % 4], IMAGE)
        for index in range(30)
    ]
    answer_records = [
        answer_record(stored_question(item), index % 4 if index % 5 else None)
        for index, item in enumerate(questions)
    ]
    people: Mapping[str, list[Answer]] = {"p": answer_records}
    result = right_shares(target_in(questions), people, 0)
    scores = score(questions, answer_records)
    assert result.overall.share.value == scores.overall.percent / 100  # type: ignore[operator]
    assert result.overall.told.value == scores.overall.readable_percent / 100  # type: ignore[operator]
    for task in result.tasks:
        assert (task.share.low * 100, task.share.high * 100) == scores.tasks[task.task].interval
    assert scores.macro is not None
    assert result.macro is not None
    assert result.macro.share.low * 100 == pytest.approx(scores.macro.interval[0])
    with pytest.raises(BadInput, match="no question"):
        right_shares(target_in(questions[:3]), people, 0)


def test_without_answers_nothing_is_said() -> None:
    result = right_shares(target_in([question(Form.BINARY, "no")]), {}, 0)
    assert np.isnan(result.overall.share.value)
    assert result.macro is None
    assert answers_by_person(question_plan(), []) == {}
