"""Answers that end only with the page that asked for them: Gradio's streams, and long polls.

When the app is told to end, they are cut at once. Whatever else is at work has its time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_open: set[asyncio.Task[Any]] = set()


@contextmanager
def endless() -> Iterator[None]:
    """Marks the task that runs the block: it waits for something that may never come."""
    task = asyncio.current_task()
    assert task is not None
    _open.add(task)
    try:
        yield
    finally:
        _open.discard(task)


def cut() -> None:
    """Ends all of them."""
    for task in list(_open):
        task.cancel()
