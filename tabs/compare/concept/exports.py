"""The distributions of a concept and their numbers as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from truehue.core.color.distances import compare
from truehue.core.color.uw71 import uw71
from truehue.core.errors import BadInput
from truehue.core.spreadsheets import escape_formula
from truehue.tabs.compare.concept.link import page_sources, question_of
from truehue.tabs.compare.concept.service import intervals_of, span_of
from truehue.tabs.page.context import Context
from truehue.tabs.sources.distributions import describe_kind
from truehue.tabs.sources.numbers import METRICS


def weights_csv(context: Context, query: Mapping[str, str]) -> str:
    """A row a distribution, and what it is: concept (empty without one), label, kind, method,
    people (0 where it is nobody's, empty where nobody knows of how many), and 71 columns called by
    the color of their bin. The import of histograms reads it. Raises BadInput for nothing."""
    question = question_of(query)
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(
        ["concept", "label", "kind", "method", "people", *(bin_.hex for bin_ in uw71())]
    )
    measured_entries = [
        entry for entry in page_sources(context, question) if entry.distribution is not None
    ]
    if not measured_entries:
        raise BadInput("There is no distribution to export.")
    often = Counter(entry.label for entry in measured_entries)
    for entry in measured_entries:
        assert entry.distribution is not None
        people = (entry.distribution.count or "") if entry.distribution.of_people else 0
        label = entry.label if often[entry.label] == 1 else f"{entry.label} ({entry.letter})"
        writer.writerow(
            [
                escape_formula(question.words),
                escape_formula(label),
                entry.distribution.kind,
                entry.distribution.method,
                people,
                *(repr(float(value)) for value in entry.distribution.weights),
            ]
        )
    return buffer.getvalue()


def numbers_csv(context: Context, query: Mapping[str, str]) -> str:
    """A row a pair: what was compared, every number, and its 95% interval where there is one.

    Not rounded; empty where there is no number. Raises BadInput for fewer than two."""
    question = question_of(query)
    measured_entries = [
        entry for entry in page_sources(context, question) if entry.distribution is not None
    ]
    if len(measured_entries) < 2:
        raise BadInput("Metrics need two distributions. Add another one.")
    buffer = io.StringIO()
    sides = [f"{name}_{side}" for side in "ab" for name in ("source", "label", "kind", "count")]
    columns = [
        name for metric in METRICS for name in (metric.id, f"{metric.id}_low", f"{metric.id}_high")
    ]
    writer = csv.writer(buffer)
    writer.writerow(
        [
            "concept",
            "method",
            *sides,
            *columns,
            "dominant_a",
            "dominant_b",
            "draws",
            "interval_notes",
        ]
    )
    for first, second in combinations(measured_entries, 2):
        assert first.distribution is not None
        assert second.distribution is not None
        numbers = compare(first.distribution.weights, second.distribution.weights)
        spans = intervals_of(first, second)
        cells: list[object] = []
        for metric in METRICS:
            cells += [_empty(getattr(numbers, metric.field)), *(span_of(metric, spans) or ("", ""))]
        described: list[object] = []
        for entry in (first, second):
            assert entry.distribution is not None
            described += [
                entry.source,
                escape_formula(entry.label),
                describe_kind(entry.distribution),
                entry.distribution.count,
            ]
        writer.writerow(
            [
                escape_formula(question.words),
                question.method,
                *described,
                *cells,
                *(uw71()[index].hex for index in numbers.dominant),
                spans.draws,
                " ".join(spans.notes),
            ]
        )
    return buffer.getvalue()


def file_name(query: Mapping[str, str], label: str) -> str:
    """``truehue-rotten-mango-numbers.csv``."""
    text = re.sub(r"[^a-z0-9]+", "-", question_of(query).words.casefold()).strip("-")
    return f"truehue-{text or 'concept'}-{label}.csv"


def _empty(value: object) -> object:
    if value is None:
        return ""
    return int(value) if isinstance(value, bool) else value
