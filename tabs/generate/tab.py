"""The Generate tab: find prompts, draw them with any model, see what came of it."""

from __future__ import annotations

import secrets
from typing import Any

import gradio as gr

from truehue.core.errors import TrueHueError
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.generation.request import MAX_SEED
from truehue.core.verdict.rules import MATCHES
from truehue.tabs.generate import view as generate_view
from truehue.tabs.generate.generating import GenerateImages, start_generation
from truehue.tabs.generate.models import about_models, missing_text, model_choices
from truehue.tabs.generate.own_prompt import (
    FIRST,
    OwnPrompt,
    fields_of,
    follow,
    reading_view,
)
from truehue.tabs.generate.plan import (
    MOST_IMAGES,
    Controls,
    Settings,
    count_of,
    field_problems,
    settings,
    summary_of,
    too_many,
)
from truehue.tabs.generate.realism import from_link, link_of, problem_of
from truehue.tabs.generate.view import NOT_EDITED, SIZES, View
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import counted, message_of
from truehue.tabs.page.events import QUIET, Cause, on, on_data, on_last_edit, widget_trigger
from truehue.tabs.page.feature import Page
from truehue.tabs.page.links import read, whole
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import Actor
from truehue.tabs.verdicts.question import question

# Not a comma: the path of a folder may hold one.
MODEL_SEPARATOR = "|"

EXAMPLE = {
    "text": "",
    "object": FIRST[0],
    "target": FIRST[1],
    "model": RENDERER,
    "seed": "0",
    "seeds": "1",
    "light": "studio",
    "failure": "none",
}
"""The form of the tour's first step; what its reader had written comes back at its end."""

EDITED = "(edited) => ({{...edited, {name}: true}})"
"""Run by the page itself, without the server, when a person edits the object or the color."""


def layout(page: Page) -> View:
    """Draws the tab; nothing is wired yet."""
    return generate_view.layout(page.context)


def plan(
    context: Context, actor: Actor, selection: Any, own: OwnPrompt, *controls: Any
) -> list[Any]:
    """What pressing Draw would come to, in words; updates for ``View.planned``."""
    selection = selection if isinstance(selection, dict) else {}
    mode = str(selection.get("mode") or "own")
    models = controls[0] or []
    renderer = RENDERER in models
    about: dict[str, Any] = {}
    reading: dict[str, Any] = {}
    view: dict[str, Any] = {"button": "Generate"}
    summary, light, refused = "", "", ""
    try:
        if mode == "own":
            reading = reading_view(own, renderer, list(models) == [RENDERER])
        how = settings(Controls(*controls))
        summary, light = summary_of(how), _light_text(how)
        prompts = int(selection.get("prompts") or 0) if mode != "own" else 1
        total = count_of(prompts, how)
        view = {
            "button": f"Generate {total:,} images" if total > 1 else "Generate",
            "note": _product(prompts, how) if total > 1 else "",
            "own": _own_link(own),
            "settings": _link(how),
        }
        about = about_models(context, actor, how.models)
        refused = problem_of(how.models, how.guidance) if how.realism else ""
        problem = too_many(total) if total > MOST_IMAGES else missing_text(about) or refused
        if problem or reading.get("problem"):
            view["problem"] = problem or reading["problem"]
    except TrueHueError as error:
        view["problem"] = str(error)
    if fields := field_problems(Controls(*controls)):
        # All of them at once, at the button and at their fields.
        view |= {"problem": " ".join(fields.values()), "fields": fields}
    return [
        gr.update(view=view),
        gr.update(view=about),
        gr.update(visible=renderer),
        gr.update(view=reading),
        gr.update(text=summary),
        gr.update(text=light),
        gr.update(view={"problem": refused}),
    ]


def start(
    context: Context, actor: Actor, sent: dict[str, Any], own: OwnPrompt, *controls: Any
) -> str:
    """Puts what was asked for into the queue and returns the job's id.

    ``sent`` is what the page's button sent: mode and references of prompts. Errors as
    :func:`truehue.tabs.generate.generating.start_generation`.
    """
    fields = {"mode": sent.get("mode") or "chosen", "refs": sent.get("refs")}
    request = read_as(GenerateImages, {**fields, "own": own, "how": settings(Controls(*controls))})
    return str(start_generation(context, actor, request)["job"])


def restore(query: dict[str, str]) -> list[Any]:
    """Fills the controls from a link; updates for ``View.restored``.

    The prompts' browser reads its own part of the address.
    """
    if query.get("tab") != "generate":
        return [gr.skip()] * 13
    light, failure = query.get("light", ""), query.get("failure", "")
    models = [name for name in query.get("model", "").split(MODEL_SEPARATOR) if name]
    # What a link leaves out follows its words.
    filled = fields_of(query.get("text", ""))
    fields = query if query.get("text") else {"object": None, "target": None, **query}
    name, target = fields.get("object", filled[0]), fields.get("target", filled[1])
    by_hand = [text not in (None, own) for text, own in zip((name, target), filled, strict=True)]
    return [
        _or_skip(name),
        gr.skip() if target is None else gr.update(value=target),
        gr.update(value={"object": by_hand[0], "target": by_hand[1]}),
        models or gr.skip(),
        _or_skip(whole(query.get("seed", ""), MAX_SEED)),
        _or_skip(whole(query.get("seeds", ""), 1000)),
        query.get("guidance", gr.skip()),
        query.get("steps", gr.skip()),
        _or_skip(size if (size := whole(query.get("size", ""), 4096)) in SIZES else None),
        light if light in LIGHTS else gr.skip(),
        failure if failure in FAILURES else gr.skip(),
        gr.skip() if (realism := from_link(query)) is None else gr.update(value=realism),
        query.get("text", gr.skip()),
    ]


def _or_skip(value: Any) -> Any:
    return gr.skip() if value is None else value


def _product(prompts: int, how: Settings) -> str:
    """How the images come about: ``3 prompts × 2 seeds × (2 guidance scales + the renderer)``."""
    others = len(how.models) - (RENDERER in how.models)
    scales, is_generated = len(how.guidance), RENDERER in how.models
    by_model = [
        counted(n, noun) for n, noun in ((others, "model"), (scales, "guidance scale")) if n > 1
    ]
    if is_generated and others and scales > 1:
        by_model = [f"({' × '.join(by_model)} + the renderer, which takes no guidance)"]
    elif is_generated and others:
        by_model = [counted(others + 1, "model")]
    elif is_generated:
        by_model = []
    parts = [counted(n, noun) for n, noun in ((prompts, "prompt"), (how.seeds, "seed")) if n > 1]
    if how.realism and how.realism.beside and others == len(how.models):
        by_model.append("without and with CFR")
    return " × ".join(parts + by_model)


def _light_text(how: Settings) -> str:
    if RENDERER not in how.models or how.light not in LIGHTS:
        return ""
    return LIGHTS[how.light].description


def _own_link(own: OwnPrompt) -> dict[str, Any]:
    """What a link has to say: fields that follow the words come back with them."""
    by_hand = own.hand if own.text.strip() else (True, True)
    return {
        "text": own.text,
        **({"object": own.object_name} if by_hand[0] else {}),
        **({"target": own.target_text} if by_hand[1] else {}),
    }


def _link(how: Settings) -> dict[str, Any]:
    guidance = ",".join(f"{scale:g}" for scale in how.guidance if scale is not None)
    return {
        "model": MODEL_SEPARATOR.join(how.models),
        "seed": how.seed,
        "seeds": how.seeds if how.seeds > 1 else "",
        "guidance": guidance,
        "steps": how.steps or "",
        "size": how.size_px or "",
        "light": how.light if RENDERER in how.models else "",
        "failure": how.failure if RENDERER in how.models and how.failure != "none" else "",
        **link_of(how.realism),
    }


def wire(page: Page) -> None:
    """Connects the controls; a job's images are stored by the engine's thread, not here."""
    context, header, tabs = page.context, page.header, page.tabs
    view: View = page.views["generate"]
    inspect_view: inspect.View = page.views["inspect"]
    controls = [*view.own, *view.settings]

    def planned(
        cause: Cause, selection: Any, text: Any, name: Any, target: Any, edited: Any, *rest: Any
    ) -> list[Any]:
        return plan(context, cause.actor, selection, _own(text, name, target, edited), *rest)

    def followed(_: Cause, text: Any, name: Any, target: Any, edited: Any) -> list[Any]:
        own = _own(text, name, target, edited)
        fields = zip(follow(own), (own.object_name, own.target_text), strict=True)
        return [gr.skip() if new == old else gr.update(value=new) for new, old in fields]

    def started(
        cause: Cause,
        selection: Any,
        text: Any,
        name: Any,
        target: Any,
        edited: Any,
        *rest: Any,
    ) -> list[Any]:
        actor = cause.actor
        sent = cause.data if isinstance(cause.data, dict) else {}
        own = _own(text, name, target, edited)
        answered, job = {"answered": sent.get("at")}, gr.skip()
        shown, *others = plan(context, actor, selection, own, *rest)
        try:
            job = gr.update(job=start(context, actor, sent, own, *rest))
        except Exception as error:
            answered["problem"] = message_of(error)
        shown = gr.update(view={**shown["view"], **answered})
        return [shown, *others, job, gr.update(data=context.data_text())]

    def inspected(_: Cause, source: Any, *controls: Any) -> list[Any]:
        source = source if isinstance(source, dict) else {}
        try:
            screen_question = question(*controls)
            put = question(
                source.get("object"),
                source.get("target"),
                screen_question.rule_id,
                screen_question.k,
                screen_question.show_measured,
                screen_question.neighbors_of,
                source.get("relation") or MATCHES,
            )
            updates = inspect.open_image(
                context,
                inspect_view,
                str(source.get("opened", "")),
                put,
                str(source.get("mask", "")),
            )
        except Exception as error:
            gr.Warning(message_of(error))
            return [gr.skip()] * (len(inspect_view.outputs) + 2)
        return [gr.update(selected="inspect"), *updates, gr.update(data=context.data_text())]

    def linked(cause: Cause) -> list[Any]:
        return restore(read(dict(cause.query)))

    def exampled(cause: Cause) -> list[Any]:
        query = cause.data if isinstance(cause.data, dict) else {}
        texts = {str(name): value for name, value in query.items() if isinstance(value, str)}
        # Where a text comes back, its fields follow it, but for those that were edited.
        base = EXAMPLE if not texts else {**EXAMPLE, "object": None, "target": None}
        filled = {name: value for name, value in {**base, **texts}.items() if value is not None}
        return restore(read({**filled, "tab": "generate"}))

    def choices(_: Cause) -> Any:
        return gr.update(choices=model_choices(context))

    # Not on page load: this tab may not be drawn yet, and what is not drawn cannot be filled.
    view.ask.ready(on(context, "look", linked), None, view.restored, **QUIET)
    view.ask.example(on_data(context, "look", exampled), None, view.restored, **QUIET)
    view.ask.ready(on(context, "look", choices), None, view.models, **QUIET)
    follows = on(context, "look", followed)
    fields = [view.object_name, view.target]
    triggers = [view.own_text.change, widget_trigger(view.reading, "follow")]
    on_last_edit(triggers, follows, view.own, fields)
    for field, name in zip(fields, NOT_EDITED, strict=True):
        field.input(None, view.reading, view.reading, js=EDITED.format(name=name), **QUIET)
    events = [widget_trigger(view.ask, "plan"), *(control.change for control in controls)]
    plans = on(context, "look", planned)
    on_last_edit(events, plans, [view.ask, *controls], view.planned)
    # Where an answer was lost, Gradio holds back what "always_last" would send after it.
    again = {"trigger_mode": "multiple", **QUIET}
    view.reading.again(follows, view.own, fields, **again)
    view.reading.again(plans, [view.ask, *controls], view.planned, **again)
    # A click while another is answered is the next wish, not a mistake to drop.
    view.draw.draw(
        on_data(context, "compute", started),
        [view.ask, *controls],
        [*view.planned, view.queue, header],
        trigger_mode="multiple",
        **QUIET,
    )
    new_seed = on(context, "look", lambda _: secrets.randbelow(100_000))
    view.new_seed.click(new_seed, None, view.seed, **QUIET)
    view.gallery.open(
        on(context, "look", inspected),
        [view.gallery, *inspect_view.asked],
        [tabs, *inspect_view.outputs, header],
        **QUIET,
        **inspect.IN_ORDER,
    )


def _own(text: Any, name: Any, target: Any, edited: Any) -> OwnPrompt:
    flags = edited if isinstance(edited, dict) else NOT_EDITED
    pair = (flags.get("object") is True, flags.get("target") is True)
    return OwnPrompt(str(text or ""), str(name or ""), str(target or ""), pair)
