"""Which visitor of a demonstration an answer is made for.

Every visitor has a desk of their own: a data folder that nobody else sees
(:mod:`truehue.tabs.shell.workspaces`). Whoever answers a request says whose it is; what is called below
finds the desk, and work that goes on in a thread takes it along.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Guest:
    """A visitor by the signed id; one without is nobody, and sees the samples alone.

    ``stays``: there is a desk from the first time that something of it is asked for; one that only
    looks gets none, and sees the samples until then.
    """

    id: str
    stays: bool = True


_GUEST: ContextVar[Guest | None] = ContextVar("truehue_guest", default=None)


def guest() -> Guest | None:
    """Who the answer is for that is being made; None outside of all answers."""
    return _GUEST.get()


@contextmanager
def answering(item: Guest) -> Iterator[None]:
    """What is done in the block is done for that guest."""
    token = _GUEST.set(item)
    try:
        yield
    finally:
        _GUEST.reset(token)
