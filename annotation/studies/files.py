"""Plans as JSON, as they are stored, and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from truehue.annotation.studies.plan import StudyPlan
from truehue.core.errors import BadInput


@cache
def _adapter() -> TypeAdapter[StudyPlan]:
    return TypeAdapter(StudyPlan)


def to_json(plan: StudyPlan) -> dict[str, Any]:
    """The plan as plain dicts, lists, text and numbers."""
    return dict(_adapter().dump_python(plan, mode="json"))


def from_json(content: Mapping[str, Any]) -> StudyPlan:
    """The plan that :func:`to_json` wrote. Raises BadInput, naming the field, for what is none."""
    try:
        return _adapter().validate_python(dict(content))
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"This is no plan of a study: {location or 'it'}: {first['msg']}.") from None
