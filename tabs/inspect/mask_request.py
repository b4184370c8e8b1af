"""Automatic masks and points in Inspect: what is asked for, and what runs for it.

The models run in the engine; a mask is stored with all its steps as it comes. No Gradio here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.errors import BadInput, MaskError, TrueHueError
from core.generation.weights.sources import Sources
from core.images.mask import Mask
from core.masks.from_marks import Box, PointSegmenter, mask_from_marks
from core.masks.grounded.ground import ground
from core.masks.grounded.records import Presence, Segment
from core.masks.grounded.serialize import with_steps
from core.masks.grounded.tools import tool_id
from core.masks.grounded.variants import MaskVariant, mask_variant
from core.masks.grounded.vision_models import VISION_MODELS, Role, VisionEntry, vision_model
from core.masks.grounded.weights import WITHOUT, find, how_to_get, missing
from core.prompts.tables import objects
from core.records import ImageRecord
from tabs.inspect.automatic import name_of
from tabs.inspect.finding import Asked, Search, Searches
from tabs.page.context import Context
from tabs.page.errors import allowed_model

MAX_NAME, MAX_LABELS, MAX_ID = 80, 40, 200
NO_NAME = "Type what to look for in the field Object, as in: mug. Then press Find again."
POINT_WAIT_S = 30.0


@dataclass(frozen=True)
class Wish:
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
        known = (self.detector, self.segmenter, self.presence)
        return tuple(entry for entry in known if entry is not None)


def chosen_model(context: Context, model_id: Any, role: Role) -> VisionEntry:
    """The model of that role by its id, or by what was typed: ``hub:owner/name``,
    ``folder:/path``, or the bare path of a folder or a .pth file of Segment Anything.

    Raises BadInput for anything else, and for folders where others can reach the app.
    """
    text = str(model_id or "").strip()
    if len(text) > MAX_ID:
        raise BadInput(f"The name of a {role} has at most {MAX_ID} characters.")
    if text.startswith(("/", "~")):
        text = f"folder:{text}"
    allowed_model(text, context.local)
    return vision_model(text, role)


def wish_of(
    context: Context, object_name: Any, detector: Any, segmenter: Any, variant: Any,
    negatives: Any, presence: Any, box_threshold: Any, negative_threshold: Any,
) -> Wish:  # fmt: skip
    """The wish of the page's controls; raises BadInput for what they cannot be."""
    name = str(object_name or "").strip()
    if not name:
        raise BadInput(NO_NAME)
    if len(name) > MAX_NAME:
        raise BadInput(f"An object's name has at most {MAX_NAME} characters.")
    settings: dict[str, Any] = {}
    asked = {"box_threshold": box_threshold, "negative_threshold": negative_threshold}
    for key, value in asked.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise BadInput(f"The {key.replace('_', ' ')} is a number from 0 to 1.")
        settings[key] = round(float(value), 4)
    return Wish(
        name, labels_of(negatives), chosen_model(context, detector, "detector"),
        chosen_model(context, segmenter, "segmenter"),
        mask_variant(str(variant)).with_settings(settings),
        chosen_model(context, presence, "presence") if str(presence or "").strip() else None,
    )  # fmt: skip


def labels_of(text: Any) -> tuple[str, ...]:
    """Labels between commas, each once; raises BadInput for too many or too long ones."""
    found = tuple(dict.fromkeys(label.strip() for label in str(text or "").split(",")))
    found = tuple(label for label in found if label)
    if len(found) > MAX_LABELS or any(len(label) > MAX_NAME for label in found):
        raise BadInput(
            f"At most {MAX_LABELS} negative labels of {MAX_NAME} characters, with commas between."
        )
    return found


def labels_for(object_name: Any) -> str:
    """The negative labels of GenColorBench's table for that object, with commas; empty without."""
    name = str(object_name or "").strip().casefold()
    row = next((one for one in objects() if one.name.casefold() == name), None)
    return ", ".join(row.negative_labels) if row else ""


def at_hand(sources: Sources, role: Role) -> list[tuple[str, str]]:
    """Names and ids of a role's models for a choice; those that are not here say so."""
    return [
        (entry.name if find(entry, sources) else f"{entry.name} (not here)", entry.id)
        for entry in VISION_MODELS
        if entry.role == role
    ]


def first_of(sources: Sources, role: Role) -> str:
    """The id of the first model of the role that is here, or of the first at all."""
    known = [entry for entry in VISION_MODELS if entry.role == role]
    return next((one.id for one in known if find(one, sources)), known[0].id)


def lacking(context: Context, entries: Sequence[VisionEntry]) -> str:
    """What is missing before these models can run here, in one short message; empty when nothing.

    It says how to get it and what works without.
    """
    absent = [entry for entry in entries if find(entry, context.sources) is None]
    if not absent:
        said = (sentence for entry in entries for sentence in missing(entry, context.sources))
        return " ".join(said)
    own = [entry for entry in absent if ":" in entry.id]
    if own:
        return " ".join((*how_to_get(own[0]), WITHOUT[own[0].role]))
    names = " and ".join(
        f"{entry.name} ({entry.download_gib:g} GiB)" if entry.download_gib else entry.name
        for entry in absent
    )
    ways = "; ".join(f"python -m core.masks download {entry.id}" for entry in absent)
    several = "are" if len(absent) > 1 else "is"
    return f"{names} {several} not on this machine. Get with: {ways}. {WITHOUT[absent[0].role]}"


def start_find(context: Context, image_id: str, wish: Wish) -> Search:
    """Begins to find the object. Raises BadInput where weights are missing."""
    image = context.storage.images.get(image_id)
    problem = lacking(context, wish.entries)
    if problem:
        raise BadInput(problem)
    return context.service(Searches).start(
        f"Looking for {wish.object_name}", lambda job: _find(context, image, wish, job)
    )


def _asked(context: Context, entry: VisionEntry, job: Search) -> Asked:
    tool = tool_id(entry.id, entry.role)
    return Asked(context.engine, tool, entry.name, context.service(Searches), job)


def _find(context: Context, image: ImageRecord, wish: Wish, job: Search) -> dict[str, Any]:
    srgb8 = context.srgb8(image.image_id)
    presence: tuple[Presence, ...] = ()
    if wish.presence is not None:
        context.service(Searches).does(job, f"Asking whether there is a {wish.object_name}")
        presence = _asked(context, wish.presence, job).ask(srgb8, (wish.object_name,))
    try:
        found = ground(
            srgb8, wish.object_name, wish.negative_labels, _asked(context, wish.detector, job),
            _asked(context, wish.segmenter, job), wish.variant, image_name=image.image_id,
            stop=job.stop, progress=lambda doing: context.service(Searches).does(job, doing),
        )  # fmt: skip
    except TrueHueError as error:
        if not presence:
            raise
        # An object that is not there is not found: the answer says which of both it may be.
        raise MaskError(f"{error} {answered(presence[0])}") from error
    mask = with_steps(found, presence)
    record = context.storage.masks.add(image.image_id, mask)
    return {"mask_id": record.mask_id}


def answered(one: Presence) -> str:
    """A sentence of what a presence model said."""
    sure = "" if one.yes_percent is None else f" ({one.yes_percent:.0f}% yes)"
    said = one.answer if one.answer != "unknown" else f"neither yes nor no (“{one.text}”)"
    return f"Asked whether it is in the image, {name_of(one.by)} said {said}{sure}."


# ── points ─────────────────────────────────────────────────────────────────────────────────────


def start_points(
    context: Context, image_id: str, marks: Sequence[Mapping[str, Any]], segmenter: Any
) -> Search:
    """Begins to cut out what the points of ``marks`` show; the segments are kept for
    :func:`point_segmenter`. Raises BadInput where weights are missing."""
    image = context.storage.images.get(image_id)
    entry = chosen_model(context, segmenter, "segmenter")
    named = [
        {**mark, "by": mark.get("by") or entry.id} if mark.get("type") == "point" else dict(mark)
        for mark in marks
        if isinstance(mark, Mapping)
    ]
    wanted = {str(mark["by"]) for mark in named if mark.get("type") == "point"}
    problem = lacking(context, [chosen_model(context, one, "segmenter") for one in sorted(wanted)])
    if problem:
        raise BadInput(problem)

    def work(job: Search) -> dict[str, Any]:
        srgb8 = context.srgb8(image.image_id)

        def cut(points: Any, inside: Any, box: Box | None, by: str) -> Segment:
            tool = _asked(context, chosen_model(context, by, "segmenter"), job)
            embedding = tool.embed(srgb8, image.image_id)
            return tool.from_points(embedding, points, inside, box)

        # The base does not matter for what is cut out, so nothing is read for it.
        blank = Mask(np.ones(srgb8.shape[:2], bool), "whole")
        mask_from_marks(srgb8, named, blank, _kept(context, image.image_id, cut))
        return {"segmenter": entry.id}

    return context.service(Searches).start("Cutting out", work)


def point_segmenter(context: Context, image_id: str) -> PointSegmenter:
    """Cuts out points for :func:`core.masks.from_marks.mask_from_marks`: kept segments at once,
    others by the engine. Raises MaskError when that takes too long."""

    def cut(points: Any, inside: Any, box: Box | None, by: str) -> Segment:
        entry = chosen_model(context, by or first_of(context.sources, "segmenter"), "segmenter")
        problem = lacking(context, [entry])
        if problem:
            raise MaskError(f"These points were cut out by {entry.name}. {problem}")
        srgb8 = context.srgb8(image_id)

        def run(tool: Any) -> Segment:
            return tool.from_points(tool.embed(srgb8, image_id), points, inside, box)

        future = context.engine.call(tool_id(entry.id, "segmenter"), run, title="Cutting out")
        try:
            return future.result(POINT_WAIT_S)
        except TimeoutError:
            future.cancel()
            raise MaskError(
                "The device is busy: these points are not cut out yet. Try again in a moment."
            ) from None

    return _kept(context, image_id, cut)


def _kept(context: Context, image_id: str, cut: PointSegmenter) -> PointSegmenter:
    def kept(points: Any, inside: Any, box: Box | None, by: str) -> Segment:
        key = json.dumps([image_id, by, list(points), list(inside), box])
        found = context.service(Searches).segments.get(key)
        if found is None:
            found = cut(points, inside, box, by)
            context.service(Searches).segments.put(key, found)
        return found

    return kept
