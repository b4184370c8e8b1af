"""Ask without a browser: sets, askings of the baselines, scores, questions, and who may do what."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image
from safetensors.numpy import save_file

from tests.core.batch.here import team_here
from tests.core.vlm.chat_server import ChatServer, completion
from tests.tabs.drawn import drawn
from tests.tabs.reach import as_demo
from truehue.core.batch import execute as batch
from truehue.core.errors import BadInput, NotAllowed
from truehue.core.generation.registry import RENDERER
from truehue.core.images.load import image_id
from truehue.core.verdict.rules import RULES
from truehue.core.vlm.color_judge.rules import CACHE
from truehue.core.vlm.evaluation.plan import EvaluationSettings
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.scoring import Tally
from truehue.tabs.batches.settings import SettingsFile
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.vlm import service as keepers
from truehue.tabs.vlm.list import ChangeEvaluation, change_evaluation
from truehue.tabs.vlm.messages import facts_json, settings_text
from truehue.tabs.vlm.results import ResultsRequest, results_view, tally_json
from truehue.tabs.vlm.routes import PREFIX, vlm_routes
from truehue.tabs.vlm.service import EvaluationOptions, EvaluationRequest, EvaluationService
from truehue.tabs.vlm.start import StartEvaluation, start_evaluation

pytestmark = pytest.mark.slow

Ask = Callable[..., Any]
COUNTS = {"color_extraction": 3, "color_counting": 2, "color_blindness": 2}
ANN, BEN = Actor("ann", Role.VISITOR), Actor("ben", Role.VISITOR)


@pytest.fixture
def ask(context: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    """What a route answers; POST where there is a body. The work is done in this process."""
    execute = batch.execute

    def here(work: EvaluationWork, crew: Any, **more: Any) -> Any:
        return execute(work, crew, team=team_here(work, 1), **more)

    monkeypatch.setattr(keepers, "execute", here)
    app = FastAPI()
    app.include_router(vlm_routes(context))
    with TestClient(app, headers={"X-TrueHue": "1"}) as client:

        def asked(
            path: str, body: dict[str, Any] | None = None, status: int = 200, **query: Any
        ) -> Any:
            url = f"{PREFIX}{path}"
            answer = client.get(url, params=query) if body is None else client.post(url, json=body)
            assert answer.status_code == status, answer.text
            kind = answer.headers["content-type"]
            return answer.json() if kind.startswith("application/json") else answer

        yield asked


@pytest.fixture
def set_id(context: Context) -> str:
    items = generated(GeneratedSettings(COUNTS, seed=2))
    made = {"seed": 2, "difficulty": "medium"}
    return context.storage.question_sets.add(items, "Seven", made)[0]


def until(true: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def answered(ask: Ask, set_id: str, model: str, **more: Any) -> str:
    """The id of an asking that has come to its end."""
    evaluation = ask("/evaluations", {"set": set_id, "model": model, **more})["id"]
    until(lambda: single_of(ask, evaluation)["status"] == "finished")
    return str(evaluation)


def single_of(ask: Ask, evaluation: str) -> dict[str, Any]:
    rows = ask("/evaluations", hidden=True)["askings"]
    return dict(next(row for row in rows if row["id"] == evaluation))


def test_a_set_is_made_and_listed(ask: Ask, context: Context) -> None:
    made = {"tasks": ["color_extraction", "color_illusion"], "count": 2, "seed": 3}
    job = ask("/sets/make", made)["job"]
    record = context.jobs.wait(job, 300)
    assert record.status == "done", record.problem
    (row,) = ask("/start")["sets"]
    assert row["id"] == record.result["set"]
    assert row["tasks"] == [
        {"id": "color_extraction", "title": "Color Extraction", "count": 2},
        {"id": "color_illusion", "title": "Color Illusion", "count": 2},
    ]
    assert row["facts"].startswith("medium · seed 3 · generators 1 · SHA-256 ")
    # The same again is the same set.
    again = context.jobs.wait(ask("/sets/make", made)["job"], 300)
    assert again.result == {**record.result, "new": False}
    # The pixel reader is asked by itself.
    until(lambda: single_of(ask, record.result["pixels"])["status"] == "finished")
    (pixels,) = ask("/evaluations")["askings"]
    assert (pixels["model"], pixels["done"], pixels["failed"]) == ("pixels", 4, 2)
    ask(f"/sets/{row['id']}/hide", {"hidden": True})
    assert ask("/start")["sets"][0]["hidden"]
    refused = ask("/sets/make", {"tasks": ["color_extraction"], "count": 0}, status=400)
    assert refused["field"] == "count"


def test_scores_stand_beside_chance_and_the_pixel_reader(ask: Ask, set_id: str) -> None:
    empty = ask("/results", set=set_id)
    assert empty["rows"] == []
    assert empty["pixels"] is None
    assert empty["chance"]["tasks"]["color_blindness"] == pytest.approx(25.0)
    pixels, chance = (answered(ask, set_id, model) for model in ("pixels", "chance"))
    row = single_of(ask, pixels)
    assert row["words"] == "7 of 7 questions · 2 without an answer"
    assert not row["may"]["retry"]
    assert (row["name"], row["set_name"], row["settings"]) == ("Pixel reader", "Seven", "in color")
    view = ask("/results", set=set_id, askings=f"{pixels},{chance}")
    first, second = view["rows"]
    assert first["tasks"]["color_extraction"]["right"] == 3
    assert first["tasks"]["color_blindness"]["unanswered"] == 2
    assert first["micro"]["percent"] == pytest.approx(100 * 5 / 7)
    assert first["reasons"] == [{"text": "The reader of pixels cannot answer this.", "count": 2}]
    # The reader's own line is of what it has a way to answer.
    assert set(view["pixels"]["tasks"]) == {"color_extraction", "color_counting"}
    assert view["pixels"]["tasks"]["color_counting"]["percent"] == 100
    (between,) = view["differences"]
    micro = next(item for item in between["rows"] if item["task"] == "micro")
    assert micro["pairs"] == 7
    right = second["micro"]["right"]
    assert micro["points"] == pytest.approx(100 * (right - 5) / 7)
    assert any(row["people"] and row["table"] == "1" for row in view["published"])
    assert "ColorBench's own questions" in view["notes"][0]
    lines = list(csv.DictReader(io.StringIO(ask("/results.csv", set=set_id, askings=pixels).text)))
    assert {"who": "Pixel reader", "task": "micro", "right": "5"}.items() <= next(
        line for line in lines if line["task"] == "micro"
    ).items()
    text = list(csv.DictReader(io.StringIO(ask("/answers.csv", set=set_id, askings=chance).text)))
    assert len(text) == 7
    assert all(line["reading"] in "ABCD" for line in text)


def test_an_old_evaluation_keeps_parser_1_until_it_is_read_again(
    ask: Ask, set_id: str, context: Context
) -> None:
    server = ChatServer()
    server.answers = [completion("A) It is red.") for _ in range(7)]
    with server.running():
        evaluation = answered(ask, set_id, server.base_url, name="gpt-color", at_once=1)
    plan = context.service(EvaluationService).folder(evaluation).path / "plan.json"
    message = json.loads(plan.read_text(encoding="utf-8"))
    assert message.pop("parser") == "2"
    plan.write_text(json.dumps(message), encoding="utf-8")
    item = {"set": set_id, "askings": evaluation}
    (row,) = ask("/results", **item)["rows"]
    assert (row["parser"], row["own_parser"]) == ("1", "1")
    assert row["micro"]["right"] + row["micro"]["wrong"] == 7
    assert row["released"]["reader"] == "the very last letter of the text"
    (again,) = ask("/results", **item, parser="2")["rows"]
    assert (again["parser"], again["own_parser"]) == ("2", "1")
    assert again["micro"] == {**row["micro"], "truncated": 0}
    scores = csv.DictReader(io.StringIO(ask("/results.csv", **item).text))
    (micro,) = (line for line in scores if (line["who"], line["task"]) == (row["name"], "micro"))
    # Its very last letter is the d of "red".
    right = sum(question["answer"] == "D" for question in ask("/questions", **item)["questions"])
    assert float(micro["percent_as_released"]) == pytest.approx(100 * right / 7)
    assert micro["parser"] == "1"
    answers = csv.DictReader(io.StringIO(ask("/answers.csv", **item, parser="2").text))
    assert {line["parser"] for line in answers} == {"2"}
    page = ask("/questions", **item, parser="2", outcome="truncated")
    assert page["total"] == 0
    ask("/results", **item, parser="3", status=400)


def test_questions_one_by_one(ask: Ask, set_id: str, context: Context) -> None:
    pixels, chance = (answered(ask, set_id, model) for model in ("pixels", "chance"))
    both = f"{pixels},{chance}"
    page = ask("/questions", set=set_id, askings=both, count=3)
    assert (page["total"], len(page["questions"])) == (7, 3)
    assert page["counts"] == {"right": 5, "unanswered": 2}
    source = context.storage.question_sets.open(set_id)
    first = page["questions"][0]
    question = next(source.questions())
    assert (first["id"], first["answer"]) == (question.question_id, question.answer)
    assert ["Difficulty", "medium"] in first["facts"]
    assert first["choices"][0]["hex"].startswith("#")
    assert first["answers"][0]["outcome"] == "right"
    assert first["answers"][0]["prompt"].endswith(f"(D) {question.choices[3]}")
    assert first["pixels"]["outcome"] == "right"
    blind = ask("/questions", set=set_id, askings=both, outcome="unanswered")
    assert {entry["task"] for entry in blind["questions"]} == {"color_blindness"}
    assert blind["total"] == 2
    differ = ask("/questions", set=set_id, askings=both, differ=True)
    assert differ["questions"]
    for item in differ["questions"]:
        outcomes = [answer["outcome"] == "right" for answer in item["answers"]]
        assert outcomes[0] != outcomes[1]
    only = ask("/questions", set=set_id, askings=both, differ=True, only="first")
    assert only["total"] == differ["differences"]["first"]
    named = ask("/questions", set=set_id, words="HOW MANY different")
    assert {entry["task"] for entry in named["questions"]} == {"color_counting"}
    opened = ask("/question", set=set_id, id=first["id"], askings=pixels)
    assert (opened["position"], opened["question"]["text"]) == (0, question.text)
    ask("/question", set=set_id, id="nothing", status=404)
    # The very pixels, and what was sent in gray.
    png = ask(f"/images/{set_id}/{first['image']}.png").content
    assert image_id(np.asarray(Image.open(io.BytesIO(png)))) == question.image_id
    sent = ask(f"/images/{set_id}/{first['image']}.png", version="gray").content
    gray = np.asarray(Image.open(io.BytesIO(sent)))
    assert (gray[..., 0] == gray[..., 2]).all()
    assert gray.shape == (first["height"], first["width"], 3)
    ask(f"/images/{set_id}/{'0' * 64}.png", status=404)
    # A file that holds another picture is not shown as the question's.
    path = source.image_path(question)
    other = source.image_path(
        next(entry for entry in source.questions() if entry.task == "color_blindness")
    )
    path.write_bytes(other.read_bytes())
    refused = ask(f"/images/{set_id}/{question.image_id}.png", status=400)
    assert "holds other pixels" in refused["error"]


def test_models_are_compared_within_one_protocol(ask: Ask, set_id: str) -> None:
    assert ask("/models", set=set_id)["models"] == []
    server = ChatServer()
    with server.running():
        for name in ("qwen2.5-vl-3b", "qwen2.5-vl-7b"):
            server.answers = [completion("(A)") for _ in range(COUNTS["color_counting"])]
            more = {"name": name, "tasks": ["color_counting"], "at_once": 1}
            answered(ask, set_id, server.base_url, **more)
        server.answers = [completion("A")] * COUNTS["color_counting"]
        answered(ask, set_id, server.base_url, **more, protocol="colorbench-released")
    answered(ask, set_id, "chance")
    view = ask("/models", set=set_id)
    assert [(m["model"], m["language_b"]) for m in view["models"]] == [
        ("qwen2.5-vl-3b", 3.09),
        ("qwen2.5-vl-7b", 7.6),
    ]
    assert (view["protocol"], set(view["protocols"])) == (
        "truehue",
        {"truehue", "colorbench-released"},
    )
    assert view["columns"] == ["color_counting", "Reasoning", "micro"]
    assert view["titles"]["micro"] == "Overall"
    assert view["questions"] == COUNTS["color_counting"]
    assert "colorbench-released, and is left out" in view["left_out"][0]
    released = ask("/models", set=set_id, protocol="colorbench-released")
    assert [m["model"] for m in released["models"]] == ["qwen2.5-vl-7b"]
    lines = ask("/models.csv", set=set_id).text.splitlines()
    assert lines[0].startswith("protocol,model,family,language_b,vision_b,task,right,asked")
    assert len(lines) == 1 + 2 * 3


def test_a_part_is_asked_and_the_same_again_goes_on(ask: Ask, set_id: str) -> None:
    part = {"tasks": ["color_extraction", "color_blindness"], "limit": 1, "image": "gray"}
    evaluation = answered(ask, set_id, "chance", **part)
    row = single_of(ask, evaluation)
    assert row["settings"] == "grayscale · seed 0 · 2 of 7 questions"
    assert ask("/evaluations", {"set": set_id, "model": "chance", **part})["id"] == evaluation
    view = ask("/results", set=set_id, askings=evaluation)
    assert view["rows"][0]["micro"]["asked"] == 2
    ask(f"/evaluations/{evaluation}/hide", {})
    listed = ask("/evaluations", set=set_id)
    assert (listed["askings"], listed["hidden"]) == ([], 1)
    ask(f"/evaluations/{evaluation}/show", {})
    assert ask("/evaluations")["hidden"] == 0
    refused = ask("/evaluations", {"set": set_id, "model": "chance", "tasks": ["x"]}, status=400)
    assert refused["field"] == "tasks"


def test_a_model_as_judge_stands_beside_the_rules(
    ask: Ask, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = ask("/sets/judge", {"system": "l2", "renders": 2, "seed": 1})["job"]
    ended = context.jobs.wait(job, 600)
    assert ended.status == "done", ended.problem
    set_id = ended.result["set"]
    (row,) = ask("/start")["sets"]
    assert (row["appendix_e"], row["questions"]) == (True, 12)
    assert row["facts"].startswith("GenColorBench, Appendix E, on diagnostic renders")
    assert ask("/results", set=set_id)["judge"] == {"ready": True, "reports": []}
    chance = answered(ask, set_id, "chance")
    (report,) = ask("/results", set=set_id, askings=chance)["judge"]["reports"]
    assert report["title"] == "Chance: color naming"
    tables = {table["id"]: table for table in report["tables"]}
    rules = tables["accuracy"]["columns"][-len(RULES) :]
    assert rules == [entry.id for entry in RULES]
    assert "95% interval" in tables["accuracy"]["columns"]
    assert tables["gencolorbench-table2"]["published"]
    # Beside a printed row stands why ours is not it; here, what makes one of that model.
    row = {"set": set_id, "table": "gencolorbench-table2", "asking": chance}
    (gap,) = ask("/judge-gap", **row, row="Janus-Pro 7B")["gaps"]
    assert gap["command"] == "truehue reproduce gencolorbench --table 2 --models janus-pro-7b"
    # Without what the rules have answered, they are asked to.
    (context.storage.question_sets.root / set_id / CACHE).unlink()
    assert ask("/results", set=set_id, askings=chance)["judge"]["ready"] is False
    monkeypatch.setattr(
        "truehue.tabs.vlm.judge.rule_answers", lambda *_: pytest.fail("asked at once")
    )
    again = context.jobs.wait(ask(f"/sets/{set_id}/rules", {})["job"], 300)
    assert again.status == "failed"


def test_what_cannot_be_asked_says_why(ask: Ask, set_id: str, tmp_path: Path) -> None:
    def refused(model: str, **more: Any) -> dict[str, Any]:
        return dict(ask("/evaluations", {"set": set_id, "model": model, **more}, status=400))

    missing = refused("qwen2.5-vl-3b")
    assert missing["field"] == "model"
    assert "hf download Qwen/Qwen2.5-VL-3B-Instruct" in missing["error"]
    assert "There is no folder" in refused(f"folder:{tmp_path / 'none'}")["error"]
    assert "Name the model" in refused("http://127.0.0.1:9/v1")["error"]
    assert "error" in refused("http://[x", name="m")
    assert "is no model" in refused("nothing")["error"]
    for name in ("x" * 300, "~nouser/x", f"folder:{'x' * 300}", f"folder:{'/x' * 400}", "a\0b"):
        answer = refused(name)
        assert answer["field"] == "model"
        assert "unexpected error" not in answer["error"]
        assert "/x" * 101 not in answer["error"]
    ask("/evaluations", {"set": "0" * 32, "model": "chance"}, status=404)
    assert ask("/evaluations")["askings"] == []


def test_a_folder_is_asked_as_it_was_typed(
    ask: Ask, set_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_requests: list[tuple[EvaluationRequest, EvaluationOptions]] = []

    def start(
        _: EvaluationService, order: EvaluationRequest, note: EvaluationOptions, actor: Actor
    ) -> str:
        evaluation_requests.append((order, note))
        return "asking"

    monkeypatch.setattr(EvaluationService, "start", start)
    monkeypatch.setattr("truehue.tabs.vlm.start.describe_missing", lambda *_: "")
    typed = {"set": set_id, "model": f"folder:{tmp_path}", "max_tokens": "4", "batch": "2"}
    assert ask("/evaluations", typed)["id"] == "asking"
    ((order, note),) = evaluation_requests
    assert (order.model.kind, order.model.location) == ("local", str(tmp_path))
    assert (order.settings.max_tokens, note.model_settings["batch"]) == (4, 2)
    assert len(order.questions) == 7


def test_the_apps_models_give_their_memory_back_to_a_local_one_alone(
    ask: Ask, context: Context, set_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[tuple[str, list[str]]] = []

    def execute(work: EvaluationWork, *_: Any, **__: Any) -> None:
        """No weights answer here: what is loaded when they would be is looked at."""
        loaded.append((work.model.kind, [item for item, _ in context.engine.loaded()]))

    monkeypatch.setattr(keepers, "execute", execute)
    (tmp_path / "config.json").write_text('{"model_type": "qwen2_5_vl"}')
    save_file({"w": np.zeros(1, np.float32)}, tmp_path / "model.safetensors")
    drawn(context, "mug", "css:red", size_px=64)
    for number, model in enumerate(("chance", f"folder:{tmp_path}")):
        ask("/evaluations", {"set": set_id, "model": model})
        until(lambda wanted=number + 1: len(loaded) == wanted)
    assert loaded == [("baseline", [RENDERER]), ("local", [])]


@pytest.mark.parametrize(
    "model", ["/etc", "folder:/etc", "~", "./tabs", "tabs", "nothing", "core/../../../../etc"]
)
def test_visitors_name_no_folder_and_no_server(context: Context, set_id: str, model: str) -> None:
    as_demo(context)
    with pytest.raises(NotAllowed, match="Paths of folders work only"):
        start_evaluation(context, ANN, StartEvaluation(set=set_id, model=model))
    server = StartEvaluation(
        set=set_id, model="http://169.254.169.254/v1", name="x", key_env="PATH"
    )
    with pytest.raises(NotAllowed, match="Servers can be chosen only"):
        start_evaluation(context, ANN, server)


def test_an_answer_does_not_tell_visitors_which_folders_there_are(
    context: Context, set_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_demo(context)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here" / "model").mkdir(parents=True)

    def answer(model: str) -> tuple[type[Exception], str]:
        with pytest.raises((BadInput, NotAllowed)) as caught:
            start_evaluation(context, ANN, StartEvaluation(set=set_id, model=model))
        return caught.type, str(caught.value)

    for there, gone in (
        ("here/../here", "gone/../gone"),
        ("here", "gone"),
        ("here/model", "gone/model"),
        (f"{tmp_path}/here", f"{tmp_path}/gone"),
    ):
        kind, message = answer(there)
        assert (kind, message.replace("here/model", "gone/model")) == answer(gone)


def test_an_asking_is_changed_by_who_began_it(
    ask: Ask, context: Context, set_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "truehue.tabs.batches.queue.BatchQueue._begin", lambda *_: None
    )  # nothing is asked
    service = context.service(EvaluationService)
    evaluation = start_evaluation(context, ANN, StartEvaluation(set=set_id, model="chance"))["id"]
    assert service.owner(evaluation) == "ann"
    assert service.queue.position(evaluation) == 1
    with pytest.raises(NotAllowed, match="The same evaluation is already running"):
        start_evaluation(context, BEN, StartEvaluation(set=set_id, model="chance"))
    with pytest.raises(NotAllowed):
        change_evaluation(context, BEN, ChangeEvaluation(id=evaluation, what="cancel"))
    with pytest.raises(BadInput, match="is already running or waiting"):
        change_evaluation(context, ANN, ChangeEvaluation(id=evaluation, what="resume"))
    change_evaluation(context, ANN, ChangeEvaluation(id=evaluation, what="pause"))
    assert service.queue.position(evaluation) is None
    change_evaluation(context, OWNER, ChangeEvaluation(id=evaluation, what="resume"))
    change_evaluation(context, OWNER, ChangeEvaluation(id=evaluation, what="cancel"))
    assert single_of(ask, evaluation)["status"] == "cancelled"
    assert service.owner(evaluation) == "ann"


def test_budgets_and_notes_outlast_refusals_and_torn_files(
    context: Context, set_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "truehue.tabs.batches.queue.BatchQueue._begin", lambda *_: None
    )  # nothing is asked
    service = context.service(EvaluationService)
    url = "http://127.0.0.1:9/v1"
    order = StartEvaluation(set=set_id, model=url, name="m", most_requests=100, most_tokens=1000)
    evaluation = start_evaluation(context, OWNER, order)["id"]
    assert (
        start_evaluation(context, OWNER, StartEvaluation(set=set_id, model=url, name="m"))["id"]
        == evaluation
    )
    with pytest.raises(BadInput, match="is already running or waiting"):
        start_evaluation(context, OWNER, order.model_copy(update={"most_requests": 5}))
    assert (
        service.settings(evaluation).most_requests,
        service.settings(evaluation).most_tokens,
    ) == (
        100,
        1000,
    )
    change_evaluation(context, OWNER, ChangeEvaluation(id=evaluation, what="pause"))
    change_evaluation(
        context, OWNER, ChangeEvaluation(id=evaluation, what="resume", most_requests=200)
    )
    assert (
        service.settings(evaluation).most_requests,
        service.settings(evaluation).most_tokens,
    ) == (
        200,
        1000,
    )
    # Without a temperature it is another model to ask.
    other = StartEvaluation(set=set_id, model=url, name="m", sends_temperature=False)
    assert start_evaluation(context, OWNER, other)["id"] != evaluation
    # Of a file that another version wrote, what cannot be read is one record, not all.
    path = service.root / "keeper.json"
    rows = json.loads(path.read_bytes())
    rows["f" * 32] = {"of": "another version"}
    path.write_text(json.dumps(rows))
    fresh = SettingsFile(path, EvaluationOptions)
    assert fresh.of(evaluation).most_requests == 200
    path.write_text("{torn")
    assert SettingsFile(path, EvaluationOptions).of(evaluation) == EvaluationOptions()
    assert path.with_suffix(".damaged.json").read_text() == "{torn"


def test_evaluations_of_before_are_ingested_when_the_app_starts(
    ask: Ask, context: Context, set_id: str
) -> None:
    ids = [answered(ask, set_id, model) for model in ("chance", "pixels")]
    shown = ask("/results", set=set_id, askings=ids)["rows"]
    for table in ("evaluations", "evaluation_answers", "evaluation_readings"):
        context.storage._database.insert(f"DELETE FROM {table}", [])
    service = EvaluationService(context.storage, context.engine, context.sources)
    context.services[EvaluationService] = service
    assert service.ingest() == 2 * sum(COUNTS.values())
    assert service.ingest() == 0
    assert ask("/results", set=set_id, askings=ids)["rows"] == shown


def test_a_data_folder_that_moved_is_asked_where_it_lies(
    ask: Ask, context: Context, set_id: str
) -> None:
    service, sets = context.service(EvaluationService), context.storage.question_sets
    evaluation = answered(ask, set_id, "pixels")
    positions = service.root / evaluation / "places.json"
    elsewhere = positions.read_text().replace(str(sets.root), "/elsewhere")
    assert elsewhere != positions.read_text()
    positions.write_text(elsewhere)
    change_evaluation(context, OWNER, ChangeEvaluation(id=evaluation, what="retry"))
    until(lambda: single_of(ask, evaluation)["status"] == "finished")
    assert str(sets.root) in positions.read_text()


def test_who_may_not_see_studies_sees_none_of_their_results(
    context: Context, set_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "truehue.tabs.vlm.people.human_answers", lambda *_: pytest.fail("looked at")
    )
    visitor = Actor("eve", Role.VISITOR)
    assert results_view(context, visitor, ResultsRequest(set=set_id))["people"] == []


def test_a_folder_that_cannot_be_read_is_shown_with_its_reason(
    ask: Ask, context: Context, set_id: str
) -> None:
    evaluation = answered(ask, set_id, "chance")
    (context.service(EvaluationService).root / evaluation / "plan.json").write_text("{}")
    row = single_of(ask, evaluation)
    assert row["status"] == "broken"
    assert "has the format None" in row["message"]
    assert ask("/results", set=set_id)["rows"] == []


def test_facts_say_differences_of_color_with_one_decimal() -> None:
    construction = {"choices_delta_e00": [14.079, 0.0], "srgb8": [147, 142, 147], "seed": 7}
    assert facts_json(construction) == [
        ["Distance of choices from the correct one, ΔE00", "14.1, 0.0"],
        ["Color code", "#938E93"],
        ["Seed", "7"],
    ]


def test_settings_name_the_dtype_of_a_model_that_is_local() -> None:
    settings = EvaluationSettings(temperature=0.5, seed=3)
    message = "plain · in color · max. 512 tokens · temperature 0.5, seed 3"
    local = VisionModel("mine", "local", "/models/mine", {"dtype": "bfloat16"})
    assert settings_text(settings, local) == f"{message} · bfloat16"
    served = VisionModel("theirs", "served", "http://127.0.0.1:9/v1", {"model": "m"})
    assert settings_text(settings, served) == message


@pytest.mark.parametrize(
    ("right", "target", "chance", "mark"),
    [
        # 40.0 (22 to 61) at chance 25 is not below chance, and neither is one of one right.
        (8, 20, 0.25, "n.s. vs chance"),
        (1, 1, 0.25, "n.s. vs chance"),
        (0, 12, 0.25, "below chance"),
        (20, 40, 0.25, ""),
        (40, 40, 0.25, "at the ceiling"),
    ],
)
def test_what_a_share_says_against_chance(
    right: int, target: int, chance: float, mark: str
) -> None:
    tally = Tally(right, target - right, chance_sum=chance * target)
    assert tally_json(tally)["mark"] == mark
