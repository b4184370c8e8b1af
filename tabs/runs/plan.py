"""Plans from a request: its prompts, its name, one plan for each model, and what this machine
needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from truehue.core.color.systems import SYSTEMS
from truehue.core.concepts.matching import normal, similar
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import HOW_TO, Registration
from truehue.core.generation.registry import RENDERER, name_of, released_settings
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import local_gpus, usable_cores
from truehue.core.prompts.prompt import Prompt
from truehue.core.runs.devices import expected_devices
from truehue.core.runs.plan import make_plan
from truehue.core.runs.protocols import protocol
from truehue.core.runs.records import GenerationPlan, RunPlan, ScoringPlan, StoredItem
from truehue.core.runs.refinement import is_cfm_map
from truehue.core.runs.subsample import subsample
from truehue.core.runs.summary import cfr_text, stored_name, with_weights
from truehue.tabs.page.errors import count_noun
from truehue.tabs.runs.request import RunRequest

EVERY_MODIFIER = "*"
"""After a thing's name: with all its modifiers."""
MAX_NAMED = 3


def chosen(prompts: Sequence[Prompt], request: RunRequest) -> tuple[Prompt, ...]:
    """The prompts of a set that the request's filters leave, in the set's order.

    A limit takes them as :func:`truehue.core.runs.subsample.subsample`: at equal distances, concepts as
    whole families. Raises BadInput where none is left.
    """
    of_concepts = _of_concepts(prompts, request.concepts) if request.concepts else prompts
    fitting = [
        prompt
        for prompt in of_concepts
        if request.task in ("", prompt.task) and request.system in ("", prompt.system)
    ]
    if not fitting:
        message = " and ".join(
            text
            for text in (
                request.task and f"the task {request.task.upper()}",
                request.system and f"the color system {SYSTEMS[request.system]}",
            )
            if text
        )
        field = "system" if request.system else "task" if request.task else "set"
        message = f"The set has no prompt of {message}." if message else "It is empty."
        raise BadInput(message, field)
    return tuple(fitting) if request.limit is None else subsample(fitting, request.limit)


def _of_concepts(prompts: Sequence[Prompt], concepts: Sequence[str]) -> list[Prompt]:
    """The prompts of these concepts, in the set's order. Raises BadInput for one that no prompt
    is of."""
    texts = {index: _text(prompt) for index, prompt in enumerate(prompts) if prompt.concept}
    used: set[int] = set()
    for concept in concepts:
        resource, every, _ = concept.partition(EVERY_MODIFIER)
        wanted = normal(resource)
        fitting = {
            key
            for key, text in texts.items()
            if wanted == (normal(prompts[key].concept) if every else text)
        }
        if not fitting:
            near = [word for word in similar(wanted) if word in set(texts.values())]
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise BadInput(f"The set has no concept {concept[:60]!r}.{hint}", "concepts")
        used |= fitting
    return [prompts[index] for index in sorted(used)]


def _text(prompt: Prompt) -> str:
    return normal(f"{prompt.modifier} {prompt.concept}")


def plans(
    request: RunRequest,
    prompts: Sequence[Prompt],
    title: str,
    set_name: str = "",
    munsell: str = "",
    items: Sequence[StoredItem] = (),
    cfm: Registration | None = None,
) -> list[RunPlan]:
    """One plan a model. ``prompts`` as :func:`chosen` gave them, ``title`` what people call their
    set, ``set_name`` what the plan calls it (without one, the request's), ``munsell`` the file of
    samples, ``items`` the images of a request that scores stored ones, ``cfm`` the registered CFM,
    which is planned where its map is asked for. Raises BadInput for what
    no run can be.
    """
    run_plans = []
    for model in request.models:
        try:
            plan = make_plan(
                prompts,
                model,
                drawing=_drawing(request, model, cfm),
                judging=ScoringPlan(request.masker_spec, request.rules, request.k, munsell),
                items=items if request.is_stored else None,
                name=_name(request, model, title, len(prompts)),
                set_name=set_name or request.set,
                protocol=request.protocol,
            )
        except BadInput as error:
            raise BadInput(str(error), error.field or _field_of(str(error))) from None
        run_plans.append(plan)
    return run_plans


def _drawing(request: RunRequest, model_id: str, cfm: Registration | None) -> GenerationPlan:
    """How a model draws; what it does not take is not written down as if it had. Raises BadInput
    where CFM's map is asked for and no CFM is registered."""
    if request.is_stored:
        return GenerationPlan(request.images, request.seed)
    by_cfm = bool(request.cfr) and is_cfm_map(request.options_of_cfr)
    if by_cfm and cfm is None:
        raise BadInput(HOW_TO, "cfr_map")
    if model_id == RENDERER and not request.cfr:
        options = {"light": request.light, "failure": request.failure}
        return GenerationPlan(
            request.images,
            request.seed,
            size_px=request.size,
            options=options,
            seed_mode=request.seeds,
            keep_images=request.keep_images,
        )
    drawing = GenerationPlan(
        images=request.images,
        seed=request.seed,
        guidances=request.guidance,
        steps=request.steps,
        size_px=request.size,
        negative_text=request.negative,
        seed_mode=request.seeds,
        keep_images=request.keep_images,
        # Written down only where it changes something: the plans of before had none.
        options={
            **request.options_of_cfr,
            **({"batch": request.batch} if request.batch > 1 else {}),
        },
        cfm=cfm if by_cfm else None,
    )
    if not (request.protocol and protocol(request.protocol).released):
        return drawing
    named = released_settings(model_id)
    return replace(
        drawing, steps=named.steps, guidance=named.guidance, size_px=max(named.width, named.height)
    )


def _field_of(message: str) -> str:
    """The field that a refusal of the plan speaks of, or none."""
    starts = {
        "The size": "size",
        "That model": "models",
        "A batch": "batch",
        "Only pipelines": "batch",
        "The seeds": "seed",
        "Images per prompt": "images",
        "There is no image": "models",
        "There is no prompt": "set",
    }
    return next((field for start, field in starts.items() if message.startswith(start)), "")


def _concepts_text(concepts: Sequence[str]) -> str:
    """``banana, rotten banana``, and of many the first and how many more."""
    more = len(concepts) - MAX_NAMED
    shown = concepts[:MAX_NAMED]
    return ", ".join([*shown, count_noun(more, "more concept")] if more > 0 else shown)


def _name(request: RunRequest, model_id: str, title: str, prompts: int) -> str:
    """What people call the run: as they said, or what makes it another than the next."""
    called = stored_name(model_id) if request.is_stored else name_of(model_id)
    if request.name:
        return request.name if len(request.models) == 1 else f"{request.name} · {called}"
    parts = [title, _concepts_text(request.concepts), request.task.upper(), request.system.upper()]
    if request.limit is not None:
        parts.append(f"{prompts:,} prompts")
    # What differs from the next run stands first: lists and file names are cut at the end.
    is_generated = not request.is_stored
    failure = f", {request.failure}" if is_generated and request.failure != "none" else ""
    seed = f", seed {request.seed}" if is_generated else ""
    size = f", {request.size} px" if is_generated and request.size else ""
    settings = f", {request.protocol}" if request.protocol else ""
    cfr = f", {text}" if (text := cfr_text({"options": request.options_of_cfr})) else ""
    return f"{called}{failure}{cfr}{settings}{seed}{size} · {', '.join(part for part in parts if part)}"


def about_of(plan: RunPlan) -> dict[str, Any]:
    """What of a plan says which models it needs, as a folder's summary does."""
    return {"model": plan.model, "kind": plan.kind, "masker": asdict(plan.masker)}


def default_workers(summary: Mapping[str, Any]) -> int:
    """A worker a GPU where models are put onto one, else a worker a core."""
    return max(1, local_gpus()) if with_weights(summary) else usable_cores()


def devices_remarks(run_plans: Sequence[RunPlan], sources: Sources) -> list[str]:
    """Where the models of plans would be on this machine: what is slower there than it could be."""
    sentences = (text for plan in run_plans for text in expected_devices(plan, sources))
    return list(dict.fromkeys(sentences))


def sharing_text(workers: int, summary: Mapping[str, Any]) -> str:
    """That more workers than GPUs of this machine share them; empty where each has its own."""
    gpus = local_gpus()
    if not with_weights(summary) or not gpus or workers <= gpus:
        return ""
    limit = -(-workers // gpus)
    return (
        f"{count_noun(workers, 'worker')} share {count_noun(gpus, 'GPU')}, up to {limit} on one, and each loads "
        "models of its own."
    )
