"""The filters of Explore in a query string, shared by all queries over results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from truehue.core.analysis.names import BASIC, INTERMEDIATE
from truehue.core.analysis.records import (
    CHROMA_BANDS,
    LEFT_OUT,
    NO_SYSTEM,
    NOT_FOUND,
    SECTORS,
    Slice,
)
from truehue.core.color.systems import MODIFIERS, SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.rules import FAIL, PASS, RULES, UNSCORED, rule

FIELDS = tuple(field.name for field in fields(Slice))
STATUSES = (FAIL, UNSCORED, PASS)
MAX_CHARACTERS, MAX_RUNS = 200, 100


def slice_of(params: Mapping[str, str]) -> Slice:
    """The slice that a query string speaks of; fields that it does not name do not narrow.

    ``runs`` are separated by commas, as are several tasks and systems. Raises BadInput for a rule,
    color system, status, cause, sector, modifier or kind of name that there is not, and for too
    many runs.
    """
    fields = {name: params[name].strip()[:MAX_CHARACTERS] for name in FIELDS if name in params}
    fields.pop("runs", None)
    runs = tuple(dict.fromkeys(run_id for run_id in params.get("runs", "").split(",") if run_id))
    if len(runs) > MAX_RUNS:
        raise BadInput(f"{len(runs)} runs are too many at once: choose up to {MAX_RUNS}.")
    for name in ("task", "system"):
        if name in fields:
            each = (part.strip() for part in fields[name].split(","))
            fields[name] = ",".join(dict.fromkeys(part for part in each if part))
    for system in fields.get("system", "").split(","):
        _single_of("color system", system, (*SYSTEMS, NO_SYSTEM))
    fields["rule"] = rule(fields.get("rule") or Slice.rule).id
    choices_by_field: dict[str, Iterable[str]] = {
        "status": STATUSES,
        "cause": CAUSES,
        "sector": SECTORS,
        "modifier": MODIFIERS,
        "basic": (BASIC, INTERMEDIATE),
        "chroma": [f"{low:.0f}" for low in (0.0, *CHROMA_BANDS)],
        "against": [entry.id for entry in RULES],
        "unscored": (LEFT_OUT, NOT_FOUND),
    }
    for name, choices in choices_by_field.items():
        _single_of(name, fields.get(name, ""), choices)
    return Slice(runs=runs, **fields)


def _single_of(name: str, value: str, choices: Iterable[str]) -> None:
    if value and value not in choices:
        raise BadInput(f"There is no {name} {value!r} to filter by: {', '.join(choices)}.")
