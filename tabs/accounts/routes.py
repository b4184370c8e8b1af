"""The pages to sign in and out: plain HTML, without a script."""

from __future__ import annotations

import os
from functools import cache
from typing import Any
from urllib.parse import parse_qs

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from truehue.core.version import VERSION
from truehue.tabs.accounts.signing_in import (
    SESSION_S,
    Attempt,
    Refused,
    SignedIn,
    SigningIn,
    local_path,
)
from truehue.tabs.page.actor import SESSION, actor_of
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.page.refusals import note_refusal
from truehue.tabs.page.roles import NOBODY
from truehue.tabs.page.templates import html
from truehue.tabs.page.visitor_cookies import is_https
from truehue.tabs.page.visitors import Visitors

DEVICE = "truehue-device"
DEVICE_S = 365 * 24 * 3600
MAX_FORM_BYTES = 16 * 2**10
SLOWEST_S = 30.0
STYLE = "/signin/style.css"
SIGNED_OUT = "You are signed out."
NO_ACCOUNT = (
    "There is no account yet. The person who runs this TrueHue creates the first one on the "
    "server: python -m truehue admin add NAME"
)
_HEADERS = {
    # Nothing runs in these pages, and they send their form only here.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'self'"
    ),
    "Cache-Control": "no-store",
}


def account_routes(context: Context) -> APIRouter:
    """The router of the doors; of a demonstration it has none."""
    router = APIRouter(include_in_schema=False)
    if context.demo:
        return router
    accounts = context.storage.accounts
    signing_in = SigningIn(accounts, Visitors(context.storage.data_dir / "devices.key"))

    @router.get("/signin")
    def sign_in_page(request: Request, next: str = "/", out: int = 0) -> Response:
        if not accounts.any():
            return _to("/") if context.local else _page("signin", 403, error=NO_ACCOUNT)
        if actor_of(context, request) != NOBODY:
            return _to(local_path(next))
        return _page("signin", words=SIGNED_OUT if out else "", next=local_path(next))

    @router.post("/signin")
    async def sign_in(request: Request) -> Response:
        form = await _form(request)
        if form is None:
            note_refusal("an attempt to sign in, by something else than the form")
            return _page("signin", 413, error="That is no form to sign in. Load the page again.")
        name, onward = form.get("name", "").strip()[:200], local_path(form.get("next", "/"))
        result = await signing_in.sign_in(
            Attempt(
                name,
                form.get("password", ""),
                request.client.host if request.client else "",
                request.cookies.get(DEVICE, ""),
                request.cookies.get(SESSION, ""),
            )
        )
        if isinstance(result, Refused):
            status = 429 if result.wait_s else 401
            answer = _page("signin", status, error=result.words, person=name, next=onward)
            if result.wait_s:
                answer.headers["Retry-After"] = str(result.wait_s)
            return answer
        answer = _to(onward)
        _keep(answer, result, bool(os.environ.get("SPACE_ID")) or is_https(request.scope))
        return answer

    @router.get("/signout")
    def sign_out_page(request: Request) -> Response:
        actor = actor_of(context, request)
        return _page("signout", person=actor.name) if actor.name else _to("/signin")

    @router.post("/signout")
    def sign_out(request: Request) -> Response:
        signing_in.sign_out(request.cookies.get(SESSION, ""))
        answer = _to("/signin?out=1")
        answer.delete_cookie(SESSION, path="/", httponly=True, samesite="lax")
        return answer

    @router.get(STYLE)
    def style() -> Response:
        return Response(_style(), media_type="text/css", headers={"Cache-Control": "no-cache"})

    return router


def _keep(answer: Response, result: SignedIn, secure: bool) -> None:
    """Has the browser keep its session, and that somebody signed in with it."""
    options: dict[str, Any] = {"httponly": True, "samesite": "lax", "secure": secure}
    answer.set_cookie(SESSION, result.token, max_age=SESSION_S, path="/", **options)
    answer.set_cookie(DEVICE, result.device, max_age=DEVICE_S, path="/signin", **options)


def _page(file: str, status: int = 200, **values: str) -> Response:
    provided = {"error": "", "words": "", "person": "", "next": "/", "version": VERSION, **values}
    return HTMLResponse(html(f"accounts/{file}", style=STYLE, **provided), status, _HEADERS)


def _to(path: str) -> Response:
    # A browser that keeps this answer would go on to where it cannot get any more.
    return RedirectResponse(path, 303, {"Cache-Control": "no-store"})


async def _form(request: Request) -> dict[str, str] | None:
    """The fields of the form that was sent, the first of each name; None for anything else."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    data = bytearray()
    with anyio.move_on_after(SLOWEST_S) as scope:
        try:
            async for part in request.stream():
                data += part
                if len(data) > MAX_FORM_BYTES:
                    return None
        except ClientDisconnect:
            return None
    if scope.cancelled_caught or kind != "application/x-www-form-urlencoded":
        return None
    try:
        fields = parse_qs(data.decode(), errors="strict", max_num_fields=20)
    except ValueError:
        return None
    return {key: values[0] for key, values in fields.items()}


@cache
def _style() -> str:
    return (ROOT / "assets" / "css" / "accounts" / "signin.css").read_text(encoding="utf-8")
