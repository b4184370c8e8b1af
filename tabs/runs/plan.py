"""From a wish to plans: its prompts, its name, and one plan for each model."""

from __future__ import annotations

from collections.abc import Sequence

from core.color.systems import SYSTEMS
from core.errors import BadInput
from core.generation.registry import RENDERER, name_of
from core.prompts.prompt import Prompt
from core.runs.plan import make_plan
from core.runs.records import DRAWN, STORED, RunPlan, StoredItem
from core.runs.subsample import fewer
from tabs.runs.request import RunWish


def chosen(prompts: Sequence[Prompt], wish: RunWish) -> tuple[Prompt, ...]:
    """The prompts of a set that the wish's filters leave, in the set's order.

    A limit takes them as :func:`core.runs.subsample.fewer`: at equal distances, concepts as whole
    families. Raises BadInput where none is left.
    """
    fitting = [
        prompt
        for prompt in prompts
        if wish.task in ("", prompt.task) and wish.system in ("", prompt.system)
    ]
    if not fitting:
        words = " and ".join(
            text
            for text in (
                wish.task and f"the task {wish.task.upper()}",
                wish.system and f"the color system {SYSTEMS[wish.system]}",
            )
            if text
        )
        field = "system" if wish.system else "task" if wish.task else "set"
        words = f"The set has no prompt of {words}." if words else "It is empty."
        raise BadInput(words, field)
    return tuple(fitting) if wish.limit is None else fewer(fitting, wish.limit)


def plans(
    wish: RunWish,
    prompts: Sequence[Prompt],
    title: str,
    set_name: str = "",
    munsell: str = "",
    items: Sequence[StoredItem] = (),
) -> list[RunPlan]:
    """One plan a model. ``prompts`` as :func:`chosen` gave them, ``title`` what people call their
    set, ``set_name`` what the plan calls it (without one, the wish's), ``munsell`` the file of
    samples, ``items`` the pictures of a wish for stored ones. Raises BadInput for what no run
    can be.
    """
    out = []
    for model in wish.models:
        drawn_by_renderer = not wish.stored and model == RENDERER
        try:
            plan = make_plan(
                prompts,
                model,
                name=_name(wish, model, title, len(prompts)),
                set_name=set_name or wish.set_id,
                kind=STORED if wish.stored else DRAWN,
                images=wish.images,
                seed=wish.seed,
                # What a model does not take is not written down as if it had.
                guidance=None if drawn_by_renderer or wish.stored else wish.guidance,
                guidances=() if drawn_by_renderer or wish.stored else wish.guidances,
                steps=None if drawn_by_renderer or wish.stored else wish.steps,
                size_px=None if wish.stored else wish.size_px,
                negative_text="" if drawn_by_renderer or wish.stored else wish.negative_text,
                options=(
                    {"light": wish.light, "failure": wish.failure} if drawn_by_renderer else None
                ),
                items=items,
                masker=wish.masker,
                rules=wish.rules,
                k=wish.k,
                munsell=munsell,
            )
        except BadInput as error:
            raise BadInput(str(error), error.field or _field_of(str(error))) from None
        out.append(plan)
    return out


def _field_of(message: str) -> str:
    """The field that a refusal of the plan speaks of, or none."""
    starts = {
        "The size": "size",
        "That model": "models",
        "The seeds": "seed",
        "Images a prompt": "images",
        "There is no picture": "models",
        "There is no prompt": "set",
    }
    return next((field for start, field in starts.items() if message.startswith(start)), "")


def _name(wish: RunWish, model_id: str, title: str, prompts: int) -> str:
    """What people call the run: as they said, or what makes it another than the next."""
    called = f"pictures of {name_of(model_id)}" if wish.stored else name_of(model_id)
    if wish.name:
        return wish.name if len(wish.models) == 1 else f"{wish.name} · {called}"
    parts = [title, wish.task.upper(), wish.system.upper()]
    if wish.limit is not None:
        parts.append(f"{prompts:,} prompts")
    # What differs from the next run stands first: lists and file names are cut at the end.
    drawn = not wish.stored
    failure = f", {wish.failure}" if drawn and wish.failure != "none" else ""
    seed = f", seed {wish.seed}" if drawn else ""
    size = f", {wish.size_px} px" if drawn and wish.size_px else ""
    return f"{called}{failure}{seed}{size} · {', '.join(part for part in parts if part)}"
