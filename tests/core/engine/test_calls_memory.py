"""Tools in memory beside models: who goes, who stays, and what runs out."""

from __future__ import annotations

import pytest

from tests.core.engine.models import (
    WAIT_S,
    FlatModel,
    Inbox,
    OutOfMemoryError,
    asked,
    until,
)
from tests.core.engine.tools import Tool, Workshop, at_step, gated, say
from truehue.core.errors import TrueHueError


def test_the_longest_unused_goes_also_for_a_tool() -> None:
    house = Workshop(dict.fromkeys("ab", FlatModel))
    with house.engine(limit=300) as engine:
        for name in "ab":
            engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S)
        for tool in ("sam", "dino"):
            engine.call(tool, say).result(WAIT_S)
        assert [name for name, _ in engine.loaded()] == ["dino", "sam", "b"]
        engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S)
        assert [name for name, _ in engine.loaded()] == ["a", "dino", "sam"]
        engine.unload("sam")
        until(engine, lambda: len(engine.loaded()) == 2)
    assert house.tools["sam"].unloaded == 1


def test_janus_may_draw_and_answer() -> None:
    house = Workshop({"janus": FlatModel})
    with house.engine() as engine:
        engine.wait(engine.submit(asked(1, "janus"), Inbox()), WAIT_S)
        assert engine.call("janus", say).result(WAIT_S) == "janus"
        assert engine.loaded() == (("janus", 100), ("janus", 100))
        engine.unload("janus")
        until(engine, lambda: not engine.loaded())


def test_what_does_not_fit_beside_the_drawing_waits_for_its_request() -> None:
    gate, house = gated(steps=3)
    house.makers["old"] = FlatModel
    house.wanted = {"large": 250}
    with house.engine(limit=300) as engine:
        engine.wait(engine.submit(asked(1, "old"), Inbox()), WAIT_S)
        job = engine.submit(asked(2), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        large = engine.call("large", lambda tool: engine.state(job).done)
        small = engine.call("small", lambda tool: engine.state(job).step)
        gate.release()
        assert small.result(WAIT_S) == 1
        assert not large.done()
        # Room was there for the small one, so nothing had to go.
        assert {name for name, _ in engine.loaded()} == {"old", "flat", "small"}
        gate.release(2)
        assert large.result(WAIT_S) == 1
        gate.release(10)
        assert engine.wait(job, WAIT_S).done == 2
    # The model that draws had to go, and came again for its second request.
    assert house.opened == ["old", "flat", "small", "large", "flat"]


def test_between_steps_idle_models_go_but_not_the_one_that_draws() -> None:
    gate, house = gated(steps=3)
    house.makers["old"] = FlatModel
    house.wanted = {"sam": 200}
    with house.engine(limit=300) as engine:
        engine.wait(engine.submit(asked(1, "old"), Inbox()), WAIT_S)
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", lambda tool: engine.state(job).step)
        gate.release()
        assert answer.result(WAIT_S) == 1
        assert [name for name, _ in engine.loaded()] == ["sam", "flat"]
        gate.release(10)
        assert engine.wait(job, WAIT_S).done == 1


def test_memory_that_runs_out_while_a_tool_is_opened() -> None:
    """No limit is known: the device itself says that there is no room beside the drawing."""
    gate, house = gated(steps=3)
    house.makers["old"] = FlatModel

    def narrow() -> Tool:
        if not house.models["flat"].unloaded:
            raise OutOfMemoryError("CUDA out of memory.")
        return Tool("sam")

    house.tool_makers["sam"] = narrow
    with house.engine() as engine:
        engine.wait(engine.submit(asked(1, "old"), Inbox()), WAIT_S)
        job = engine.submit(asked(2), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        answer = engine.call("sam", lambda tool: engine.state(job).done)
        gate.release(2)
        at_step(engine, job, 2)
        assert not answer.done()
        assert house.models["old"].unloaded == 1
        gate.release()
        assert answer.result(WAIT_S) == 1
        gate.release(10)
        assert engine.wait(job, WAIT_S).done == 2


def test_memory_that_runs_out_in_an_answer() -> None:
    house = Workshop({"flat": FlatModel})
    tries: list[int] = []

    def greedy(tool: Tool) -> str:
        tries.append(len(engine.loaded()))
        if len(engine.loaded()) > 1:
            raise OutOfMemoryError("CUDA out of memory.")
        return tool.say()

    def never(tool: Tool) -> str:
        raise OutOfMemoryError("CUDA out of memory.")

    with house.engine() as engine:
        engine.wait(engine.submit(asked(1), Inbox()), WAIT_S)
        assert engine.call("sam", greedy).result(WAIT_S) == "sam"
        assert tries == [2, 1]
        with pytest.raises(TrueHueError, match="Out of memory with sam"):
            engine.call("sam", never).result(WAIT_S)
        assert engine.call("sam", say).result(WAIT_S) == "sam"


def test_an_error_holds_no_memory() -> None:
    """Of the frames that it remembers, none holds the tool."""
    house = Workshop({})

    def fail(tool: Tool) -> None:
        try:
            tool.say()
            raise KeyError("unet")
        except KeyError as error:
            raise ValueError("odd") from error

    with house.engine() as engine:
        error = engine.call("sam", fail).exception(WAIT_S)
        assert error is not None
        base_exception: BaseException | None = error
        while base_exception is not None:
            frames, index = [], base_exception.__traceback__
            while index is not None:
                frames.append(index.tb_frame)
                index = index.tb_next
            assert frames
            assert not any(isinstance(x, Tool) for frame in frames for x in frame.f_locals.values())
            base_exception = base_exception.__cause__


def test_a_call_within_a_call_sends_away_neither_tool_nor_drawing() -> None:
    gate, house = gated(steps=3)
    with house.engine(limit=250) as engine:
        job = engine.submit(asked(1), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")

        def outer(tool: Tool) -> tuple[str, str]:
            inner = engine.call("dino", say).result(0)
            return inner, tool.say()

        answer = engine.call("sam", outer)
        gate.release()
        assert answer.result(WAIT_S) == ("dino", "sam")
        gate.release(10)
        assert engine.wait(job, WAIT_S).done == 1
    assert house.opened == ["flat", "sam", "dino"]
