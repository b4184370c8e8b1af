"""What is on the page of a concept as CSV: the 71 shares of each, and the numbers of every pair."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from core.color.distances import compare
from core.color.uw71 import uw71
from core.errors import BadInput
from core.spreadsheets import guarded
from tabs.compare.concept.link import asked, resolved
from tabs.compare.concept.service import intervals_of, kind_words, span_of
from tabs.compare.numbers import METRICS
from tabs.page.context import Context


def weights_csv(context: Context, given: Mapping[str, str]) -> str:
    """A row a distribution, and what it is: concept (empty without one), label, kind, method,
    people (0 where it is nobody's, empty where nobody knows of how many), and 71 columns called by
    the color of their bin. The import of histograms reads it. Raises BadInput for nothing."""
    question = asked(given)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["concept", "label", "kind", "method", "people", *(one.hex for one in uw71())])
    there = [one for one in resolved(context, question) if one.found is not None]
    if not there:
        raise BadInput("No distribution is on the page that could be written to a file.")
    often = Counter(one.label for one in there)
    for one in there:
        assert one.found is not None
        people = (one.found.count or "") if one.found.of_people else 0
        label = one.label if often[one.label] == 1 else f"{one.label} ({one.letter})"
        writer.writerow(
            [
                guarded(question.words),
                guarded(label),
                one.found.kind,
                one.found.method,
                people,
                *(repr(float(value)) for value in one.found.weights),
            ]
        )
    return out.getvalue()


def numbers_csv(context: Context, given: Mapping[str, str]) -> str:
    """A row a pair: what was compared, every number, and its 95% interval where there is one.

    Not rounded; empty where there is no number. Raises BadInput for fewer than two."""
    question = asked(given)
    there = [one for one in resolved(context, question) if one.found is not None]
    if len(there) < 2:
        raise BadInput("Two distributions are needed for numbers; add another one.")
    out = io.StringIO()
    sides = [f"{name}_{side}" for side in "ab" for name in ("source", "label", "kind", "count")]
    columns = [name for one in METRICS for name in (one.id, f"{one.id}_low", f"{one.id}_high")]
    writer = csv.writer(out)
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
    for first, second in combinations(there, 2):
        assert first.found is not None
        assert second.found is not None
        numbers = compare(first.found.weights, second.found.weights)
        spans = intervals_of(first, second)
        cells: list[object] = []
        for metric in METRICS:
            cells += [_empty(getattr(numbers, metric.field)), *(span_of(metric, spans) or ("", ""))]
        described: list[object] = []
        for one in (first, second):
            assert one.found is not None
            described += [one.source, guarded(one.label), kind_words(one.found), one.found.count]
        writer.writerow(
            [
                guarded(question.words),
                question.method,
                *described,
                *cells,
                *(uw71()[index].hex for index in numbers.dominant),
                spans.draws,
                " ".join(spans.notes),
            ]
        )
    return out.getvalue()


def file_name(given: Mapping[str, str], what: str) -> str:
    """``truehue-rotten-mango-numbers.csv``."""
    words = re.sub(r"[^a-z0-9]+", "-", asked(given).words.casefold()).strip("-")
    return f"truehue-{words or 'concept'}-{what}.csv"


def _empty(value: object) -> object:
    if value is None:
        return ""
    return int(value) if isinstance(value, bool) else value
