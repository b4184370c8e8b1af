"""Parse the requests of a participant's page into events, or refuse them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from truehue.annotation.colorings import as_json, read_action
from truehue.annotation.quality.agents import read_presses, read_traits
from truehue.core.errors import BadInput
from truehue.core.studies import Event, EventKind

MAX_EVENTS = 100
MAX_COMMENT = 2_000
MAX_REASON = 500
MAX_FACTS = 32
MAX_TEXT = 200
MAX_AWAY_MS = 30 * 24 * 3_600_000
_ID = re.compile(r"[0-9a-f]{32}")
_FACT = re.compile(r"[A-Za-z0-9_]{1,40}")
_MAX_WHOLE = 2**53
PERSON_NAMES = ("prolific_pid", "workerid", "survey_code")
"""What Prolific, MTurk and Sona call a participant in an address."""
SESSION_NAMES = ("session_id", "assignmentid")
OUTSIDE_NAMES = frozenset({*PERSON_NAMES, *SESSION_NAMES, "study_id", "hitid"})
"""What is kept of an address that a recruiting site wrote; anything else in it is not."""
SENT_KINDS = frozenset(EventKind) - {EventKind.CONSENT}
"""What a page sends by itself; consent is stored with the enrolment."""


class Refusal(BadInput):
    """Something that a participant's page asked for and does not get.

    ``code`` is one word for the page, ``status`` the one of HTTP.
    """

    def __init__(self, message: str, code: str, status: int = 409, field: str = "") -> None:
        super().__init__(message, field)
        self.code, self.status = code, status


def read_list(content: Mapping[str, Any]) -> list[Any]:
    """The entries that were sent, 1 to ``MAX_EVENTS``, not looked at yet."""
    entries = content.get("events")
    if not isinstance(entries, list) or not entries:
        raise BadInput("“events” is a list of at least one event.", "events")
    if len(entries) > MAX_EVENTS:
        raise BadInput(f"At most {MAX_EVENTS} events are accepted at once. Send fewer.", "events")
    return entries


def id_of(entry: Any) -> str:
    """The id of an entry as it can be given back, also where it is none."""
    return str(entry.get("id", ""))[:40] if isinstance(entry, Mapping) else ""


def read_id(value: Any) -> str:
    """An id that a page made. Raises Refusal."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise _bad("An event's id is 32 hexadecimal characters.", "id")
    return value


def read_event(entry: Any) -> Event:
    """One event, its body with what is known of its kind alone. Raises Refusal.

    Whether it fits the participant's trials is for
    :class:`truehue.tabs.participants.session.ParticipantSession` to
    say.
    """
    if not isinstance(entry, Mapping):
        raise _bad("An event is an object.", "events")
    event_id = read_id(entry.get("id"))
    try:
        kind = EventKind(str(entry.get("kind")))
    except ValueError:
        kind = EventKind.CONSENT
    if kind not in SENT_KINDS:
        raise _bad(f"An event's kind is one of {', '.join(sorted(SENT_KINDS))}.", "kind")
    position = entry.get("position")
    if position is not None and not _whole(position):
        raise _bad("A position is a whole number, 0 or more.", "position")
    if position is None and kind in (EventKind.ACTION, EventKind.ANSWER, EventKind.UNDO):
        raise _bad(f"An event of the kind {kind} says of which position it is.", "position")
    client_ms = entry.get("client_ms", 0)
    body = entry.get("body") or {}
    if not isinstance(body, Mapping):
        raise _bad("An event's body is an object.", "body")
    return Event(
        event_id,
        kind,
        position,
        _body(kind, body),
        client_ms if _whole(client_ms) else 0,
    )


def read_external(value: Any) -> dict[str, str]:
    """What a recruiting site calls somebody: short texts by ``OUTSIDE_NAMES``. Raises BadInput."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise BadInput("“external” is an object of texts.", "external")
    read = {}
    for name in sorted(OUTSIDE_NAMES & value.keys()):
        text = value[name]
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            raise BadInput(f"A text in “external” has at most {MAX_TEXT} characters.", "external")
        if _is_filled_in(text):
            read[name] = text
    return read


def _is_filled_in(text: str) -> bool:
    """Whether a site filled the text in: a placeholder such as ``{{%PROLIFIC_PID%}}`` would make one
    participant of everybody."""
    return bool(text) and not re.search(r"[{}%$]", text)


def participant_id_of(external: Mapping[str, str]) -> str:
    """What a recruiting site calls a participant; empty for those whom none sent."""
    return next((external[name] for name in PERSON_NAMES if external.get(name)), "")


def session_id_of(external: Mapping[str, str]) -> str:
    """What a recruiting site calls the session of a participant; empty where it names none."""
    return next((external[name] for name in SESSION_NAMES if external.get(name)), "")


def read_facts(value: Any) -> dict[str, Any]:
    """Facts of a screen: plain values by short names. What is anything else is left out, so that
    no answer is lost for it."""
    if not isinstance(value, Mapping):
        return {}
    facts: dict[str, Any] = {}
    for name, fact in value.items():
        known = isinstance(name, str) and _FACT.fullmatch(name) and len(facts) < MAX_FACTS
        if known and (_plain(fact) or _short_list(fact)):
            facts[name] = fact
    return facts


def read_input(content: Mapping[str, Any]) -> dict[str, Any]:
    """How an answer was entered, where the page recorded it. What is malformed is left out, so that
    no answer is lost for it."""
    presses, traits = read_presses(content.get("input")), read_traits(content.get("traits"))
    read: dict[str, Any] = {} if presses is None else {"input": presses}
    return {**read, "traits": traits} if traits else read


def without_input(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body without what :func:`read_input` reads, for a study that does not record it."""
    return {name: value for name, value in body.items() if name not in ("input", "traits")}


def _body(kind: EventKind, body: Mapping[str, Any]) -> dict[str, Any]:
    match kind:
        case EventKind.ACTION:
            return _action(body)
        case EventKind.ANSWER:
            names: tuple[str, ...] = ("kind", "value", "response_ms")
            if body.get("kind") == "coloring":
                names += ("actions", "checksum", "active_ms")
            read = {name: body.get(name) for name in names}
            return {
                **read,
                **_reason(body),
                **_background(body),
                **_display(body),
                **read_input(body),
            }
        case EventKind.SURVEY:
            # The plan says what is valid (truehue.annotation.studies.survey).
            return {"part": body.get("part"), "answers": body.get("answers")}
        case EventKind.SCREENING:
            return {**_screening(body), **_display(body)}
        case EventKind.AWAY:
            ms: Any = body.get("ms")
            if not _number(ms) or not 0 <= ms <= MAX_AWAY_MS:
                raise _bad("“ms” is a number of milliseconds, 0 or more.", "ms")
            return {"ms": ms, **_reason(body)}
        case EventKind.COMMENT:
            return {"text": _text(body, "text", MAX_COMMENT)}
        case EventKind.UNDO | EventKind.FINISH | EventKind.WITHDRAWAL:
            return {**_reason(body), **_display(body), **read_input(body)}
    return {}


def _action(body: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return as_json(read_action(body))
    except BadInput as error:
        raise _bad(str(error), error.field) from None


def _screening(body: Mapping[str, Any]) -> dict[str, Any]:
    plates = body.get("plates")
    if plates is None:
        plates = []
    if not isinstance(plates, list) or len(plates) > 8:
        raise _bad("“plates” is a list of the digits that were read.", "plates")
    for answer in plates:
        if answer is not None and (not isinstance(answer, str) or len(answer) > 8):
            raise _bad("Of a plate, a digit or nothing is read.", "plates")
    read: dict[str, Any] = {"plates": list(plates)}
    for name in ("dark", "light"):
        index = body.get(name)
        if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
            raise _bad(f"“{name}” is the place of a patch.", name)
        if index is not None and not -1 <= index <= 8:
            raise _bad(f"“{name}” is the place of a patch.", name)
        read[name] = index
    return read


def _reason(body: Mapping[str, Any]) -> dict[str, str]:
    return {"reason": _text(body, "reason", MAX_REASON)} if body.get("reason") else {}


def _background(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a page asked about the background of a sketch: ``part`` was said to belong to it."""
    read = body.get("background")
    if not isinstance(read, Mapping):
        return {}
    counts = {name: read.get(name) for name in ("asked", "undone")}
    if not all(_whole(count) for count in counts.values()):
        return {}
    return {"background": {**counts, "part": read.get("part") is True}}


def _display(body: Mapping[str, Any]) -> dict[str, Any]:
    facts = read_facts(body.get("display"))
    return {"display": facts} if facts else {}


def _text(body: Mapping[str, Any], name: str, limit: int) -> str:
    text = body.get(name)
    if not isinstance(text, str):
        raise _bad(f"“{name}” is text.", name)
    if len(text) > limit:
        raise _bad(f"“{name}” has at most {limit:,} characters.", name)
    return text


def _short_list(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 4 and all(_plain(item) for item in value)


def _plain(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_TEXT
    return value is None or isinstance(value, bool) or _number(value)


def _number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and abs(value) <= _MAX_WHOLE


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 * 2**22


def _bad(text: str, field: str) -> Refusal:
    return Refusal(text, "bad", 400, field)


def texts_of(query: Sequence[tuple[str, str]]) -> dict[str, str]:
    """What a recruiting site put into the address, by small names: ``PROLIFIC_PID`` and so on."""
    texts = {}
    for name, text in query:
        name = name.lower()
        if name in OUTSIDE_NAMES and _is_filled_in(text) and len(text) <= MAX_TEXT:
            texts[name] = text
    return texts
