"""Runs in the app: what the form asks for, the keeper that executes them, and their list."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.core.engine.models import FlatModel
from tests.run_prompts import prompt_file, prompts
from tests.shards import read_shard
from tests.storage.run_samples import sample_plan, sample_run
from tests.tabs.drawn import drawn
from truehue.core.batch.folder import LOCK, PLAN
from truehue.core.batch.health import state_of
from truehue.core.batch.locks import hold_lock
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput, DataFolderError, NotAllowed
from truehue.core.prompts.sets import prompt_set
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.plan import plan_json
from truehue.core.runs.protocols import protocol, protocol_text
from truehue.core.runs.records import DRAWN
from truehue.tabs.batches.messages import bytes_text, rate_text, time_text
from truehue.tabs.batches.queue import BatchQueue
from truehue.tabs.batches.service import release
from truehue.tabs.batches.supervisor import RunSupervisor, folders_of_runs
from truehue.tabs.command.runs import main as command
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.runs.form import estimate_view, form_view, plan_runs, start_runs
from truehue.tabs.runs.list import ChangeRun, change_run, runs_view
from truehue.tabs.runs.messages import (
    money_text,
    plan_remarks,
    progress_text,
)
from truehue.tabs.runs.plan import chosen, default_workers, plans, sharing_text
from truehue.tabs.runs.request import CFR_MAPS, RunRequest, price_of
from truehue.tabs.runs.stored import OF_RUN

pytestmark = pytest.mark.slow

RENDERER = "reference-renderer"
WAIT_S = 300


@pytest.fixture
def few(context: Context, tmp_path: Path) -> dict[str, Any]:
    """What the page sends for a small run."""
    set_id = context.service(Library).take_file(prompt_file(tmp_path), "few.jsonl")["set_id"]
    return {
        "set": set_id,
        "models": [RENDERER],
        "images": "2",
        "seed": "0",
        "size": "64",
        "workers": "1",
        "rules": ["paper", "truehue"],
    }


ANN, BEN, NOBODY = (Actor(name, Role.VISITOR) for name in ("ann", "ben", ""))


def asked_of(values: dict[str, Any]) -> RunRequest:
    return read_as(RunRequest, values)


def wish_of(values: dict[str, Any]) -> RunRequest:
    return asked_of(values).checked()


def act(
    context: Context, run_id: str, label: str, actor: Actor = OWNER, retry: bool = False
) -> None:
    values = {"run_id": run_id, "what": label, "retry": retry}
    change_run(context, actor, read_as(ChangeRun, values))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


def one(context: Context, actor: Actor = OWNER) -> dict[str, Any]:
    """The only run, as the page shows it."""
    (result,) = runs_view(context, actor)["runs"]
    return dict(result)


# ── what is asked ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"set": ""}, "set", "Choose a prompt set"),
        ({"set": "mini", "models": []}, "models", "at least one model"),
        ({"set": "mini", "models": ["sdxl"]}, "models", "no generator 'sdxl'"),
        ({"set": "mini", "images": "four"}, "images", "whole number"),
        ({"set": "mini", "images": 0}, "images", "not 0"),
        ({"set": "mini", "seed": 2**31 - 1, "images": 2}, "seed", "start lower"),
        ({"set": "mini", "size": "12"}, "size", "64 to 4,096, not 12"),
        ({"set": "mini", "guidance": "warm"}, "guidance", "0 to 100"),
        ({"set": "mini", "task": "xyz"}, "task", "cna"),
        ({"set": "mini", "rules": []}, "rules", "at least one rule"),
        ({"set": "mini", "k": "21"}, "k", "0 to 20"),
        ({"set": "mini", "models": ["sdxl-base-1.0"], "masker": "exact"}, "masker", "renderer"),
        ({"set": "mini", "masker": "grounded", "detector": "x"}, "detector", "no detector"),
        (
            {"set": "mini", "kind": "stored", "models": []},
            "models",
            "source of the images to score",
        ),
    ],
)
def test_what_is_wrong_names_its_field(changes: dict[str, Any], field: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as caught:
        wish_of({"models": [RENDERER], **changes})
    assert caught.value.field == field


def test_a_limit_keeps_every_task_and_system() -> None:
    every = prompt_set("mini").prompts()
    wish = wish_of({"set": "mini", "models": [RENDERER], "limit": "200"})
    some = chosen(every, wish)
    assert len(some) == 200
    assert {prompt.task for prompt in some} == {prompt.task for prompt in every}
    assert {prompt.system for prompt in some} == {prompt.system for prompt in every}
    assert chosen(every, wish.model_copy(update={"limit": None})) == every
    moc = chosen(every, wish.model_copy(update={"task": "moc", "system": "l2", "limit": None}))
    assert {(prompt.task, prompt.system) for prompt in moc} == {("moc", "l2")}
    with pytest.raises(BadInput, match="no prompt of the task CONCEPT"):
        chosen(every, wish.model_copy(update={"task": "concept"}))


def test_several_models_are_a_run_each_and_masks_follow_the_model() -> None:
    wish = wish_of({"set": "few", "models": [RENDERER, "sdxl-base-1.0"], "steps": "20"})
    assert wish.masker_spec.kind == "grounded"
    first, second = plans(wish, prompts(4), "Few", "few")
    assert (first.model, first.steps, first.options["light"]) == (RENDERER, None, "studio")
    assert (second.model, second.steps, second.options) == ("sdxl-base-1.0", 20, {})
    assert second.name == "Stable Diffusion XL base 1.0, seed 0 · Few"
    alone = wish_of({"set": "few", "models": [RENDERER], "name": "  mine "})
    assert (alone.masker_spec.kind, plans(alone, prompts(2), "Few")[0].name) == ("exact", "mine")


def test_words() -> None:
    assert [time_text(item) for item in (None, 0.2, 75, 600, 5400, 7199, 200_000)] == [
        "unknown",
        "1 s",
        "75 s",
        "10 min",
        "1 h 30 min",
        "2 h",
        "2 days 8 h",
    ]
    assert [bytes_text(item) for item in (10, 1.44e6, 6.9e8, 6.8e10)] == [
        "1 kB",
        "1.4 MB",
        "690 MB",
        "68 GB",
    ]
    assert [rate_text(item) for item in (14.23, 0.5, 0.001)] == [
        "14.2 per second",
        "30.0 per minute",
        "3.6 per hour",
    ]
    assert (money_text(7200, 2.5), money_text(1, 2.5)) == ("5.00", "less than 0.01")
    assert (price_of(" $2.50 "), price_of("")) == (2.5, None)
    with pytest.raises(BadInput, match="such as 2"):
        price_of("cheap")
    state = BatchState("r", "running", 2000, 812, 3, 14.2, 84.0, 2)
    assert progress_text(state) == (
        "812 of 2,000 images · 14.2 per second · about 84 s left · 2 workers · 3 failed"
    )


# ── the form ─────────────────────────────────────────────────────────────────────────────────


def test_the_form_says_what_is_here(context: Context, few: dict[str, Any]) -> None:
    form = form_view(context, OWNER)
    assert {"mini", few["set"]} <= {row["id"] for row in form["sets"]}
    lacking = {row["id"]: row["lacking"] for row in form["models"]}
    assert lacking[RENDERER] == ""
    assert "python -m truehue models download" in lacking["sdxl-base-1.0"]
    assert [row["id"] for row in form["cfr_variants"] if row["map"]] == ["full", "spatial"]
    assert [row["id"] for row in form["cfr_variants"] if not row["strength"]] == ["none"]
    maps = {row["id"]: row["name"] for row in form["cfr_maps"]}
    assert tuple(maps) == CFR_MAPS
    assert maps["cfm"] == "CFM (no CFM registered)"
    assert form["stored"] == []
    drawn(context, "mug", "css:gold")
    assert [row["id"] for row in form_view(context, OWNER)["stored"]] == [RENDERER]


def test_an_estimate_follows_the_filters(context: Context, few: dict[str, Any]) -> None:
    result = estimate_view(context, OWNER, asked_of({**few, "limit": "5", "price": "2"}))
    assert (result["prompts"], result["of"], result["pictures"]) == (5, 12, 10)
    assert result["sentence"] == "5 prompts × 2 = 10 images"
    assert (result["seconds"], result["cost"]) == (None, "unknown")
    with pytest.raises(BadInput) as caught:
        estimate_view(context, OWNER, asked_of({**few, "set": "none"}))
    assert caught.value.field == "set"


def test_a_model_that_is_not_here_is_said_before_the_start(
    context: Context, few: dict[str, Any]
) -> None:
    with pytest.raises(BadInput, match="cannot generate images yet") as caught:
        start_runs(context, OWNER, asked_of({**few, "models": ["sdxl-base-1.0"]}))
    assert caught.value.field == "models"
    with pytest.raises(BadInput) as caught:
        start_runs(context, OWNER, asked_of({**few, "masker": "grounded"}))
    assert caught.value.field == "detector"
    assert context.service(RunSupervisor).folders() == []


def test_where_others_reach_the_app_folders_and_clusters_are_not_named(
    context: Context, few: dict[str, Any]
) -> None:
    object.__setattr__(context, "local", False)
    for changes, field in (
        ({"models": ["folder:/etc"]}, "models"),
        ({"ray": "10.0.0.1:6379"}, "ray"),
        ({"masker": "grounded", "segmenter": "folder:/etc"}, "segmenter"),
    ):
        with pytest.raises(BadInput, match="on the machine where TrueHue runs") as caught:
            plan_runs(context, ANN, asked_of({**few, **changes}))
        assert caught.value.field == field


# ── the keeper ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.process
def test_a_run_is_executed_and_taken_in(context: Context, few: dict[str, Any]) -> None:
    (run_id,) = start_runs(context, OWNER, asked_of(few))["runs"]
    until(lambda: one(context)["status"] == "finished")
    assert context.service(RunSupervisor).ingest() in (0, 24)
    shown = one(context)
    assert (shown["id"], shown["done"], shown["stored"]) == (run_id, 24, 24)
    assert shown["may"]["open"]
    assert not shown["may"]["resume"]
    assert context.service(RunSupervisor).ingest() == 0
    # The same wish again is the same run.
    assert start_runs(context, OWNER, asked_of(few))["runs"] == [run_id]
    assert one(context)["status"] == "finished"
    assert estimate_view(context, OWNER, asked_of(few))["seconds"] > 0
    act(context, run_id, "hide")
    assert runs_view(context, OWNER) == {"runs": [], "hidden": 1}
    assert runs_view(context, OWNER, hidden=True)["runs"][0]["hidden"]
    act(context, run_id, "show")
    assert one(context)["hidden"] is False


@pytest.mark.usefixtures("workers_here")
def test_a_second_run_waits_and_a_closing_app_pauses_the_first(
    context: Context, few: dict[str, Any]
) -> None:
    long = {**few, "images": "200"}
    (first,) = start_runs(context, OWNER, asked_of({**long, "name": "first"}))["runs"]
    (second,) = start_runs(context, OWNER, asked_of({**long, "name": "second"}))["runs"]
    until(lambda: state_of(context.service(RunSupervisor).folder(first)).status == "running")
    shown = {row["id"]: row for row in runs_view(context, OWNER)["runs"]}
    assert (shown[first]["status"], shown[second]["status"]) == ("running", "waiting")
    assert shown[second]["place"] == 1
    with pytest.raises(BadInput, match="is already running or waiting"):
        start_runs(context, OWNER, asked_of({**long, "name": "first"}))
    act(context, second, "cancel")
    assert state_of(context.service(RunSupervisor).folder(second)).status == "cancelled"
    context.service(RunSupervisor).close()
    assert state_of(context.service(RunSupervisor).folder(first)).status == "paused"
    with pytest.raises(BadInput, match="shutting down"):
        context.service(RunSupervisor).resume(first)
    # The app is started again: who began the run, and with how many workers, is still known.
    other = RunSupervisor(context.storage, context.engine, context.sources, context.endpoints)
    context.services[RunSupervisor] = other
    assert other.owner(first) == "owner"
    assert {row["status"] for row in runs_view(context, OWNER)["runs"]} == {"paused", "cancelled"}
    done = state_of(other.folder(first)).done
    act(context, first, "resume")
    until(lambda: state_of(other.folder(first)).done > done)
    act(context, first, "pause")
    until(lambda: single_of(context, first)["status"] == "paused")


def test_an_equal_run_of_somebody_else_is_not_taken_over(
    context: Context, few: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BatchQueue, "_begin", lambda *_: None)  # nothing is drawn
    supervisor = context.service(RunSupervisor)
    equal = asked_of(few)
    (run_id,) = start_runs(context, ANN, equal)["runs"]
    for label in ("pause", "cancel"):
        act(context, run_id, label, ANN)
        for actor in (BEN, NOBODY):
            with pytest.raises(
                NotAllowed, match=r"already exists\. Only the person who started this"
            ):
                start_runs(context, actor, equal)
        assert supervisor.owner(run_id) == "ann"
        assert supervisor.queue.position(run_id) is None
        # Who began it and the owner may; whose it is stays.
        for actor in (ANN, OWNER):
            assert start_runs(context, actor, equal)["runs"] == [run_id]
            assert supervisor.owner(run_id) == "ann"
            act(context, run_id, "pause", actor)
    # One of the command line is nobody's, and so the owner's.
    plan = plan_runs(context, OWNER, asked_of({**few, "seed": "5"}))[0][0]
    folder = RunFolder.create(supervisor.root, plan)
    with pytest.raises(NotAllowed):
        start_runs(context, ANN, asked_of({**few, "seed": "5"}))
    assert supervisor.owner(folder.run_id) == ""


def single_of(context: Context, run_id: str) -> dict[str, Any]:
    return next(row for row in runs_view(context, OWNER)["runs"] if row["id"] == run_id)


def test_a_run_in_another_folder_is_taken_in_and_stopped_there(
    context: Context, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    folder = sample_run(shared, sample_plan(prompts=4, images=1))
    with pytest.raises(DataFolderError, match="is one run"):
        folders_of_runs([str(folder.path)])
    with pytest.raises(DataFolderError, match="no folder"):
        folders_of_runs([str(tmp_path / "nowhere")])
    others = folders_of_runs([str(shared), str(shared / "..") + "/shared"])
    assert others == (shared.resolve(),)
    assert context.service(RunSupervisor).folders() == []
    run_supervisor = RunSupervisor(
        context.storage, context.engine, context.sources, context.endpoints, others
    )
    context.services[RunSupervisor] = run_supervisor
    assert run_supervisor.ingest() == 4
    folder.save_state(BatchState(folder.run_id, "paused", 4, 2))
    shown = one(context)
    assert (shown["id"], shown["stored"]) == (folder.run_id, 4)
    assert f" · in {shared} · " in shown["facts"]
    progress = leaderboard_view(context, {})["groups"][0]["rows"][0]["progress"]
    assert progress is None
    act(context, folder.run_id, "cancel")
    assert (folder.desired_state(), state_of(folder).status) == ("cancel", "cancelled")
    object.__setattr__(context, "local", False)
    assert str(shared) not in one(context)["facts"]
    # The same run in the data folder too is one run, and that one.
    copied = sample_run(run_supervisor.root, sample_plan(prompts=4, images=1))
    assert [result.path for result in run_supervisor.folders()] == [copied.path]


def test_where_a_run_elsewhere_is_at_work_the_leaderboard_says_so(
    context: Context, tmp_path: Path
) -> None:
    folder = sample_run(tmp_path / "shared", sample_plan(prompts=4, images=1))
    folder.shards()[1].unlink()
    others = (tmp_path / "shared",)
    run_supervisor = RunSupervisor(
        context.storage, context.engine, context.sources, context.endpoints, others
    )
    context.services[RunSupervisor] = run_supervisor
    assert run_supervisor.ingest() == 2
    with hold_lock(folder.path / LOCK, "in use"):
        folder.save_state(BatchState(folder.run_id, "running", 4, 2, workers=1))
        view = leaderboard_view(context, {})
    (row,) = view["groups"][0]["rows"]
    assert (row["progress"]["words"], view["busy"]) == ("50% generated · running", True)


def test_an_imported_run_is_shown_and_not_gone_on_with(context: Context) -> None:
    folder = sample_run(context.service(RunSupervisor).root, sample_plan(prompts=4, images=1))
    folder.shards()[1].unlink()
    plan = json.loads((folder.path / PLAN).read_text())
    about = {"name": "theirs.truehue.zip", "at": "2026-11-20T10:00:00", "images": False}
    (folder.path / PLAN).write_text(json.dumps(plan | {"imported": about}))
    folder.save_state(BatchState(folder.run_id, "paused", 4, 2, 1))
    context.service(RunSupervisor).ingest()
    shown = one(context)
    assert (shown["status"], shown["words"][:17]) == ("imported", "2 of 4 images · 1")
    assert not any(shown["may"][name] for name in ("resume", "retry", "pause", "cancel"))
    assert shown["may"]["export"]
    (row,) = leaderboard_view(context, {})["groups"][0]["rows"]
    assert row["progress"]["words"] == "50% generated · imported"
    text = context.data_text()
    assert f"{context.storage.runs.verdicts()} verdicts" in text
    assert context.storage.runs.verdicts() > 2


@pytest.mark.usefixtures("workers_here")
def test_only_who_started_a_run_may_change_it_where_others_reach_the_app(
    context: Context, few: dict[str, Any]
) -> None:
    (run_id,) = start_runs(context, ANN, asked_of(few))["runs"]
    until(lambda: one(context)["status"] == "finished")
    assert one(context, ANN)["may"]["hide"]
    assert one(context, OWNER)["may"]["hide"]
    for other in (BEN, NOBODY):
        assert not any(one(context, other)["may"][name] for name in ("hide", "retry", "resume"))
        for label in ("hide", "cancel"):
            with pytest.raises(NotAllowed, match="Only the person who started"):
                act(context, run_id, label, other)


def test_a_folder_that_cannot_be_read_is_shown_with_the_reason(
    context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = context.service(RunSupervisor).root / "broken"
    folder.mkdir(parents=True)
    (folder / "plan.json").write_text('{"format": 99}')
    assert context.service(RunSupervisor).ingest() == 0
    shown = one(context)
    assert (shown["status"], shown["trouble"]) == ("broken", True)
    assert "this TrueHue reads" in shown["message"]
    # The others can be worked with all the same.
    assert form_view(context, OWNER)["stored"] == []
    sample_run(context.service(RunSupervisor).root, sample_plan(prompts=2, images=1))
    for more in ([], ["--json"]):
        assert command(["status", "--data", str(context.storage.data_dir), *more]) == 0
        said = capsys.readouterr().out
        assert "unreadable" in said
        assert "model-a on a sample" in said
    assert [name for name, may in shown["may"].items() if may] == ["hide"]
    # Storage cannot take it in; it can be taken out of the list all the same.
    act(context, "broken", "hide")
    view = runs_view(context, OWNER)
    assert (len(view["runs"]), view["hidden"]) == (1, 1)
    assert RunSupervisor(context.storage, context.engine, context.sources, {}).is_hidden("broken")
    act(context, "broken", "show")
    assert "broken" in [run["id"] for run in runs_view(context, OWNER)["runs"]]


@pytest.mark.usefixtures("workers_here")
def test_what_a_model_drew_here_is_scored_with_its_masks(context: Context) -> None:
    set_id = context.service(Library).take_file(_as_file(context), "few.jsonl")["set_id"]
    image = drawn(context, "mug", "l2:Red")
    row = context.storage.drawings.for_image(image.image_id)[0]
    prompt = context.service(Library).index(set_id).prompts[0]
    linked = replace(row, drawing_id="", prompt_source=set_id, prompt_id=prompt.id)
    context.storage.drawings.add(linked)
    target = {
        "kind": "stored",
        "set": set_id,
        "models": [RENDERER],
        "rules": ["paper"],
        "workers": "1",
    }
    (plan,), _, source = plan_runs(context, OWNER, asked_of(target))
    assert (plan.total, source) == (1, 12)
    assert plan.name.startswith("images of Reference renderer (no weights) · few")
    assert (plan.items[0].image_id, list(plan.items[0].masks)) == (image.image_id, [0])
    (run_id,) = start_runs(context, OWNER, asked_of(target))["runs"]
    until(lambda: one(context)["status"] == "finished")
    (result,) = results(context.service(RunSupervisor).folder(run_id))
    stored = context.storage.evidence.for_image(image.image_id)
    by_paper = next(match_result for match_result in stored if match_result.protocol == "paper")
    assert (result.verdicts[0].status, result.image_id) == (by_paper.status, image.image_id)
    # A run that only scored is no source of pictures, and there are none of anybody else.
    with pytest.raises(BadInput, match="scored images of others"):
        plan_runs(context, OWNER, asked_of({**target, "models": [OF_RUN + run_id]}))
    with pytest.raises(BadInput, match="No image of nobody"):
        plan_runs(context, OWNER, asked_of({**target, "models": ["nobody"]}))


def _as_file(context: Context) -> Path:
    return prompt_file(context.storage.data_dir)


def results(folder: RunFolder) -> list[Any]:
    return [row for shard in folder.shards() for row in read_shard(shard)]


def test_models_of_the_app_give_their_memory_back() -> None:
    from truehue.core.engine import Engine
    from truehue.core.generation.request import GenerationRequest

    engine = Engine(lambda model_id: FlatModel(model_id), lambda model_id: 0)
    job = engine.submit([GenerationRequest("flat", "x")], lambda delivery: None)
    engine.wait(job, WAIT_S)
    assert engine.loaded()
    release(engine, Event(), WAIT_S)
    assert engine.loaded() == ()
    engine.close()


@pytest.mark.usefixtures("workers_here")
def test_what_failed_says_why_and_is_tried_again_on_request(
    context: Context, few: dict[str, Any], tmp_path: Path
) -> None:
    # The renderer reads no words: a prompt without objects cannot be drawn.
    file = tmp_path / "words.txt"
    file.write_text("A photo of the color of the sea\n")
    set_id = context.service(Library).take_file(file, "words.txt")["set_id"]
    (run_id,) = start_runs(context, OWNER, asked_of({**few, "set": set_id}))["runs"]
    until(lambda: one(context)["status"] == "finished")
    shown = one(context)
    assert (shown["failed"], shown["failed_words"]) == (2, "2 images could not be generated")
    assert shown["problems"][0]["count"] == 2
    assert shown["may"]["retry"]
    act(context, run_id, "resume", retry=True)
    until(lambda: len(results(context.service(RunSupervisor).folder(run_id))) == 4)
    assert sorted(
        row.attempt for row in results(context.service(RunSupervisor).folder(run_id))
    ) == [1, 1, 2, 2]
    until(lambda: one(context)["status"] == "finished")
    assert (one(context)["done"], one(context)["failed"]) == (2, 2)


def test_more_workers_than_gpus_share_them_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truehue.tabs.runs.plan.local_gpus", lambda: 2)
    summary = {"model": "sd3-medium", "kind": DRAWN, "masker": {"kind": "whole"}}
    assert default_workers(summary) == 2
    assert sharing_text(2, summary) == ""
    assert sharing_text(5, summary).startswith("5 workers share 2 GPUs, up to 3 on one")
    assert sharing_text(5, {**summary, "model": "reference-renderer"}) == ""


def named(**fields: Any) -> RunRequest:
    """A request of a model that is not the renderer."""
    return read_as(RunRequest, {"set": "mini", "models": ["flux.1-dev"], **fields}).checked()


def test_a_protocol_is_a_preset_of_everything() -> None:
    released = named(protocol="gencolorbench-released")
    assert (released.seed, released.images, released.presence) == (42, 4, "janus-pro-1b")
    assert released.masker_spec == protocol("gencolorbench-released").masker
    (plan,) = plans(released, prompts()[:1], "Mini")
    assert (plan.steps, plan.guidance, plan.size_px) == (28, 3.5, 1024)
    assert [rule_id for rule_id, _ in plan.rules] == ["paper", "released", "truehue"]
    assert (plan.protocol, "gencolorbench-released" in plan.name) == (plan.protocol, True)
    said = " ".join(plan_remarks(released, [plan]))
    assert "28 steps, guidance 3.5, 1024 px" in said
    assert "Not as the protocol has it" not in said
    concepts = named(protocol="colorconceptbench")
    (plan,) = plans(concepts, prompts()[:1], "Concepts")
    assert (plan.steps, plan.size_px, plan.seeds, len(plan.guidances)) == (50, 1024, 5, 7)
    # Nothing changes for a run without one: each model's own, and the id of earlier runs.
    (own,) = plans(named(masker="whole"), prompts()[:1], "Mini")
    assert (own.seed, own.steps, own.guidance, own.size_px) == (0, None, None, None)
    assert "protocol" not in plan_json(own)


def test_what_differs_from_a_protocol_is_named() -> None:
    request = named(protocol="gencolorbench-released", images=1, seed=0, masker="whole")
    (plan,) = plans(request, prompts()[:1], "Mini")
    text = "protocol gencolorbench-released (but 1 image a prompt, first seed 0, other masks)"
    assert protocol_text(plan_json(plan)) == text
    assert "Not as the protocol has it: 1 image a prompt" in " ".join(plan_remarks(request, [plan]))
    request = named(
        protocol="gencolorbench-paper",
        models=["sd3-medium"],
        seeds="per-prompt",
        rules=["truehue"],
        negative="gray",
    )
    (plan,) = plans(request, prompts()[:1], "Mini")
    others = "(but rules truehue, seeds per prompt, a negative prompt)"
    assert protocol_text(plan_json(plan)).endswith(others)
    rendered = named(protocol="colorconceptbench", models=["reference-renderer"])
    (plan,) = plans(rendered, prompts()[:1], "Mini")
    assert "the renderer's own settings and masks" in protocol_text(plan_json(plan))
    assert protocol_text({"protocol": "of-tomorrow"}) == "protocol of-tomorrow"
    assert protocol_text({}) == ""


def test_imported_images_are_scored_by_a_protocol() -> None:
    request = named(kind="stored", models=["omnigen2"], protocol="gencolorbench-released")
    assert request.masker_spec == protocol("gencolorbench-released").masker
    assert named(kind="stored", models=["omnigen2"]).masker_spec.kind == "exact"


def test_the_former_name_of_the_option_is_read_and_nonsense_is_not() -> None:
    assert named(settings="gencolorbench-released") == named(protocol="gencolorbench-released")
    for fields, text in (
        ({"settings": "paper"}, "There is no protocol 'paper'"),
        ({"protocol": "gencolorbench-released", "steps": "9"}, "say the steps"),
        ({"protocol": "gencolorbench-released", "guidance": "5"}, "say the guidance"),
        ({"protocol": "gencolorbench-released", "models": ["kolors"]}, "no settings for kolors"),
    ):
        with pytest.raises(BadInput, match=text):
            named(**fields)
