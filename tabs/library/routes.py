"""HTTP routes of prompts: their sets, searching them, selections, and files."""

from __future__ import annotations

from fastapi import Request
from fastapi.responses import JSONResponse

from truehue.core.errors import BadInput
from truehue.core.prompts.search import Query
from truehue.tabs.library.prompts import (
    RULE,
    NamedSelection,
    NamedSet,
    Resolve,
    SaveSelectionRequest,
    hide_set,
    matching,
    prompt_sets_view,
    remove_selection,
    resolve,
    save_selection,
    search,
    take_prompts,
)
from truehue.tabs.page.answers import MAX_BASKET_BYTES, json_answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter

MAX_ROWS = 200


def query_of(request: Request) -> tuple[str, Query]:
    """Set and query of an address; raises BadInput for numbers that are none."""
    values = request.query_params
    chosen: dict[str, set[str]] = {}
    for part in values.getlist("f"):
        name, _, value = part.partition("=")
        chosen.setdefault(name, set()).add(value)
    try:
        offset, limit = int(values.get("offset", "0")), int(values.get("limit", "50"))
    except ValueError:
        raise BadInput("offset and limit are whole numbers.") from None
    return values.get("set", "gencolorbench"), Query(
        text=values.get("q", "")[:500],
        chosen={name: frozenset(source) for name, source in chosen.items()},
        sort=values.get("sort", "set"),
        offset=max(offset, 0),
        limit=min(max(limit, 1), MAX_ROWS),
    )


def prompt_routes(context: Context) -> FeatureRouter:
    """The router of prompts."""
    router = FeatureRouter(context, "/api")

    @router.get("/prompts/sets")
    def sets(actor: Actor = router.current_actor) -> JSONResponse:
        return json_answer(lambda: prompt_sets_view(context, actor))

    @router.get("/prompts/search")
    def found(request: Request, rule: str = RULE, facets: int = 1) -> JSONResponse:
        return json_answer(lambda: search(context, *query_of(request), bool(facets), rule))

    @router.get("/prompts/matching")
    def all_found(request: Request, rule: str = RULE) -> JSONResponse:
        return json_answer(lambda: matching(context, *query_of(request), rule))

    router.post_json("/prompts/resolve", Resolve, resolve, MAX_BASKET_BYTES)
    router.post_file("/prompts/sets", EmptyRequest, context.limits.prompts_bytes, take_prompts)
    router.post_json("/prompts/sets/hide", NamedSet, hide_set)
    router.post_json("/selections", SaveSelectionRequest, save_selection, MAX_BASKET_BYTES)
    router.post_json("/selections/remove", NamedSelection, remove_selection)
    return router
