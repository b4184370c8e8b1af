"""The form of runs: its choices, the estimate of a request, and the start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NotRequired, TypedDict

from truehue.core.color.systems import SYSTEMS
from truehue.core.errors import BadInput
from truehue.core.generation.opening import missing
from truehue.core.generation.registry import MODELS, model, name_of
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import local_gpus, usable_cores
from truehue.core.masks import salient
from truehue.core.masks.grounded.variants import VARIANTS
from truehue.core.masks.grounded.weights import VISION_MODELS, Role, vision_model
from truehue.core.masks.grounded.weights import missing as vision_missing
from truehue.core.prompts.concepts import SOURCE as CONCEPTS
from truehue.core.prompts.prompt import TASKS, Prompt
from truehue.core.refinement.settings import MAPPED
from truehue.core.runs.adaptive import PERCENT, check_runs
from truehue.core.runs.estimate import Estimate, free_bytes
from truehue.core.runs.protocols import PROTOCOLS, Protocol
from truehue.core.runs.records import (
    ALL,
    DRAWN,
    GROUNDED,
    KEPT_ONE_IN,
    NONE,
    PER_PROMPT,
    SALIENT,
    SAMPLE,
    SHARED,
    RunPlan,
    StoredItem,
)
from truehue.core.runs.summary import with_weights
from truehue.core.runs.worker import WorkerSettings
from truehue.core.verdict.rules import RULES
from truehue.tabs.batches.messages import bytes_text, time_text
from truehue.tabs.batches.service import release
from truehue.tabs.batches.supervisor import Execution, RunSupervisor
from truehue.tabs.library.service import SELECTION, Library
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.fidelity import Fidelity
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.roles import Actor, allowed, authorize, may_open
from truehue.tabs.runs.messages import (
    images_text,
    money_text,
    plan_remarks,
    share_text,
    space_problem,
)
from truehue.tabs.runs.plan import about_of, chosen, devices_remarks, plans, sharing_text
from truehue.tabs.runs.request import (
    CFR_MAPS,
    DEFAULT_IMAGES,
    DEFAULT_RULES,
    DETECTOR,
    SEGMENTER,
    RunRequest,
    preset_fields,
)
from truehue.tabs.runs.scored import store_verdicts
from truehue.tabs.runs.stored_sources import StoredChoice, stored_choices, stored_items
from truehue.tabs.runs.trial import Trials

# A newcomer who presses Start gets a run of minutes, not of days.
DEFAULT_LIMIT = 100
_CFR_VARIANTS = {
    "full": "In space and time (as published)",
    "spatial": "In space only",
    "temporal": "In time only",
    "none": "Not at all (the paper’s baseline)",
}
DRAWABLE = ("renderer", "diffusers", "transformers")
SIZES = (128, 256, 512, 768, 1024, 1536, 2048)


class RunChoice(TypedDict):
    """One of several settings."""

    id: str
    name: str


class ProtocolChoice(RunChoice):
    """A preset of a paper, what it is in a sentence, and what it fills into the form."""

    title: str
    fields: dict[str, str]
    rules: list[str]


class RunModel(RunChoice):
    """A model, and what it lacks here, a sentence a line."""

    lacking: str


class RunSet(RunChoice):
    """A prompt set or a selection; ``concepts`` says that it is the set of concepts."""

    count: int
    concepts: NotRequired[bool]


class CfrVariant(RunChoice):
    """A variant of CFR, and whether it reads λ and a map."""

    strength: bool
    map: bool


class RunRule(RunChoice):
    """A rule; ``usual`` ones are chosen, ``main`` ones offered first."""

    description: str
    usual: bool
    main: bool


class RunFormView(TypedDict):
    """What the form of runs offers, with what is chosen at first."""

    local: bool
    percent: float
    set: str
    sets: list[RunSet]
    tasks: list[RunChoice]
    systems: list[RunChoice]
    models: list[RunModel]
    stored: list[StoredChoice]
    limit: int
    images: int
    sizes: list[RunChoice]
    protocols: list[ProtocolChoice]
    seeds: list[RunChoice]
    keep_images: list[RunChoice]
    cfr_variants: list[CfrVariant]
    cfr_maps: list[RunChoice]
    lights: list[RunChoice]
    failures: list[RunChoice]
    variants: list[RunChoice]
    salient: str
    detectors: list[RunModel]
    segmenters: list[RunModel]
    presences: list[RunModel]
    detector: str
    segmenter: str
    rules: list[RunRule]
    workers: int
    machine: str


def _preset_texts(preset: Protocol) -> dict[str, str]:
    """What a protocol fills into the form, by the names of its fields; empty for a model's own."""
    fields = preset_fields(preset)
    names = ("images", "seed", "steps", "size", "k", "variant", "detector", "segmenter", "presence")
    texts = {name: str(fields.get(name, "")) for name in names if name in fields}
    texts |= {name: texts.get(name, "") for name in ("steps", "size", "presence")}
    texts["guidance"] = ", ".join(f"{scale:g}" for scale in preset.guidances)
    return texts | {"masker": preset.masker.kind}


def form_view(context: Context, actor: Actor) -> RunFormView:
    """All choices of the form, with what each model needs to be installed."""
    sources = context.sources
    cores, gpus = usable_cores(), local_gpus()
    return {
        "local": allowed(actor, "name-folder"),
        "percent": PERCENT,
        "set": "mini",
        "sets": _sets_and_selections(context.service(Library)),
        "tasks": [{"id": task, "name": name} for task, name in TASKS.items()],
        "systems": [{"id": system, "name": name} for system, name in SYSTEMS.items()],
        "models": [
            {
                "id": model_id,
                "name": name_of(model_id),
                "lacking": describe_missing(model_id, context),
            }
            for model_id in (
                *(entry.id for entry in MODELS if entry.kind in DRAWABLE),
                *(f"served:{name}" for name in context.endpoints),
            )
        ],
        "stored": stored_choices(context),
        "limit": DEFAULT_LIMIT,
        "images": DEFAULT_IMAGES,
        "sizes": [{"id": str(side), "name": f"{side} × {side}"} for side in SIZES],
        "protocols": [
            {
                "id": by.id,
                "name": by.name,
                "title": by.summary,
                "fields": _preset_texts(by),
                "rules": list(by.rules),
            }
            for by in PROTOCOLS
        ],
        "seeds": [
            {"id": SHARED, "name": "Shared by prompts"},
            {"id": PER_PROMPT, "name": "Per prompt"},
        ],
        "keep_images": [
            {"id": ALL, "name": "All"},
            {"id": SAMPLE, "name": f"A sample, 1 in {KEPT_ONE_IN}"},
            {"id": NONE, "name": "None"},
        ],
        "cfr_variants": [
            {"id": variant, "name": name, "strength": variant != "none", "map": variant in MAPPED}
            for variant, name in _CFR_VARIANTS.items()
        ],
        "cfr_maps": [
            {"id": map_id, "name": name}
            for map_id, name in zip(CFR_MAPS, _cfr_map_names(context), strict=True)
        ],
        "lights": [{"id": light, "name": light} for light in LIGHTS],
        "failures": [{"id": failure, "name": failure} for failure in FAILURES],
        "variants": [{"id": variant.id, "name": variant.name} for variant in VARIANTS],
        "salient": "" if salient.is_available(sources) else salient.how_to_get(sources),
        "detectors": _vision_models(sources, "detector"),
        "segmenters": _vision_models(sources, "segmenter"),
        "presences": _vision_models(sources, "presence"),
        "detector": DETECTOR,
        "segmenter": SEGMENTER,
        "rules": [
            {
                "id": by.id,
                "name": by.name,
                "description": by.description,
                "usual": by.id in DEFAULT_RULES,
                "main": by.main,
            }
            for by in RULES
        ],
        "workers": gpus or max(1, cores - cores // 4),
        "machine": f"{count_noun(cores, 'core')}, {count_noun(gpus, 'GPU') if gpus else 'no GPU'} available. "
        + ("One worker per GPU." if gpus else "One worker per core."),
    }


def _cfr_map_names(context: Context) -> tuple[str, str, str]:
    """In the order of CFR_MAPS. Without a registered CFM the last is refused with the way to one."""
    missing = "" if context.service(Fidelity).registration() else " (no CFM registered)"
    return "Saturation of a first pass", "The sampler’s prediction", f"CFM{missing}"


def _sets_and_selections(library: Library) -> list[RunSet]:
    sets: list[RunSet] = [
        {
            "id": prompt_set.id,
            "name": prompt_set.title,
            "count": prompt_set.count,
            "concepts": prompt_set.id == CONCEPTS,
        }
        for prompt_set in library.sets()
    ]
    selections: list[RunSet] = [
        {"id": SELECTION + name, "name": f"Selection: {name}", "count": count}
        for name, count in library.selections()
    ]
    return sets + selections


def _vision_models(sources: Sources, role: Role) -> list[RunModel]:
    return [
        {"id": entry.id, "name": entry.name, "lacking": _lines(vision_missing(entry, sources))}
        for entry in VISION_MODELS
        if entry.role == role
    ]


def describe_missing(model_id: str, context: Context) -> str:
    """What a model lacks before it can draw here, a sentence a line; empty when it can."""
    return _lines(missing(model(model_id), None, context.sources, context.endpoints))


def plan_runs(
    context: Context, actor: Actor, request: RunRequest
) -> tuple[list[RunPlan], Execution, int]:
    """The plans of a request, how to execute them, and how many prompts the set has.

    Raises BadInput and NotAllowed, which name the field.
    """
    request = request.checked()
    for model_id in () if request.is_stored else request.models:
        may_open(actor, model_id, "models")
    for role in ("detector", "segmenter", "presence"):
        may_open(actor, getattr(request.masker_spec, role), role)
    every, title, set_name = prompts_of(context, request)
    prompts = chosen(every, request)
    items: list[StoredItem] = []
    if request.is_stored:
        items, drawn_by = stored_items(context, request, prompts)
        request = request.model_copy(update={"models": (drawn_by,)})
    team, address = _ray(actor, request.ray)
    if request.workers > context.limits.workers:
        raise BadInput(
            f"The number of workers is a whole number from 1 to {context.limits.workers:,}, not "
            f"{request.workers:,}.",
            "workers",
        )
    execution = Execution(request.workers, team, address, owner=actor.id)
    cfm = context.service(Fidelity).registration() if request.cfr else None
    run_plans = plans(request, prompts, title, set_name, context.munsell_file, items, cfm)
    if request.adaptive is not None:
        # All plans of a request have the same prompts.
        check_runs(
            [
                {
                    "kind": plan.kind,
                    "rules": plan.rules,
                    "images": plan.images,
                    "prompts_sha256": "",
                }
                for plan in run_plans
            ]
        )
    return run_plans, execution, len(every)


def prompts_of(context: Context, request: RunRequest) -> tuple[Sequence[Prompt], str, str]:
    """The prompts of the request's set, what people call it, and what a plan calls it."""
    titles = {prompt_set.id: prompt_set for prompt_set in context.service(Library).sets()}
    prompt_set = titles.get(request.set)
    if prompt_set is None and not request.set.startswith(SELECTION):
        raise BadInput(f"There is no prompt set {request.set[:80]!r}.", "set")
    title = prompt_set.title if prompt_set else request.set.removeprefix(SELECTION)
    try:
        prompts = context.service(Library).index(request.set).prompts
    except BadInput as error:
        raise BadInput(str(error), "set") from None
    return prompts, title, title if prompt_set and prompt_set.imported else request.set


class RunEstimate(TypedDict):
    """What a run would take; ``seconds`` is None where nothing tells how long an image takes.
    ``whole`` is what the whole set would take where adaptive rounds take a part of it."""

    prompts: int
    of: int
    pictures: int
    sentence: str
    seconds: float | None
    time: str
    basis: str
    disk: str
    disk_basis: str
    cost: str
    whole: str


class StartedRuns(TypedDict):
    """The ids of runs that were started."""

    runs: list[str]


@requires("look")
def estimate_view(context: Context, actor: Actor, request: RunRequest) -> RunEstimate:
    """The time, space and cost that a run would take. Raises BadInput that names the field."""
    run_plans, execution, total = plan_runs(context, actor, request)
    estimates = [
        context.service(Trials).estimate(
            plan, context.service(RunSupervisor).root, execution.workers
        )
        for plan in run_plans
    ]
    durations_s = [estimate.seconds for estimate in estimates if estimate.seconds is not None]
    whole_s = sum(durations_s) if len(durations_s) == len(estimates) else None
    share = (request.adaptive or 100.0) / 100.0
    seconds = None if whole_s is None else whole_s * share
    disk_bytes = sum(estimate.disk_bytes for estimate in estimates)
    about = "about" if request.adaptive is None else "at most about"
    workers = f" with {count_noun(execution.workers, 'worker')}" if execution.workers > 1 else ""
    remarks = list(plan_remarks(request, run_plans))
    if execution.team == "local":
        remarks += devices_remarks(run_plans, context.sources)
        remarks += filter(None, [sharing_text(execution.workers, about_of(run_plans[0]))])
    if request.adaptive is not None:
        remarks.insert(0, share_text(run_plans, request.adaptive))
    return {
        "prompts": len(run_plans[0].prompts),
        "of": total,
        "pictures": sum(plan.total for plan in run_plans),
        "sentence": " ".join([f"{images_text(run_plans)}{'.' * bool(remarks)}", *remarks]),
        "seconds": seconds,
        "time": "unknown" if seconds is None else f"{about} {time_text(seconds)}{workers}",
        "basis": " ".join(dict.fromkeys(estimate.basis for estimate in estimates)),
        "disk": f"{about} {bytes_text(disk_bytes * share)}",
        "disk_basis": _space_problem(context, estimates, share),
        "cost": "" if request.price is None else money_text(seconds, request.price),
        "whole": ""
        if request.adaptive is None
        else _whole_text(whole_s, disk_bytes, request.price),
    }


def _whole_text(seconds: float | None, disk_bytes: int, price: float | None) -> str:
    """What every image of the set would take."""
    parts = [time_text(seconds) if seconds is not None else "time unknown", bytes_text(disk_bytes)]
    if price is not None:
        parts.append(f"cost {money_text(seconds, price)}")
    return ", ".join(parts)


def _space_problem(context: Context, estimates: Sequence[Estimate], share: float) -> str:
    root = context.service(RunSupervisor).root
    index = root if context.local else "the data folder"
    free = free_bytes(root)
    if context.allowance is not None:
        index, free = "your files", min(free, context.allowance.left_bytes())
    return space_problem(sum(estimate.disk_bytes for estimate in estimates) * share, free, index)


def _lines(sentences: Sequence[str]) -> str:
    """A sentence a line: some end with a command. What to do by hand without it is no help here."""
    return "\n".join(sentence for sentence in sentences if not sentence.startswith("Without "))


@requires("compute")
def try_out(context: Context, actor: Actor, request: RunRequest) -> RunEstimate:
    """Generates three images where the time per image is not known yet; returns the estimate.
    Raises BadInput, and TrueHueError where none could be drawn."""
    run_plans, _, _ = plan_runs(context, actor, request)
    for plan in run_plans:
        _ready(context, plan)
    settings = WorkerSettings(context.sources, dict(context.endpoints))
    root = context.service(RunSupervisor).root

    def work(job: Job) -> dict[str, Any]:
        job.tell("Timing a test of 3 images")
        if any(with_weights(about_of(plan)) for plan in run_plans):
            release(context.engine, job.stop)
        context.service(Trials).try_out(run_plans, settings, root, stop=job.stop)
        return {}

    job = context.jobs.start("trial", f"Trial of {run_plans[0].name}", actor, work)
    if problem := context.jobs.wait(job.id).problem:
        raise BadInput(problem)
    return estimate_view(context, actor, request)


@requires("compute")
def start_runs(context: Context, actor: Actor, request: RunRequest) -> StartedRuns:
    """Starts runs, and returns their ids. Raises BadInput, also for a model that cannot draw here
    yet, and NotAllowed for an equal run of somebody else that has not ended."""
    run_plans, execution, _ = plan_runs(context, actor, request)
    if execution.team == "local":
        for plan in run_plans:
            _ready(context, plan)
    supervisor = context.service(RunSupervisor)
    supervisor.when_scored(partial(store_verdicts, context.bound()))
    # All of them are checked before the first begins.
    fresh = [plan for plan in run_plans if supervisor.check_start(plan, actor) is None]
    estimates = [
        context.service(Trials).estimate(plan, supervisor.root, execution.workers) for plan in fresh
    ]
    if problem := _space_problem(context, estimates, (request.adaptive or 100.0) / 100.0):
        raise BadInput(problem, "limit")
    try:
        context.limits.check_runs(
            [plan.total for plan in run_plans],
            supervisor.queue.waiting(),
            supervisor.limit.waiting(),
        )
    except BadInput as error:
        raise BadInput(str(error), "models") from None
    if request.adaptive is not None:
        execution = replace(execution, percent=request.adaptive)
        return {"runs": supervisor.start_comparison(run_plans, execution, actor)}
    return {"runs": [supervisor.start(plan, execution, actor) for plan in run_plans]}


def _ready(context: Context, plan: RunPlan) -> None:
    """Raises BadInput where the model, or one that finds objects, is not here."""
    if plan.kind == DRAWN and (problem := describe_missing(plan.model, context)):
        raise BadInput(f"{name_of(plan.model)} cannot generate images yet. {problem}", "models")
    if plan.masker.kind == SALIENT and not salient.is_available(context.sources):
        raise BadInput(salient.how_to_get(context.sources), "masker")
    if plan.masker.kind != GROUNDED:
        return
    roles: tuple[Role, ...] = ("detector", "segmenter", "presence")
    for role in roles:
        named = getattr(plan.masker, role)
        if named and (
            problem := _lines(vision_missing(vision_model(named, role), context.sources))
        ):
            raise BadInput(problem, role)


def _ray(actor: Actor, text: str) -> tuple[str, str]:
    """Team and address: nothing is this machine alone; ``ray`` or an address is a cluster."""
    if not text or text == "local":
        return "local", ""
    authorize(actor, "name-cluster", field="ray")
    return "ray", "" if text == "ray" else text
