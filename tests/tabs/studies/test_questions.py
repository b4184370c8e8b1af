"""Studies of questions: made of a set, answered, read, taken along; what of them Ask shows."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.empty_data import empty_data
from tests.house import ROOT
from tests.node import run_module
from tests.tabs.studies.studies_here import answered, enrolled, form, opened
from truehue.annotation.judgments.questions import PARTICIPANTS, QUESTIONS
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.errors import BadInput
from truehue.core.studies import Purpose, Trial
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.records import Form, IllustratedQuestion, Outcome, Question
from truehue.core.vlm.scoring import score
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context
from truehue.tabs.sources.studies import human_answers
from truehue.tabs.studies import making
from truehue.tabs.studies.changing import Copying, Revision, create, revise
from truehue.tabs.studies.changing import copy as copy_of
from truehue.tabs.studies.exports import (
    StudyExportRequest,
    StudyTableRequest,
    codebook_file,
    table_file,
    table_list,
    write_archive,
)
from truehue.tabs.studies.form import StudyForm
from truehue.tabs.studies.imports import import_study
from truehue.tabs.studies.materials import materials
from truehue.tabs.studies.outline import outline
from truehue.tabs.studies.results import StudyReference, compute
from truehue.tabs.studies.results_people import Decide, exclude

pytestmark = pytest.mark.slow

COUNTS = {"color_extraction": 2, "color_counting": 4, "color_blindness": 3, "color_comparison": 3}
PEOPLE = 3


def made_set(context: Context, counts: dict[str, int] = COUNTS, **more: Any) -> str:
    items = list(generated(GeneratedSettings(counts, Difficulty.EASY, 3)))
    return context.storage.question_sets.add([*items, *more.get("items", ())], "Twelve", {})[0]


def asked_form(set_id: str, **fields: Any) -> StudyForm:
    values = {"preset": "questions", "question_set": set_id, "repeats": 0, "attention": 0}
    return form(**{**values, **fields})


def answers_all(context: Context, study_id: str, plan: StudyPlan, wrong: int, skip: bool) -> str:
    """Somebody who is wrong at the first so many, and leaves the last one."""
    who, trials = enrolled(context, study_id, plan)
    main = [trial for trial in trials if trial.purpose is Purpose.MAIN]

    def choose(trial: Trial) -> Any:
        question = plan.question_of(trial.stimulus_id)
        assert question is not None
        if skip and trial is main[-1]:
            return "skip"
        off = trial in main[:wrong]
        return (question.right + off) % len(question.choices)

    answered(context, who, trials, choose)
    return who


def test_a_set_becomes_a_study_with_its_images(context: Context) -> None:
    set_id = made_set(context)
    message = materials(context, OWNER, EmptyRequest())["question_sets"]
    assert [item["id"] for item in message] == [set_id]
    extraction, *_ = message[0]["tasks"]
    assert (extraction["name"], extraction["people"]) == ("Color Extraction", False)
    before = context.storage.images.count()
    made = outline(context, OWNER, asked_form(set_id, number=3))
    assert context.storage.images.count() == before
    assert made["stimuli"] == 9
    assert [task["questions"] for task in made["questions"]["tasks"]] == [3, 3, 3]
    text = " ".join(made["provenance"])
    assert "2 questions of Color Extraction" in text
    assert "3 of 4 of Color Counting" in text
    assert "50 questions a category" in text
    assert "right" not in made["questions"]["sample"]
    study = create(context, OWNER, asked_form(set_id, number=3))["study"]
    assert (study["kind"], study["plan"]["cases"], study["blocks"]) == ("questions", 9, [])
    assert study["plan"]["question_set"]["name"] == "Twelve"
    assert context.storage.images.count() == before + 9
    source = context.storage.question_sets.open(set_id)
    for question in source.questions():
        if question.task != "color_extraction":
            stored = context.storage.images.by_ids([question.image_id])
            assert all(
                (context.storage.images.srgb8(i) == source.image(question)).all() for i in stored
            )
    # The same questions when more are drawn; a copy and a revision are as the study.
    more = create(context, OWNER, asked_form(set_id, number=4))["study"]
    plans = [context.storage.studies.get(item["id"]).plan for item in (study, more)]
    ids = [{case["id"] for case in plan["cases"]} for plan in plans]
    assert ids[0] < ids[1]
    copied = copy_of(context, OWNER, Copying(study=study["id"]))["study"]
    assert copied["plan"]["question_set"] == study["plan"]["question_set"]
    fields = asked_form(set_id, number=2).model_dump() | {"study": study["id"], "version": 1}
    assert revise(context, OWNER, Revision(**fields))["study"]["plan"]["cases"] == 6


def test_what_people_cannot_be_asked_is_left_out_and_said(context: Context) -> None:
    (plain,) = generated(GeneratedSettings({"color_counting": 1}, Difficulty.EASY, 9))
    question = Question(
        "o1", "color_counting", Form.OPEN, "Which?", (), "teal", plain.question.image_id
    )
    yes = Question("b1", "color_counting", Form.BINARY, "Is it?", (), "no", plain.question.image_id)
    items = [IllustratedQuestion(item, plain.srgb8) for item in (question, yes)]
    variant = replace(plain.question, question_id="v1", seed_id="q", variant="entire +90")
    gray = IllustratedQuestion(variant, plain.srgb8)
    set_id = made_set(context, items=[plain, *items, gray])
    made = outline(context, OWNER, asked_form(set_id, tasks=["color_counting"]))
    assert made["stimuli"] == 6
    words_of = " ".join(made["provenance"])
    assert "1 question answered in free text" in words_of
    assert "1 question variants of other questions" in words_of
    with pytest.raises(BadInput, match="has no questions of Color Mimicry"):
        outline(context, OWNER, asked_form(set_id, tasks=["color_mimicry"]))
    with pytest.raises(BadInput, match="Choose a question set"):
        outline(context, OWNER, asked_form(""))
    with pytest.raises(BadInput, match="not here"):
        outline(context, OWNER, asked_form("0" * 32))
    only = context.storage.question_sets.add(items[:1], "Words", {})[0]
    with pytest.raises(BadInput, match="No questions are left for people: 1 question answered"):
        outline(context, OWNER, asked_form(only))


def test_many_images_are_stored_in_the_background(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "MAX_STORED", 3)
    set_id = made_set(context)
    assert (
        "10 images will be stored first"
        in outline(context, OWNER, asked_form(set_id))["heavy"]["words"]
    )
    job = context.jobs.wait(create(context, OWNER, asked_form(set_id))["job"])
    study = context.storage.studies.get(job.result["study"])
    assert len(study.plan["cases"]) == 10


@pytest.fixture
def study(context: Context) -> tuple[str, StudyPlan]:
    """Three people answered ten questions: one two wrong, one three and leaves one, one all
    right."""
    made = asked_form(made_set(context), votes=PEOPLE, trials=10)
    study_id, plan = opened(context, made)
    for wrong, skip in ((2, False), (3, True), (0, False)):
        answers_all(context, study_id, plan, wrong, skip)
    return study_id, plan


def test_results_have_the_share_right_by_task_with_chance_beside(
    context: Context, study: tuple[str, StudyPlan]
) -> None:
    result = compute(context, study[0], 200, lambda _: None)
    shares = result["everybody"]["questions"]
    overall = shares["overall"]
    assert (overall["right"], overall["wrong"], overall["skips"]) == (24, 5, 1)
    assert overall["share"]["value"] == 24 / 30
    assert overall["share"]["low"] < 0.8 < overall["share"]["high"]
    assert overall["over"] == PARTICIPANTS
    assert overall["chance"] == 0.25
    assert [task["name"] for task in shares["tasks"]] == [
        "Color Comparison", "Color Counting", "Color Blindness"
    ]  # fmt: skip
    assert shares["macro"]["tasks"] == 3
    assert [item["right"] for item in shares["by_person"]] == [8, 6, 10]
    assert len(result["asked"]) == 10
    counts = shares["answers"][result["asked"][0]["case"]]
    assert sum(counts["counts"]) + counts["skips"] == PEOPLE
    assert result["everybody"]["agreement"]["observed"]["value"] > 0.3
    assert "least_training" not in {rule_field["name"] for rule_field in result["rule_fields"]}
    assert result["everybody"]["validation"]["rows"] == []


@pytest.mark.process
def test_the_page_shows_what_people_got_right(
    context: Context, study: tuple[str, StudyPlan]
) -> None:
    """By the page's own scripts: by task, the questions that few got right first, by person."""
    shown = run_module(
        """
        await import(value.page);
        const { questionCards } = await load('studies/questions/results');
        const rows = (card) => [...card.node.querySelectorAll('tbody tr')].map((row) =>
          [...row.cells].map((cell) => cell.textContent));
        const cards = questionCards(value.data);
        return { rows: cards.map(rows), words: cards[0].node.textContent };
        """,
        {
            "page": (ROOT / "tests/assets/page.js").as_uri(),
            "data": compute(context, study[0], 200, lambda _: None),
        },
        jsdom=True,
    )
    tasks, questions, people = shown["rows"]
    (overall,) = [row for row in tasks if row[0].startswith("All questions")]
    assert "80.0%" in overall[1]
    assert overall[-4:] == ["25.0%", overall[-3], "1", "30"]
    assert "Intervals: " in shown["words"]
    assert len(questions) == 10
    rights = [int(row[-1].partition("%")[0]) for row in questions]
    assert rights == sorted(rights)
    assert all(row[-1].endswith("% of 3") for row in questions)
    assert [row[1:] for row in people] == [
        ["80.0%", "10", "0"],
        ["60.0%", "10", "1"],
        ["100.0%", "10", "0"],
    ]


def test_answers_in_the_form_of_models_after_exclusion(
    context: Context, study: tuple[str, StudyPlan]
) -> None:
    study_id, plan = study
    assert plan.question_set is not None
    sha256 = plan.question_set.sha256
    set_id = sha256[:32]
    questions = list(context.storage.question_sets.open(set_id).questions())
    assert human_answers(context, "0" * 64) == []
    (item,) = human_answers(context, sha256)
    assert (item.study_id, item.participants, item.excluded) == (study_id, 3, 0)
    values = [answer for answers in item.answers.values() for answer in answers]
    assert sum(answer.outcome is Outcome.RIGHT for answer in values) == 24
    assert sum(answer.outcome is Outcome.UNREADABLE for answer in values) == 1
    shares = item.shares(questions)
    assert shares.overall.share.value == 24 / 30
    assert [task.task for task in shares.tasks] == [
        "color_comparison", "color_counting", "color_blindness"
    ]  # fmt: skip
    # One person is scored as a model is.
    person = next(iter(item.answers.values()))
    assert score(questions, person).overall.total == 10
    people = context.storage.participants.of(study_id)
    for who in people[:2]:
        exclude(context, OWNER, Decide(study=study_id, participant=who.id, reason="a test"))
    (item,) = human_answers(context, sha256)
    assert (item.participants, item.excluded) == (1, 2)
    shares = item.shares(questions)
    assert (shares.overall.share.value, shares.overall.over) == (1.0, QUESTIONS)


def test_tables_and_the_archive_of_a_study_of_questions(
    context: Context, study: tuple[str, StudyPlan], tmp_path: Path
) -> None:
    study_id, plan = study
    message = table_list(context, OWNER, StudyReference(study=study_id))
    names = [table["name"] for table in message["tables"]]
    assert names[0] == "questions"
    assert not {"votes", "candidates", "metrics"} & set(names)
    assert message["votes"] == ""

    def rows(table: str) -> list[dict[str, str]]:
        ask = StudyTableRequest(study=study_id, table=table, format="csv")
        text = table_file(context, OWNER, ask).content.decode()
        return list(csv.DictReader(io.StringIO(text)))

    target = rows("questions")
    assert len(target) == 10
    assert sum(sum(json.loads(item["answers"]).values()) for item in target) == 29
    assert {item["right"] for item in target} <= set("ABCD")
    values = rows("answers")
    assert sum(item["right"] == "true" for item in values) == 24
    chosen = plan.case_by_id[values[0]["case"]].question
    assert chosen is not None
    assert values[0]["chosen"] in chosen.choices
    measures = {(row["measure"], row["group"]): row for row in rows("results")}
    assert float(measures["right", ""]["value"]) == 0.8
    assert measures["chance", "color_counting"]["value"] == "0.25"
    assert (
        "## questions"
        in codebook_file(context, OWNER, StudyExportRequest(study=study_id)).content.decode()
    )

    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    with Storage.open(empty_data(tmp_path / "elsewhere")) as other:
        there = make_context(other, "elsewhere")
        copy = import_study(there, OWNER, EmptyRequest(), path, "all.zip")
        assert "10 images" in copy["notes"][0]
        again = compute(there, copy["study"]["id"], 200, lambda _: None)
        ours = compute(context, study_id, 200, lambda _: None)
        assert again["everybody"] == ours["everybody"]
        assert plan.question_set is not None
        assert [
            human_answer.participants
            for human_answer in human_answers(there, plan.question_set.sha256)
        ] == [3]
        there.close()


def test_an_image_that_people_were_asked_about_cannot_be_deleted(
    context: Context, study: tuple[str, StudyPlan]
) -> None:
    image, *_ = study[1].cases[0].image_ids
    with pytest.raises(BadInput, match="shows this image to people"):
        context.storage.trash.move("image", [image])
