"""The form of Generate: defaults from a link, a preview of the request, and its start.

The page sends the whole form with every change, and shows the response to the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypedDict

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.registry import RENDERER
from truehue.core.generation.renderer import FAILURES, LIGHTS
from truehue.core.generation.request import MAX_SEED
from truehue.tabs.generate.models import (
    ChosenModels,
    about_models,
    checked_models,
    missing_text,
    model_choices,
)
from truehue.tabs.generate.own_prompt import (
    FIRST,
    NOTHING_TO_DRAW,
    OwnPrompt,
    PromptReading,
    fields_of,
    fill_fields,
    reading_view,
)
from truehue.tabs.generate.plan import (
    MAX_IMAGES,
    Controls,
    Settings,
    count_of,
    field_problems,
    own_prompt,
    requests,
    settings,
    summary_of,
    title_of,
    too_many,
)
from truehue.tabs.generate.realism import from_link, link_of, problem_of
from truehue.tabs.library.prompts import Refs
from truehue.tabs.library.service import Library
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun, message_of
from truehue.tabs.page.links import read, whole
from truehue.tabs.page.requests import PageRequest, read_as
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob
from truehue.tabs.verdicts.generation import enqueue_generation


class GenerateImages(PageRequest):
    """Prompts to be drawn: those of a basket (``refs``), or with ``mode`` ``own`` one's ``own``
    words; ``how`` are the other controls."""

    mode: str = "own"
    refs: Refs = ()
    own: OwnPrompt
    how: Settings


@requires("compute")
def start_generation(context: Context, actor: Actor, request: GenerateImages) -> StartedJob:
    """Puts what was asked for into the queue. Raises BadInput or UnknownColor in words fit to be
    shown."""
    how = request.how
    checked_models(actor, how.models)
    refused = problem_of(how.models, how.guidance) if how.realism else ""
    if refused:
        raise BadInput(refused)
    if request.mode == "own":
        prompts = [own_prompt(request.own)]
        if RENDERER in how.models and not prompts[0].targets:
            raise BadInput(NOTHING_TO_DRAW)
    else:
        prompts, lost = context.service(Library).resolve(request.refs)
        if lost:
            raise BadInput(f"{lost[0]} Remove it from the selection.")
    title = title_of(prompts, how)
    return {"job": enqueue_generation(context, prompts, requests(prompts, how), title, actor)}


# Not a comma: the path of a folder may hold one.
MODEL_SEPARATOR = "|"
SIZES = (256, 512, 768, 1024, 1280, 1536, 2048)

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


class GenerationForm(PageRequest):
    """The form as it stands. ``edited`` says which of object and color a person edited; the rest is
    of :class:`truehue.tabs.generate.plan.Controls`."""

    mode: str = "own"
    prompts: int = 0
    refs: Refs = ()
    text: str = ""
    object: str = ""
    target: str = ""
    edited: tuple[bool, bool] = (False, False)
    models: tuple[str, ...] = ()
    seed: Any = None
    seeds: Any = None
    guidance: Any = None
    steps: Any = None
    size: Any = None
    light: Any = None
    failure: Any = None
    realism: Any = None

    @property
    def own(self) -> OwnPrompt:
        """The prompt in one's own words."""
        return OwnPrompt(self.text, self.object, self.target, self.edited)

    @property
    def controls(self) -> Controls:
        """How to generate; nothing of it is checked."""
        return Controls(
            self.models,
            self.seed,
            self.seeds,
            self.guidance,
            self.steps,
            self.size,
            self.light,
            self.failure,
            self.realism,
        )


class FollowedFields(TypedDict):
    """Object and color once they have followed the prompt."""

    object: str
    target: str


class GenerateButton(TypedDict, total=False):
    """The button, what it comes to, and the link to the form; ``fields`` are problems by field."""

    button: str
    note: str
    own: dict[str, Any]
    settings: dict[str, Any]
    problem: str
    fields: dict[str, str]


class RealismProblem(TypedDict):
    """Why CFR cannot be applied; empty where it can."""

    problem: str


class GenerationPlan(TypedDict):
    """What Generate would do, as text for each part of the page."""

    fields: FollowedFields
    button: GenerateButton
    models: ChosenModels
    renderer: bool
    reading: PromptReading
    settings: str
    light: str
    realism: RealismProblem


class FormView(TypedDict):
    """What a link says of the form, by its fields, and the models to choose from: name and id."""

    values: dict[str, Any]
    choices: list[tuple[str, str]]


@requires("look")
def plan_generation(context: Context, actor: Actor, request: GenerationForm) -> GenerationPlan:
    """What Generate would do, as text for each part of the page.

    ``fields`` are object and color once they have followed the prompt.
    """
    name, target = fill_fields(request.own)
    own = replace(request.own, object_name=name, target_text=target)
    models, controls = request.models, request.controls
    about: ChosenModels = {}
    reading: PromptReading = {}
    view: GenerateButton = {"button": "Generate"}
    summary, light, refused = "", "", ""
    try:
        if request.mode == "own":
            reading = reading_view(own, RENDERER in models, models == (RENDERER,))
        how = settings(controls)
        summary, light = summary_of(how), _light_text(how)
        prompts = request.prompts if request.mode != "own" else 1
        total = count_of(prompts, how)
        view = {
            "button": f"Generate {total:,} images" if total > 1 else "Generate",
            "note": _product(prompts, how) if total > 1 else "",
            "own": _own_link(own),
            "settings": _link(how),
        }
        about = about_models(context, actor, how.models)
        refused = problem_of(how.models, how.guidance) if how.realism else ""
        problem = too_many(total) if total > MAX_IMAGES else missing_text(about) or refused
        if problem or reading.get("problem"):
            view["problem"] = problem or reading["problem"]
    except TrueHueError as error:
        view["problem"] = message_of(error)
    if fields := field_problems(controls):
        # All of them at once, at the button and at their fields.
        view |= {"problem": " ".join(fields.values()), "fields": fields}
    return {
        "fields": {"object": name, "target": target},
        "button": view,
        "models": about,
        "renderer": RENDERER in models,
        "reading": reading,
        "settings": summary,
        "light": light,
        "realism": {"problem": refused},
    }


@requires("compute")
def start_form(context: Context, actor: Actor, request: GenerationForm) -> StartedJob:
    """Generates what the form asks for; the id of its job. Errors as
    :func:`truehue.tabs.generate.form.start_generation`."""
    fields = {
        "mode": request.mode,
        "refs": request.refs,
        "own": request.own,
        "how": settings(request.controls),
    }
    return start_generation(context, actor, read_as(GenerateImages, fields))


def filled_form(context: Context, query: Mapping[str, str]) -> FormView:
    """What a link says of the form, by its fields, and every model that there is to choose. With
    ``example`` the tour's form stands where the link says nothing."""
    query = dict(query)
    if query.pop("example", ""):
        # Where a text comes back, its fields follow it, but for those that were edited.
        left = {"object", "target"} if query else set()
        base = {name: value for name, value in EXAMPLE.items() if name not in left}
        query = {**base, **query, "tab": "generate"}
    return {"values": restore(read(query)), "choices": model_choices(context)}


def restore(query: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the form that a link speaks of; the prompts' browser reads its own part."""
    if query.get("tab") != "generate":
        return {}
    light, failure = query.get("light", ""), query.get("failure", "")
    size = whole(query.get("size", ""), 4096)
    # What a link leaves out follows its words.
    filled = fields_of(query.get("text", ""))
    fields = query if query.get("text") else {"object": None, "target": None, **query}
    name, target = fields.get("object", filled[0]), fields.get("target", filled[1])
    values = {
        "object": name,
        "target": target,
        "edited": [
            text not in (None, own) for text, own in zip((name, target), filled, strict=True)
        ],
        "models": [name for name in query.get("model", "").split(MODEL_SEPARATOR) if name] or None,
        "seed": whole(query.get("seed", ""), MAX_SEED),
        "seeds": whole(query.get("seeds", ""), 1000),
        "guidance": query.get("guidance"),
        "steps": query.get("steps"),
        "size": size if size in SIZES else None,
        "light": light if light in LIGHTS else None,
        "failure": failure if failure in FAILURES else None,
        "realism": from_link(query),
        "text": query.get("text"),
    }
    return {name: value for name, value in values.items() if value is not None}


def _product(prompts: int, how: Settings) -> str:
    """How the images come about: ``3 prompts × 2 seeds × (2 guidance scales + the renderer)``."""
    others = len(how.models) - (RENDERER in how.models)
    scales, is_generated = len(how.guidance), RENDERER in how.models
    by_model = [
        count_noun(n, noun) for n, noun in ((others, "model"), (scales, "guidance scale")) if n > 1
    ]
    if is_generated and others and scales > 1:
        by_model = [f"({' × '.join(by_model)} + the renderer, which takes no guidance)"]
    elif is_generated and others:
        by_model = [count_noun(others + 1, "model")]
    elif is_generated:
        by_model = []
    parts = [count_noun(n, noun) for n, noun in ((prompts, "prompt"), (how.seeds, "seed")) if n > 1]
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
