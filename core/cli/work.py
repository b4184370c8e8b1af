"""What a command says of long work: a line now and then, and how it ended."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from truehue.core.batch.records import BatchState

_SAID_EVERY_S = 10.0


class ProgressLine:
    """A line on standard error every ten seconds; ``items`` is what is counted. What ``waits``
    returns, a sentence or nothing, is said beside it."""

    def __init__(self, items: str, waits: Callable[[], str] = str) -> None:
        self._items, self._last, self._waits = items, time.monotonic(), waits

    def __call__(self, state: BatchState) -> None:
        if time.monotonic() - self._last < _SAID_EVERY_S:
            return
        self._last = time.monotonic()
        text = f"{state.done:,} of {state.total:,} {self._items}"
        if state.seconds_left is not None:
            text += f", about {state.seconds_left / 60:.0f} min left"
        print(" · ".join(filter(None, (text, self._waits()))), file=sys.stderr, flush=True)


def say_problems(state: BatchState, lacking: str) -> None:
    """On standard error why items have none of what they are to have, such as ``a result``."""
    for reason, count in state.problems:
        print(f"{count:,} without {lacking}: {reason}", file=sys.stderr)


def exit_status(state: BatchState) -> int:
    """3, and a sentence, for work that was ended before its last item; 2 where some items failed;
    else 0."""
    if state.status != "finished":
        print(f"{state.message or 'Stopped.'} Run the same command again to resume.")
        return 3
    return 2 if state.failed else 0
