"""Drawing and finding where a Space has ZeroGPU: in another process, with everything sent."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.empty_data import empty_data
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends.reference import ReferenceRenderer
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.records import Segment
from truehue.storage import Storage
from truehue.tabs.generate.examples import EXAMPLES
from truehue.tabs.shell import zero_gpu
from truehue.tabs.shell.compose import make_context
from truehue.tabs.shell.zero_gpu import remote_openers

pytestmark = pytest.mark.process

MODEL, SEGMENTER = "sdxl-base-1.0", "sam-vit-b"


def in_a_fork(task: Callable[..., Any], values: tuple[Any, ...]) -> Any:
    """As ZeroGPU does: the process is a copy of this one, and what goes in and out is pickled."""
    local, there = multiprocessing.get_context("fork").Pipe()
    packed = pickle.dumps(values)

    def work() -> None:
        there.send_bytes(pickle.dumps(task(*pickle.loads(packed))))

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    assert local.poll(60)
    answer = pickle.loads(local.recv_bytes())
    process.join()
    return answer


@pytest.fixture
def zero(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A Space with ZeroGPU; for how many seconds its devices are asked for."""
    target: list[float] = []

    def gpu(duration: float) -> Callable[..., Any]:
        def decorated(task: Callable[..., Any]) -> Callable[..., Any]:
            def sent(*values: Any) -> Any:
                target.append(duration)
                return in_a_fork(task, values)

            return sent

        return decorated

    spaces = ModuleType("spaces")
    spaces.GPU = gpu  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spaces", spaces)
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    return target


class FakeModel(ReferenceRenderer):
    """Draws as the renderer does, in the place of a model with weights."""


class FakeSegmenter:
    def __init__(self) -> None:
        self.about = {"class": "Fake"}

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> Any:
        return lambda: srgb8  # cannot be sent

    def from_points(self, embedding: Any, points: Any, inside: Any, box: Any = None) -> Segment:
        return Segment(embedding()[..., 0] > 100, 0.5)

    def unload(self) -> None: ...


def named(monkeypatch: pytest.MonkeyPatch, **openers: Callable[..., Any]) -> None:
    for name, opener in openers.items():
        monkeypatch.setattr(zero_gpu, name, opener)


def test_nothing_changes_where_there_is_no_zero_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPACES_ZERO_GPU", raising=False)
    assert remote_openers(lambda id: id, Sources.local()) is None
    monkeypatch.setenv("SPACES_ZERO_GPU", "true")
    monkeypatch.setitem(sys.modules, "spaces", None)
    assert remote_openers(lambda id: id, Sources.local()) is None


def test_what_needs_no_device_is_drawn_here(zero: list[float]) -> None:
    far = remote_openers(lambda id: f"near {id}", Sources.local())
    assert far is not None
    assert far[0](RENDERER) == f"near {RENDERER}"
    assert zero == []


def test_a_drawing_and_its_refusals_come_from_the_other_process(
    zero: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    named(monkeypatch, open_model=lambda id, sources: FakeModel())
    far = remote_openers(lambda id: None, Sources.local())
    assert far is not None
    far_model = far[0](MODEL)
    request = GenerationRequest(MODEL, "a red mug", width=64, height=64)
    with pytest.raises(BadInput):  # it names no object
        far_model.draw([request], lambda report: None, Event())
    (sample,) = far_model.draw([EXAMPLES[0].request()], lambda report: None, Event())
    (local,) = ReferenceRenderer().draw([EXAMPLES[0].request()], lambda report: None, Event())
    assert np.array_equal(sample.srgb8, local.srgb8)
    assert zero == [zero_gpu.DRAW_S] * 2
    assert far_model.memory_bytes == 0

    def broken(id: str, sources: Sources) -> Any:
        raise RuntimeError("CUDA error")

    named(monkeypatch, open_model=broken)
    with pytest.raises(TrueHueError, match="RuntimeError: CUDA error"):
        far_model.draw([request], lambda report: None, Event())


def test_an_embedding_stays_in_the_other_process(
    zero: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    named(monkeypatch, open_tool=lambda id, sources: FakeSegmenter())
    far = remote_openers(lambda id: None, Sources.local())
    assert far is not None
    tool = far[1](SEGMENTER)
    pixels = np.random.default_rng(0).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    segment = tool.from_points(tool.embed(pixels, "name"), [(1.0, 1.0)], [True])
    assert np.array_equal(segment.pixels, pixels[..., 0] > 100)
    assert tool.about == {"class": "Fake"}
    assert not hasattr(tool, "something")


def test_where_no_device_can_be_had_it_is_said(
    zero: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    far = remote_openers(lambda id: None, Sources.local())
    assert far is not None
    far_model = far[0](MODEL)

    def refused(*values: Any) -> Any:
        raise RuntimeError("GPU quota exceeded.")

    far_model.send = refused
    with pytest.raises(TrueHueError, match="GPU quota exceeded"):
        far_model.draw([], lambda report: None, Event())


def test_the_engine_of_an_app_draws_there(
    zero: list[float], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named(monkeypatch, open_model=lambda id, sources: FakeModel())
    request = replace(EXAMPLES[0].request(), model=MODEL)
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data")
        sample: list[Any] = []
        job = context.engine.submit([request], sample.append)
        assert context.engine.wait(job, 300).status == "done"
        assert sample[0].image is not None, sample[0].problem
        context.close()
    assert zero == [zero_gpu.DRAW_S]
