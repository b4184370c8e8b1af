"""The endpoints for programs: a few use cases of the page, the same for Gradio's API and MCP.
:func:`measure_image` is also at a plain address (:mod:`truehue.tabs.api.routes`).

Each endpoint's description is its docstring and the fields of its request
(:mod:`truehue.tabs.api.description`). Images are passed as text, base64 of a file or the id of a
stored image: no endpoint reads a path, and nothing is uploaded. This module does not use Gradio.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, cast

import numpy as np
from pydantic import Field

from truehue.core.color.distances import checked, compare
from truehue.core.color.people import naming_fields
from truehue.core.color.spaces import CONDITIONS
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.registry import RENDERER
from truehue.core.images.load import LoadedImage, load_image, object_pixels
from truehue.core.masks.from_marks import select_in_box
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import MaskCache, measure
from truehue.core.verdict.nearest import note_of
from truehue.core.verdict.rules import DEFAULT_RULE, LightMatch, Rival
from truehue.tabs.api.description import ApiRequest, Endpoint
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.generate import DRAWING
from truehue.tabs.generate.form import GenerateImages, start_generation
from truehue.tabs.generate.gallery import generations_json
from truehue.tabs.generate.own_prompt import OwnPrompt
from truehue.tabs.generate.plan import Controls, settings
from truehue.tabs.inspect.mask_request import preset_find, start_find
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.images import opaque_pixels
from truehue.tabs.page.jobs import is_reported
from truehue.tabs.page.jobs_service import NamedJob, job_view
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import Actor
from truehue.tabs.runs.form import start_runs
from truehue.tabs.runs.list import run_json
from truehue.tabs.runs.request import RunRequest
from truehue.tabs.verdicts.question import Question

ID_CHARACTERS = 64
MAX_IMAGES = 100
"""Images of a job that one answer tells of, the newest."""


class MeasureImage(ApiRequest):
    """An image, and what is asked of it."""

    image: str = Field(description="base64 of an image file, or the id of a stored image.")
    target: str = Field(
        description="the target color: a name, a hex, rgb or lab.",
        examples=["css:teal", "l3:vivid red", "#E83B1B"],
    )
    mask: str = Field(
        "",
        description="base64 of a mask file (white is inside), or the id of a stored mask; empty "
        "for the whole image, of a cut-out its opaque pixels.",
    )
    object_name: str = Field("", description="what the object is, for the sentences.")
    rule: str = Field(
        DEFAULT_RULE, description="the rule's id.", examples=["truehue", "paper", "released"]
    )
    k: int = Field(
        0,
        description="how many neighbors of the color are accepted, 0 to 20, by the paper's rules.",
    )
    relation: Literal["matches", "differs"] = Field(
        "matches",
        description="matches: the object must have the color; differs: it must not.",
    )
    box: list[float] = Field(
        [],
        description="instead of a mask, a box around the object: x0, y0, x1, y1 in pixels from the "
        "top left. Its pixels are found as Box in Inspect finds them. Empty for none.",
    )
    system: Literal["", "css", "l1", "l2", "l3", "people"] = Field(
        "", description="the color system of the target's name; empty for the first that has it."
    )


class MeasuredMetric(TypedDict):
    """A metric of a verdict. Without a ``threshold`` it is not judged, and ``passed`` is null;
    ``candidate`` is the accepted color that it was taken to."""

    value: float
    threshold: float | None
    passed: bool | None
    candidate: str


class AcceptedColor(TypedDict):
    """A color that counts as the target; ``name`` is empty for one given in numbers."""

    name: str
    hex: str
    lab: list[float]


class MeasuredOffset(TypedDict):
    """Measured minus accepted color; ``to`` names the accepted one."""

    lightness: float
    chroma: float
    hue_deg: float | None
    to: str


class MeasuredDominant(TypedDict):
    """How the color was found among the pixels; ``steps`` are names with counts of pixels."""

    method: str
    axis_hue_deg: float | None
    axis_share: float | None
    achromatic: bool
    pixels: int
    pixels_used: int
    steps: list[tuple[str, int]]


class MeasuredName(TypedDict):
    """A name that people use for a color, and its share of their answers, 0 to 1."""

    name: str
    share: float


class MeasuredImage(TypedDict):
    """A verdict with every number, as ``truehue measure --json`` prints it. Colors are CIELAB for
    D65 and 2 degrees; ``light`` and ``confidence_percent`` come with the rule ``truehue``."""

    status: Literal["pass", "fail"]
    reason: str
    rule: str
    version: str
    object: str
    target: str
    target_hex: str
    system: str | None
    relation: NotRequired[str]
    parameters: dict[str, Any]
    lab: list[float]
    target_lab: list[float]
    delta_e00: float | None
    delta_chroma: float | None
    hue_deg: float | None
    metrics: dict[str, MeasuredMetric]
    candidates: list[AcceptedColor]
    accepted_count: int
    found_hex: NotRequired[str]
    found_hue_deg: NotRequired[float]
    offset: NotRequired[MeasuredOffset]
    dominant: NotRequired[MeasuredDominant]
    confidence_percent: NotRequired[float]
    light: NotRequired[LightMatch]
    rival: NotRequired[Rival]
    accepted: str
    mask_px: int
    notes: list[str]
    people: list[MeasuredName]
    people_answers: int
    illuminant: str
    observer_deg: int
    names_note: str
    image_notes: list[str]


@requires("compute")
def measure_image(context: Context, actor: Actor, request: MeasureImage) -> MeasuredImage:
    """Does the object in an image have the target color, or, by relation, not have it? The verdict
    with every number.

    It is what ``truehue measure --json`` prints; nothing is stored.
    """
    image = _image(context, request.image)
    system = request.system or None
    target = parse_target(request.target, system)
    inside, mask_notes = _inside(context, request, image)
    put = Question(request.object_name, relation=request.relation)
    acceptance, cache = Acceptance(request.k, context.munsell, system), MaskCache()
    result = measure(
        image.srgb8,
        inside,
        target,
        request.rule,
        acceptance=acceptance,
        target_object=put.target_object,
        cache=cache,
    )
    return cast(
        MeasuredImage,
        {
            **result.as_json(),
            **CONDITIONS,
            **naming_fields(result.verdict.lab),
            "names_note": note_of(image.srgb8, inside, result, acceptance, cache),
            "image_notes": [*image.notes, *mask_notes],
        },
    )


class FindMask(ApiRequest):
    """An object in a stored image."""

    image_id: str = Field(description="the id of a stored image.")
    object_name: str = Field(description="what to look for.", examples=["mug"])


@requires("compute")
def find_mask(context: Context, actor: Actor, request: FindMask) -> Mapping[str, Any]:
    """Begins to find an object in a stored image by its name; needs a detector's weights.

    It is done as Find does it in Inspect where nothing else was chosen. Ask job_state for the end:
    its result has the mask's id.
    """
    preset = preset_find(context.sources, request.image_id, request.object_name)
    return {"job": start_find(context, actor, preset).id}


class Generate(ApiRequest):
    """A prompt, and how to draw it."""

    prompt: str = Field(description="the prompt.", examples=["a red mug"])
    model: str = Field(
        RENDERER, description="the id of a model of the list; the renderer needs no weights."
    )
    seed: int = Field(0, description="the first seed.")
    seeds: int = Field(1, description="how many images.")
    object_name: str = Field("", description="the object, where the prompt does not say it.")
    target: str = Field("", description="its target color, where the prompt does not say it.")


@requires("compute")
def generate(context: Context, actor: Actor, request: Generate) -> Mapping[str, Any]:
    """Puts a prompt into the queue of the device; the images are stored and judged.

    Ask job_state for the end: its result has the images' ids and their verdicts.
    """
    own = OwnPrompt(request.prompt, request.object_name, request.target)
    controls = Controls(
        request.model,
        request.seed,
        request.seeds,
        guidance=None,
        steps=None,
        size_px=None,
        light=None,
        failure=None,
    )
    how = settings(controls)
    return start_generation(context, actor, GenerateImages(own=own, how=how))


class CompareDistributions(ApiRequest):
    """Two distributions over the bins of UW-71."""

    a: list[float] = Field(description="71 shares with sum 1.")
    b: list[float] = Field(description="71 shares with sum 1.")


@requires("compute")
def compare_distributions(
    context: Context, actor: Actor, request: CompareDistributions
) -> Mapping[str, Any]:
    """The distances of two distributions of colors over the 71 bins of UW-71."""
    result = compare(
        checked(request.a, "The first distribution"), checked(request.b, "The second distribution")
    )
    return {
        "pcc": result.pcc,
        "emd_lab": result.emd_lab,
        "entropy_difference_nats": result.entropy_difference,
        "dominant_equal": result.dominant_equal,
        "delta_hue_deg": result.delta_hue_deg,
        "total_variation": result.total_variation,
        "jensen_shannon_nats": result.jensen_shannon,
    }


class StartRun(ApiRequest):
    """Prompts of a set, and who draws them."""

    prompt_set: str = Field(
        description="the id of a set: mini, gencolorbench, concepts, or an imported one.",
        examples=["mini"],
    )
    model: str = Field(RENDERER, description="the id of a model of the list.")
    limit: int = Field(20, description="how many prompts at most, evenly spaced.")
    images: int = Field(1, description="how many images a prompt.")
    seed: int = Field(0, description="the first seed.")
    name: str = Field(
        "", description="what the run is called; empty for a name of its model and set."
    )


@requires("compute")
def start_run(context: Context, actor: Actor, request: StartRun) -> Mapping[str, Any]:
    """Begins a whole run: prompts of a set drawn by a model, judged by three rules."""
    fields = dict(request)
    fields = {"set": fields.pop("prompt_set"), "models": [fields.pop("model")], **fields}
    return start_runs(context, actor, read_as(RunRequest, fields))


class NamedRun(ApiRequest):
    """A run."""

    run_id: str = Field(description="the id that start_run answered.")


@requires("look")
def run_state(context: Context, actor: Actor, request: NamedRun) -> Mapping[str, Any]:
    """How far a run is, and what came of it."""
    row = run_json(context, actor, context.service(RunSupervisor).folder(request.run_id))
    try:
        stored = context.storage.runs.get(request.run_id).items
    except NotStored:  # begun a moment ago
        stored = 0
    return {**row, "stored": stored}


class AnsweredJob(ApiRequest):
    """A piece of long work."""

    job_id: str = Field(description="the id that find_mask or generate answered.")


@requires("look")
def job_state(context: Context, actor: Actor, request: AnsweredJob) -> Mapping[str, Any]:
    """How far a piece of long work is, and its result: of find_mask the mask, of generate the
    images so far with what each is judged as, and why others could not be drawn."""
    view = job_view(context, actor, NamedJob(job_id=request.job_id))
    if view["kind"] != DRAWING or not is_reported(
        context.jobs, actor, context.jobs.get(request.job_id)
    ):
        return view
    records = context.storage.drawings.of_job(request.job_id, MAX_IMAGES)
    return {**view, "result": {"drawings": generations_json(context, records)}}


class Leaderboard(ApiRequest):
    """How the board is counted."""

    rule: str = Field(DEFAULT_RULE, description="the rule's id.")


@requires("look")
def leaderboard(context: Context, actor: Actor, request: Leaderboard) -> Mapping[str, Any]:
    """The accuracy of every run by one rule, with 95% intervals."""
    return leaderboard_view(context, {"rule": request.rule}, actor)


ENDPOINTS = (
    Endpoint(measure_image),
    Endpoint(find_mask),
    Endpoint(generate),
    Endpoint(compare_distributions),
    Endpoint(start_run),
    Endpoint(run_state),
    Endpoint(job_state),
    Endpoint(leaderboard),
)
"""What there is to call, by whatever door."""


def _is_id(text: str) -> bool:
    return len(text) == ID_CHARACTERS and not set(text) - set("0123456789abcdef")


def _file(text: str, label: str) -> bytes:
    """The bytes of a file that came as base64, with or without ``data:…,`` before it. How long it
    may be is held by the doors."""
    try:
        return base64.b64decode(text.rpartition(",")[2], validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(
            f"The {label} is neither base64 of a file nor the id of a stored {label} "
            f"({ID_CHARACTERS} hexadecimal characters)."
        ) from None


def _image(context: Context, image: str) -> LoadedImage:
    if _is_id(image):
        record = context.storage.images.get(image)
        return LoadedImage(
            context.srgb8(image), record.name, record.notes, opaque_pixels(context, image)
        )
    return load_image(_file(image, "image"))


def _inside(
    context: Context, request: MeasureImage, image: LoadedImage
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The pixels of the object, bool ``(H, W)``, and what to know about them."""
    if request.mask and request.box:
        raise BadInput("Give a mask or a box, not both.", "box")
    if request.box:
        return select_in_box(image.srgb8, request.box, image.opaque)
    if request.mask and _is_id(request.mask):
        return context.mask_pixels(request.mask), ()
    return object_pixels(image, _file(request.mask, "mask") if request.mask else None)
