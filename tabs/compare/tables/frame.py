"""Shared settings of Compare's views over many concepts: reference, metric, runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from truehue.core.analysis.names import run_labels
from truehue.core.analysis.records import RunRecord
from truehue.core.concepts.matching import concept_of, concept_of_prompt
from truehue.core.concepts.records import EXTRACTED, METHODS, ConceptCell
from truehue.core.errors import BadInput
from truehue.core.generation.registry import name_of
from truehue.core.prompts.concepts import STYLES
from truehue.core.runs.records import STORED
from truehue.tabs.batches.messages import facts
from truehue.tabs.compare.tables.cells import ALL_SCALES, EACH_SCALE, missing_of
from truehue.tabs.compare.tables.charts import OpenedConcept
from truehue.tabs.compare.tables.reference_sets import People, ReferenceSet, ReferenceSets
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.shared_answers import NamedChoice, TitledChoice
from truehue.tabs.page.templates import html
from truehue.tabs.sources.distributions import written_scale
from truehue.tabs.sources.numbers import PLAINLY

METHOD_NAMES: Mapping[str, str] = {
    "extracted": "Extraction as published",
    "extracted-soft": "Extraction, soft assignment to bins",
    "pixels": "Every pixel to its closest bin",
}
COMMAND = "python -m truehue runs start --set concepts --limit 200 --size 256 --yes"
MAX_OUTSIDE = 3
"""Models with images in no run that are named, those with most first."""


def template(view: str) -> str:
    """What a view begins as: its questions, words where something is missing, its body."""
    return html(f"compare/{view}", view=view, plainly=PLAINLY)


class ReferenceChoices(TypedDict):
    """The people that can be chosen; ``words`` say what the chosen ones' numbers are."""

    choices: list[TitledChoice]
    chosen: str
    words: str


class RunHead(TypedDict):
    """A run as the head of a row."""

    id: str
    name: str
    facts: str


class CellCounts(TypedDict):
    """How many distributions are measured and missing, and what measures those of ``runs``."""

    have: int
    missing: int
    without: int
    words: str
    button: str
    guidance: str
    runs: list[str]


class NothingToShow(TypedDict):
    """What is missing for a view, and the button or command that gets it."""

    title: str
    act: str
    button: str
    text: str
    command: str


class ImagesWithoutRun(TypedDict):
    """A model's images of concepts that are in no run, and the button that makes a run of them."""

    model: str
    words: str
    button: str


class FrameJson(TypedDict):
    """The settings of a view; ``guidances`` is None where every scale stands for itself."""

    people: ReferenceChoices
    methods: list[TitledChoice]
    method: str
    guidances: list[NamedChoice] | None
    guidance: str
    runs: list[RunHead]
    cells: CellCounts
    empty: NothingToShow | None
    outside: list[ImagesWithoutRun]


@dataclass(frozen=True)
class Cells:
    """The kept distributions of the chosen runs, and how many there are not yet."""

    kept: tuple[ConceptCell, ...] = field(default=(), repr=False)
    missing: int = 0

    @property
    def empty(self) -> int:
        """Those of concepts without an image that could be measured."""
        return sum(cell.weights is None for cell in self.kept)

    @property
    def unscored(self) -> int:
        """Pictures that could not be measured."""
        return sum(cell.unscored for cell in self.kept)


@dataclass(frozen=True)
class Frame:
    """What a view was asked for, resolved: its people, method, guidance, runs and their cells.

    ``guidance`` is :data:`ALL_SCALES`, :data:`EACH_SCALE` or a number as text; ``known`` are all
    runs of concepts that are shown, ``runs`` the chosen ones of them, newest first.
    """

    context: Context = field(repr=False)
    crowds: tuple[ReferenceSet, ...]
    people: People | None
    method: str
    guidance: str
    known: tuple[RunRecord, ...]
    runs: tuple[RunRecord, ...]
    names: Mapping[str, str]
    scales: tuple[float, ...]
    cells: Cells

    @property
    def weights(self) -> Mapping[str, Any]:
        """People's distributions ``(71,)`` by concept id; none without people."""
        return self.people.weights if self.people else {}

    @property
    def scale(self) -> float | None:
        """The one guidance scale that was asked for; None for all together."""
        return None if self.guidance in (ALL_SCALES, EACH_SCALE) else float(self.guidance)

    @property
    def ready(self) -> bool:
        """Whether there are people, and distributions to compare with them."""
        return self.people is not None and self.measured

    @property
    def measured(self) -> bool:
        """Whether there is any distribution of a run."""
        return any(cell.weights is not None for cell in self.cells.kept)

    def run_json(self, run: RunRecord) -> RunHead:
        """A run as the head of a row."""
        return {"id": run.run_id, "name": self.names[run.run_id], "facts": facts(run)}

    def source_of(self, run_id: str, style: str) -> str:
        """The source of Compare that a number of this run was made from."""
        scale = ALL_SCALES if self.guidance == EACH_SCALE else self.guidance
        return f"run:{run_id}/{style or 'all'}/{scale}"

    def opens(self, concept_id: str, run_id: str, style: str) -> OpenedConcept:
        """What opens a concept with people and a run side by side."""
        sources = [self.people.source_of(concept_id)] if self.people else []
        return {
            "concept": concept_id,
            "d": ",".join([*sources, self.source_of(run_id, style)]),
            "method": "" if self.method == EXTRACTED else self.method,
        }

    def as_json(self, needs_people: bool = True) -> FrameJson:
        """What the page shows of it. ``needs_people``: without people there is nothing to show."""
        return {
            "people": {
                "choices": [reference_set.as_json() for reference_set in self.crowds],
                "chosen": self.people.crowd.id if self.people else "",
                "words": self.people.words if self.people else "",
            },
            "methods": [
                {"id": key, "name": METHOD_NAMES[key], "title": METHODS[key]} for key in METHODS
            ],
            "method": self.method,
            "guidances": None
            if self.guidance == EACH_SCALE
            else [
                {"id": ALL_SCALES, "name": "All scales together"},
                *(NamedChoice(id=scale, name=scale) for scale in map(written_scale, self.scales)),
            ],
            "guidance": self.guidance,
            "runs": [self.run_json(run) for run in self.known],
            "cells": self._cells_json(),
            "empty": self._empty(needs_people),
            "outside": self._outside(),
        }

    def _outside(self) -> list[ImagesWithoutRun]:
        """Images of concepts that were generated without a run and that no run scores, by model. A
        run of them takes ColorConceptBench's sentences: where a model has one, other images stay
        without a row, and are not named again."""
        scored = {run.run_id: run.model for run in self.known if run.kind == STORED}
        counts = Counter[str]()
        for group in self.context.storage.generated_images.groups(not_in=tuple(scored)):
            words, style = concept_of_prompt(group.text)
            is_named = style in STYLES if group.model in scored.values() else concept_of(words)
            if is_named and not group.variant:
                counts[group.model] += group.images
        return [
            {
                "model": model,
                "words": f"{count_noun(count, 'image')} of concepts by {name_of(model)} "
                f"{'has no row, because it belongs' if count == 1 else 'have no row, because they belong'} "
                "to no run."
                + (" A new row takes all its images." if model in scored.values() else ""),
                "button": "Add the row",
            }
            for model, count in counts.most_common(MAX_OUTSIDE)
        ]

    def _cells_json(self) -> CellCounts:
        cells, measured_count = self.cells, len(self.cells.kept)
        total = measured_count + cells.missing
        text = (
            f"{measured_count:,} of {count_noun(total, 'distribution')} of these runs are measured."
        )
        if cells.empty:
            text += (
                f" {cells.empty:,} of them {'has' if cells.empty == 1 else 'have'} no image "
                "that could be measured."
            )
        if cells.unscored:
            text += f" {count_noun(cells.unscored, 'image')} could not be measured."
        return {
            "have": measured_count,
            "missing": cells.missing,
            "without": cells.empty,
            "words": text,
            "button": f"Measure the {count_noun(cells.missing, 'missing distribution')}",
            "guidance": self.guidance,
            "runs": [run.run_id for run in self.runs],
        }

    def _empty(self, needs_people: bool) -> NothingToShow | None:
        if not self.known:
            return {
                "title": "No concept run yet",
                "act": "runs",
                "button": "Start a run",
                "text": "A concept run generates ColorConceptBench's concepts in two styles, at "
                "several guidance scales and seeds. Start one in Explore, Runs, with the "
                "prompt set “ColorConceptBench concepts”, or on the command line:",
                "command": COMMAND,
            }
        if needs_people and self.people is None:
            return {
                "title": "No people's colors yet",
                "act": "people",
                "button": "Import people's colors",
                "command": "",
                "text": "These numbers compare models with people. ColorConceptBench's colorings "
                "were not published: import palettes, histograms or association ratings in People "
                "and files. Without them, A concept compares models with each other.",
            }
        if not self.measured:
            return {
                "title": "Nothing measured yet",
                "act": "",
                "button": "",
                "command": "",
                "text": "The images of these runs are ready, but their colors are not extracted "
                "yet. Extraction takes a while; you can cancel and resume it.",
            }
        return None


def frame_of(
    context: Context, people: ReferenceSets, query: Mapping[str, str], each_scale: bool = False
) -> Frame:
    """Resolves ``people``, ``method``, ``guidance`` and ``runs`` of a request. ``each_scale``: the
    cells of every guidance scale for itself. Raises BadInput for what there is not."""
    profiles = context.storage.profiles
    method = query.get("method") or EXTRACTED
    if method not in METHODS:
        raise BadInput(f"There is no method {method!r}: {', '.join(METHODS)}.")
    stored_runs = tuple(profiles.runs())
    runs = _run_selection(stored_runs, query.get("runs", ""))
    guidances = {scale for run in runs for scale in profiles.concepts(run.run_id).guidances}
    scales = sorted(scale for scale in guidances if scale is not None)
    guidance = EACH_SCALE if each_scale else query.get("guidance") or ALL_SCALES
    if guidance not in (ALL_SCALES, EACH_SCALE, *map(written_scale, scales)):
        raise BadInput(f"None of these runs has images at guidance {guidance[:20]!r}.")
    crowds = people.crowds()
    return Frame(
        context,
        crowds,
        people.chosen(crowds, query.get("people", "")),
        method,
        guidance,
        stored_runs,
        runs,
        run_labels(stored_runs),
        tuple(scales),
        _cells(context, runs, method, guidance),
    )


def _run_selection(runs: Sequence[RunRecord], ids_text: str) -> tuple[RunRecord, ...]:
    if not ids_text:
        return tuple(runs)
    ids = ids_text.split(",")
    selection = tuple(run for run in runs if run.run_id in ids)
    if not selection:
        raise BadInput(
            "None of the runs in this link is available, or none has images of concepts."
        )
    return selection


def _cells(context: Context, runs: Sequence[RunRecord], method: str, guidance: str) -> Cells:
    """Of each scale for itself there are also those of all scales together."""
    profiles = context.storage.profiles
    cells: list[ConceptCell] = []
    missing = 0
    for run in runs:
        missing += len(missing_of(context, run.run_id, method, guidance))
        if guidance in (ALL_SCALES, EACH_SCALE):
            cells += profiles.cells(run.run_id, method)
        if guidance == ALL_SCALES:
            continue
        cells += [
            cell
            for cell in profiles.cells(run.run_id, method, by_guidance=True)
            if cell.guidance is not None and guidance in (EACH_SCALE, written_scale(cell.guidance))
        ]
    return Cells(tuple(cells), missing)
