"""Who comes by which link, and how they come in. Every coroutine is for the event loop.

The database is read and written in threads, but for events: they wait for the one thread that
commits together all that came meanwhile.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import anyio

from truehue.annotation.assignment.further import further
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
from truehue.tabs.accounts.throttle import Pace, Throttle
from truehue.tabs.page.refusals import Refusals
from truehue.tabs.participants.layers import LayerRenderer
from truehue.tabs.participants.live_study import LiveStudy, RefusedVisits
from truehue.tabs.participants.posting import extend, refresh, store
from truehue.tabs.participants.previews import MOST_PEOPLE, Previews
from truehue.tabs.participants.reading import read_external, read_facts, read_id
from truehue.tabs.participants.refusals import Refusal
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.stores import DatabaseStudyStore
from truehue.tabs.participants.tokens import hash_of, new_token, well_formed

if TYPE_CHECKING:
    from truehue.storage.store import Storage

MOST_LINKS = 20_000
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
    twice is one participation."""

    id: str
    consent_version: str
    language: str
    external: Mapping[str, str] = field(default_factory=dict)
    display: Mapping[str, Any] = field(default_factory=dict)
    network: str = ""


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
        self.refusals = Refusals(about="on a study's page, ")

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
            if len(self._links) >= MOST_LINKS:
                self._links.clear()
            entry = self._links[token_hash] = (stamp, link)
        link = entry[1]
        if link.revoked_at is not None:
            return None
        desk = self._desks.get(link.study_id)
        if desk is None:
            desk = await anyio.to_thread.run_sync(self._opened, link.study_id)
        if desk.stale:
            await refresh(desk)
        return Visit(desk, link)

    async def seat(
        self, visit: Visit, key: str, prolific_pid: str = ""
    ) -> ParticipantSession | None:
        """Whose key a browser has, if they came by this link: a computer that several people use
        may have the key of another one."""
        if not well_formed(key):
            return None
        desk, key_hash = visit.desk, hash_of(key)
        seat = desk.of_key(key_hash)
        if seat is None:
            person = await anyio.to_thread.run_sync(desk.book.by_key, key_hash)
            seat = desk.seats.get(person.id) if person is not None else None
            if seat is None:
                return None
            desk.keys[key_hash] = seat.person.id
        if seat.person.invitation_id != visit.invitation.id:
            return None
        known = seat.person.external.get("prolific_pid", "")
        return None if prolific_pid and known and prolific_pid != known else seat

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
        desk = visit.desk
        if desk.book.preview or not desk.full(desk.now()):
            return False
        desk.turn_away(desk.now())
        return True

    def turned_away(self, study_id: str) -> RefusedVisits | None:
        """The visits that found a study full since TrueHue started. Any thread may ask."""
        desk = self._desks.get(study_id)
        return desk.turned_away if desk is not None else None

    async def catch_up(self, desk: LiveStudy, seat: ParticipantSession) -> None:
        """Gives somebody who comes back the trials that are due: the study may have been paused."""
        async with seat.turn:
            await extend(desk, seat)

    async def enroll(
        self, visit: Visit, key: str, agreement: Agreement
    ) -> tuple[ParticipantSession, str]:
        """Lets somebody in, or in again; returns their seat and the key that their browser gets,
        empty where it has one. Raises Refusal in words."""
        desk = visit.desk
        new_key = ""
        seat = await self.seat(visit, key, agreement.external.get("prolific_pid", ""))
        if seat is None:
            new_key = new_token()
            async with desk.assigning:
                seat = self._known(visit, agreement)
                if seat is None:
                    seat = await self._enrolled(visit, agreement, hash_of(new_key))
                else:
                    # By another link of the study: from now on they are one who came by that.
                    await anyio.to_thread.run_sync(
                        desk.book.rekey, seat.person.id, hash_of(new_key), visit.invitation.id
                    )
                desk.rekeyed(seat, hash_of(new_key), visit.invitation.id)
        async with seat.turn:
            if not seat.consented:
                _check_consent(seat.plan, agreement)
                await store(desk, seat, [_consent(agreement)])
            await extend(desk, seat)
        return seat, new_key

    def _known(self, visit: Visit, agreement: Agreement) -> ParticipantSession | None:
        """The seat of somebody without a key who can say who they are."""
        desk = visit.desk
        seat = desk.of_consent(agreement.id)
        if seat is not None and seat.person.invitation_id == visit.invitation.id:
            return seat
        if visit.invitation.personal:
            return desk.of_invitation(visit.invitation.id)
        seat = desk.of_outside(agreement.external.get("prolific_pid", ""))
        if seat is None:
            return None
        session = seat.person.external.get("session_id", "")
        if not session or agreement.external.get("session_id", "") != session:
            raise Refusal(ELSEWHERE, "elsewhere")
        return seat

    async def _enrolled(
        self, visit: Visit, agreement: Agreement, key_hash: str
    ) -> ParticipantSession:
        """A new participant; the caller has the turn to assign."""
        desk, plan = visit.desk, visit.desk.plan()
        if desk.study.state is not State.OPEN:
            raise Refusal(NOT_OPEN[desk.study.state], desk.study.state.value)
        _check_consent(plan, agreement)
        if desk.all_places_taken or (desk.book.preview and len(desk.seats) >= MOST_PEOPLE):
            raise _full(desk)
        of_network = desk.study.id, agreement.network
        if (wait_s := self._enrolments.begin({of_network: ENROLMENTS})) > 0:
            raise Refusal(MANY.format(math.ceil(wait_s)), "many", 429)
        now = desk.now()
        standing = desk.ledger.standing(now)
        if not desk.places(standing, now):
            raise _full(desk)
        enrolment = Enrolment(
            desk.study.id,
            visit.invitation.id,
            key_hash,
            desk.study.version,
            agreement.language or plan.language,
            agreement.external,
        )
        numbers = [seat.person.number for seat in desk.seats.values()]
        trials = _Trials(plan, standing, max(numbers, default=-1) + 1)
        try:
            person, stored = await anyio.to_thread.run_sync(
                lambda: desk.book.enroll(enrolment, trials.ready(), now)
            )
        except AlreadyEnrolled:
            raise Refusal(
                "This link is for one person and has already been used.", "used"
            ) from None
        return desk.add(person, stored)

    def _opened(self, study_id: str) -> LiveStudy:
        """The desk of a study, read when it is first asked for. In a thread."""
        with self._opening:
            desk = self._desks.get(study_id)
            if desk is None:
                desk = self._desks[study_id] = LiveStudy(
                    DatabaseStudyStore(self._storage, study_id), self._clock, self._drawing
                )
            return desk

    def _stamp(self) -> int:
        return self._storage.invitations.changes + self._storage.participants.changes


def _full(desk: LiveStudy) -> Refusal:
    desk.turn_away(desk.now())
    return Refusal(FULL, "full")


class _Trials:
    """The first trials of the next participant, worked out before the database waits for them."""

    def __init__(self, plan: StudyPlan, standing: AssignmentState, number: int) -> None:
        self._plan, self._standing, self._number = plan, standing, number
        self._trials: tuple[Trial, ...] = ()

    def ready(self) -> Any:
        """Works them out; what it returns gives them to the number that it is asked for."""
        self._trials = self._of(self._number)
        return lambda number: self._trials if number == self._number else self._of(number)

    def _of(self, number: int) -> tuple[Trial, ...]:
        return further(self._plan, number, (), {}, self._standing)


def _check_consent(plan: StudyPlan, agreement: Agreement) -> None:
    if agreement.consent_version != plan.consent.version:
        raise Refusal("The consent text has changed. Reload the page and read it.", "consent")


def _consent(agreement: Agreement) -> Event:
    body: dict[str, Any] = {"version": agreement.consent_version}
    if agreement.display:
        body["display"] = dict(agreement.display)
    return Event(agreement.id, EventKind.CONSENT, None, body)
