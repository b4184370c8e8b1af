"""Which device each model of a run is on: reserved, expected, noted, and when memory runs out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core.runs.samples import apples, in_process, planned, rows, workers_of
from tests.core.runs.test_array import as_bytes, share
from tests.tiny_models.written import vision
from truehue.core.batch.journal import read_journal
from truehue.core.batch.team import Batch
from truehue.core.batch.worker import Worker
from truehue.core.fidelity.cfm.registration import Registration
from truehue.core.generation.memory import GenerationFailed
from truehue.core.generation.request import GeneratedImage
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import GIB, Machine, Placement
from truehue.core.runs.devices import devices_text, expected_devices, note_devices
from truehue.core.runs.estimate import trial
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.merge import merge
from truehue.core.runs.records import MaskerSpec, RunPlan
from truehue.core.runs.worker import ExecutionSettings, RunWork, WorkerSettings, execute

GROUNDED = MaskerSpec("grounded", "grounding-dino-base", "sam-vit-h", "janus-pro-1b")
NOWHERE = Sources()


def sdxl(masker: MaskerSpec = GROUNDED) -> RunPlan:
    return planned(apples(2), "sdxl-base-1.0", images=1, rules=("paper",), masker=masker)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets how much memory the GPU of this machine has free, in GiB."""

    def free(gib: float) -> None:
        card = Machine("cuda", "A card", 80 * GIB, int(gib * GIB), 256 * GIB, 16, True)
        modules = ("generation.opening", "masks.grounded.tools", "runs.devices")
        for module in (*modules, "fidelity.cfm.registration"):
            monkeypatch.setattr(f"truehue.core.{module}.machine", lambda: card)

    return free


def test_tools_have_their_place_before_the_pipeline_is_laid_out(gpu: Any) -> None:
    gpu(40)
    (whole,) = expected_devices(sdxl(), NOWHERE)
    assert "GiB of weights fit" in whole
    gpu(16)
    (alone,) = expected_devices(sdxl(MaskerSpec()), NOWHERE)
    assert "GiB of weights fit" in alone
    beside, *tools = expected_devices(sdxl(), NOWHERE)
    assert "Parts wait in main memory" in beside
    assert tools == []


def test_what_goes_to_the_cpu_is_said_before(gpu: Any) -> None:
    gpu(5)
    pipeline, *tools = expected_devices(sdxl(), NOWHERE)
    assert "layer" in pipeline.lower()
    assert any(text.startswith("sam-vit-h (segmenter)") and "On the CPU" in text for text in tools)


def test_cfm_has_its_place_beside_the_pipeline(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truehue.core.fidelity.cfm.registration.weights_gib", lambda cfm: 15.4)
    cfm = Registration("/home/ann/CFM_7B", "/cfm", "/cfm", "0" * 64, "{text_prompt}")
    plan = replace(sdxl(MaskerSpec()), cfm=cfm)
    said = {}
    for free in (40, 24, 12):
        gpu(free)
        pipeline, said[free] = expected_devices(plan, NOWHERE)
        if free == 24:  # where it would fit alone
            assert "Parts wait in main memory" in pipeline
    assert said[40].startswith("CFM_7B (map for CFR): 15.4 GiB of weights fit")
    assert said[24].startswith("CFM_7B (map for CFR): 15.4 GiB of weights fit")
    assert said[12].startswith("CFM_7B (map for CFR) is loaded as a whole or not at all: ")


def test_without_a_gpu_one_sentence_says_so() -> None:
    assert expected_devices(sdxl(), NOWHERE) == (
        "There is no GPU here: all models of this run compute on the CPU, much slower.",
    )
    renderer = planned(apples(1), images=1, rules=("paper",))
    assert expected_devices(renderer, NOWHERE) == ()


def test_notes_of_several_workers_are_counted_and_the_last_session_is_shown(tmp_path: Path) -> None:
    assert devices_text(tmp_path) == ()
    on_gpu = Placement("cuda", "bfloat16", "none", "6.5 GiB of weights fit.")
    full = Placement("cpu", "float32", "none", "2.4 GiB of weights do not fit: A card has 1 GiB.")
    for worker in ("s001w1", "s001w7"):
        note_devices(tmp_path, worker, {"model": ("m", replace(on_gpu, offload="sequential"))})
    for worker in ("s002w1", "s002w2", "a001of016s001w1"):
        note_devices(tmp_path, worker, {"segmenter": ("sam", full), "model": ("m", on_gpu)})
    assert devices_text(tmp_path) == (
        "model: m on the GPU, bfloat16 (3 workers)",
        f"segmenter: sam on the CPU, float32. {full.why} (3 workers)",
    )
    (tmp_path / "devices" / "s002w1.json").write_text("{")
    assert "(2 workers)" in devices_text(tmp_path)[0]


class Small:
    """A model that finds memory for its image in its last layout, or in none."""

    batch_size = 1
    memory_bytes = 0

    def __init__(self, layouts: list[str], works: bool) -> None:
        self.left, self.works = layouts, works
        self.placement = Placement("cuda", "bfloat16", "none", "")

    def make_room(self) -> bool:
        if not self.left:
            return False
        self.placement = replace(self.placement, offload=self.left.pop(0))  # type: ignore[arg-type]
        return True

    def draw(self, requests: Any, on_step: Any, stop: Any) -> list[GeneratedImage]:
        import torch

        if self.left or not self.works:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return [GeneratedImage(np.full((64, 64, 3), 90, np.uint8), {"model": "m"})]

    def unload(self) -> None:
        pass


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Does the first image of a run with a model, and returns its row and the run's folder."""
    made: list[Worker] = []
    monkeypatch.setattr("truehue.core.runs.worker.of_generator", lambda *about: {})

    def work(model: Small, masker: MaskerSpec) -> tuple[dict[str, Any], Path, dict[str, Any]]:
        asked: dict[str, Any] = {}

        def opened(*about: Any, **more: Any) -> Small:
            asked.update(more)
            return model

        monkeypatch.setattr("truehue.core.runs.worker.open_model", opened)
        folder = RunFolder.create(tmp_path / "runs", sdxl(masker))
        worker = Worker(RunWork(folder.path, WorkerSettings(NOWHERE)), "s001w1")
        made.append(worker)
        worker.work_on(Batch(0, ((0, 1),)))
        (row,) = [row for path in folder.journals() for row in read_journal(path)]
        return dict(row), folder.path, asked

    yield work
    for worker in made:
        worker.close()


@pytest.mark.weights
def test_memory_that_runs_out_moves_parts_before_the_image_fails(one: Any) -> None:
    row, folder, asked = one(Small(["model", "sequential"], works=True), MaskerSpec("whole"))
    assert (row["status"], asked) == ("drawn", {"reserved_bytes": 0})
    assert devices_text(folder) == (
        "model: sdxl-base-1.0 on the GPU, bfloat16, layers moved one by one, many times slower",
    )


@pytest.mark.weights
def test_an_image_fails_with_what_was_tried(one: Any) -> None:
    row, _, _ = one(Small(["model", "sequential"], works=False), MaskerSpec("whole"))
    assert (row["status"], row["reason"]) == (
        "failed",
        "Out of memory, also with layers moved one by one. Choose a smaller size, or fewer workers "
        "on this device.",
    )


@pytest.mark.weights
def test_a_run_notes_its_tools_and_reserves_them(one: Any, gpu: Any) -> None:
    tools = MaskerSpec(
        "grounded", f"folder:{vision('detector')}", f"folder:{vision('sam')}", "", "paper"
    )
    row, folder, asked = one(Small([], works=True), tools)
    assert row["status"] == "drawn"
    assert asked == {"reserved_bytes": pytest.approx(asked["reserved_bytes"])}
    assert asked["reserved_bytes"] > 0
    model, detector, *_ = devices_text(folder)
    assert model == "model: sdxl-base-1.0 on the GPU, bfloat16"
    assert detector == "detector: vision-detector on the CPU, float32"


class Together(Small):
    """Draws what it is asked for together, and notes it; the image of the seed ``bad`` is none."""

    def __init__(self, bad: int = 2) -> None:
        super().__init__([], works=True)
        self.asked: list[list[int]] = []
        self.bad = bad

    def draw(self, requests: Any, on_step: Any, stop: Any) -> list[GeneratedImage]:
        images: list[GeneratedImage] = self.draw_together(requests, on_step, stop)
        return images

    def draw_together(self, requests: Any, on_step: Any, stop: Any) -> list[Any]:
        self.asked.append([request.seed for request in requests])
        return [
            GenerationFailed("blacked out")
            if request.seed == self.bad
            else GeneratedImage(np.full((64, 64, 3), request.seed, np.uint8), {"model": "m"})
            for request in requests
        ]


def test_a_batch_is_drawn_once_whole_and_each_image_has_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Together()
    monkeypatch.setattr("truehue.core.runs.worker.of_generator", lambda *about: {})
    monkeypatch.setattr("truehue.core.runs.worker.open_model", lambda *about, **more: model)
    plan = planned(
        apples(2),
        "sdxl-base-1.0",
        images=4,
        rules=("paper",),
        masker=MaskerSpec("whole"),
        options={"batch": 3},
    )
    folder = RunFolder.create(tmp_path, plan)
    state = execute(folder, team=in_process(folder))
    assert (state.status, state.done, state.failed) == ("finished", 8, 2)
    assert model.asked == [[0, 1, 2], [3]] * 2
    drawn = [(row.seed, row.status) for row in rows(folder)]
    assert drawn == [(0, "drawn"), (1, "drawn"), (2, "failed"), (3, "drawn")] * 2
    # What a kill left of a batch is drawn in the same batch again.
    assert execute(folder, team=in_process(folder), retry_failed=True).failed == 2
    assert model.asked[4:] == [[0, 1, 2], [0, 1, 2]]


def test_a_batch_is_of_one_worker_and_one_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five seeds in batches of four: each batch is drawn once, and the rows are the same."""
    model = Together(bad=-1)
    monkeypatch.setattr("truehue.core.runs.worker.of_generator", lambda *about: {})
    monkeypatch.setattr("truehue.core.runs.worker.open_model", lambda *about, **more: model)
    masker, options = MaskerSpec("whole"), {"batch": 4}
    plan = planned(
        apples(4), "sdxl-base-1.0", images=5, rules=("paper",), masker=masker, options=options
    )
    alone, shared = RunFolder.create(tmp_path / "a", plan), RunFolder.create(tmp_path / "b", plan)
    crew = ExecutionSettings(workers=3)
    assert execute(alone, crew, team=in_process(alone)).status == "finished"
    assert len(workers_of(alone)) > 1
    once = [[0, 1, 2, 3], [4]] * 4
    assert sorted(model.asked) == sorted(once)
    model.asked.clear()
    for task in ("3/3", "1/3", "2/3"):
        assert share(shared, task) == "finished"
    assert merge(shared).status == "finished"
    assert sorted(model.asked) == sorted(once)
    assert as_bytes(shared) == as_bytes(alone)
    # A trial times whole batches.
    model.asked.clear()
    tried = trial(plan)
    assert model.asked == [[0, 1, 2, 3]] * 3
    assert tried.basis.startswith("Median of 2 batches of 4 generated now")
