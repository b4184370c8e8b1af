"""Calls of tools (detectors, segmenters, presence models) while images are generated.

A generation job takes minutes and a click must not wait for it. The engine answers calls when it is
idle, or between two steps if the tool fits into memory beside the generator, otherwise between two
requests.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from truehue.core.engine.memory import Key, Models, release_device_memory
from truehue.core.engine.records import CallState, ChangeSignal
from truehue.core.errors import TrueHueError
from truehue.core.generation.memory import is_out_of_memory

log = logging.getLogger("truehue.engine")


@dataclass(eq=False)
class Call:
    """One question: ``function`` is given the tool, ``future`` what it returns or raises."""

    key: Key
    function: Callable[[Any], Any]
    title: str = ""
    owner: str = ""
    future: Future[Any] = field(default_factory=Future)
    status: str = "waiting"
    # It does not fit beside the model that draws: no step can answer it, the request's end can.
    after_request: bool = False
    began: bool = False  # it can no longer be cancelled


@dataclass(frozen=True)
class _Outcome:
    """The outcome of a call: an error, or else the value."""

    value: Any = None
    error: BaseException | None = None

    @property
    def no_memory(self) -> bool:
        return self.error is not None and is_out_of_memory(self.error)


class Calls:
    """The calls that wait. The engine's one thread answers; anyone may look."""

    def __init__(self, models: Models, board: ChangeSignal) -> None:
        self._models, self._board = models, board
        self._waiting: deque[Call] = deque()
        self._running: list[Call] = []
        self._in_use: tuple[Key, ...] = ()

    def add(self, call: Call) -> None:
        """The caller holds the lock."""
        self._waiting.append(call)

    @property
    def some_wait(self) -> bool:
        return bool(self._waiting)

    def states(self) -> tuple[CallState, ...]:
        """Those that run, then those that wait, in order. The caller holds the lock."""
        return tuple(
            CallState(call.key.id, call.title, call.owner, call.status)
            for call in [*self._running, *self._waiting]
            if not call.future.cancelled()
        )

    def answer(self, drawing: Key | None = None, may_go: bool = True) -> float:
        """Answers the calls that wait now, in their order, and returns the seconds it took.

        Those that come meanwhile wait for the next time, so that a drawing goes on however many
        come. ``drawing`` is the model of the running job; between its steps it may not go.
        """
        began = time.monotonic()
        with self._board.lock:
            calls = list(self._waiting)
        for call in calls:
            in_use = () if drawing is None else (drawing,)
            if call.after_request and in_use and not may_go:
                continue
            call.after_request = bool(in_use) and not self._fits(call.key, in_use)
            if call.after_request:
                if not may_go:
                    continue
                in_use = ()
            if self._begins(call):
                self._run(call, in_use, may_go)
        return time.monotonic() - began

    def now(self, call: Call) -> None:
        """Answers a call of the engine's own thread, which cannot wait for itself."""
        call.began = call.future.set_running_or_notify_cancel()
        self._run(call, self._in_use, None)

    def refuse(self, reason: str) -> None:
        """Ends all that wait with this error. From any thread, without the lock."""
        with self._board.change():
            calls = list(self._waiting)
            self._waiting.clear()
        for call in calls:
            if call.began or call.future.set_running_or_notify_cancel():
                call.future.set_exception(TrueHueError(reason))

    def _fits(self, key: Key, in_use: Collection[Key]) -> bool:
        try:
            return self._models.fits(key, in_use)
        except BaseException:  # opening it will say what is wrong, to the one who asked
            return True

    def _begins(self, call: Call) -> bool:
        """Takes a call out of those that wait; False if it was cancelled or refused."""
        with self._board.change():
            if call not in self._waiting:
                return False
            self._waiting.remove(call)
            call.began = call.began or call.future.set_running_or_notify_cancel()
            return call.began

    def _run(self, call: Call, in_use: tuple[Key, ...], may_go: bool | None) -> None:
        """Runs a call to its answer. Where memory runs out, other models go first, then the one
        that draws; where that may not go, the call waits on (``may_go`` False: between steps) or
        fails (None: within another call)."""
        with self._board.change():
            self._running.append(call)
        outcome, waits_on = self._attempt(call, in_use), False
        while outcome.no_memory and not waits_on:
            log.warning("%s ran out of memory", call.key.id)
            release_device_memory()
            if self._models.unload_others({call.key, *in_use}):
                outcome = self._attempt(call, in_use)
            elif in_use and may_go:
                in_use = ()
            elif in_use and may_go is False:
                waits_on = True
            else:
                break
        self._models.weigh(call.key)
        with self._board.change():
            self._running.remove(call)
            if waits_on:
                call.status, call.after_request = "waiting", True
                self._waiting.appendleft(call)
        if not waits_on:
            _report(call, outcome)

    def _attempt(self, call: Call, in_use: tuple[Key, ...]) -> _Outcome:
        before, self._in_use = self._in_use, (*in_use, call.key)
        try:
            outcome = self._tried(call, in_use)
        finally:
            self._in_use = before
        if outcome.error is not None:
            # The frames that an error remembers hold the tool, and so its memory.
            _let_go(outcome.error)
        return outcome

    def _tried(self, call: Call, in_use: tuple[Key, ...]) -> _Outcome:
        try:
            with torch_state_preserved():
                self._is(call, "running" if self._models.is_loaded(call.key) else "loading")
                tool = self._models.get(call.key, in_use)
                self._is(call, "running")
                return _Outcome(call.function(tool))
        except BaseException as error:  # of a tool or of the caller: the drawing must go on
            return _Outcome(error=error)

    def _is(self, call: Call, status: str) -> None:
        if call.status != status:
            with self._board.change():
                call.status = status


def _report(call: Call, outcome: _Outcome) -> None:
    """Deliver the answer to the waiting caller."""
    error = outcome.error
    if error is not None and not isinstance(error, TrueHueError):
        if outcome.no_memory:
            error = TrueHueError(_out_of_memory(call.key.id))
        else:
            log.warning("A call of %s failed", call.key.id, exc_info=error)
    try:
        if error is None:
            call.future.set_result(outcome.value)
        else:
            call.future.set_exception(error)
    except BaseException:  # of a callback, which runs here: the drawing must go on
        log.exception("What waited for an answer failed on getting it")


def _let_go(error: BaseException) -> None:
    """Empties the frames that an error and its causes remember; their lines stay."""
    seen: set[int] = set()
    pending: list[BaseException | None] = [error]
    while pending:
        error_or_none = pending.pop()
        if error_or_none is not None and id(error_or_none) not in seen:
            seen.add(id(error_or_none))
            traceback.clear_frames(error_or_none.__traceback__)
            pending += [error_or_none.__cause__, error_or_none.__context__]


def _out_of_memory(tool_id: str) -> str:
    return (
        f"Out of memory with {tool_id}, also with no other model that could be unloaded. Take a "
        "smaller model or a smaller image."
    )


@contextmanager
def torch_state_preserved() -> Iterator[None]:
    """Keeps torch's global chance (CPU and the device in use), and gives the work torch's usual
    modes, not those of the drawing around it: weights that are loaded in inference mode would
    stay bound to it.

    Python's and NumPy's global chance are left alone: the page's threads use them too, and would
    be given the same numbers twice.
    """
    torch = sys.modules.get("torch")
    if torch is None:  # then no drawing uses it either
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=_cuda(torch)))
        if torch.backends.mps.is_available():
            stack.callback(torch.mps.set_rng_state, torch.mps.get_rng_state())
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        yield


def _cuda(torch: Any) -> list[int]:
    """The one CUDA device in use; to ask for others would wake them."""
    return [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
