"""The tables of a study, for exports. What their columns mean stands in assets/studies."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from truehue.annotation.studies.cases import Kind
from truehue.core.export.columns import Column
from truehue.tabs.studies import tables_rows as rows
from truehue.tabs.studies.colorings import exports as colorings

CODEBOOK = Path(__file__).resolve().parents[2] / "assets" / "studies" / "codebook.csv"


@dataclass(frozen=True)
class StudyTable:
    """One table: what a row is, and the rows."""

    name: str
    title: str
    row: str
    rows: Callable[[rows.ExportData], Iterable[Mapping[str, Any]]]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Its columns, in their order."""
        return _columns()[self.name]


@cache
def _columns() -> Mapping[str, tuple[Column, ...]]:
    columns: dict[str, list[Column]] = defaultdict(list)
    with CODEBOOK.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            columns[line["table"]].append(
                Column(
                    line["column"],
                    line["type"],
                    line["source"],
                    line["meaning"],
                    line["unit"],
                    tuple(line["values"].split()),
                    line["always"] == "yes",
                )
            )
    return {table: tuple(own) for table, own in columns.items()}


TABLES: tuple[StudyTable, ...] = (
    StudyTable("study", "The plan and the state", "a setting", rows.study),
    StudyTable("cases", "The cases of the study", "a case", rows.cases),
    StudyTable(
        "candidates",
        "Candidates that models produced for the cases",
        "a case and a model",
        rows.candidates,
    ),
    StudyTable("stimuli", "Stimuli of the trials", "a stimulus", rows.stimuli),
    StudyTable(
        "participants",
        "Participants and the quality of their answers",
        "a participant",
        rows.participants,
    ),
    StudyTable("trials", "All trials shown, with or without an answer", "a trial", rows.trials),
    StudyTable("events", "All participant events, in order", "an event", rows.events),
    StudyTable("answers", "Final answers to all trials", "an answer", rows.answers),
    StudyTable(
        "votes", "Votes of a study of pairs: main answers without skips", "a vote", rows.votes
    ),
    StudyTable(
        "screening",
        "Color-vision and screen checks",
        "a participant who was screened",
        rows.screening,
    ),
    StudyTable(
        "metrics",
        "Metric values of the candidates, as compared with people",
        "a case, a model and a metric",
        rows.metrics,
    ),
    StudyTable(
        "results", "Results with all participants, and after exclusion", "a number", rows.results
    ),
)
"""Of every study, in the order of the codebook."""
COLORING_TABLES: tuple[StudyTable, ...] = (
    StudyTable(
        "colorings",
        "Final colorings, including practice and second colorings",
        "a coloring",
        colorings.colorings,
    ),
    StudyTable(
        "actions",
        "The log of the canvas, from which each coloring can be replayed exactly",
        "an action",
        colorings.actions,
    ),
    StudyTable(
        "reviews", "All expert reviews, in order", "an answer of an expert", colorings.reviews
    ),
    StudyTable(
        "concepts",
        "Consensus and certainty of every concept",
        "a concept and a level",
        colorings.concepts,
    ),
    StudyTable(
        "distributions",
        "P_H: people's distribution of every concept over UW-71",
        "a concept, a level and a bin with a share",
        colorings.distributions,
    ),
)
QUESTION_TABLES: tuple[StudyTable, ...] = (
    StudyTable(
        "questions",
        "The questions, their correct answers, and how often each choice was selected",
        "a question",
        rows.questions,
    ),
)
OWN_TABLES = {Kind.COLORINGS: COLORING_TABLES, Kind.QUESTIONS: QUESTION_TABLES}
"""Tables that only studies of a kind have."""
_OF_MODELS = frozenset(("candidates", "votes", "metrics"))
_OF_VOTES = _OF_MODELS | {"results"}
_EMPTY = {Kind.COLORINGS: _OF_VOTES, Kind.QUESTIONS: _OF_MODELS}
"""Tables that are empty where nothing is compared, and where people color."""


def tables_of(kind: Kind) -> tuple[StudyTable, ...]:
    """The tables of a study of that kind, in the order of the codebook."""
    return (*TABLES, *OWN_TABLES.get(kind, ()))


def listed(kind: Kind) -> tuple[StudyTable, ...]:
    """The tables that say something of a study of that kind, those that are most wanted first; the
    archive has the others too."""
    empty = _EMPTY.get(kind, frozenset())
    return (*OWN_TABLES.get(kind, ()), *(table for table in TABLES if table.name not in empty))
