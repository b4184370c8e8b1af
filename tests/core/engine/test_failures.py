"""What goes wrong becomes a sentence, and the engine goes on."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np
import pytest

from tests.core.engine.models import WAIT_S, Before, FlatModel, House, Inbox, asked
from truehue.core.engine import Delivery, Problem
from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.generation.request import Cancelled, GeneratedImage, GenerationRequest


def raising(error: BaseException, *texts: str) -> Before:
    """A model that fails whenever one of these prompts is in the batch (any, if none is named)."""

    def before(requests: Sequence[GenerationRequest]) -> None:
        if not texts or {request.text for request in requests} & set(texts):
            raise error

    return before


def test_a_model_that_cannot_be_opened_fails_its_own_requests_only() -> None:
    house, inbox = House({"flat": FlatModel}), Inbox()
    requests = [*asked(2, "absent"), *asked(1), *asked(1, "absent")]
    with house.engine() as engine:
        state = engine.wait(engine.submit(requests, inbox), WAIT_S)
        assert engine.wait(engine.submit(asked(1, "absent"), inbox), WAIT_S).status == "failed"
    sentence = "The weights of absent are missing. Put them into the folder."
    assert (state.status, state.done, state.failed) == ("done", 1, 3)
    assert state.problems == (Problem(sentence, 3),)
    assert state.message == "1 of 4 generated, 3 failed"
    assert [(got.position, got.problem) for got in inbox.got[:4]] == [
        (0, sentence),
        (1, sentence),
        (3, sentence),
        (2, None),
    ]
    assert inbox.got[0].image is None
    assert inbox.got[0].seconds is None
    assert house.opened == ["absent", "flat", "absent"]


def test_an_unforeseen_error_on_opening(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> FlatModel:
        raise KeyError("unet")

    house, inbox = House({"flat": broken}), Inbox()
    with house.engine() as engine, caplog.at_level(logging.ERROR, "truehue.engine"):
        state = engine.wait(engine.submit(asked(2), inbox), WAIT_S)
    assert state.problems == (Problem("flat could not be loaded (KeyError: 'unet').", 2),)
    assert "Traceback" in caplog.text


def test_a_refused_request_is_found_in_its_batch() -> None:
    before = raising(BadInput("The renderer has no object 'elf'."), "prompt 2")
    house, inbox = House({"flat": lambda: FlatModel(batch_size=4, before=before)}), Inbox()
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(8), inbox), WAIT_S)
    assert (state.done, state.failed) == (7, 1)
    assert inbox.positions == list(range(8))
    assert inbox.got[2].problem == "The renderer has no object 'elf'."
    assert [len(batch) for batch in house.models["flat"].batches] == [4, 1, 1, 1, 1, 4]


def test_many_refusals_are_no_reason_to_give_up() -> None:
    texts = [f"prompt {n}" for n in range(30)]
    house = House({"flat": lambda: FlatModel(before=raising(BadInput("No."), *texts))})
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(32), Inbox()), WAIT_S)
    assert (state.done, state.failed, state.problems) == (2, 30, (Problem("No.", 30),))


def test_an_unforeseen_failure_is_logged_and_the_next_is_drawn(
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = raising(ValueError("odd tensor"), "prompt 0", "prompt 1", "prompt 3", "prompt 4")
    house, inbox = House({"flat": lambda: FlatModel(before=before)}), Inbox()
    with house.engine() as engine, caplog.at_level(logging.ERROR, "truehue.engine"):
        state = engine.wait(engine.submit(asked(6), inbox), WAIT_S)
    assert (state.status, state.done, state.failed) == ("done", 2, 4)
    assert state.problems == (Problem("The model failed (ValueError: odd tensor).", 4),)
    assert "odd tensor" in caplog.text
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("batch_size", [1, 4])
def test_after_three_failures_in_a_row_the_model_is_given_up(batch_size: int) -> None:
    broken = FlatModel(batch_size=batch_size, before=raising(RuntimeError("device-side assert")))
    house, inbox = House({"broken": lambda: broken, "flat": FlatModel}), Inbox()
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(50, "broken") + asked(2), inbox), WAIT_S)
    assert (state.done, state.failed) == (2, 50)
    tried = "The model failed (RuntimeError: device-side assert)."
    assert state.problems == (
        Problem(tried, 3),
        Problem(f"Not tried: broken failed 3 times in a row. {tried}", 47),
    )
    assert len(broken.batches) == 3 + (batch_size > 1)
    assert sorted(inbox.positions) == list(range(52))


def test_a_model_that_says_why_it_does_not_work_is_given_up_too() -> None:
    house = House({"flat": lambda: FlatModel(before=raising(TrueHueError("The server is gone.")))})
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(10), Inbox()), WAIT_S)
    assert [problem.count for problem in state.problems] == [3, 7]
    assert state.problems[0].text == "The server is gone."
    assert state.problems[1].text.endswith("failed 3 times in a row. The server is gone.")


def test_even_what_is_meant_to_end_a_thread_does_not_end_the_engine() -> None:
    texts = ("prompt 0", "prompt 1")
    house = House({"flat": lambda: FlatModel(before=raising(SystemExit(3), *texts))})
    stopped = House({"flat": lambda: FlatModel(before=raising(Cancelled(), *texts))})
    for home, sentence in (
        (house, "The model failed (SystemExit: 3)."),
        (stopped, "The model stopped by itself."),
    ):
        with home.engine() as engine:
            state = engine.wait(engine.submit(asked(4), Inbox()), WAIT_S)
        assert (state.done, state.problems) == (2, (Problem(sentence, 2),))


@pytest.mark.parametrize(
    ("images", "sentence"),
    [
        ([], "TypeError: 0 images came back for 1 requests"),
        ([np.zeros((4, 4, 3))], "TypeError: an image came back as float64 (4, 4, 3)"),
        ([np.zeros((4, 4), np.uint8)], "TypeError: an image came back as uint8 (4, 4)"),
    ],
)
def test_what_is_no_picture_is_not_delivered(images: list[np.ndarray], sentence: str) -> None:
    class Odd(FlatModel):
        def draw(self, *_: object) -> list[GeneratedImage]:
            return [GeneratedImage(image, {}) for image in images]

    house, inbox = House({"flat": Odd}), Inbox()
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(1), inbox), WAIT_S)
    assert state.problems == (Problem(f"The model failed ({sentence}).", 1),)
    assert inbox.got[0].image is None


def test_an_image_that_cannot_be_kept_counts_as_failed() -> None:
    house = House({"flat": FlatModel})
    saved: list[int] = []

    def keep(delivery: Delivery) -> None:
        if delivery.position in (1, 2):
            raise OSError(28, "No space left on device")
        if delivery.position == 4:
            raise DataFolderError("The data folder is gone.")
        saved.append(delivery.position)

    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(6), keep), WAIT_S)
    assert saved == [0, 3, 5]
    assert (state.status, state.done, state.failed) == ("done", 3, 3)
    no_space = "(OSError: [Errno 28] No space left on device)"
    assert state.problems == (
        Problem(f"It was generated but could not be saved: {no_space}", 2),
        Problem("It was generated but could not be saved: The data folder is gone.", 1),
    )


def test_a_full_disk_ends_the_drawing_of_what_nobody_can_keep() -> None:
    house = House({"flat": FlatModel})
    got: list[int] = []

    def keep(delivery: Delivery) -> None:
        got.append(delivery.position)
        raise OSError(28, "No space left on device")

    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(50), keep), WAIT_S)
    assert (state.status, state.done, state.failed) == ("failed", 0, 50)
    assert state.problems[1] == Problem("Not generated: the last 3 images could not be saved.", 47)
    assert len(house.models["flat"].batches) == 3
    assert got == list(range(50))


def test_problems_are_bounded() -> None:
    class Talkative(FlatModel):
        def draw(self, requests: Sequence[GenerationRequest], *_: object) -> list[GeneratedImage]:
            raise BadInput(requests[0].text + " " + "x" * 5000)

    house = House({"flat": Talkative})
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(100), Inbox()), WAIT_S)
    assert state.failed == 100
    assert len(state.problems) == 20
    assert state.problems[3].text.startswith("prompt 3 x")
    assert max(len(problem.text) for problem in state.problems) == 1000


def test_a_model_that_does_not_tell_what_it_holds_loses_nothing_of_the_job(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Shy(FlatModel):
        @property  # type: ignore[override]
        def memory_bytes(self) -> int:
            if self.batches:
                raise RuntimeError("no longer known")
            return 100

        @memory_bytes.setter
        def memory_bytes(self, value: int) -> None:
            """The dataclass sets it; what it is stands above."""

    house, inbox = House({"shy": Shy, "flat": FlatModel}), Inbox()
    with house.engine() as engine, caplog.at_level(logging.ERROR, "truehue.engine"):
        job = engine.submit([*asked(2, "shy"), *asked(3)], inbox)
        state = engine.wait(job, WAIT_S)
        assert engine.loaded() == (("flat", 100), ("shy", 100))
    assert (state.done, state.failed, state.problems) == (5, 0, ())
    assert [got.problem for got in inbox.got] == [None] * 5
    assert "no longer known" in caplog.text


def test_an_error_of_the_engine_is_delivered_for_all_that_is_left_of_a_model(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Odd(FlatModel):
        @property  # type: ignore[override]
        def batch_size(self) -> int:
            if len(self.batches) == 2:
                raise RuntimeError("which batch?")
            return 1

        @batch_size.setter
        def batch_size(self, value: int) -> None:
            """The dataclass sets it; what it is stands above."""

    house, inbox = House({"odd": Odd, "flat": FlatModel}), Inbox()
    with house.engine() as engine, caplog.at_level(logging.ERROR, "truehue.engine"):
        state = engine.wait(engine.submit([*asked(5, "odd"), *asked(2)], inbox), WAIT_S)
    sentence = "The engine failed (RuntimeError: which batch?)."
    assert (state.status, state.done, state.failed) == ("done", 4, 3)
    assert state.problems == (Problem(sentence, 3),)
    assert inbox.problems == [None, None, sentence, sentence, sentence, None, None]
    assert inbox.positions == list(range(7))
    assert "Traceback" in caplog.text
