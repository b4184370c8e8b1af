"""Work as a job array: shares that know nothing of each other, and what becomes of the whole."""

from __future__ import annotations

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.core.batch import hold
from tests.core.batch.here import InProcess
from tests.core.batch.squares import Squares, begun
from tests.core.batch.test_squares import ROOT, all_of, rows
from truehue.core.batch.array import ArrayTask, TaskFolder, TaskWork, array_task, begin_task
from truehue.core.batch.execute import execute, merge
from truehue.core.batch.folder import LOCK
from truehue.core.batch.health import DAMAGED, state_of
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput


def share(work: Squares, task: str) -> BatchState:
    """One task, in this process."""
    part = begin_task(work, array_task(task))
    return execute(part, team=InProcess(part))


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/10001", "a/b", "1/2/3", "-1/2"])
def test_a_share_is_a_number_of_so_many(text: str) -> None:
    with pytest.raises(BadInput, match="as 3/16"):
        array_task(text)
    assert array_task("3/16") == ArrayTask(3, 16)


class InPairs(Squares):
    """Numbers that belong together two by two, the largest first."""

    def order(self) -> np.ndarray:
        return super().order()[::-1]

    def units(self, order: np.ndarray) -> np.ndarray:
        return order // 2 * 10


def test_every_item_is_of_one_share_and_units_stay_whole(tmp_path: Path) -> None:
    work = InPairs(begun(tmp_path, 21))
    shares = [TaskWork(work, ArrayTask(number, 4)).order() for number in range(1, 5)]
    assert sorted(np.concatenate(shares).tolist()) == list(range(21))
    # The first unit in the order is that of the 20 alone, the fifth that of 12 and 13.
    assert shares[0].tolist() == [20, 13, 12, 5, 4]
    assert [len(set((part // 2).tolist())) for part in shares] == [3, 3, 3, 2]
    assert TaskWork(work, ArrayTask(30, 40)).order().size == 0


def test_shares_in_any_order_give_the_rows_of_one_worker(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 50), bad=(13,))
    numbers = list(range(1, 8))
    random.Random(5).shuffle(numbers)
    for done, number in enumerate(numbers[:-1], 1):
        state = share(work, f"{number}/7")
        assert (state.status, state.total) == ("finished", len(range(number - 1, 50, 7)))
        whole = state_of(work.folder)
        assert whole.status == "paused"
        assert whole.done == sum(len(range(n - 1, 50, 7)) for n in numbers[:done])
        assert "have no result yet" in whole.message
    assert merge(work).status == "paused"
    assert share(work, f"{numbers[-1]}/7").status == "finished"
    assert state_of(work.folder).status == "finished"
    state = merge(work)
    assert (state.status, state.done, state.failed) == ("finished", 50, 1)
    wanted = [row if row[0] != 3 else (3, 1, "failed", None) for row in all_of(50)]
    assert rows(work.folder) == wanted
    # A second attempt is made by the share that has the item, and by no other.
    part = begin_task(work, ArrayTask(4, 7))
    execute(part, team=InProcess(part), retry_failed=True)
    assert merge(work).failed == 0
    assert [row[:3] for row in rows(work.folder) if row[0] == 3][1] == (3, 2, "done")


def test_work_without_tasks_waits_for_none(tmp_path: Path) -> None:
    state = merge(Squares(begun(tmp_path, 5)))
    assert (state.status, state.message) == ("paused", "")


def test_a_share_does_nothing_twice_and_another_array_goes_on(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 30))
    assert share(work, "2/3").done == 10
    assert share(work, "2/3").rate == 0.0
    for task in ("1/2", "2/2"):
        assert share(work, task).status == "finished"
    assert rows(work.folder) == all_of(30)
    assert execute(work, team=InProcess(work)).status == "finished"
    assert rows(work.folder) == all_of(30)


def test_a_damaged_shard_is_done_again_by_the_share_that_wrote_it(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 12))
    for task in ("1/3", "2/3"):
        share(work, task)
    (path,) = [path for path in work.folder.shards() if path.name.startswith("a002of003")]
    path.write_bytes(b"none")
    assert share(work, "3/3").status == "finished"
    assert path.is_file()
    assert share(work, "2/3").status == "finished"
    own = TaskFolder(work.folder, ArrayTask(2, 3))
    assert [item.name for item in (own.path / DAMAGED).iterdir()] == [path.name]
    assert merge(work).status == "finished"
    assert rows(work.folder) == all_of(12)


def test_nobody_takes_up_the_whole_while_a_share_is_at_work(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 12))
    part = begin_task(work, ArrayTask(2, 3))
    seen: list[str] = []

    def try_the_whole(state: BatchState) -> None:
        if not seen:
            for other in (merge, execute):
                with pytest.raises(InUse) as refused:
                    other(work)
                seen.append(str(refused.value))
            with pytest.raises(InUse):
                execute(begin_task(work, ArrayTask(2, 3)))
            with pytest.raises(InUse, match="an array of 3 are running"):
                begin_task(work, ArrayTask(1, 4))
            whole = state_of(work.folder)
            assert (whole.status, whole.total) == ("running", 12)
            assert whole.message == "Tasks of a job array are at work: 2/3."
            assert share(work, "1/3").done == 4

    assert execute(part, team=InProcess(part), watch=try_the_whole).done == 4
    assert seen == 2 * [
        "Tasks of a job array are running this list: 2/3. Pause it, or wait for them."
    ]
    with hold_lock(work.folder.path / LOCK, ""), pytest.raises(InUse, match="Another process"):
        share(work, "3/3")


def test_a_pause_of_one_is_no_pause_of_the_others_but_one_of_the_whole_is(tmp_path: Path) -> None:
    work = Squares(begun(tmp_path, 12))
    part = begin_task(work, ArrayTask(1, 3))
    part.folder.set_desired_state("pause")
    assert execute(part, team=InProcess(part)).done == 0
    assert share(work, "2/3").done == 4
    part.folder.set_desired_state("run")
    work.folder.set_desired_state("pause")
    assert execute(part, team=InProcess(part)).status == "paused"
    work.folder.set_desired_state("run")
    assert execute(part, team=InProcess(part)).done == 4


def test_a_share_goes_to_other_processes_as_where_it_is(tmp_path: Path) -> None:
    work = TaskWork(Squares(begun(tmp_path, 5), steps=3), ArrayTask(2, 3))
    copy = pickle.loads(pickle.dumps(work))
    assert copy.whole.steps == 3
    assert (copy.task, copy.order().tolist()) == (work.task, [1, 4])
    assert copy.folder.path == work.folder.path


@pytest.mark.process
def test_shares_that_are_killed_at_work_lose_nothing(tmp_path: Path) -> None:
    """Two at once in processes of their own; both are killed, with rows in their journals."""
    work = Squares(begun(tmp_path, 60))
    processes = {}
    for task in ("3/4", "1/4"):
        command = [sys.executable, "-m", "tests.core.batch.squares", str(work.folder.path), "1"]
        environment = hold.environment(9, most_lines=7)
        processes[task] = subprocess.Popen([*command, task], cwd=ROOT, env=environment)
    for task, process in processes.items():
        while hold.safe_results(work.folder, array_task(task).prefix) < 9:
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    for task in ("4/4", "1/4", "2/4", "3/4"):
        assert share(work, task).status == "finished"
    assert merge(work).status == "finished"
    assert rows(work.folder) == all_of(60)
    assert not work.folder.journals()
