"""What rules say of single images, wherever they stand in runs."""

from __future__ import annotations

from collections.abc import Collection

from truehue.core.analysis.records import ImageVerdict
from truehue.core.verdict.rules import DIFFERS, MATCHES
from truehue.storage.database.connection import Database
from truehue.storage.results.dictionary import StringDictionary
from truehue.storage.runs.dictionaries import STATUSES


def image_verdicts(
    database: Database, dictionary: StringDictionary, image_ids: Collection[str]
) -> list[ImageVerdict]:
    """Every rule's say on every object of those images (whole ids) in runs that are shown.

    By image, rule, run and object. The pixels of one image may stand in several runs: each says
    what it was asked there.
    """
    hidden = ", ".join(map(str, sorted(dictionary.hidden)))
    rows = database.rows(
        f"""
        SELECT image_id, rule_no, status, matches, delta_e00, hue_deg, misfit, confidence_percent
        FROM (SELECT unnest(?::VARCHAR[]) AS image_id)
        JOIN run_items USING (image_id)
        JOIN run_verdicts AS v USING (run_no, position)
        {f"WHERE run_no NOT IN ({hidden})" if hidden else ""}
        ORDER BY image_id, rule_no, run_no, position, target
        """,
        [sorted(set(image_ids))],
    )
    rules = dictionary.names["rule"]
    return [
        ImageVerdict(
            image_id,
            rules[rule],
            STATUSES[status],
            "" if matches is None else MATCHES if matches else DIFFERS,
            *numbers,
        )
        for image_id, rule, status, matches, *numbers in rows
    ]
