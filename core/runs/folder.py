"""A run as a folder: its plan, its results and its state, readable without a database."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from core.batch.locks import is_free
from core.errors import BadInput, DataFolderError
from core.files import replace_file, why_of
from core.prompts.prompt import prompt_from_json
from core.runs.plan import plan_json, run_id
from core.runs.records import (
    STATUSES,
    STORED,
    WISHES,
    MaskerSpec,
    RunPlan,
    RunState,
    StoredItem,
    StoredMask,
)
from core.runs.summary import FORMAT, checked_summary

PLAN, PROMPTS, ITEMS = "plan.json", "prompts.jsonl.gz", "items.jsonl.gz"
STATE, WISH, LOCK, WORKERS_LOCK = "state.json", "wish.json", "lock", "workers.lock"


class RunFolder:
    """The folder of one run. Any process that sees it may read it; one at a time executes it."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @classmethod
    def create(cls, root: Path | str, plan: RunPlan) -> RunFolder:
        """Makes the folder ``root/<run_id>`` of a plan; one that is there already is taken.

        Raises BadInput for a plan that could not be read again, and DataFolderError where nothing
        can be written.
        """
        folder = cls(Path(root) / run_id(plan))
        if (folder.path / PLAN).is_file():
            return folder
        summary = {
            **plan_json(plan),
            "run_id": folder.path.name,
            "total": plan.total,
            "munsell": plan.munsell,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        try:
            checked_summary(summary)
        except BadInput as error:
            raise BadInput(f"This run cannot be kept: {error}.") from error
        try:
            for part in (folder.journal, folder.shard_folder, folder.images, folder.masks):
                part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataFolderError(
                f"{folder.path} cannot be made: {why_of(error)}. Choose another folder, or change "
                "its permissions."
            ) from error
        replace_file(folder.path / PROMPTS, _lines(prompt.as_json() for prompt in plan.prompts))
        if plan.kind == STORED:
            replace_file(folder.path / ITEMS, _lines(asdict(item) for item in plan.items))
        # The plan comes last: a folder with a plan is whole.
        replace_file(folder.path / PLAN, _json(summary))
        return folder

    @property
    def run_id(self) -> str:
        """The name of the run."""
        return self.path.name

    @property
    def journal(self) -> Path:
        """Where workers write what they have done, a line a picture."""
        return self.path / "journal"

    @property
    def shard_folder(self) -> Path:
        """Where sealed journals lie as Parquet."""
        return self.path / "shards"

    @property
    def images(self) -> Path:
        """Drawn pictures: ``ab/<image_id>.png``."""
        return self.path / "images"

    @property
    def masks(self) -> Path:
        """Their masks: ``ab/<content_sha256>.png``."""
        return self.path / "masks"

    @cached_property
    def _read(self) -> dict[str, Any]:
        summary = _object(self.path / PLAN)
        if summary.get("format") != FORMAT:
            raise BadInput(
                f"{self.path / PLAN} has the format {summary.get('format')!r}; this TrueHue reads "
                f"{FORMAT}. Use the version that began the run."
            )
        try:
            return checked_summary(summary)
        except BadInput as error:
            raise BadInput(f"{self.path / PLAN} is no whole plan: {error}.") from error

    def summary(self) -> dict[str, Any]:
        """The plan without its prompts: name, model, kind, images, masker, rules, total, ….

        Raises BadInput for a folder that holds no run.
        """
        return dict(self._read)

    def plan(self) -> RunPlan:
        """The whole plan, prompts and stored pictures included. Raises BadInput."""
        summary = self._read
        try:
            prompts = tuple(prompt_from_json(row) for row in _rows(self.path / PROMPTS))
            if len(prompts) != summary["prompts"]:
                raise BadInput(
                    f"{self.path / PROMPTS} holds {len(prompts):,} prompts, and the plan says "
                    f"{summary['prompts']}. Put the right file back."
                )
            items: tuple[StoredItem, ...] = ()
            if summary["kind"] == STORED:
                items = tuple(item_from_json(row) for row in _rows(self.path / ITEMS))
            return RunPlan(
                summary["name"],
                summary["set_name"],
                prompts,
                summary["model"],
                summary["kind"],
                summary["images"],
                summary["seed"],
                summary["guidance"],
                summary["steps"],
                summary["size_px"],
                summary["negative_text"],
                summary["options"],
                items,
                MaskerSpec(**summary["masker"]),
                tuple((rule[0], rule[1]) for rule in summary["rules"]),
                summary["k"],
                summary["munsell"],
                tuple(float(scale) for scale in summary.get("guidances", ())),
            )
        except (KeyError, TypeError, IndexError) as error:
            raise BadInput(f"{self.path} holds no whole plan: {error!r} is missing.") from error

    def shards(self) -> list[Path]:
        """The sealed shards, by name."""
        return sorted(self.shard_folder.glob("*.parquet"))

    def desired_state(self) -> str:
        """What people want of the run: ``run``, ``pause`` or ``cancel``."""
        try:
            wish = str(_object(self.path / WISH).get("wish"))
        except BadInput:
            return "run"
        return wish if wish in WISHES else "run"

    def set_desired_state(self, wish: str) -> None:
        """Says it; workers look between two pictures. Raises BadInput for another word."""
        if wish not in WISHES:
            raise BadInput(f"A wish is {', '.join(WISHES)}, not {wish[:40]!r}.")
        replace_file(self.path / WISH, _json({"wish": wish}))

    def state(self) -> RunState:
        """How far the run is, as of now; one whose process is gone is ``interrupted``.

        Of a run that nobody is at, what is there is counted: a state that was lost is made anew,
        and one that says more than there is becomes ``paused`` and says what is missing (see
        :func:`core.runs.health.reconciled`). Raises BadInput for a folder that cannot be read.
        """
        from core.runs.health import reconciled

        state, imported = self._kept_state(), bool(self._read.get("imported"))
        if state is None or state.status != "running":
            return reconciled(self, state, imported)
        if not is_free(self.path / LOCK):
            return state
        ended = replace(
            state,
            status="interrupted",
            workers=0,
            seconds_left=None,
            message="Its process ended without a word. Resume takes it up where it was.",
        )
        return reconciled(self, ended, imported)

    def kept_done(self) -> int:
        """How many pictures had a result when the state was last written; 0 where it is lost."""
        state = self._kept_state()
        return 0 if state is None else state.done

    def _kept_state(self) -> RunState | None:
        """The state as it was written; None where it is not there, or damaged."""
        try:
            fields = _object(self.path / STATE)
            fields["problems"] = tuple(
                (str(problem[0]), int(problem[1])) for problem in fields.get("problems", ())
            )
            state = RunState(**{n: fields[n] for n in RunState.__dataclass_fields__ if n in fields})
            sound = _is_sound(state)
        except (BadInput, TypeError, ValueError, LookupError, OverflowError):
            return None
        return state if sound and state.total == int(self._read["total"]) else None

    def keep_state(self, state: RunState) -> None:
        """Writes the state for everyone; only who executes the run does."""
        replace_file(self.path / STATE, _json(asdict(state)))


def run_folders(root: Path | str) -> list[RunFolder]:
    """The runs below ``root``, newest first; folders without a plan are left out."""
    dated_ns = []
    for path in Path(root).glob(f"*/{PLAN}"):
        with suppress(OSError):  # it may be taken away while it is looked at
            dated_ns.append((path.stat().st_mtime_ns, RunFolder(path.parent)))
    return [folder for _, folder in sorted(dated_ns, key=lambda entry: -entry[0])]


def _is_sound(state: RunState) -> bool:
    """Whether what a file said of a run can be shown: counts, a pace, words and times."""
    pace = (state.rate, 0.0 if state.seconds_left is None else state.seconds_left)
    return (
        state.status in STATUSES
        and all(type(count) is int for count in (state.total, state.done, state.failed))
        and type(state.workers) is int
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


def _object(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is no JSON: {error}.") from error
    if not isinstance(record, dict):
        raise BadInput(f"{path} holds no JSON object.")
    return record


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise BadInput(f"{path} cannot be read: {error}. Put a copy back.") from error


def item_from_json(row: dict[str, Any]) -> StoredItem:
    """A picture of a stored run, as a line of its file holds it."""
    masks = {int(target): StoredMask(**row) for target, row in row["masks"].items()}
    return StoredItem(**{**row, "masks": masks})


def _lines(rows: Iterator[Any]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return gzip.compress(text.encode(), 6, mtime=0)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
