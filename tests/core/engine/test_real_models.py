"""Real pipelines of random weights, opened as the published ones are, drawn through the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from tests.core.engine.models import WAIT_S, Inbox, until
from tests.core.generation.tiny_janus import save_tiny_janus
from tests.tiny_models.pipelines import build
from truehue.core.engine import Engine
from truehue.core.generation.opening import memory_wanted, open_model
from truehue.core.generation.request import (
    GeneratedImage,
    GenerationRequest,
    LoadedModel,
    OnStep,
    StepReport,
)
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import Placement
from truehue.core.masks.grounded.presence import load_presence
from truehue.core.masks.grounded.records import Presence, PresenceModel

pytestmark = pytest.mark.weights

JANUS = "janus-pro-1b"


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """One thread for torch: on a busy machine those of tiny layers wait for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def diffusion(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The model id of a tiny Stable Diffusion."""
    return f"folder:{build('stable_diffusion', tmp_path_factory.mktemp('sd'))}"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    models = tmp_path_factory.mktemp("models")
    save_tiny_janus(models / JANUS)
    return Sources(models_folder=models, hub_cache=models / "empty")


@pytest.fixture(scope="module")
def engine(sources: Sources) -> Iterator[Engine]:
    folder = sources.models_folder
    assert folder is not None
    made = Engine(
        lambda name: open_model(name, sources),
        lambda name: memory_wanted(name, sources),
        open_tool=lambda name: load_presence(
            folder / name, Placement("cpu", "float32", "none", ""), "", name
        ),
    )
    yield made
    assert made.close(WAIT_S)


def asked(model: str, count: int, **fields: object) -> list[GenerationRequest]:
    return [
        GenerationRequest(model, "a photo of a red mug", seed=n, **fields)  # type: ignore[arg-type]
        for n in range(count)
    ]


def pictures(inbox: Inbox) -> list[np.ndarray]:
    results = []
    for delivery in sorted(inbox.got, key=lambda delivery: delivery.position):
        assert delivery.image is not None, delivery.problem
        results.append(delivery.image.srgb8)
    return results


def test_two_kinds_of_models_in_one_job(engine: Engine, diffusion: str) -> None:
    inbox = Inbox()
    requests = asked(diffusion, 2, steps=3, width=64, height=64) + asked(JANUS, 1)
    state = engine.wait(engine.submit(requests, inbox), WAIT_S)
    assert (state.status, state.done, state.problems) == ("done", 3, ())
    assert [stored.shape for stored in pictures(inbox)] == [(64, 64, 3)] * 2 + [(32, 32, 3)]
    assert {name for name, _ in engine.loaded()} == {diffusion, JANUS}
    assert all(held > 10_000 for _, held in engine.loaded())
    for delivery in inbox.got:
        assert delivery.image is not None
        assert delivery.image.origin["seed"] == delivery.request.seed
        assert delivery.image.origin["model"] == delivery.request.model


def test_the_same_request_again_gives_the_same_pixels(engine: Engine, diffusion: str) -> None:
    first, again = Inbox(), Inbox()
    requests = asked(diffusion, 2, steps=2, width=64, height=64) + asked(JANUS, 2)
    engine.wait(engine.submit(requests, first), WAIT_S)
    for model in (diffusion, JANUS):
        engine.unload(model)
    until(engine, lambda: not engine.loaded())
    state = engine.wait(engine.submit(requests[::-1], again), WAIT_S)
    assert state.done == 4
    for item, other in zip(pictures(first), pictures(again)[::-1], strict=True):
        assert np.array_equal(item, other)


@pytest.mark.parametrize("kind", ["diffusion", "janus"])
def test_janus_is_asked_between_the_steps_of_a_drawing(
    engine: Engine, diffusion: str, kind: str
) -> None:
    """Asked in the middle, with what it drew so far; the pixels are those of a drawing alone."""
    model = diffusion if kind == "diffusion" else JANUS
    steps, side = (6, 64) if kind == "diffusion" else (None, None)
    requests = asked(model, 1, steps=steps, width=side, height=side)
    alone, called = Inbox(), Inbox()
    engine.wait(engine.submit(requests, alone), WAIT_S)
    engine.unload(JANUS)
    until(engine, lambda: JANUS not in {name for name, _ in engine.loaded()})
    job = engine.submit(requests, called)
    until(engine, lambda: engine.state(job).status == "drawing")
    seen: list[tuple[int, str]] = []

    def ask(tool: PresenceModel) -> tuple[Presence, ...]:
        state = engine.state(job)
        seen.append((state.step, state.status))
        image = state.preview_srgb8
        return tool.ask(np.zeros((8, 8, 3), np.uint8) if image is None else image, ["mug", "skis"])

    answers = [engine.call(JANUS, ask).result(WAIT_S) for _ in range(2)]
    assert engine.wait(job, WAIT_S).done == 1
    assert np.array_equal(pictures(alone)[0], pictures(called)[0])
    assert [len(answer) for answer in answers] == [2, 2]
    assert answers[0][0].by == JANUS
    assert seen[0][0] >= 1
    assert seen[0][1] == "drawing"


class CancelsAfterTwoSteps:
    """A loaded model, in the middle of whose drawing somebody cancels."""

    def __init__(self, inner: LoadedModel, cancel: Callable[[], None]) -> None:
        self._inner, self._cancel = inner, cancel
        self.memory_bytes, self.batch_size = inner.memory_bytes, inner.batch_size
        self.unload = inner.unload

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        def stepped(report: StepReport) -> None:
            on_step(report)
            if report.step == 2:
                self._cancel()

        return self._inner.draw(requests, stepped, stop)


@pytest.mark.parametrize("kind", ["diffusion", "janus"])
def test_cancel_within_a_step(diffusion: str, sources: Sources, kind: str) -> None:
    model = diffusion if kind == "diffusion" else JANUS
    steps, side = (40, 64) if kind == "diffusion" else (None, None)
    requests = asked(model, 3, steps=steps, width=side, height=side)
    inbox = Inbox()

    def opened(name: str) -> LoadedModel:
        return CancelsAfterTwoSteps(
            open_model(name, sources), lambda: own.cancel(own.states()[0].id)
        )

    own = Engine(opened, lambda name: memory_wanted(name, sources))
    try:
        for _ in range(2):  # a model that was cancelled can be cancelled again
            state = own.wait(own.submit(requests, inbox), WAIT_S)
            assert (state.status, state.total, state.done, state.failed) == ("cancelled", 3, 0, 0)
            assert state.step == 2 < state.steps
    finally:
        assert own.close(WAIT_S)
    assert inbox.got == []


def test_weights_that_are_not_here(engine: Engine, diffusion: str) -> None:
    inbox = Inbox()
    requests = [*asked("sdxl-base-1.0", 2), *asked(diffusion, 1, steps=1, width=64, height=64)]
    state = engine.wait(engine.submit(requests, inbox), WAIT_S)
    assert (state.done, state.failed) == (1, 2)
    assert "python -m truehue models download sdxl-base-1.0" in state.problems[0].text


def test_a_folder_that_wants_foreign_code(engine: Engine, diffusion: str, tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text('{"_class_name": ["pipeline", "Evil"]}')
    (tmp_path / "pipeline.py").write_text("raise SystemExit")
    state = engine.wait(engine.submit(asked(f"folder:{tmp_path}", 1), Inbox()), WAIT_S)
    assert state.status == "failed"
    assert "code" in state.problems[0].text


def test_what_a_pipeline_refuses_is_that_requests_problem(engine: Engine, diffusion: str) -> None:
    inbox = Inbox()
    odd, good = (asked(diffusion, 1, steps=1, width=64, height=side)[0] for side in (65, 64))
    state = engine.wait(engine.submit([odd, odd, odd, odd, good], inbox), WAIT_S)
    assert (state.done, state.failed, len(state.problems)) == (1, 4, 1)
    assert "multiples of" in state.problems[0].text
