"""A run to its end: killed, paused, failed, retried, and with processes that die."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.batch.journal import read_journal
from core.batch.local_team import LocalTeam
from core.batch.locks import InUse, held
from core.batch.records import BatchState
from core.errors import BadInput
from core.generation.request import MAX_SEED
from core.prompts.prompt import ObjectTarget, Prompt
from core.runs.execute import ExecutionSettings, execute
from core.runs.folder import RunFolder
from core.runs.records import ItemResult
from core.runs.score import not_drawn
from core.runs.shards import write_shard
from core.runs.worker import RunWork
from tests.core.runs.samples import begun, done, in_process, many_prompts, rows, small_plan
from tests.shards import read_shard


def made(root: Path, plan: object) -> RunFolder:
    folder = RunFolder.create(root, plan)  # type: ignore[arg-type]
    folder.set_desired_state("run")
    return folder


@pytest.fixture(scope="module")
def few() -> list[Prompt]:
    return many_prompts(30, several=6, objects=["apple"])


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory, few: list[Prompt]) -> list[ItemResult]:
    """The rows that one undisturbed worker writes."""
    folder = made(tmp_path_factory.mktemp("quiet"), small_plan(few))
    assert done(folder).status == "finished"
    return rows(folder)


@pytest.mark.process
def test_one_worker_and_three_give_the_same_rows(
    tmp_path: Path, few: list[Prompt], quiet: list[ItemResult]
) -> None:
    three = made(tmp_path, small_plan(few))
    state = execute(three, ExecutionSettings(workers=3))
    assert (state.status, state.done, state.failed) == ("finished", 30, 0)
    assert rows(three) == quiet
    assert [one.position for one in rows(three)] == list(range(30))
    assert len({one.worker for path in three.shards() for one in read_shard(path)}) > 1
    assert not list(three.journal.iterdir())


LONG = "TRUEHUE_LONG_TESTS"
long = pytest.mark.skipif(not os.environ.get(LONG), reason=f"takes minutes: {LONG}=1 runs it")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("total", "several", "most_lines"), [(300, 40, 20), pytest.param(2_000, 300, 500, marks=long)]
)
def test_a_run_that_is_killed_three_times_ends_with_the_rows_of_an_undisturbed_one(
    tmp_path: Path, total: int, several: int, most_lines: int
) -> None:
    plan = small_plan(many_prompts(total, several=several))
    assert plan.total == total
    quiet, shot = made(tmp_path / "quiet", plan), made(tmp_path / "shot", plan)
    assert done(quiet).status == "finished"
    # Seeded, so that a failure can be looked at again.
    chance = random.Random(total)
    kept_at: list[int] = []
    for _ in range(3):
        process = begun(shot, most_lines=most_lines)
        # At random, but after work has begun: a kill during start-up would try nothing.
        enough = kept(shot) + chance.randint(1, total // 5)
        wait_until(lambda: kept(shot) >= enough)  # noqa: B023
        time.sleep(chance.uniform(0.0, 0.2))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert shot.state().status == "interrupted"
        kept_at.append(kept(shot))
    assert 0 < kept_at[0] < kept_at[1] < kept_at[2] < total, kept_at
    assert {len(read_shard(path)) for path in shot.shards()} & {most_lines}
    state = done(shot)
    assert (state.status, state.done) == ("finished", total)
    assert rows(shot) == rows(quiet)
    assert same_files(shot, quiet)


@pytest.mark.process
def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    # Many pictures of one view, so that it is not over before it is paused.
    plan = small_plan(many_prompts(400, several=0, objects=["apple"]))
    total = plan.total
    folder = made(tmp_path, plan)

    def pause_early(state: BatchState) -> None:
        if state.done >= 5:
            folder.set_desired_state("pause")

    first = execute(folder, watch=pause_early)
    assert first.status == "paused"
    before = {path: path.read_bytes() for path in folder.shards()}
    early = {one.position for one in rows(folder)}
    assert 5 <= len(early) < total
    folder.set_desired_state("run")
    assert done(folder).status == "finished"
    assert all(path.read_bytes() == content for path, content in before.items())
    later = [one for path in folder.shards() if path not in before for one in read_shard(path)]
    assert {one.position for one in later} == set(range(total)) - early
    assert len(rows(folder)) == total
    # Once more there is nothing to do, and no worker is started.
    again = execute(folder)
    assert (again.status, again.done, again.rate) == ("finished", total, 0.0)


def test_cancel_ends_it_and_resume_takes_it_up(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.set_desired_state("cancel")
    assert execute(folder).status == "cancelled"
    assert folder.state().status == "cancelled"
    folder.set_desired_state("run")
    assert done(folder).status == "finished"


def test_failures_are_kept_with_their_reason_and_tried_again_on_request(
    tmp_path: Path, few: list[Prompt]
) -> None:
    crowd = tuple(ObjectTarget(name) for name in ("apple", "banana", "mug", "car", "vase"))
    folder = made(tmp_path, small_plan([*few[:3], Prompt("crowd", "five things", "free", crowd)]))
    state = done(folder)
    assert (state.status, state.done, state.failed) == ("finished", 4, 1)
    ((reason, count),) = state.problems
    assert count == 1
    assert "4 objects" in reason
    failed = rows(folder)[3]
    assert (failed.status, failed.reason, failed.image_id) == ("failed", reason, "")
    assert {one.rule for one in failed.verdicts} == {"paper", "released", "truehue"}
    assert {(one.picture_status, one.cause) for one in failed.verdicts} == {
        ("unscored", "no-image")
    }
    assert execute(folder).done == 4
    assert len(rows(folder)) == 4
    again = execute(folder, retry_failed=True, team=in_process(folder))
    assert (again.done, again.failed) == (4, 1)
    assert [(one.position, one.attempt) for one in rows(folder)][3:] == [(3, 1), (3, 2)]


class OneDies(LocalTeam):
    """Kills its first worker in the middle of its third batch."""

    given = 0
    killed = 0

    def give(self, worker: str, batch: object) -> None:
        super().give(worker, batch)  # type: ignore[arg-type]
        self.given += 1
        if self.given == 3:
            time.sleep(0.05)
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
    state = execute(shot, ExecutionSettings(workers=2), team=team)
    assert team.killed == 1
    assert (state.status, state.done, state.failed) == ("finished", 30, 0)
    assert rows(shot) == quiet


@pytest.mark.parametrize("status", ["running", "paused"])
def test_what_a_killed_process_left_half_written_is_taken_away(
    tmp_path: Path, few: list[Prompt], status: str
) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.keep_state(replace(folder.state(), status=status, host=socket.gethostname()))
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
    monkeypatch.setattr("core.batch.execute.MOST_IN_BATCH", 1)
    monkeypatch.setattr("core.batch.local_team._END_S", 0.2)
    folder = made(tmp_path, small_plan(few[:6]))
    state = execute(folder, team=OneHangs(RunWork(folder.path), 1))
    assert (state.status, state.done, state.failed) == ("paused", 2, 0)
    folder.set_desired_state("run")
    assert done(folder).done == 6
    assert [one.position for one in rows(folder)] == list(range(6))


class PausedAtOnce(LocalTeam):
    """People pause the run as soon as a worker is ready."""

    def give(self, worker: str, batch: object) -> None:
        self._work.folder.set_desired_state("pause")
        super().give(worker, batch)  # type: ignore[arg-type]


@pytest.mark.process
def test_another_try_that_was_paused_is_not_finished(tmp_path: Path, few: list[Prompt]) -> None:
    plan = small_plan(few[:1])
    folder = made(tmp_path, plan)
    failed = ItemResult(0, 0, 0, 1, "failed", "no", verdicts=not_drawn("no", plan.rules))
    write_shard(folder.shard_folder / "s001w1-00000.parquet", [failed])
    team = PausedAtOnce(RunWork(folder.path), 1)
    assert execute(folder, retry_failed=True, team=team).status == "paused"
    folder.set_desired_state("run")
    state = execute(folder, retry_failed=True, team=in_process(folder))
    assert (state.status, state.failed) == ("finished", 0)
    assert [(one.attempt, one.status) for one in rows(folder)] == [(1, "failed"), (2, "drawn")]


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
    monkeypatch.setattr("core.batch.execute.MOST_IN_BATCH", 1)
    folder = made(tmp_path, small_plan(few[:6]))
    state = execute(folder, team=Poisoned(RunWork(folder.path), 1))
    assert (state.status, state.done, state.failed) == ("finished", 6, 1)
    failed = next(one for one in rows(folder) if one.position == 4)
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
    assert folder.state() == state


def test_only_one_process_is_at_a_run(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few))
    with held(folder.path / "lock", ""), pytest.raises(InUse, match="Pause it there"):
        execute(folder)
    with pytest.raises(BadInput, match="At least one worker"):
        execute(folder, ExecutionSettings(workers=0))


def test_whoever_looks_at_a_run_does_not_keep_it_from_beginning(
    tmp_path: Path, few: list[Prompt]
) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.set_desired_state("cancel")
    looking = held(folder.path / "lock", "", shared=True)
    looking.__enter__()
    with ThreadPoolExecutor(1) as pool:
        state = pool.submit(execute, folder)
        time.sleep(0.2)
        looking.__exit__(None, None, None)
        assert state.result().status == "cancelled"


def _at(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def test_a_run_that_another_machine_is_at_is_left_alone_where_locks_are_not_shared(
    tmp_path: Path, few: list[Prompt], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path, small_plan(few))
    folder.set_desired_state("cancel")
    there = BatchState(folder.run_id, "running", 30, host="elsewhere", updated_at=_at(0))
    folder.keep_state(there)
    monkeypatch.setattr(
        "core.batch.execute.time.sleep",
        lambda seconds: folder.keep_state(replace(there, updated_at=_at(seconds))),
    )
    with pytest.raises(InUse, match="elsewhere is at this run"):
        execute(folder)
    monkeypatch.setattr("core.batch.execute.time.sleep", lambda seconds: None)
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
    monkeypatch.setattr("core.runs.plan.RENDERER_VERSION", "99")
    with pytest.raises(BadInput, match="begun with renderer"):
        execute(folder)


def test_seeds_follow_each_other(tmp_path: Path, few: list[Prompt]) -> None:
    folder = made(tmp_path, small_plan(few[:1], images=3, seed=7))
    done(folder)
    assert [(one.seed, one.image) for one in rows(folder)] == [(7, 0), (8, 1), (9, 2)]
    with pytest.raises(BadInput, match="seeds"):
        small_plan(few[:1], images=2, seed=MAX_SEED)


def kept(folder: RunFolder) -> int:
    """How many results are safe now."""
    shards = sum(len(read_shard(path)) for path in folder.shards())
    journals: Iterator[Path] = folder.journal.glob("*.jsonl")
    return shards + sum(len(read_journal(path)) for path in journals if path.exists())


def wait_until(true: object, for_s: float = 600.0) -> None:
    until = time.monotonic() + for_s
    while not true():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.1)


def same_files(one: RunFolder, other: RunFolder) -> bool:
    """Whether both hold the same images and masks, and nothing half written."""
    names = [
        sorted(
            str(path.relative_to(folder.path))
            for part in (folder.images, folder.masks)
            for path in part.rglob("*")
            if path.is_file()
        )
        for folder in (one, other)
    ]
    return names[0] == names[1]
