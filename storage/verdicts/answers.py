"""Which verdicts answer a drawing, and what they say together.

A verdict is stored with the key of the expectation that it answers, a drawing with a list of keys
for each expectation of its prompt: those of the verdicts that answer it. Both come from
:mod:`truehue.core.verdict.expectations`, which alone knows the rule
(:mod:`truehue.storage.database.expectation_keys`); here equal keys meet. Where nothing is
expected, every verdict of the image counts. By one rule a drawing is ``fail`` if a verdict fails,
else ``unscored`` if one is unscored or an expectation has none, else ``pass``: an image is right
only if all of its objects are (GenColorBench, arXiv:2510.20586, section 3.2: COA, MOC and ICA).
"""

from __future__ import annotations

# The latest row is the last by its time. Times may be equal, then the order of adding decides; it
# alone would take what was deleted and put back for the newest.
LATEST = """
    SELECT image_id, protocol, expectation AS key,
        arg_max(status, (created_at, rowid)) AS status
    FROM evidence {where}
    GROUP BY image_id, protocol, expectation
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

COUNTS = "(len(asked) = 0 OR list_contains(flatten(asked), key))"
"""SQL of whether the verdict ``key`` counts for what was ``asked``."""

ANSWERED = "len(list_filter(asked, lambda keys: list_has_any(keys, judged)))"
"""SQL of how many of the expectations ``asked`` have one of the keys ``judged``."""


def verdicts(drawings: str, location: str = "") -> str:
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
            FROM {drawings} JOIN ({LATEST.format(where=location)}) AS latest USING (image_id)
            WHERE {COUNTS} AND protocol = coalesce(?, protocol)
            GROUP BY number, protocol
        )
    """
