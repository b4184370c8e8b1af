"""The reference renderer through the engine: what works on a machine without any weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from tests.core.engine.models import WAIT_S, Inbox, until
from truehue.core.color.systems import parse_target
from truehue.core.engine import Engine
from truehue.core.generation.opening import memory_wanted, open_model
from truehue.core.generation.request import GenerationRequest
from truehue.core.prompts.prompt import ObjectTarget

MODEL = "reference-renderer"
MUG = ObjectTarget("mug", parse_target("#C03020"))
RED = GenerationRequest(MODEL, "a red mug", width=96, height=96, prompt_id="p1", targets=(MUG,))


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    made = Engine(open_model, memory_wanted)
    yield made
    assert made.close(WAIT_S)


def test_pictures_come_with_their_masks(engine: Engine) -> None:
    inbox = Inbox()
    requests = [replace(RED, seed=n) for n in range(3)]
    state = engine.wait(engine.submit(requests, inbox, "Mugs", "ann"), WAIT_S)
    assert (state.status, state.done, state.problems) == ("done", 3, ())
    assert state.step == state.steps > 1
    images = []
    for delivery in inbox.got:
        assert delivery.image is not None
        images.append(delivery.image.srgb8)
        (mask,) = delivery.image.masks
        assert (mask.target, mask.mask.pixels.shape) == (0, (96, 96))
        assert mask.mask.area_px > 100
    assert len({stored.tobytes() for stored in images}) == 3
    again = Inbox()
    engine.unload(MODEL)
    until(engine, lambda: not engine.loaded())
    engine.wait(engine.submit(requests[1:2], again), WAIT_S)
    assert again.got[0].image is not None
    assert np.array_equal(again.got[0].image.srgb8, images[1])


def test_what_it_cannot_draw_is_one_problem_each(engine: Engine) -> None:
    bad = [replace(RED, targets=()), replace(RED, options={"light": "disco"})]
    inbox = Inbox()
    state = engine.wait(engine.submit([*bad, *bad, RED], inbox), WAIT_S)
    assert (state.done, state.failed, len(state.problems)) == (1, 4, 2)
    assert "cannot read sentences" in state.problems[0].text
    assert "disco" in state.problems[1].text


def test_two_people_at_once(engine: Engine) -> None:
    ann, ben = Inbox(), Inbox()
    first = engine.submit([replace(RED, seed=n) for n in range(4)], ann, owner="ann")
    second = engine.submit([replace(RED, seed=n) for n in range(2)], ben, owner="ben")
    assert engine.wait(second, WAIT_S).done == 2
    assert engine.state(first).done == 4
    assert [delivery.job_id for delivery in ann.got + ben.got] == [first] * 4 + [second] * 2
