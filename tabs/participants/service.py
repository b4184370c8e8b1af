"""Links and enrolment of participants. Every coroutine runs on the event loop.

Threads read and write the database, except for events: they wait for the one thread that commits
all pending events together.
"""

from __future__ import annotations

import asyncio
import math
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import anyio

from truehue.annotation.assignment.assign import assign_further
from truehue.annotation.assignment.ledger import AssignmentState
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.errors import AlreadyEnrolled
from truehue.core.studies import (
    Enrolment,
    Event,
    EventKind,
    InvitationRecord,
    State,
    StudyRecord,
    Trial,
)
from truehue.tabs.feature import AppParts
from truehue.tabs.page.refusals import Refusals
from truehue.tabs.page.throttle import Pace, Throttle
from truehue.tabs.participants.layers import LayerRenderer
from truehue.tabs.participants.live_study import LiveStudy, RefusedVisits
from truehue.tabs.participants.posting import close_if_due, extend, refresh, store, time_of_choice
from truehue.tabs.participants.previews import MAX_PEOPLE, Previews
from truehue.tabs.participants.prolific import Prolific, SubmissionChecks
from truehue.tabs.participants.reading import (
    Refusal,
    participant_id_of,
    read_external,
    read_facts,
    read_id,
    read_input,
    session_id_of,
)
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.stores import DatabaseStudyStore
from truehue.tabs.participants.tokens import hash_of, new_token, well_formed

if TYPE_CHECKING:
    from truehue.storage.store import Storage

MAX_LINKS = 20_000
"""Links that are kept in memory by their hashes."""
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,2}")
ELSEWHERE = (
    "You started this study in another session of the site that sent you. Continue there, or "
    "ask the researcher."
)
NOT_OPEN = {
    State.DRAFT: "This study has not started yet. Come back later with the same link.",
    State.PAUSED: "This study is paused. Come back later with the same link.",
    State.CLOSED: "This study is closed. Thank you for your interest.",
}
FULL = "This study is full for now. A place may become free later: come back with the same link."


ENROLMENTS = Pace(400, 30.0)
"""How many may begin from one network, as a school's or a lab's, within an hour: one program that
comes in again and again does not take everybody's place."""
MANY = "Too many people have started from your network. Try again in {} seconds."


@dataclass(frozen=True)
class Visit:
    """Somebody at a link that leads somewhere."""

    desk: LiveStudy
    invitation: InvitationRecord


@dataclass(frozen=True)
class Agreement:
    """What a page sends to take part: ``id`` of the consent, which the page made, so that asking
    twice is one participation; ``input`` says how it was entered."""

    id: str
    consent_version: str
    language: str
    external: Mapping[str, str] = field(default_factory=dict)
    display: Mapping[str, Any] = field(default_factory=dict)
    network: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)


def read_agreement(content: Mapping[str, Any], network: str = "") -> Agreement:
    """The agreement that was sent from a ``network``, which is not stored. Raises BadInput."""
    sent_id = content.get("id")
    version, language = content.get("consent_version"), content.get("language")
    return Agreement(
        secrets.token_hex(16) if sent_id is None else read_id(sent_id),
        version if isinstance(version, str) else "",
        language if isinstance(language, str) and _LANGUAGE.fullmatch(language) else "",
        read_external(content.get("external")),
        read_facts(content.get("display")),
        network,
        read_input(content),
    )


class Participation:
    """All studies that people take part in: the desks that are at work, links, previews."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._clock = storage, storage.now
        self._drawing = LayerRenderer(storage)
        self._previews = Previews(storage.now, self._drawing)
        self._desks: dict[str, LiveStudy] = {}
        self._links: dict[str, tuple[int, InvitationRecord]] = {}
        self._opening = Lock()
        self._enrolments = Throttle()
        self.submissions = SubmissionChecks(Prolific.from_environment())
        self._checking: set[asyncio.Task[None]] = set()
        self.refusals = Refusals(about="on a study's page, ")
        self.on_practice: Callable[[str], None] = lambda study_id: None
        """Called with a study's id when somebody there waits for a review of their practice; it
        returns at once."""

    @classmethod
    def of(cls, parts: AppParts) -> Participation:
        """The one of an app."""
        return cls(parts.storage)

    def preview(self, plan: StudyPlan, study: StudyRecord) -> str:
        """The token of a link to walk through a plan, for an hour and without a trace."""
        return self._previews.begin(plan, study)

    def close(self) -> None:
        """Draws nothing any more."""
        self._drawing.close()

    async def visit(self, token: str) -> Visit | None:
        """The study behind a link, None where it leads nowhere (any more)."""
        if not well_formed(token):
            return None
        token_hash = hash_of(token)
        if (preview := self._previews.get(token_hash)) is not None:
            return Visit(preview.desk, preview.invitation)
        stamp = self._stamp()
        entry = self._links.get(token_hash)
        if entry is None or entry[0] != stamp:
            link = await anyio.to_thread.run_sync(self._storage.invitations.by_token, token_hash)
            if link is None:
                return None
            if len(self._links) >= MAX_LINKS:
                self._links.clear()
            entry = self._links[token_hash] = (stamp, link)
        link = entry[1]
        if link.revoked_at is not None:
            return None
        live_study = self._desks.get(link.study_id)
        if live_study is None:
            live_study = await anyio.to_thread.run_sync(self._opened, link.study_id)
        if live_study.stale:
            await refresh(live_study)
        await self._close_if_waited(live_study)
        self._begin_check(live_study)
        return Visit(live_study, link)

    async def begin_check(self, study_id: str) -> bool:
        """Begins to compare a study with its submissions at Prolific, if it is time, and closes it if
        it has all it wants. Whether a comparison is under way."""
        live_study = await self._desk(study_id)
        await self._close_if_waited(live_study)
        self._begin_check(live_study)
        return self.submissions.is_running(study_id)

    async def _close_if_waited(self, live_study: LiveStudy) -> None:
        """Closes a study that waited for a participant who has left."""
        if live_study.reason_to_close and live_study.was_active:
            await close_if_due(live_study)

    def _begin_check(self, live_study: LiveStudy) -> None:
        if self.submissions.is_due(live_study):
            # Nobody waits for Prolific.
            task = asyncio.create_task(self.submissions.check(live_study))
            self._checking.add(task)
            task.add_done_callback(self._checking.discard)

    async def check_submissions(self, study_id: str) -> None:
        """Compares a study with its submissions at Prolific, if it is time."""
        live_study = await self._desk(study_id)
        if self.submissions.is_due(live_study):
            await self.submissions.check(live_study)

    async def _desk(self, study_id: str) -> LiveStudy:
        live_study = self._desks.get(study_id)
        if live_study is None:
            live_study = await anyio.to_thread.run_sync(self._opened, study_id)
        if live_study.stale:
            await refresh(live_study)
        return live_study

    async def find_session(
        self, visit: Visit, key: str, outside_id: str = ""
    ) -> ParticipantSession | None:
        """Whose key a browser has, if they came by this link: a computer that several people use
        may have the key of another one."""
        if not well_formed(key):
            return None
        live_study, key_hash = visit.desk, hash_of(key)
        session = live_study.of_key(key_hash)
        if session is None:
            person = await anyio.to_thread.run_sync(live_study.book.by_key, key_hash)
            session = live_study.seats.get(person.id) if person is not None else None
            if session is None:
                return None
            live_study.keys[key_hash] = session.person.id
        if session.person.invitation_id != visit.invitation.id:
            return None
        known = participant_id_of(session.person.external)
        return None if outside_id and known and outside_id != known else session

    def returning(self, visit: Visit, external: Mapping[str, str]) -> ParticipantSession | None:
        """The seat that somebody without a key would be let in to again, None for a new one."""
        try:
            return self._known(visit, Agreement("", "", "", external))
        except Refusal:
            return None

    def is_elsewhere(self, visit: Visit, external: Mapping[str, str]) -> bool:
        """Whether somebody new would be refused, having begun in another session: they are told
        before they read anything."""
        try:
            self._known(visit, Agreement("", "", "", external))
        except Refusal:
            return True
        return False

    def is_full(self, visit: Visit) -> bool:
        """Whether somebody new would be turned away, which is counted: they are told before they
        read anything."""
        live_study = visit.desk
        if live_study.book.preview or not live_study.full(live_study.now()):
            return False
        live_study.refuse_visit(live_study.now())
        return True

    def refused_visits(self, study_id: str) -> RefusedVisits | None:
        """The visits that found a study full since TrueHue started. Any thread may ask."""
        live_study = self._desks.get(study_id)
        return live_study.turned_away if live_study is not None else None

    async def catch_up(self, live_study: LiveStudy, session: ParticipantSession) -> None:
        """Gives somebody who comes back the trials that are due: the study may have been paused."""
        async with session.turn:
            await extend(live_study, session)

    async def enroll(
        self, visit: Visit, key: str, agreement: Agreement
    ) -> tuple[ParticipantSession, str]:
        """Lets somebody in, or in again; returns their seat and the key that their browser gets,
        empty where it has one. Raises Refusal in words."""
        live_study = visit.desk
        new_key = ""
        session = await self.find_session(visit, key, participant_id_of(agreement.external))
        if session is None:
            new_key = new_token()
            async with live_study.assigning:
                session = self._known(visit, agreement)
                if session is None:
                    session = await self._enrolled(visit, agreement, hash_of(new_key))
                else:
                    # By another link of the study: from now on they are one who came by that.
                    await anyio.to_thread.run_sync(
                        live_study.book.rekey,
                        session.person.id,
                        hash_of(new_key),
                        visit.invitation.id,
                    )
                live_study.replace_key(session, hash_of(new_key), visit.invitation.id)
        async with session.turn:
            if not session.consented:
                _check_consent(session.plan, agreement)
                if not session.plan.record_input:
                    agreement = replace(agreement, input={})
                await store(live_study, session, [_consent(agreement)])
            await extend(live_study, session)
        return session, new_key

    def _known(self, visit: Visit, agreement: Agreement) -> ParticipantSession | None:
        """The seat of somebody without a key who can say who they are."""
        live_study = visit.desk
        participant_session = live_study.of_consent(agreement.id)
        if (
            participant_session is not None
            and participant_session.person.invitation_id == visit.invitation.id
        ):
            return participant_session
        if visit.invitation.personal:
            return live_study.of_invitation(visit.invitation.id)
        participant_session = live_study.of_outside(participant_id_of(agreement.external))
        if participant_session is None:
            return None
        session = session_id_of(participant_session.person.external)
        if not session or session_id_of(agreement.external) != session:
            raise Refusal(ELSEWHERE, "elsewhere")
        return participant_session

    async def _enrolled(
        self, visit: Visit, agreement: Agreement, key_hash: str
    ) -> ParticipantSession:
        """A new participant; the caller has the turn to assign."""
        live_study = visit.desk
        now = await time_of_choice(live_study)
        plan = live_study.plan()
        if live_study.study.state is not State.OPEN:
            raise Refusal(NOT_OPEN[live_study.study.state], live_study.study.state.value)
        _check_consent(plan, agreement)
        if live_study.all_positions_used or (
            live_study.book.preview and len(live_study.seats) >= MAX_PEOPLE
        ):
            raise _full(live_study)
        state = live_study.ledger.standing(now)
        if not live_study.missing_answers(state, now):
            raise _full(live_study)
        # People who wait for a place and find none do not begin: they count for nobody's network.
        of_network = live_study.study.id, agreement.network
        if (wait_s := self._enrolments.begin({of_network: ENROLMENTS})) > 0:
            raise Refusal(MANY.format(math.ceil(wait_s)), "many", 429)
        enrolment = Enrolment(
            live_study.study.id,
            visit.invitation.id,
            key_hash,
            live_study.study.version,
            agreement.language or plan.language,
            agreement.external,
        )
        numbers = [session.person.number for session in live_study.seats.values()]
        trials = _Trials(plan, state, max(numbers, default=-1) + 1)
        try:
            person, stored = await anyio.to_thread.run_sync(
                lambda: live_study.book.enroll(enrolment, trials.ready(), now)
            )
        except AlreadyEnrolled:
            raise Refusal(
                "This link is for one person and has already been used.", "used"
            ) from None
        return live_study.add(person, stored)

    def _opened(self, study_id: str) -> LiveStudy:
        """The desk of a study, read when it is first asked for. In a thread."""
        with self._opening:
            live_study = self._desks.get(study_id)
            if live_study is None:
                live_study = self._desks[study_id] = LiveStudy(
                    DatabaseStudyStore(self._storage, study_id), self._clock, self._drawing
                )
                live_study.on_practice = lambda: self.on_practice(study_id)
            return live_study

    def _stamp(self) -> int:
        return self._storage.invitations.changes + self._storage.participants.changes


def _full(live_study: LiveStudy) -> Refusal:
    live_study.refuse_visit(live_study.now())
    return Refusal(FULL, "full")


class _Trials:
    """The first trials of the next participant, worked out before the database waits for them."""

    def __init__(self, plan: StudyPlan, assignment_state: AssignmentState, number: int) -> None:
        self._plan, self._standing, self._number = plan, assignment_state, number
        self._trials: tuple[Trial, ...] = ()

    def ready(self) -> Any:
        """Works them out; what it returns gives them to the number that it is asked for."""
        self._trials = self._of(self._number)
        return lambda number: self._trials if number == self._number else self._of(number)

    def _of(self, number: int) -> tuple[Trial, ...]:
        return assign_further(self._plan, number, (), {}, self._standing)


def _check_consent(plan: StudyPlan, agreement: Agreement) -> None:
    if agreement.consent_version != plan.consent.version:
        raise Refusal("The consent text has changed. Reload the page and read it.", "consent")


def _consent(agreement: Agreement) -> Event:
    body: dict[str, Any] = {"version": agreement.consent_version}
    if agreement.display:
        body["display"] = dict(agreement.display)
    body |= agreement.input
    return Event(agreement.id, EventKind.CONSENT, None, body)
