"""Automatic masks and points in Inspect: the request, and its work.

The models run in the engine; each mask is stored with all its steps. It does not use Gradio.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np
from pydantic import BeforeValidator, Field

from truehue.core.errors import BadInput, MaskError, TrueHueError, UnknownName
from truehue.core.generation.weights.sources import Sources
from truehue.core.images.pixels import Mask
from truehue.core.masks.from_marks import Box, PointSegmenter, mask_from_marks
from truehue.core.masks.grounded.compose import with_steps
from truehue.core.masks.grounded.ground import GroundingMethod, ground
from truehue.core.masks.grounded.records import Presence, PresenceQuestion, Segment
from truehue.core.masks.grounded.tools import tool_id
from truehue.core.masks.grounded.variants import MaskVariant, check_presence, mask_variant
from truehue.core.masks.grounded.weights import (
    VISION_MODELS,
    WITHOUT,
    Role,
    VisionEntry,
    find,
    how_to_get,
    missing,
    missing_packages,
    vision_model,
)
from truehue.core.packages import how_to_install
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.tables import objects, part_labels
from truehue.core.records import ImageRecord
from truehue.tabs.inspect.automatic import name_of
from truehue.tabs.inspect.finding import EngineTool, Search, Segments
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest, no_bool, read_as
from truehue.tabs.page.roles import Actor, may_open

MAX_NAME, MAX_LABELS, MAX_ID = 80, 40, 200
KIND = "search"
FIRST_VARIANT = "truehue"
NO_NAME = "Enter an object in the field Object, for example mug. Then click Find again."
POINT_WAIT_S = 30.0


@dataclass(frozen=True)
class MaskRequest:
    """What to find, and by what. ``presence`` is empty where it is not asked."""

    object_name: str
    negative_labels: tuple[str, ...]
    detector: VisionEntry
    segmenter: VisionEntry
    variant: MaskVariant
    presence: VisionEntry | None = None

    @property
    def entries(self) -> tuple[VisionEntry, ...]:
        """All models that take part."""
        models = (self.detector, self.segmenter, self.presence)
        return tuple(entry for entry in models if entry is not None)


def chosen_model(actor: Actor, model_id: str, role: Role) -> VisionEntry:
    """The model of that role by its id, or by what was typed: ``hub:owner/name``,
    ``folder:/path``, or the bare path of a folder or a .pth file of Segment Anything.

    Raises BadInput for anything else, and NotAllowed for folders to who may name none.
    """
    text = model_id.strip()
    if len(text) > MAX_ID:
        raise BadInput(f"The name of a {role} has at most {MAX_ID} characters.")
    if text.startswith(("/", "~")):
        text = f"folder:{text}"
    may_open(actor, text)
    return vision_model(text, role)


class FindObject(PageRequest):
    """An object to be found in an image, and by what."""

    image_id: str = ""
    object_name: str = Field("", max_length=MAX_NAME, title="The object's name")
    detector: str = ""
    segmenter: str = ""
    variant: str = ""
    negatives: str = ""
    presence: str = ""
    box_threshold: Annotated[float, BeforeValidator(no_bool)] = Field(
        ge=0, le=1, title="The box threshold"
    )
    negative_threshold: Annotated[float, BeforeValidator(no_bool)] = Field(
        ge=0, le=1, title="The negative threshold"
    )


def preset_find(sources: Sources, image_id: str, object_name: str) -> FindObject:
    """What the page asks for where nobody chose anything but the object: our variant with its negative
    labels, and the first models that are here. Raises BadInput."""
    variant = mask_variant(FIRST_VARIANT)
    fields = {
        "image_id": image_id,
        "object_name": object_name,
        "detector": first_of(sources, "detector"),
        "segmenter": first_of(sources, "segmenter"),
        "variant": variant.id,
        "negatives": labels_for(object_name),
        "box_threshold": variant.box_threshold,
        "negative_threshold": variant.negative_threshold,
    }
    return read_as(FindObject, fields)


class CutPoints(PageRequest):
    """Marks whose points are to be cut out."""

    image_id: str = ""
    marks: tuple[Any, ...] = Field(title="The list of selections")
    segmenter: str = ""


def mask_request_of(context: Context, actor: Actor, request: FindObject) -> MaskRequest:
    """The request of the page's controls; raises BadInput for what they cannot be."""
    if not request.object_name:
        raise BadInput(NO_NAME)
    settings = {
        "box_threshold": round(request.box_threshold, 4),
        "negative_threshold": round(request.negative_threshold, 4),
    }
    variant = mask_variant(request.variant).with_settings(settings)
    check_presence(variant, request.presence.strip())
    return MaskRequest(
        request.object_name,
        labels_of(request.negatives),
        chosen_model(actor, request.detector, "detector"),
        chosen_model(actor, request.segmenter, "segmenter"),
        variant,
        chosen_model(actor, request.presence, "presence") if request.presence else None,
    )


def labels_of(text: Any) -> tuple[str, ...]:
    """Labels between commas, each once; raises BadInput for too many or too long ones."""
    labels = tuple(dict.fromkeys(label.strip() for label in str(text or "").split(",")))
    labels = tuple(label for label in labels if label)
    if len(labels) > MAX_LABELS or any(len(label) > MAX_NAME for label in labels):
        raise BadInput(
            f"At most {MAX_LABELS} negative labels of {MAX_NAME} characters, comma-separated."
        )
    return labels


class NegativeLabels(TypedDict):
    """Labels of what is like an object, comma-separated."""

    labels: str


def labels_view(object_name: str, variant_id: str) -> NegativeLabels:
    """The negative labels of an object, comma-separated."""
    return {"labels": labels_for(object_name, variant_id)}


def labels_for(object_name: Any, variant_id: str = FIRST_VARIANT) -> str:
    """The negative labels of GenColorBench's table for that object, with commas; empty without. Our
    variant leaves out what names the object's own surface, as "fur" of a cat: people who ask for an
    orange cat mean its fur."""
    name = str(object_name or "").strip().casefold()
    row = next((candidate for candidate in objects() if candidate.name.casefold() == name), None)
    labels = row.negative_labels if row else ()
    return ", ".join(part_labels(labels) if variant_id == FIRST_VARIANT else labels)


def available_models(sources: Sources, role: Role) -> list[tuple[str, str]]:
    """Names and ids of a role's models for a choice; those that are not here say so."""
    return [
        (entry.name if find(entry, sources) else f"{entry.name} (not installed)", entry.id)
        for entry in VISION_MODELS
        if entry.role == role
    ]


def first_of(sources: Sources, role: Role) -> str:
    """The id of the first model of the role that is here, or of the first at all."""
    entries = [entry for entry in VISION_MODELS if entry.role == role]
    return next((entry.id for entry in entries if find(entry, sources)), entries[0].id)


def describe_missing(context: Context, entries: Sequence[VisionEntry]) -> str:
    """What is missing before these models can run here, in one short message; empty when nothing.

    It says how to get it and what works without.
    """
    absent = [entry for entry in entries if find(entry, context.sources) is None]
    if not absent:
        sentences = (sentence for entry in entries for sentence in missing(entry, context.sources))
        return " ".join(sentences)
    packages = dict.fromkeys(
        name for entry in entries for name in missing_packages(entry, find(entry, context.sources))
    )
    if packages:
        install = how_to_install(packages, "find objects by name", "masks")
        return f"{install}. {WITHOUT[absent[0].role]}"
    own = [entry for entry in absent if ":" in entry.id]
    if own:
        return " ".join((*how_to_get(own[0]), WITHOUT[own[0].role]))
    names = " and ".join(
        f"{entry.name} ({entry.download_gib:g} GiB)" if entry.download_gib else entry.name
        for entry in absent
    )
    ways = "; ".join(f"python -m truehue masks download {entry.id}" for entry in absent)
    several = "are" if len(absent) > 1 else "is"
    return f"{names} {several} not installed. Download with: {ways}. {WITHOUT[absent[0].role]}"


@requires("compute")
def start_find(context: Context, actor: Actor, request: FindObject) -> Job:
    """Starts to find an object. Raises BadInput where weights are missing."""
    image, mask_request = (
        context.storage.images.get(request.image_id),
        mask_request_of(context, actor, request),
    )
    problem = describe_missing(context, mask_request.entries)
    if problem:
        raise BadInput(problem)
    doing = f"Looking for {mask_request.object_name}"
    return context.jobs.start(
        KIND, doing, actor, lambda job: _find(context, image, mask_request, Search(job, doing))
    )


def _engine_tool(context: Context, entry: VisionEntry, search: Search) -> EngineTool:
    return EngineTool(context.engine, tool_id(entry.id, entry.role), entry.name, search)


def _find(
    context: Context, image: ImageRecord, mask_request: MaskRequest, search: Search
) -> dict[str, Any]:
    srgb8 = context.srgb8(image.image_id)
    presence: tuple[Presence, ...] = ()
    if mask_request.presence is not None:
        search.does(f"Asking whether there is a {mask_request.object_name}")
        presence = _engine_tool(context, mask_request.presence, search).ask(
            srgb8,
            (mask_request.object_name,),
            PresenceQuestion(
                mask_request.variant.presence_wording, autocast=mask_request.variant.autocast
            ),
        )
    target = ObjectTarget(mask_request.object_name, negative_labels=mask_request.negative_labels)
    method = GroundingMethod(
        _engine_tool(context, mask_request.detector, search),
        _engine_tool(context, mask_request.segmenter, search),
        mask_request.variant,
    )
    try:
        grounding = ground(
            srgb8,
            target,
            method,
            image_name=image.image_id,
            stop=search.job.stop,
            progress=search.does,
        )
    except UnknownName as error:
        names = f"Automatic mask lists the {len(error.known)} names."
        raise MaskError(f"{error} {names}") from error
    except TrueHueError as error:
        if not presence:
            raise
        # An object that is not there is not found: the answer says which of both it may be.
        raise MaskError(f"{error} {describe_presence(presence[0])}") from error
    mask = with_steps(grounding, presence)
    record = context.storage.masks.add(image.image_id, mask)
    return {"mask_id": record.mask_id}


def describe_presence(presence: Presence) -> str:
    """A sentence of what a presence model said."""
    sure = "" if presence.yes_percent is None else f" ({presence.yes_percent:.0f}% yes)"
    reply = (
        presence.answer
        if presence.answer != "unknown"
        else f"neither yes nor no (“{presence.text}”)"
    )
    return f"Presence question: {name_of(presence.by)} said {reply}{sure}."


# ── points ─────────────────────────────────────────────────────────────────────────────────────


@requires("compute")
def start_points(context: Context, actor: Actor, request: CutPoints) -> Job:
    """Begins to cut out what the points of ``marks`` show; the segments are kept for
    :func:`point_segmenter`. Raises BadInput where weights are missing."""
    image = context.storage.images.get(request.image_id)
    entry = chosen_model(actor, request.segmenter, "segmenter")
    named = [
        {**mark, "by": mark.get("by") or entry.id} if mark.get("type") == "point" else dict(mark)
        for mark in request.marks
        if isinstance(mark, Mapping)
    ]
    makers = {str(mark["by"]) for mark in named if mark.get("type") == "point"}
    problem = describe_missing(
        context, [chosen_model(actor, maker, "segmenter") for maker in sorted(makers)]
    )
    if problem:
        raise BadInput(problem)

    def work(job: Job) -> dict[str, Any]:
        srgb8 = context.srgb8(image.image_id)

        def cut(points: Any, inside: Any, box: Box | None, by: str) -> Segment:
            model = chosen_model(actor, by, "segmenter")
            tool = _engine_tool(context, model, Search(job, "Segmenting"))
            embedding = tool.embed(srgb8, image.image_id)
            return tool.from_points(embedding, points, inside, box)

        # The base does not matter for what is cut out, so nothing is read for it.
        blank = Mask(np.ones(srgb8.shape[:2], bool), "whole")
        mask_from_marks(srgb8, named, blank, _cached_cut(context, image.image_id, cut))
        return {"segmenter": entry.id}

    return context.jobs.start(KIND, "Segmenting", actor, work)


def point_segmenter(context: Context, image_id: str) -> PointSegmenter:
    """Cuts out points for :func:`truehue.core.masks.from_marks.mask_from_marks`: kept segments at
    once, others by the engine. Raises MaskError when that takes too long."""

    def cut(points: Any, inside: Any, box: Box | None, by: str) -> Segment:
        entry = chosen_model(
            context.default_actor, by or first_of(context.sources, "segmenter"), "segmenter"
        )
        problem = describe_missing(context, [entry])
        if problem:
            raise MaskError(f"These points were segmented with {entry.name}. {problem}")
        srgb8 = context.srgb8(image_id)

        def run(tool: Any) -> Segment:
            return tool.from_points(tool.embed(srgb8, image_id), points, inside, box)

        future = context.engine.call(tool_id(entry.id, "segmenter"), run, title="Segmenting")
        try:
            return future.result(POINT_WAIT_S)
        except TimeoutError:
            future.cancel()
            raise MaskError(
                "The device is busy: these points are not segmented yet. Try again in a moment."
            ) from None

    return _cached_cut(context, image_id, cut)


def _cached_cut(context: Context, image_id: str, cut: PointSegmenter) -> PointSegmenter:
    def cached_cut(points: Any, inside: Any, box: Box | None, by: str) -> Segment:
        key = json.dumps([image_id, by, list(points), list(inside), box])
        return context.service(Segments).get(key, lambda: cut(points, inside, box, by))

    return cached_cut
