"""The form of Generate, as the page sends it."""

from __future__ import annotations

from typing import Any

from truehue.tabs.generate.form import GenerationForm, plan_generation, start_form
from truehue.tabs.generate.own_prompt import OwnPrompt
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import read_as
from truehue.tabs.page.roles import Actor

CONTROLS = ("models", "seed", "seeds", "guidance", "steps", "size", "light", "failure", "realism")


def form_of(sent: dict[str, Any], own: OwnPrompt, *controls: Any) -> GenerationForm:
    """The form with this source of prompts, own words and :data:`CONTROLS`."""
    edited = own.edited or (bool(own.object_name), bool(own.target_text))
    words = {"text": own.text, "object": own.object_name, "target": own.target_text}
    how = dict(zip(CONTROLS, controls, strict=False))
    return read_as(GenerationForm, {**sent, **words, "edited": edited, **how})


def planned(context: Context, actor: Actor, *form: Any) -> dict[str, Any]:
    """What the page is answered to the form."""
    return plan_generation(context, actor, form_of(*form))


def started(context: Context, actor: Actor, *form: Any) -> str:
    """Presses Generate; the job's id."""
    return str(start_form(context, actor, form_of(*form))["job"])
