"""A run's plan: checked, named by its settings, and turned into requests one by one."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from operator import is_
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from truehue.core.batch.folder import FORMAT
from truehue.core.concepts.records import PROFILE_VERSION
from truehue.core.errors import BadInput
from truehue.core.files import file_problem
from truehue.core.generation.backends.reference import OPTIONS
from truehue.core.generation.opening import check_settings
from truehue.core.generation.quantization import QUANTIZATIONS
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.registry import model as registered
from truehue.core.generation.renderer import (
    FAILURES,
    LARGEST_PX,
    LIGHTS,
    RENDERER_VERSION,
    SMALLEST_PX,
)
from truehue.core.generation.renderer.usual import CONCEPT_COLORS_VERSION
from truehue.core.generation.request import MAX_SEED, GenerationRequest
from truehue.core.masks.grounded.variants import check_presence, mask_variant
from truehue.core.masks.registry import EXACT_MAKERS, is_proposal
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.concepts import has_only_concepts, measured_of
from truehue.core.runs.records import (
    ALL,
    DRAWN,
    EXACT,
    KEEP_IMAGES,
    KEPT_ONE_IN,
    MASKERS,
    NONE,
    PER_PROMPT,
    SALIENT,
    SEED_MODES,
    SHARED,
    STORED,
    GenerationPlan,
    MaskerSpec,
    RunPlan,
    ScoringPlan,
    StoredItem,
)
from truehue.core.runs.refinement import check_cfr
from truehue.core.runs.summary import CFM_FILES, MAX_IMAGES, former_stored_name, stored_name
from truehue.core.verdict.candidates import MAX_NEIGHBORS
from truehue.core.verdict.rules import RULES, rule

MAX_IMAGES_A_PROMPT = 1_000
MAX_NAME = 120
MAX_BATCH = 64
"""Seeds of a prompt that are drawn together."""


def make_plan(
    prompts: Sequence[Prompt],
    model: str,
    *,
    drawing: GenerationPlan | None = None,
    judging: ScoringPlan | None = None,
    items: Sequence[StoredItem] | None = None,
    name: str = "",
    set_name: str = "",
    protocol: str = "",
) -> RunPlan:
    """A plan whose every part has been checked; see :class:`truehue.core.runs.records.RunPlan`.

    With ``items`` it is a run that scores these stored images, else one that draws. One guidance
    scale alone is the plan's ``guidance``. A plan of concepts that asks no color has no ``rules``,
    and nothing that rules need, whatever was given. Raises BadInput that names the part and what it
    takes.
    """
    drawing, judging = drawing or GenerationPlan(), judging or ScoringPlan()
    k, munsell = judging.k, judging.munsell
    if not prompts:
        raise BadInput("There is no prompt to run. Choose a set, or fewer filters.")
    measured_only = has_only_concepts(prompts)
    if not judging.rules and not measured_only:
        raise BadInput(f"Choose at least one rule: {', '.join(entry.id for entry in RULES)}.")
    if not 0 <= k <= MAX_NEIGHBORS:
        raise BadInput(f"k, the number of neighbors, must lie between 0 and {MAX_NEIGHBORS}.")
    check_masker(judging.masker)
    guidance, scales = drawing.guidance, tuple[float, ...]()
    if items is None:
        entry = registered(model)
        model = entry.id
        _check_numbers(drawing.steps, guidance)
        guidance, scales = _scales(guidance, drawing.guidances)
        named_guidance = bool(scales) or guidance is not None
        check_settings(entry, named_guidance, drawing.negative_text, drawing.size_px)
        check_cfr(drawing.options, drawing.cfm, entry, scales or (guidance,))
        _check_drawing(entry.kind, drawing, max(len(scales), 1))
        images = drawing.images * max(len(scales), 1)
    else:
        items = [_with_own_masks(item, judging.masker.kind) for item in items]
        _check_items(items, len(prompts))
        if drawing.guidances:
            raise BadInput("A run that scores stored images has no guidance scales of its own.")
        images = max(item.image for item in items) + 1
    if not model.strip():
        raise BadInput("Say which model made these images.")
    if munsell and not Path(munsell).is_file():
        raise BadInput(f"There is no file of Munsell samples at {munsell}.")
    rules = [rule(rule_id) for rule_id in dict.fromkeys(judging.rules)]
    if measured_only:
        rules, k, munsell = [], 0, ""
    title = " ".join(name.split())[:MAX_NAME] or f"{model} · {set_name or 'prompts'}"
    plan = RunPlan(
        title,
        set_name,
        tuple(prompts),
        model,
        DRAWN if items is None else STORED,
        images,
        drawing.seed,
        guidance,
        drawing.steps,
        drawing.size_px,
        drawing.negative_text,
        dict(drawing.options),
        tuple(items or ()),
        judging.masker,
        tuple((by.id, by.version) for by in rules),
        k,
        munsell,
        scales,
        protocol,
        drawing.seed_mode,
        drawing.keep_images,
        drawing.cfm if items is None else None,
    )
    if plan.total > MAX_IMAGES:
        raise BadInput(f"A run has at most {MAX_IMAGES:,} images, not {plan.total:,}.")
    return plan


def _with_own_masks(item: StoredItem, masker: str) -> StoredItem:
    """The item without the masks that the masker makes itself: what a run has stored does not make
    the same request another run. The salient masker keeps what people have selected."""
    if masker == EXACT:
        return item
    masks = {
        target: mask
        for target, mask in item.masks.items()
        if mask.maker in EXACT_MAKERS or (masker == SALIENT and not is_proposal(mask.parameters))
    }
    return replace(item, masks=masks)


def check_masker(spec: MaskerSpec) -> None:
    """Raises BadInput for a masker that is not there, or lacks a model."""
    if spec.kind not in MASKERS:
        raise BadInput(f"There is no masker {spec.kind[:40]!r}. It is one of {', '.join(MASKERS)}.")
    if spec.kind != "grounded":
        return
    if not spec.detector or not spec.segmenter:
        raise BadInput("A grounded masker needs a detector and a segmenter: name both models.")
    check_presence(mask_variant(spec.variant), spec.presence)


def run_id(plan: RunPlan) -> str:
    """16 hex characters of the SHA-256 of all that the plan asks for: equal plans are one run."""
    return id_of(plan_json(plan))


def id_of(fields: Mapping[str, Any]) -> str:
    """The same of a plan as plain JSON. A run of stored images has the id that its former name
    gives, so that the same request resumes a run of before."""
    former = fields
    if fields["kind"] == STORED:
        model = str(fields["model"])
        name = str(fields["name"]).replace(stored_name(model), former_stored_name(model))
        former = {**fields, "name": name[:MAX_NAME]}
    return hashlib.sha256(canonical_json(former).encode()).hexdigest()[:16]


def plan_json(plan: RunPlan) -> dict[str, Any]:
    """The plan as plain JSON, with digests in place of its prompts and images."""
    fields: dict[str, Any] = {
        "format": FORMAT,
        **{
            name: getattr(plan, name)
            for name in (
                "name",
                "set_name",
                "model",
                "kind",
                "images",
                "seed",
                "guidance",
                "steps",
                "size_px",
                "negative_text",
                "k",
            )
        },
        "options": dict(plan.options),
        "masker": asdict(plan.masker),
        "rules": [list(rule) for rule in plan.rules],
        "prompts": len(plan.prompts),
        "prompts_sha256": _prompts_sha256(plan.prompts),
        "made_with": made_with(plan),
    }
    if plan.kind == STORED:
        fields["items"] = len(plan.items)
        fields["items_sha256"] = items_digest(plan.items)
    if plan.guidances:
        fields["guidances"] = list(plan.guidances)
    if plan.protocol:
        fields["protocol"] = plan.protocol
    # Left out where they are the default: stored plans from before have the same id.
    if plan.seed_mode != SHARED:
        fields["seed_mode"] = plan.seed_mode
    if plan.keep_images != ALL:
        fields["keep_images"] = plan.keep_images
    if plan.cfm is not None:
        # Wherever its files lie.
        fields["cfm"] = {
            name: value for name, value in asdict(plan.cfm).items() if name not in CFM_FILES
        }
    if plan.munsell:
        fields["munsell_sha256"] = file_digest(plan.munsell)
    return fields


def made_with(plan: RunPlan) -> dict[str, str]:
    """The versions that decide results, beside the rules."""
    versions = {}
    if plan.model == RENDERER:
        versions["renderer"] = RENDERER_VERSION
        if any(prompt.concept for prompt in plan.prompts):
            versions["colors of concepts"] = CONCEPT_COLORS_VERSION
    if any(measured_of(prompt.task, prompt.targets) for prompt in plan.prompts):
        versions["profile"] = PROFILE_VERSION
    if plan.kind == DRAWN and (quantization := _quantization(plan.model)):
        versions["quantization"] = QUANTIZATIONS[quantization].label
    if plan.masker.kind == SALIENT:
        from truehue.core.masks.salient import VERSION

        versions[f"masker {SALIENT}"] = VERSION
    if plan.masker.kind == "grounded":
        variant = mask_variant(plan.masker.variant)
        if variant.version > 1:  # runs of the first versions wrote none
            versions[f"mask variant {variant.id}"] = str(variant.version)
    return versions


def _quantization(model_id: str) -> str:
    """Of a model that this TrueHue knows; a stored plan may have another one."""
    try:
        return registered(model_id).quantization
    except BadInput:
        return ""


def items_digest(items: Iterable[StoredItem]) -> str:
    """SHA-256 of all that decides the results of stored images; wherever their files lie.

    A mask that storage does not know by an id goes by its file's name, which says what is in it,
    by its maker, and by its parameters, which hold whether the object is there.
    """
    return rows_sha256(
        [
            item.prompt,
            item.image,
            item.image_id,
            item.drawn_by,
            sorted(
                (
                    [key, mask.mask_id]
                    if mask.mask_id
                    else [key, PurePath(mask.file).name, mask.maker, dict(mask.parameters)]
                    for key, mask in item.masks.items()
                ),
                key=lambda row: row[0],
            ),
        ]
        for item in items
    )


def file_digest(path: str) -> str:
    """SHA-256 of a file that a plan names. Raises BadInput where it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise BadInput(
            f"The run needs the file {path}, which cannot be read: {file_problem(error)}. Put it back."
        ) from error


def prompt_and_image_at(plan: RunPlan, position: int) -> tuple[int, int]:
    """Which prompt, and which of its images, a position means."""
    if plan.kind == STORED:
        item = plan.items[position]
        return item.prompt, item.image
    return divmod(position, plan.images)


def request_of(plan: RunPlan, position: int) -> GenerationRequest:
    """The request that draws a position of a drawn run."""
    number, image = prompt_and_image_at(plan, position)
    prompt = plan.prompts[number]
    return GenerationRequest(
        model=plan.model,
        text=prompt.text,
        seed=seed_at(plan, prompt.id, image % plan.seeds),
        steps=plan.steps,
        guidance=guidance_at(image, plan.guidance, plan.guidances, plan.images),
        width=plan.size_px,
        height=plan.size_px,
        negative_text=plan.negative_text,
        prompt_id=prompt.id,
        targets=prompt.targets,
        options=plan.options,
        concept=prompt.concept,
        modifier=prompt.modifier,
    )


def seed_at(plan: RunPlan, prompt_id: str, index: int) -> int:
    """The seed of the image ``index`` of a prompt, of as many as the plan has seeds.

    Seeds per prompt count from a number that follows from the plan's seed and the prompt's id alone:
    more images, other prompts or another order change none of them.
    """
    if plan.seed_mode != PER_PROMPT:
        return plan.seed + index
    digest = hashlib.sha256(f"{plan.seed}:{prompt_id}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") + index) % (MAX_SEED + 1)


def keeps_image(plan: RunPlan, prompt_id: str, image: int) -> bool:
    """Whether the PNG of an image of a prompt stays: the sample follows from the prompt's id and the
    image's number alone."""
    if plan.keep_images in (ALL, NONE):
        return plan.keep_images == ALL
    digest = hashlib.sha256(f"{prompt_id}:{image}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % KEPT_ONE_IN == 0


def batch_of(options: Mapping[str, Any]) -> int:
    """How many seeds of a prompt are drawn together at the most, by the options of a plan."""
    return int(options.get("batch", 1))


def batch_at(plan: RunPlan, position: int) -> range:
    """The positions that are drawn together with one: seeds of its prompt and guidance scale, the
    same ones whoever draws which of them first. Itself alone without the option ``batch``."""
    batch = batch_of(plan.options)
    if batch == 1:
        return range(position, position + 1)
    seed = position % plan.images % plan.seeds
    first = position - seed % batch
    return range(first, first + min(batch, plan.seeds - (seed - seed % batch)))


def guidance_at(
    image: int, guidance: float | None, guidances: Sequence[float], images: int
) -> float | None:
    """The guidance that the image ``image`` of a prompt is drawn with, of ``images`` images:
    first every seed with the first of the scales, then with the second, and so on."""
    return guidances[image * len(guidances) // images] if guidances else guidance


def order_of(plan: RunPlan) -> np.ndarray:
    """Every position, int64 ``(total,)``, in the order in which the run is quickest.

    The renderer draws a scene once and then in other colors at a hundredth of the cost: the same
    objects with the same seed follow each other. Any other model goes by the plan.
    """
    order = np.arange(plan.total, dtype=np.int64)
    if plan.kind != DRAWN or plan.model != RENDERER:
        return order
    # The same seed for another guidance scale is the same scene too.
    seeds = order % plan.images % plan.seeds
    return np.lexsort((order, seeds, _scenes(plan)[order // plan.images]))


def units_of(plan: RunPlan, order: np.ndarray) -> np.ndarray:
    """What of a run one task of a job array does as a whole, int64 for each position of ``order``:
    a scene of the renderer, a prompt with all its seeds, or one stored image."""
    if plan.kind != DRAWN:
        return order
    prompts = order // plan.images
    if plan.model != RENDERER:
        return prompts
    return _scenes(plan)[prompts] * plan.seeds + order % plan.images % plan.seeds


def _scenes(plan: RunPlan) -> np.ndarray:
    """For each prompt, int64, which scene of the renderer it asks for."""
    scenes: dict[tuple[tuple[str, str], ...], int] = {}
    return np.array(
        [
            scenes.setdefault(
                tuple((target.name, target.role) for target in prompt.targets), len(scenes)
            )
            for prompt in plan.prompts
        ],
        dtype=np.int64,
    )


def _check_drawing(kind: str, drawing: GenerationPlan, scales: int) -> None:
    images, size_px, options = drawing.images, drawing.size_px, drawing.options
    if not 1 <= images * scales <= MAX_IMAGES_A_PROMPT:
        suffix = f" of each of {scales} guidance scales" if scales > 1 else ""
        limit = max(MAX_IMAGES_A_PROMPT // scales, 1)
        raise BadInput(f"Images per prompt{suffix}: 1 to {limit:,}, not {images}.")
    if not 0 <= drawing.seed <= MAX_SEED + 1 - images:
        raise BadInput(f"The seeds must lie between 0 and {MAX_SEED:,}; start with a lower one.")
    if drawing.seed_mode not in SEED_MODES:
        raise BadInput(f"Seeds are {' or '.join(SEED_MODES)}, not {drawing.seed_mode!r:.40}.")
    if drawing.keep_images not in KEEP_IMAGES:
        modes = ", ".join(KEEP_IMAGES)
        raise BadInput(f"The images to keep are {modes}, not {drawing.keep_images!r:.40}.")
    if kind == "folder":
        raise BadInput("That model does not generate images: score its stored images instead.")
    smallest, largest = (SMALLEST_PX, LARGEST_PX) if kind == "renderer" else (64, 4096)
    if size_px is not None and not smallest <= size_px <= largest:
        raise BadInput(f"The size is {smallest} to {largest} pixels, not {size_px}.")
    batch = options.get("batch", 1)
    if type(batch) is not int or not 1 <= batch <= MAX_BATCH:
        raise BadInput(f"A batch has 1 to {MAX_BATCH} images, not {batch!r:.20}.")
    if batch > 1 and kind != "diffusers":
        raise BadInput("Only pipelines of diffusers generate a batch: leave it out for this model.")
    if kind == "renderer":
        unknown = sorted(set(options) - set(OPTIONS))
        if unknown:
            raise BadInput(f"The renderer has no option {unknown[0]!r}: {', '.join(OPTIONS)}.")
        for label, choices in (("light", LIGHTS), ("failure", FAILURES)):
            if options.get(label) and options[label] not in choices:
                raise BadInput(
                    f"The renderer has no {label} {options[label]!r}: {', '.join(choices)}."
                )


def _check_numbers(steps: int | None, guidance: float | None) -> None:
    """What no model takes would fail at every image of the run."""
    if steps is not None and steps < 1:
        raise BadInput(f"Steps must be at least 1, not {steps}.")
    if guidance is not None and not (math.isfinite(guidance) and guidance >= 0):
        raise BadInput(f"Guidance is a number from 0 on, not {guidance}.")


def _scales(
    guidance: float | None, guidances: Sequence[float]
) -> tuple[float | None, tuple[float, ...]]:
    """One guidance, or several scales."""
    if guidances and guidance is not None:
        raise BadInput("Give one guidance or several guidance scales, not both.")
    for scale in guidances:
        _check_numbers(None, scale)
    scales = tuple(float(scale) for scale in guidances)
    twice = next((scale for index, scale in enumerate(scales) if scale in scales[:index]), None)
    if twice is not None:
        raise BadInput(f"The guidance scale {twice:g} is given twice.")
    return (scales[0], ()) if len(scales) == 1 else (guidance, scales)


def _check_items(items: Sequence[StoredItem], prompts: int) -> None:
    if not items:
        raise BadInput("There is no image to score: none of this model is here for this set.")
    positions = {(item.prompt, item.image) for item in items}
    if len(positions) != len(items):
        raise BadInput("Two images have the same prompt and number.")
    if any(not 0 <= item.prompt < prompts or item.image < 0 for item in items):
        raise BadInput("An image belongs to no prompt of the plan.")


_latest_digest: tuple[tuple[Prompt, ...], str] = ((), "")
"""The latest prompts with their digest: the runs of a table share tens of thousands."""


def _prompts_sha256(prompts: Sequence[Prompt]) -> str:
    global _latest_digest
    latest, digest = _latest_digest
    # The very same prompts: it takes a millisecond, where comparing tens of thousands takes long.
    if not digest or len(latest) != len(prompts) or not all(map(is_, latest, prompts)):
        digest = rows_sha256(prompt.as_json() for prompt in prompts)
        _latest_digest = tuple(prompts), digest
    return digest


def rows_sha256(rows: Iterable[Any]) -> str:
    """SHA-256, hex, of plain rows: each as JSON with sorted keys and a line feed."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(canonical_json(row).encode() + b"\n")
    return digest.hexdigest()


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, the same for equal values."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)
