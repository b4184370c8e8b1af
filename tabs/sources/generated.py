"""Images of a concept that were generated in Generate or imported: found by their prompt, and measured
within the mask of their object on Compare's first request. Where no mask counts, it is what stands
out."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from truehue.core.concepts.matching import concept_of, concept_of_prompt, normal
from truehue.core.concepts.records import ColorProfile, ImageProfile
from truehue.core.errors import NotStored, ObjectNotFound, TrueHueError
from truehue.core.generation.registry import name_of
from truehue.core.images.pixels import Mask
from truehue.core.masks import salient
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.registry import is_proposal
from truehue.core.masks.selection import WHOLE
from truehue.core.records import MaskRecord
from truehue.storage.concept_images.sets import GeneratedImage, ImageGroup
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun, message_of

_ORIGINS = {"drawn": "Generate", "imported": "imported"}

Key = tuple[str, str, str]
"""Model, source and variant: what tells one row of Compare from another."""


def id_of(key: Key) -> str:
    """The id by which a link names the images of a model."""
    return hashlib.sha256("\n".join(key).encode()).hexdigest()


def label_of(key: Key) -> str:
    """``Stable Diffusion 1.5 · CFR · Generate``."""
    model, source, variant = key
    return " · ".join(filter(None, (name_of(model), variant, _ORIGINS[source])))


def of_concept(context: Context, text: str) -> dict[Key, list[ImageGroup]]:
    """The images of a concept by model, the newest first."""
    by_key: dict[Key, list[ImageGroup]] = {}
    for group in context.storage.generated_images.groups():
        if concept_of_prompt(group.text)[0] == text:
            by_key.setdefault((group.model, group.source, group.variant), []).append(group)
    return by_key


def counts_by_style(groups: Iterable[ImageGroup]) -> Mapping[tuple[str, float | None], int]:
    """How many images each style and guidance scale has."""
    counts = Counter[tuple[str, float | None]]()
    for group in groups:
        counts[concept_of_prompt(group.text)[1], group.guidance] += group.images
    return counts


def newest(groups: Iterable[ImageGroup]) -> datetime:
    """When the last of the images came."""
    return max(group.newest for group in groups)


def count_models_by_concept(context: Context) -> Counter[str]:
    """How many models have images of each concept, by the concept's words."""
    keys = {
        (concept_of_prompt(group.text)[0], group.model, group.source, group.variant)
        for group in context.storage.generated_images.groups()
    }
    return Counter(text for text, *_ in keys)


def key_of(context: Context, short_id: str, text: str = "") -> tuple[Key, list[ImageGroup]]:
    """The images that a link means, those of the concept ``text`` alone where there are any.
    Raises NotStored."""
    groups = context.storage.generated_images.groups()
    keys = dict.fromkeys((group.model, group.source, group.variant) for group in groups)
    key = next((key for key in keys if id_of(key).startswith(short_id)), None)
    if key is None:
        raise NotStored(f"There are no generated images {short_id[:16]!r}.")
    return key, of_concept(context, text).get(key, [])


@dataclass(frozen=True)
class GeneratedSource:
    """Images of a concept that a link names: ``style`` and ``guidance`` empty and None for all."""

    id: str
    words: str
    style: str = ""
    guidance: float | None = None


def measured_images(
    context: Context, wanted: GeneratedSource
) -> tuple[list[ImageProfile], list[str], tuple[str, ...]]:
    """The measured images, why others could not be measured, and which pixels counted. Raises
    NotStored."""
    images = _with_masks(context, wanted)
    stored = _stored(context, images)
    profiles: list[ImageProfile] = []
    unscored: list[str] = []
    masks: list[MaskRecord] = []
    for image, mask in images:
        try:
            record = mask or store_object_mask(context, image.image_id)
            profile = stored.get(
                (image.image_id, record.mask_id)
            ) or context.storage.image_profiles.of(image.image_id, record.mask_id)
        except TrueHueError as error:
            unscored.append(message_of(error))
        else:
            masks.append(record)
            profiles.append(
                ImageProfile(image.image_id, record.mask_id, profile, image.guidance, image.seed)
            )
    note = _masks_note(context, masks)
    return profiles, unscored, (note,) if note else ()


def measure(context: Context, wanted: GeneratedSource, until_s: float) -> tuple[int, int]:
    """Measures images that were not measured yet, at least one, until ``time.monotonic()`` is past
    ``until_s``. Returns how many are measured, of how many. Raises NotStored."""
    images = _with_masks(context, wanted)
    stored = _stored(context, images)
    left = [
        (image.image_id, mask)
        for image, mask in images
        if mask is None or (image.image_id, mask.mask_id) not in stored
    ]
    for index, (image_id, mask) in enumerate(left):
        if index and time.monotonic() >= until_s:
            return len(images) - len(left) + index, len(images)
        try:
            record = mask or store_object_mask(context, image_id)
            context.storage.image_profiles.of(image_id, record.mask_id)
        except TrueHueError:
            continue  # its reason is given where the images are compared
    return len(images), len(images)


def masks_note(context: Context, wanted: GeneratedSource) -> str:
    """Which pixels of measured images count where nobody selected the object; empty where somebody
    did, or its mask came with the image."""
    return _masks_note(context, [mask for _, mask in _with_masks(context, wanted) if mask])


def _masks_note(context: Context, masks: Sequence[MaskRecord]) -> str:
    whole = sum(mask.maker == WHOLE for mask in masks)
    proposed = sum(is_proposal(mask.parameters) for mask in masks)
    counted = (
        (proposed, "measured within what stands out, which nobody has checked"),
        (whole, "measured as a whole, background included"),
    )
    sentences = [
        f"{count:,} of {count_noun(len(masks), 'image')} {'is' if count == 1 else 'are'} {how}."
        for count, how in counted
        if count
    ]
    if whole and not salient.is_available(context.sources):
        sentences.append(
            "The network that finds what stands out is not installed: truehue masks download u2netp."
        )
    return " ".join(sentences)


def _with_masks(
    context: Context, wanted: GeneratedSource
) -> list[tuple[GeneratedImage, MaskRecord | None]]:
    """The images, each with the mask in which it is measured; None where it has none yet."""
    key, groups = key_of(context, wanted.id, normal(wanted.words))
    texts = {
        group.text
        for group in groups
        if not wanted.style or concept_of_prompt(group.text)[1] == wanted.style
    }
    every = context.storage.generated_images.images(texts, *key) if texts else []
    images = [
        generated_image
        for generated_image in every
        if wanted.guidance is None or generated_image.guidance == wanted.guidance
    ]
    concept = concept_of(wanted.words)
    resource = normal(concept.concept if concept else wanted.words)
    image_ids = {image.image_id for image in images}
    candidates = context.storage.masks.candidates(image_ids)
    whole_masks = {
        image_id: stored_whole(context, image_id)
        for image_id, of_image in candidates.items()
        if not of_image.masks
    }
    return [
        (
            image,
            candidates[image.image_id].of_object(resource) or whole_masks.get(image.image_id)
            if image.image_id in candidates
            else None,
        )
        for image in images
    ]


def _stored(
    context: Context, images: Sequence[tuple[GeneratedImage, MaskRecord | None]]
) -> Mapping[tuple[str, str], ColorProfile]:
    """The profiles that were measured already."""
    pairs = [(image.image_id, mask.mask_id) for image, mask in images if mask]
    return context.storage.image_profiles.stored(list(dict.fromkeys(pairs)))


def stored_whole(context: Context, image_id: str) -> MaskRecord | None:
    """The whole image as a mask that nobody selected, where one is stored: what an image is measured
    in whose selection was cleared."""
    masks = context.storage.masks.for_image(image_id)
    return next((mask for mask in masks if mask.maker == WHOLE and not mask.parameters), None)


def store_object_mask(context: Context, image_id: str) -> MaskRecord:
    """The :func:`object_mask` of an image of which no mask counts, stored."""
    return context.storage.masks.add(image_id, object_mask(context, context.srgb8(image_id)))


def object_mask(context: Context, srgb8: np.ndarray) -> Mask:
    """What stands out in an image, uint8 ``(H, W, 3)``, as nobody has checked it; the whole image
    where nothing does, or the network is not on this machine."""
    if salient.is_available(context.sources):
        with suppress(ObjectNotFound):
            return mask_from_marks(srgb8, [{"type": SALIENT}], sources=context.sources)
    return Mask(np.ones(srgb8.shape[:2], dtype=bool), WHOLE)
