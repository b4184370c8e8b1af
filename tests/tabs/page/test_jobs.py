"""Long work: begun, watched, cancelled by who may, kept, and found again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from truehue.core.errors import BadInput, NotAllowed
from truehue.core.generation.request import Cancelled
from truehue.core.records import JobRecord
from truehue.storage import Storage
from truehue.tabs.feature import kinds_of
from truehue.tabs.features import FEATURES
from truehue.tabs.page import answers, jobs_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import INTERRUPTED, LISTED, Job, Jobs, job_json
from truehue.tabs.page.jobs_service import AllJobs, jobs_view
from truehue.tabs.page.limits import ConcurrencyLimits
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

WAIT_S = 300
ANN, BEN = (Actor(name * 32, Role.VISITOR) for name in "ab")


@pytest.fixture
def jobs(context: Context) -> Jobs:
    return context.jobs


def gated(go: Event) -> Any:
    """Work that goes on until it may end."""

    def work(job: Job) -> dict[str, Any]:
        job.tell("Half", 1, 2)
        while not go.wait(0.01):
            if job.stop.is_set():
                raise Cancelled
        job.tell("Whole", 2, 2)
        return {"made": 2}

    return work


def test_a_job_says_how_far_it_is_and_is_kept(jobs: Jobs, context: Context) -> None:
    go, before = Event(), jobs.version()
    job = jobs.start("export", "An export", ANN, gated(go))
    go.set()
    ended = jobs.wait(job.id, WAIT_S)
    assert (ended.status, ended.words, ended.result) == ("done", "Whole", {"made": 2})
    assert jobs.version() > before
    assert jobs.changed(job.id) > before
    (row,) = context.storage.jobs.recent()
    assert (row.status, row.done, row.total, row.actor) == ("done", 2, 2, ANN.id)
    assert row.began_at is not None
    assert row.ended_at is not None


def test_what_it_raises_is_its_problem(jobs: Jobs) -> None:
    def work(job: Job) -> dict[str, Any]:
        job.tell(result={"stored": 3})
        raise BadInput("No.")

    ended = jobs.wait(jobs.start("images", "x", ANN, work).id, WAIT_S)
    assert (ended.status, ended.problem, ended.result) == ("failed", "No.", {"stored": 3})


@pytest.mark.parametrize(("error", "text"), [(SystemExit(1), ": 1"), (KeyboardInterrupt(), "")])
def test_what_is_no_exception_ends_it_too(
    jobs: Jobs, context: Context, error: BaseException, text: str
) -> None:
    def work(job: Job) -> dict[str, Any]:
        raise error

    for _ in range(2):  # its turn is given back
        ended = jobs.wait(jobs.start("images", "x", ANN, work).id, WAIT_S)
        assert ended.status == "failed"
        assert f"unexpected error ({type(error).__name__}{text})" in ended.problem
    assert {row.status for row in context.storage.jobs.recent()} == {"failed"}


def test_who_began_it_and_the_owner_may_cancel_it(jobs: Jobs) -> None:
    for who in (ANN, OWNER):
        job = jobs.start("search", "Looking for a mug", ANN, gated(Event()))
        with pytest.raises(NotAllowed, match="Only the person who started"):
            jobs.cancel(BEN, job.id)
        with pytest.raises(NotAllowed):
            jobs.cancel(Actor("", Role.VISITOR), job.id)
        jobs.cancel(who, job.id)
        assert jobs.wait(job.id, WAIT_S).status == "cancelled"
        jobs.cancel(who, job.id)  # it stays as it is
    with pytest.raises(BadInput, match="no longer known"):
        jobs.cancel(OWNER, "nothing")


def test_work_that_returns_when_it_is_stopped_was_cancelled(jobs: Jobs) -> None:
    event = Event()

    def work(job: Job) -> dict[str, Any]:
        event.set()
        job.stop.wait(WAIT_S)
        return {"made": 1}

    job = jobs.start("export", "An export", ANN, work)
    assert event.wait(WAIT_S)
    jobs.cancel(ANN, job.id)
    ended = jobs.wait(job.id, WAIT_S)
    assert (ended.status, ended.result) == ("cancelled", {"made": 1})


def test_a_cancel_at_the_end_stores_nothing_over_it(context: Context) -> None:
    rows, cancels = context.storage.jobs, []

    class Rows:
        """Somebody cancels when the end is stored and not told yet."""

        def keep(self, record: JobRecord) -> None:
            rows.keep(record)
            if record.ended_at is not None:
                cancels.append(Thread(target=jobs.cancel, args=(ANN, record.job_id)))
                cancels[0].start()
                cancels[0].join(0.2)  # it waits for the end to be told

    jobs = Jobs(Rows(), ConcurrencyLimits(kinds_of(FEATURES)))  # type: ignore[arg-type]
    go = Event()

    def work(job: Job) -> dict[str, Any]:
        go.wait(WAIT_S)
        return {}

    job = jobs.start("images", "x", ANN, work)
    job._stored_at = -math.inf  # the next change is stored
    go.set()
    assert jobs.wait(job.id, WAIT_S).status == "done"
    cancels[0].join(WAIT_S)
    assert [row.status for row in rows.recent()] == ["done"]


def test_others_are_not_told_what_is_looked_for(jobs: Jobs) -> None:
    job = jobs.start("search", "Looking for a mug", ANN, gated(Event()))
    own, other = (job_json(jobs, who, jobs.get(job.id)) for who in (ANN, BEN))
    assert (own["title"], own["mine"], own["may_cancel"]) == ("Looking for a mug", True, True)
    assert "mug" not in json.dumps(other)
    assert (other["mine"], other["may_cancel"], other["active"]) == (False, False, True)
    assert job_json(jobs, OWNER, jobs.get(job.id))["title"] == "Looking for a mug"
    jobs.cancel(ANN, job.id)


def test_of_a_kind_so_many_run_at_once(jobs: Jobs) -> None:
    go = Event()
    first = jobs.start("export", "The first", ANN, gated(go))
    with pytest.raises(BadInput, match="“The first” is running"):
        jobs.start("export", "The second", BEN, gated(go))
    # Searches wait for their turn instead; one that waits ends at once when it is cancelled.
    searches = [jobs.start("search", str(n), ANN, gated(go)) for n in range(5)]
    jobs.cancel(ANN, searches[4].id)
    assert jobs.wait(searches[4].id, WAIT_S).status == "cancelled"
    go.set()
    assert {jobs.wait(item.id, WAIT_S).status for item in (first, *searches[:4])} == {"done"}


def test_one_visitor_has_so_much_under_way(context: Context) -> None:
    jobs = Jobs(context.storage.jobs, ConcurrencyLimits(kinds_of(FEATURES)), most_of_one=1)
    go = Event()
    jobs.start("images", "x", ANN, gated(go))
    with pytest.raises(BadInput, match="1 job of yours"):
        jobs.start("search", "y", ANN, gated(go))
    jobs.start("search", "y", BEN, gated(go))
    go.set()
    jobs.close()


def test_what_was_under_way_when_the_process_died_says_so(tmp_path: Path) -> None:
    with Storage.open(tmp_path / "data") as storage:
        record = JobRecord("a", "diagnosis", "A diagnosis", "owner", "running", 3, 9, "3 of 9")
        storage.jobs.keep(record)
        storage.jobs.keep(JobRecord("b", "export", "An export", "owner", "done", 1, 1))
    with Storage.open(tmp_path / "data") as storage:
        context = make_context(storage, "data")
        context.jobs.recover()
        result = {job.job_id: job for job in context.jobs.all()}
        assert (result["a"].status, result["a"].problem) == ("interrupted", INTERRUPTED)
        assert (result["a"].done, result["a"].words) == (3, "3 of 9")
        assert result["b"].status == "done"
        context.close()


def test_what_ends_with_the_app_is_no_cancelled_work(tmp_path: Path) -> None:
    with Storage.open(tmp_path / "data") as storage:
        context = make_context(storage, "data")
        context.jobs.start("images", "x", OWNER, gated(Event()))
        context.close()
        assert [item.status for item in storage.jobs.recent()] == ["interrupted"]
        with pytest.raises(BadInput, match="shutting down"):
            context.jobs.start("images", "x", OWNER, gated(Event()))


def test_the_list_has_the_last_work_of_each_kind(context: Context, jobs: Jobs) -> None:
    def work(job: Job) -> dict[str, Any]:
        return {}

    first = jobs.start("diagnosis", "A diagnosis", OWNER, work)
    jobs.wait(first.id, WAIT_S)
    for _ in range(LISTED + 5):
        jobs.wait(jobs.start("search", "Looking for a mug", OWNER, work).id, WAIT_S)
    listed = jobs_view(context, OWNER, AllJobs())["jobs"]
    assert len(listed) == LISTED + 1
    assert [item["id"] for item in listed if item["kind"] == "diagnosis"] == [first.id]


# ── over HTTP ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def client(context: Context, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(jobs_routes, "LONGEST_S", 0.5)
    app = FastAPI()
    app.include_router(jobs_routes.job_routes(context))
    with TestClient(app, headers={"X-TrueHue": "1"}) as made:
        yield made


def test_a_list_that_waits_is_answered_when_the_app_ends(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told to end, the app answers what it knows: an open page sees no failure."""
    monkeypatch.setattr(jobs_routes, "LONGEST_S", WAIT_S)
    seen = client.get("/api/jobs").json()["version"]
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(client.get, f"/api/jobs?seen={seen}")
        while not answers._endless:
            pass
        client.portal.call(answers.cut_endless)
        answer = waiting.result(WAIT_S)
    assert (answer.status_code, answer.json()["version"]) == (200, seen)


def test_the_list_waits_for_news(client: TestClient, jobs: Jobs) -> None:
    first = client.get("/api/jobs").json()
    assert first["jobs"] == []
    same = client.get(f"/api/jobs?seen={first['version']}").json()
    assert same["version"] == first["version"]
    job = jobs.start("export", "An export", OWNER, gated(Event()))
    (shown,) = client.get(f"/api/jobs?seen={first['version']}").json()["jobs"]
    assert (shown["id"], shown["kind"], shown["mine"]) == (job.id, "export", True)
    assert client.get("/api/jobs?kind=cells").json()["jobs"] == []
    assert client.post(f"/api/jobs/{job.id}/cancel", json={}).json() == {}
    jobs.wait(job.id, WAIT_S)
    item = client.get(f"/api/jobs/{job.id}").json()
    assert (item["status"], item["active"], item["problem"]) == ("cancelled", False, "")
    assert client.get("/api/jobs/unknown").status_code == 400
