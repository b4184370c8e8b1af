"""An adaptive comparison that the page starts: its rounds, pause and resume, and its estimate."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.core.runs.samples import apples, planned
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.runs.records import RunPlan
from truehue.tabs.batches.queue import BatchQueue
from truehue.tabs.batches.supervisor import Execution, RunSupervisor
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import OWNER
from truehue.tabs.runs.form import estimate_view, plan_runs
from truehue.tabs.runs.list import ChangeRun, change_run, runs_view
from truehue.tabs.runs.request import RunRequest

WAIT_S = 300
TWO = ["reference-renderer", "sdxl-base-1.0"]


def two_plans() -> list[RunPlan]:
    """The renderer as it should be, and ignoring the color: 36 images each."""
    return [
        planned(
            apples(12),
            images=3,
            size_px=64,
            options={"failure": failure},
            rules=("truehue",),
            name=failure,
        )
        for failure in ("none", "ignored")
    ]


def act(context: Context, run_id: str, what: str) -> None:
    change_run(context, OWNER, read_as(ChangeRun, {"run_id": run_id, "what": what}))


def shown(context: Context) -> dict[str, dict[str, Any]]:
    return {row["id"]: dict(row) for row in runs_view(context, OWNER)["runs"]}


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)


@pytest.mark.usefixtures("workers_here")
def test_rounds_go_to_the_card_and_resume_does_the_whole_set(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.runs.controls.MIN_IMAGES", 1_000)
    supervisor = context.service(RunSupervisor)
    started = supervisor.start_comparison(two_plans(), Execution(percent=60.0), OWNER)
    until(lambda: not supervisor.queue.waiting())
    cards = shown(context)
    assert {cards[run_id]["status"] for run_id in started} == {"chosen"}
    right, wrong = (cards[run_id] for run_id in started)
    assert right["order"]["text"].startswith("Order by truehue: 1 of 1 pair decided")
    assert [(row["rank"], row["own"]) for row in right["order"]["models"]] == [
        ("1", True),
        ("2", False),
    ]
    assert wrong["order"]["models"][1]["own"]
    assert 0 < right["done"] < right["total"]
    assert not right["trouble"]
    # Each is an ordinary run from now on.
    act(context, started[0], "resume")
    until(lambda: state_of(supervisor.folder(started[0])).status == "finished")
    assert shown(context)[started[1]]["status"] == "chosen"


def test_its_runs_are_paused_and_resumed_together(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BatchQueue, "_begin", lambda *_: None)  # nothing is generated
    supervisor = context.service(RunSupervisor)
    first, second = supervisor.start_comparison(two_plans(), Execution(percent=5.0), OWNER)
    positions = supervisor.queue.position
    assert (positions(first), positions(second)) == (1, 2)
    act(context, second, "cancel")
    assert positions(first) is positions(second) is None
    act(context, first, "resume")
    assert (positions(first), positions(second)) == (1, 2)
    assert supervisor.folder(second).desired_state() == "run"
    assert supervisor.settings(second).percent == 5.0


def test_the_estimate_is_of_the_share_with_the_whole_set_beside_it(context: Context) -> None:
    values = {"set": "mini", "models": TWO, "images": "2", "limit": "100", "masker": "whole"}
    request = read_as(RunRequest, {**values, "adaptive": "3", "price": "2"})
    result = estimate_view(context, OWNER, request)
    assert "400 images. At most 3% of them are generated: 12 images, all" in result["sentence"]
    assert result["disk"].startswith("at most about")
    assert result["whole"].startswith("time unknown, ")
    assert estimate_view(context, OWNER, read_as(RunRequest, values))["whole"] == ""


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"models": TWO[:1]}, "adaptive", "two or more"),
        ({"kind": "stored", "models": TWO[:1]}, "adaptive", "score every image"),
        ({"adaptive": "0"}, "adaptive", "share of images"),
        ({"guidance": "3, 5"}, "models", "no guidance scales"),
        ({"set": "concepts"}, "set", "no prompt names a target color"),
    ],
)
def test_what_cannot_be_compared_names_its_field(
    context: Context, changes: dict[str, Any], field: str, said: str
) -> None:
    values = {"set": "mini", "limit": "10", "models": TWO, "masker": "whole", "adaptive": "3"}
    with pytest.raises(BadInput, match=said) as caught:
        plan_runs(context, OWNER, read_as(RunRequest, {**values, **changes}))
    assert caught.value.field == field
