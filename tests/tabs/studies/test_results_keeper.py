"""Results that take long are computed in the background, once, and never for nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from truehue.core.errors import TrueHueError
from truehue.tabs.studies.results import ResultsService

Step = Callable[[str], None]


class Slow:
    """A computation that goes on only when it is let."""

    def __init__(self, name: str) -> None:
        self.name, self.runs = name, 0
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, step: Step) -> dict[str, Any]:
        self.runs += 1
        step("strengths")
        self.begun.set()
        assert self.go.wait(300)
        step("metrics")
        return {"made": self.name}


@pytest.fixture
def keeper() -> Iterator[ResultsService]:
    made = ResultsService()
    yield made
    made.close()


def test_a_page_gets_progress_and_then_the_results(keeper: ResultsService) -> None:
    slow = Slow("first")
    early = keeper.get("s", 1, slow, 0.01)
    assert slow.begun.wait(300)
    early = keeper.get("s", 1, slow, 0.01)
    assert (early.results, early.stale) == (None, False)
    assert early.progress == {"done": 1, "total": 2, "words": "strengths"}
    slow.go.set()
    assert keeper.get("s", 1, slow, 20).results == {"made": "first"}
    assert keeper.get("s", 1, slow, 0).progress is None
    assert slow.runs == 1


def test_answers_that_come_in_meanwhile_do_not_break_off_what_is_at_work(
    keeper: ResultsService,
) -> None:
    first, second = Slow("first"), Slow("second")
    keeper.get("s", 1, first, 0.01)
    assert first.begun.wait(300)
    assert keeper.get("s", 2, second, 0.01).results is None
    first.go.set()
    assert keeper.get("s", 1, first, 20).results == {"made": "first"}
    # What is there is shown as it is until the next is done.
    old = keeper.get("s", 2, second, 0.01)
    assert (old.results, old.stale) == ({"made": "first"}, True)
    second.go.set()
    assert keeper.get("s", 2, second, 20).results == {"made": "second"}
    assert (first.runs, second.runs) == (1, 1)


def test_who_was_erased_is_in_nothing_that_was_at_work(keeper: ResultsService) -> None:
    before, after = Slow("before"), Slow("after")
    keeper.get("s", 1, before, 0.01)
    assert before.begun.wait(300)
    keeper.forget("s")
    after.go.set()
    before.go.set()
    assert keeper.get("s", 2, after, 20).results == {"made": "after"}
    keeper.forget("s")
    after.go.clear()
    assert keeper.get("s", 2, after, 0.01).results is None
    after.go.set()


def test_errors_are_told_and_asked_again(keeper: ResultsService) -> None:
    def wrong(step: Step) -> dict[str, Any]:
        raise TrueHueError("The plan cannot be read.")

    for _ in range(2):
        with pytest.raises(TrueHueError, match="cannot be read"):
            keeper.get("s", 1, wrong, 20)
    keeper.close()
    with pytest.raises(TrueHueError, match="shutting down"):
        keeper.get("s", 1, wrong, 20)
