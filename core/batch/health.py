"""Progress of a folder: its state, compared with its shards and journals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truehue.core.batch.array import after_tasks, running_tasks, state_of_tasks, tasks_of
from truehue.core.batch.folder import LOCK, BatchFolder
from truehue.core.batch.locks import is_free
from truehue.core.batch.progress import Progress, add_journal, add_shard, nothing_done
from truehue.core.batch.records import BatchState
from truehue.core.batch.shards import BadShard, read_columns
from truehue.core.errors import BadInput

DAMAGED = "damaged"
"""Below the folder: shards that could not be read when the work was taken up again."""

_MAX_NAMED = 3
_health_by_folder: dict[Path, tuple[Any, Health]] = {}


@dataclass(frozen=True)
class Health:
    """Counts of a folder's shards and journals: ``done`` items, ``failed`` among them.

    ``unreadable`` are names of shards with the reason, as they were found now.
    """

    done: int
    failed: int
    problems: tuple[tuple[str, int], ...]
    unreadable: tuple[tuple[str, str], ...]


def health_of(folder: BatchFolder, total: int) -> Health:
    """Count what is there. Remembered until a file changes. Raises BadInput where a file of the
    plan cannot be read."""
    mark = _mark(folder)
    entry = _health_by_folder.get(folder.path)
    if entry is not None and entry[0] == mark:
        return entry[1]
    folder.check_files()
    done: Progress = nothing_done(total)
    # Journals first: one that is sealed meanwhile is then among the shards.
    for path in folder.journals():
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


def done_of(folder: BatchFolder, total: int) -> Progress:
    """The counts of a folder. Raises BadShard for a shard of its own workers that cannot be read;
    what other tasks of a job array wrote is theirs to mend."""
    done = nothing_done(total)
    for path in folder.shards():
        try:
            add_shard(done, path)
        except BadShard:
            if path.name.startswith(folder.worker_prefix):
                raise
    for path in folder.journals():
        add_journal(done, path)
    return done


def state_of(folder: BatchFolder) -> BatchState:
    """How far the work is, as of now; work whose process is gone is ``interrupted``.

    Of work that nobody is at, what is there is counted: a state that was lost is made again, and one
    that says more than there is becomes ``paused`` and says what is missing. Work at which tasks of
    a job array are is ``running``. Raises BadInput for a
    folder that cannot be read.
    """
    state = folder.saved_state()
    if running := running_tasks(folder):
        return state_of_tasks(folder, running)
    if state is None or state.status != "running":
        return _reconciled(folder, state)
    if not is_free(folder.path / LOCK):
        return state
    ended = replace(
        state,
        status="interrupted",
        workers=0,
        seconds_left=None,
        message="Its process ended without an error message. Resume continues it.",
    )
    return _reconciled(folder, ended)


def _reconciled(folder: BatchFolder, state: BatchState | None) -> BatchState:
    """The state of work that nobody is at: what was ``state``, held against what is there.

    A state that is lost is made from the shards. One that says more than there is becomes
    ``paused``, with a sentence on what is missing and how it comes back. Raises BadInput where a
    file of the plan cannot be read.
    """
    total = folder.total
    health = health_of(folder, total)
    counted: dict[str, Any] = {
        "done": health.done,
        "failed": health.failed,
        "problems": health.problems,
    }
    more = health.done > (state.done if state else 0) and not health.unreadable
    if more and tasks_of(folder):
        base = state or BatchState(folder.run_id, "paused", total)
        counts = replace(base, seconds_left=None, **counted)
        return after_tasks(state, counts, folder.words.items)
    if state is None:
        if not health.done and not health.unreadable:
            return BatchState(folder.run_id, "planned", total)
        state = BatchState(folder.run_id, "finished" if health.done == total else "paused", total)
        if not health.unreadable:
            text = "" if health.done == total else "Its state was lost and is being recounted."
            return replace(state, message=text, **counted)
    lost = state.done - health.done
    if lost <= 0 and not health.unreadable:
        return state
    text = _text(folder, health, max(lost, 0), state.done)
    return replace(state, status="paused", message=text, seconds_left=None, **counted)


def require_whole(folder: BatchFolder) -> None:
    """Return if all that the state promises is there and can be read, to the last byte.

    Raises BadInput that says what is missing.
    """
    state = state_of(folder)
    if state.status == "running":
        return
    total = folder.total
    health = health_of(folder, total)
    if health.unreadable or folder.stored_count() > health.done:
        raise BadInput(state.message)
    for path in folder.shards():
        read_columns(path, None)


def set_aside(folder: BatchFolder, total: int) -> list[str]:
    """Move shards that cannot be read to ``damaged/``; what they hold is then to be done again.

    Only for who holds the folder's lock. Returns their names. Raises BadShard where the system
    refuses to read one (rights, too many open files), which is no damage.
    """
    moved = []
    for path in folder.shards():
        if not path.name.startswith(folder.worker_prefix):
            continue
        try:
            read_columns(path, None)
            add_shard(nothing_done(total), path)
        except BadShard as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno is not None:
                # The system refuses to read it now; that says nothing about what is in it.
                raise
            index = folder.path / DAMAGED
            index.mkdir(exist_ok=True)
            path.rename(index / path.name)
            moved.append(path.name)
    return moved


def _text(folder: BatchFolder, health: Health, lost: int, before: int) -> str:
    sentences = []
    names = [name for name, _ in health.unreadable]
    if names:
        shown = ", ".join(names[:_MAX_NAMED]) + (" and others" if len(names) > _MAX_NAMED else "")
        several = f"{len(names)} of its files of results" if len(names) > 1 else "A file of results"
        sentences.append(f"{several} cannot be read ({shown}).")
    if lost:
        sentences.append(
            f"{lost:,} of {before:,} {folder.words.items} that were done have no results in its "
            "folder any more."
        )
    mend = "Import the archive again" if folder.imported else "Resume repeats them"
    sentences.append(f"{mend}, or put a copy back.")
    return " ".join(sentences)


def _mark(folder: BatchFolder) -> Any:
    """Changes when a file of results, a journal or a file of the plan does."""
    paths = [*folder.shards(), *folder.journals(), *folder.plan_files()]
    marks: list[Any] = [folder.total]
    for path in paths:
        try:
            stat = path.stat()
        except OSError:
            continue
        marks.append((path.name, stat.st_size, stat.st_mtime_ns, stat.st_ino))
    return tuple(marks)
