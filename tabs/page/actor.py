"""Who asks, and what they may do: one table, for routes, events of the page, and the command."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from truehue.core.errors import NotAllowed
from truehue.storage.makers import OWNER as OWNER_ID

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Role(StrEnum):
    """What somebody is to this TrueHue."""

    OWNER = "owner"
    ADMIN = "admin"
    RESEARCHER = "researcher"
    EXPERT = "expert"
    VISITOR = "visitor"
    NOBODY = "nobody"


@dataclass(frozen=True)
class Actor:
    """Who asks: ``id`` tells people apart, and is the server's, never the page's. Of somebody with
    an account it is the account's, and ``name`` is what they signed in with. ``at_machine``: only
    people at this machine can reach the app."""

    id: str
    role: Role
    at_machine: bool = False
    name: str = ""


OWNER = Actor(OWNER_ID, Role.OWNER, at_machine=True)
"""Everybody at a machine that nobody else reaches and that has no accounts, and whoever gives a
command there."""
NOBODY = Actor("", Role.NOBODY)
"""Who has not signed in where there are accounts: they may do nothing."""


class Reach(Enum):
    """How far an action of a role goes."""

    EVERYTHING = "everything"
    OWN = "what one brought or began"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Action:
    """What may be done, by roles: a role that is not named may do it with nothing, but the owner,
    who may do everything, and an admin, who may too; ``at_machine`` is left to admins only where
    nobody else reaches the app. ``refusal`` is what those are told who may not."""

    refusal: str
    reach: Mapping[Role, Reach] = field(default_factory=dict)
    at_machine: bool = False


def _reach(reach: Reach, *roles: Role) -> Mapping[Role, Reach]:
    return dict.fromkeys(roles, reach)


_WORKERS = (Role.RESEARCHER, Role.VISITOR)
ACTIONS: Mapping[str, Action] = {
    "look": Action("This is not for you to see.", _reach(Reach.EVERYTHING, *_WORKERS, Role.EXPERT)),
    "add": Action("Nothing can be added here by you.", _reach(Reach.EVERYTHING, *_WORKERS)),
    "compute": Action("You cannot begin work here.", _reach(Reach.EVERYTHING, *_WORKERS)),
    "study": Action("Studies are not for you to see.", _reach(Reach.EVERYTHING, Role.RESEARCHER)),
    "review": Action("Only experts and admins review here.", _reach(Reach.EVERYTHING, Role.EXPERT)),
    "cancel": Action(
        "Only who began this, or the owner of this TrueHue, can change it.",
        _reach(Reach.OWN, *_WORKERS),
    ),
    "change": Action(
        "Only who made this, or the owner of this TrueHue, can change it.",
        _reach(Reach.OWN, *_WORKERS),
    ),
    "delete": Action(
        "Only who brought this, or the owner of this TrueHue, can delete it or put it back.",
        _reach(Reach.OWN, *_WORKERS),
    ),
    "purge": Action(
        "Only at the machine itself something can be deleted for good.", at_machine=True
    ),
    "name-folder": Action(
        "Folders can only be named on the machine where the app runs.", at_machine=True
    ),
    "name-file": Action(
        "Files can only be named on the machine where the app runs.", at_machine=True
    ),
    "name-cluster": Action(
        "Clusters can only be named on the machine where the app runs.", at_machine=True
    ),
    "name-server": Action(
        "Servers can only be named on the machine where the app runs.", at_machine=True
    ),
    "backup": Action("Only an admin can make backups and fetch them."),
    "read-notice": Action("That notice cannot be marked as read here."),
}
"""Everything that is ever asked of :func:`may`."""
STORING = ("add", "compute", "change")
"""Actions that store something, which may be limited (:meth:`Context.require_room`)."""


@dataclass(frozen=True)
class Thing:
    """What an action is done with: the ids of those who brought or began it."""

    makers: frozenset[str] = frozenset()


def may(actor: Actor, action: str, thing: Thing | None = None, field: str = "") -> None:
    """Returns where the actor may do that with the thing; without one, where there is anything at
    all that they may do it with. Raises NotAllowed in words; ``field`` is the one of a form that
    asked for it."""
    policy = ACTIONS[action]
    if actor.role is Role.OWNER or (
        actor.role is Role.ADMIN and (actor.at_machine or not policy.at_machine)
    ):
        return
    reach = policy.reach.get(actor.role, Reach.NOTHING)
    own = thing is None or (bool(actor.id) and thing.makers == {actor.id})
    if reach is Reach.NOTHING or (reach is Reach.OWN and not own):
        raise NotAllowed(policy.refusal, field)


def allowed(actor: Actor, action: str, thing: Thing | None = None) -> bool:
    """Whether :func:`may` lets it pass."""
    try:
        may(actor, action, thing)
    except NotAllowed:
        return False
    return True


def asks(
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
            may(actor, action)
            # Work that goes on in a thread goes on where it was begun.
            context = context.bound()
            if action in STORING:
                context.require_room()
            return do(context, actor, *args, **named)

        vars(guard)["action"] = action
        return guard

    return marked


def may_open(actor: Actor, model_id: str, field: str = "") -> None:
    """Raises NotAllowed for a model in a folder of this machine, where the actor may name none."""
    if model_id.startswith("folder:"):
        may(actor, "name-folder", field=field)


def brought(context: Context, actor: Actor, kind: str, *things: str) -> None:
    """Keeps in mind who made these, which have ids of chance, so that they are nobody else's; what
    the owner makes is that anyway. What has its id by its content can be there before: the storage
    that adds it knows whether it was, and takes ``actor.id`` as its maker."""
    if actor.role is not Role.OWNER and actor.id:
        context.storage.makers.add(kind, things, actor.id)


def thing(context: Context, kind: str, name: str) -> Thing:
    """A stored thing, as :func:`may` asks of it."""
    return Thing(context.storage.makers.of(kind, name))


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
