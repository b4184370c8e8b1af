"""Users' actions on prompts: search, save selections, import and hide sets."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, TypedDict

from pydantic import Field

from truehue.core.prompts.search import PromptIndex, Query
from truehue.core.prompts.search.columns import FacetValue
from truehue.core.prompts.search.query import Suggestion
from truehue.core.verdict.rules import DEFAULT_RULE
from truehue.storage import makers
from truehue.storage.prompts import MAX_NAME, MAX_PROMPTS, plain_name
from truehue.tabs.library.service import (
    SELECTION,
    Library,
    PromptJson,
    PromptsImport,
    SetInfo,
    prompt_json,
)
from truehue.tabs.page.actor import requires, stored_resource
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor, Resource, allowed, authorize
from truehue.tabs.page.shared_answers import Done

RULE = DEFAULT_RULE

Refs = Annotated[
    tuple[tuple[str, str], ...], Field(max_length=MAX_PROMPTS, title="The list of prompts")
]
"""Prompts as pairs of a set's id and a prompt's."""


class Resolve(PageRequest):
    """Prompts to be shown, with what a rule says of what was drawn of them."""

    refs: Refs = ()
    rule: str = RULE


class SaveSelectionRequest(PageRequest):
    """Prompts to be kept under a name."""

    name: Annotated[str, Field(max_length=MAX_NAME, title="The name")] = ""
    refs: Refs = ()


class NamedSelection(PageRequest):
    """A selection by its name."""

    name: str = ""


class NamedSet(PageRequest):
    """An imported set by its id."""

    set_id: str = ""


class SelectionJson(TypedDict):
    """A saved selection."""

    name: str
    count: int


class PromptSetsView(TypedDict):
    """All sets and selections; ``local`` says whether a folder of this machine may be named."""

    sets: list[SetInfo]
    selections: list[SelectionJson]
    local: bool


def prompt_sets_view(context: Context, actor: Actor) -> PromptSetsView:
    """The prompt sets and the saved selections."""
    library = context.service(Library)
    return {
        "sets": library.sets(),
        "selections": [{"name": name, "count": count} for name, count in library.selections()],
        "local": allowed(actor, "name-folder"),
    }


class FacetJson(TypedDict):
    """A field that prompts can be filtered by."""

    name: str
    title: str
    values: tuple[FacetValue, ...]


class PromptSuggestions(TypedDict, total=False):
    """What the words of a query may mean: another spelling, and values of facets."""

    instead: str
    facets: list[Suggestion]


class PromptSearch(TypedDict):
    """A page of the prompts that match, of those in the set."""

    total: int
    of: int
    rows: list[PromptJson]
    facets: list[FacetJson]
    suggestions: PromptSuggestions
    ms: float


def search(context: Context, set_id: str, query: Query, facets: bool, rule: str) -> PromptSearch:
    """One page of what matches, with the facets' counts."""
    began = time.perf_counter()
    index, page = context.service(Library).search(set_id, query, rule)
    rows = [index.prompts[position] for position in page.rows]
    marks = context.service(Library).statuses(rows, rule) if rows else {}
    return {
        "total": page.total,
        "of": len(index.prompts),
        "rows": [prompt_json(row, marks) for row in rows],
        "facets": [
            {
                "name": facet.name,
                "title": facet.title,
                "values": facet.values,
            }
            for facet in page.facets
        ]
        if facets
        else [],
        "suggestions": _suggestions(context, index, query, rule) if facets else {},
        "ms": (time.perf_counter() - began) * 1000.0,
    }


def _suggestions(
    context: Context, index: PromptIndex, query: Query, rule: str
) -> PromptSuggestions:
    instead, facets = index.suggestions(query, context.service(Library).marks(index, rule))
    return {"instead": instead, "facets": list(facets)}


class BasketItem(TypedDict):
    """A prompt as the basket keeps it."""

    source: str
    id: str
    text: str
    task: str
    hexes: list[str]


class MatchingPrompts(TypedDict):
    """All prompts that match."""

    items: list[BasketItem]


class ResolvedPrompts(TypedDict):
    """Prompts by their names, and a sentence for each that is not there."""

    rows: list[PromptJson]
    missing: list[str]


class SavedSelection(TypedDict):
    """The saved selection; ``missing`` prompts are not in it."""

    name: str
    count: int
    missing: int


def matching(context: Context, set_id: str, query: Query, rule: str) -> MatchingPrompts:
    """Every prompt that matches, as the basket holds it."""
    index = context.service(Library).index(set_id)
    positions = index.matching(query, context.service(Library).marks(index, rule))
    prompts = [index.prompts[int(position)] for position in positions]
    return {
        "items": [
            {
                "source": prompt.source,
                "id": prompt.id,
                "text": prompt.text,
                "task": prompt.task,
                "hexes": [target.color.hex for target in prompt.targets if target.color],
            }
            for prompt in prompts
        ]
    }


@requires("look")
def resolve(context: Context, actor: Actor, request: Resolve) -> ResolvedPrompts:
    """Prompts by their names, and which of the names do not exist."""
    library = context.service(Library)
    prompts, missing = library.resolve(request.refs)
    marks = library.statuses(prompts, request.rule)
    return {"rows": [prompt_json(prompt, marks) for prompt in prompts], "missing": missing}


@requires("add")
def take_prompts(
    context: Context, actor: Actor, request: EmptyRequest, file: Path, name: str
) -> PromptsImport:
    """Imports a file of prompts as a set."""
    return context.service(Library).take_file(file, name, actor.id)


@requires("change")
def hide_set(context: Context, actor: Actor, request: NamedSet) -> Done:
    """Hides an imported set."""
    authorize(actor, "change", stored_resource(context, makers.PROMPT_SET, request.set_id))
    context.storage.prompt_sets.hide(request.set_id)
    context.service(Library).forget(request.set_id)
    return {}


@requires("add")
def save_selection(context: Context, actor: Actor, request: SaveSelectionRequest) -> SavedSelection:
    """Saves prompts under a name; an existing name gets a new version."""
    name = plain_name(request.name)
    if name in dict(context.service(Library).selections()):
        authorize(actor, "change", _selection(context, name))
    prompts, missing = context.service(Library).resolve(request.refs)
    refs = [(prompt.source, prompt.id) for prompt in prompts]
    selection = context.storage.selections.save(name, refs, actor.id)
    return {"name": selection.name, "count": len(selection.refs), "missing": len(missing)}


@requires("change")
def remove_selection(context: Context, actor: Actor, request: NamedSelection) -> Done:
    """Hides a selection."""
    name = plain_name(request.name)
    authorize(actor, "change", _selection(context, name))
    context.storage.selections.remove(name)
    context.service(Library).forget(SELECTION + name)
    return {}


def _selection(context: Context, name: str) -> Resource:
    return stored_resource(context, makers.SELECTION, name)
