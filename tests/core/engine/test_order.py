"""Order of jobs, models and batches; who waits where; and what a state says."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from tests.core.engine.models import WAIT_S, FlatModel, House, Inbox, asked, flat, until
from truehue.core.errors import BadInput
from truehue.core.generation.request import GenerationRequest


def test_all_requests_are_drawn_in_order() -> None:
    house, inbox = House({"flat": FlatModel}), Inbox()
    with house.engine() as engine:
        state = engine.wait(engine.submit(asked(3), inbox, "Three", "ann"), WAIT_S)
    assert inbox.positions == [0, 1, 2]
    for delivery in inbox.got:
        assert delivery.job_id == state.id
        assert delivery.problem is None
        assert delivery.image is not None
        assert delivery.seconds is not None
        assert np.array_equal(delivery.image.srgb8, flat(delivery.request))
    assert (state.status, state.total, state.done, state.failed) == ("done", 3, 3, 0)
    assert (state.title, state.owner, state.place) == ("Three", "ann", None)
    assert state.finished
    assert state.message == "3 of 3 generated"
    assert inbox.threads == house.models["flat"].threads == {"truehue-engine"}


def test_models_in_turn_and_batches_of_what_is_alike() -> None:
    house = House(
        {name: lambda name=name: FlatModel(name, batch_size=4) for name in ("a", "b")}  # type: ignore[misc]
    )
    inbox = Inbox()
    requests = [
        GenerationRequest(model, f"{model} {n} {guidance}", seed=n, guidance=guidance)
        for n in range(5)
        for model in ("b", "a")
        for guidance in (3.0, 7.0)
    ]
    with house.engine() as engine:
        assert engine.wait(engine.submit(requests, inbox), WAIT_S).done == 20
    assert house.opened == ["b", "a"]
    for name in ("a", "b"):
        assert house.models[name].batches == [
            tuple(f"{name} {n} 3.0" for n in range(4)),
            (f"{name} 4 3.0",),
            tuple(f"{name} {n} 7.0" for n in range(4)),
            (f"{name} 4 7.0",),
        ]
    assert sorted(inbox.positions) == list(range(20))
    assert all(requests[got.position] is got.request for got in inbox.got)


def test_a_model_without_batches_keeps_the_asked_order() -> None:
    house, inbox = House({"flat": FlatModel}), Inbox()
    requests = [replace(r, steps=1 + n % 2) for n, r in enumerate(asked(6))]
    with house.engine() as engine:
        engine.wait(engine.submit(requests, inbox), WAIT_S)
    assert inbox.positions == [0, 1, 2, 3, 4, 5]


def test_other_options_are_another_batch() -> None:
    house = House({"flat": lambda: FlatModel(batch_size=8)})
    lights = ["studio", "sunset", "studio"]
    requests = [
        replace(request, options={"light": light, "more": [1, 2]})
        for request, light in zip(asked(3), lights, strict=True)
    ]
    with house.engine() as engine:
        engine.wait(engine.submit(requests, Inbox()), WAIT_S)
    assert house.models["flat"].batches == [("prompt 0", "prompt 2"), ("prompt 1",)]


def test_two_people_are_served_in_order_and_see_their_place() -> None:
    gate = threading.Semaphore(0)
    house = House({"flat": lambda: FlatModel(gate=gate)})
    ann, ben = Inbox(), Inbox()
    with house.engine() as engine:
        first = engine.submit(asked(2), ann, owner="ann")
        second = engine.submit(asked(1), ben, owner="ben")
        third = engine.submit(asked(1), ann, owner="ann")
        gate.release()
        until(engine, lambda: engine.state(first).step == 1)
        states = {state.id: state for state in engine.states()}
        assert [state.id for state in engine.states()] == [third, second, first]
        assert [states[i].place for i in (first, second, third)] == [0, 1, 2]
        assert [states[i].status for i in (first, second, third)] == [
            "drawing",
            "waiting",
            "waiting",
        ]
        assert states[third].message == "Waiting behind 1 job"
        assert states[second].message == "Next"
        assert states[second].elapsed_s == 0.0
        gate.release(100)
        assert engine.wait(third, WAIT_S).done == 1
        ended = {state.id: state for state in engine.states()}
        assert all(state.status == "done" for state in ended.values())
    assert len(ann.got) == 3
    assert len(ben.got) == 1


def test_step_preview_and_time_left() -> None:
    gate = threading.Semaphore(0)
    house = House({"flat": lambda: FlatModel(steps=4, gate=gate)})
    with house.engine() as engine:
        job = engine.submit(asked(3), Inbox())
        behind = engine.submit(asked(3), Inbox())
        until(engine, lambda: engine.state(job).status == "drawing")
        assert engine.state(job).eta_s is None
        assert engine.state(behind).eta_s is None
        gate.release(2)
        state = until(engine, lambda: engine.state(job).step == 2).state(job)
        assert (state.step, state.steps, state.model, state.done) == (2, 4, "flat", 0)
        assert state.message == "Generating 1 of 3"
        assert state.preview_srgb8 is not None
        assert (state.preview_srgb8 == 2).all()
        with pytest.raises(ValueError, match="read-only"):
            state.preview_srgb8[:] = 0
        # Half of the first of three equal images is over: five halves are left.
        assert state.eta_s is not None
        assert state.eta_s <= state.elapsed_s * 5
        gate.release(2)
        state = until(engine, lambda: engine.state(job).done == 1).state(job)
        assert state.eta_s is not None
        waiting = engine.state(behind)
        assert waiting.eta_s is not None
        assert waiting.eta_s > state.eta_s
        listed = {other.id: other for other in engine.states()}[behind]
        after = engine.state(behind)
        # What is left changes with the clock alone.
        low, high = sorted((waiting.eta_s, after.eta_s or 0.0))
        assert listed.eta_s is not None
        assert low <= listed.eta_s <= high
        gate.release(100)
        state = engine.wait(behind, WAIT_S)
        assert (state.eta_s, state.preview_srgb8) == (None, None)
        assert state.elapsed_s == engine.state(behind).elapsed_s > 0


def test_changes_wake_a_page() -> None:
    gate = threading.Semaphore(0)
    house = House({"flat": lambda: FlatModel(gate=gate)})
    with house.engine() as engine:
        assert engine.changes() == 0
        assert engine.changes(after=0, timeout=0.02) == 0
        job = engine.submit(asked(1), Inbox())
        seen = until(engine, lambda: engine.state(job).status == "drawing").changes()
        with ThreadPoolExecutor(1) as pool:
            later = pool.submit(engine.changes, seen, WAIT_S)
            gate.release()
            assert later.result(WAIT_S) > seen
        assert engine.wait(job, 0.02).status == "drawing"
        gate.release(2)
        engine.wait(job, WAIT_S)


def test_an_idle_engine_reports_no_change() -> None:
    house = House({"flat": FlatModel})
    with house.engine() as engine:
        engine.wait(engine.submit(asked(1), Inbox()), WAIT_S)
        seen = engine.changes()
        assert engine.changes(after=seen, timeout=0.3) == seen


def test_many_pages_poll_while_it_draws() -> None:
    house, inbox = House({"flat": lambda: FlatModel(steps=2)}), Inbox()
    with house.engine() as engine:
        jobs = [engine.submit(asked(20), inbox) for _ in range(5)]

        def poll(_: int) -> int:
            looks = 0
            while not engine.state(jobs[-1]).finished:
                for state in engine.states():
                    assert state.done + state.failed <= state.total == 20
                    assert (state.place is None) == state.finished
                    assert state.status != "done" or state.done == 20
                    looks += 1
            return looks

        with ThreadPoolExecutor(12) as pool:
            list(pool.map(poll, range(12)))
    assert len(inbox.got) == 100


def test_finished_jobs_are_forgotten_after_a_while() -> None:
    house = House({"flat": lambda: FlatModel(steps=1)})
    with house.engine() as engine:
        jobs = [engine.submit(asked(1), Inbox()) for _ in range(205)]
        engine.wait(jobs[-1], WAIT_S)
        assert [state.id for state in engine.states()] == jobs[:4:-1]
        with pytest.raises(BadInput, match="no job"):
            engine.state(jobs[4])
        for ask in (engine.state, engine.cancel, engine.wait):
            with pytest.raises(BadInput, match="no job 'nowhere'"):
                ask("nowhere")


@pytest.mark.process
def test_importing_and_making_one_starts_no_thread() -> None:
    code = (
        "import threading, truehue.core.engine as e; e.Engine(print, len).close();"
        "import sys; print(threading.active_count(), 'torch' in sys.modules)"
    )
    message = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert message.stdout.split() == ["1", "False"]
