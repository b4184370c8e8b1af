"""A run to its end: killed, paused, failed, retried, and with processes that die."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from tests.core.batch import hold
from tests.core.runs.samples import (
    OBJECTS,
    begun,
    done,
    in_process,
    many_prompts,
    rows,
    small_plan,
)
from tests.shards import read_shard
from truehue.core.batch.health import state_of
from truehue.core.batch.local_team import LocalTeam
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.batch.records import BatchState
from truehue.core.batch.team import READY, TeamEvent
from truehue.core.errors import BadInput
from truehue.core.generation.request import MAX_SEED
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import ItemResult
from truehue.core.runs.score import not_generated
from truehue.core.runs.shards import write_shard
from truehue.core.runs.worker import ExecutionSettings, RunWork, execute

pytestmark = pytest.mark.slow


def made(root: Path, plan: object) -> RunFolder:
    folder = RunFolder.create(root, plan)  # type: ignore[arg-type]
    folder.set_desired_state("run")
    return folder


@pytest.fixture(scope="module")
def few() -> list[Prompt]:
    return many_prompts(30, several=2, objects=["apple"])


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory, few: list[Prompt]) -> list[ItemResult]:
    """The rows that one undisturbed worker writes."""
    folder = made(tmp_path_factory.mktemp("quiet"), small_plan(few))
    assert done(folder).status == "finished"
    return rows(folder)


class BeginTogether(LocalTeam):
    """Two workers who get nothing to do until both are ready."""

    def __init__(self, *values: Any) -> None:
        super().__init__(*values)
        self.early: list[TeamEvent] = []
        self.ready = 0

    def events(self, timeout_s: float) -> list[TeamEvent]:
        events = super().events(timeout_s)
        self.ready += sum(event.kind == READY for event in events)
        self.early += events
        if self.ready < 2 and all(event.kind == READY for event in self.early):
            return []
        events, self.early = self.early, []
        return events


@pytest.mark.process
def test_one_worker_and_two_give_the_same_rows(
    tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    two = made(tmp_path, small_plan(few))
    team = BeginTogether(RunWork(two.path), 1)
    state = execute(two, ExecutionSettings(workers=2), team=team)
    assert (state.status, state.done, state.failed) == ("finished", 30, 0)
    assert rows(two) == quiet
    assert [row.position for row in rows(two)] == list(range(30))
    assert len({item.worker for path in two.shards() for item in read_shard(path)}) == 2
    assert not list(two.journal.iterdir())


@pytest.mark.process
@pytest.mark.parametrize(
    ("total", "several", "hold_at", "most_lines", "kills"),
    [(48, 4, 6, 5, 2), pytest.param(2_000, 300, 200, 150, 3, marks=pytest.mark.nightly)],
)
def test_a_run_that_is_killed_again_and_again_ends_with_the_rows_of_an_undisturbed_one(
    tmp_path: Path, total: int, several: int, hold_at: int, most_lines: int, kills: int
) -> None:
    objects = ["apple"] if total < 100 else OBJECTS
    plan = small_plan(many_prompts(total, several=several, objects=objects))
    assert plan.total == total
    quiet, shot = made(tmp_path / "quiet", plan), made(tmp_path / "shot", plan)
    assert done(quiet).status == "finished"
    # Seeded, so that a failure can be looked at again.
    chance = random.Random(total)
    kept_at = [0]
    # Two workers that wait to be killed, then wherever they are when enough is written.
    for more in (2 * hold_at, *(chance.randint(1, 2 * hold_at) for _ in range(1, kills))):
        process = begun(shot, 2, hold_at, most_lines)
        wait_until(lambda: hold.safe_results(shot) >= kept_at[-1] + more, process)  # noqa: B023
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert state_of(shot).status == "interrupted"
        kept_at.append(hold.safe_results(shot))
    assert kept_at == sorted({*kept_at, 0})
    assert kept_at[-1] < total
    assert {len(read_shard(path)) for path in shot.shards()} & {most_lines}
    state = done(shot)
    assert (state.status, state.done) == ("finished", total)
    assert rows(shot) == rows(quiet)
    assert same_files(shot, quiet)


def test_what_is_done_is_not_done_again(
    tmp_path: Path, few: list[Prompt], quiet: list[ItemResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.batch.execute._STATE_S", 0.0)  # told after every batch
    folder = made(tmp_path, small_plan(few))

    def pause_early(state: BatchState) -> None:
        if state.done:
            folder.set_desired_state("pause")

    first = execute(folder, watch=pause_early, team=in_process(folder))
    assert first.status == "paused"
    before = {path: path.read_bytes() for path in folder.shards()}
    early = {row.position for row in rows(folder)}
    assert 0 < len(early) < 30
    folder.set_desired_state("run")
    assert done(folder).status == "finished"
    assert all(path.read_bytes() == content for path, content in before.items())
    later = [item for path in folder.shards() if path not in before for item in read_shard(path)]
    assert {item.position for item in later} == set(range(30)) - early
    assert rows(folder) == quiet
    # Once more there is nothing to do, and no worker is started.
    again = execute(folder)
    assert (again.status, again.done, again.rate) == ("finished", 30, 0.0)


def test_cancel_ends_it_and_resume_takes_it_up(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.set_desired_state("cancel")
    assert execute(folder).status == "cancelled"
    assert state_of(folder).status == "cancelled"
    folder.set_desired_state("run")
    assert done(folder).status == "finished"


def test_failures_are_kept_with_their_reason_and_tried_again_on_request(
    tmp_path: Path, few: list[Prompt]
) -> None:
    reference_set = tuple(ObjectTarget(name) for name in ("apple", "banana", "mug", "car", "vase"))
    folder = made(
        tmp_path, small_plan([*few[:3], Prompt("crowd", "five things", "free", reference_set)])
    )
    state = done(folder)
    assert (state.status, state.done, state.failed) == ("finished", 4, 1)
    ((reason, count),) = state.problems
    assert count == 1
    assert "4 objects" in reason
    failed = rows(folder)[3]
    assert (failed.status, failed.reason, failed.image_id) == ("failed", reason, "")
    assert {verdict.rule for verdict in failed.verdicts} == {"paper", "released", "truehue"}
    assert {(verdict.picture_status, verdict.cause) for verdict in failed.verdicts} == {
        ("unscored", "no-image")
    }
    assert execute(folder).done == 4
    assert len(rows(folder)) == 4
    again = execute(folder, retry_failed=True, team=in_process(folder))
    assert (again.done, again.failed) == (4, 1)
    assert [(row.position, row.attempt) for row in rows(folder)][3:] == [(3, 1), (3, 2)]


class OneDies(LocalTeam):
    """Kills its first worker in the middle of its third batch."""

    given = 0
    killed = 0

    def give(self, worker: str, batch: object) -> None:
        super().give(worker, batch)  # type: ignore[arg-type]
        self.given += 1
        if self.given == 3:
            journals = self._work.folder.journal
            wait_until(lambda: any(journals.glob(f"{worker}-*.jsonl")), None)
            pid = self.pid(worker)
            assert pid
            os.kill(pid, signal.SIGKILL)
            self.killed += 1


@pytest.mark.process
def test_a_worker_that_is_killed_loses_nothing(
    tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    shot = made(tmp_path, small_plan(few))
    team = OneDies(RunWork(shot.path), 1)
    state = execute(shot, team=team)
    assert team.killed == 1
    assert (state.status, state.done, state.failed) == ("finished", 30, 0)
    assert rows(shot) == quiet


@pytest.mark.parametrize("status", ["running", "paused"])
def test_what_a_killed_process_left_half_written_is_taken_away(
    tmp_path: Path, few: list[Prompt], status: str
) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.save_state(replace(state_of(folder), status=status, host=socket.gethostname()))
    folder.set_desired_state("cancel")
    half = [folder.shard_folder / ".a.parquet.1.part", folder.images / "ab" / ".a.png.1.part"]
    for path in half:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"half")
    execute(folder)
    assert [path.exists() for path in half] == [status == "paused"] * 2


class OneHangs(LocalTeam):
    """Its worker stands still at its third batch, and people pause the run."""

    given = 0

    def give(self, worker: str, batch: object) -> None:
        self.given += 1
        if self.given == 3:
            os.kill(self.pid(worker) or 0, signal.SIGSTOP)
            self._work.folder.set_desired_state("pause")
        super().give(worker, batch)  # type: ignore[arg-type]


@pytest.mark.process
def test_a_worker_that_hangs_does_not_keep_a_run_from_pausing(
    tmp_path: Path, few: list[Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.batch.execute.MAX_IN_BATCH", 1)
    monkeypatch.setattr("truehue.core.batch.local_team._END_S", 0.2)
    folder = made(tmp_path, small_plan(few[:6]))
    state = execute(folder, team=OneHangs(RunWork(folder.path), 1))
    assert (state.status, state.done, state.failed) == ("paused", 2, 0)
    folder.set_desired_state("run")
    assert done(folder).done == 6
    assert [row.position for row in rows(folder)] == list(range(6))


class PausedAtOnce(LocalTeam):
    """People pause the run as soon as a worker is ready."""

    def give(self, worker: str, batch: object) -> None:
        self._work.folder.set_desired_state("pause")
        super().give(worker, batch)  # type: ignore[arg-type]


@pytest.mark.process
def test_another_try_that_was_paused_is_not_finished(tmp_path: Path, few: list[Prompt]) -> None:
    plan = small_plan(few[:1])
    folder = made(tmp_path, plan)
    failed = ItemResult(0, 0, 0, 1, "failed", "no", verdicts=not_generated("no", plan.rules))
    write_shard(folder.shard_folder / "s001w1-00000.parquet", [failed])
    team = PausedAtOnce(RunWork(folder.path), 1)
    assert execute(folder, retry_failed=True, team=team).status == "paused"
    folder.set_desired_state("run")
    state = execute(folder, retry_failed=True, team=in_process(folder))
    assert (state.status, state.failed) == ("finished", 0)
    assert [(row.attempt, row.status) for row in rows(folder)] == [(1, "failed"), (2, "drawn")]


class Poisoned(LocalTeam):
    """Kills every worker that is about to draw position 4."""

    def give(self, worker: str, batch: object) -> None:
        if any(position == 4 for position, _ in batch.items):  # type: ignore[attr-defined]
            pid = self.pid(worker)
            assert pid
            os.kill(pid, signal.SIGKILL)
            return
        super().give(worker, batch)  # type: ignore[arg-type]


@pytest.mark.process
def test_a_picture_that_ends_every_process_becomes_a_failure(
    tmp_path: Path, few: list[Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.batch.execute.MAX_IN_BATCH", 1)
    folder = made(tmp_path, small_plan(few[:6]))
    state = execute(folder, team=Poisoned(RunWork(folder.path), 1))
    assert (state.status, state.done, state.failed) == ("finished", 6, 1)
    failed = next(row for row in rows(folder) if row.position == 4)
    assert "died 2 times" in failed.reason
    assert "SIGKILL" in failed.reason


@pytest.mark.process
def test_a_model_that_is_not_here_pauses_the_run_and_says_what_is_missing(
    tmp_path: Path, few: list[Prompt]
) -> None:
    plan = replace(small_plan(few), model="sdxl-base-1.0", options={}, size_px=None)
    folder = made(tmp_path, plan)
    state = execute(folder)
    assert (state.status, state.done, state.failed) == ("paused", 0, 0)
    assert "download sdxl-base-1.0" in state.message
    assert state_of(folder) == state


def test_only_one_process_is_at_a_run(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few))
    with hold_lock(folder.path / "lock", ""), pytest.raises(InUse, match="Pause it there"):
        execute(folder)
    with pytest.raises(BadInput, match="At least one worker"):
        execute(folder, ExecutionSettings(workers=0))


def test_whoever_looks_at_a_run_does_not_keep_it_from_beginning(
    tmp_path: Path, few: list[Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.set_desired_state("cancel")
    monkeypatch.setattr("truehue.core.batch.execute._LOOKED_AT_S", 600.0)
    looking = hold_lock(folder.path / "lock", "", shared=True)
    looking.__enter__()
    waited: list[float] = []

    def stop_looking(seconds: float) -> None:
        if not waited:
            looking.__exit__(None, None, None)
        waited.append(seconds)

    monkeypatch.setattr("truehue.core.batch.locks.time.sleep", stop_looking)
    assert execute(folder).status == "cancelled"
    assert len(waited) == 1


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def test_a_run_that_another_machine_is_at_is_left_alone_where_locks_are_not_shared(
    tmp_path: Path, few: list[Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.set_desired_state("cancel")
    there = BatchState(folder.run_id, "running", 30, host="elsewhere", updated_at=_at(0))
    folder.save_state(there)
    monkeypatch.setattr(
        "truehue.core.batch.execute.time.sleep",
        lambda seconds: folder.save_state(replace(there, updated_at=_at(seconds))),
    )
    with pytest.raises(InUse, match="elsewhere is running this run"):
        execute(folder)
    monkeypatch.setattr("truehue.core.batch.execute.time.sleep", lambda seconds: None)
    assert execute(folder).status == "cancelled"


def test_an_imported_run_is_not_gone_on_with(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few))
    path = folder.path / "plan.json"
    path.write_text(json.dumps({**folder.summary(), "imported": {"name": "a.zip"}}))
    with pytest.raises(BadInput, match="was imported"):
        execute(RunFolder(folder.path))


def test_other_versions_do_not_go_on(
    tmp_path: Path, few: list[Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path, small_plan(few))
    monkeypatch.setattr("truehue.core.runs.plan.RENDERER_VERSION", "99")
    with pytest.raises(BadInput, match="begun with renderer"):
        execute(folder)


def test_seeds_follow_each_other(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few[:1], images=3, seed=7))
    done(folder)
    assert [(row.seed, row.image) for row in rows(folder)] == [(7, 0), (8, 1), (9, 2)]
    with pytest.raises(BadInput, match="seeds"):
        small_plan(few[:1], images=2, seed=MAX_SEED)


def wait_until(true: Callable[[], object], process: Popen[bytes] | None) -> None:
    """Waits for what another process does, as long as that process is there."""
    while not true():
        assert process is None or process.poll() is None
        time.sleep(0.02)


def same_files(run_folder: RunFolder, other: RunFolder) -> bool:
    """Whether both hold the same images and masks, and nothing half written."""
    names = [
        sorted(
            str(path.relative_to(folder.path))
            for part in (folder.images, folder.masks)
            for path in part.rglob("*")
            if path.is_file()
        )
        for folder in (run_folder, other)
    ]
    return names[0] == names[1]
