"""The records of a run: its request, the results of its images, its progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from truehue.core.concepts.records import ColorProfile
from truehue.core.fidelity.cfm.registration import Registration
from truehue.core.prompts.prompt import Prompt
from truehue.core.verdict.rules import RULES

DRAWN, STORED = "drawn", "stored"
"""The two kinds of runs: images are drawn, or images that exist are scored."""

EVERY_RULE = tuple(entry.id for entry in RULES)

EXACT, WHOLE, SALIENT, GROUNDED = MASKERS = ("exact", "whole", "salient", "grounded")
"""The kinds of a :class:`MaskerSpec`."""

SHARED, PER_PROMPT = SEED_MODES = ("shared", "per-prompt")
"""Every prompt has the same seeds, or seeds of its own that follow from its id."""

ALL, SAMPLE, NONE = KEEP_IMAGES = ("all", "sample", "none")
"""Which PNGs of generated images stay in the run's folder."""

KEPT_ONE_IN = 20
"""A sample keeps this share of the images."""

IMAGE_FILE, NOT_KEPT = "image_file", "not kept"
"""The entry of an image's origin that says that its pixels were not kept. The second is also the
source of such an image in storage."""


@dataclass(frozen=True)
class MaskerSpec:
    """The masker of the objects. ``kind``:

    - ``exact``: the masks that came with the image (the renderer's, or a stored image's own);
    - ``whole``: every object is the whole image (color patches, textures);
    - ``salient``: what stands out in an image of one object; a mask that came with it comes first,
      but for the renderer's;
    - ``grounded``: ``detector`` and ``segmenter`` (ids as ``python -m truehue masks models`` lists
      them) by ``variant`` (``paper``, ``released`` or ``truehue``), and ``presence``, a model's id or empty.
    """

    kind: str = "exact"
    detector: str = ""
    segmenter: str = ""
    presence: str = ""
    variant: str = "paper"


@dataclass(frozen=True)
class StoredMask:
    """A mask that exists: its id in storage, its 1-bit PNG, its maker and parameters."""

    mask_id: str
    file: str
    maker: str
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StoredItem:
    """An image that exists: ``prompt`` is the prompt's place in the plan, ``image`` its number
    among that prompt's images, from 0.

    ``file`` is a PNG of exactly the pixels of ``image_id``; ``masks`` are those of its objects, by
    the position of the target. ``drawn_by`` is the id of the model that drew it, where that is
    known: the reference renderer's own masks say what is not in its images.
    """

    prompt: int
    image: int
    image_id: str
    file: str
    masks: Mapping[int, StoredMask] = field(default_factory=dict)
    drawn_by: str = ""


@dataclass(frozen=True)
class GenerationPlan:
    """How a run draws; None stands for the model's own default.

    ``images`` is the number of seeds, from ``seed`` on: with several ``guidances`` each of them has
    so many images a prompt. ``guidance`` is for one scale alone. ``options`` as in a
    GenerationRequest; where their ``cfr`` takes the map ``cfm``, ``cfm`` makes it. ``seed_mode`` and
    ``keep_images`` as in a RunPlan.
    """

    images: int = 4
    seed: int = 0
    guidance: float | None = None
    guidances: Sequence[float] = ()
    steps: int | None = None
    size_px: int | None = None
    negative_text: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    seed_mode: str = SHARED
    keep_images: str = ALL
    cfm: Registration | None = None


@dataclass(frozen=True)
class ScoringPlan:
    """How a run judges: who marks the objects, the ids of the rules, and what they accept.

    ``k`` as for truehue.core.verdict.candidates.Acceptance, ``munsell`` the path of the file of
    samples, or empty.
    """

    masker: MaskerSpec = MaskerSpec()
    rules: Sequence[str] = EVERY_RULE
    k: int = 0
    munsell: str = ""


@dataclass(frozen=True)
class RunPlan:
    """All that a run is asked to do; two runs of equal plans are one run.

    ``name`` is what people call it, ``set_name`` the set or selection that ``prompts`` came from.
    ``model`` is an id of the registry (a drawn run), or what people call the model of the stored
    images. Every prompt has ``images`` images: one a seed, from ``seed`` on, for each of the
    ``guidances``, which are empty or several; None stands for the model's own default. ``options``
    as in a GenerationRequest. ``items`` are the images of a ``stored`` run. ``rules`` are ids and
    versions of truehue.core.verdict.rules, none where only concepts are measured; ``k`` as for
    truehue.core.verdict.candidates.Acceptance, ``munsell`` the path of the file of samples, or
    empty. ``protocol`` names the preset of truehue.core.runs.protocols, or is empty. ``seed_mode``
    is one of :data:`SEED_MODES`, ``keep_images`` one of :data:`KEEP_IMAGES`: masks, colors and
    verdicts are stored whatever it says. ``cfm`` is the CFM whose map refines the images, None
    where none does.
    """

    name: str
    set_name: str
    prompts: tuple[Prompt, ...] = field(repr=False)
    model: str
    kind: str = DRAWN
    images: int = 4
    seed: int = 0
    guidance: float | None = None
    steps: int | None = None
    size_px: int | None = None
    negative_text: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[StoredItem, ...] = field(default=(), repr=False)
    masker: MaskerSpec = MaskerSpec()
    rules: tuple[tuple[str, str], ...] = ()
    k: int = 0
    munsell: str = ""
    guidances: tuple[float, ...] = ()
    protocol: str = ""
    seed_mode: str = SHARED
    keep_images: str = ALL
    cfm: Registration | None = None

    @property
    def seeds(self) -> int:
        """How many seeds a prompt is drawn with, the same ones for each guidance scale."""
        return self.images // max(len(self.guidances), 1)

    @property
    def total(self) -> int:
        """How many images the run has."""
        return len(self.items) if self.kind == STORED else len(self.prompts) * self.images


@dataclass(frozen=True)
class ObjectVerdict:
    """One rule's verdict on one object of an image: a row of the results.

    ``target`` is the position in the prompt's targets, -1 where there is no object to speak of (a
    image that could not be drawn). ``picture_status`` and ``picture_reason`` are those of the
    whole image by this rule, the same in all its rows; ``leads`` is True in exactly one row a
    image and rule: that of the object that decided (the first of the worst). ``cause`` is a key
    of truehue.core.runs.score.CAUSES, empty for a pass. Numbers are None where nothing was
    measured; lab is CIELAB D65/2°. By ``truehue`` the differences are those to the target color as
    the light of the image shows it: ``light_factor`` times its linear light, and ``haze_percent``
    of white.
    """

    rule: str
    version: str
    target: int
    object_name: str
    relation: str
    status: str
    step: str
    cause: str
    told: str
    picture_status: str
    picture_reason: str
    leads: bool
    asked_hex: str = ""
    lab: tuple[float, float, float] | None = None
    delta_e00: float | None = None
    delta_chroma: float | None = None
    hue_deg: float | None = None
    misfit: float | None = None
    confidence_percent: float | None = None
    light_factor: float | None = None
    haze_percent: float | None = None


@dataclass(frozen=True)
class MaskResult:
    """The mask of one object: the file ``masks/ab/<content_sha256>.png`` of the run's folder, or
    the stored mask ``mask_id`` of an image that existed."""

    target: int
    content_sha256: str
    area_px: int
    maker: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mask_id: str = ""


@dataclass(frozen=True)
class ObjectProfile:
    """The colors of a concept's object in an image; None with the ``reason``, a sentence, where
    the object has no mask or too few pixels. Nothing ever stands in for them."""

    target: int
    profile: ColorProfile | None
    reason: str = ""


@dataclass(frozen=True)
class ItemResult:
    """The result of one image: one line of a worker's journal, one row of a shard.

    ``position`` counts the run's images: ``prompt * images + image`` of a drawn run, the place in
    ``items`` of a stored one. ``attempt`` counts from 1; the latest attempt is the one that counts.
    ``status`` is ``drawn`` or ``failed`` (then ``reason`` is a sentence). ``seconds`` is the
    drawing until its PNG is kept, ``scoring_seconds`` masks and verdicts. ``origin`` is the
    generator's, plain JSON. ``profiles`` are those of a concept's prompt, none for an image that
    failed. Equal for any number of workers, but for ``seconds``, ``scoring_seconds`` and
    ``worker``.
    """

    position: int
    prompt: int
    image: int
    attempt: int
    status: str
    reason: str = ""
    image_id: str = ""
    width: int = 0
    height: int = 0
    seed: int | None = None
    seconds: float | None = None
    scoring_seconds: float | None = None
    worker: str = ""
    origin: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    masks: tuple[MaskResult, ...] = ()
    verdicts: tuple[ObjectVerdict, ...] = ()
    profiles: tuple[ObjectProfile, ...] = ()
