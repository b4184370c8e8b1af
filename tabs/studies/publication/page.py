"""The public page of a study's results as HTML, whole without scripts and cookies."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from rcssmin import cssmin

from truehue.annotation.studies.cases import Case
from truehue.annotation.studies.plan import StudyPlan
from truehue.core.studies import LogEntry, PublicationRecord
from truehue.core.version import VERSION
from truehue.tabs.page.context import ROOT
from truehue.tabs.page.templates import html
from truehue.tabs.studies.publication.cells import WIDTH
from truehue.tabs.studies.publication.files import CODEBOOK, PublicTable
from truehue.tabs.studies.publication.method import (
    method_facts,
    people_facts,
    rule_facts,
    survey_tables,
)
from truehue.tabs.studies.publication.publishing import address_of
from truehue.tabs.studies.publication.results import (
    concept_rows,
    metric_table,
    question_rows,
    reliability,
    result_tables,
)
from truehue.tabs.studies.tables_rows import ExportData

SHEET = "css/studies/publication.css"
MAX_CASES = 24
"""Cases whose images the page shows."""
SIDE = 256
"""The longer side of an image of the page, in pixels."""


@dataclass(frozen=True)
class PageImage:
    """An image of the page: a stored image, or the ink of a ``sketch``, by its id."""

    id: str
    sketch: bool = False


@dataclass(frozen=True)
class ShownImage:
    """An image with its address and what stands below it."""

    url: str
    text: str
    label: str


@dataclass(frozen=True)
class ShownCase:
    """The images of a case."""

    words: str
    images: tuple[ShownImage, ...]


@dataclass(frozen=True)
class Download:
    """A file of the page."""

    name: str
    url: str
    text: str
    size: str


@cache
def style() -> str:
    """The style of the page, which stands in it, so that a saved page is whole."""
    return str(cssmin((ROOT / "assets" / SHEET).read_text("utf-8")))


@cache
def content_policy() -> str:
    """The Content-Security-Policy of the page: its own style and images, and no script."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    )


def images_of(plan: StudyPlan) -> dict[str, tuple[PageImage, ...]]:
    """The images that the page shows, by case: the first of each candidate, that of the question, or
    the sketch. All of questions and sketches, of others those of the first ``MAX_CASES``."""
    requested = dict.fromkeys(stimulus.case_id for stimulus in plan.main_stimuli)
    cases = [plan.case_by_id[case_id] for case_id in requested]
    if any(case.candidates for case in cases):
        cases = cases[:MAX_CASES]
    return {case.id: _images(case) for case in cases}


def _images(case: Case) -> tuple[PageImage, ...]:
    if case.sketch:
        return (PageImage(case.sketch, sketch=True),)
    if case.question is not None:
        return (PageImage(case.question.image_id),)
    return tuple(PageImage(item.image_ids[0]) for item in case.candidates if item.image_ids)


def page_html(
    data: ExportData,
    log: Sequence[LogEntry],
    publication: PublicationRecord,
    tables: Sequence[PublicTable],
    files: Mapping[str, bytes],
    images: Mapping[str, Sequence[PageImage]],
) -> str:
    """The page of a study as its data are."""
    results, plan = data.results, data.source.plan
    address = address_of(publication)
    urls = {
        (case_id, index): f"{address}/images/{number}.png"
        for number, (case_id, index) in enumerate(
            (case_id, index) for case_id, own in images.items() for index in range(len(own))
        )
    }
    colorings = data.colorings
    return html(
        "studies/publication",
        style=style(),
        version=VERSION,
        study=data.source.study,
        plan=plan,
        published=f"{publication.created_at.day} {publication.created_at:%B %Y}",
        computed=f"{datetime.fromisoformat(results['computed_at']):%Y-%m-%d %H:%M} UTC",
        results=results,
        included=results["included"],
        method=method_facts(data, log),
        people=people_facts(data),
        survey=survey_tables(results),
        rule=rule_facts(data, None if colorings is None else colorings.facts.rule),
        tables=result_tables(results),
        questions=question_rows(results),
        concepts=[] if colorings is None else concept_rows(colorings),
        agreement=reliability(data),
        metrics=metric_table(results),
        cases=_shown(plan, urls),
        urls={case_id: url for (case_id, index), url in urls.items() if index == 0},
        files=_downloads(address, tables, files),
        codebook=tables,
        bar_width=WIDTH,
    )


def _shown(plan: StudyPlan, urls: Mapping[tuple[str, int], str]) -> list[ShownCase]:
    """The images of candidates; those of questions and sketches stand beside their results."""
    shown: dict[str, list[ShownImage]] = {}
    for (case_id, index), url in urls.items():
        case = plan.case_by_id[case_id]
        candidates = [candidate for candidate in case.candidates if candidate.image_ids]
        if candidates:
            model = candidates[index].model
            text = f"{case.words}, by {model}"
            shown.setdefault(case_id, []).append(ShownImage(url, text, model))
    return [ShownCase(plan.case_by_id[case_id].words, tuple(own)) for case_id, own in shown.items()]


def _downloads(
    address: str, tables: Sequence[PublicTable], files: Mapping[str, bytes]
) -> list[Download]:
    texts = {f"{table.name}.csv": f"{table.title}. One row is {table.row}." for table in tables}
    texts[CODEBOOK] = "Every column of these files, with its unit and values."
    return [
        Download(name, f"{address}/{name}", texts[name], _size(len(content)))
        for name, content in files.items()
    ]


def _size(size: int) -> str:
    return f"{size / 1000:,.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def notice_html(title: str, text: str, reload_s: int = 0) -> str:
    """A page of one sentence, in place of the results; it loads itself again after ``reload_s``
    seconds, 0 never."""
    return html(
        "studies/publication_notice", style=style(), title=title, text=text, reload_s=reload_s
    )
