"""Models in memory: loaded late, kept, given up in turn; and what running out of it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.core.engine.models import (
    WAIT_S,
    Before,
    FlatModel,
    House,
    Inbox,
    OutOfMemoryError,
    asked,
    until,
)
from truehue.core.engine import Problem
from truehue.core.engine.engine import LOAD_OUT_OF_MEMORY, OUT_OF_MEMORY
from truehue.core.generation.request import GenerationRequest
from truehue.core.machine import Placement


def counted(names: str, **fields: object) -> House:
    return House({name: lambda: FlatModel(**fields) for name in names})  # type: ignore[arg-type]


def no_more_than(limit: int) -> Before:
    """A device that holds so many images at once."""

    def before(requests: Sequence[GenerationRequest]) -> None:
        if len(requests) > limit:
            raise OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    return before


def test_models_are_loaded_when_wanted_and_kept() -> None:
    house = counted("ab")
    with house.engine() as engine:
        assert engine.loaded() == ()
        for name in "aba":
            engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S)
        assert engine.loaded() == (("a", 100), ("b", 100))
    assert house.opened == ["a", "b"]
    assert [house.models[name].unloaded for name in "ab"] == [1, 1]


def test_the_longest_unused_is_given_up_first() -> None:
    house = counted("abcd")
    house.wanted = {"d": 150}
    with house.engine(limit=lambda: 300) as engine:
        for name in "abcad":
            engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S)
        # d wants 150: b and then c, unused the longest, had to go.
        assert engine.loaded() == (("d", 100), ("a", 100))
        assert [house.models[name].unloaded for name in "abcd"] == [0, 1, 1, 0]


def test_a_model_that_is_larger_than_it_said_makes_the_others_go() -> None:
    house = counted("ab")
    house.makers["b"] = lambda: FlatModel(memory_bytes=250)
    with house.engine(limit=300) as engine:
        for name in "ab":
            engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S)
        assert engine.loaded() == (("b", 250),)


def test_a_model_that_grows_while_it_draws_is_weighed_again() -> None:
    house = counted("ab")

    def grow(requests: Sequence[GenerationRequest]) -> None:
        house.models["a"].memory_bytes = 250

    house.makers["a"] = lambda: FlatModel(before=grow)
    with house.engine(limit=300) as engine:
        engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S)
        assert engine.loaded() == (("a", 250),)
        engine.wait(engine.submit(asked(1, "b"), Inbox()), WAIT_S)
        assert engine.loaded() == (("b", 100),)


def test_a_model_above_the_limit_is_tried_alone() -> None:
    house = counted("ab")
    house.wanted = {"b": 1000}
    with house.engine(limit=300) as engine:
        for name in "ab":
            state = engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S)
        assert state.done == 1
        assert engine.loaded() == (("b", 100),)


def test_unload_on_request() -> None:
    house = counted("ab")
    with house.engine() as engine:
        engine.unload("a")
        for name in "ab":
            engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S)
        engine.unload("a")
        until(engine, lambda: len(engine.loaded()) == 1)
        assert engine.loaded() == (("b", 100),)
        assert engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S).done == 1
    assert house.opened == ["a", "b", "a"]


def test_unload_of_a_model_that_draws_waits_for_its_part() -> None:
    house, inbox = counted("a"), Inbox()
    with house.engine() as engine:
        house.makers["a"] = lambda: FlatModel(before=lambda _: engine.unload("a"))
        assert engine.wait(engine.submit(asked(3, "a"), inbox), WAIT_S).done == 3
        until(engine, lambda: not engine.loaded())
    assert house.opened == ["a"]


def test_out_of_memory_first_unloads_the_others() -> None:
    house = counted("a")
    # Room for a batch of four, or for the other model and nothing else.
    house.makers["b"] = lambda: FlatModel(
        batch_size=4, before=lambda requests: no_more_than(0 if others() else 4)(requests)
    )

    def others() -> bool:
        return not house.models["a"].unloaded

    with house.engine() as engine:
        engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S)
        state = engine.wait(engine.submit(asked(4, "b"), Inbox()), WAIT_S)
    assert (state.done, state.failed) == (4, 0)
    assert [len(batch) for batch in house.models["b"].batches] == [4, 4]


def test_out_of_memory_then_halves_the_batch() -> None:
    house, inbox = counted("a", batch_size=8, before=no_more_than(3)), Inbox()
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(9, "a"), inbox), WAIT_S)
    assert (state.status, state.done, state.failed) == ("done", 9, 0)
    assert inbox.positions == list(range(9))
    assert [len(batch) for batch in house.models["a"].batches] == [8, 4, 2, 2, 2, 2, 1]


def test_out_of_memory_with_one_image_fails_that_size_and_unloads_the_model() -> None:
    def before(requests: Sequence[GenerationRequest]) -> None:
        if requests[0].width == 2048:
            raise MemoryError

    house, inbox = counted("a", batch_size=2, before=before), Inbox()
    large = [replace(request, width=2048) for request in asked(10, "a")]
    with house.engine() as engine:
        job = engine.submit([large[0], *asked(2, "a"), *large[1:]], inbox)
        state = engine.wait(job, WAIT_S)
        assert house.opened == ["a", "a"]
        assert engine.wait(engine.submit(asked(1, "a"), inbox), WAIT_S).done == 1
    assert (state.done, state.failed) == (2, 10)
    assert state.problems == (Problem(OUT_OF_MEMORY.format(""), 10),)
    assert sorted(inbox.positions[:-1]) == list(range(12))
    assert "smaller size" in OUT_OF_MEMORY


def test_out_of_memory_moves_parts_before_an_image_fails() -> None:
    """Other models go first; the layout is the model's own, and stays for the next images."""

    class Movable(FlatModel):
        placement = Placement("cuda", "bfloat16", "none", "")

        def make_room(self) -> bool:
            assert house.models["a"].unloaded
            if self.placement.offload != "none":
                return False
            self.placement = replace(self.placement, offload="model")
            self.memory_bytes = 30
            return True

    def movable(fits: str) -> FlatModel:
        def before(requests: Sequence[GenerationRequest]) -> None:
            if model.placement.offload != fits:
                raise OutOfMemoryError

        model = Movable(before=before)
        return model

    house = counted("a")
    house.makers |= {"b": lambda: movable("model"), "c": lambda: movable("sequential")}
    with house.engine() as engine:
        engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S)
        state = engine.wait(engine.submit(asked(3, "b"), Inbox()), WAIT_S)
        assert (state.done, state.failed) == (3, 0)
        assert engine.loaded() == (("b", 30),)
        state = engine.wait(engine.submit(asked(2, "c"), Inbox()), WAIT_S)
    text = "no other model loaded, also with parts waiting in main memory. Choose"
    assert (state.done, state.failed) == (0, 2)
    assert text in state.problems[0].text


def test_out_of_memory_on_loading_unloads_the_others_and_tries_again() -> None:
    house = counted("a")

    def large() -> FlatModel:
        if not house.models["a"].unloaded:
            raise OutOfMemoryError
        return FlatModel()

    house.makers["b"] = large
    with house.engine() as engine:
        for name in "ab":
            assert engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S).done == 1
        assert engine.loaded() == (("b", 100),)


def test_a_model_that_is_too_large_to_be_loaded() -> None:
    house = counted("a")

    def large() -> FlatModel:
        raise OutOfMemoryError

    house.makers["b"] = large
    with house.engine() as engine:
        engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S)
        state = engine.wait(engine.submit(asked(5, "b"), Inbox()), WAIT_S)
        assert state.problems == (Problem(LOAD_OUT_OF_MEMORY, 5),)
        assert house.opened == ["a", "b", "b"]
        assert engine.wait(engine.submit(asked(1, "a"), Inbox()), WAIT_S).done == 1


def test_a_model_that_breaks_on_unloading_is_gone_nevertheless() -> None:
    class Sticky(FlatModel):
        def unload(self) -> None:
            raise RuntimeError("stuck")

    house = counted("b")
    house.makers["a"] = Sticky
    with house.engine(limit=100) as engine:
        for name in "ab":
            assert engine.wait(engine.submit(asked(1, name), Inbox()), WAIT_S).done == 1
        assert engine.loaded() == (("b", 100),)
