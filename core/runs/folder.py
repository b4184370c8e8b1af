"""A run as a folder: its plan, its results and its state, readable without a database."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from core.errors import BadInput, DataFolderError
from core.files import why_of
from core.prompts.prompt import prompt_from_json
from core.runs.locks import is_free
from core.runs.plan import FORMAT, plan_json, run_id
from core.runs.records import STORED, WISHES, MaskerSpec, RunPlan, RunState, StoredItem, StoredMask
from core.runs.whole import replace_file

PLAN, PROMPTS, ITEMS = "plan.json", "prompts.jsonl.gz", "items.jsonl.gz"
STATE, WISH, LOCK, WORKERS_LOCK = "state.json", "wish.json", "lock", "workers.lock"
_ALWAYS = ("name", "model", "kind", "set_name", "prompts", "masker", "rules", "options", "total")


class RunFolder:
    """The folder of one run. Any process that sees it may read it; one at a time executes it."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @classmethod
    def create(cls, root: Path | str, plan: RunPlan) -> RunFolder:
        """Makes the folder ``root/<run_id>`` of a plan; one that is there already is taken.

        Raises DataFolderError where nothing can be written.
        """
        folder = cls(Path(root) / run_id(plan))
        if (folder.path / PLAN).is_file():
            return folder
        try:
            for part in (folder.journal, folder.shard_folder, folder.images, folder.masks):
                part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataFolderError(
                f"{folder.path} cannot be made: {why_of(error)}. Choose another folder, or change "
                "its permissions."
            ) from error
        replace_file(folder.path / PROMPTS, _lines(one.as_json() for one in plan.prompts))
        if plan.kind == STORED:
            replace_file(folder.path / ITEMS, _lines(asdict(one) for one in plan.items))
        made = {
            **plan_json(plan),
            "run_id": folder.path.name,
            "total": plan.total,
            "munsell": plan.munsell,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        # The plan comes last: a folder with a plan is whole.
        replace_file(folder.path / PLAN, _json(made))
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
        made = _object(self.path / PLAN)
        if made.get("format") != FORMAT:
            raise BadInput(
                f"{self.path / PLAN} has the format {made.get('format')!r}; this TrueHue reads "
                f"{FORMAT}. Use the version that began the run."
            )
        absent = [name for name in _ALWAYS if name not in made]
        if absent:
            raise BadInput(f"{self.path / PLAN} is no whole plan: it has no {absent[0]}.")
        return made

    def summary(self) -> dict[str, Any]:
        """The plan without its prompts: name, model, kind, images, masker, rules, total, ….

        Raises BadInput for a folder that holds no run.
        """
        return dict(self._read)

    def plan(self) -> RunPlan:
        """The whole plan, prompts and stored pictures included. Raises BadInput."""
        made = self._read
        try:
            prompts = tuple(prompt_from_json(row) for row in _rows(self.path / PROMPTS))
            items: tuple[StoredItem, ...] = ()
            if made["kind"] == STORED:
                items = tuple(item_from_json(row) for row in _rows(self.path / ITEMS))
            return RunPlan(
                made["name"], made["set_name"], prompts, made["model"], made["kind"],
                made["images"], made["seed"], made["guidance"], made["steps"], made["size_px"],
                made["negative_text"], made["options"], items, MaskerSpec(**made["masker"]),
                tuple((one[0], one[1]) for one in made["rules"]), made["k"], made["munsell"],
                tuple(float(one) for one in made.get("guidances", ())),
            )  # fmt: skip
        except (KeyError, TypeError, IndexError) as error:
            raise BadInput(f"{self.path} holds no whole plan: {error!r} is missing.") from error

    def shards(self) -> list[Path]:
        """The sealed shards, by name."""
        return sorted(self.shard_folder.glob("*.parquet"))

    def wish(self) -> str:
        """What people want of the run: ``run``, ``pause`` or ``cancel``."""
        try:
            wish = str(_object(self.path / WISH).get("wish"))
        except BadInput:
            return "run"
        return wish if wish in WISHES else "run"

    def set_wish(self, wish: str) -> None:
        """Says it; workers look between two pictures. Raises BadInput for another word."""
        if wish not in WISHES:
            raise BadInput(f"A wish is {', '.join(WISHES)}, not {wish[:40]!r}.")
        replace_file(self.path / WISH, _json({"wish": wish}))

    def state(self) -> RunState:
        """How far the run is, as of now; one whose process is gone is ``interrupted``."""
        try:
            kept = _object(self.path / STATE)
        except BadInput:
            return RunState(self.run_id, "planned", int(self._read["total"]))
        try:
            kept["problems"] = tuple((str(one[0]), int(one[1])) for one in kept.get("problems", ()))
            known = {name: kept[name] for name in RunState.__dataclass_fields__ if name in kept}
            state = RunState(**known)
        except (TypeError, ValueError, LookupError) as error:
            raise BadInput(
                f"{self.path / STATE} is damaged: {error!r}. Take it away, then resume."
            ) from error
        if state.status == "running" and is_free(self.path / LOCK):
            from dataclasses import replace

            return replace(
                state, status="interrupted", workers=0, seconds_left=None,
                message="Its process ended without a word. Resume takes it up where it was.",
            )  # fmt: skip
        return state

    def keep_state(self, state: RunState) -> None:
        """Writes the state for everyone; only who executes the run does."""
        replace_file(self.path / STATE, _json(asdict(state)))


def run_folders(root: Path | str) -> list[RunFolder]:
    """The runs below ``root``, newest first; folders without a plan are left out."""
    found = [RunFolder(one.parent) for one in Path(root).glob(f"*/{PLAN}")]
    return sorted(found, key=lambda one: (one.path / PLAN).stat().st_mtime_ns, reverse=True)


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise BadInput(f"Cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"{path} is no JSON: {error}.") from error
    if not isinstance(found, dict):
        raise BadInput(f"{path} holds no JSON object.")
    return found


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}.") from error


def item_from_json(row: dict[str, Any]) -> StoredItem:
    """A picture of a stored run, as a line of its file holds it."""
    masks = {int(target): StoredMask(**one) for target, one in row["masks"].items()}
    return StoredItem(**{**row, "masks": masks})


def _lines(rows: Iterator[Any]) -> bytes:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return gzip.compress(text.encode(), 6, mtime=0)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
