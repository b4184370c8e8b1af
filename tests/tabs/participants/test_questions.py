"""People who answer questions about color: what their page is told, and what is kept of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.annotation.studies_made import question_cases, question_plan
from tests.node import run_module
from tests.tabs.participants.people import Room, answer, event, part_of
from truehue.annotation.studies.cases import stored_question
from truehue.annotation.studies.plan import Screening
from truehue.core.errors import BadInput
from truehue.core.images.load import image_id
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.records import Form, Question

pytestmark = pytest.mark.slow

NO_SCREENING = Screening(False, False)


def test_no_page_is_told_what_is_right(room: Room) -> None:
    """Neither in so many words, nor by what is named or ordered by it."""
    plan = question_plan(14, 2, repeats=2, attention=1, screening=NO_SCREENING)
    link = room.opened(plan)
    person = room.person(link)
    message = person.enroll()
    shown = [trial for trial in message["trials"] if part_of(trial) == "trial"]
    assert len(shown) == 16
    for item in shown:
        assert set(item) == {
            "position", "practice", "words", "form", "choices", "image"
        }  # fmt: skip
        case = next(case for case in plan.cases if case.words == item["words"])
        assert case.question is not None
        assert item["choices"] == list(case.question.choices)
        assert item["image"] not in ("", case.question.image_id)
    # Whatever else the study says is the same when other answers are right.
    others = tuple(
        replace(
            question_case,
            question=replace(question_case.question, right=(question_case.question.right + 1) % 2),
        )
        for question_case in question_cases(14, 2)
        if question_case.question is not None
    )
    again = room.person(room.opened(replace(plan, cases=others))).enroll()
    assert [{**trial, "image": ""} for trial in again["trials"]] == [
        {**trial, "image": ""} for trial in message["trials"]
    ]
    assert again["study"] == message["study"]
    for forbidden in ("construction", "right", "sha256", "task_0", '"q1"'):
        assert forbidden not in str(message["trials"]) + str(message["study"])


def test_from_consent_to_the_end_with_an_undo_and_a_resume(room: Room) -> None:
    plan = question_plan(14, 2, repeats=2, attention=1, screening=NO_SCREENING)
    link = room.opened(plan)
    person = room.person(link)
    message = person.enroll()
    first, second = (trial["position"] for trial in message["trials"][:2])
    person.post(answer(first, 0), event("undo", first), answer(first, None, "skip"))
    refused = person.sends(answer(second, 17)).json()["refused"]
    assert [item["code"] for item in refused] == ["bad"]
    # Another browser session goes on where it stopped.
    room.restart()
    back = person.state()
    assert back["participant"]["positions_answered"] == [first]
    person.answer_all()
    done = person.finish()
    assert done["stage"] == "finished"
    assert done["number_of_trials"] == 17
    assert room.log_differs(link.study) == []
    (record,) = room.storage.participants.of(link.study.id)
    events = room.storage.study_events.of(record.id)
    kinds = [item.body["kind"] for item in events if item.kind == "answer"]
    assert kinds[:2] == ["place", "skip"]
    assert len(kinds) == 18


def test_the_image_is_the_stored_png_bit_by_bit(room: Room) -> None:
    (item,) = generated(GeneratedSettings({"color_blindness": 1}, Difficulty.EASY, 3))
    room.storage.images.add(item.srgb8, "plate.png", "question")
    case = replace(
        question_cases(1)[0], words=item.question.text, question=stored_question(item.question)
    )
    plan = question_plan(1, cases=(case,), trials=1, screening=NO_SCREENING)
    person = room.person(room.opened(plan))
    (trial,) = person.enroll()["trials"]
    got = person.client.get(f"{person.path}/images/{trial['image']}.png")
    path = room.storage.images.path(item.question.image_id)
    assert got.content == path.read_bytes()
    assert image_id(np.asarray(item.srgb8)) == item.question.image_id
    other = person.client.get(f"{person.path}/images/{'0' * 64}.png")
    assert other.status_code == 404


@pytest.mark.process
def test_pictures_are_enlarged_by_whole_numbers_and_stand_on_the_grid() -> None:
    result = run_module(
        """
        const { gridStep, onGrid, wholeScale } = await load('participants/pixel_grid');
        return {
          scales: value.scales.map(([w, h, rw, rh, dpr]) =>
            wholeScale({ width: w, height: h }, { width: rw, height: rh }, dpr)),
          steps: value.steps.map(gridStep),
          places: value.places.map(([start, room, length, dpr]) =>
            (start + onGrid(start, room, length, dpr)) * dpr),
        };
        """,
        {
            "scales": [
                [400, 400, 344, 348, 1],
                [400, 400, 344, 348, 2],
                [400, 400, 344, 348, 3],
                [64, 32, 640, 640, 1],
                [100, 100, 199.9999999, 200, 1],
            ],
            "steps": [1, 2, 1.25, 1.5, 1.1, 2.625],
            "places": [
                [8.3, 344, 200, 2],
                [16, 892.8125, 400, 1],
                [15.994318, 528.01, 640 / 1.1, 1.1],
                [16, 652, 240, 1.25],
                [8.3, 100, 300, 2],
            ],
        },
    )
    assert result["scales"] == [1, 1, 2, 10, 2]
    assert result["steps"] == [1, 1, 4, 2, 10, 8]
    assert all(abs(index - round(index)) < 1e-6 for index in result["places"])


def test_a_question_that_is_answered_in_words_is_none_for_people() -> None:
    with pytest.raises(BadInput, match="tap"):
        stored_question(Question("q", "css_q1", Form.OPEN, "Which?", (), "teal", "ab" * 32))
