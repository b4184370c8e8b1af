"""Requests of runs, from the page or the command line, validated field by field."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from truehue.core.color.systems import SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.generation.registry import (
    RENDERER,
    model,
    released_settings,
)
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.generation.request import MAX_SEED
from truehue.core.masks.grounded.variants import VARIANTS
from truehue.core.masks.grounded.weights import vision_model
from truehue.core.prompts.prompt import TASKS
from truehue.core.refinement.settings import FIRST_PASS, MAPPED, MAX_CELLS, PREDICTED
from truehue.core.refinement.settings import VARIANTS as VARIANTS_OF_CFR
from truehue.core.runs.plan import MAX_BATCH
from truehue.core.runs.protocols import PROTOCOLS, Protocol, protocol
from truehue.core.runs.records import (
    ALL,
    EXACT,
    GROUNDED,
    KEEP_IMAGES,
    MASKERS,
    SEED_MODES,
    SHARED,
    MaskerSpec,
)
from truehue.core.runs.refinement import CFM_MAP
from truehue.core.verdict.candidates import MAX_NEIGHBORS
from truehue.core.verdict.rules import RULES, rule
from truehue.tabs.page.requests import PageRequest, Whole, list_of_single, single_of, texts

DEFAULT_RULES = tuple(by.id for by in RULES if by.main)
DEFAULT_IMAGES = 4
DETECTOR, SEGMENTER = "grounding-dino-base", "sam-vit-h"
MAX_IMAGES = 1_000
MAX_WORKERS = 256
MAX_MODELS = 200
MAX_NAME = 120
CFR_MAPS = ("saturation", "predicted", CFM_MAP)
"""Where CFR's map comes from: the saturation or CFM's attention of a first pass, or the image that
the sampler predicts."""


def _scales(scales: Any) -> Any:
    """No guidance, one, or several scales, separated by commas."""
    if isinstance(scales, (list, tuple)):
        return scales
    text = str(scales).strip()
    numbers: list[float] = []
    for part in text.split(",") if text else ():
        try:
            value = float(part)
        except ValueError:
            value = math.nan
        if not 0 <= value <= 100:
            raise BadInput(
                "Guidance is a number from 0 to 100, or several separated by commas, not "
                f"{part.strip()!r:.30}."
            )
        if value in numbers:
            raise BadInput(f"Guidance {value:g} is given twice.")
        numbers.append(value)
    return tuple(numbers)


def _percent(share: Any) -> float | None:
    """A share of the images, above 0 and up to 100; None for all of them."""
    if share is None:
        return None
    try:
        value = float(share)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 < value <= 100 or isinstance(share, bool):
        raise BadInput(
            f"The share of images is a percentage above 0 and up to 100, not {share!r:.20}."
        )
    return value


def _names(names: Any) -> Any:
    """Names in a list, or in one text, separated by commas."""
    if isinstance(names, (list, tuple)):
        return names
    return tuple(part.strip() for part in str(names).split(",") if part.strip())


def price_of(amount: Any) -> float | None:
    """What an hour of the machine costs; None where nothing is given. Raises BadInput."""
    text = str(amount if amount is not None else "").strip().lstrip("$€£ ")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < 1e6:
        raise BadInput(f"The price is a number, such as 2.50, not {text[:20]!r}.", "price")
    return value


Names = Annotated[tuple[str, ...], BeforeValidator(list_of_single), AfterValidator(texts)]


def preset_fields(preset: Protocol, kind: Any = "") -> dict[str, Any]:
    """What a protocol says of a request, by the names of its fields; of ``kind`` ``stored`` only
    how the images are scored."""
    masks = preset.masker
    scoring = {"rules": preset.rules, "k": preset.k, "variant": masks.variant}
    for role in ("detector", "segmenter", "presence"):
        if name := getattr(masks, role):
            scoring[role] = name
    if kind == "stored":
        return scoring
    drawing = {
        "images": preset.images,
        "seed": preset.seed,
        "guidance": preset.guidances,
        "steps": preset.steps,
        "size": preset.size_px,
    }
    return {
        **{name: value for name, value in drawing.items() if value not in (None, ())},
        **scoring,
    }


class Workers(PageRequest):
    """How many processes work at once."""

    workers: Annotated[Whole, Field(ge=1, le=MAX_WORKERS, title="The number of workers")] = 1


class RunRequest(Workers):
    """What a run shall do, as the form and the command ask for it; None stands for each model's own
    default.

    ``set`` as :class:`truehue.tabs.library.service.Library` names sets. ``limit`` prompts at most
    are taken, at equal distances, concepts as whole families. ``concepts`` are the words of those
    that alone are taken, ``"banana *"`` for a thing with all its modifiers. ``images`` counts for
    each scale of ``guidance``. Several ``models`` become one run each; of ``kind`` ``stored``, the
    one model is whose images of the data folder are scored. ``protocol`` names a
    preset of truehue.core.runs.protocols, which says all that is not said here; ``settings`` is its
    former name. ``cfr`` is a variant of CFR, ``cfr_strength`` its λ, ``cfr_map`` of
    :data:`CFR_MAPS`, and ``cfr_rows`` a map of one's own in its place. ``seeds`` and
    ``keep_images`` are the ``seed_mode`` and ``keep_images`` of a RunPlan. ``ray`` is an address of
    a cluster, or nothing for this machine; ``price`` is of an hour. ``adaptive`` chooses what of the
    images to generate, at most so many percent of all; None generates every image.
    """

    kind: str = "drawn"
    set: Annotated[str, Field(title="The prompt set")] = ""
    models: Annotated[Names, Field(max_length=MAX_MODELS, title="The list of models")] = ()
    task: Annotated[str, single_of("task", TASKS)] = ""
    system: Annotated[str, single_of("color system", SYSTEMS)] = ""
    concepts: Annotated[
        tuple[str, ...], BeforeValidator(_names), Field(title="The list of concepts")
    ] = ()
    limit: Annotated[Whole, Field(ge=1, le=10**9)] | None = Field(
        None, title="The number of prompts"
    )
    images: Annotated[Whole, Field(ge=1, le=MAX_IMAGES, title="Images per prompt")] = DEFAULT_IMAGES
    seed: Annotated[Whole, Field(ge=0, le=MAX_SEED, title="The first seed")] = 0
    size: Annotated[Whole, Field(ge=64, le=4096)] | None = Field(None, title="The size")
    steps: Annotated[Whole, Field(ge=1, le=500)] | None = Field(None, title="Steps")
    guidance: Annotated[tuple[float, ...], BeforeValidator(_scales)] = ()
    protocol: Annotated[str, single_of("protocol", (entry.id for entry in PROTOCOLS))] = ""
    batch: Annotated[Whole, Field(ge=1, le=MAX_BATCH, title="The batch")] = 1
    negative: str = ""
    cfr: Annotated[str, single_of("variant of CFR", VARIANTS_OF_CFR)] = ""
    cfr_strength: Annotated[float, Field(ge=0, le=1, title="λ of CFR")] | None = None
    cfr_map: Annotated[str, single_of("map for CFR", CFR_MAPS)] = CFR_MAPS[0]
    cfr_rows: Annotated[tuple[str, ...], Field(max_length=MAX_CELLS)] = ()
    light: Annotated[str, single_of("light", LIGHTS)] = "studio"
    failure: Annotated[str, single_of("failure", FAILURES)] = "none"
    seeds: Annotated[str, single_of("way of seeds", SEED_MODES)] = SHARED
    keep_images: Annotated[str, single_of("choice of images to keep", KEEP_IMAGES)] = ALL
    masker: Annotated[str, single_of("way to masks", MASKERS)] = ""
    detector: str = DETECTOR
    segmenter: str = SEGMENTER
    presence: str = ""
    variant: Annotated[str, single_of("variant of masks", (entry.id for entry in VARIANTS))] = (
        VARIANTS[0].id
    )
    rules: Names = DEFAULT_RULES
    k: Annotated[Whole, Field(ge=0, le=MAX_NEIGHBORS, title="k")] = 0
    name: str = ""
    ray: str = ""
    price: Annotated[float | None, BeforeValidator(price_of)] = None
    adaptive: Annotated[float | None, BeforeValidator(_percent)] = None

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, fields: Any) -> Any:
        """A field that was left empty is as the protocol has it, or as it is by itself."""
        if not isinstance(fields, Mapping):
            return fields
        given = {name: value for name, value in fields.items() if value not in ("", None)}
        if (former := given.pop("settings", None)) is not None:
            given.setdefault("protocol", former)
        preset = next((by for by in PROTOCOLS if by.id == given.get("protocol")), None)
        return given if preset is None else {**preset_fields(preset, given.get("kind")), **given}

    @property
    def is_stored(self) -> bool:
        """Whether images of the data folder are scored, and none is generated."""
        return self.kind == "stored"

    @property
    def masker_spec(self) -> MaskerSpec:
        """How objects are found: exactly for the renderer and stored images, unless told."""
        preset = protocol(self.protocol).masker.kind if self.protocol else GROUNDED
        kind = self.masker or (EXACT if self._has_exact_masks else preset)
        if kind != GROUNDED:
            return MaskerSpec(kind)
        return MaskerSpec(kind, self.detector, self.segmenter, self.presence, self.variant)

    @property
    def _has_exact_masks(self) -> bool:
        is_rendered = all(model_id == RENDERER for model_id in self.models)
        return is_rendered or (self.is_stored and not self.protocol)

    def checked(self) -> RunRequest:
        """The request itself. Raises BadInput that names the field where its parts do not go
        together."""
        if not self.set:
            raise BadInput("Choose a prompt set.", "set")
        self._check_models()
        self._check_adaptive()
        if self.seed + self.images - 1 > MAX_SEED:
            raise BadInput(f"The last seed would be above {MAX_SEED:,}: start lower.", "seed")
        if not self.rules:
            raise BadInput("Choose at least one rule.", "rules")
        for rule_id in self.rules:
            _field("rules", lambda rule_id=rule_id: rule(rule_id))  # type: ignore[misc]
        self._check_settings()
        self._check_cfr()
        self._check_masker()
        return self

    def _check_settings(self) -> None:
        if self.is_stored or not (self.protocol and protocol(self.protocol).released):
            return
        for name in ("steps", "guidance", "size"):
            if getattr(self, name) and self.models != (RENDERER,):
                text = f"The settings {self.protocol} say the {name}: leave one of both out."
                raise BadInput(text, name)

    def _check_adaptive(self) -> None:
        if self.adaptive is None:
            return
        if self.is_stored:
            raise BadInput(
                "Adaptive rounds choose what to generate: score every image.", "adaptive"
            )
        if len(set(self.models)) < 2:
            raise BadInput("An order of models needs two or more of them.", "adaptive")
        if self.batch > 1:
            raise BadInput("Adaptive rounds choose single images: leave the batch out.", "batch")

    def _check_cfr(self) -> None:
        if not self.cfr:
            if self.cfr_strength is not None or self.cfr_rows or self.cfr_map != CFR_MAPS[0]:
                raise BadInput("λ and a map are of CFR: name its variant.", "cfr")
            return
        if self.is_stored:
            raise BadInput("CFR is for images that are generated: leave it out.", "cfr")
        if self.batch > 1:
            raise BadInput("CFR refines one image at a time: leave the batch out.", "batch")
        if self.cfr != "none" and self.cfr_strength is None:
            raise BadInput("Give λ of CFR, from 0 to 1: the paper states none.", "cfr_strength")
        has_map = self.cfr_rows or self.cfr_map != CFR_MAPS[0]
        if has_map and self.cfr not in MAPPED:
            raise BadInput(f"The variant {self.cfr} reads no map: leave it out.", "cfr_map")

    @property
    def options_of_cfr(self) -> dict[str, Any]:
        """``cfr`` among the options of a generation; empty without CFR."""
        if not self.cfr:
            return {}
        cfr: dict[str, Any] = {"strength": self.cfr_strength or 0.0, "variant": self.cfr}
        if self.cfr_rows:
            cfr |= {"map": list(self.cfr_rows), "source": "map of a file"}
        elif self.cfr in MAPPED:
            named = {"saturation": FIRST_PASS, "predicted": PREDICTED, "cfm": CFM_MAP}
            cfr["map"] = named[self.cfr_map]
        return {"cfr": cfr}

    def _check_models(self) -> None:
        if self.is_stored and len(self.models) != 1:
            raise BadInput("Choose the source of the images to score: one model.", "models")
        if not self.models:
            raise BadInput("Choose at least one model.", "models")
        for model_id in () if self.is_stored else self.models:
            _field("models", lambda model_id=model_id: model(model_id))  # type: ignore[misc]
            if self.protocol and protocol(self.protocol).released and model_id != RENDERER:
                _field("protocol", lambda model_id=model_id: released_settings(model_id))  # type: ignore[misc]

    def _check_masker(self) -> None:
        masker = self.masker_spec
        if masker.kind == EXACT and not self._has_exact_masks:
            raise BadInput(
                "Only the reference renderer knows where its objects are. Have a detector and a "
                "segmenter find them, or measure whole images.",
                "masker",
            )
        if masker.kind == GROUNDED:
            _field("detector", lambda: vision_model(self.detector, "detector"))
            _field("segmenter", lambda: vision_model(self.segmenter, "segmenter"))
            if self.presence:
                _field("presence", lambda: vision_model(self.presence, "presence"))


def _field(field: str, check: Callable[[], Any]) -> None:
    """Runs a check; what it refuses is said of this field."""
    try:
        check()
    except BadInput as error:
        raise BadInput(str(error), field) from None
