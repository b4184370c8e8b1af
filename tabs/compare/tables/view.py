"""The view of Compare with tables over all concepts: like the paper's Tables 1 and 2, by category, and
the concepts behind a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from truehue.core.color.uw71 import uw71
from truehue.core.concepts.metrics import MEANINGS, METRICS, TABLE_1, TABLE_2, ScoreMetric, of_table
from truehue.core.concepts.own import OWN_STYLE
from truehue.core.concepts.scores import KINDS, Score, by_id, scores
from truehue.core.concepts.tables import (
    BY_CATEGORY,
    Alignment,
    Column,
    Number,
    TableChoice,
    alignment,
)
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import STYLES
from truehue.core.spreadsheets import csv_text
from truehue.tabs.compare.tables.charts import OpenedConcept, interval_text
from truehue.tabs.compare.tables.frame import Frame, FrameJson, RunHead, frame_of
from truehue.tabs.compare.tables.published import (
    ARROWS,
    HeadColumn,
    KindColumns,
    PrintedTables,
    published,
)
from truehue.tabs.compare.tables.published import KINDS as KIND_NAMES
from truehue.tabs.compare.tables.reference_sets import ReferenceSets
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.links import whole
from truehue.tabs.page.shared_answers import NamedChoice, TitledChoice

ALL_KINDS = "all"
STYLE_NAMES: Mapping[str, str] = {
    "photo": "Natural photo",
    "cartoon": "Clip-art",
    OWN_STYLE: "Own style",
}
PAPERS = (
    (TABLE_1, "Distributions, as in Table 1", of_table(TABLE_1)),
    (TABLE_2, "Most common colors, as in Table 2", of_table(TABLE_2)),
)
MANY_MORE = 1.25
"""How many times as many shared concepts the others have without a run that is then named."""
CSV_COLUMNS = (
    "run_id",
    "run",
    "model",
    "people",
    "people_are",
    "method",
    "guidance",
    "same_concepts",
    "kind",
    "category",
    "style",
    "metric",
    "unit",
    "value",
    "low",
    "high",
    "concepts",
    "left_out",
    "reasons",
    "place",
)
PAGE = 60


class NumberCell(TypedDict):
    """A number with its interval; ``mark`` is ``best`` or ``second`` of its column. Without a
    number ``text`` is empty."""

    text: str
    title: str
    interval: NotRequired[str]
    mark: NotRequired[str]
    note: NotRequired[str]


class NumbersRow(RunHead):
    """The numbers of a run by the ids of the columns."""

    cells: dict[str, NumberCell]


class NumbersTable(TypedDict):
    """A table over many concepts."""

    id: str
    title: str
    words: str
    groups: list[KindColumns]
    rows: list[NumbersRow]


class NumberChoices(TypedDict):
    """The numbers, kinds of concepts and styles that can be chosen."""

    metric: list[TitledChoice]
    kind: list[NamedChoice]
    style: list[NamedChoice]


class CategoryTable(NumbersTable):
    """One number of one kind of concepts in one style, by category."""

    metric: str
    kind: str
    style: str
    choices: NumberChoices


class ConceptTablesView(TypedDict):
    """Tables as in the paper, the table by category, and the published ones."""

    frame: FrameJson
    tables: list[NumbersTable]
    categories: CategoryTable | None
    about: str
    published: PrintedTables


class ConceptOfNumber(TypedDict):
    """A concept behind a number: people's most common color, then the run's."""

    words: str
    text: str
    hexes: list[str]
    names: list[str]
    note: str
    open: OpenedConcept


class ConceptsOfNumber(TypedDict):
    """A page of the concepts behind a number; ``total`` counts all."""

    title: str
    words: str
    total: int
    concepts: list[ConceptOfNumber]


def tables_view(
    context: Context, people: ReferenceSets, values: Mapping[str, str]
) -> ConceptTablesView:
    """Both tables, one number by category, and the published ones. The query holds ``people``,
    ``method``, ``guidance``, ``runs``, ``common``, and of the second ``metric``, ``kind`` and
    ``style``. Raises BadInput for a choice that there is not."""
    frame = frame_of(context, people, values)
    common = is_common(values)
    shown: list[NumbersTable] = []
    categories = None
    if frame.ready:
        both = table_of(frame, common)
        shown = [
            {
                "id": key,
                "title": title,
                "words": _text(frame, both, common),
                "groups": _groups(both, metrics),
                "rows": _rows(frame, both, metrics),
            }
            for key, title, metrics in PAPERS
        ]
        categories = _categories(frame, common, values)
    return {
        "frame": frame.as_json(),
        "tables": shown,
        "categories": categories,
        "about": about(frame, common),
        "published": published(
            ("colorconceptbench-table1", "colorconceptbench-table2"),
            frame.known,
            "The paper's Tables 1 and 2",
        ),
    }


def tables_csv(context: Context, people: ReferenceSets, values: Mapping[str, str]) -> str:
    """Every number of both tables and of all categories as CSV; as :func:`tables_view`."""
    frame, common = frame_of(context, people, values), is_common(values)
    by_kind = table_of(frame, common)
    rows = [
        _line(frame, by_kind, run, kind, "", (kind, style, metric))
        for run in by_kind.runs
        for kind in by_kind.groups
        for style in by_kind.styles
        for metric in by_kind.metrics
    ]
    for kind in (ALL_KINDS, *KINDS):
        by_category = table_of(frame, common, BY_CATEGORY, kind)
        rows += [
            _line(frame, by_category, run, kind, category, (category, style, metric))
            for run in by_category.runs
            for category in by_category.groups
            for style in by_category.styles
            for metric in by_category.metrics
        ]
    return csv_text(CSV_COLUMNS, rows)


def table_of(frame: Frame, common: bool, by: str = "kind", kind: str = ALL_KINDS) -> Alignment:
    """The numbers of the frame's runs; ``kind`` narrows to one kind of concepts."""
    kinds = KINDS if kind == ALL_KINDS else (kind,)
    choice = TableChoice(by=by, kinds=kinds, guidance=frame.scale, common=common)
    made = alignment(frame.cells.kept, frame.weights, choice)
    assert made is not None  # nobody stops it
    return made


def is_common(values: Mapping[str, str]) -> bool:
    """Whether rows are compared on the same concepts, as they are where nothing else is asked."""
    requested = values.get("common") or "yes"
    if requested not in ("yes", "no"):
        raise BadInput("Rows are compared on the same concepts, common=yes, or not, common=no.")
    return requested == "yes"


def about(frame: Frame, common: bool) -> str:
    """What the numbers are means of."""
    same = (
        "Each number covers the concepts for which all rows have a value"
        if common
        else "Each row covers its own concepts, so some rows can have easier concepts than others"
    )
    return (
        f"{same}; hover a number for the count and the excluded concepts. Intervals are 95%, "
        "bootstrap over concepts; they do not cover other people or other images."
    )


def number_json(number: Number, metric: ScoreMetric, marked: bool = True) -> NumberCell:
    """A number as a cell shows it; ``marked`` whether its place is."""
    left = sum(number.left_out.values())
    why = "; ".join(f"{count:,} {reason}" for reason, count in number.left_out.items())
    out_words = f"{count_noun(left, 'concept')} excluded: {why}" if left else "no concept excluded"
    if number.value is None:
        return {"text": "", "title": f"{MEANINGS[metric.id]}\n{out_words}"}
    digits = 1 if metric.unit in ("Lab", "degrees") else 3
    between = None if number.low is None or number.high is None else (number.low, number.high)
    title = f"{MEANINGS[metric.id]}\nmean of {count_noun(number.count, 'concept')}"
    if between is None:
        title += ", too few or too equal for an interval"
    else:
        title += f", 95% interval {interval_text(between, 3)}"
    return {
        "text": f"{number.value:.3f}",
        "title": f"{title}\n{out_words}",
        "interval": interval_text(between, digits if digits == 1 else 2),
        "mark": {1: "best", 2: "second"}.get(number.place, "") if marked else "",
    }


def column_id(category: str, kind: str, style: str, metric: str) -> str:
    """The id of a column of either table, as :func:`concepts_view` reads it."""
    return f"{category}/{kind}/{style}/{metric}"


def _text(frame: Frame, table: Alignment, common: bool) -> str:
    people = frame.people.crowd.name if frame.people else ""
    # People know more concepts than the runs have drawn: what a mean is over is counted.
    counts = dict.fromkeys(table.concepts, 0)
    for (_, (kind, _, _)), number in table.cells.items():
        counts[kind] = max(counts[kind], number.count)
    there = ", ".join(f"{count:,} {KIND_NAMES[kind].lower()}" for kind, count in counts.items())
    saved = ", shared by all rows" if common and len(table.runs) > 1 else ""
    text = (
        f"How close each run is to {people}: means over {there}{saved}; fewer where a number is "
        "not defined."
    )
    return text + (describe_fewest(frame) if saved else "")


def describe_fewest(frame: Frame) -> str:
    """Which run leaves few concepts to the others, where they would have many more without it;
    empty where no run does. Counted are concepts with colors of the run and of people, in each
    style; as in the tables, a run without any of a kind and style is no row there."""
    own: dict[str, dict[tuple[str, str], set[str]]] = {}
    for cell in frame.cells.kept:
        if cell.guidance == frame.scale and cell.weights is not None:
            concept = by_id().get(cell.concept_id)
            if concept is not None and cell.concept_id in frame.weights:
                columns = own.setdefault(cell.run_id, {})
                columns.setdefault((concept.modifier_kind, cell.style), set()).add(concept.id)
    if len(own) < 2:
        return ""
    sizes = {run_id: sum(map(len, columns.values())) for run_id, columns in own.items()}
    least = min(sizes, key=lambda run_id: sizes[run_id])
    now = _shared(own.values())
    more = _shared(columns for run_id, columns in own.items() if run_id != least)
    if more < MANY_MORE * max(now, 1):
        return ""
    rest = "the other row has" if len(own) == 2 else "the others share"
    styles = {style for columns in own.values() for _, style in columns}
    return (
        f" “{frame.names[least]}” has colors of the fewest, {sizes[least]:,}, and all rows share "
        f"{now:,}: untick it under Runs, and {rest} {more:,}"
        f"{', counted in each style' if len(styles) > 1 else ''}."
    )


def _shared(rows: Iterable[Mapping[tuple[str, str], set[str]]]) -> int:
    """How many concepts all rows have, over all kinds and styles."""
    columns: dict[tuple[str, str], list[set[str]]] = {}
    for row in rows:
        for column, ids in row.items():
            columns.setdefault(column, []).append(ids)
    return sum(len(set.intersection(*results)) for results in columns.values())


def _column_name(metric_id: str) -> str:
    metric = METRICS[metric_id]
    return metric.name + ARROWS["higher" if metric.better == "high" else "lower"]


def _groups(table: Alignment, metrics: Iterable[str]) -> list[KindColumns]:
    listed = list(metrics)
    return [
        {
            "name": KIND_NAMES[kind],
            "styles": [
                {
                    "name": STYLE_NAMES.get(style, style),
                    "columns": [
                        {
                            "id": column_id("", kind, style, metric),
                            "name": _column_name(metric),
                            "title": MEANINGS[metric],
                        }
                        for metric in listed
                    ],
                }
                for style in table.styles
            ],
        }
        for kind in table.groups
    ]


def _rows(frame: Frame, table: Alignment, metrics: Iterable[str]) -> list[NumbersRow]:
    listed = list(metrics)
    return [
        {
            **frame.run_json(run),
            "cells": {
                column_id("", kind, style, metric): _cell(table, run.run_id, kind, style, metric)
                for kind in table.groups
                for style in table.styles
                for metric in listed
            },
        }
        for run in frame.runs
    ]


def _cell(table: Alignment, run_id: str, group: str, style: str, metric: str) -> NumberCell:
    """A cell of a column; where all rows are equal there is no best."""
    column = [table.number(run, group, style, metric) for run in table.runs]
    apart = any(number.place != 1 for number in column if number.value is not None)
    return number_json(table.number(run_id, group, style, metric), METRICS[metric], apart)


def _categories(frame: Frame, common: bool, values: Mapping[str, str]) -> CategoryTable:
    metric = values.get("metric") or "emd_lab"
    kind, style = values.get("kind") or KINDS[0], values.get("style") or next(iter(STYLES))
    if metric not in MEANINGS or kind not in (ALL_KINDS, *KINDS) or style not in STYLES:
        raise BadInput(
            "The link names a metric, concepts or a style that the table by category does not "
            "have. Open the view without a link."
        )
    table = table_of(frame, common, BY_CATEGORY, kind)
    columns: list[HeadColumn] = [
        {
            "id": column_id(category, kind, style, metric),
            "name": category,
            "title": f"{category}: {MEANINGS[metric]}",
        }
        for category in table.groups
    ]
    rows: list[NumbersRow] = [
        {
            **frame.run_json(run),
            "cells": {
                column_id(category, kind, style, metric): _cell(
                    table, run.run_id, category, style, metric
                )
                for category in table.groups
            },
        }
        for run in frame.runs
    ]
    return {
        "id": "categories",
        "title": "By category",
        "metric": metric,
        "kind": kind,
        "style": style,
        "words": f"How close each run is to people, by category of concept. {MEANINGS[metric]}.",
        "choices": {
            "metric": [
                {"id": meaning, "name": METRICS[meaning].name, "title": MEANINGS[meaning]}
                for meaning in MEANINGS
            ],
            "kind": [
                {"id": ALL_KINDS, "name": "All concepts"},
                *(NamedChoice(id=name, name=KIND_NAMES[name]) for name in KINDS),
            ],
            "style": [{"id": name, "name": STYLE_NAMES[name]} for name in STYLES],
        },
        "groups": [
            {
                "name": _column_name(metric),
                "styles": [{"name": STYLE_NAMES[style], "columns": columns}],
            }
        ],
        "rows": rows,
    }


def _line(
    frame: Frame, table: Alignment, run_id: str, kind: str, category: str, column: Column
) -> tuple[Any, ...]:
    """The values of :data:`CSV_COLUMNS` for one cell of a table."""
    _, style, metric = column
    number = table.number(run_id, *column)
    run = next(run_record for run_record in frame.runs if run_record.run_id == run_id)
    reference_set = frame.people.crowd if frame.people else None
    reasons = "; ".join(f"{reason}: {count}" for reason, count in number.left_out.items())
    return (
        run_id,
        run.name,
        run.model,
        reference_set.name if reference_set else "",
        reference_set.words if reference_set else "",
        frame.method,
        frame.guidance,
        "yes" if table.common else "no",
        kind,
        category,
        style,
        metric,
        METRICS[metric].unit,
        number.value,
        number.low,
        number.high,
        number.count,
        sum(number.left_out.values()),
        reasons,
        number.place or None,
    )


def concepts_view(
    context: Context, people: ReferenceSets, query: Mapping[str, str]
) -> ConceptsOfNumber:
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
        "words": f"{count_noun(len(ordered), 'concept')}, worst first. Swatches: people's most common "
        "color, then the run's.",
        "total": len(ordered),
        "concepts": [_concept_line(frame, *entry) for entry in ordered[offset : offset + PAGE]],
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


def _concept_line(frame: Frame, score: Score, value: float) -> ConceptOfNumber:
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
