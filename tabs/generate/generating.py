"""Drawing: what was asked for in Generate becomes a job of the engine."""

from __future__ import annotations

from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.registry import RENDERER
from truehue.tabs.generate.models import checked_models
from truehue.tabs.generate.own_prompt import NOTHING_TO_DRAW, OwnPrompt
from truehue.tabs.generate.plan import Settings, own_prompt, requests, title_of
from truehue.tabs.generate.realism import problem_of
from truehue.tabs.library.prompts import Refs
from truehue.tabs.library.service import Library
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.verdicts.generation import draw


class GenerateImages(PageRequest):
    """Prompts to be drawn: those of a basket (``refs``), or with ``mode`` ``own`` one's ``own``
    words; ``how`` are the other controls."""

    mode: str = "own"
    refs: Refs = ()
    own: OwnPrompt
    how: Settings


@requires("compute")
def start_generation(context: Context, actor: Actor, request: GenerateImages) -> dict[str, Any]:
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
    return {"job": draw(context, prompts, requests(prompts, how), title, actor)}
