"""A batch as a row of a list: its progress, its problem, and the user's actions."""

from __future__ import annotations

from typing import TypedDict

from truehue.core.batch.records import BatchState
from truehue.core.errors import TrueHueError
from truehue.tabs.batches.queue import ACTIVE, RESUMABLE, status_of
from truehue.tabs.batches.service import BatchService, F, S
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.roles import Actor, allowed

CANCELLABLE = ("waiting", "running", "pausing", "paused", "chosen", "awaiting", "interrupted")


def may_change(service: BatchService[F, S], actor: Actor, run_id: str) -> bool:
    """Whether the actor may pause, cancel, resume or hide the batch."""
    return allowed(actor, "cancel", service.resource(run_id))


class BatchProblem(TypedDict):
    """What went wrong, and how often."""

    text: str
    count: int


class BatchJson(TypedDict):
    """What every kind of batch says of itself; ``may`` is what the user may do with it."""

    id: str
    status: str
    place: int | None
    moves: bool
    hidden: bool
    total: int
    done: int
    failed: int
    message: str
    trouble: bool
    problems: list[BatchProblem]
    may: dict[str, bool]


class UnreadableBatch(BatchJson):
    """A batch whose folder cannot be read."""

    words: str


def batch_json(
    service: BatchService[F, S], actor: Actor, folder: F, state: BatchState
) -> BatchJson:
    """What every kind of batch says of itself in a ``state``, which was read once. Raises BadInput
    for a folder that cannot be read."""
    run_id = folder.run_id
    position = service.queue.position(run_id)
    status, problem = status_of(folder, state, position), service.problem(run_id)
    return {
        "id": run_id,
        "status": status,
        "place": position,
        "moves": status in ACTIVE,
        "hidden": service.is_hidden(run_id),
        "total": state.total,
        "done": state.done,
        "failed": state.failed,
        "message": problem or state.message,
        "trouble": bool(problem) or status in ("paused", "interrupted"),
        "problems": [{"text": text, "count": count} for text, count in state.problems],
        "may": _actions(state, status, may_change(service, actor, run_id), folder.imported),
    }


def _actions(state: BatchState, status: str, changeable: bool, imported: bool) -> dict[str, bool]:
    active = status in ACTIVE
    return {
        "open": state.done > 0,
        "resume": changeable and not imported and status in RESUMABLE,
        "pause": changeable and status == "running",
        "cancel": changeable and status in CANCELLABLE,
        "export": state.done > 0,
        "hide": changeable and not active,
        "retry": changeable and not imported and bool(state.failed) and not active,
    }


def unreadable_json(
    service: BatchService[F, S], actor: Actor, folder: F, error: Exception
) -> UnreadableBatch:
    """A folder that cannot be read is shown with the reason; it can be hidden."""
    state = BatchState(folder.run_id, "broken", 0)
    return {
        "id": folder.run_id,
        "status": state.status,
        "place": None,
        "moves": False,
        "hidden": service.is_hidden(folder.run_id),
        "total": 0,
        "done": 0,
        "failed": 0,
        "words": "This folder cannot be read.",
        "message": unreadable_text(error),
        "trouble": True,
        "problems": [],
        "may": {
            **dict.fromkeys(_actions(state, "", False, False), False),
            "hide": may_change(service, actor, folder.run_id),
        },
    }


def unreadable_text(error: Exception) -> str:
    """Why a batch cannot be shown."""
    if isinstance(error, TrueHueError):
        return message_of(error)
    return f"Its plan is not as TrueHue writes it ({type(error).__name__}: {error!s:.200})."
