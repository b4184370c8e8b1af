"""A whole study with all events of its participants, for export and import.

These records are the file format, with the bounds of each field. Records from the database are not
checked again (``model_construct``).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    model_validator,
)

from truehue.core.studies import (
    MARK_VALUES,
    Event,
    EventKind,
    MarkKind,
    Purpose,
    State,
    StoredTrial,
)

MAX_EVENTS = 1_000_000
"""Of one participant: 50 sketches with the most actions that a coloring may have."""


def _zoned(time: datetime) -> datetime:
    if time.tzinfo is None:
        raise ValueError("a time needs its zone")
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError("no such time is in any calendar") from None


Time = Annotated[
    datetime, AfterValidator(_zoned), PlainSerializer(datetime.isoformat, when_used="json")
]
Text = Annotated[str, Field(max_length=2_000)]
Id = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Count = Annotated[int, Field(strict=True, ge=0, lt=2**31)]


class CopyRecord(BaseModel):
    """A part of a copy; a field that it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class PlanVersion(CopyRecord):
    """One version of a plan as JSON; its number is its place, from 1."""

    plan: dict[str, Any]
    at: Time


class StateChange(CopyRecord):
    """From when on a study was in a state, and why."""

    state: State
    reason: Text
    at: Time


class RuleChange(CopyRecord):
    """From when on a rule of exclusion counted."""

    rule: dict[str, Any]
    at: Time


class LinkCopy(CopyRecord):
    """A link without its token: nobody comes in by a copy."""

    label: Text
    personal: bool
    created_at: Time
    revoked_at: Time | None


class TrialCopy(CopyRecord):
    """A trial as :class:`truehue.core.studies.StoredTrial`."""

    position: Count
    stimulus_id: Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")]
    order: Annotated[list[Text], Field(max_length=4)]
    purpose: Purpose
    propensity: Annotated[float, Field(ge=0, le=1)]
    original: Count | None
    expected: Count | None
    assigned_at: Time

    def stored(self) -> StoredTrial:
        """The trial."""
        return StoredTrial(**{**vars(self), "order": tuple(self.order)})


class EventCopy(CopyRecord):
    """An event as :class:`truehue.core.studies.Event`."""

    id: Id
    kind: EventKind
    position: Count | None
    body: dict[str, Any]
    client_ms: Annotated[int, Field(strict=True, ge=0, lt=2**63)]
    number: Count
    at: Time

    def stored(self) -> Event:
        """The event."""
        return Event(**vars(self))


class DecisionCopy(CopyRecord):
    """A researcher's decision on a participant."""

    excluded: bool
    reason: Text
    at: Time


class MarkCopy(CopyRecord):
    """A mark on a coloring; ``number`` counts within the study, ``author`` is a number of who set
    it, in the order in which they first did."""

    number: Count
    position: Count
    kind: MarkKind
    value: Annotated[str, Field(max_length=40)]
    reason: Text
    author: Count
    at: Time

    @model_validator(mode="after")
    def _said(self) -> Self:
        if self.value not in MARK_VALUES[self.kind]:
            raise ValueError(f"a mark of {self.kind} cannot be {self.value!r}")
        return self


class ParticipantCopy(CopyRecord):
    """A participant with all that they saw and did. ``link`` is a place in the copy's links,
    ``external`` is empty in an anonymous copy."""

    number: Count
    link: Count
    plan_version: Annotated[int, Field(strict=True, ge=1, lt=2**31)]
    language: Annotated[str, Field(max_length=40)]
    external: dict[Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=200)]]
    enrolled_at: Time
    trials: Annotated[list[TrialCopy], Field(max_length=20_000, fail_fast=True)]
    events: Annotated[list[EventCopy], Field(max_length=MAX_EVENTS, fail_fast=True)]
    decisions: Annotated[list[DecisionCopy], Field(max_length=1_000, fail_fast=True)]
    marks: Annotated[tuple[MarkCopy, ...], Field(max_length=100_000, fail_fast=True)] = ()


class Erasure(CopyRecord):
    """That there was a participant of that number, who was erased."""

    number: Count
    at: Time


class StudyCopy(CopyRecord):
    """Everything of a study but its participants, who come one by one, secrets, and the names of
    those who ran it."""

    created_at: Time
    plans: Annotated[list[PlanVersion], Field(min_length=1, max_length=10_000, fail_fast=True)]
    states: Annotated[list[StateChange], Field(min_length=1, max_length=10_000, fail_fast=True)]
    rules: Annotated[list[RuleChange], Field(max_length=10_000, fail_fast=True)]
    links: Annotated[list[LinkCopy], Field(max_length=100_000, fail_fast=True)]
    erasures: Annotated[list[Erasure], Field(max_length=100_000, fail_fast=True)]
