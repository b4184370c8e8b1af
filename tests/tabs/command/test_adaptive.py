"""``python -m truehue runs start --adaptive``: rounds over ordinary runs, and what they say."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from tests.commands import called
from tests.core.runs.samples import apples, planned
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.runs.adaptive import Comparison, adaptive_text, learned_easiness
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import RunPlan
from truehue.core.runs.worker import CHOSEN_DONE, ExecutionSettings, execute
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
    assert "1 of 1 pair decided" in adaptive_text(right.path)
    assert (
        "1 of 1 pair decided" in called(main, "status", "ignored", "--data", str(tmp_path)).stdout
    )
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
    comparison.path.write_text("{}")
    with pytest.raises(BadInput, match="holds no rounds"):
        Comparison(folders)


def test_what_cannot_be_compared_is_refused(tmp_path: Path, folders: list[RunFolder]) -> None:
    one = called(main, "start", "--model", "small", "--adaptive", "--data", str(tmp_path))
    assert one.returncode == 2
    assert "two or more" in one.stderr
    none = called(main, "start", "--adaptive", "0", "--data", str(tmp_path))
    assert none.returncode == 2
    assert "a percentage above 0" in none.stderr
    other = RunFolder.create(tmp_path / "runs", apple_plan("none", 11))
    with pytest.raises(BadInput, match="the same prompts"):
        Comparison([folders[0], other])
