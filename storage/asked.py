"""Which verdicts answer a drawing: those about an object and a color that its prompt asked for.

A verdict and a target meet in a key: the object's name, a line feed, and the color. The color of a
verdict is its hex, or what the target calls ``value`` where there is no hex; a drawing holds both.
A verdict that names no object meets every object of that color.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.prompts.prompt import ObjectTarget

# The order of adding decides which row is the latest: times may be equal, rowids never are.
LATEST = """
    SELECT image_id, protocol, key, arg_max(status, rowid) AS status
    FROM (
        SELECT image_id, protocol, status, rowid,
            lower(trim(object_name)) || chr(10)
                || coalesce(upper(target->>'hex'), target->>'value', target::VARCHAR) AS key
        FROM evidence {where}
    )
    GROUP BY image_id, protocol, key
"""
"""SQL of the rows that count: per image, rule and key the latest. ``where`` narrows evidence."""

TOGETHER = """
    CASE
        WHEN bool_or({status} = 'fail') THEN 'fail'
        WHEN bool_or({status} = 'unscored') THEN 'unscored'
        ELSE 'pass'
    END
"""
"""SQL of what several statuses say together: one fail is a fail, then one unscored is unscored."""


def asked_keys(targets: Sequence[ObjectTarget]) -> list[str]:
    """Return the keys of the verdicts that answer ``targets``; none where no color is asked."""
    keys: dict[str, None] = {}
    for target in targets:
        if target.color is None:
            continue
        for name in (target.name.strip().lower(), ""):
            for color in (target.color.hex.upper(), target.color.value):
                keys[f"{name}\n{color}"] = None
    return list(keys)
