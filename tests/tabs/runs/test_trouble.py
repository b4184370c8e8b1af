"""What goes wrong with one run: told of that run, for as long as it is so, and of no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.run_samples import sample_plan, sample_run
from tests.tabs.runs.test_runs import asked_of, one, until
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.runs.estimate import free_bytes
from truehue.core.runs.folder import RunFolder
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_service import AllJobs, jobs_view
from truehue.tabs.page.roles import OWNER
from truehue.tabs.runs import form
from truehue.tabs.runs.form import estimate_view, form_view, start_runs
from truehue.tabs.runs.list import runs_view
from truehue.tabs.runs.stored import OF_RUN

pytestmark = pytest.mark.slow


def test_a_problem_of_taking_in_is_told_until_it_is_gone(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = context.service(RunSupervisor)
    run_id = sample_run(service.root, sample_plan(prompts=4, images=1)).run_id

    def busy(folder: RunFolder) -> int:
        raise DataFolderError("The disk sleeps.")

    with monkeypatch.context() as patch:
        patch.setattr(context.storage.runs, "ingest", busy)
        assert service.ingest() == 0
        assert service.problem(run_id) == one(context)["message"] == "The disk sleeps."
    service.queue._problems[run_id] = "It could not be executed."  # that is another matter
    assert service.ingest() == 4
    assert service.problem(run_id) == "It could not be executed."
    del service.queue._problems[run_id]
    assert service.problem(run_id) == one(context)["message"] == ""


def test_what_is_no_exception_does_not_end_the_queue_of_runs(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = context.service(RunSupervisor)
    first, second = (
        sample_run(service.root, sample_plan(name, prompts=2, images=1)).run_id
        for name in ("model-a", "model-b")
    )

    def leaves(folder: RunFolder, retry: bool) -> BatchState:
        raise SystemExit(folder.run_id)

    monkeypatch.setattr(service, "_execute", leaves)
    for run_id in (first, second):
        service.resume(run_id)
        until(lambda: service.queue.waiting() == 0)
        assert f"SystemExit: {run_id}" in service.problem(run_id)


@pytest.mark.parametrize("error", [DataFolderError("No lock here."), ValueError("odd")])
def test_one_odd_folder_takes_nothing_down(
    context: Context, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    service = context.service(RunSupervisor)
    good = sample_run(service.root, sample_plan("model-a", prompts=2, images=1))
    odd = sample_run(service.root, sample_plan("model-b", prompts=3, images=1))
    assert service.ingest() == 5
    odd.shards()[0].unlink()
    good.save_state(BatchState(good.run_id, "running", 2, 2))  # interrupted: nobody is at it
    kept_state = RunFolder.saved_state

    def asked(folder: RunFolder) -> BatchState | None:
        if folder.run_id == odd.run_id:
            raise error
        return kept_state(folder)

    monkeypatch.setattr(RunFolder, "saved_state", asked)
    monkeypatch.setattr(service.queue, "_now", odd)  # it is executed here
    view = jobs_view(context, OWNER, AllJobs())
    assert [(row["id"], row["status"]) for row in view["jobs"]] == [(good.run_id, "interrupted")]
    assert [row["id"] for row in form_view(context, OWNER)["stored"]] == [OF_RUN + good.run_id]
    shown = {row["id"]: row for row in runs_view(context, OWNER)["runs"]}
    assert (shown[odd.run_id]["status"], shown[good.run_id]["status"]) == ("broken", "interrupted")
    assert str(error) in shown[odd.run_id]["message"]
    assert leaderboard_view(context, {})["groups"]


def test_a_run_that_does_not_fit_on_the_disk_is_not_begun(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked_of({"set": "mini", "models": ["reference-renderer"], "size": 1024})
    monkeypatch.setattr(form, "free_bytes", lambda root: 3 * 10**9)
    problem = estimate_view(context, OWNER, request)["disk_basis"]
    assert "3.0 GB are free" in problem
    with pytest.raises(BadInput, match=r"3\.0 GB are free.*Choose fewer prompts"):
        start_runs(context, OWNER, request)
    assert context.service(RunSupervisor).folders() == []
    monkeypatch.setattr(form, "free_bytes", lambda root: 10**15)
    assert estimate_view(context, OWNER, request)["disk_basis"] == ""


def test_free_room_is_of_the_disk_where_the_folder_will_be(tmp_path: Path) -> None:
    assert free_bytes(tmp_path / "not" / "there" / "yet") == free_bytes(tmp_path) > 0
