"""Records shared by several packages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from truehue.core.prompts.prompt import ObjectTarget


@dataclass(frozen=True)
class ImageRecord:
    """One stored image.

    ``image_id`` is the SHA-256 of its pixels (:func:`truehue.core.images.load.image_id`).
    ``source`` is ``upload``, ``render`` (the reference renderer), ``generated`` (a model with
    weights) or ``import`` (a folder of images made elsewhere). ``notes`` says what was converted on
    loading. ``origin`` holds what is needed to make it again (model, seed, object, albedo, light),
    or is empty.
    """

    image_id: str
    width: int
    height: int
    name: str
    source: str
    notes: tuple[str, ...] = ()
    origin: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True)
class MaskRecord:
    """One stored mask of one image, with who made it and from what.

    ``mask_id`` names image, pixels, maker and parameters together; ``content_sha256`` names the
    pixels alone. ``maker`` is an id of truehue.core.masks.registry, such as ``grabcut`` or
    ``whole``.
    """

    mask_id: str
    image_id: str
    content_sha256: str
    area_px: int
    maker: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    created_at: datetime | None = None


@dataclass(frozen=True)
class EvidenceRecord:
    """One verdict as stored: keyed by image, mask, target, protocol, parameters and version.

    ``status`` is ``pass``, ``fail`` or ``unscored``; ``numbers`` holds every number of the verdict,
    as plain JSON. ``expectation`` is the key of the expectation that it answers
    (:func:`truehue.core.verdict.expectations.key_of_verdict`), which storing gives it. Evidence is
    added, never overwritten.
    """

    image_id: str
    mask_id: str | None
    object_name: str
    target: Mapping[str, Any]
    protocol: str
    version: str
    parameters: Mapping[str, Any]
    status: str
    reason: str
    numbers: Mapping[str, Any]
    expectation: str = ""
    evidence_id: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True)
class GenerationRecord:
    """One attempt to draw a prompt, or one image that was made elsewhere and imported.

    ``source`` is ``drawn`` or ``imported``; ``status`` is ``drawn`` (then ``image_id`` names the
    stored image) or ``failed`` (then ``reason`` says why and there is no image). ``prompt_source``
    and ``prompt_id`` name the prompt in its set and are empty for a text that is in none;
    ``text``, ``task`` and ``targets`` are the prompt as it was when it was drawn. None stands for
    a setting that the model does not have or that nobody knows. ``width`` and ``height`` are
    pixels, ``seconds`` is the time that the drawing took; ``job_id`` is shared by what was asked
    for together. Equal pixels of two drawings are one image with two drawings.
    """

    text: str
    model: str
    source: str = "drawn"
    status: str = "drawn"
    reason: str = ""
    image_id: str | None = None
    job_id: str = ""
    prompt_source: str = ""
    prompt_id: str = ""
    task: str = ""
    targets: tuple[ObjectTarget, ...] = ()
    seed: int | None = None
    guidance: float | None = None
    steps: int | None = None
    width: int | None = None
    height: int | None = None
    negative_text: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    drawing_id: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True)
class ObjectColor:
    """The measured color of an object that no target color is given for.

    ``lab`` is that of the best-lit part of the largest material, CIELAB, D65 and 2 degrees
    (:func:`truehue.core.concepts.palette.describe_colors`), of ``pixel_count`` pixels inside the
    mask; ``version`` is that of the measure.
    """

    image_id: str
    mask_id: str
    version: str
    lab: tuple[float, float, float]
    pixel_count: int


@dataclass(frozen=True)
class Badge:
    """What one rule says of one image: its ``status`` over ``objects`` pairs of object and color
    that have a verdict.

    Of the ``asked`` pairs that its drawings asked for, ``judged`` have one; a ``pass`` has all of
    them, and both are 0 where no color was asked for.
    """

    rule: str
    status: str
    objects: int
    judged: int = 0
    asked: int = 0


@dataclass(frozen=True)
class PromptSetRecord:
    """One imported prompt set. ``sha256`` names the bytes of the file, ``kind`` its format;
    ``report`` says what could not be read, as plain JSON."""

    set_id: str
    name: str
    kind: str
    file_name: str
    sha256: str
    report: Mapping[str, Any]
    prompt_count: int
    hidden: bool = False
    created_at: datetime | None = None


@dataclass(frozen=True)
class SelectionRecord:
    """A saved basket of prompts: pairs of the set's id and the prompt's id, in their order.
    ``version`` counts from 1 for each name."""

    name: str
    version: int
    refs: tuple[tuple[str, str], ...]
    created_at: datetime | None = None


@dataclass(frozen=True)
class JobRecord:
    """One piece of long work.

    ``kind`` says what it is, ``actor`` is the id of who began it. ``status`` is ``waiting``,
    ``running``, ``done``, ``failed`` (``problem`` says why), ``cancelled``, or ``interrupted``
    where the app ended before it did; runs and drawings have a few of their own. ``done`` of
    ``total`` steps (0 where they are not counted) are over, ``words`` say what it is at or came to,
    and ``result`` is what its page makes use of, as plain JSON. ``details`` are for that page while
    it lasts, and not stored.
    """

    job_id: str
    kind: str
    title: str
    actor: str
    status: str = "waiting"
    done: int = 0
    total: int = 0
    words: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    began_at: datetime | None = None
    ended_at: datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SketchRecord:
    """One stored sketch. ``words`` say what it shows; ``source`` is ``starter``, ``import`` or
    ``generated``; ``maker`` is the id of the actor who brought it. ``warnings`` are pairs of a code
    and words; ``closing`` is the index of the closing that was suggested."""

    id: str
    content_sha256: str
    width: int
    height: int
    words: str
    source: str
    note: str
    maker: str
    warnings: tuple[tuple[str, str], ...]
    closing: int
    created_at: datetime


@dataclass(frozen=True)
class ColoringRecord:
    """One coloring that somebody keeps for themselves; ``actions`` are its log as plain JSON."""

    id: str
    sketch_id: str
    words: str
    actions: tuple[Mapping[str, Any], ...]
    maker: str
    created_at: datetime


@dataclass(frozen=True)
class ColoringHead:
    """What a list shows of a coloring that somebody keeps: ``length`` is the number of its
    actions."""

    id: str
    sketch_id: str
    words: str
    length: int
    maker: str
    created_at: datetime


@dataclass(frozen=True)
class LayerRecord:
    """What was seen when the server drew a coloring of a study: ``checksum`` of its own layer,
    whether that of the page ``matches``, and the share of pixels with a color, 0 to 1."""

    event_id: str
    participant_id: str
    position: int
    checksum: str
    matches: bool
    colored: float
    created_at: datetime
