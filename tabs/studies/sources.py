"""What a source of Compare has, case by case: pictures by their words, and where colors are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from truehue.core.concepts.matching import concept_of, normal
from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import Concept, concepts
from truehue.storage.runs.prompt_images import PromptImages
from truehue.tabs.compare.sources import IMAGE, PICTURES, RUN, SET, Source, parse
from truehue.tabs.page.context import Context

IMPORTED = "imported"
"""The group of what is no prompt of a run."""


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
        for concept in concepts()
        if images.get(concept.id)
    }


def group_of(prompt: PromptImages) -> str:
    """What kind of a prompt it is: a concept's kind, else the task."""
    if prompt.concept_id:
        concept = _by_id().get(prompt.concept_id)
        return concept.modifier_kind if concept else ""
    return prompt.task.upper()


def group_of_concept(text: str) -> str:
    """What kind of a concept it is: base, visual state or emotional; else that it was imported."""
    concept = concept_of(text)
    return concept.modifier_kind if concept else IMPORTED


@cache
def _by_id() -> Mapping[str, Concept]:
    return {concept.id: concept for concept in concepts()}


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
