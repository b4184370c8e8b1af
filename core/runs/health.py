"""Whether a run's folder still holds what its state says: counted in its shards, not believed."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import BadInput
from core.runs.progress import Progress, add_journal, add_shard, nothing_done
from core.runs.records import RunState
from core.runs.shards import BadShard, read_columns

if TYPE_CHECKING:
    from core.runs.folder import RunFolder

DAMAGED = "damaged"
"""Below a run's folder: shards that could not be read when the run was taken up again."""

_MOST_NAMED = 3
_health_by_folder: dict[Path, tuple[Any, Health]] = {}


@dataclass(frozen=True)
class Health:
    """What the shards and journals of a run hold: ``done`` pictures, ``failed`` among them.

    ``unreadable`` are names of shards with the reason, as they were found now.
    """

    done: int
    failed: int
    problems: tuple[tuple[str, int], ...]
    unreadable: tuple[tuple[str, str], ...]


def health_of(folder: RunFolder, total: int) -> Health:
    """Count what is there. Remembered until a file changes. Raises BadInput for prompts that cannot
    be read."""
    mark = _mark(folder)
    entry = _health_by_folder.get(folder.path)
    if entry is not None and entry[0] == mark:
        return entry[1]
    check_prompts(folder)
    done: Progress = nothing_done(total)
    # Journals first: one that is sealed meanwhile is then among the shards.
    for path in sorted(folder.journal.glob("*.jsonl")):
        add_journal(done, path)
    unreadable = []
    for path in folder.shards():
        try:
            add_shard(done, path)
        except BadShard as error:
            unreadable.append((path.name, str(error)))
    health = Health(done.done, int(done.failed.sum()), done.problems(), tuple(unreadable))
    _health_by_folder[folder.path] = (mark, health)
    return health


def reconciled(folder: RunFolder, state: RunState | None, imported: bool) -> RunState:
    """The state of a run that nobody is at: what was ``state``, held against what is there.

    A state that is lost is made from the shards. One that says more than there is becomes
    ``paused``, with a sentence on what is missing and how it comes back. Raises BadInput where the
    prompts of the run cannot be read.
    """
    total = int(folder.summary()["total"])
    health = health_of(folder, total)
    counted: dict[str, Any] = {
        "done": health.done,
        "failed": health.failed,
        "problems": health.problems,
    }
    if state is None:
        if not health.done and not health.unreadable:
            return RunState(folder.run_id, "planned", total)
        state = RunState(folder.run_id, "finished" if health.done == total else "paused", total)
        if not health.unreadable:
            words = "" if health.done == total else "Its state was lost and is counted anew."
            return replace(state, message=words, **counted)
    lost = state.done - health.done
    if lost <= 0 and not health.unreadable:
        return state
    words = _words(health, max(lost, 0), state.done, imported)
    return replace(state, status="paused", message=words, seconds_left=None, **counted)


def require_whole(folder: RunFolder) -> None:
    """Return if all that the run's state promises is there and can be read, to the last byte.

    Raises BadInput that says what is missing.
    """
    state = folder.state()
    if state.status == "running":
        return
    total = int(folder.summary()["total"])
    health = health_of(folder, total)
    if health.unreadable or folder.kept_done() > health.done:
        raise BadInput(state.message)
    for path in folder.shards():
        read_columns(path, None)


def set_aside(folder: RunFolder, total: int) -> list[str]:
    """Move shards that cannot be read to ``damaged/``; their pictures are then to be done again.

    Only for who holds the run's lock. Returns their names. Raises BadShard where the system
    refuses to read one (rights, too many open files), which is no damage.
    """
    moved = []
    for path in folder.shards():
        try:
            read_columns(path, None)
            add_shard(nothing_done(total), path)
        except BadShard as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno is not None:
                # The system refuses to read it now; that says nothing about what is in it.
                raise
            place = folder.path / DAMAGED
            place.mkdir(exist_ok=True)
            path.rename(place / path.name)
            moved.append(path.name)
    return moved


def check_prompts(folder: RunFolder) -> None:
    """Raises BadInput where the file of the run's prompts is damaged, or not that of its plan."""
    from core.runs.folder import PROMPTS

    path = folder.path / PROMPTS
    try:
        with gzip.open(path, "rb") as file:
            lines = sum(1 for _ in file)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise BadInput(f"{path} cannot be read: {error}. Put a copy back.") from error
    if lines != int(folder.summary()["prompts"]):
        raise BadInput(
            f"{path} holds {lines:,} prompts, and the plan says "
            f"{int(folder.summary()['prompts']):,}. Put the right file back."
        )


def _words(health: Health, lost: int, before: int, imported: bool) -> str:
    sentences = []
    names = [name for name, _ in health.unreadable]
    if names:
        shown = ", ".join(names[:_MOST_NAMED]) + (" and others" if len(names) > _MOST_NAMED else "")
        several = f"{len(names)} of its files of results" if len(names) > 1 else "A file of results"
        sentences.append(f"{several} cannot be read ({shown}).")
    if lost:
        sentences.append(
            f"{lost:,} of {before:,} pictures that were done have no results in its folder any "
            "more."
        )
    mend = "Import the archive again" if imported else "Resume does them again"
    sentences.append(f"{mend}, or put a copy back.")
    return " ".join(sentences)


def _mark(folder: RunFolder) -> Any:
    """Changes when a file of results, a journal or the prompts does."""
    from core.runs.folder import PROMPTS

    paths = [*folder.shards(), *sorted(folder.journal.glob("*.jsonl")), folder.path / PROMPTS]
    marks = []
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue
        marks.append((path.name, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return tuple(marks)
