"""The pages to sign in and out: plain HTML, without a script."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import Any
from urllib.parse import parse_qs, urlencode

import anyio
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.requests import ClientDisconnect

from truehue.core.errors import BadInput
from truehue.core.version import VERSION
from truehue.tabs.accounts.hugging_face import (
    ATTEMPT_S,
    HubAnswer,
    HuggingFace,
    attempt_of,
    cookie_of,
)
from truehue.tabs.accounts.signing_in import (
    SESSION_S,
    Attempt,
    Connected,
    Refused,
    SignedIn,
    SigningIn,
    local_path,
)
from truehue.tabs.page.actor import SESSION, actor_of
from truehue.tabs.page.context import ROOT, Context
from truehue.tabs.page.refusals import note_refusal
from truehue.tabs.page.roles import NOBODY
from truehue.tabs.page.same_origin import base_of
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
NO_ADMIN = (
    "There is no account yet. The creator of this Space signs in first and becomes its admin."
)
HUB, ATTEMPT = "/signin/hugging-face", "truehue-hugging-face"
REFUSED = "You did not let Hugging Face confirm your name. Try again, or use a password."
CONNECTED = "From now on you can sign in with your Hugging Face account too."
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
    hub = HuggingFace.from_environment()
    if hub is not None:
        _add_hub(router, context, signing_in, hub)
    page = partial(_page, hub=hub is not None)

    @router.get("/signin")
    def sign_in_page(request: Request, next: str = "/", out: int = 0) -> Response:
        if not accounts.any():
            if context.local:
                return _to("/")
            if hub is not None and hub.invited.admin_id:
                return page("signin", words=NO_ADMIN, passwords=False)
            return _page("signin", 403, error=NO_ACCOUNT, passwords=False)
        if actor_of(context, request) != NOBODY:
            return _to(local_path(next))
        return page("signin", words=SIGNED_OUT if out else "", next=local_path(next))

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
            answer = page("signin", status, error=result.words, person=name, next=onward)
            if result.wait_s:
                answer.headers["Retry-After"] = str(result.wait_s)
            return answer
        answer = _to(onward)
        _keep(answer, result, _secure(request))
        return answer

    @router.get("/signout")
    def sign_out_page(request: Request, connected: int = 0) -> Response:
        actor = actor_of(context, request)
        if not actor.name:
            return _to("/signin")
        answer = page("signout", person=actor.name, words=CONNECTED if connected else "")
        if hub is not None:
            # A browser follows the form's answer to the hub only where the page allows it.
            policy = answer.headers["Content-Security-Policy"]
            there = f"form-action 'self' {hub.provider}"
            answer.headers["Content-Security-Policy"] = policy.replace("form-action 'self'", there)
        return answer

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


def _add_hub(router: APIRouter, context: Context, signing_in: SigningIn, hub: HuggingFace) -> None:
    """The ways to Hugging Face and back."""
    signer = Visitors(context.storage.data_dir / "devices.key")
    accounts = context.storage.accounts
    # Of a Space with a domain of its own, the first address is the one that the hub knows.
    space = os.environ.get("SPACE_HOST", "").split(",")[0].strip()

    def refused(error: str, status: int = 401, onward: str = "/") -> Response:
        values = {"error": error, "next": onward}
        return _page("signin", status, hub=True, passwords=accounts.any(), **values)

    def to_hub(request: Request, onward: str, account_id: str = "") -> Response:
        try:
            base = f"https://{space}" if space else base_of(request, context.local)
            attempt = hub.begin(f"{base}{HUB}/done", onward, account_id)
            answer = _to(hub.address_of(attempt))
        except BadInput as error:
            return refused(str(error), 502, onward)
        options: dict[str, Any] = {"httponly": True, "samesite": "lax", "secure": _secure(request)}
        answer.set_cookie(
            ATTEMPT, cookie_of(attempt, signer), max_age=ATTEMPT_S, path=HUB, **options
        )
        return answer

    @router.get(HUB)
    def sign_in_there(request: Request, next: str = "/") -> Response:
        onward = local_path(next)
        if space and request.url.netloc != space:
            return _to(f"https://{space}{HUB}?{urlencode({'next': onward})}")
        return to_hub(request, onward)

    @router.post(f"{HUB}/connect")
    def connect(request: Request) -> Response:
        if space and request.url.netloc != space:
            return refused(f"Connect Hugging Face at this TrueHue's own address, https://{space}.")
        return to_hub(request, "/", actor_of(context, request).id)

    @router.get(f"{HUB}/done")
    def from_hub(request: Request, state: str = "", code: str = "", error: str = "") -> Response:
        cookies, onward = request.cookies, "/"
        result: SignedIn | Connected | Refused
        try:
            attempt = attempt_of(cookies.get(ATTEMPT, ""), state, signer)
            onward = attempt.onward
            if error:
                raise BadInput(REFUSED)
        except BadInput as problem:
            result = Refused(str(problem))
        else:
            address = request.client.host if request.client else ""
            device, session = cookies.get(DEVICE, ""), cookies.get(SESSION, "")
            result = signing_in.sign_in_from_hub(
                hub, HubAnswer(attempt, code, address, device, session)
            )
        if isinstance(result, SignedIn):
            answer = _to(onward)
            _keep(answer, result, _secure(request))
        elif isinstance(result, Connected):
            answer = _to("/signout?connected=1")
        else:
            answer = refused(result.words, 429 if result.wait_s else 401, onward)
            if result.wait_s:
                answer.headers["Retry-After"] = str(result.wait_s)
        answer.delete_cookie(ATTEMPT, path=HUB, httponly=True, samesite="lax")
        return answer


def _secure(request: Request) -> bool:
    return bool(os.environ.get("SPACE_ID")) or is_https(request.scope)


def _keep(answer: Response, result: SignedIn, secure: bool) -> None:
    """Has the browser keep its session, and that somebody signed in with it."""
    options: dict[str, Any] = {"httponly": True, "samesite": "lax", "secure": secure}
    answer.set_cookie(SESSION, result.token, max_age=SESSION_S, path="/", **options)
    answer.set_cookie(DEVICE, result.device, max_age=DEVICE_S, path="/signin", **options)


def _page(file: str, status: int = 200, **values: str | bool) -> Response:
    """A page; ``hub``: it offers Hugging Face, ``passwords``: the form for a password."""
    texts = dict.fromkeys(("error", "words", "person"), "")
    provided = {**texts, "next": "/", "version": VERSION, "hub": False, "passwords": True, **values}
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
