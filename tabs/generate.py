"""The Generate tab: find prompts, draw them with any model, see what came of it."""

from __future__ import annotations

import secrets
from typing import Any

import gradio as gr

from core.errors import BadInput, TrueHueError
from core.generation.renderer import FAILURES, LIGHTS
from core.generation.request import MAX_SEED
from core.prompts.prompt import Prompt
from tabs import inspect
from tabs.context import Context
from tabs.drawing import draw
from tabs.generate_models import about_models, checked_models, stand_ins
from tabs.generate_plan import (
    MOST_IMAGES,
    RENDERER,
    Own,
    Settings,
    count_of,
    own_prompt,
    requests,
    settings,
    title_of,
    too_many,
)
from tabs.generate_view import SIZES, View, layout
from tabs.guard import many, message_of
from tabs.inspect_judge import Question, question
from tabs.links import read, whole

# Not a comma: the path of a folder may hold one.
MODEL_SEPARATOR = "|"

__all__ = ["View", "layout", "plan", "restore", "start", "wire"]


def plan(context: Context, asked: Any, own: Own, *controls: Any) -> list[Any]:
    """What pressing Draw would come to, in words; updates for ``View.planned``."""
    asked = asked if isinstance(asked, dict) else {}
    mode = str(asked.get("mode") or "own")
    renderer = RENDERER in (controls[0] or [])
    try:
        how = settings(*controls)
        prompts = int(asked.get("prompts") or 0) if mode != "own" else 1
        total = count_of(prompts, how)
        view: dict[str, Any] = {
            "button": f"Draw {total:,} images" if total > 1 else "Draw",
            "note": _product(prompts, how) if total > 1 else "",
            "notes": _notes(mode, own, how), "own": _own_link(own), "settings": _link(how),
        }  # fmt: skip
        about = about_models(context, how.models)
        if total > MOST_IMAGES:
            view["problem"] = too_many(total)
    except TrueHueError as error:
        view, about = {"button": "Draw", "problem": str(error)}, {}
    return [
        gr.update(view=view),
        gr.update(view=about),
        gr.update(visible=renderer),
    ]


def start(context: Context, sent: dict[str, Any], own: Own, *controls: Any) -> str:
    """Puts what was asked for into the queue and returns the job's id.

    ``sent`` is what the page's button sent: mode, references of prompts, owner. Raises BadInput or
    UnknownColor in words fit to be shown.
    """
    how = settings(*controls)
    checked_models(context, how.models)
    prompts: list[Prompt]
    if sent.get("mode") == "own":
        prompts = [own_prompt(own)]
        if RENDERER in how.models and not (prompts[0].targets and prompts[0].targets[0].color):
            raise BadInput(
                "The renderer does not read sentences: choose an object and a color for it."
            )
    else:
        prompts, lost = context.library.resolve(sent.get("refs") or [])
        if lost:
            raise BadInput(f"{lost[0]} Take it out of the basket.")
    owner = str(sent.get("owner") or "")[:64]
    return draw(context, prompts, requests(prompts, how), title_of(prompts, how), owner)


def restore(query: dict[str, str]) -> list[Any]:
    """Fills the controls from a link; updates for ``View.restored``.

    The prompts' browser reads its own part of the address.
    """
    if query.get("tab") != "generate":
        return [gr.skip()] * 11
    light, failure = query.get("light", ""), query.get("failure", "")
    models = [name for name in query.get("model", "").split(MODEL_SEPARATOR) if name]
    return [
        query.get("text", gr.skip()),
        query.get("object", gr.skip()),
        gr.update(value=query["target"]) if "target" in query else gr.skip(),
        models or gr.skip(),
        _or_skip(whole(query.get("seed", ""), MAX_SEED)),
        _or_skip(whole(query.get("seeds", ""), 1000)),
        query.get("guidance", gr.skip()),
        query.get("steps", gr.skip()),
        _or_skip(size if (size := whole(query.get("size", ""), 4096)) in SIZES else None),
        light if light in LIGHTS else gr.skip(),
        failure if failure in FAILURES else gr.skip(),
    ]


def _or_skip(value: Any) -> Any:
    return gr.skip() if value is None else value


def _product(prompts: int, how: Settings) -> str:
    """How the images come about: ``3 prompts × 2 seeds × (2 guidance scales + the renderer)``."""
    others = len(how.models) - (RENDERER in how.models)
    scales, drawn = len(how.guidance), RENDERER in how.models
    by_model = [
        many(n, noun) for n, noun in ((others, "model"), (scales, "guidance scale")) if n > 1
    ]
    if drawn and others and scales > 1:
        by_model = [f"({' × '.join(by_model)} + the renderer, which takes no guidance)"]
    elif drawn and others:
        by_model = [many(others + 1, "model")]
    elif drawn:
        by_model = []
    parts = [many(n, noun) for n, noun in ((prompts, "prompt"), (how.seeds, "seed")) if n > 1]
    return " × ".join(parts + by_model)


def _notes(mode: str, own: Own, how: Settings) -> list[str]:
    if RENDERER not in how.models:
        return []
    notes = [LIGHTS[how.light].description] if how.light in LIGHTS else []
    if mode == "own" and own.object_name:
        notes += stand_ins([own.object_name])
    return notes


def _own_link(own: Own) -> dict[str, Any]:
    return {"text": own.text, "object": own.object_name, "target": own.target_text}


def _link(how: Settings) -> dict[str, Any]:
    guidance = ",".join(f"{scale:g}" for scale in how.guidance if scale is not None)
    return {
        "model": MODEL_SEPARATOR.join(how.models), "seed": how.seed,
        "seeds": how.seeds if how.seeds > 1 else "",
        "guidance": guidance, "steps": how.steps or "", "size": how.size_px or "",
        "light": how.light if RENDERER in how.models else "",
        "failure": how.failure if RENDERER in how.models and how.failure != "none" else "",
    }  # fmt: skip


def wire(view: View, inspect_view: inspect.View, context: Context, header: Any, tabs: Any) -> None:
    """Connects the controls; a job's images are stored by the engine's thread, not here."""
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    controls = [*view.own, *view.settings]

    def planned(asked: Any, text: Any, name: Any, target: Any, *rest: Any) -> list[Any]:
        return plan(context, asked, _own(text, name, target), *rest)

    def started(
        event: gr.EventData, asked: Any, text: Any, name: Any, target: Any, *rest: Any
    ) -> list[Any]:
        sent = event._data if isinstance(event._data, dict) else {}
        own = _own(text, name, target)
        answered, job = {"answered": sent.get("at")}, gr.skip()
        shown, missing, only = plan(context, asked, own, *rest)
        try:
            job = gr.update(job=start(context, sent, own, *rest))
        except Exception as error:
            answered["problem"] = message_of(error)
        shown = gr.update(view={**shown["view"], **answered})
        return [shown, missing, only, job, gr.update(data=context.data_text())]

    def inspected(source: Any, *asked: Any) -> list[Any]:
        source = source if isinstance(source, dict) else {}
        try:
            now = question(*asked)
            put = Question(
                str(source.get("object", "")), str(source.get("target", "")), now.rule_id, now.k,
                now.show_measured, now.neighbors_of,
            )  # fmt: skip
            out = inspect.open_image(
                context, inspect_view, str(source.get("opened", "")), put,
                str(source.get("mask", "")),
            )  # fmt: skip
        except Exception as error:
            gr.Warning(message_of(error))
            return [gr.skip()] * (len(inspect_view.outputs) + 2)
        return [gr.update(selected="inspect"), *out, gr.update(data=context.data_text())]

    def linked(request: gr.Request) -> list[Any]:
        return restore(read(dict(request.query_params)))

    # Not on page load: this tab may not be drawn yet, and what is not drawn cannot be filled.
    view.ask.ready(linked, None, view.restored, **quiet)
    events = [view.ask.plan, view.own_text.change, view.object_name.change, view.target.change]
    events += [control.change for control in view.settings]
    for event in events:
        event(planned, [view.ask, *controls], view.planned, trigger_mode="always_last", **quiet)
    # A click while another is answered is the next wish, not a mistake to drop.
    view.draw.draw(
        started, [view.ask, *controls], [*view.planned, view.queue, header],
        trigger_mode="multiple", **quiet,
    )  # fmt: skip
    view.new_seed.click(lambda: secrets.randbelow(100_000), None, view.seed, **quiet)
    view.gallery.open(
        inspected, [view.gallery, *inspect_view.asked], [tabs, *inspect_view.outputs, header],
        **quiet, **inspect.IN_ORDER,
    )  # fmt: skip


def _own(text: Any, name: Any, target: Any) -> Own:
    return Own(str(text or ""), str(name or ""), str(target or ""))
