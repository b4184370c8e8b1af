"""Records of studies with people, shared by storage, annotation and tabs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """How far a study is. Votes are taken while it is open."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


class Purpose(StrEnum):
    """Why a trial is there. Only ``main`` counts as a vote."""

    TRAINING = "training"
    MAIN = "main"
    REPEAT = "repeat"
    ATTENTION = "attention"


@dataclass(frozen=True)
class Trial:
    """One stimulus shown to one participant. ``position`` counts from 0 in the order of serving.

    ``order`` are the models from left to right, then from top to bottom. ``propensity`` is the
    probability, 0 to 1, with which this stimulus was chosen among those that could have been.
    ``original`` is the position of the trial that a repeat repeats. An attention check shows no
    stimulus (its id is empty), only the words that say what to answer: ``expected`` is the place
    to choose, from 0, or the rating to give. A training trial has a stimulus and such an answer.
    """

    position: int
    stimulus_id: str
    order: tuple[str, ...]
    purpose: Purpose = Purpose.MAIN
    propensity: float = 1.0
    original: int | None = None
    expected: int | None = None


@dataclass(frozen=True)
class StoredTrial(Trial):
    """A trial as it was written down, with the time of that; :meth:`trial` is it without."""

    assigned_at: datetime = field(kw_only=True)

    def trial(self) -> Trial:
        """The trial alone, which equals the one that was assigned."""
        values = {item.name: getattr(self, item.name) for item in fields(Trial)}
        return Trial(**values)


class EventKind(StrEnum):
    """An event of a participant or of their page."""

    CONSENT = "consent"
    SURVEY = "survey"
    """Answers to the questions about the participant, before or after the trials."""
    SCREENING = "screening"
    ACTION = "action"
    """One thing done on the canvas of a trial, as ``truehue.annotation.colorings`` reads it."""
    ANSWER = "answer"
    UNDO = "undo"
    AWAY = "away"
    COMMENT = "comment"
    FINISH = "finish"
    WITHDRAWAL = "withdrawal"


PERSONAL = "personal"
"""Where the event of a survey has the answers that are personal data, or in the participant's own
words, apart from the others."""


@dataclass(frozen=True)
class Event:
    """One thing that happened, stored once and never changed.

    ``id`` is 32 hexadecimal characters that the participant's page made. ``number`` counts within
    the participant, from 0, in the order of storing. ``position`` is the trial it is about.
    ``client_ms`` is the time of the page's clock, milliseconds since 1970; ``at`` is the server's.
    """

    id: str
    kind: EventKind
    position: int | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    client_ms: int = 0
    number: int = 0
    at: datetime | None = None


@dataclass(frozen=True)
class StudyRecord:
    """``plan`` is the newest version of the plan as JSON, ``version`` its number from 1.
    ``author`` is the id of the actor who made the study, ``state_at`` when its state changed."""

    id: str
    title: str
    state: State
    version: int
    plan: Mapping[str, Any]
    created_at: datetime
    state_at: datetime
    author: str = ""


@dataclass(frozen=True)
class InvitationRecord:
    """A link of a study. ``personal``: it is for one participant, who may come back on any device.
    The token itself is not stored. ``author`` is the id of the actor who made it."""

    id: str
    study_id: str
    label: str
    personal: bool
    created_at: datetime
    revoked_at: datetime | None
    author: str = ""


@dataclass(frozen=True)
class PublicationRecord:
    """The public page of a study's results. Its ``token`` is stored as it is, for it opens nothing
    but that page. ``images``: whether the page shows the images of the stimuli. ``author`` is the
    id of the actor who published it."""

    study_id: str
    token: str
    images: bool
    created_at: datetime
    author: str = ""


@dataclass(frozen=True)
class Enrolment:
    """What is known of a participant who comes in. ``key_hash`` is the SHA-256 of the key that
    their browser keeps; for the rest see :class:`ParticipantRecord`."""

    study_id: str
    invitation_id: str
    key_hash: str
    plan_version: int
    language: str
    external: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ParticipantRecord:
    """One person in one study. ``number`` counts enrolments from 0; ``plan_version`` is what was
    served. ``external`` is what a recruiting site calls them (``prolific_pid``, …): personal data,
    never in an anonymous export."""

    id: str
    study_id: str
    number: int
    invitation_id: str
    plan_version: int
    language: str
    external: Mapping[str, str]
    enrolled_at: datetime


@dataclass(frozen=True)
class Decision:
    """What a researcher decided of one participant; the latest of each counts."""

    participant_id: str
    excluded: bool
    reason: str
    author: str
    at: datetime


class MarkKind(StrEnum):
    """An annotation of a coloring by somebody who runs or reviews a study.

    ``practice`` is about the round that its trial is of: ``accepted`` or ``again``. ``recolor``
    asks for a second coloring: ``asked``, or ``withdrawn`` while it was not given yet. ``review``
    is an expert's ``consistent`` or ``inconsistent``, ``keep`` a decision: ``kept`` or
    ``discarded``. ``sent-back`` gives a coloring back to the experts who reviewed it before:
    ``sent``, or ``withdrawn``. The reason of a review is the expert's comment.
    """

    REVIEW = "review"
    PRACTICE = "practice"
    RECOLOR = "recolor"
    KEEP = "keep"
    SENT_BACK = "sent-back"


MARK_VALUES: Mapping[MarkKind, tuple[str, ...]] = {
    MarkKind.REVIEW: ("consistent", "inconsistent", ""),
    MarkKind.PRACTICE: ("accepted", "again"),
    MarkKind.RECOLOR: ("asked", "withdrawn"),
    MarkKind.KEEP: ("kept", "discarded", ""),
    MarkKind.SENT_BACK: ("sent", "withdrawn"),
}
"""What a mark can say, by its kind; empty takes back what its author said before."""


@dataclass(frozen=True)
class ColoringMark:
    """A mark, stored once and never changed: the latest of a kind, a trial and, of reviews, an
    author counts. ``number`` counts within the study, from 0; ``reason`` is theirs who set it."""

    participant_id: str
    position: int
    kind: MarkKind
    value: str
    reason: str
    author: str
    number: int
    at: datetime


class LogKind(StrEnum):
    """The kinds of events of a study."""

    PLAN = "plan"
    STATE = "state"
    RULE = "rule"
    LINK = "link"
    LINK_REVOKED = "link-revoked"
    DECISION = "decision"
    ERASURE = "erasure"
    PUBLICATION = "publication"
    PUBLICATION_REVOKED = "publication-revoked"


@dataclass(frozen=True)
class LogEntry:
    """One thing that happened to a study. ``author`` is the id of an actor.

    ``body`` has, by kind: ``plan``: version, title; ``state``: state, reason; ``rule``: rule;
    ``link`` and ``link-revoked``: invitation_id, label, personal; ``decision``: participant_id,
    participant_number, excluded, reason; ``erasure``: participant_number; ``publication`` and
    ``publication-revoked``: images.
    """

    at: datetime
    kind: LogKind
    author: str
    body: Mapping[str, Any]


@dataclass(frozen=True)
class AccountRecord:
    """Somebody who signs in. ``role`` is ``admin``, ``researcher`` or ``expert``."""

    id: str
    name: str
    role: str
    closed: bool
    created_at: datetime
