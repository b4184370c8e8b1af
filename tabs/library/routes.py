"""HTTP routes of the prompt browser: sets, search, baskets' prompts, selections, prompt files."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from core.errors import BadInput
from core.prompts.search.index import PromptIndex, Query
from core.verdict.rules import DEFAULT_RULE
from tabs.library.service import SELECTION, Library, prompt_json
from tabs.page.answers import MOST_BASKET_BYTES, guarded, posted, uploaded
from tabs.page.context import Context

MOST_ROWS = 200
RULE = DEFAULT_RULE


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
        chosen={name: frozenset(of) for name, of in chosen.items()},
        sort=values.get("sort", "set"),
        offset=max(offset, 0),
        limit=min(max(limit, 1), MOST_ROWS),
    )


def search(context: Context, set_id: str, query: Query, facets: bool, rule: str) -> dict[str, Any]:
    """One page of what matches, with the facets' counts."""
    began = time.perf_counter()
    index, page = context.service(Library).search(set_id, query, rule)
    rows = [index.prompts[position] for position in page.rows]
    marks = context.service(Library).drawn(rows, rule) if rows else {}
    return {
        "total": page.total,
        "of": len(index.prompts),
        "rows": [prompt_json(row, marks) for row in rows],
        "facets": [
            {
                "name": facet.name,
                "title": facet.title,
                "values": [
                    {"value": v.value, "label": v.label, "count": v.count, "hex": v.hex or ""}
                    for v in facet.values
                ],
            }
            for facet in page.facets
        ] if facets else [],
        "suggestions": _suggestions(context, index, query, rule) if facets else {},
        "ms": (time.perf_counter() - began) * 1000.0,
    }  # fmt: skip


def _suggestions(context: Context, index: PromptIndex, query: Query, rule: str) -> dict[str, Any]:
    instead, facets = index.suggestions(query, context.service(Library).marks(index, rule))
    return {"instead": instead, "facets": [vars(one) for one in facets]}


def matching(context: Context, set_id: str, query: Query, rule: str) -> list[dict[str, Any]]:
    """Every prompt that matches, as the basket keeps it."""
    index = context.service(Library).index(set_id)
    found = index.matching(query, context.service(Library).marks(index, rule))
    prompts = [index.prompts[int(position)] for position in found]
    return [
        {
            "source": prompt.source, "id": prompt.id, "text": prompt.text, "task": prompt.task,
            "hexes": [target.color.hex for target in prompt.targets if target.color],
        }
        for prompt in prompts
    ]  # fmt: skip


def prompt_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    router = APIRouter(prefix="/api")

    @router.get("/prompts/sets")
    def sets() -> JSONResponse:
        return guarded(
            lambda: {
                "sets": [vars(one) for one in context.service(Library).sets()],
                "selections": [
                    {"name": name, "count": count}
                    for name, count in context.service(Library).selections()
                ],
                "local": context.local,
            }
        )

    @router.get("/prompts/search")
    def found(request: Request, rule: str = RULE, facets: int = 1) -> JSONResponse:
        return guarded(lambda: search(context, *query_of(request), bool(facets), rule))

    @router.get("/prompts/matching")
    def all_found(request: Request, rule: str = RULE) -> JSONResponse:
        return guarded(lambda: {"items": matching(context, *query_of(request), rule)})

    @router.post("/prompts/resolve")
    async def resolve(request: Request) -> JSONResponse:
        def rows(given: dict[str, Any]) -> dict[str, Any]:
            prompts, missing = context.service(Library).resolve(given.get("refs") or [])
            marks = context.service(Library).drawn(prompts, str(given.get("rule") or RULE))
            return {"rows": [prompt_json(one, marks) for one in prompts], "missing": missing}

        return await posted(request, rows, MOST_BASKET_BYTES)

    @router.post("/prompts/sets")
    async def upload(request: Request) -> JSONResponse:
        return await uploaded(
            request, context.limits.prompts_bytes, context.service(Library).take_file
        )

    @router.post("/prompts/sets/hide")
    async def hide(request: Request) -> JSONResponse:
        def put_away(given: dict[str, Any]) -> dict[str, Any]:
            set_id = str(given.get("set_id") or "")
            context.storage.prompt_sets.hide(set_id)
            context.service(Library).forget(set_id)
            return {}

        return await posted(request, put_away)

    @router.post("/selections")
    async def save(request: Request) -> JSONResponse:
        def keep(given: dict[str, Any]) -> dict[str, Any]:
            prompts, missing = context.service(Library).resolve(given.get("refs") or [])
            refs = [(prompt.source, prompt.id) for prompt in prompts]
            kept = context.storage.selections.save(str(given.get("name") or ""), refs)
            return {"name": kept.name, "count": len(kept.refs), "missing": len(missing)}

        return await posted(request, keep, MOST_BASKET_BYTES)

    @router.post("/selections/remove")
    async def remove(request: Request) -> JSONResponse:
        def forget(given: dict[str, Any]) -> dict[str, Any]:
            name = str(given.get("name") or "")
            context.storage.selections.remove(name)
            context.service(Library).forget(SELECTION + name.strip())
            return {}

        return await posted(request, forget)

    return router
