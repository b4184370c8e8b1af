"""The paper's Table 4 beside the leaderboard: as printed, and never ranked with runs of ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.analysis.board import AVERAGED
from core.analysis.records import RunRecord
from core.published import counterpart, table
from core.verdict.rules import rule
from tabs.explore.board_rows import EACH

PUBLISHED = "gencolorbench-table4"


def published_view(runs: Sequence[RunRecord], rule_id: str, systems: str) -> dict[str, Any]:
    """The paper's Table 4 as printed, with the runs here whose model may be the same."""
    found = table(PUBLISHED)
    columns = {column.ours: column for column in found.columns}
    shown = []
    for row in found.rows:
        model = row.keys["model"]
        ours = counterpart(found.paper.id, model)
        here = [run.name for run in runs if run.model in ours.ids]
        kind = f"{row.keys['resolution']} px · {row.keys['type']}"
        shown.append({
            "name": model, "facts": kind, "here": here, "here_note": ours.note if here else "",
            "cells": {
                key: {"text": row.printed[column.name] or "–",
                      "doubt": found.doubt(row, column.name)}
                for key, column in columns.items()
            },
        })  # fmt: skip
    told = []
    if rule_id != found.protocol:
        told.append(
            f"Your numbers above are by {rule(rule_id).name}: they answer another question than "
            "these."
        )
    if systems not in (AVERAGED, EACH):
        told.append("These average L2, L3 and CSS; yours above do not.")
    told.append(
        "Published numbers are the authors' own: their pictures, their prompt list and their k, "
        "which the paper does not give, and no intervals. They are never ranked with runs of yours."
    )
    return {
        "title": f"{found.number}, as published",
        "source": found.source, "url": found.paper.url, "how": found.how,
        "told": " ".join(told), "notes": list(found.notes), "rows": shown,
    }  # fmt: skip
