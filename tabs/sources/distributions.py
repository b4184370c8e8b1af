"""Sources of distributions of a concept: their form in a link, and the distribution of each.

- ``set:<id>``: a set of distributions that was imported;
- ``pictures:<id>``: a set of pictures of one concept;
- ``run:<id>/<style>/<guidance>``: a run's pictures of the concept, ``all`` for every one;
- ``generated:<id>/<style>/<guidance>``: a model's images of the concept that were generated in
  Generate or imported;
- ``image:<id>`` or ``image:<id>/<mask id>``: one stored picture.

Ids may be shortened to 8 characters or more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypedDict

from truehue.core.concepts.distribution import Distribution, of_pictures, of_rows
from truehue.core.concepts.matching import ids_of, normal
from truehue.core.concepts.own import OWN_STYLE
from truehue.core.concepts.records import PIXELS, RATINGS, ConceptCell, ImageProfile
from truehue.core.errors import BadInput, NotStored
from truehue.core.masks.registry import is_proposal
from truehue.core.masks.selection import WHOLE
from truehue.core.prompts.concepts import STYLES, concepts
from truehue.core.records import MaskRecord
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.sources import generated

SET, PICTURES, RUN, IMAGE, GENERATED = "set", "pictures", "run", "image", "generated"
ALL = "all"
SHORTEST_ID = 8
_ID_SHOWN = 16
NARROWED: Mapping[str, Mapping[str, str]] = {
    RUN: {**STYLES, OWN_STYLE: "own style"},
    GENERATED: {**STYLES, OWN_STYLE: "own prompt"},
}
"""The styles by which a source can be narrowed, by its kind."""
MAX_REASONS = 3

SALIENT_NOTE = "The image is measured within its salient object, which nobody has checked."


@dataclass(frozen=True)
class Source:
    """A source in parts; ``style`` and ``guidance`` are those of a run or of generated images,
    ``mask`` an image's."""

    kind: str
    id: str
    style: str = ""
    guidance: float | None = None
    mask: str = ""

    @property
    def text(self) -> str:
        """As a link writes it."""
        if self.kind in NARROWED:
            scale = ALL if self.guidance is None else written_scale(self.guidance)
            return f"{self.kind}:{self.id[:_ID_SHOWN]}/{self.style or ALL}/{scale}"
        mask = f"/{self.mask[:_ID_SHOWN]}" if self.mask else ""
        return f"{self.kind}:{self.id[:_ID_SHOWN]}{mask}"


@dataclass(frozen=True)
class Choice:
    """Something that can be compared for a concept: ``kind`` is ``people``, ``other`` (an imported
    measurement), ``run`` or ``measured_images``; ``count`` its people or images, 0 where unknown."""

    source: str
    label: str
    kind: str
    count: int
    note: str = ""
    newest: datetime | None = None


def parse(text: str) -> Source:
    """The source that a link speaks of. Raises BadInput for what is none."""
    kind, _, rest = text.strip().partition(":")
    parts = rest.split("/")
    if kind not in (SET, PICTURES, RUN, GENERATED, IMAGE) or len(parts[0]) < SHORTEST_ID:
        raise BadInput(
            f"{text[:80]!r} is not a source to compare. Use set:<id>, images:<id>, "
            "run:<id>/<style>/<guidance>, generated:<id>/<style>/<guidance> or image:<id>."
        )
    if len(parts) > {RUN: 3, GENERATED: 3, IMAGE: 2}.get(kind, 1):
        raise BadInput(f"{text[:80]!r} has more parts than a source. Remove the extra parts.")
    if kind in NARROWED:
        style, scale = (*parts[1:], ALL, ALL)[:2]
        styles = (ALL, *NARROWED[kind])
        if style not in styles:
            raise BadInput(f"There is no style {style[:40]!r}: {', '.join(styles)}.")
        return Source(kind, parts[0], "" if style == ALL else style, _scale(scale))
    return Source(kind, parts[0], mask=parts[1] if kind == IMAGE and len(parts) > 1 else "")


def distribution(context: Context, source_id: str, concept: str, method: str) -> Distribution:
    """The distribution of ``concept`` by one source.

    ``method`` is one of truehue.core.concepts.records.METHODS; a set of distributions has its own.
    Raises BadInput for a source or concept that there is not, and NotStored where nothing is there.
    """
    source = parse(source_id)
    if source.kind == SET:
        return _imported(context, source, concept)
    profiles, unscored, notes = _source_images(context, source, concept)
    label = _label(context, source)
    if not profiles:
        why = _reasons(unscored)
        raise NotStored(
            f"{label} has no image of {concept!r} that could be measured{why}."
            if unscored
            else f"{label} has no image of {concept!r}."
        )
    source_distribution = of_pictures(
        label, profiles, method, of_people=_of_people(context, source)
    ).noted(*notes)
    if not unscored:
        return source_distribution
    note = (
        f"{count_noun(len(unscored), 'image')} could not be measured and {_are(unscored)} excluded"
    )
    return source_distribution.noted(f"{note}{_reasons(unscored)}.")


def measure(context: Context, source_id: str, concept: str, until_s: float) -> tuple[int, int]:
    """How many images of a source are measured, of how many, after some of those that were not yet
    have been (:func:`truehue.tabs.sources.generated.measure`); ``(0, 0)`` for a source that needs
    none. Errors as :func:`distribution`."""
    source = parse(source_id)
    if source.kind != GENERATED:
        return 0, 0
    return generated.measure(context, _wanted(source, concept), until_s)


def masks_note(context: Context, source_id: str, concept: str) -> str:
    """Which pixels of the images of a source count where nobody selected the object; empty where
    somebody did."""
    source = parse(source_id)
    return (
        generated.masks_note(context, _wanted(source, concept)) if source.kind == GENERATED else ""
    )


def image_profiles(context: Context, source_id: str, concept: str) -> list[ImageProfile]:
    """The measured images of a source, none for a set of distributions; errors as
    :func:`distribution`."""
    source = parse(source_id)
    return [] if source.kind == SET else _source_images(context, source, concept)[0]


def label_of(context: Context, source_id: str) -> str:
    """What people call a source; errors as :func:`distribution`."""
    return _label(context, parse(source_id))


def choices(context: Context, text: str) -> list[Choice]:
    """What there is of a concept: people first, then other sets, then runs and generated images,
    newest first, and sets of pictures."""
    text = normal(text)
    entries = []
    for record in context.storage.distributions.all():
        rows = context.storage.distributions.rows(record.set_id, text)
        if rows:
            kind = "people" if record.of_people else "other"
            note = "ratings, normalized" if record.kind == RATINGS else record.kind
            people = max(
                len({row.contributor for row in rows if row.contributor}),
                max(row.people for row in rows),
            )
            entries.append(Choice(Source(SET, record.set_id).text, record.name, kind, people, note))
    entries.sort(key=lambda choice: choice.kind != "people")
    entries += _of_models(context, text)
    for group in context.storage.picture_sets.all():
        if normal(group.words) == text:
            kind = "people" if group.of_people else "pictures"
            source = Source(PICTURES, group.set_id)
            count = _people(context, group.set_id) if group.of_people else group.images
            entries.append(Choice(source.text, group.name, kind, count))
    return sorted(entries, key=lambda choice: choice.kind != "people")


class AvailableSources(TypedDict):
    """What can be compared at all."""

    people: bool
    runs: int
    sets: int
    images: bool


class ConceptsView(TypedDict):
    """All concepts as rows, and the sources."""

    concepts: list[list[Any]]
    here: AvailableSources


def concepts_view(context: Context) -> ConceptsView:
    """All concepts and imported words, each with its number of sets of people and of images; and
    what is stored in all.

    A concept is ``[id, words, thing, category, kind, people, pictures]``, of words without an id
    the id is empty.
    """
    people, other, pictured = Counter[str](), Counter[str](), Counter[str]()
    for record in context.storage.distributions.all():
        into = people if record.of_people else other
        into.update({normal(text) for text in context.storage.distributions.words(record.set_id)})
    for group in context.storage.picture_sets.all():
        (people if group.of_people else pictured)[normal(group.words)] += 1
    runs = context.storage.profiles.runs()
    sample = Counter[str]()
    for run in runs:
        sample.update(context.storage.profiles.concepts(run.run_id).concept_ids)
    own = context.storage.profiles.own_concepts()
    concept_list = (*concepts(), *own)
    of_models = generated.count_models_by_concept(context)
    listed = [
        [
            concept.id,
            concept.words,
            concept.concept,
            concept.category,
            concept.modifier_kind,
            people[normal(concept.words)],
            sum(count[normal(concept.words)] for count in (other, pictured, of_models))
            + sample[concept.id],
        ]
        for concept in concept_list
    ]
    names = {normal(concept.words) for concept in concept_list}
    others = sorted({*people, *other, *pictured} - names)
    listed += [
        [
            "",
            text,
            text,
            "Other",
            "",
            people[text],
            other[text] + pictured[text] + of_models[text],
        ]
        for text in others
        if not ids_of(own, text)
    ]
    return {
        "concepts": listed,
        "here": {
            "people": sum(people.values()) > 0,
            "runs": len(runs),
            "sets": len(other) + len(pictured),
            "images": any(row[6] for row in listed),
        },
    }


def describe_kind(distribution: Distribution) -> str:
    """What the distribution is made of, in two or three words."""
    if distribution.kind == RATINGS:
        return "ratings, normalized"
    if not distribution.of_pictures:
        return distribution.kind
    by = "pixels of" if distribution.method == PIXELS else "extracted from"
    return f"{by} {'people’s colorings' if distribution.of_people else 'images'}"


def extracted(
    context: Context,
    run_id: str,
    concept_id: str,
    style: str,
    guidances: Sequence[float | None],
    method: str,
) -> list[ConceptCell]:
    """The cells of a concept and style, one a scale (None for all together), from the profiles of
    its pictures; without weights where none was measured."""
    stored = context.storage.profiles
    every, unscored = stored.image_profiles(run_id, concept_id, style)
    cells = []
    for guidance in guidances:
        if guidance is None:
            image_profiles, lost = every, len(unscored)
        elif unscored:
            # Of pictures without colors only storage knows the scale.
            image_profiles, without = stored.image_profiles(run_id, concept_id, style, guidance)
            lost = len(without)
        else:
            image_profiles, lost = (
                [image_profile for image_profile in every if image_profile.guidance == guidance],
                0,
            )
        distribution = of_pictures(concept_id, image_profiles, method) if image_profiles else None
        cells.append(
            ConceptCell(
                run_id,
                concept_id,
                style,
                guidance,
                method,
                len(image_profiles),
                lost,
                distribution.weights if distribution else None,
            )
        )
    return cells


def _imported(context: Context, source: Source, text: str) -> Distribution:
    record = _of_id(source.id, context.storage.distributions.all(hidden=True), "set")
    rows = context.storage.distributions.rows(record.set_id, normal(text))
    if not rows:
        raise NotStored(f"{record.name} has no data for {text!r}.")
    return of_rows(record.name, rows, record.kind, of_people=record.of_people)


def _source_images(
    context: Context, source: Source, text: str
) -> tuple[list[ImageProfile], list[str], tuple[str, ...]]:
    """The measured pictures, why others could not be, and what was assumed."""
    storage = context.storage
    notes: tuple[str, ...] = ()
    if source.kind == RUN:
        concept_ids = ids_of(storage.profiles.own_concepts(), text)
        run = _of_id(source.id, storage.runs.all(hidden=True), "run")
        if not concept_ids:
            raise BadInput(f"{text!r} is no concept of ColorConceptBench or of a run.")
        every: list[ImageProfile] = []
        reasons: list[str] = []
        for concept_id in concept_ids:
            profiles, unscored = storage.profiles.image_profiles(
                run.run_id, concept_id, source.style or None, source.guidance
            )
            every += profiles
            reasons += [reason for _, reason in unscored]
        return every, reasons, notes
    if source.kind == GENERATED:
        return generated.measured_images(context, _wanted(source, text))
    if source.kind == PICTURES:
        group = _of_id(source.id, storage.picture_sets.all(hidden=True), "set of images")
        profiles, unscored = storage.picture_sets.image_profiles(group.set_id)
        if normal(group.words) != normal(text):
            notes = (f"These are images of {group.words!r}, not of {text!r}.",)
        return profiles, [reason for _, reason in unscored], notes
    image = storage.images.get(source.id)
    if source.mask:
        mask = storage.masks.get(source.mask)
    else:
        mask, notes = _mask_of(context, image.image_id)
    if mask.image_id != image.image_id:
        raise BadInput("That mask belongs to another image.")
    profile = storage.image_profiles.of(image.image_id, mask.mask_id)
    return [ImageProfile(image.image_id, mask.mask_id, profile)], [], notes


def _wanted(source: Source, text: str) -> generated.GeneratedSource:
    return generated.GeneratedSource(source.id, text, source.style, source.guidance)


def _people(context: Context, set_id: str) -> int:
    """How many people colored the pictures of a set; one without a name counts alone."""
    members = context.storage.picture_sets.images(set_id)
    return len({who or index for index, (_, _, who) in enumerate(members)})


def _of_people(context: Context, source: Source) -> bool:
    """Whether the pictures are people's colorings."""
    if source.kind != PICTURES:
        return False
    groups = context.storage.picture_sets.all(hidden=True)
    return bool(_of_id(source.id, groups, "set of images").of_people)


def _mask_of(context: Context, image_id: str) -> tuple[MaskRecord, tuple[str, ...]]:
    """The mask that counts of an image (:meth:`Masks.current`); where it has none, what stands out in
    it, or the whole image, stored as such; and which one it is."""
    mask = (
        context.storage.masks.current([image_id]).get(image_id)
        or generated.stored_whole(context, image_id)
        or generated.store_object_mask(context, image_id)
    )
    if is_proposal(mask.parameters):
        return mask, tuple(filter(None, (SALIENT_NOTE, str(mask.parameters.get("note", "")))))
    if mask.maker == WHOLE:
        return mask, ("The whole image is measured, including its background.",)
    return mask, ("The image is measured within the mask that was selected or stored last.",)


def _of_models(context: Context, text: str) -> list[Choice]:
    """What models drew of a concept, in runs and outside of them, newest first; of each its images
    together, then by style and guidance scale."""
    entries: list[list[Choice]] = []
    runs = {run.run_id: run for run in context.storage.runs.all()}
    of_runs: dict[str, Counter[tuple[str, float | None]]] = {}
    for concept_id in ids_of(context.storage.profiles.own_concepts(), text):
        for run_id, images in context.storage.profiles.of_concept(concept_id).items():
            of_runs.setdefault(run_id, Counter()).update(images)
    counts: Mapping[tuple[str, float | None], int]
    for run_id, counts in of_runs.items():
        if run_id in runs:
            whole = Choice("", runs[run_id].name, RUN, 0, newest=runs[run_id].created_at)
            entries.append(_narrowed_choices(whole, run_id, counts))
    for key, groups in generated.of_concept(context, text).items():
        newest = generated.newest(groups)
        whole = Choice("", generated.label_of(key), GENERATED, 0, newest=newest)
        counts = generated.counts_by_style(groups)
        entries.append(_narrowed_choices(whole, generated.id_of(key), counts))
    entries.sort(key=lambda of_model: of_model[0].newest or datetime.min, reverse=True)
    return [choice for of_model in entries for choice in of_model]


def _narrowed_choices(
    whole: Choice, source_id: str, images: Mapping[tuple[str, float | None], int]
) -> list[Choice]:
    """The images of a model together, then by style and guidance scale where it has several."""
    counts = Counter[tuple[str, float | None]]()
    for (style, guidance), count in images.items():
        # A set, since a model of one scale or style has the same key twice.
        for key in {(style, guidance), (style, None), ("", guidance), ("", None)}:
            counts[key] += count
    styles = {style for style, _ in images}
    scales = {guidance for _, guidance in images if guidance is not None}
    entries = []
    for (style, guidance), count in counts.items():
        if (style and len(styles) == 1) or (guidance is not None and len(scales) == 1):
            continue  # the same as all of them
        source = Source(whole.kind, source_id, style, guidance)
        label = f"{whole.label}{_narrowed(source)}"
        entries.append(replace(whole, source=source.text, label=label, count=count))
    return sorted(entries, key=lambda choice: (-choice.count, choice.source))


def _label(context: Context, source: Source) -> str:
    storage = context.storage
    if source.kind == RUN:
        run = _of_id(source.id, storage.runs.all(hidden=True), "run")
        return f"{run.name}{_narrowed(source)}"
    if source.kind == GENERATED:
        return f"{generated.label_of(generated.key_of(context, source.id)[0])}{_narrowed(source)}"
    if source.kind == SET:
        return str(_of_id(source.id, storage.distributions.all(hidden=True), "set").name)
    if source.kind == PICTURES:
        return str(_of_id(source.id, storage.picture_sets.all(hidden=True), "set of images").name)
    record = storage.images.get(source.id)
    return record.name or f"image {record.image_id[:8]}"


def _narrowed(source: Source) -> str:
    style, guidance = source.style, source.guidance
    return "".join(
        (
            f" · {NARROWED[source.kind][style]}" if style else "",
            "" if guidance is None else f" · guidance {written_scale(guidance)}",
        )
    )


def _of_id(short: str, rows: Sequence[Any], label: str) -> Any:
    """The record whose id begins so. Raises NotStored for none, BadInput for several."""
    fitting = [row for row in rows if _id(row).startswith(short)]
    if not fitting:
        raise NotStored(f"There is no {label} {short[:_ID_SHOWN]!r}.")
    if len(fitting) > 1:
        raise BadInput(f"Several start with {short[:_ID_SHOWN]!r}: enter more of the id.")
    return fitting[0]


def _id(record: Any) -> str:
    return str(getattr(record, "set_id", "") or getattr(record, "run_id", ""))


def _scale(text: str) -> float | None:
    if text == ALL:
        return None
    try:
        scale = float(text)
    except ValueError:
        scale = math.nan
    if not math.isfinite(scale):
        raise BadInput(f"Guidance is a number or {ALL}, not {text[:40]!r}.")
    return scale


def written_scale(guidance: float) -> str:
    """A guidance scale with all its digits, so that a link finds it again."""
    return repr(float(guidance)).removesuffix(".0")


def _reasons(unscored: Sequence[str]) -> str:
    if not unscored:
        return ""
    most_frequent = Counter(unscored).most_common(MAX_REASONS)
    text = "; ".join(f"{count} × {reason.rstrip('.')}" for reason, count in most_frequent)
    return f" ({text})"


def _are(unscored: Sequence[str]) -> str:
    return "is" if len(unscored) == 1 else "are"
