"""``python -m truehue runs start --adaptive``: rounds over ordinary runs, and what they say."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from tests.commands import called
from tests.core.batch.here import InProcess
from tests.core.runs.samples import apples, planned
from truehue.core.batch.array import array_task, begin_task
from truehue.core.batch.health import state_of
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.batch.records import CHOSEN_DONE
from truehue.core.errors import BadInput
from truehue.core.export.archive import write_archive
from truehue.core.export.archive_import import open_archive
from truehue.core.export.source import ExportRun
from truehue.core.runs.adaptive import (
    Comparison,
    checked_order,
    learned_easiness,
    portable_order,
    saved_order,
)
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import RunPlan
from truehue.core.runs.worker import ExecutionSettings, RunWork, execute
from truehue.tabs.command.adaptive import execute_rounds
from truehue.tabs.command.runs import main


@pytest.fixture
def folders(tmp_path: Path, workers_here: None, monkeypatch: pytest.MonkeyPatch) -> list[RunFolder]:
    """The renderer as it should be, and ignoring the color: two runs of 36 images."""
    monkeypatch.setattr("truehue.core.runs.controls.MIN_IMAGES", 1_000)
    return [
        RunFolder.create(tmp_path / "runs", apple_plan(failure)) for failure in ("none", "ignored")
    ]


def apple_plan(failure: str, prompts: int = 12) -> RunPlan:
    return planned(
        apples(prompts),
        images=3,
        size_px=64,
        options={"failure": failure},
        rules=("truehue",),
        name=failure,
    )


def rounds(tmp_path: Path, folders: list[RunFolder], percent: float, as_json: bool) -> int:
    options = Namespace(adaptive=percent, json=as_json, data=str(tmp_path), shared=None)
    return execute_rounds(options, folders, ExecutionSettings())


def test_rounds_decide_the_order_and_leave_ordinary_runs(
    tmp_path: Path, folders: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    right, wrong = folders
    assert rounds(tmp_path, folders, 7.0, as_json=False) == 0
    undecided = capsys.readouterr().out
    assert "0 of 1 pair decided" in undecided
    assert undecided.count("rank 1–2") == 2
    few = [state_of(folder).done for folder in folders]
    assert few[0] == few[1] <= 3
    # With more images the same rounds go on.
    assert rounds(tmp_path, folders, 60.0, as_json=True) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (said["decided"], said["pairs"], said["total"]) == (1, 1, 72)
    first, last = said["order"]
    assert first["run_id"] == right.run_id
    assert last["run_id"] == wrong.run_id
    assert first["percent"] > 80 > 40 > last["percent"]
    assert (first["rank"], last["rank"]) == ([1, 1], [2, 2])
    for folder in folders:
        state = state_of(folder)
        assert (state.status, state.message) == ("paused", CHOSEN_DONE)
        assert few[0] < state.done < state.total
    assert state_of(right).done + state_of(wrong).done == said["images"]
    text, models = saved_order(right.path)
    assert "1 of 1 pair decided" in text
    assert [(row["run_id"], row["rank_text"]) for row in models] == [
        (right.run_id, "1"),
        (wrong.run_id, "2"),
    ]
    status = called(main, "status", "ignored", "--data", str(tmp_path)).stdout
    assert "1 of 1 pair decided" in status
    assert f"  chosen images done: {state_of(wrong).done} of 36 images" in status
    # What is decided takes no more images, in whichever order the runs are named.
    assert rounds(tmp_path, [wrong, right], 100.0, as_json=False) == 0
    assert state_of(right).done + state_of(wrong).done == said["images"]
    # An ordinary run goes on to the whole set.
    assert execute(right).status == "finished"
    # Another comparison learns from it which prompts are hard: all are easy.
    easy = learned_easiness(right.plan(), right.plan().rules[0], right.path.parent, [wrong])
    assert (easy > 0).mean() > 0.8


def test_a_round_that_was_broken_off_is_the_next_one(
    tmp_path: Path, folders: list[RunFolder]
) -> None:
    comparison = Comparison(folders)
    sample = comparison.next_sample(20)
    assert sample is not None
    assert not comparison.take_up()
    again = Comparison(folders).next_sample(90)
    assert again is not None
    assert np.array_equal(again.positions, sample.positions)
    assert again.weights == pytest.approx(sample.weights)
    with hold_lock(comparison.path.with_suffix(".lock"), ""), pytest.raises(InUse):
        rounds(tmp_path, folders, 60.0, as_json=True)
    comparison.path.write_text("{}")
    with pytest.raises(BadInput, match="holds no rounds"):
        Comparison(folders)


def test_the_order_travels_in_the_archives_of_its_runs(
    tmp_path: Path, folders: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    assert rounds(tmp_path, folders, 7.0, as_json=False) == 0
    there = tmp_path / "there"
    for folder in folders:
        packed = tmp_path / f"{folder.run_id}.truehue.zip"
        write_archive(ExportRun(folder), packed)
        back = open_archive(packed, there)
        assert saved_order(back.path) == saved_order(folder.path)
    here = Comparison(folders)
    again = Comparison([RunFolder(there / folder.run_id) for folder in folders])
    assert again.ranking() == here.ranking() != []
    assert again.images == here.images
    # The next round is the one that would follow here.
    samples = [comparison.next_sample(40) for comparison in (here, again)]
    first, second = (sample.positions.tolist() for sample in samples if sample is not None)
    assert first == second


def test_a_damaged_order_of_an_archive_is_refused(
    tmp_path: Path, folders: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    assert rounds(tmp_path, folders, 7.0, as_json=False) == 0
    run_id, total = folders[0].run_id, folders[0].total
    content = portable_order(folders[0])
    assert content is not None
    record = json.loads(content)
    assert checked_order(record, run_id, total) == record
    (first, *_), (model, *_) = record["rounds"], record["order"]
    wrong: list[dict[str, object]] = [
        {"format": 9},
        {"runs": record["runs"][:1]},
        {"comparison": "../../elsewhere"},
        {"rule": "truehue"},
        {"rounds": []},
        {"rounds": [{**first, "positions": [total] * len(first["positions"])}]},
        {"rounds": [{**first, "models": [0, 2]}]},
        {"rounds": [{**first, "weights": first["weights"][1:]}]},
        {"rounds": [{**first, "expected": [["much"]]}]},
        {"text": 5},
        {"text": "long " * 1_000},
        {"order": [model] * 3},
        {"order": [{**model, "percent": "much"}]},
        {"order": [{}]},
    ]
    for changed in wrong:
        with pytest.raises(BadInput):
            checked_order({**record, **changed}, run_id, total)
    with pytest.raises(BadInput, match="not of this run"):
        checked_order(record, "0" * 16, total)


def test_what_cannot_be_compared_is_refused(tmp_path: Path, folders: list[RunFolder]) -> None:
    one = called(main, "start", "--model", "small", "--adaptive", "--data", str(tmp_path))
    assert one.returncode == 2
    assert "two or more" in one.stderr
    none = called(main, "start", "--adaptive", "0", "--data", str(tmp_path))
    assert none.returncode == 2
    assert "a percentage above 0" in none.stderr
    both = ("--model", "small", "--model", "reference-renderer")
    array = called(main, "start", *both, "--adaptive", "--plan-only", "--data", str(tmp_path))
    assert array.returncode == 2
    assert "leave out --plan-only" in array.stderr
    other = RunFolder.create(tmp_path / "runs", apple_plan("none", 11))
    with pytest.raises(BadInput, match="the same prompts"):
        Comparison([folders[0], other])


def test_images_of_tasks_of_a_job_array_are_taken_up(
    tmp_path: Path, folders: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    """Also in a folder of --shared, which has no database."""
    for folder in folders:
        task = array_task("1/2")
        part = begin_task(RunWork(folder.path), task)
        assert execute(folder, team=InProcess(part), task=task).status == "finished"
    options = Namespace(adaptive=60.0, json=True, data=str(tmp_path), shared=str(tmp_path / "runs"))
    assert execute_rounds(options, folders, ExecutionSettings()) == 0
    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert said["decided"] == 1
    # Half of each run was there: the rounds added only what they chose beyond it.
    for folder in folders:
        assert 18 < state_of(folder).done < 18 + said["images"] / 2
