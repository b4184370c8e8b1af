"""Long work as a folder: its plan, results and state, readable without a database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from truehue.core.batch.records import STATUSES, WISHES, BatchState, WorkNames
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.files import file_problem, replace_file

FORMAT = 1
"""Of plan.json; a folder of another format is refused."""

PLAN, STATE, WISH, LOCK, WORKERS_LOCK = (
    "plan.json",
    "state.json",
    "wish.json",
    "lock",
    "workers.lock",
)


class BatchFolder:
    """The folder of one piece of work. Any process that sees it may read it; one at a time
    executes it.

    A kind of work has a class of its own where it has other words, or keeps more than a plan and
    rows: then it says which folders workers write to, and which files its plan needs.
    """

    words: WorkNames = WorkNames()
    worker_prefix = ""
    """What the names of its workers begin with: journals and shards have their names."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def __reduce__(self) -> tuple[type[BatchFolder], tuple[Path]]:
        """To another process goes where it is, and nothing of what was read of it."""
        return type(self), (self.path.resolve(),)

    def begin(self, plan: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> None:
        """Makes the folder of a plan, a JSON object with the number of items as ``total``;
        ``files`` are written beside it by their names. A folder with a plan is left as it is.

        Raises BadInput for a plan that could not be read again, DataFolderError where nothing can
        be written.
        """
        if (self.path / PLAN).is_file():
            return
        summary = {"format": FORMAT, **plan}
        try:
            self.checked(summary)
        except BadInput as error:
            raise BadInput(f"This {self.words.work} cannot be saved: {error}.") from error
        try:
            for part in (self.journal, *self.written_folders()):
                part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataFolderError(
                f"{self.path} cannot be made: {file_problem(error)}. Choose another folder, or change "
                "its permissions."
            ) from error
        for name, content in (files or {}).items():
            replace_file(self.path / name, content)
        # The plan comes last: a folder with a plan is whole.
        replace_file(self.path / PLAN, json_bytes(summary))

    def grow(self, plan: Mapping[str, Any]) -> None:
        """Writes a plan with more items than the one that is there, whose positions keep their
        meaning. Only for who holds the folder's lock. Raises BadInput, DataFolderError."""
        summary = self.checked({"format": FORMAT, **plan})
        replace_file(self.path / PLAN, json_bytes(summary))
        self.__dict__.pop("_read", None)

    @property
    def run_id(self) -> str:
        """The name of the folder."""
        return self.path.name

    @property
    def home(self) -> BatchFolder:
        """The folder of the whole work: itself, but for a task of a job array."""
        return self

    @property
    def total(self) -> int:
        """How many items there are. Raises BadInput for a folder without a plan."""
        return int(self._read["total"])

    @property
    def imported(self) -> bool:
        """Whether it came from elsewhere, and cannot go on here."""
        return bool(self._read.get("imported"))

    @property
    def journal(self) -> Path:
        """Where workers write what they have done, a line an item."""
        return self.path / "journal"

    @property
    def shard_folder(self) -> Path:
        """Where sealed journals lie as Parquet."""
        return self.path / "shards"

    def written_folders(self) -> tuple[Path, ...]:
        """Where workers write files: what is left half written there is taken away after a kill."""
        return (self.shard_folder,)

    def plan_files(self) -> tuple[Path, ...]:
        """The files that the plan cannot do without."""
        return (self.path / PLAN,)

    def check_files(self) -> None:
        """Raises BadInput where one of them is damaged."""

    def checked(self, summary: dict[str, Any]) -> dict[str, Any]:
        """The checked ``plan.json``. Raises BadInput, a part of a sentence, for the first
        thing that is missing or wrong."""
        total = summary.get("total")
        if type(total) is not int or total < 0:
            raise BadInput("its total is no number")
        return summary

    @cached_property
    def _read(self) -> dict[str, Any]:
        summary = json_object(self.path / PLAN)
        if summary.get("format") != FORMAT:
            raise BadInput(
                f"{self.path / PLAN} has the format {summary.get('format')!r}; this TrueHue reads "
                f"{FORMAT}. Use the version that began the {self.words.work}."
            )
        try:
            return self.checked(summary)
        except BadInput as error:
            raise BadInput(f"{self.path / PLAN} is no whole plan: {error}.") from error

    def summary(self) -> dict[str, Any]:
        """The contents of ``plan.json``. Raises BadInput for a folder without a plan."""
        return dict(self._read)

    def shards(self) -> list[Path]:
        """The sealed shards, by name."""
        return sorted(self.shard_folder.glob("*.parquet"))

    def journals(self) -> list[Path]:
        """What workers have written and not sealed, by name."""
        return sorted(self.journal.glob("*.jsonl"))

    def shared_locks(self) -> tuple[Path, ...]:
        """Locks that whoever executes it holds together with others."""
        return ()

    def worker_locks(self) -> tuple[Path, ...]:
        """Locks that its workers hold together."""
        return (self.path / WORKERS_LOCK,)

    def desired_state(self) -> str:
        """The users' wish: ``run``, ``pause`` or ``cancel``."""
        try:
            wish = str(json_object(self.path / WISH).get("wish"))
        except BadInput:
            return "run"
        return wish if wish in WISHES else "run"

    def set_desired_state(self, wish: str) -> None:
        """Says it; workers look between two items. Raises BadInput for another word."""
        if wish not in WISHES:
            raise BadInput(f"A wish is {', '.join(WISHES)}, not {wish[:40]!r}.")
        replace_file(self.path / WISH, json_bytes({"wish": wish}))

    def stored_count(self) -> int:
        """How many items had a result when the state was last written; 0 where it is lost."""
        state = self.saved_state()
        return 0 if state is None else state.done

    def saved_state(self) -> BatchState | None:
        """The state as it was last written; None where it is not there, or damaged. How far the
        work is now says :func:`truehue.core.batch.health.state_of`."""
        try:
            fields = json_object(self.path / STATE)
            fields["problems"] = tuple(
                (str(problem[0]), int(problem[1])) for problem in fields.get("problems", ())
            )
            names = [name for name in BatchState.__dataclass_fields__ if name in fields]
            state = BatchState(**{name: fields[name] for name in names})
            sound = _is_sound(state)
        except (BadInput, TypeError, ValueError, LookupError, OverflowError):
            return None
        return state if sound and self._is_of_plan(state) else None

    def _is_of_plan(self, state: BatchState) -> bool:
        """Whether a state is one of this plan: a list may have grown since."""
        return state.total == self.total

    def save_state(self, state: BatchState) -> None:
        """Writes the state for everyone; only who executes it does."""
        replace_file(self.path / STATE, json_bytes(asdict(state)))


def _is_sound(state: BatchState) -> bool:
    """Whether what a file said of work can be shown: counts, a pace, words and times."""
    counts = (state.total, state.done, state.failed, state.steps, state.workers)
    pace = (state.rate, 0.0 if state.seconds_left is None else state.seconds_left)
    return (
        state.status in STATUSES
        and all(type(count) is int for count in counts)
        and all(type(number) in (int, float) and isfinite(number) for number in pace)
        and isinstance(state.message, str)
        and _is_time(state.started_at)
        and _is_time(state.updated_at)
    )


def _is_time(text: Any) -> bool:
    """Whether it is a time with its zone, or empty."""
    try:
        return text == "" or datetime.fromisoformat(text).tzinfo is not None
    except (TypeError, ValueError):
        return False


def json_object(path: Path) -> dict[str, Any]:
    """A file that holds one JSON object. Raises BadInput."""
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is no JSON: {error}.") from error
    if not isinstance(record, dict):
        raise BadInput(f"{path} holds no JSON object.")
    return record


def json_bytes(value: Any) -> bytes:
    """A value as the text of a JSON file."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
