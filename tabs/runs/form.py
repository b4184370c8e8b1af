"""What the form of runs offers, what its wish would take, and starting it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from core.color.systems import SYSTEMS
from core.errors import BadInput, NotStored
from core.generation.readiness import missing
from core.generation.registry import MODELS, model, name_of
from core.generation.renderer import FAILURES, LIGHTS
from core.machine import gpus_here, usable_cores
from core.masks.grounded.variants import VARIANTS
from core.masks.grounded.vision_models import VISION_MODELS, Role, vision_model
from core.masks.grounded.weights import missing as vision_missing
from core.prompts.prompt import TASKS, Prompt
from core.runs.records import DRAWN, RunPlan, StoredItem
from core.runs.worker import WorkerSettings
from core.verdict.rules import RULES
from tabs.library.service import SELECTION, Library
from tabs.page.actor import Actor, asks, may, may_open
from tabs.page.context import Context
from tabs.page.errors import many
from tabs.page.jobs import Job
from tabs.runs.machine import about_of, release, with_weights
from tabs.runs.plan import chosen, plans
from tabs.runs.request import (
    DEFAULT_IMAGES,
    DEFAULT_RULES,
    DETECTOR,
    GROUNDED,
    SEGMENTER,
    RunRequest,
    RunWish,
)
from tabs.runs.stored import OF_RUN, of_model, of_run
from tabs.runs.supervisor import How, RunSupervisor
from tabs.runs.trial import Trials
from tabs.runs.words import bytes_words, money_words, pictures_words, time_words, told_before

if TYPE_CHECKING:
    from storage.store import Storage

_KEPT: WeakKeyDictionary[Storage, tuple[Any, list[StoredItem], str]] = WeakKeyDictionary()
# A newcomer who presses Start gets a run of minutes, not of days.
DEFAULT_LIMIT = 100
DRAWABLE = ("renderer", "diffusers", "transformers")
SIZES = (128, 256, 512, 768, 1024, 1536, 2048)


def form_view(context: Context) -> dict[str, Any]:
    """Everything that can be chosen, with what each model lacks here."""
    sources = context.sources
    cores, gpus = usable_cores(), gpus_here()
    return {
        "local": context.local,
        "set": "mini",
        "sets": [
            *(
                {"id": one.id, "name": one.title, "count": one.count}
                for one in context.service(Library).sets()
            ),
            *(
                {"id": SELECTION + name, "name": f"Selection: {name}", "count": count}
                for name, count in context.service(Library).selections()
            ),
        ],
        "tasks": [{"id": one, "name": name} for one, name in TASKS.items()],
        "systems": [{"id": one, "name": name} for one, name in SYSTEMS.items()],
        "models": [
            {"id": one, "name": name_of(one), "lacking": lacking(one, context)}
            for one in (
                *(entry.id for entry in MODELS if entry.kind in DRAWABLE),
                *(f"served:{name}" for name in context.endpoints),
            )
        ],
        "stored": stored_choices(context),
        "limit": DEFAULT_LIMIT,
        "images": DEFAULT_IMAGES,
        "sizes": [{"id": str(side), "name": f"{side} × {side}"} for side in SIZES],
        "lights": [{"id": light, "name": light} for light in LIGHTS],
        "failures": [{"id": failure, "name": failure} for failure in FAILURES],
        "variants": [{"id": variant.id, "name": variant.name} for variant in VARIANTS],
        **{
            f"{role}s": [
                {"id": one.id, "name": one.name, "lacking": _lines(vision_missing(one, sources))}
                for one in VISION_MODELS
                if one.role == role
            ]
            for role in ("detector", "segmenter", "presence")
        },
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
        "machine": f"{many(cores, 'core')}, {many(gpus, 'GPU') if gpus else 'no GPU'} here. "
        + ("One worker a GPU." if gpus else "One worker a core."),
    }


def stored_choices(context: Context) -> list[dict[str, str]]:
    """Whose pictures can be scored: models of stored drawings, and runs that drew."""
    drawings = context.storage.drawings
    drawn = [
        {
            "id": name,
            "name": f"{name_of(name)} · {many(count, 'picture')}",
            "set": next((row.prompt_source for row in drawings.recent(1, model=name)), ""),
        }
        for name, count in drawings.models()
    ]
    runs = []
    for folder in context.service(RunSupervisor).folders():
        try:
            about, done = folder.summary(), folder.state().done
        except BadInput:
            continue  # The list of runs says what is wrong with it.
        pictures = about.get("imported", {}).get("images", True)
        if about["kind"] == DRAWN and done and pictures:
            name = f"Run “{about['name']}” · {many(done, 'picture')}"
            runs.append({"id": OF_RUN + folder.run_id, "name": name})
    return drawn + runs


def lacking(model_id: str, context: Context) -> str:
    """What a model lacks before it can draw here, a sentence a line; empty when it can."""
    return _lines(missing(model(model_id), None, context.sources, context.endpoints))


def planned(
    context: Context, actor: Actor, request: RunRequest
) -> tuple[RunWish, list[RunPlan], How, int]:
    """The wish, its plans, how to execute them, and how many prompts the set has.

    Raises BadInput and NotAllowed, which name the field.
    """
    wish = request.wish()
    for one in () if wish.stored else wish.models:
        may_open(actor, one, "models")
    for role in ("detector", "segmenter", "presence"):
        may_open(actor, getattr(wish.masker, role), role)
    every, title, set_name = prompts_of(context, wish)
    prompts = chosen(every, wish)
    items: list[StoredItem] = []
    if wish.stored:
        items, drawn_by = _pictures(context, wish, prompts)
        wish = replace(wish, models=(drawn_by,))
    team, address = _ray(actor, request.ray)
    if request.workers > context.limits.workers:
        raise BadInput(
            f"The number of workers is a whole number from 1 to {context.limits.workers:,}, not "
            f"{request.workers:,}.",
            "workers",
        )
    how = How(request.workers, team, address, actor.id)
    made = plans(wish, prompts, title, set_name, context.munsell_file, items)
    return wish, made, how, len(every)


def _pictures(
    context: Context, wish: RunWish, prompts: Sequence[Prompt]
) -> tuple[list[StoredItem], str]:
    """The pictures of a model, or of ``run:<id>``, and the model that drew them.

    The last answer is kept: the estimate asks for the same ones at every other change of the form.
    """
    (named,) = wish.models
    folder = None
    if named.startswith(OF_RUN):
        try:
            folder = context.service(RunSupervisor).folder(named.removeprefix(OF_RUN))
        except NotStored as error:
            raise BadInput(str(error), "models") from None
    now = (
        tuple(folder.shards())
        if folder
        else (context.storage.drawings.count(), context.storage.masks.count())
    )
    key = (named, wish.set_id, wish.task, wish.system, wish.limit, len(prompts), now)
    kept = _KEPT.get(context.storage)
    if kept is not None and kept[0] == key:
        return kept[1], kept[2]
    items = of_run(folder, prompts) if folder else of_model(context.storage, named, prompts)
    drawn_by = str(folder.summary()["model"]) if folder else named
    _KEPT[context.storage] = (key, items, drawn_by)
    return items, drawn_by


def prompts_of(context: Context, wish: RunWish) -> tuple[Sequence[Prompt], str, str]:
    """The prompts of the wish's set, what people call it, and what a plan calls it."""
    titles = {one.id: one for one in context.service(Library).sets()}
    known = titles.get(wish.set_id)
    if known is None and not wish.set_id.startswith(SELECTION):
        raise BadInput(f"There is no prompt set {wish.set_id[:80]!r}.", "set")
    title = known.title if known else wish.set_id.removeprefix(SELECTION)
    try:
        prompts = context.service(Library).index(wish.set_id).prompts
    except BadInput as error:
        raise BadInput(str(error), "set") from None
    return prompts, title, title if known and known.imported else wish.set_id


@asks("look")
def estimate_view(context: Context, actor: Actor, request: RunRequest) -> dict[str, Any]:
    """What a run would take. Raises BadInput that names the field."""
    _, made, how, of = planned(context, actor, request)
    found = [
        context.service(Trials).estimate(plan, context.service(RunSupervisor).root, how.workers)
        for plan in made
    ]
    known = [one.seconds for one in found if one.seconds is not None]
    seconds = sum(known) if len(known) == len(found) else None
    workers = f" with {many(how.workers, 'worker')}" if how.workers > 1 else ""
    told = told_before(request.wish(), made)
    return {
        "prompts": len(made[0].prompts),
        "of": of,
        "pictures": sum(one.total for one in made),
        "sentence": ". ".join([pictures_words(made), *told]),
        "seconds": seconds,
        "time": "not known yet" if seconds is None else f"about {time_words(seconds)}{workers}",
        "basis": " ".join(dict.fromkeys(one.basis for one in found)),
        "disk": f"about {bytes_words(sum(one.disk_bytes for one in found))}",
        "disk_basis": "",
        "cost": "" if request.price is None else money_words(seconds, request.price),
    }


def _lines(sentences: Sequence[str]) -> str:
    """A sentence a line: some end with a command. What to do by hand without it is no help here."""
    return "\n".join(sentence for sentence in sentences if not sentence.startswith("Without "))


@asks("compute")
def try_out(context: Context, actor: Actor, request: RunRequest) -> dict[str, Any]:
    """Draws three pictures where nothing tells yet how long one takes; the estimate after that.
    Raises BadInput, and TrueHueError where none could be drawn."""
    _, made, _, _ = planned(context, actor, request)
    for plan in made:
        _ready(context, plan)
    settings = WorkerSettings(context.sources, dict(context.endpoints))
    root = context.service(RunSupervisor).root

    def work(job: Job) -> dict[str, Any]:
        job.tell("Drawing three pictures to see how long one takes")
        if any(with_weights(about_of(plan)) for plan in made):
            release(context.engine, job.stop)
        context.service(Trials).try_out(made, settings, root, stop=job.stop)
        return {}

    job = context.jobs.start("trial", f"Trial of {made[0].name}", actor, work)
    if problem := context.jobs.wait(job.id).problem:
        raise BadInput(problem)
    return estimate_view(context, actor, request)


@asks("compute")
def start_runs(context: Context, actor: Actor, request: RunRequest) -> dict[str, Any]:
    """Begins runs; the answer has their ids. Raises BadInput, also for a model that cannot draw
    here yet."""
    _, made, how, _ = planned(context, actor, request)
    if how.team == "local":
        for plan in made:
            _ready(context, plan)
    supervisor = context.service(RunSupervisor)
    try:
        context.limits.check_runs([plan.total for plan in made], supervisor.waiting())
    except BadInput as error:
        raise BadInput(str(error), "models") from None
    return {"runs": [supervisor.start(plan, how) for plan in made]}


def _ready(context: Context, plan: RunPlan) -> None:
    """Raises BadInput where the model, or one that finds objects, is not here."""
    if plan.kind == DRAWN and (said := lacking(plan.model, context)):
        raise BadInput(f"{name_of(plan.model)} cannot draw here yet. {said}", "models")
    if plan.masker.kind != GROUNDED:
        return
    roles: tuple[Role, ...] = ("detector", "segmenter", "presence")
    for role in roles:
        named = getattr(plan.masker, role)
        if named and (said := _lines(vision_missing(vision_model(named, role), context.sources))):
            raise BadInput(said, role)


def _ray(actor: Actor, text: str) -> tuple[str, str]:
    """Team and address: nothing is this machine alone; ``ray`` or an address is a cluster."""
    if not text or text == "local":
        return "local", ""
    may(actor, "name-cluster", field="ray")
    return "ray", "" if text == "ray" else text
