"""A trial of a run: a process of its own, which is ended when nobody wants its answer any more."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.core.runs.samples import small_plan
from tests.run_prompts import prompts
from truehue.core.errors import BadInput, ObjectNotFound
from truehue.core.generation.request import Cancelled
from truehue.core.runs.estimate import Estimate
from truehue.core.runs.worker import WorkerSettings
from truehue.tabs.runs import trial

pytestmark = pytest.mark.process

PLAN = small_plan(prompts(1))
ESTIMATE = Estimate(8, 1, 0.5, "Two pictures.", 4.0, 1000)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Callable[[], Any]], None]:
    """Lets the process of a trial do something else; it is forked, so that it knows of that."""
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(trial, "get_context", lambda _: fork)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def does(work: Callable[[], Any]) -> None:
        monkeypatch.setattr(trial, "trial", lambda *_: work())

    return does


def test_its_answer_and_its_error_come_over(forked: Callable[[Callable[[], Any]], None]) -> None:
    def refuses() -> None:
        raise ObjectNotFound("No mug.", "mug", "detector")

    forked(lambda: ESTIMATE)
    assert trial.in_process(PLAN, WorkerSettings()) == ESTIMATE
    forked(refuses)
    with pytest.raises(BadInput, match="No mug"):
        trial.in_process(PLAN, WorkerSettings())
    forked(lambda: os._exit(3))
    with pytest.raises(BadInput, match="process was ended"):
        trial.in_process(PLAN, WorkerSettings())


def test_it_is_ended_when_it_is_cancelled(
    forked: Callable[[Callable[[], Any]], None], tmp_path: Path
) -> None:
    class Stop(Event):
        """Somebody cancels when the process has begun to write."""

        def is_set(self) -> bool:
            return any(tmp_path.glob("*/*"))

    def goes_on() -> None:
        tempfile.mkdtemp()
        time.sleep(600)

    forked(goes_on)
    with pytest.raises(Cancelled):
        trial.in_process(PLAN, WorkerSettings(), Stop())
    assert not multiprocessing.active_children()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
def test_it_draws_in_a_process_of_its_own() -> None:
    estimate = trial.in_process(PLAN, WorkerSettings())
    assert estimate.seconds_a_picture is not None
    assert estimate.seconds_a_picture > 0
