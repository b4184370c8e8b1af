"""Which verdicts answer a drawing, and what they say together.

A verdict and a target meet in a key: the object's name, a line feed, and the color; where the
object must not have that color, a line feed and ``differs`` follow, so that "is the plate red?"
is not taken for "the plate must not be red". The color of a verdict is its hex, or what the target
calls ``value`` where there is no hex; a drawing holds both. A verdict that names no object meets
every object of that color.

A drawing asks for every main or reference object that has a color; a reference without one has to
have the first main object's, and a bystander must not have it (:mod:`core.verdict.expectations`
says the same). Two of one key are one. Where nothing is asked for, every verdict of its image
counts. By one rule it is ``fail`` if a verdict fails, else ``unscored`` if one is unscored or an
object has none, else ``pass``: an image is right only if all of its objects are (GenColorBench,
arXiv:2510.20586, section 3.2: COA, MOC and ICA).
"""

from __future__ import annotations

# The latest row is the last by its time. Times may be equal, then the order of adding decides; it
# alone would take what was deleted and put back for the newest.
LATEST = """
    SELECT image_id, protocol, key, arg_max(status, (created_at, rowid)) AS status
    FROM (
        SELECT image_id, protocol, status, created_at, rowid,
            lower(trim(object_name)) || chr(10)
                || coalesce(upper(target->>'hex'), target->>'value', target::VARCHAR)
                || CASE WHEN target->>'relation' = 'differs' THEN chr(10) || 'differs' ELSE '' END
                AS key
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

# The targets as they are, and the first main object's color, which others are measured by.
_TOLD = """
    from_json(
        {targets},
        '[{{"object": "VARCHAR", "role": "VARCHAR", "color": "VARCHAR", "hex": "VARCHAR"}}]'
    )
"""
_MAIN = f"list_filter({_TOLD}, lambda m: m.role = 'main' AND m.hex IS NOT NULL)[1]"
_WANTED = f"""
    list_filter(
        list_transform({_TOLD}, lambda t: {{{{
            'name': lower(trim(t.object)),
            'color': CASE
                WHEN t.role = 'bystander' OR (t.role = 'reference' AND t.hex IS NULL)
                THEN {_MAIN}.color ELSE t.color
            END,
            'hex': upper(CASE
                WHEN t.role = 'bystander' OR (t.role = 'reference' AND t.hex IS NULL)
                THEN {_MAIN}.hex ELSE t.hex
            END),
            'rest': CASE WHEN t.role = 'bystander' THEN chr(10) || 'differs' ELSE '' END
        }}}}),
        lambda w: w.hex IS NOT NULL
    )
"""
_NAMED = "w.name || chr(10) || w.hex || w.rest"

ASKED = f"""
    list_transform(
        list_sort(list_distinct(list_transform({_WANTED}, lambda w: {_NAMED}))),
        lambda named: list_sort(list_distinct(flatten(list_transform(
            list_filter({_WANTED}, lambda w: {_NAMED} = named),
            lambda w: [
                {_NAMED}, w.name || chr(10) || w.color || w.rest,
                chr(10) || w.hex || w.rest, chr(10) || w.color || w.rest
            ]
        ))))
    )
"""
"""SQL of the keys that ``{targets}`` (the JSON of a prompt's targets) asks for: one list for each
object and color, of the keys of the verdicts that answer it."""

COUNTS = "(len(asked) = 0 OR list_contains(flatten(asked), key))"
"""SQL of whether the verdict ``key`` counts for what was ``asked``."""

ANSWERED = "len(list_filter(asked, lambda keys: list_has_any(keys, judged)))"
"""SQL of how many of the objects ``asked`` have one of the keys ``judged``."""


def verdicts(drawings: str, where: str = "") -> str:
    """Return SQL of what each rule says of each drawing that it judged: ``number``, ``prompt_id``,
    ``protocol`` and ``status``.

    ``drawings`` is SQL of rows with ``number``, ``prompt_id``, ``image_id`` and ``asked``;
    ``where`` narrows evidence. One placeholder, after theirs, is for the rule, or NULL for all.
    """
    # One object that was judged at all is all of it; only for several is there more to look up.
    several = "FILTER (len(asked) > 1)"
    return f"""
        SELECT number, prompt_id, protocol,
            CASE
                WHEN status = 'pass' AND asked IS NOT NULL AND {ANSWERED} < len(asked)
                THEN 'unscored'
                ELSE status
            END AS status
        FROM (
            SELECT number, protocol, any_value(prompt_id) AS prompt_id,
                {TOGETHER.format(status="latest.status")} AS status,
                any_value(asked) {several} AS asked, list(key) {several} AS judged
            FROM {drawings} JOIN ({LATEST.format(where=where)}) AS latest USING (image_id)
            WHERE {COUNTS} AND protocol = coalesce(?, protocol)
            GROUP BY number, protocol
        )
    """
