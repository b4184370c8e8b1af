"""Notices that somebody waits for a review of their practice: to a webhook, or by a command.

Whoever operates the server sets where notices go, when it is started. No setting of a study does:
else whoever may make studies could have the server send requests to addresses behind its firewall,
or run commands. Notices have no personal data, and researchers are not told the address.

A thread of its own sends them, so that no participant waits for it.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Condition, Thread
from typing import TypedDict

from truehue.annotation.studies.cases import Kind
from truehue.core.errors import TrueHueError
from truehue.core.studies import State
from truehue.tabs.page.context import Context
from truehue.tabs.participants.service import Participation
from truehue.tabs.studies.colorings.facts import current_colorings_of
from truehue.tabs.studies.colorings.waiting import WaitingPractice, practice_waiting
from truehue.tabs.studies.live import current

log = logging.getLogger("truehue")

MINUTES = 10.0
WEBHOOK_S, COMMAND_S = 10.0, 30.0
"""How long a webhook, and a command, may take."""


@dataclass(frozen=True)
class NoticeSettings:
    """Where notices go: a ``webhook`` that gets JSON, and a ``command`` (its words) that gets the
    text on standard input. ``address`` is TrueHue's own, for the link. A study has at most one
    notice in so many ``minutes``."""

    webhook: str = ""
    command: tuple[str, ...] = ()
    address: str = ""
    minutes: float = MINUTES

    @property
    def ways(self) -> list[str]:
        """The ways that are set, in words."""
        return [*(["webhook"] if self.webhook else []), *(["command"] if self.command else [])]


@dataclass(frozen=True)
class Notice:
    """``waiting`` people of a study wait, the first of them since ``since``."""

    study_id: str
    title: str
    waiting: int
    since: datetime
    link: str

    @property
    def text(self) -> str:
        """The notice for people."""
        who = "1 person waits" if self.waiting == 1 else f"{self.waiting:,} people wait"
        return (
            f"{who} for the review of their practice in “{self.title}”, "
            f"since {self.since.astimezone(UTC):%Y-%m-%d %H:%M} UTC.\n{self.link}\n"
        )

    def body(self) -> dict[str, str | int]:
        """The notice for programs; ``text`` is what chat services show."""
        return {
            "text": self.text,
            "study": self.study_id,
            "title": self.title,
            "waiting": self.waiting,
            "since": self.since.isoformat(),
            "link": self.link,
        }


class NoticesJson(TypedDict):
    """How notices of a study go out, when the last one did, and why one did not."""

    ways: list[str]
    minutes: float
    sent_at: str | None
    problem: str


@dataclass(frozen=True)
class _Sent:
    """The last attempt: whom it was about, by participant and round; none where it failed."""

    at_s: float
    people: frozenset[tuple[str, int]]
    problem: str = ""


class PracticeNotices:
    """Sends notices in a thread of its own, once it has begun. A service of the app."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = NoticeSettings()
        self._clock = clock
        self._sent: dict[str, _Sent] = {}
        self._delivered: dict[str, datetime] = {}
        self._due: dict[str, float] = {}
        self._changed = Condition()
        self._ended = False
        self._thread: Thread | None = None

    def begin(self, context: Context, settings: NoticeSettings) -> None:
        """Sends notices from now on, where a way is set: also of those who wait already."""
        self.settings = settings
        if not settings.ways:
            return
        context.service(Participation).on_practice = self.signal
        for record in context.storage.studies.all():
            if (
                record.state in (State.OPEN, State.PAUSED)
                and current(context, record).kind is Kind.COLORINGS
            ):
                self.signal(record.id)
        self._thread = Thread(
            target=self._run, args=(context,), name="truehue-notices", daemon=True
        )
        self._thread.start()

    def signal(self, study_id: str) -> None:
        """Somebody waits in that study. Any thread may call; it returns at once."""
        with self._changed:
            self._due.setdefault(study_id, 0.0)
            self._changed.notify()

    def close(self) -> None:
        """Sends nothing any more; what is under way may end by itself."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def state(self, study_id: str) -> NoticesJson | None:
        """How notices of a study go out; None where none do."""
        if not self.settings.ways:
            return None
        sent, delivered = self._sent.get(study_id), self._delivered.get(study_id)
        return {
            "ways": self.settings.ways,
            "minutes": self.settings.minutes,
            "sent_at": delivered.isoformat() if delivered else None,
            "problem": sent.problem if sent else "",
        }

    def _run(self, context: Context) -> None:
        while (study_id := self._next()) is not None:
            try:
                self.check(context, study_id)
            except TrueHueError as error:  # the study was deleted meanwhile
                log.warning("No notice was sent: %s", error)
            except Exception:  # a later notice must not be lost with this one
                log.exception("No notice was sent")

    def _next(self) -> str | None:
        """Waits for the next study to look at; None at the end."""
        with self._changed:
            while not self._ended:
                now = self._clock()
                study_id = min(self._due, key=lambda name: self._due[name], default=None)
                if study_id is not None and self._due[study_id] <= now:
                    del self._due[study_id]
                    return study_id
                self._changed.wait(None if study_id is None else self._due[study_id] - now)
        return None

    def check(self, context: Context, study_id: str) -> None:
        """Sends a notice where somebody waits who was in none yet; later, where it is too soon."""
        before = self._sent.get(study_id)
        if before is not None:
            again_s = before.at_s + 60 * self.settings.minutes
            if self._clock() < again_s:
                with self._changed:
                    self._due[study_id] = again_s
                return
        current_colorings = current_colorings_of(context, study_id)
        waiting = practice_waiting(current_colorings)
        people = frozenset((row["participant"], row["round"]) for row in waiting)
        if not people or (before is not None and people <= before.people):
            return
        notice = _notice(study_id, current_colorings.source.study.title, waiting, self.settings)
        problems = deliver(notice, self.settings)
        failed = len(problems) == len(self.settings.ways)
        self._sent[study_id] = _Sent(
            self._clock(), frozenset() if failed else people, " ".join(problems)
        )
        if failed:
            self.signal(study_id)
        else:
            self._delivered[study_id] = datetime.now(UTC)


def _notice(
    study_id: str, title: str, waiting: Sequence[WaitingPractice], settings: NoticeSettings
) -> Notice:
    since = min(datetime.fromisoformat(row["since"]) for row in waiting)
    link = f"{settings.address}/?tab=studies&study={study_id}&view=practice"
    return Notice(study_id, title, len(waiting), since, link)


def deliver(notice: Notice, settings: NoticeSettings) -> list[str]:
    """Sends a notice by every way; returns why it did not go out, by way, in words."""
    ways: Mapping[str, tuple[bool, Callable[[], str]]] = {
        "webhook": (bool(settings.webhook), lambda: _post(settings.webhook, notice)),
        "command": (bool(settings.command), lambda: _run_command(settings.command, notice)),
    }
    problems = []
    for name, (is_set, send) in ways.items():
        if is_set and (problem := send()):
            log.warning("The %s of notices failed: %s", name, problem)
            problems.append(f"The {name} {problem}.")
    return problems


def _post(webhook: str, notice: Notice) -> str:
    """Posts the notice; why that failed, without the address, which may hold a secret."""
    import httpx

    logging.getLogger("httpx").setLevel(logging.WARNING)  # it logs whole addresses
    try:
        # Where it is led on to, nobody has set.
        answer = httpx.post(webhook, json=notice.body(), timeout=WEBHOOK_S, follow_redirects=False)
    except httpx.TimeoutException:
        return f"did not answer within {WEBHOOK_S:g} seconds"
    except httpx.HTTPError as error:
        return f"cannot be reached ({type(error).__name__})"
    return "" if answer.is_success else f"answered {answer.status_code}"


def _run_command(command: Sequence[str], notice: Notice) -> str:
    """Runs the command, without a shell, with the text on standard input; why that failed."""
    try:
        done = subprocess.run(
            command,
            input=notice.text,
            text=True,
            encoding="utf-8",
            errors="replace",
            capture_output=True,
            timeout=COMMAND_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {COMMAND_S:g} seconds"
    except OSError as error:
        return f"cannot be run ({error.strerror})"
    if done.returncode:
        log.warning("The command of notices said: %s", done.stderr.strip()[-500:])
        return f"ended with status {done.returncode}"
    return ""
