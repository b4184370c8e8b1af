"""The concepts behind a number of Compare's tables, worst first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truehue.core.color.uw71 import uw71
from truehue.core.concepts.metrics import MEANINGS, METRICS
from truehue.core.concepts.scores import KINDS, Score, scores
from truehue.core.errors import BadInput
from truehue.tabs.compare.tables.frame import Frame, frame_of
from truehue.tabs.compare.tables.published import KINDS as KIND_NAMES
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.compare.tables.view import ALL_KINDS, STYLE_NAMES, is_common
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import counted
from truehue.tabs.page.links import whole

PAGE = 60


def concepts_view(
    context: Context, people: ReferenceSets, query: Mapping[str, str]
) -> dict[str, Any]:
    """A page of the concepts of a number, worst first. ``query`` as for the tables, with ``cell``,
    the run and the column (``run:category/kind/style/metric``), and ``offset``. Raises BadInput for
    a number that there is not."""
    frame = frame_of(context, people, query)
    run_id, _, column = query.get("cell", "").partition(":")
    category, kind, style, metric = (*column.split("/"), "", "", "", "")[:4]
    names = {run.run_id: frame.names[run.run_id] for run in frame.runs}
    if run_id not in names or metric not in MEANINGS or kind not in (ALL_KINDS, *KINDS):
        raise BadInput("That number is no longer in the tables. Close this list.")
    score_list = scores(
        [cell for cell in frame.cells.kept if cell.style == style and _relevant(cell, frame)],
        frame.weights,
    )
    assert score_list is not None  # nobody stops it
    score_selection = [
        score
        for score in score_list
        if kind in (ALL_KINDS, score.concept.modifier_kind)
        and category in ("", score.concept.category)
    ]
    values = _of_run(score_selection, run_id, metric, is_common(query))
    worst = METRICS[metric].better == "low"
    ordered = sorted(
        values, key=lambda entry: (-entry[1] if worst else entry[1], entry[0].concept.words)
    )
    offset = whole(query.get("offset", ""), 10**6) or 0
    location = " · ".join(
        filter(
            None, (category, KIND_NAMES.get(kind, "all concepts"), STYLE_NAMES.get(style, style))
        )
    )
    return {
        "title": f"{names[run_id]}: {METRICS[metric].name}, {location}",
        "words": f"{counted(len(ordered), 'concept')}, worst first. Swatches: people's most common "
        "color, then the run's.",
        "total": len(ordered),
        "concepts": [_line(frame, *entry) for entry in ordered[offset : offset + PAGE]],
    }


def _relevant(cell: Any, frame: Frame) -> bool:
    return bool(cell.guidance == frame.scale)


def _of_run(
    score_selection: list[Score], run_id: str, metric: str, common: bool
) -> list[tuple[Score, float]]:
    """The concepts that are in a run's number, with their values."""
    by_run: dict[str, dict[str, tuple[Score, float]]] = {}
    for score in score_selection:
        value = score.value(metric)
        if value is not None:
            by_run.setdefault(score.run_id, {})[score.concept.id] = score, value
    own = by_run.get(run_id, {})
    shared = set.intersection(*map(set, by_run.values())) if common and by_run else set(own)
    return [entry for concept_id, entry in own.items() if concept_id in shared]


def _line(frame: Frame, score: Score, value: float) -> dict[str, Any]:
    assert score.comparison is not None
    bins = [uw71()[index] for index in score.comparison.dominant]
    return {
        "words": score.concept.words,
        "text": f"{value:.3f}",
        "hexes": [bin_.hex for bin_ in bins],
        "names": [bin_.name for bin_ in bins],
        "note": f"people: {bins[0].name} · run: {bins[1].name}",
        "open": frame.opens(score.concept.id, score.run_id, score.style),
    }
