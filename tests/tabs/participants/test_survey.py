"""Questions about participants, as their page sends the answers, to results and exports."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from tests.annotation.test_survey import AGE, SURVEY
from tests.tabs.participants.people import AUTHOR, Person, Room, answer, event, plan
from truehue.annotation.studies.plan import Closing, Completion, StudyPlan, from_json, to_json
from truehue.annotation.studies.survey import Survey
from truehue.core.errors import BadInput
from truehue.core.studies import State
from truehue.tabs.page.roles import OWNER
from truehue.tabs.sources.studies import read_source
from truehue.tabs.studies.exports import (
    StudyTableRequest,
    table_file,
)
from truehue.tabs.studies.results import (
    StudyReference,
    StudyResultsRequest,
    compute,
    study_results,
)
from truehue.tabs.studies.results_people import clear_external
from truehue.tabs.studies.survey import participants_in

pytestmark = pytest.mark.slow

BEFORE = {"age": 33, "gender": "my own", "country": 1}


def survey_plan(survey: Survey = SURVEY, **values: Any) -> StudyPlan:
    made = plan(5, 2, votes=20, trials=5, closing=Closing(False), **values)
    return replace(made, survey=survey, completion=Completion("CODE"))


def answer_survey(person: Person, part: str, answers: dict[str, Any]) -> Any:
    return person.sends(event("survey", None, {"part": part, "answers": answers}))


def rows(room: Room, study_id: str, table: str, *, personal: bool) -> list[dict[str, str]]:
    fields = {"study": study_id, "table": table, "format": "csv", "personal": personal}
    request = StudyTableRequest.model_validate(fields)
    file = table_file(room.context, OWNER, request)
    return list(csv.DictReader(io.StringIO(file.content.decode())))


def test_a_plan_keeps_its_survey() -> None:
    made = survey_plan()
    assert from_json(to_json(made)).survey == SURVEY
    old = to_json(made)
    del old["survey"]
    assert from_json(old).survey == Survey()


def test_the_questions_come_before_and_after_the_trials(room: Room) -> None:
    link = room.opened(survey_plan())
    person = room.person(link)
    state = person.enroll()
    assert state["participant"]["stage"] == "survey"
    assert [item["id"] for item in state["study"]["survey"]["before"]] == [
        "age",
        "gender",
        "country",
    ]
    # What is required holds up the trials.
    assert person.sends(answer(0)).json()["code"] == "survey"
    refused = answer_survey(person, "before", {"gender": 0}).json()
    assert refused["code"] == "bad"
    assert "needs an answer" in refused["error"]
    answered = answer_survey(person, "before", BEFORE).json()["participant"]
    assert answered["stage"] != "survey"
    assert answered["surveyed"] == ["before"]
    assert answer_survey(person, "before", BEFORE).json()["code"] == "answered"
    room.clock.turn(60)
    person.answer_all()
    # Nothing of the last page is required here: it can be left out.
    assert person.finish()["code"] == "CODE"
    room.restart()
    again = room.person(link)
    again.client.cookies = person.client.cookies
    assert again.state()["participant"]["surveyed"] == ["before"]
    assert room.log_differs(link.study) == []


def test_a_required_last_question_comes_before_the_code(room: Room) -> None:
    survey = Survey((), (replace(AGE, id="late"),))
    link = room.opened(survey_plan(survey))
    person = room.person(link)
    assert person.enroll()["participant"]["stage"] != "survey"
    room.clock.turn(60)
    person.answer_all()
    assert person.sends(event("finish")).json()["code"] == "survey"
    assert person.state()["participant"]["code"] == ""
    answer_survey(person, "after", {"late": 50})
    assert person.finish()["code"] == "CODE"


def _answered(room: Room, people: int) -> str:
    """A study of which ``people`` answered all, every second one with another gender."""
    link = room.opened(survey_plan())
    for number in range(people):
        person = room.person(link)
        person.enroll(external={"prolific_pid": f"p{number}"})
        answer_survey(person, "before", {"age": 20 + number, "gender": number % 2, "country": 0})
        person.answer_all()
        answer_survey(person, "after", {"tools": [0, 1], "why": f"I am Ann {number}"})
        room.clock.turn(60)
        person.finish()
    return link.study.id


def test_results_can_be_narrowed_to_an_answer(room: Room) -> None:
    study_id = _answered(room, 11)
    results = compute(room.context, study_id, 100, lambda _: None)
    survey = {row["id"]: row for row in results["survey"]}
    assert [count["people"] for count in survey["gender"]["counts"]] == [6, 5, 0]
    assert (survey["age"]["median"], survey["age"]["low"], survey["age"]["high"]) == (25, 20, 30)
    assert survey["why"]["people"] == 11
    assert "Ann" not in str(results["survey"])
    # Of personal data it is only said how many answered.
    assert (survey["country"]["people"], survey["country"]["counts"]) == (11, [])
    assert [(group["id"], group["people"]) for group in results["groups"]] == [
        *(("gender:0", 6), ("gender:1", 5)),
        *(("tools:0", 11), ("tools:1", 11)),
    ]
    women = compute(room.context, study_id, 100, lambda _: None, "gender:0")
    assert (women["everybody"]["people"], women["group"]) == (6, "gender:0")
    assert women["everybody"]["answers"] == 30
    assert women["survey"] == results["survey"]
    source = read_source(room.context, study_id)
    assert [person.number for person in participants_in(source, "gender:1")] == [1, 3, 5, 7, 9]
    assert len(participants_in(source, "tools:1")) == 11
    for group in ("gender:2", "gender", "other:0", "tools:2", "country:0", "age:25", "gender:²"):
        with pytest.raises(BadInput):
            participants_in(source, group)


def test_anonymous_exports_have_no_personal_answers(room: Room) -> None:
    study_id = _answered(room, 2)
    public = rows(room, study_id, "survey", personal=False)
    assert {row["item"] for row in public} == {"age", "gender", "tools"}
    assert public[0] == {
        "participant": "1",
        "part": "before",
        "item": "age",
        "question": AGE.text,
        "form": "number",
        "value": "20",
        "answer": "20",
        "excluded": "false",
    }
    assert [row["answer"] for row in public if row["item"] == "tools"] == ["ink; paint"] * 2
    everything = rows(room, study_id, "survey", personal=True)
    assert {"country", "why"} <= {row["item"] for row in everything}
    for table in ("events", "survey"):
        assert "Ann" not in str(rows(room, study_id, table, personal=False))
    assert "Ann" in str(rows(room, study_id, "events", personal=True))
    # Once people are paid, what is personal goes, and the rest stays.
    room.storage.studies.set_state(study_id, State.CLOSED, AUTHOR)
    request = StudyReference(study=study_id)
    assert clear_external(room.context, OWNER, request) == {"cleared": 2}
    assert clear_external(room.context, OWNER, request) == {"cleared": 0}
    assert rows(room, study_id, "survey", personal=True) == public


def test_deleted_answers_are_in_no_results(room: Room) -> None:
    study_id = _answered(room, 6)
    request = StudyResultsRequest(study=study_id, replicates=100)

    def answered(item: str) -> int:
        results = study_results(room.context, OWNER, request)["results"]
        assert results is not None
        return next(row["people"] for row in results["survey"] if row["id"] == item)

    assert (answered("why"), answered("age")) == (6, 6)
    room.storage.studies.set_state(study_id, State.CLOSED, AUTHOR)
    clear_external(room.context, OWNER, StudyReference(study=study_id))
    assert (answered("why"), answered("age")) == (0, 6)


def test_time_on_the_questions_is_no_time_for_answers(room: Room) -> None:
    link = room.opened(survey_plan())
    person = room.person(link)
    person.enroll()
    room.clock.turn(600)
    answer_survey(person, "before", BEFORE)
    room.clock.turn(1)
    person.answer_all()
    assert person.finish()["withheld"]
