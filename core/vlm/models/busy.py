"""Waiting for a busy server: all pending questions wait together, within a limit."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from truehue.core.generation.backends.endpoints import retry_after_s

MAX_WAIT_S = 3600.0
"""So long a server is waited for in all, from its first refusal to its next answer."""
FIRST_WAIT_S, LONGEST_STEP_S = 1.0, 60.0
"""Waited at least, also where a server says less ("Retry-After: 0"); doubled each time."""
SAME_REFUSALS = 5
"""So many questions refused with one message, before any was answered: it is not the questions."""

_ID = re.compile(r"\b(?=[\w-]*\d)[\w-]{12,}\b")

ReportWait = Callable[[str], None]
"""Gets what is waited for, in a sentence; empty once it goes on."""


class BusyRetry:
    """Waits while a server is busy (429, or 503 with Retry-After). For one event loop."""

    def __init__(self, report: ReportWait | None = None) -> None:
        self._report = report or (lambda message: None)
        self._until = self._since = self._decided = 0.0
        self._step_s = FIRST_WAIT_S
        self._is_waiting = False

    async def wait(self) -> None:
        """Until the server may be asked again."""
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def answered(self) -> None:
        """The server answers again."""
        self._since, self._step_s = 0.0, FIRST_WAIT_S
        if self._is_waiting:
            self._is_waiting = False
            self._report("")

    @property
    def waited_s(self) -> float:
        """Since its first refusal."""
        return time.monotonic() - self._since if self._since else 0.0

    def is_refused(self, error: Any, sent_at: float) -> bool:
        """Whether the question is to be asked again after a wait, which is decided on here.
        ``error`` is of OpenAI's client, ``sent_at`` when by ``time.monotonic()``."""
        status = getattr(error, "status_code", 0)
        if status not in (429, 503) or getattr(error, "code", None) == "insufficient_quota":
            return False
        wanted = retry_after_s(error.response.headers.get("retry-after", ""))
        if status == 503 and wanted is None:
            return False
        now = time.monotonic()
        self._since = self._since or now
        pause = max(self._step_s, wanted or 0.0)
        if now + pause - self._since > MAX_WAIT_S:
            return False
        if sent_at < self._decided:
            # It was under way when others were refused.
            self._until = max(self._until, now + (wanted or 0.0))
            return True
        self._step_s = min(2 * self._step_s, LONGEST_STEP_S)
        self._decided, self._until, self._is_waiting = now, now + pause, True
        ends = datetime.fromtimestamp(time.time() + pause, UTC)
        self._report(
            f"The server is busy ({status}): asking again in {_duration(pause)}, at "
            f"{ends:%H:%M:%S} UTC."
        )
        return True


class RefusalCounter:
    """Counts questions that are refused with one message, as by a wrong setting of the model."""

    def __init__(self, answered: bool = False) -> None:
        self._answered, self._message, self._count = answered, "", 0

    def answer(self) -> None:
        """A question was answered: from now on a refusal is its question's own."""
        self._answered = True

    def refuse(self, message: str) -> bool:
        """Whether this is one too many. Ids of requests make no difference."""
        same = _ID.sub("", message)
        self._count = self._count + 1 if same == self._message else 1
        self._message = same
        return not self._answered and self._count >= SAME_REFUSALS


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
