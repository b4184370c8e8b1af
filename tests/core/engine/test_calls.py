"""Calls of tools: answered beside the drawing, in the engine's thread, and never to its harm."""

from __future__ import annotations

import threading
import time
from concurrent.futures import CancelledError, Future
from types import SimpleNamespace

import numpy as np
import pytest

from tests.core.engine.models import (
    WAIT_S,
    FlatModel,
    House,
    Inbox,
    asked,
    flat,
    until,
)
from tests.core.engine.tools import Tool, Workshop, at_step, gated, say
from truehue.core.engine import CallState, Delivery, Engine
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.request import Cancelled


def test_an_idle_engine_answers_at_once() -> None:
    house = Workshop({})
    with house.engine() as engine:
        answers = [engine.call("sam", say), engine.call("sam", lambda tool: tool.say("again"))]
        assert [answer.result(WAIT_S) for answer in answers] == ["sam", "sam again"]
        assert engine.call("dino", say).result(WAIT_S) == "dino"
        assert engine.loaded() == (("dino", 100), ("sam", 100))
        assert engine.calls() == ()
        assert engine.states() == ()
    assert house.opened == ["sam", "dino"]
    assert house.tools["sam"].threads == {"truehue-engine"}
    assert [tool.unloaded for tool in house.tools.values()] == [1, 1]


def test_an_answer_comes_between_two_steps_of_a_drawing() -> None:
    gate, house = gated(steps=50)
    inbox = Inbox()
    with house.engine() as engine:
        job = engine.submit(asked(2), inbox)
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", say)
        with pytest.raises(TimeoutError):
            answer.result(0.05)  # the step goes on
        gate.release()
        assert answer.result(WAIT_S) == "sam"
        state = engine.state(job)
        assert (state.status, state.done, state.step) == ("drawing", 0, 1)
        gate.release(99)
        assert engine.wait(job, WAIT_S).done == 2
        assert {name for name, _ in engine.loaded()} == {"flat", "sam"}
    assert house.opened == ["flat", "sam"]
    for delivery in inbox.got:
        assert delivery.image is not None
        assert np.array_equal(delivery.image.srgb8, flat(delivery.request))


def test_calls_are_answered_in_their_order() -> None:
    gate, house = gated()
    said: list[str] = []
    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        answers = [
            engine.call(tool, lambda tool, n=n: said.append(tool.say(n)))  # type: ignore[misc]
            for n, tool in enumerate(["sam", "dino", "sam", "sam"])
        ]
        gate.release()
        for answer in answers:
            answer.result(WAIT_S)
        gate.release(10)
        engine.wait(job, WAIT_S)
    assert said == ["sam 0", "dino 1", "sam 2", "sam 3"]


def test_the_drawing_goes_on_however_many_calls_come() -> None:
    """Each answer asks for the next: a step is drawn between any two."""
    gate, house = gated(steps=6)
    steps: list[int] = []
    last: list[Future[None]] = []
    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())

        def more(tool: Tool) -> None:
            steps.append(engine.state(job).step)

        def again(_: Future[None]) -> None:
            if not engine.state(job).finished:
                threading.Thread(target=ask).start()

        def ask() -> None:
            try:
                last.append(engine.call("sam", more))
                last[-1].add_done_callback(again)
            except TrueHueError:
                pass  # closed

        until(engine, lambda: engine.state(job).status == "drawing")
        ask()
        gate.release(100)
        assert engine.wait(job, WAIT_S).status == "done"
        assert steps[0] == 1


def test_calls_before_the_next_job_and_between_requests() -> None:
    """A model without steps: calls come between its requests."""
    gate = threading.Semaphore(0)

    def before(requests: object) -> None:
        assert gate.acquire(timeout=WAIT_S)

    house = Workshop({"flat": lambda: FlatModel(steps=0, before=before)})
    with house.engine() as engine:
        job = engine.submit(asked(2), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", lambda tool: engine.state(job).done)
        gate.release()
        assert answer.result(WAIT_S) == 1
        gate.release()
        engine.wait(job, WAIT_S)


def test_what_is_seen_of_calls() -> None:
    gate, house = gated()
    go = threading.Event()
    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        first = engine.call("sam", lambda tool: go.wait(WAIT_S), title="Click", owner="ann")
        second = engine.call("dino", say)
        assert engine.calls() == (
            CallState("sam", "Click", "ann", "waiting"),
            CallState("dino", "", "", "waiting"),
        )
        gate.release()
        until(engine, lambda: engine.calls()[0].status == "running")
        assert engine.calls()[1].status == "waiting"
        go.set()
        assert first.result(WAIT_S)
        assert second.result(WAIT_S) == "dino"
        gate.release(10)


@pytest.mark.parametrize(
    "error",
    [BadInput("No such box."), ValueError("odd tensor"), Cancelled(), SystemExit(3)],
)
def test_a_failing_call_fails_alone(error: BaseException) -> None:
    gate, house = gated(steps=3)

    def fail(tool: Tool) -> None:
        raise error

    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        bad, good = engine.call("sam", fail), engine.call("sam", say)
        gate.release(10)
        with pytest.raises(type(error)) as raised:
            bad.result(WAIT_S)
        assert raised.value is error
        assert good.result(WAIT_S) == "sam"
        state = engine.wait(job, WAIT_S)
        assert (state.done, state.problems) == (1, ())


def test_a_tool_that_cannot_be_opened() -> None:
    house = Workshop({})
    with house.engine(limit=300) as engine:
        with pytest.raises(BadInput, match="The weights of absent are missing"):
            engine.call("absent", say).result(WAIT_S)
        assert engine.loaded() == ()
    without = House({"flat": FlatModel})
    message = r"only generates images: .* open sam"
    with without.engine() as engine, pytest.raises(TrueHueError, match=message):
        engine.call("sam", say).result(WAIT_S)


def test_a_size_that_cannot_be_told_is_the_callers_error() -> None:
    gate, house = gated(steps=3)

    def unknown(tool_id: str) -> int:
        raise BadInput(f"There is no {tool_id}.")

    engine = Engine(
        house.open_model, lambda name: 100, 300, open_tool=house.open_tool, tool_memory=unknown
    )
    job = engine.submit(asked(1), Inbox())
    until(engine, lambda: engine.state(job).status == "drawing")
    answer = engine.call("elf", say)
    gate.release(10)
    with pytest.raises(BadInput, match="no elf"):
        answer.result(WAIT_S)
    assert engine.wait(job, WAIT_S).done == 1
    assert engine.close(WAIT_S)


def test_a_waiting_call_can_be_cancelled() -> None:
    gate, house = gated(steps=3)
    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        gone, stays = engine.call("sam", say), engine.call("dino", say)
        assert gone.cancel()
        assert [state.tool for state in engine.calls()] == ["dino"]
        gate.release(10)
        assert stays.result(WAIT_S) == "dino"
        engine.wait(job, WAIT_S)
        with pytest.raises(CancelledError):
            gone.result(0)
    assert "sam" not in house.opened


def test_a_cancelled_job_leaves_the_calls_to_be_answered() -> None:
    _, house = gated(steps=30)
    with house.engine() as engine:
        job = engine.submit(asked(3), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", lambda tool: engine.state(job).status)
        engine.cancel(job)
        assert answer.result(WAIT_S) == "cancelled"


def test_close_ends_the_calls_that_wait() -> None:
    _, house = gated()
    engine = house.made()
    job = engine.submit(asked(1), Inbox())
    until(engine, lambda: engine.state(job).status == "drawing")
    waiting, gone = engine.call("sam", say), engine.call("sam", say)
    gone.cancel()
    assert engine.close(WAIT_S)
    with pytest.raises(TrueHueError, match="shut down before this was answered"):
        waiting.result(0)
    assert gone.cancelled()
    with pytest.raises(TrueHueError, match="shutting down"):
        engine.call("sam", say)
    assert house.opened == ["flat"]


def test_close_while_a_call_runs() -> None:
    house, go, began = Workshop({}), threading.Event(), threading.Event()
    engine = house.made()

    def slow(tool: Tool) -> str:
        began.set()
        assert go.wait(WAIT_S)
        return tool.say()

    running = engine.call("sam", slow)
    assert began.wait(WAIT_S)
    waiting = engine.call("sam", say)
    assert not engine.close(0.05)
    with pytest.raises(TrueHueError, match="shut down"):
        waiting.result(0)
    go.set()
    assert engine.close(WAIT_S)
    assert running.result(0) == "sam"
    assert house.tools["sam"].unloaded == 1


def test_a_call_from_within_a_delivery_or_a_call_is_answered_at_once() -> None:
    house = Workshop({"flat": FlatModel})
    said: list[str] = []
    with house.engine() as engine:

        def keep(delivery: Delivery) -> None:
            said.append(engine.call("sam", say).result(0))

        assert engine.wait(engine.submit(asked(2), keep), WAIT_S).done == 2
        assert said == ["sam", "sam"]
        nested = engine.call("dino", lambda tool: tool.say(engine.call("sam", say).result(0)))
        assert nested.result(WAIT_S) == "dino sam"


def test_waiting_for_a_job_in_the_engines_thread_is_refused() -> None:
    house = Workshop({"flat": FlatModel})
    with house.engine() as engine:

        def wait(tool: Tool) -> None:
            engine.wait(engine.submit(asked(1), Inbox()))

        with pytest.raises(TrueHueError, match="would wait for itself"):
            engine.call("sam", wait).result(WAIT_S)


def test_a_callback_that_fails_does_no_harm() -> None:
    gate, house = gated(steps=3)

    def callback(_: object) -> None:
        raise SystemExit(3)

    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", say)
        answer.add_done_callback(callback)
        gate.release(10)
        assert answer.result(WAIT_S) == "sam"
        assert engine.wait(job, WAIT_S).done == 1


def test_the_time_of_calls_is_not_the_images(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    clock = SimpleNamespace(monotonic=lambda: now, time=time.time)
    for name in ("calls", "engine", "job", "pace"):
        monkeypatch.setattr(f"truehue.core.engine.{name}.time", clock)

    def take_a_minute(tool: object) -> None:
        nonlocal now
        now += 60.0

    gate, house = gated(steps=4)
    inbox = Inbox()
    with house.engine() as engine:
        job = engine.submit(asked(2), inbox)
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", take_a_minute)
        now += 1.0
        gate.release()
        answer.result(WAIT_S)
        gate.release()
        at_step(engine, job, 2)
        eta_s = engine.state(job).eta_s
        gate.release(10)
        engine.wait(job, WAIT_S)
    seconds = inbox.got[0].seconds
    assert seconds == 1.0
    # Two of four steps of the first of two images took a second, without the minute.
    assert eta_s == pytest.approx(3.0)


def test_a_thread_that_ended_with_the_process_takes_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the main thread is over, nobody answers: a call must say so, not wait for ever."""

    class Over:
        def is_alive(self) -> bool:
            return False

    house = Workshop({})
    with house.engine() as engine:
        assert engine.call("sam", say).result(WAIT_S) == "sam"
        monkeypatch.setattr("truehue.core.engine.engine.main_thread", Over)
        deadline = time.monotonic() + WAIT_S
        while any(thread.name == "truehue-engine" for thread in threading.enumerate()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        for ask in (lambda: engine.call("sam", say), lambda: engine.submit(asked(1), Inbox())):
            with pytest.raises(TrueHueError, match="shutting down"):
                ask()
    assert house.tools["sam"].unloaded == 1
