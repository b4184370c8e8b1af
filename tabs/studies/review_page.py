"""The page of experts: their reviews, and nothing else of TrueHue.

A plain page with a script of its own; the workbench is not loaded. Experts are led here by
:mod:`truehue.tabs.accounts.guard`, and admins who review by a button.
"""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from truehue.tabs.page.actor import actor_of
from truehue.tabs.page.asset_files import REVIEW_STYLE, asset_files
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import allowed
from truehue.tabs.page.templates import html

MODULE = "js/studies/review.js"
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
    ),
    "Cache-Control": "no-store",
}


def review_page_routes(context: Context) -> APIRouter:
    """The router of the page; empty in a demonstration, which has no studies."""
    router = APIRouter(include_in_schema=False)
    if context.demo:
        return router

    @router.get("/review")
    def review_page(request: Request) -> Response:
        actor = actor_of(context, request)
        if not allowed(actor, "review"):
            return RedirectResponse("/", 303, {"Cache-Control": "no-store"})
        files = asset_files()
        page = html(
            "studies/review",
            person=actor.name,
            workbench=allowed(actor, "look"),
            style=files.address(REVIEW_STYLE),
            module=files.address(MODULE),
            preloads=[files.address(name) for name in files.with_imports([MODULE])[1:]],
        )
        return HTMLResponse(page, headers=_HEADERS)

    return router
