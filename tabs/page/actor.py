"""The user of a request, their permissions in a service, and the owner of a stored resource."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import (
    ACTIONS,
    NOBODY,
    OWNER,
    STORING,
    Actor,
    Resource,
    Role,
    authorize,
)

_P = ParamSpec("_P")
_T = TypeVar("_T")


def requires(
    action: str,
) -> Callable[
    [Callable[Concatenate[Context, Actor, _P], _T]], Callable[Concatenate[Context, Actor, _P], _T]
]:
    """Marks a function ``do(context, actor, request)`` as something that TrueHue does for people:
    nobody gets in who may not do it with anything. With what exactly, it asks itself."""
    assert action in ACTIONS

    def marked(
        do: Callable[Concatenate[Context, Actor, _P], _T],
    ) -> Callable[Concatenate[Context, Actor, _P], _T]:
        @wraps(do)
        def guard(context: Context, actor: Actor, /, *args: _P.args, **named: _P.kwargs) -> _T:
            authorize(actor, action)
            # Work that goes on in a thread goes on where it was begun.
            context = context.bound()
            if action in STORING:
                context.require_space()
            return do(context, actor, *args, **named)

        vars(guard)["action"] = action
        return guard

    return marked


def record_makers(context: Context, actor: Actor, kind: str, *names: str) -> None:
    """Keeps in mind who made these, which have ids of chance, so that they are nobody else's; what
    the owner makes is that anyway. What has its id by its content can be there before: the storage
    that adds it knows whether it was, and takes ``actor.id`` as its maker."""
    if actor.role is not Role.OWNER and actor.id:
        context.storage.makers.add(kind, names, actor.id)


def stored_resource(context: Context, kind: str, name: str) -> Resource:
    """What is stored under that name, as :func:`truehue.tabs.page.roles.authorize` asks of it."""
    return Resource(context.storage.makers.of(kind, name))


def actor_of(context: Context, request: Any) -> Actor:
    """Who sends a request of FastAPI or of Gradio.

    In a demonstration everyone is a visitor, whom the signed cookie tells apart
    (:mod:`truehue.tabs.page.visitors`). Else, once there is an account, it is whose session the
    request brings, and nobody without one. Without accounts everyone is the owner where only people
    at this machine reach the app, and nobody elsewhere.
    """
    inner = getattr(request, "request", None) or request
    cookies = dict(getattr(inner, "cookies", {}))
    if context.demo:
        fresh = getattr(inner, "scope", {}).get(FRESH_VISITOR, "")
        return Actor(fresh or context.visitors.id_of(cookies.get(COOKIE, "")), Role.VISITOR)
    accounts = context.storage.accounts
    if not accounts.any():
        return OWNER if context.local else NOBODY
    account = accounts.session(hashed(cookies.get(SESSION, "")))
    if account is None:
        return NOBODY
    return Actor(account.id, Role(account.role), context.local, account.name)


def hashed(token: str) -> str:
    """What is stored of a token of 256 bits of chance: its SHA-256 as hexadecimal characters."""
    return hashlib.sha256(token.encode()).hexdigest()


COOKIE = "truehue-visitor"
SESSION = "truehue-session"
FRESH_VISITOR = "truehue.visitor"
"""Where a request's scope names the visitor who gets the cookie with its answer."""
