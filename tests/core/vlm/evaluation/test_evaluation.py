"""Questions asked as long work: rows, reasons, pauses, budgets, and what is refused."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.core.batch.here import team_here
from tests.core.generation.images_server import failure
from tests.core.vlm.chat_server import ChatServer, completion
from tests.core.vlm.questions_made import flat, questions
from truehue.core.batch.execute import execute
from truehue.core.batch.records import BatchState
from truehue.core.batch.results import tables
from truehue.core.errors import BadInput, ImageError
from truehue.core.images.load import encode_png, image_id
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.evaluation.plan import (
    EvaluationSettings,
    Version,
    as_sent,
    begin,
    read_question_image,
    read_questions,
)
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.question_set import write_set
from truehue.core.vlm.records import Question

pytestmark = pytest.mark.slow

Tiny = Callable[[str], Path]
SHORT = EvaluationSettings(max_tokens=6)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setattr("truehue.core.vlm.models.served.FIRST_PAUSE_S", 0.01)
    with ChatServer().running() as running:
        assert isinstance(running, ChatServer)
        yield running


def prompt(question: Question) -> str:
    return f"{question.text} {', '.join(question.choices)}"


def begun(
    index: Path, subject: Path, model: VisionModel, settings: EvaluationSettings = SHORT
) -> EvaluationWork:
    target, source = read_questions(subject)
    begin(index, target, source, prompt, model, settings)
    return EvaluationWork(index, model)


def here(work: EvaluationWork, **more: Any) -> BatchState:
    work.folder.set_desired_state("run")
    return execute(work, team=team_here(work, 1), **more)


def rows(work: EvaluationWork) -> list[dict[str, Any]]:
    return [row for table in tables(work) for row in table.to_pylist()]


def at(server: ChatServer, **settings: Any) -> VisionModel:
    return model_of(server.base_url, {"model": "color-vlm", **settings})


@pytest.mark.weights
def test_a_local_model_answers_a_set(tiny_vision: Tiny, twenty: Path, tmp_path: Path) -> None:
    model = model_of(str(tiny_vision("qwen2_5_vl")), {"batch": 4})
    work = begun(tmp_path / "colored", twenty, model)
    state = here(work)
    assert (state.status, state.done, state.failed) == ("finished", 20, 0)
    assert "sampling" not in work.folder.summary()
    hot = begun(tmp_path / "hot", twenty, model, EvaluationSettings(max_tokens=6, temperature=1.5))
    assert hot.folder.summary()["sampling"] == {"top_k": 0, "top_p": 1.0}
    assert hot._folder.sampling().all_tokens
    first = rows(work)[0]
    question, srgb8 = questions(20)[0]
    assert (first["question_id"], first["prompt"]) == ("q000", prompt(question))
    assert (first["height"], first["width"]) == srgb8.shape[:2]
    assert first["seen"] == "28 × 28 pixels, 1 token"
    assert (first["tokens_out"], first["requests"], first["answered_by"]) == (6, 0, "")
    values = list(work.answers())
    assert [item.question_id for item in values] == [f"q{n:03d}" for n in range(20)]
    assert all(item.answered and item.words for item in values)
    target = work.questions()[3].question
    assert (target, target.construction) == (questions(4)[3][0], {"number": 3, "seed": 3})
    plan = json.loads((work.folder.path / "plan.json").read_text())
    assert plan["set"] == asdict(read_questions(twenty)[1])
    assert plan["model"]["settings"]["dtype"] in ("float32", "bfloat16", "float16")
    # What is done is not done again, and a black image has other answers.
    assert here(work).done == 20
    assert len(rows(work)) == 20
    unseen = EvaluationSettings(max_tokens=6, version=Version.BLACK)
    black = begun(tmp_path / "black", twenty, model, unseen)
    here(black)
    assert [item.words for item in black.answers()] != [item.words for item in values]


def test_images_are_sent_as_the_plan_says(server: ChatServer, twenty: Path, tmp_path: Path) -> None:
    for version in Version:
        settings = EvaluationSettings(max_tokens=6, version=version)
        work = begun(tmp_path / version, twenty, at(server), settings)
        here(work)
        for number, item in enumerate(work.answers()):
            red, green, blue = as_sent(flat(number), version)[0, 0]
            height, width, _ = flat(number).shape
            assert item.words == f"({red}, {green}, {blue}) of {width}x{height}"
    gray = as_sent(flat(3), Version.GRAY)
    assert (gray[..., 0] == np.asarray(Image.fromarray(flat(3)).convert("L"))).all()
    assert (gray[..., 0] == gray[..., 2]).all()


def test_what_has_no_answer_has_its_reason_and_is_asked_again(
    server: ChatServer, twenty: Path, tmp_path: Path
) -> None:
    server.answers = [failure(400, "Too large"), failure(500, "Broke")]
    work = begun(tmp_path / "out", twenty, at(server, at_once=1))
    state = here(work)
    assert (state.status, state.done, state.failed) == ("finished", 20, 2)
    first, second, third, *_ = work.answers()
    assert (first.answered, second.answered, third.answered) == (False, False, True)
    assert first.reason == "The server cannot answer this (400): Too large"
    row = rows(work)[0]
    assert (row["question_id"], row["requests"], row["words"]) == ("q000", 1, None)
    assert row["prompt"]
    assert here(work, retry_failed=True).failed == 0
    assert all(item.answered for item in work.answers())
    assert work.spent().spent_requests == 22
    assert work.spent().spent_tokens == 20 * 35


def test_a_server_that_goes_away_pauses_it_and_what_was_said_stays(
    twenty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.vlm.models.served.FIRST_PAUSE_S", 0.01)
    first = ChatServer()
    with first.running():
        model = at(first, at_once=2)
        first.answers = [failure(401, "Who are you?")]
        work = begun(tmp_path / "out", twenty, model)
        assert "did not accept the key" in here(work).message
    state = here(work)
    assert state.status == "paused"
    assert "cannot be reached" in state.message
    assert state.done < 20
    # It comes back at the same address, with another timeout.
    second = ChatServer(port=int(model.location.rsplit(":")[-1].partition("/")[0]))
    with second.running():
        work = begun(tmp_path / "out", twenty, at(first, timeout_s=7, at_once=5))
        assert here(work).status == "finished"
    assert len(rows(work)) == 20


def test_a_wait_for_a_busy_server_is_said_and_ends_with_a_pause(
    server: ChatServer, twenty: Path, tmp_path: Path
) -> None:
    server.answers = [failure(429, "Slow down", retry_after="3000")]
    work = begun(tmp_path / "out", twenty, at(server, at_once=1))
    said: list[str] = []

    def pause() -> None:
        while not (message := work._folder.wait_message()):
            time.sleep(0.02)
        said.append(message)
        work.folder.set_desired_state("pause")

    threading.Thread(target=pause, daemon=True).start()
    state = here(work)
    assert (state.status, state.done) == ("paused", 0)
    assert "busy (429): asking again in 50 min" in said[0]
    assert work._folder.wait_message() == ""
    assert here(work).status == "finished"


def test_a_budget_counts_what_was_spent_before(
    server: ChatServer, twenty: Path, tmp_path: Path
) -> None:
    model = at(server, at_once=3)
    begun(tmp_path / "out", twenty, model)
    for limit, done, target in (
        (Budget(requests=6), 6, 6),
        (Budget(requests=6), 6, 6),
        # Six answers took 210 tokens; three are under way when the seventh takes it to 245.
        (Budget(tokens=240), 9, 9),
        (Budget(), 20, 20),
    ):
        work = EvaluationWork(tmp_path / "out", model, limit)
        state = here(work)
        assert (state.done, len(server.got)) == (done, target)
        assert state.status == ("finished" if done == 20 else "paused")
        assert done == 20 or "budget is used up" in state.message


def test_a_budget_counts_what_has_no_row(server: ChatServer, twenty: Path, tmp_path: Path) -> None:
    model, index = at(server, at_once=1), tmp_path / "out"
    # A filtered answer was paid for; the question that is refused was sent, and has no row.
    server.answers = [completion(None, "content_filter"), failure(401, "Who are you?")]
    work = begun(index, twenty, model)
    assert here(work).status == "paused"
    (filtered, *_) = rows(work)
    assert (filtered["requests"], filtered["tokens_in"], filtered["tokens_out"]) == (1, 30, 5)
    assert len(rows(work)) == 1
    assert (work.spent().spent_requests, work.spent().spent_tokens) == (len(server.got), 35)
    assert len(server.got) == 2
    # A request that a kill tore off counts as one; what rows say is the least.
    with (index / "spent.jsonl").open("a") as file:
        file.write('{"requests": 1, "tok')
    assert work.spent().spent_requests == 3
    state = here(EvaluationWork(index, model, Budget(requests=6)), retry_failed=True)
    assert (state.status, len(server.got)) == ("paused", 5)
    (index / "spent.jsonl").unlink()
    assert (work.spent().spent_requests, work.spent().spent_tokens) == (4, 4 * 35)
    assert here(EvaluationWork(index, model)).status == "finished"
    assert work.spent().spent_requests == 4 + 17


def test_a_pause_keeps_what_was_said(server: ChatServer, twenty: Path, tmp_path: Path) -> None:
    work = begun(tmp_path / "out", twenty, at(server, at_once=1))

    def pause(state: BatchState) -> None:
        if state.done >= 1:
            work.folder.set_desired_state("pause")

    state = here(work, watch=pause)
    assert state.status in ("paused", "finished")
    assert here(work).status == "finished"
    assert len(rows(work)) == 20


def test_a_changed_image_is_no_answer(server: ChatServer, tmp_path: Path, twenty: Path) -> None:
    question, srgb8 = questions(1)[0]
    path = tmp_path / "image.png"
    path.write_bytes(encode_png(srgb8))
    assert (read_question_image(path, question.image_id, Version.COLORED) == srgb8).all()
    with pytest.raises(ImageError, match="holds other pixels"):
        read_question_image(path, image_id(flat(1)), Version.BLACK)
    target, source = read_questions(twenty)
    index = tmp_path / "out"
    begin(index, [(target[0][0], path), (target[1][0], path)], source, prompt, at(server), SHORT)
    assert here(work := EvaluationWork(index)).failed == 1
    assert [item.answered for item in work.answers()] == [True, False]


@pytest.mark.weights
def test_a_folder_goes_on_with_what_it_was_begun_with(
    server: ChatServer, tiny_vision: Tiny, twenty: Path, tmp_path: Path
) -> None:
    index = tmp_path / "out"
    begun(index, twenty, at(server))
    target, source = read_questions(twenty)
    for change, text in (
        ({"questions": target[1:]}, "another set of questions"),
        ({"prompt_text": lambda question: question.text}, "or another prompt"),
        ({"settings": EvaluationSettings(max_tokens=7)}, "other settings"),
        ({"model": at(server, temperature=False)}, "another model"),
        ({"questions": []}, "holds no questions"),
    ):
        same = {"questions": target, "prompt_text": prompt, "model": at(server), "settings": SHORT}
        with pytest.raises(BadInput, match=text):
            begin(index, source=source, **(same | change))  # type: ignore[arg-type]
    lines = (index / "questions.jsonl").read_text()
    (index / "questions.jsonl").write_text(lines.replace("red", "rot"))
    with pytest.raises(BadInput, match="was changed"):
        EvaluationWork(index).questions()
    local = model_of(str(tiny_vision("janus")), {"dtype": "float32"})
    begun(tmp_path / "local", twenty, local)
    # The machine's own choice is what the plan says; files that changed are another model.
    begun(tmp_path / "local", twenty, model_of(str(tiny_vision("janus"))))
    with pytest.raises(BadInput, match="another model"):
        begun(tmp_path / "local", twenty, model_of(str(tiny_vision("janus")), {"dtype": "float16"}))
    plan = json.loads((tmp_path / "local" / "plan.json").read_text())
    plan["model"]["fingerprint"] = "0"
    (tmp_path / "local" / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(BadInput, match="would be another model's"):
        here(EvaluationWork(tmp_path / "local", local))


@pytest.mark.parametrize("of_before", [False, True])
def test_a_set_that_was_moved_goes_on(
    server: ChatServer, twenty: Path, tmp_path: Path, of_before: bool
) -> None:
    index, moved = tmp_path / "out", tmp_path / "elsewhere" / "set"
    first = copytree(twenty, tmp_path / "set")
    work = begun(index, first, at(server), SHORT)
    if of_before:
        as_before(index)
        work = EvaluationWork(index, at(server))
    assert work.questions()[3].image.is_relative_to(first)
    here(EvaluationWork(index, at(server), Budget(requests=4)))
    moved.parent.mkdir()
    first.rename(moved)
    gone = EvaluationWork(index, at(server), Budget(requests=8))
    assert here(gone).failed == 16, "until it is said where the images are"
    work = begun(index, moved, at(server), SHORT)
    assert work.questions()[3].image.is_relative_to(moved)
    assert (here(work, retry_failed=True).failed, len(server.got)) == (0, 20)
    target, source = read_questions(moved)
    assert read_log(index).source == source
    with pytest.raises(BadInput, match="another set of questions"):
        begin(index, target[1:], source, prompt, at(server), SHORT)


def as_before(index: Path) -> None:
    """Makes of a folder what it was when paths stood among the questions."""
    plan, positions = (
        json.loads((index / f"{name}.json").read_text()) for name in ("plan", "places")
    )
    lines = (index / "questions.jsonl").read_text().splitlines()
    records = [
        {"question": (record := json.loads(line))["question"], "image": image, **record}
        for line, image in zip(lines, positions["images"], strict=True)
    ]
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    (index / "questions.jsonl").write_text(text)
    plan["questions"] = hashlib.sha256(text.encode()).hexdigest()
    (index / "plan.json").write_text(json.dumps(plan))
    (index / "places.json").unlink()


@pytest.mark.parametrize(
    "settings", [{"max_tokens": 0}, {"temperature": -1}, {"seed": -1}, {"version": "sepia"}]
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=" not "):
        EvaluationSettings(**settings)


def test_baselines_are_asked_like_models(tmp_path: Path) -> None:
    generated_settings = GeneratedSettings({"color_extraction": 3, "color_blindness": 2}, seed=4)
    made = write_set(tmp_path / "set", generated(generated_settings), "Drawn", {})
    pixels = begun(tmp_path / "pixels", made.folder, model_of("pixels"))
    state = here(pixels)
    assert (state.status, state.done, state.failed) == ("finished", 5, 2)
    values = {entry.question_id: entry for entry in pixels.answers()}
    for question in made.questions():
        item = values[question.question_id]
        if question.task == "color_extraction":
            assert item.words == question.answer
        else:
            assert item.reason == "The reader of pixels cannot answer this."
    chance = begun(tmp_path / "chance", made.folder, model_of("chance"))
    assert here(chance).failed == 0
    again = begun(tmp_path / "again", made.folder, model_of("chance"))
    here(again)
    assert [entry.words for entry in again.answers()] == [entry.words for entry in chance.answers()]
    with pytest.raises(BadInput, match="another model"):
        begun(tmp_path / "chance", made.folder, model_of("pixels"))
