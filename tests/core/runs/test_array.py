"""Runs as job arrays: the rows of one worker, byte for byte, and those of copies elsewhere."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path
from subprocess import Popen

import pyarrow as pa
import pytest

from tests.core.batch.here import InProcess
from tests.core.runs.samples import OBJECTS, apples, begun, done, many_prompts, small_plan
from truehue.core.batch.array import ArrayTask, TaskWork, array_task, begin_task
from truehue.core.batch.health import state_of
from truehue.core.batch.results import tables
from truehue.core.errors import BadInput
from truehue.core.files import content_path
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.merge import merge
from truehue.core.runs.plan import make_plan
from truehue.core.runs.provenance import OtherWeights, pin
from truehue.core.runs.records import GenerationPlan
from truehue.core.runs.worker import RunWork, execute

CLOCK = ("seconds", "scoring_seconds", "worker")
"""What is another's in every run."""


def as_bytes(folder: RunFolder) -> bytes:
    """All rows of a run by position, as Arrow writes them."""
    work = RunWork(folder.path)
    schema = pa.schema([field for field in work.schema() if field.name not in CLOCK])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        for table in tables(work, schema.names):
            stream.write_table(table.cast(schema))
    return bytes(sink.getvalue())


def files(folder: RunFolder) -> dict[str, bytes]:
    """Images and masks, by name."""
    parts = (folder.images, folder.masks)
    return {path.name: path.read_bytes() for part in parts for path in part.rglob("*.*")}


def share(folder: RunFolder, task: str) -> str:
    """One task, in this process; how it ended."""
    part = begin_task(RunWork(folder.path), array_task(task))
    return execute(folder, team=InProcess(part), task=array_task(task)).status


def test_a_prompt_and_a_scene_are_of_one_share(tmp_path: Path) -> None:
    scenes = RunWork(RunFolder.create(tmp_path, small_plan(apples(4), images=3)).path)
    # One scene a seed, whatever the color.
    orders = [TaskWork(scenes, ArrayTask(number, 3)).order().tolist() for number in (1, 2, 3)]
    assert orders == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    drawing = GenerationPlan(images=3, guidances=(3.0, 5.0))
    plan = make_plan(apples(4), "sdxl-base-1.0", drawing=drawing)
    prompts = RunWork(RunFolder.create(tmp_path, plan).path)
    assert TaskWork(prompts, ArrayTask(2, 3)).order().tolist() == [6, 7, 8, 9, 10, 11]


def test_shares_give_the_bytes_of_one_worker(tmp_path: Path) -> None:
    plan = small_plan(apples(6), images=4)
    alone, shared = RunFolder.create(tmp_path / "a", plan), RunFolder.create(tmp_path / "b", plan)
    assert done(alone).status == "finished"
    for task in ("4/5", "1/5", "5/5", "2/5", "3/5"):
        assert share(shared, task) == "finished"
    assert merge(shared).status == "finished"
    assert as_bytes(shared) == as_bytes(alone)
    assert files(shared) == files(alone)


def test_copies_on_other_disks_are_merged(tmp_path: Path) -> None:
    plan = small_plan(apples(6), images=4)
    alone, here = RunFolder.create(tmp_path / "a", plan), RunFolder.create(tmp_path / "b", plan)
    assert done(alone).status == "finished"
    copies = []
    for task in ("1/3", "3/3"):
        copy = tmp_path / f"copy-{task[0]}" / here.run_id
        shutil.copytree(here.path, copy)
        assert share(RunFolder(copy), task) == "finished"
        copies.append(copy)
    assert share(here, "2/3") == "finished"
    assert (merge(here).status, merge(here, copies[:1]).done) == ("paused", 18)
    assert merge(here, copies).status == "finished"
    assert as_bytes(here) == as_bytes(alone)
    assert files(here) == files(alone)
    before = [path.name for path in here.shards()]
    assert merge(here, copies).status == "finished"
    assert [path.name for path in here.shards()] == before


def test_what_is_no_copy_of_the_run_is_refused(tmp_path: Path) -> None:
    plan = small_plan(apples(2), images=2)
    here = RunFolder.create(tmp_path / "a", plan)
    other = RunFolder.create(tmp_path / "b", small_plan(apples(2), images=3))
    with pytest.raises(BadInput, match="only copies of one run"):
        merge(here, [other.path])
    copy = RunFolder.create(tmp_path / "c", plan)
    assert share(copy, "1/1") == "finished"
    (first, *_) = tables(RunWork(copy.path), ["image_id"])
    lost = content_path(copy.images, first["image_id"][0].as_py())
    content = lost.read_bytes()
    lost.unlink()
    with pytest.raises(BadInput, match=f"without its file {lost.name}"):
        merge(here, [copy.path])
    lost.write_bytes(content)
    pin(here.path, "model", {"repo": "a/b", "revision": "1"})
    pin(copy.path, "model", {"repo": "a/b", "revision": "2"})
    with pytest.raises(OtherWeights):
        merge(here, [copy.path])
    assert state_of(here).done == 0


@pytest.mark.nightly
@pytest.mark.process
def test_sixteen_shares_killed_at_random_give_the_bytes_of_one_worker(tmp_path: Path) -> None:
    """Four at a time, each with one worker; most are killed once or twice wherever they are."""
    plan = small_plan(many_prompts(1_200, several=200, objects=OBJECTS))
    alone, shared = RunFolder.create(tmp_path / "a", plan), RunFolder.create(tmp_path / "b", plan)
    assert done(alone).status == "finished"
    chance = random.Random(16)  # seeded, so that a failure can be looked at again
    waiting = [f"{number}/16" for number in range(1, 17) for _ in range(chance.randint(1, 3))]
    chance.shuffle(waiting)
    kills = 0
    active: dict[str, tuple[Popen[bytes], float]] = {}
    while waiting or active:
        for share_text in waiting:
            if len(active) < 4 and share_text not in active:
                waiting.remove(share_text)
                process = begun(shared, 1, hold_at=10**9, most_lines=9, share=share_text)
                active[share_text] = (process, time.monotonic() + chance.uniform(2, 20))
                break
        for share_text, (process, until) in list(active.items()):
            last = share_text not in waiting
            if process.poll() is not None:
                assert process.returncode == 0
                del active[share_text]
            elif not last and time.monotonic() > until:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                del active[share_text]
                kills += 1
        time.sleep(0.05)
    assert kills >= 8
    assert merge(shared).status == "finished"
    assert as_bytes(shared) == as_bytes(alone)
    assert files(shared) == files(alone)
