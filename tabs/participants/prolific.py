"""Compare the participants of a study with their submissions at Prolific, and release the trials of
who returned theirs.

https://docs.prolific.com/api-reference/studies/get-study-submissions names the address, and
https://docs.prolific.com/api-reference/submissions/submission-object the statuses."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import anyio

from truehue.annotation.assignment.endings import SITE_STATUS, TIMED_OUT_THERE
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import Event, EventKind
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.posting import close_if_due, store
from truehue.tabs.participants.session import ParticipantSession

log = logging.getLogger("truehue")

TOKEN, ADDRESS = "TRUEHUE_PROLIFIC_TOKEN", "TRUEHUE_PROLIFIC_URL"
"""The environment's names for the token, which is never stored, and for another address than
Prolific's."""
API = "https://api.prolific.com"
TIMEOUT_S, MAX_PAGES, MAX_STUDIES = 20.0, 200, 5
CHECK_EVERY_S = 60.0
QUIET = timedelta(minutes=5)
"""Whose submission timed out may still be answering here: after so long without a sign they are not."""
SUBMITS_WITHIN = timedelta(minutes=15)
"""Who finished here is expected to have submitted the code by then."""
RETURNED, ACTIVE, RESERVED = "RETURNED", "ACTIVE", "RESERVED"
SUBMITTED = ("AWAITING REVIEW", "APPROVED")
NOT_PAID = (RETURNED, TIMED_OUT_THERE, "REJECTED")
_ID = re.compile(r"[0-9A-Za-z]{8,64}")

Problem = Literal["not_finished", "not_paid", "not_submitted", "unknown", "not_listed"]


@dataclass(frozen=True)
class Submission:
    """One submission: its id, which is the session of its participant, and their id and status."""

    id: str
    participant_id: str
    status: str


@dataclass(frozen=True)
class Difference:
    """Where Prolific and this study do not agree. ``number`` is the participant's, None for a
    submission of nobody here; ``status`` is Prolific's, empty for nobody there."""

    problem: Problem
    number: int | None
    submission_id: str
    status: str


@dataclass(frozen=True)
class SubmissionCheck:
    """A comparison at ``at`` of the ``participants`` whom Prolific sent: submissions by status, how
    many participations were ended for it since TrueHue started, differences, and what went wrong."""

    at: datetime
    participants: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    released: int = 0
    differences: tuple[Difference, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Prolific:
    """Prolific's API with a researcher's token."""

    token: str = field(repr=False)
    address: str = API

    @classmethod
    def from_environment(cls) -> Prolific | None:
        """None without a token. Raises BadInput for an address that would send it in the clear."""
        token = os.environ.get(TOKEN, "").strip()
        address = (os.environ.get(ADDRESS, "").strip() or API).rstrip("/")
        parts = urlsplit(address)
        if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise BadInput(f"{ADDRESS} must start with https://, because a token is sent to it.")
        return cls(token, address) if token else None

    def submissions(self, study_id: str) -> list[Submission]:
        """All submissions of a study at Prolific. Blocks. Raises BadInput for what it refuses."""
        import httpx

        url: str | None = f"{self.address}/api/v1/studies/{quote(study_id, safe='')}/submissions/"
        submissions: list[Submission] = []
        headers = {"Authorization": f"Token {self.token}"}
        with httpx.Client(headers=headers, timeout=TIMEOUT_S) as client:
            for _ in range(MAX_PAGES):
                if url is None:
                    return submissions
                try:
                    answer = client.get(url)
                    content = answer.json() if answer.is_success else None
                except (httpx.HTTPError, ValueError) as error:
                    raise BadInput(f"Prolific does not answer ({type(error).__name__}).") from None
                if answer.status_code in (401, 403):
                    raise BadInput(f"Prolific refuses the token in {TOKEN}.")
                if answer.status_code == 404:
                    raise BadInput(f"This token's account has no study {study_id} at Prolific.")
                if not isinstance(content, dict) or not isinstance(content.get("results"), list):
                    raise BadInput(f"Prolific does not answer as expected ({answer.status_code}).")
                submissions.extend(_read(content["results"]))
                url = self._next(content)
        raise BadInput(f"The study has more than {MAX_PAGES} pages of submissions.")

    def _next(self, content: Mapping[str, Any]) -> str | None:
        """The next page, if there is one: the documentation names none, and lists elsewhere have
        them. The token goes to no other site."""
        links = content.get("_links")
        link = links.get("next") if isinstance(links, Mapping) else None
        url = link.get("href") if isinstance(link, Mapping) else None
        return url if isinstance(url, str) and url.startswith(f"{self.address}/") else None


def _read(results: Iterable[Any]) -> Iterator[Submission]:
    for item in results:
        if isinstance(item, Mapping) and item.get("id"):
            status = str(item.get("status") or "").upper().replace("_", " ")
            status = TIMED_OUT_THERE if status == "TIMED OUT" else status
            yield Submission(str(item["id"]), str(item.get("participant_id") or ""), status)


def sent_by_prolific(live_study: LiveStudy) -> dict[str, list[ParticipantSession]]:
    """Participants by the id that Prolific's study has; of the most frequent studies, since anybody
    can write an id into the address."""
    by_study: dict[str, list[ParticipantSession]] = {}
    for session in live_study.seats.values():
        external = session.person.external
        study_id = external.get("study_id", "")
        if external.get("prolific_pid") and _ID.fullmatch(study_id):
            by_study.setdefault(study_id, []).append(session)
    ranked = sorted(by_study.items(), key=lambda item: -len(item[1]))
    return dict(ranked[:MAX_STUDIES])


class SubmissionChecks:
    """The comparisons of all studies. Belongs to one event loop."""

    def __init__(self, prolific: Prolific | None) -> None:
        self.prolific = prolific
        self._last: dict[str, SubmissionCheck] = {}
        self._running: set[str] = set()

    def last(self, study_id: str) -> SubmissionCheck | None:
        """The newest comparison. Any thread may ask."""
        return self._last.get(study_id)

    def is_running(self, study_id: str) -> bool:
        """Whether a comparison is under way."""
        return study_id in self._running

    def is_due(self, live_study: LiveStudy) -> bool:
        """Whether it is time for a comparison, and none is running."""
        if self.prolific is None or live_study.book.preview or not live_study.is_recruited:
            return False
        last = self._last.get(live_study.study.id)
        is_old = last is None or live_study.now() - last.at >= timedelta(seconds=CHECK_EVERY_S)
        return is_old and live_study.study.id not in self._running

    async def check(self, live_study: LiveStudy) -> None:
        """Compares now, where somebody came from Prolific, and releases what was returned."""
        study_id = live_study.study.id
        by_study = sent_by_prolific(live_study)
        if self.prolific is None or study_id in self._running:
            return
        self._running.add(study_id)
        try:
            self._last[study_id] = await self._checked(self.prolific, live_study, by_study)
        except Exception:  # nobody waits for it: the next try is in a minute
            log.exception("Submissions at Prolific could not be compared.")
            participants = sum(map(len, by_study.values()))
            error = "The comparison failed. The server's log says why."
            check = SubmissionCheck(live_study.now(), participants, error=error)
            self._last[study_id] = check
        finally:
            self._running.discard(study_id)

    async def _checked(
        self,
        prolific: Prolific,
        live_study: LiveStudy,
        by_study: Mapping[str, list[ParticipantSession]],
    ) -> SubmissionCheck:
        before = self._last.get(live_study.study.id)
        released = before.released if before else 0
        statuses: Counter[str] = Counter()
        differences: list[Difference] = []
        errors: list[str] = []
        for study_id, sessions in by_study.items():
            try:
                submissions = await anyio.to_thread.run_sync(prolific.submissions, study_id)
            except BadInput as error:
                errors.append(str(error))
                continue
            statuses.update(submission.status for submission in submissions)
            of_session = _matched(submissions, sessions)
            for session in sessions:
                submission = of_session.get(session.person.id)
                with contextlib.suppress(NotStored):  # erased in the meantime
                    if submission and await _release(live_study, session, submission):
                        released += 1
            differences += compare(submissions, sessions, of_session, live_study.now())
        return SubmissionCheck(
            live_study.now(),
            sum(map(len, by_study.values())),
            dict(statuses),
            released,
            tuple(differences),
            " ".join(errors),
        )


def _matched(
    submissions: Sequence[Submission], sessions: Sequence[ParticipantSession]
) -> dict[str, Submission]:
    """The submission of each participant: that of their session, else the last of their id."""
    by_id = {submission.id: submission for submission in submissions}
    by_person = {submission.participant_id: submission for submission in submissions}
    found: dict[str, Submission] = {}
    for session in sessions:
        external = session.person.external
        own = by_id.get(external.get("session_id", "")) or by_person.get(external["prolific_pid"])
        # Both ids stand in the address: an own submission has the participant's id.
        if own is not None and own.participant_id in ("", external["prolific_pid"]):
            found[session.person.id] = own
    return found


async def _release(
    live_study: LiveStudy, session: ParticipantSession, submission: Submission
) -> bool:
    """Ends a participation whose submission was returned, or timed out while nobody answers here;
    False where it goes on, or has ended."""
    async with session.turn:
        quiet = live_study.now() - session.sign_at > QUIET
        is_over = submission.status == RETURNED or (submission.status == TIMED_OUT_THERE and quiet)
        if not is_over or session.done or session.through:
            return False
        body = {SITE_STATUS: submission.status}
        event = Event(secrets.token_hex(16), EventKind.WITHDRAWAL, None, body)
        await store(live_study, session, [event])
    await close_if_due(live_study)
    return True


def compare(
    submissions: Sequence[Submission],
    sessions: Sequence[ParticipantSession],
    of_session: Mapping[str, Submission],
    now: datetime,
) -> list[Difference]:
    """Where Prolific and the study do not agree."""
    differences: list[Difference] = []
    for session in sessions:
        number = session.person.number
        submission = of_session.get(session.person.id)
        if submission is None:
            own = session.person.external.get("session_id", "")
            differences.append(Difference("not_listed", number, own, ""))
        elif problem := _problem(session, submission, now):
            differences.append(Difference(problem, number, submission.id, submission.status))
    known = {submission.id for submission in of_session.values()}
    differences += [
        Difference("unknown", None, submission.id, submission.status)
        for submission in submissions
        if submission.id not in known and submission.status in SUBMITTED
    ]
    return differences


def _problem(session: ParticipantSession, submission: Submission, now: datetime) -> Problem | None:
    finished = session.through or session.finished
    if submission.status in SUBMITTED and not finished and session.ended is None:
        return "not_finished"
    if submission.status in NOT_PAID and finished:
        return "not_paid"
    waited = now - session.sign_at > SUBMITS_WITHIN
    if submission.status in (ACTIVE, RESERVED) and finished and waited:
        return "not_submitted"
    return None
