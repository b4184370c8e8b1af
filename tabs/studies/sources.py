"""The cases of a source of Compare: images by their words, distributions, and warnings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from truehue.core.analysis.records import RunRecord
from truehue.core.concepts.distribution import of_rows
from truehue.core.concepts.matching import concept_of, normal
from truehue.core.concepts.records import DistributionRow, DistributionSetRecord
from truehue.core.concepts.scores import by_id
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.registry import RENDERER
from truehue.core.prompts.concepts import concepts
from truehue.storage.runs.prompt_images import PromptImages
from truehue.tabs.page.context import Context
from truehue.tabs.sources.distributions import (
    IMAGE,
    PICTURES,
    RUN,
    SET,
    Source,
    distribution,
    extracted,
    parse,
)
from truehue.tabs.studies.form import StudyForm

IMPORTED = "imported"
"""The group of what is no prompt of a run."""
DIGITS = 8


@dataclass(frozen=True)
class Entry:
    """What a source has of one case: ``id`` as the case is called in a study, ``words`` as people
    read them, the ``group`` that results are told apart by, and the images in their order."""

    id: str
    words: str
    group: str
    image_ids: tuple[str, ...] = ()


Entries = Mapping[str, Entry]
"""By the normal form of their words."""


def whole_id(context: Context, source: Source) -> str:
    """The whole id of a source; raises NotStored where there is no such, BadInput for several."""
    storage = context.storage
    if source.kind == SET:
        return storage.distributions.get(source.id).set_id
    if source.kind == PICTURES:
        return storage.picture_sets.get(source.id).set_id
    if source.kind == RUN:
        ids = [
            run.run_id for run in storage.runs.all(hidden=True) if run.run_id.startswith(source.id)
        ]
        if len(ids) == 1:
            return ids[0]
        why = "There is no run" if not ids else "Several runs begin with"
        raise BadInput(f"{why} {source.id!r}. Choose the run again.", "models")
    raise BadInput(
        "A study uses runs, sets of images and sets of distributions, not single images.",
        "models",
    )


def prompts_of(context: Context, text: str) -> Entries:
    """The pictures of a source by the words that they are of, for studies of images. Raises
    BadInput for a set of distributions, which has none."""
    source = parse(text)
    if source.kind in (SET, IMAGE):
        raise BadInput("Only runs and sets of images have images to show.", "models")
    if source.kind == PICTURES:
        return _of_set(context, whole_id(context, source))
    entries: dict[str, Entry] = {}
    for prompt in context.storage.run_pictures.of(whole_id(context, source)):
        images = _narrowed(prompt, source)
        if not images:
            continue
        key = normal(prompt.text)
        if key in entries:  # one text under two ids: people read the same
            first = entries[key]
            images = tuple(dict.fromkeys((*first.image_ids, *images)))
            entries[key] = Entry(first.id, first.words, first.group, images)
        else:
            case_id = f"{prompt.source}:{prompt.prompt_id}" if prompt.prompt_id else key
            entries[key] = Entry(case_id, prompt.text, group_of(prompt), images)
    return entries


def concepts_of(context: Context, text: str) -> Entries:
    """The concepts that a source has a distribution of, with its pictures, if it has any."""
    source = parse(text)
    full_id = whole_id(context, source)
    if source.kind == SET:
        return {
            normal(message): Entry(normal(message), message, group_of_concept(message))
            for message in context.storage.distributions.words(full_id)
        }
    if source.kind == PICTURES:
        return _of_set(context, full_id)
    has = context.storage.profiles.concepts(full_id)
    measured = {
        concept_id
        for (concept_id, style), (_, count) in has.counts.items()
        if count and source.style in ("", style)
    }
    images: dict[str, list[str]] = {}
    for prompt in context.storage.run_pictures.of(full_id):
        if prompt.concept_id in measured:
            images.setdefault(prompt.concept_id, []).extend(_narrowed(prompt, source))
    return {
        normal(concept.words): Entry(
            normal(concept.words),
            concept.words,
            concept.modifier_kind,
            tuple(dict.fromkeys(images[concept.id])),
        )
        for concept in (*concepts(), *context.storage.profiles.own_concepts())
        if images.get(concept.id)
    }


def group_of(prompt: PromptImages) -> str:
    """What kind of a prompt it is: a concept's kind, else the task."""
    if prompt.concept_id:
        concept = by_id().get(prompt.concept_id)
        return concept.modifier_kind if concept else ""
    return prompt.task.upper()


def group_of_concept(text: str) -> str:
    """What kind of a concept it is: base, visual state or emotional; else that it was imported."""
    concept = concept_of(text)
    return concept.modifier_kind if concept else IMPORTED


def _of_set(context: Context, set_id: str) -> Entries:
    record = context.storage.picture_sets.get(set_id)
    images = tuple(
        dict.fromkeys(image for image, _, _ in context.storage.picture_sets.images(set_id))
    )
    key = normal(record.words)
    return {key: Entry(key, record.words, group_of_concept(record.words), images)}


def _narrowed(prompt: PromptImages, source: Source) -> tuple[str, ...]:
    if source.style and prompt.style != source.style:
        return ()
    return tuple(
        image_id
        for image_id, scale in prompt.pictures
        if source.guidance is None or scale == source.guidance
    )


def source_warnings(context: Context, form: StudyForm) -> list[str]:
    """Sentences on models that are of the same source, and on pictures that no model drew."""
    return [*_same(context, form), *_rendered(context, form)]


def _same(context: Context, form: StudyForm) -> list[str]:
    names: dict[frozenset[tuple[object, ...]], list[str]] = {}
    for model in form.models:
        names.setdefault(frozenset(_whole(context, text) for text in model.sources), []).append(
            f"“{model.name}”"
        )
    return [
        f"{', '.join(same[:-1])} and {same[-1]} have the same source, so people would compare "
        "a model with itself. Give one of them another run, set or scale "
        "(run:ID/style/guidance), unless you study chance variation of votes."
        for same in names.values()
        if len(same) > 1
    ]


def _rendered(context: Context, form: StudyForm) -> list[str]:
    runs = {run.run_id: run for run in context.storage.runs.all(hidden=True)}
    names = [
        f"“{model.name}”"
        for model in form.models
        if any(_is_rendered(context, text, runs) for text in model.sources)
    ]
    if not names:
        return []
    are = "is" if len(names) == 1 else "are"
    return [
        f"{', '.join(names)} {are} from the reference renderer, which renders shaded objects "
        "in the target colors. It is not a model: use it only to try out a study."
    ]


def _is_rendered(context: Context, text: str, runs: dict[str, RunRecord]) -> bool:
    run_id = _whole(context, text)[1] if parse(text).kind == RUN else ""
    return run_id in runs and runs[str(run_id)].model == RENDERER


def _whole(context: Context, text: str) -> tuple[object, ...]:
    """A source with its whole id, so that two ways to write it are one."""
    source = parse(text)
    try:
        return source.kind, whole_id(context, source), source.style, source.guidance
    except BadInput:
        return source.kind, source.id, source.style, source.guidance


@dataclass(frozen=True)
class _Set:
    """A set of distributions with its rows by the normal form of their words."""

    record: DistributionSetRecord
    rows: Mapping[str, list[DistributionRow]]


class Weights:
    """The distributions that one study needs, read once a source. For one thread."""

    def __init__(self, context: Context, method: str) -> None:
        self._context, self._method = context, method
        self._sets: dict[str, _Set] = {}
        self._cells: dict[str, dict[tuple[str, str], np.ndarray | None]] = {}
        self._styles: dict[str, tuple[str, ...]] = {}
        self._runs: dict[str, str] = {}

    def is_stored(self, source_id: str, concept: str) -> bool:
        """Whether a distribution is at hand without measuring pictures now."""
        cell = self._cell_of(source_id, concept)
        return parse(source_id).kind == SET or (
            cell is not None and cell[1:] in self._saved(cell[0])
        )

    def of(self, source_id: str, concept: str) -> tuple[float, ...]:
        """The shares of a concept's 71 bins. Raises BadInput, saying which source has none."""
        try:
            weights = self._of(source_id, concept)
        except TrueHueError as error:
            raise BadInput(f"{concept!r} cannot be part of the study: {error}", "cases") from None
        return tuple(round(float(weight), DIGITS) for weight in weights)

    def _of(self, source_id: str, concept: str) -> np.ndarray:
        source = parse(source_id)
        if source.kind == SET:
            there = self._set_of(source.id)
            record = there.record
            rows = there.rows.get(normal(concept), [])
            return of_rows(record.name, rows, record.kind, of_people=record.of_people).weights
        cell = self._cell_of(source_id, concept)
        if cell is None:
            return distribution(self._context, source_id, concept, self._method).weights
        run_id, concept_id, style = cell
        retained = self._saved(run_id)
        if (concept_id, style) not in retained:
            made = extracted(self._context, run_id, concept_id, style, [None], self._method)
            self._context.storage.profiles.keep(made)
            retained[concept_id, style] = made[0].weights
        weights = retained[concept_id, style]
        if weights is None:
            raise BadInput(f"no image of it in the run {run_id[:8]} could be measured.")
        return weights

    def _set_of(self, set_id: str) -> _Set:
        if set_id not in self._sets:
            by_words: dict[str, list[DistributionRow]] = {}
            for row in self._context.storage.distributions.rows(set_id):
                by_words.setdefault(normal(row.words), []).append(row)
            record = self._context.storage.distributions.get(set_id)
            self._sets[set_id] = _Set(record, by_words)
        return self._sets[set_id]

    def _cell_of(self, source_id: str, concept: str) -> tuple[str, str, str] | None:
        """Run, concept and style of a distribution that storage keeps; None for any other."""
        source = parse(source_id)
        known = concept_of(concept)
        if source.kind != RUN or source.guidance is not None or known is None:
            return None
        run_id = self._runs.get(source.id) or whole_id(self._context, source)
        self._runs[source.id] = run_id
        if run_id not in self._styles:
            self._styles[run_id] = self._context.storage.profiles.concepts(run_id).styles
        styles = (source.style,) if source.style else self._styles[run_id]
        return (run_id, known.id, styles[0]) if len(styles) == 1 else None

    def _saved(self, run_id: str) -> dict[tuple[str, str], np.ndarray | None]:
        if run_id not in self._cells:
            self._cells[run_id] = {
                (cell.concept_id, cell.style): cell.weights
                for cell in self._context.storage.profiles.cells(run_id, self._method)
            }
        return self._cells[run_id]
