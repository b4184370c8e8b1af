"""A study as a whole, with all that its participants did: what is exported and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from truehue.core.studies import Event, MarkKind, State, StoredTrial


@dataclass(frozen=True)
class PlanVersion:
    """One version of a plan as JSON; its number is its place, from 1."""

    plan: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True)
class StateChange:
    """From when on a study was in a state, and why."""

    state: State
    reason: str
    at: datetime


@dataclass(frozen=True)
class RuleChange:
    """From when on a rule of exclusion counted."""

    rule: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True)
class LinkCopy:
    """A link without its token: nobody comes in by a copy."""

    label: str
    personal: bool
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True)
class DecisionCopy:
    """A researcher's decision on a participant."""

    excluded: bool
    reason: str
    at: datetime


@dataclass(frozen=True)
class MarkCopy:
    """A mark on a coloring; ``number`` counts within the study, ``author`` is a number of who set
    it, in the order in which they first did."""

    number: int
    position: int
    kind: MarkKind
    value: str
    reason: str
    author: int
    at: datetime


@dataclass(frozen=True)
class ParticipantCopy:
    """A participant with all that they saw and did. ``link`` is a place in the copy's links,
    ``external`` is empty in an anonymous copy."""

    number: int
    link: int
    plan_version: int
    language: str
    external: Mapping[str, str]
    enrolled_at: datetime
    trials: tuple[StoredTrial, ...]
    events: tuple[Event, ...]
    decisions: tuple[DecisionCopy, ...]
    marks: tuple[MarkCopy, ...] = ()


@dataclass(frozen=True)
class Erasure:
    """That there was a participant of that number, who was erased."""

    number: int
    at: datetime


@dataclass(frozen=True)
class StudyCopy:
    """Everything of a study but its participants, who come one by one, secrets, and the names of
    those who ran it."""

    created_at: datetime
    plans: tuple[PlanVersion, ...]
    states: tuple[StateChange, ...]
    rules: tuple[RuleChange, ...]
    links: tuple[LinkCopy, ...]
    erasures: tuple[Erasure, ...]
