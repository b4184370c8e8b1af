"""Work without pictures, from its plan to its rows: what truehue.core.batch promises of any
kind."""

from __future__ import annotations

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pyarrow.parquet as pq
import pytest

from tests.core.batch import hold
from tests.core.batch.here import InProcess
from tests.core.batch.squares import OnGpu, Squarer, Squares, SquaresFolder, begun
from truehue.core.batch.execute import WorkerPool, execute
from truehue.core.batch.folder import PLAN, BatchFolder
from truehue.core.batch.health import state_of
from truehue.core.batch.journal import LEFT_OUT
from truehue.core.batch.local_team import LocalTeam
from truehue.core.batch.records import DONE, BatchState, Row
from truehue.core.batch.results import tables
from truehue.core.batch.team import DONE as DONE_BATCH
from truehue.core.batch.team import READY, Batch
from truehue.core.batch.work import ItemFailed, WorkerContext
from truehue.core.batch.worker import Worker
from truehue.core.errors import BadInput, DataFolderError

ROOT = Path(__file__).resolve().parents[3]


def rows(folder: BatchFolder) -> list[tuple[int, int, str, int | None]]:
    """Position, attempt, status and square of every row of every shard, in order."""
    tables = [pq.read_table(path).to_pylist() for path in folder.shards()]
    result = [row for table in tables for row in table]
    return sorted((r["position"], r["attempt"], r["status"], r["square"]) for r in result)


def all_of(total: int, first: int = 10) -> list[tuple[int, int, str, int | None]]:
    return [(index, 1, DONE, (first + index) ** 2) for index in range(total)]


def here(work: Squares, retry: bool = False, **more: Callable[[BatchState], None]) -> BatchState:
    return execute(work, team=InProcess(work), retry_failed=retry, **more)


def test_numbers_are_squared_once(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 100))
    state = here(work)
    assert (state.status, state.total, state.done, state.failed) == ("finished", 100, 100, 0)
    assert rows(work.folder) == all_of(100)
    assert state_of(work.folder) == state
    assert not list(work.folder.journal.iterdir())
    again = here(work)
    assert (again.done, again.rate, rows(work.folder)) == (100, 0.0, all_of(100))


def test_what_failed_has_its_reason_and_is_tried_again_on_request(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 5), bad=(11, 13))
    state = here(work)
    assert (state.status, state.done, state.failed) == ("finished", 5, 2)
    assert dict(state.problems) == {"11 has no square today.": 1, "13 has no square today.": 1}
    failed = [row for path in work.folder.shards() for row in pq.read_table(path).to_pylist()][1]
    assert (failed["number"], failed["square"]) == (11, None)
    assert here(work).failed == 2
    assert here(work, retry=True).failed == 0
    assert [row[:3] for row in rows(work.folder) if row[0] == 1] == [
        (1, 1, "failed"),
        (1, 2, DONE),
    ]


def test_a_pause_gives_up_the_number_in_work_and_steps_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("truehue.core.batch.execute._STATE_S", 0.0)  # told after every batch
    work = Squares(begun(tmp_path, 40), steps=4)
    seen: list[int] = []

    def pause_early(state: BatchState) -> None:
        seen.append(state.steps)
        if state.done:
            work.folder.set_desired_state("pause")

    state = here(work, watch=pause_early)
    assert state.status == "paused"
    assert 0 < state.done < 40
    done = rows(work.folder)
    assert done == all_of(state.done)
    assert seen == sorted(seen)
    assert seen[-1] == 4 * state.done
    work.folder.set_desired_state("run")
    state = here(work)
    assert (state.status, rows(work.folder)) == ("finished", all_of(40))
    assert state.steps == 4 * (40 - len(done))


def test_a_pause_in_the_middle_of_a_number_leaves_no_row_of_it(tmp_path: Path) -> None:
    class Paused(Squarer):
        def do(self, position: int, attempt: int) -> Row:
            self._work.folder.set_desired_state("pause")
            self._context._looked = 0.0  # the folder's wish is due to be looked up
            return super().do(position, attempt)

    class PausedInside(Squares):
        def open(self, context: WorkerContext) -> Squarer:
            return Paused(self, context)

    work = PausedInside(begun(tmp_path, 3), steps=2)
    state = here(work)
    assert (state.status, state.done, state.failed) == ("paused", 0, 0)
    assert rows(work.folder) == []
    work.folder.set_desired_state("run")
    assert here(Squares(work.folder.path, steps=2)).status == "finished"
    assert rows(work.folder) == all_of(3)


@pytest.mark.process
def test_a_list_that_is_killed_twice_ends_with_the_rows_of_an_undisturbed_one(
    tmp_path: Path,
) -> None:
    total = 40
    folder = SquaresFolder(begun(tmp_path, total))
    chance = random.Random(7)  # seeded, so that a failure can be looked at again
    for enough in (18, 18 + chance.randint(1, 18)):
        command = [sys.executable, "-m", "tests.core.batch.squares", str(folder.path), "2"]
        process = subprocess.Popen(command, cwd=ROOT, env=hold.environment(9, most_lines=7))
        while hold.safe_results(folder) < enough:
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert state_of(folder).status == "interrupted"
    assert 0 < hold.safe_results(folder) < total
    assert here(Squares(folder.path)).status == "finished"
    assert rows(folder) == all_of(total)


@pytest.mark.process
def test_a_number_that_ends_every_process_becomes_a_failure(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 3), deadly=(11,))
    state = execute(work, WorkerPool(workers=1, threads=1))
    assert (state.status, state.done, state.failed) == ("finished", 3, 1)
    ((reason, _),) = state.problems
    assert reason == (
        "While this number was in work the worker died 2 times: its process ended with status 3."
    )
    assert [row[0] for row in rows(work.folder)] == [0, 1, 2]


def test_a_list_begun_otherwise_does_not_go_on(tmp_path: Path) -> None:
    path = begun(tmp_path, 3)
    plan = json.loads((path / PLAN).read_text())
    (path / PLAN).write_text(json.dumps({**plan, "version": 2}))
    with pytest.raises(BadInput, match="other squares"):
        here(Squares(path))
    (path / PLAN).write_text(json.dumps({**plan, "imported": {"name": "a.zip"}}))
    with pytest.raises(BadInput, match="This list was imported"):
        here(Squares(path))
    (path / PLAN).write_text(json.dumps({**plan, "format": 2}))
    with pytest.raises(BadInput, match="Use the version that began the list"):
        here(Squares(path))


def test_lines_that_are_none_of_the_lists_are_left_out_with_a_reason(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 3))
    good = {"position": 1, "attempt": 1, "status": DONE, "reason": "", "number": 11, "square": 121}
    lines = [{**good, "position": 3}, {**good, "attempt": 0}, {**good, "square": "many"}, good]
    (work.folder.journal / "s001w1-00000.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )
    assert here(work).status == "finished"
    assert rows(work.folder) == all_of(3)
    said = [json.loads(line) for line in (work.folder.path / LEFT_OUT).read_text().splitlines()]
    assert [item["reason"].partition(":")[0] for item in said] == [
        "the position 3 is not among the list's 3",
        "the attempt at the position 1 has no number or no status",
        "its columns do not fit",
    ]


def test_a_folder_that_cannot_be_written_ends_the_work_and_fails_no_number(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 3))
    work.folder.journal.rmdir()
    work.folder.journal.write_text("a file stands in the way")
    worker = Worker(work, "w1", 1)
    with pytest.raises(DataFolderError, match="cannot be written"):
        worker.work_on(Batch(0, ((0, 1),)))
    work.folder.journal.unlink()
    work.folder.journal.mkdir()
    worker.close()
    assert here(work).failed == 0


@pytest.mark.parametrize("within", [False, True])
def test_work_that_lacks_a_package_pauses_and_fails_no_number(
    tmp_path: Path, within: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = ModuleNotFoundError("No module named 'ray'", name="ray")

    def do(self: object, position: int, attempt: int) -> Row:
        if within:
            raise ItemFailed("It broke.", {}) from lacking
        raise lacking

    monkeypatch.setattr("tests.core.batch.squares.Squarer.do", do)
    state = here(Squares(begun(tmp_path, 3)))
    assert (state.status, state.done, state.failed) == ("paused", 0, 0)
    assert state.message.startswith("Install truehue[ray] to use this (missing: ray).")


def test_only_the_positions_of_the_order_are_done(tmp_path: Path) -> None:
    class Some(Squares):
        def order(self):  # type: ignore[no-untyped-def]
            return super().order()[3:0:-2]

    work = Some(begun(tmp_path, 5))
    state = here(work)
    assert (state.status, state.done) == ("finished", 2)
    assert rows(work.folder) == [all_of(5)[1], all_of(5)[3]]


def test_the_latest_row_of_each_number_comes_back_in_order(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 5), bad=(11,))
    columns = ("position", "attempt", "square")
    assert list(tables(work)) == []
    assert here(work).failed == 1
    assert here(work, retry=True).failed == 0
    result = list(tables(work, columns, size=2))
    assert [table.num_rows for table in result] == [2, 2, 1]
    said = [tuple(row.values()) for table in result for row in table.to_pylist()]
    assert said == [(0, 1, 100), (1, 2, 121), (2, 1, 144), (3, 1, 169), (4, 1, 196)]
    # What a worker has in its journal counts too, and what is none of the list's does not.
    line = {"position": 0, "attempt": 2, "status": DONE, "reason": "", "number": 10, "square": 7}
    (work.folder.journal / "s009w1-00000.jsonl").write_text(
        "".join(json.dumps({**line, "position": index}) + "\n" for index in (0, 77))
    )
    (table,) = tables(work, columns)
    assert table["square"].to_pylist() == [7, 121, 144, 169, 196]
    assert table.schema.names == list(columns)


def test_work_goes_to_other_processes_as_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = begun(tmp_path, 5)
    monkeypatch.chdir(tmp_path)
    work = Squares(path.relative_to(tmp_path), steps=3)
    assert work.total == 5
    text = pickle.dumps(work)
    monkeypatch.chdir(ROOT)
    copy = pickle.loads(text)
    assert (copy.steps, copy.total, copy.folder.path) == (3, 5, path)


NODE = """
import os

names = {"4": "A card", "MIG-b": "A part of a card"}
assert "CUDA_VISIBLE_DEVICES" in os.environ
visible = [names[entry] for entry in os.environ["CUDA_VISIBLE_DEVICES"].split(",")]


class cuda:
    is_available = staticmethod(lambda: bool(visible))
    mem_get_info = staticmethod(lambda: (2**30, 2**31))
    memory_reserved = memory_allocated = staticmethod(lambda: 0)
    get_device_name = staticmethod(lambda: visible[0] if len(visible) == 1 else f"{len(visible)} GPUs")
    is_bf16_supported = staticmethod(lambda including_emulation: True)
"""
"""A torch that reads what is visible when it is first asked, as CUDA does."""


@pytest.mark.process
def test_each_worker_sees_a_gpu_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With real processes, and a torch of made-up GPUs."""
    (tmp_path / "torch.py").write_text(NODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,MIG-b")
    monkeypatch.setattr("truehue.core.machine._gpu_files", lambda: 8)
    work = OnGpu(begun(tmp_path, 4))
    team = LocalTeam(work, 1)
    seen: dict[str, str] = {}

    def run(*workers: str) -> None:
        """Starts these workers, and has each say what it sees."""
        for worker in workers:
            team.start(worker)
        waiting = set(workers)
        while waiting:
            for event in team.events(0.1):
                if event.kind == READY:
                    team.give(event.worker, Batch(len(seen), ((len(seen), 1),)))
                    seen[event.worker] = ""
                elif event.kind == DONE_BATCH:
                    ((_, _, seen[event.worker]),) = event.items
                    waiting.discard(event.worker)

    try:
        run("s001w1", "s001w2", "s001w3")
        # The third shares the first one's; whoever comes for one that died takes its place.
        assert seen == {
            "s001w1": "cuda A card",
            "s001w2": "cuda A part of a card",
            "s001w3": "cuda A card",
        }
        pid = team.pid("s001w2")
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        while team.pid("s001w2") is not None:
            team.events(0.1)
        run("s001w4")
        assert seen["s001w4"] == "cuda A part of a card"
    finally:
        team.close()
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "4,MIG-b"


def test_a_state_of_before_there_were_steps_is_read(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 2))
    state = here(work)
    path = work.folder.path / "state.json"
    fields = json.loads(path.read_text())
    del fields["steps"]
    path.write_text(json.dumps({**fields, "later": 1}))
    assert state_of(work.folder) == replace(state, steps=0)


@pytest.mark.process
def test_long_work_asks_for_no_pictures() -> None:
    """Neither truehue.core.batch nor a kind of work on it loads what knows pictures."""
    modules = sorted(
        f"truehue.core.batch.{path.stem}" for path in (ROOT / "core/batch").glob("[!_]*.py")
    )
    assert "truehue.core.batch.execute" in modules
    code = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(*sorted(sys.modules))"
    )
    command = [sys.executable, "-c", code, *modules, "tests.core.batch.squares"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    ours = {name for name in loaded if name.startswith("truehue.core.") and name.count(".") == 2}
    assert ours == {
        "truehue.core.batch",
        "truehue.core.errors",
        "truehue.core.files",
        "truehue.core.machine",
        "truehue.core.packages",
    }
    assert not loaded & {"PIL", "cv2", "torch", "scipy"}


class ExpectingSquarer(Squarer):
    """Notes what it is told to expect, and that it is asked for just that."""

    told: ClassVar[list[list[int]]] = []

    def expect(self, items: tuple[tuple[int, int], ...]) -> None:
        self.told.append([position for position, _ in items])
        self._next = iter(items)

    def do(self, position: int, attempt: int) -> Row:
        assert next(self._next) == (position, attempt)
        return super().do(position, attempt)


class SeveralAtOnce(Squares):
    """Squares whose doer knows what comes next."""

    at_once = 8

    def open(self, context: WorkerContext) -> Squarer:
        return ExpectingSquarer(self, context)


def test_who_does_several_at_once_is_told_of_so_many(tmp_path: Path) -> None:
    ExpectingSquarer.told.clear()
    work = SeveralAtOnce(begun(tmp_path, 21), bad=(12,))
    assert here(work).failed == 1
    message = ExpectingSquarer.told
    assert [position for batch in message for position in batch] == list(range(21))
    assert all(len(batch) >= 8 for batch in message[:-1])
    assert here(work, retry=True).failed == 0
    assert message[-1] == [2]
