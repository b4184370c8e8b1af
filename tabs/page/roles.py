"""Roles and their permissions: one table, for routes, events of the page, and the command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

from truehue.core.errors import NotAllowed
from truehue.storage.makers import OWNER as OWNER_ID


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
    OWN = "what the person added or started"
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
    "look": Action("You do not have access to this.", _reach(Reach.EVERYTHING, *_WORKERS)),
    "add": Action("You cannot add anything here.", _reach(Reach.EVERYTHING, *_WORKERS)),
    "compute": Action("You cannot start jobs here.", _reach(Reach.EVERYTHING, *_WORKERS)),
    "study": Action(
        "You do not have access to studies.", _reach(Reach.EVERYTHING, Role.RESEARCHER)
    ),
    "see-reviews": Action(
        "You do not have access to reviews.",
        _reach(Reach.EVERYTHING, Role.RESEARCHER, Role.EXPERT),
    ),
    "review": Action("Only experts and admins review here.", _reach(Reach.EVERYTHING, Role.EXPERT)),
    "cancel": Action(
        "Only the person who started this, or the owner of this TrueHue, can change it.",
        _reach(Reach.OWN, *_WORKERS),
    ),
    "change": Action(
        "Only the person who made this, or the owner of this TrueHue, can change it.",
        _reach(Reach.OWN, *_WORKERS),
    ),
    "delete": Action(
        "Only the person who added this, or the owner of this TrueHue, can delete or restore it.",
        _reach(Reach.OWN, *_WORKERS),
    ),
    "purge": Action("Permanent deletion works only on the server itself.", at_machine=True),
    "name-folder": Action(
        "Paths of folders work only on the machine where TrueHue runs.", at_machine=True
    ),
    "name-file": Action(
        "Paths of files work only on the machine where TrueHue runs.", at_machine=True
    ),
    "name-cluster": Action(
        "Clusters can be chosen only on the machine where TrueHue runs.", at_machine=True
    ),
    "name-server": Action(
        "Servers can be chosen only on the machine where TrueHue runs.", at_machine=True
    ),
    "backup": Action("Only an admin can make and download backups."),
    "read-metrics": Action("Only an admin can read the metrics."),
    "read-notice": Action("That notice cannot be marked as read here."),
}
"""Everything that is ever asked of :func:`authorize`."""
STORING = ("add", "compute", "change")
"""Actions that store something, which may be limited (:meth:`Context.require_space`)."""


@dataclass(frozen=True)
class Resource:
    """What an action is done with: the ids of those who brought or began it."""

    makers: frozenset[str] = frozenset()


def authorize(actor: Actor, action: str, resource: Resource | None = None, field: str = "") -> None:
    """Returns where the actor may do that with the resource; without one, where there is anything
    at all that they may do it with. Raises NotAllowed in words; ``field`` is the one of a form that
    asked for it."""
    policy = ACTIONS[action]
    if actor.role is Role.OWNER or (
        actor.role is Role.ADMIN and (actor.at_machine or not policy.at_machine)
    ):
        return
    reach = policy.reach.get(actor.role, Reach.NOTHING)
    own = resource is None or (bool(actor.id) and resource.makers == {actor.id})
    if reach is Reach.NOTHING or (reach is Reach.OWN and not own):
        raise NotAllowed(policy.refusal, field)


def allowed(actor: Actor, action: str, resource: Resource | None = None) -> bool:
    """Whether :func:`authorize` lets it pass."""
    try:
        authorize(actor, action, resource)
    except NotAllowed:
        return False
    return True


def may_open(actor: Actor, model_id: str, field: str = "") -> None:
    """Raises NotAllowed for a model in a folder of this machine, where the actor may name none."""
    if model_id.startswith("folder:"):
        authorize(actor, "name-folder", field=field)
