"""Generated images in the gallery, with their verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from truehue.core.generation.truth import describe_true_color, stand_in_tag, true_color_hex
from truehue.core.image_sets import UNKNOWN_MODEL
from truehue.core.prompts.prompt import Prompt
from truehue.core.records import EvidenceRecord, GenerationRecord, MaskRecord, ObjectColor
from truehue.core.runs.concepts import concept_of
from truehue.core.verdict.expectations import Expectation, expectations_of
from truehue.core.verdict.rules import DIFFERS
from truehue.tabs.generate.realism import format_options
from truehue.tabs.page.context import Context
from truehue.tabs.verdicts.generation import model_name
from truehue.tabs.verdicts.scoring import masks_of, nothing_stands_out
from truehue.tabs.verdicts.summary import (
    RuleVerdict,
    RuleVerdictJson,
    color_hex,
    color_sentence,
    image_verdicts,
    no_mask_reason,
    object_verdicts,
)


class ExpectationJson(TypedDict):
    """The color that an object has to have, or must not have."""

    hex: str
    label: str
    value: str
    relation: str


class TargetJson(TypedDict):
    """An object of a generation with the verdict of each rule; ``asked`` is None without a color."""

    object: str
    role: str
    stand_in: str
    color: str
    hex: str
    color_label: str
    mask: str
    asked: ExpectationJson | None
    verdicts: list[RuleVerdictJson]


class GenerationJson(TypedDict):
    """A generation as the gallery shows it, with the verdicts on it and on each of its objects."""

    drawing_id: str
    job: str
    image_id: str | None
    status: str
    reason: str
    text: str
    about: str
    details: str
    notes: list[str]
    width: int | None
    height: int | None
    refined: bool
    truth: str
    thumb: str
    targets: list[TargetJson]
    verdicts: list[RuleVerdictJson]
    unscored: str
    measured: str
    concept: str
    mask: str


class ModelCount(TypedDict):
    """The number of images of a model."""

    id: str
    name: str
    count: int


class Gallery(TypedDict):
    """A page of the gallery, and what it can be filtered by."""

    items: list[GenerationJson]
    total: int
    models: list[ModelCount]


def gallery_view(context: Context, limit: int, offset: int, filters: Mapping[str, Any]) -> Gallery:
    """Generations, newest first."""
    generations = context.storage.drawings
    return {
        "items": generations_json(context, generations.recent(limit, offset, **filters)),
        "total": generations.count(**filters),
        "models": [
            {"id": name, "name": model_name(name), "count": count}
            for name, count in generations.models()
        ],
    }


def generations_json(context: Context, rows: Sequence[GenerationRecord]) -> list[GenerationJson]:
    """Drawings as the gallery shows them, with the verdicts on each and on each of its objects.

    However many they are, the database is asked four times, and twice more where some were imported.
    """
    storage = context.storage
    image_ids = {row.image_id for row in rows if row.image_id}
    evidence = storage.evidence.for_images(image_ids)
    masks = storage.masks.for_images(image_ids)
    imported = {row.image_id for row in rows if row.image_id and row.source == "imported"}
    images = storage.images.by_ids(imported) if imported else {}
    nothing = nothing_stands_out(context, imported) if imported else set()
    colors = storage.object_colors.for_images(image_ids)
    return [
        _generation_json(
            row,
            evidence.get(row.image_id or "", ()),
            masks_of(masks.get(row.image_id or "", ()), row.targets),
            images[row.image_id].notes
            if row.image_id in images
            else [str(note) for note in row.origin.get("notes") or ()],
            colors.get(row.image_id or ""),
            row.image_id in nothing,
        )
        for row in rows
    ]


def _generation_json(
    row: GenerationRecord,
    evidence: Sequence[EvidenceRecord],
    masks: Mapping[int, MaskRecord],
    notes: Sequence[str],
    measured: ObjectColor | None,
    looked: bool,
) -> GenerationJson:
    expectations = {
        expectation.position: expectation for expectation in expectations_of(row.targets)
    }
    verdicts = object_verdicts(row.targets, evidence)
    settings = [
        f"seed {row.seed}" if row.seed is not None else "",
        f"guidance {row.guidance:g}" if row.guidance is not None else "",
        f"{row.steps} steps" if row.steps else "",
        format_options(row.options),
        str(row.options.get("light") or "") and f"{row.options['light']} light",
        f"failure: {row.options['failure']}"
        if row.options.get("failure", "none") != "none"
        else "",
    ]
    named = row.model != UNKNOWN_MODEL or row.source != "imported"
    file = str(row.origin.get("file") or "")
    shown_file = file if row.text and row.source == "imported" else ""
    about = [
        model_name(row.model) if named else "imported",
        shown_file,
        *(text for text in settings if text),
    ]
    size = f"{row.width} × {row.height} pixels" if row.width and row.height else ""
    source = "generated" if row.source == "drawn" else row.source
    return {
        "drawing_id": row.drawing_id,
        "job": row.job_id,
        "image_id": row.image_id,
        "status": row.status,
        "reason": row.reason,
        "text": row.text or file,
        "about": " · ".join(filter(None, about)),
        "details": "\n".join(text for text in (row.prompt_id, file, size, source) if text),
        "notes": list(notes),
        "width": row.width,
        "height": row.height,
        "refined": bool(row.image_id) and "cfr" in row.options,
        "truth": "" if _notes_say_truth(row, notes) else truth_of(row),
        "thumb": f"/media/thumbs/{row.image_id}.png?side=384" if row.image_id else "",
        "targets": [
            _target_json(
                row, position, expectations.get(position), verdicts.get(position, ()), masks
            )
            for position in range(len(row.targets))
        ],
        "verdicts": [verdict.as_json() for verdict in image_verdicts(row.targets, verdicts)],
        "unscored": _unscored(row, len(expectations), masks, measured, looked),
        "measured": color_hex(measured) if measured and not expectations else "",
        "concept": _concept_id(row),
        # Inspect opens what was measured; the mask of a verdict is that of its target.
        "mask": measured.mask_id if measured and not expectations else "",
    }


def _unscored(
    row: GenerationRecord,
    expectations: int,
    masks: Mapping[int, MaskRecord],
    measured: ObjectColor | None,
    looked: bool,
) -> str:
    """Why an image has no verdict, where that is known; ``looked`` where nothing stands out."""
    if not row.image_id:
        return ""
    if not expectations:
        return color_sentence(measured, row.text, looked)
    return no_mask_reason(expectations, looked) if looked and not masks else ""


def _concept_id(row: GenerationRecord) -> str:
    """The concept of ColorConceptBench that an image is of; empty for any other."""
    concept = concept_of(Prompt(row.prompt_id, row.text, row.task, row.targets, row.prompt_source))
    return concept[0] if concept else ""


def _notes_say_truth(row: GenerationRecord, notes: Sequence[str]) -> bool:
    """Whether the notes of a render name the true color of each of its objects already."""
    true = [
        true_color_hex(row.origin, position=expectation.position)
        for expectation in expectations_of(row.targets)
    ]
    text = " ".join(notes)
    return any(true) and all(hex_code in text for hex_code in true if hex_code)


def truth_of(row: GenerationRecord) -> str:
    """The true colors of a render's objects beside the asked ones; empty for other pictures."""
    expectations = expectations_of(row.targets)
    texts = {
        expectation.label: describe_true_color(
            row.origin,
            expectation.color,
            position=expectation.position,
            forbidden=expectation.relation == DIFFERS,
        )
        for expectation in expectations
    }
    if len(expectations) == 1:
        return next(iter(texts.values()))
    sentences = [
        f"{label[:1].upper()}{label[1:]}: {truth}" for label, truth in texts.items() if truth
    ]
    return " ".join(sentences)


def _target_json(
    row: GenerationRecord,
    position: int,
    expectation: Expectation | None,
    verdicts: Sequence[RuleVerdict],
    masks: Mapping[int, MaskRecord],
) -> TargetJson:
    target = row.targets[position]
    color = target.color
    mask_record = masks.get(position)
    return {
        "object": target.name,
        "role": target.role,
        "stand_in": stand_in_tag(row.origin, position),
        "color": color.value if color else "",
        "hex": color.hex if color else "",
        "color_label": color.label if color else "",
        "mask": mask_record.mask_id if mask_record else "",
        "asked": _expectation_json(expectation) if expectation else None,
        "verdicts": [verdict.as_json() for verdict in verdicts],
    }


def _expectation_json(expectation: Expectation) -> ExpectationJson:
    """What is asked of an object: to have a color, or not to have it."""
    return {
        "hex": expectation.color.hex,
        "label": expectation.color.label,
        "value": expectation.color.value,
        "relation": expectation.relation,
    }
