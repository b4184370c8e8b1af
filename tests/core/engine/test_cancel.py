"""Cancelling and closing: what was delivered stays, nothing is delivered twice."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.core.engine.models import WAIT_S, FlatModel, House, Inbox, asked, until
from truehue.core.engine import Delivery, Engine
from truehue.core.errors import TrueHueError

ROOT = Path(__file__).resolve().parents[3]


def test_a_waiting_job_ends_at_once_and_the_others_move_up() -> None:
    gate = threading.Semaphore(0)
    house = House({"flat": lambda: FlatModel(gate=gate)})
    inbox, other = Inbox(), Inbox()
    with house.engine() as engine:
        first = engine.submit(asked(1), other)
        until(engine, lambda: engine.state(first).place == 0)
        gone = engine.submit(asked(2), inbox)
        last = engine.submit(asked(1), other)
        engine.cancel(gone)
        state = engine.state(gone)
        assert (state.status, state.total, state.done, state.place) == ("cancelled", 2, 0, None)
        assert state.message == "Cancelled: 0 generated, 2 not generated"
        assert engine.state(last).place == 1
        gate.release(100)
        assert engine.wait(last, WAIT_S).status == "done"
    assert inbox.got == []
    assert len(other.got) == 2


def test_a_running_job_stops_within_a_step() -> None:
    gate = threading.Semaphore(0)
    house, inbox = House({"flat": lambda: FlatModel(steps=50, gate=gate)}), Inbox()
    with house.engine() as engine:
        job = engine.submit(asked(4), inbox)
        gate.release(50 + 7)
        until(engine, lambda: engine.state(job).done == 1 and engine.state(job).step == 7)
        engine.cancel(job)
        state = engine.wait(job, WAIT_S)
        assert (state.status, state.total, state.done, state.failed) == ("cancelled", 4, 1, 0)
        assert state.step == 7
        assert state.message == "Cancelled: 1 generated, 3 not generated"
        engine.cancel(job)
        assert engine.state(job).status == "cancelled"
        gate.release(100)
        again = engine.submit(asked(1), inbox)
        assert engine.wait(again, WAIT_S).status == "done"
    assert inbox.positions == [0, 0]
    assert house.opened == ["flat"]


def test_cancelling_what_is_finished_changes_nothing() -> None:
    house = House({"flat": FlatModel})
    with house.engine() as engine:
        job = engine.submit(asked(1), Inbox())
        engine.wait(job, WAIT_S)
        engine.cancel(job)
        assert engine.state(job).status == "done"


def test_cancel_while_the_model_loads() -> None:
    loads, go = threading.Event(), threading.Event()

    def slow() -> FlatModel:
        loads.set()
        assert go.wait(WAIT_S)
        return FlatModel()

    house, inbox = House({"flat": slow}), Inbox()
    with house.engine() as engine:
        job = engine.submit(asked(2), inbox)
        assert loads.wait(WAIT_S)
        assert engine.state(job).status == "loading"
        assert engine.state(job).message == "Loading flat"
        engine.cancel(job)
        assert engine.state(job).message == "Stopping"
        go.set()
        assert engine.wait(job, WAIT_S).status == "cancelled"
        assert [name for name, _ in engine.loaded()] == ["flat"]
    assert inbox.got == []
    assert house.models["flat"].batches == []


def test_every_request_is_delivered_at_most_once_whenever_it_is_cancelled() -> None:
    house = House({"flat": lambda: FlatModel(steps=1, batch_size=3)})
    with house.engine() as engine:
        for n in range(60):
            inbox = Inbox()
            job = engine.submit(asked(30), inbox)
            with ThreadPoolExecutor(3) as pool:
                for _ in range(3):
                    pool.submit(lambda: (time.sleep(n * 1e-4), engine.cancel(job)))  # noqa: B023
            state = engine.wait(job, WAIT_S)
            assert state.finished
            assert len(set(inbox.positions)) == len(inbox.positions) == state.done
            assert state.status == ("done" if state.done == 30 else "cancelled")
    counts = {len(batch) for batch in house.models["flat"].batches}
    assert counts == {3}


def test_cancel_and_submit_from_within_a_delivery() -> None:
    house = House({"flat": FlatModel})
    inbox = Inbox()
    with house.engine() as engine:

        def first_is_enough(delivery: Delivery) -> None:
            engine.cancel(delivery.job_id)
            jobs.append(engine.submit(asked(1), inbox))

        jobs = []
        job = engine.submit(asked(5), first_is_enough)
        assert engine.wait(job, WAIT_S).done == 1
        assert engine.wait(jobs[0], WAIT_S).done == 1
    assert len(inbox.got) == 1


def test_close_while_running() -> None:
    gate = threading.Semaphore(0)
    house, inbox = House({"flat": lambda: FlatModel(gate=gate)}), Inbox()
    engine = Engine(house.open_model, house.memory_wanted)
    running, waiting = engine.submit(asked(2), inbox), engine.submit(asked(2), inbox)
    until(engine, lambda: engine.state(running).status == "drawing")
    assert engine.close(WAIT_S)
    assert engine.close(WAIT_S)
    assert {engine.state(job).status for job in (running, waiting)} == {"cancelled"}
    assert house.models["flat"].unloaded == 1
    assert engine.loaded() == ()
    assert inbox.got == []
    assert "truehue-engine" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(TrueHueError, match="shutting down"):
        engine.submit(asked(1), inbox)


def test_close_says_when_it_could_not_wait_long_enough() -> None:
    go = threading.Event()
    house = House({"flat": lambda: FlatModel(before=lambda _: assert_set(go))})
    engine = Engine(house.open_model, house.memory_wanted)
    job = engine.submit(asked(1), Inbox())
    until(engine, lambda: engine.state(job).status == "drawing")
    assert not engine.close(0.05)
    go.set()
    assert engine.close(WAIT_S)


@pytest.mark.process
@pytest.mark.parametrize("true", ["state.step > 3", "state.finished"])
def test_a_process_that_forgot_to_close_ends_nevertheless(true: str) -> None:
    steps = 2 if true == "state.finished" else 10**9
    code = f"""
        from tests.core.engine.models import FlatModel, House, asked, until
        from truehue.core.engine import Engine
        house = House({{"flat": lambda: FlatModel(steps={steps})}})
        engine = Engine(house.open_model, house.memory_wanted)
        job = engine.submit(asked(1), lambda delivery: None)
        def true():
            state = engine.state(job)
            return {true}
        until(engine, true)
        print("end")
    """
    message = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=ROOT,
        check=True,
    )
    assert message.stdout == "end\n"
    assert message.stderr == ""


def assert_set(event: threading.Event) -> None:
    assert event.wait(WAIT_S)
