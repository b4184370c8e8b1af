"""SQL of the scores that count.

Of one item, measure, version, parameters and scorer the latest score counts; one that could not be
given does not take an earlier one away. The value of an item is the mean over its scorers.
"""

from __future__ import annotations

from truehue.core.scores.records import Measure
from truehue.storage.database import canonical

OF_MEASURE = "item_kind = ? AND measure = ? AND version = ? AND parameters_sha256 = ?"

VALUES = f"""
    SELECT item, avg(value) AS value, count(*) AS scorers FROM (
        SELECT item, arg_max(value, (created_at, rowid)) AS value
        FROM scores WHERE {OF_MEASURE} AND value IS NOT NULL GROUP BY item, scorer
    ) GROUP BY item
"""
"""The value of every item that has one; the placeholders are for :func:`key_of`."""

REASONS = f"""
    SELECT item, arg_max(reason, (created_at, rowid)) AS reason
    FROM scores WHERE {OF_MEASURE} GROUP BY item HAVING count(value) = 0
"""
"""Why an item that was looked at has no value."""


def key_of(measure: Measure, item_kind: str) -> tuple[str, str, str, str]:
    """What the rows of a measure, as it is now, are told by."""
    return item_kind, measure.id, measure.version, parameters_digest(measure.parameters)


def parameters_digest(parameters: object) -> str:
    """The SHA-256 of the parameters of a score, in their one spelling."""
    return canonical.digest(canonical.mapping(parameters, "parameters"))
