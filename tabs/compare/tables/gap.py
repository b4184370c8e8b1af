"""Why runs are not a printed row over concepts: the share of each difference, for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from truehue.core.analysis.records import RunRecord
from truehue.core.concepts.metrics import TABLE_1, TABLE_2
from truehue.core.concepts.records import EXTRACTED, ConceptCell
from truehue.core.errors import BadInput
from truehue.core.published import PublishedRow, PublishedTable, counterpart, counterparts, table
from truehue.core.reproduce.attribution import RowSwitch, row_gaps
from truehue.core.reproduce.concepts_gap import (
    PROTOCOL,
    ConceptChoice,
    NumbersOf,
    alignment_numbers,
    choice_switches,
    extraction_switch,
    ratio_numbers,
    run_switches,
)
from truehue.tabs.charts.gap import GapsView, GapView, gap_json, without_gap
from truehue.tabs.compare.tables.frame import Frame, frame_of
from truehue.tabs.compare.tables.published import KINDS, PAPER, STYLES
from truehue.tabs.compare.tables.view import is_common
from truehue.tabs.page.errors import count_noun

if TYPE_CHECKING:
    from truehue.tabs.compare.tables.reference_sets import ReferenceSets
    from truehue.tabs.page.context import Context

ALIGNMENTS: Mapping[str, str] = {f"{PAPER}-table1": TABLE_1, f"{PAPER}-table2": TABLE_2}
"""The tables of ours with the same metrics."""
RATIOS = tuple(f"{PAPER}-table{number}" for number in (6, 7, 8))
MAX_RUNS = 3
"""Runs of one model whose gaps are shown: the newest."""


def gap_view(context: Context, people: ReferenceSets, query: Mapping[str, str]) -> GapsView:
    """The gaps of the view's runs to the printed ``row`` of ``table``; else as
    :func:`truehue.tabs.compare.tables.view.tables_view`. Raises BadInput for a row that there is
    not, and as there."""
    table_id = query.get("table", "")
    if table_id not in (*ALIGNMENTS, *RATIOS):
        known = ", ".join((*ALIGNMENTS, *RATIOS))
        raise BadInput(f"There are no numbers of ours beside {table_id[:60]!r}, only {known}.")
    published = table(table_id)
    row = published.row(**{published.keys[0]: query.get("row", "")})
    frame = frame_of(context, people, query)
    common = table_id in ALIGNMENTS and is_common(query)
    runs = _runs_of(frame, row)
    if not runs:
        return {"gaps": [_without_run(published, row)]}
    if frame.people is None:
        sentence = "There are no people's colors to compare with. Import them in People and files."
        return {"gaps": [without_gap("", sentence)]}
    several = [runs] if "model" not in row.keys else [[run] for run in runs[:MAX_RUNS]]
    gaps = [_gap_of(frame, people, published, row, some, common) for some in several]
    if "model" in row.keys and len(runs) > MAX_RUNS:
        older = count_noun(len(runs) - MAX_RUNS, "older run")
        gaps.append(without_gap("", f"{older} of this model: choose runs above to see them here."))
    return {"gaps": gaps}


def _runs_of(frame: Frame, row: PublishedRow) -> list[RunRecord]:
    """Of the row's model; of a row over models, those of any of them."""
    ids = _ids_of(row)
    return [run for run in frame.runs if run.model in ids]


def _ids_of(row: PublishedRow) -> tuple[str, ...]:
    if "model" in row.keys:
        return counterpart(PAPER, row.keys["model"]).ids
    of_paper = [entry.ids for (paper, _), entry in counterparts().items() if paper == PAPER]
    return tuple(dict.fromkeys(model_id for ids in of_paper for model_id in ids))


def _without_run(published: PublishedTable, row: PublishedRow) -> GapView:
    ids = _ids_of(row)
    if "model" not in row.keys:
        sentence = (
            "No shown run is of one of the paper's models. This command generates one's images:"
        )
    else:
        sentence = (
            "No run of this model is shown. This command says what it needs, and starts it:"
            if published.id in ALIGNMENTS
            else "No run of this model is shown. This command generates its images:"
        )
    if not ids:
        return without_gap("", "None of our models is this one.")
    number = published.number.removeprefix("Table ")
    if published.id in ALIGNMENTS:
        return without_gap(
            "", sentence, f"truehue reproduce {PAPER} --table {number} --models {ids[0]}"
        )
    return without_gap("", sentence, f"truehue runs start --protocol {PROTOCOL} --model {ids[0]}")


def _gap_of(
    frame: Frame,
    people: ReferenceSets,
    published: PublishedTable,
    row: PublishedRow,
    runs: Sequence[RunRecord],
    common: bool,
) -> GapView:
    """The gaps of one run, or of the mean of runs, by column."""
    assert frame.people is not None
    names = "; ".join(frame.names[run.run_id] for run in runs)
    run_ids = [run.run_id for run in runs]
    numbers: NumbersOf
    if published.id in ALIGNMENTS:
        numbers = alignment_numbers(run_ids[0], published.columns, ALIGNMENTS[published.id])
    else:
        numbers = ratio_numbers(run_ids, row, published.columns)
    choice = ConceptChoice(_cells(frame, frame.method), frame.weights, frame.scale, common)
    own = frame.people.crowd
    others = {
        entry.name: (lambda entry=entry: people.of(entry).weights)
        for entry in frame.crowds
        if entry.id != own.id
    }
    switches = [
        *choice_switches(numbers, choice, own.name, others),
        *_extraction(frame, numbers, choice),
        *_run_switches(runs),
    ]
    gaps = row_gaps(row.keys, numbers(choice), row, published.columns, lambda by: by.name, switches)
    if not gaps:
        sentence = "This run has no number in a column of the table. Are its colors extracted?"
        return without_gap(names, sentence)
    titles, parts = {}, {}
    for column in published.columns:
        titles[column.name] = column.parts.get("metric", column.name)
        heads = (KINDS.get(column.parts.get("concept", ""), ""), _style(column.parts))
        parts[column.name] = ", ".join(filter(None, heads)) if "metric" in column.parts else ""
    return gap_json(names, {gap.column: gap for gap in gaps}, titles, parts)


def _style(parts: Mapping[str, str]) -> str:
    return STYLES.get(parts.get("style", ""), "").lower()


def _extraction(frame: Frame, numbers: NumbersOf, choice: ConceptChoice) -> list[RowSwitch]:
    if frame.method == EXTRACTED:
        return []
    return [extraction_switch(numbers, choice, frame.method, _cells(frame, EXTRACTED))]


def _cells(frame: Frame, method: str) -> list[ConceptCell]:
    """The distributions of the view's runs, of all scales together and of the one that is chosen."""
    profiles = frame.context.storage.profiles
    return [
        cell
        for run in frame.runs
        for by_guidance in ((False, True) if frame.scale is not None else (False,))
        for cell in profiles.cells(run.run_id, method, by_guidance=by_guidance)
    ]


def _run_switches(runs: Sequence[RunRecord]) -> list[RowSwitch]:
    """Of one run; of several only that they are other models."""
    if len(runs) == 1:
        return run_switches(runs[0].summary, runs[0].model, runs[0].set_name)
    names = ", ".join(dict.fromkeys(run.model for run in runs))
    return [RowSwitch("Models", "The row is the mean over seven models.", names, "the paper's")]
