"""A drawing is the same with calls between its steps and without."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.core.engine.models import (
    WAIT_S,
    FlatModel,
    Inbox,
    asked,
    until,
)
from tests.core.engine.tools import Tool, Workshop
from truehue.core.engine.calls import torch_state_preserved

pytestmark = pytest.mark.slow


class Chancy(FlatModel):
    """Draws from torch's global chance, as no model of ours does and a foreign one may."""

    def draw(self, requests, on_step, stop):  # type: ignore[no-untyped-def]
        import torch

        torch.manual_seed(requests[0].seed)
        with torch.inference_mode():
            images = super().draw(requests, lambda report: self.noted(on_step, report), stop)  # type: ignore[no-untyped-call]
        for image in images:
            image.srgb8[:] = torch.stack(self.drawn).sum(0).byte().numpy()
        return images

    def noted(self, on_step, report):  # type: ignore[no-untyped-def]
        import torch

        if report.step == 1:
            self.drawn = []
        on_step(report)
        self.drawn.append(torch.randint(0, 255, (8, 8, 3)))


def test_pixels_are_the_same_with_and_without_calls() -> None:
    import torch

    def dice(tool: Tool) -> torch.Tensor:
        torch.manual_seed(0)
        weights = torch.nn.Linear(3, 3)
        weights(torch.rand(2, 3)).sum().backward()  # as usual, whatever the drawing's mode
        assert not weights.weight.is_inference()
        return torch.rand(3)

    def drawn(calls: bool) -> list[np.ndarray]:
        gate = threading.Semaphore(0)
        house, inbox = Workshop({"flat": lambda: Chancy(steps=5, gate=gate)}), Inbox()
        with house.engine() as engine:
            job = engine.submit(asked(3), inbox)
            until(engine, lambda: engine.state(job).status == "drawing")
            for _ in range(15):
                answer = engine.call("dice", dice) if calls else None
                gate.release()
                if answer is not None:
                    answer.result(WAIT_S)
            assert engine.wait(job, WAIT_S).done == 3
        return [got.image.srgb8 for got in inbox.got if got.image is not None]

    plain, called = drawn(False), drawn(True)
    assert len(plain) == len(called) == 3
    assert all(np.array_equal(item, other) for item, other in zip(plain, called, strict=True))
    assert len({item.tobytes() for item in plain}) == 3


def test_undisturbed_is_what_keeps_chance() -> None:
    import torch

    before = torch.random.get_rng_state()
    with torch.inference_mode(), torch_state_preserved():
        torch.rand(5)
        assert torch.is_grad_enabled()
        assert not torch.is_inference_mode_enabled()
    assert torch.equal(torch.random.get_rng_state(), before)
