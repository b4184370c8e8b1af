"""What a demonstration shows before anybody has done anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from truehue.storage import Storage
from truehue.tabs.compare.concept.service import choices_view
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.generate import examples
from truehue.tabs.generate.examples import EXAMPLES, Example, listed
from truehue.tabs.page.roles import Actor, Role
from truehue.tabs.runs.list import runs_view
from truehue.tabs.shell import samples
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.samples import SAMPLE, make_samples
from truehue.tabs.shell.workspaces import Demonstration, Guest

pytestmark = pytest.mark.slow

FULL, SIDE = examples.SIZE_PX, 100
"""Pixels of an example, and of one in these tests."""


def smaller(example: Example) -> Example:
    """The example as it is at that size."""
    if example.box is None:
        return example
    x0, y0, x1, y1 = (v * SIDE // FULL for v in example.box)
    return replace(example, box=(x0, y0, x1, y1))


@pytest.fixture
def demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers_here: None
) -> Iterator[Demonstration]:
    few = [{**fields, "limit": 1} for fields in samples.RUNS]
    monkeypatch.setattr(samples, "RUNS", few)
    monkeypatch.setattr(samples, "SIZE_PX", 64)
    monkeypatch.setattr(examples, "SIZE_PX", SIDE)
    monkeypatch.setattr(examples, "EXAMPLES", tuple(map(smaller, EXAMPLES)))
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data", demo=True)
        assert isinstance(context, Demonstration)
        yield context
        context.close()


def test_there_is_something_in_every_room(demo: Demonstration) -> None:
    make_samples(demo)
    made = (demo.storage.images.count(), demo.storage.drawings.count())
    demo.begin()  # as at the next start
    demo._preparing.join()
    assert (demo.storage.images.count(), demo.storage.drawings.count()) == made
    workspace = demo.desks.of(Guest("a" * 32))
    assert workspace is not None
    assert all(example["image"] for example in listed(workspace)["examples"])
    assert len(listed(workspace)["examples"]) == len(EXAMPLES)
    for example in listed(workspace)["examples"]:
        assert example["question"] is not None
        assert example["question"]["image"] == example["image"]
        assert bool(example["question"]["mask"]) == (example["key"] == "boxed")
    assert workspace.storage.drawings.count() == 2
    board = str(leaderboard_view(workspace, {"rule": "truehue"}))
    runs = runs_view(workspace, Actor("a" * 32, Role.VISITOR))["runs"]
    assert len(runs) == len(samples.RUNS)
    for run in runs:
        assert run["name"].startswith(SAMPLE)
        assert run["name"] in board
        assert run["stored"] == 1
        assert "a sample" in run["facts"]
        # Nobody changes what all see.
        assert not any(run["may"][label] for label in ("pause", "resume", "cancel", "hide"))
    begin = choices_view(workspace, {"concept": "concept-0044"})["begin"]
    people, *images = (source.partition(":")[0] for source in begin)
    assert (people, set(images)) == ("set", {"run"})


def test_runs_of_the_owners_own_are_the_samples(demo: Demonstration) -> None:
    samples._start(demo, {**samples.RUNS[0], "name": "Mine"})
    samples._finish(demo, lambda: False)
    make_samples(demo)
    assert [run.name for run in demo.storage.runs.all()] == ["Mine"]
    assert demo.storage.drawings.count() == 0
    assert all(example["image"] for example in listed(demo)["examples"])


def test_without_examples_there_are_no_samples(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data", demo=True, example=False)
        assert isinstance(context, Demonstration)
        context.begin()
        workspace = context.desks.of(Guest("a" * 32))
        assert workspace is not None
        assert not any(example["image"] for example in listed(workspace)["examples"])
        context.close()
