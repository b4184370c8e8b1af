"""A run as a folder: its plan, results and state, readable without a database."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truehue.core.batch.folder import PLAN, BatchFolder
from truehue.core.batch.records import WorkNames
from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.registration import Registration
from truehue.core.prompts.prompt import prompt_from_json
from truehue.core.runs.plan import plan_json, run_id
from truehue.core.runs.records import (
    ALL,
    SHARED,
    STORED,
    MaskerSpec,
    RunPlan,
    StoredItem,
    StoredMask,
)
from truehue.core.runs.summary import CFM_FILES, checked_summary

PROMPTS, ITEMS = "prompts.jsonl.gz", "items.jsonl.gz"


class RunFolder(BatchFolder):
    """The folder of one run: images and masks lie in it too, and the prompts beside the plan."""

    words = WorkNames("run", "image", "images")

    @classmethod
    def create(cls, root: Path | str, plan: RunPlan) -> RunFolder:
        """Makes the folder ``root/<run_id>`` of a plan; one that is there already is taken.

        Raises BadInput for a plan that could not be read again, and DataFolderError where nothing
        can be written.
        """
        folder = cls(Path(root) / run_id(plan))
        if (folder.path / PLAN).is_file():
            return folder
        files = {PROMPTS: gzip_lines(prompt.as_json() for prompt in plan.prompts)}
        if plan.kind == STORED:
            files[ITEMS] = gzip_lines(asdict(item) for item in plan.items)
        summary = {
            **plan_json(plan),
            "run_id": folder.path.name,
            "total": plan.total,
            "munsell": plan.munsell,
            "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if plan.cfm is not None:
            summary["cfm_files"] = {name: getattr(plan.cfm, name) for name in CFM_FILES}
        folder.begin(summary, files)
        return folder

    @property
    def images(self) -> Path:
        """Drawn images, as many as the plan keeps: ``ab/<image_id>.png``."""
        return self.path / "images"

    @property
    def masks(self) -> Path:
        """Their masks: ``ab/<content_sha256>.png``."""
        return self.path / "masks"

    def written_folders(self) -> tuple[Path, ...]:
        """Shards, images and masks."""
        return (self.shard_folder, self.images, self.masks)

    def plan_files(self) -> tuple[Path, ...]:
        """The prompts."""
        return (self.path / PROMPTS,)

    def check_files(self) -> None:
        """Raises BadInput where the file of the prompts is damaged, or not that of the plan."""
        path = self.path / PROMPTS
        try:
            with gzip.open(path, "rb") as file:
                lines = sum(1 for _ in file)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise BadInput(f"{path} cannot be read: {error}. Put a copy back.") from error
        if lines != int(self.summary()["prompts"]):
            raise BadInput(
                f"{path} holds {lines:,} prompts, and the plan says "
                f"{int(self.summary()['prompts']):,}. Put the right file back."
            )

    def checked(self, summary: dict[str, Any]) -> dict[str, Any]:
        """See :func:`truehue.core.runs.summary.checked_summary`."""
        return checked_summary(summary)

    def summary(self) -> dict[str, Any]:
        """The plan without its prompts: name, model, kind, images, masker, rules, total, ….

        Raises BadInput for a folder that holds no run.
        """
        return super().summary()

    def plan(self) -> RunPlan:
        """The whole plan, prompts and stored images included. Raises BadInput."""
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
                str(summary.get("protocol", "")),
                summary.get("seed_mode", SHARED),
                summary.get("keep_images", ALL),
                Registration(**summary["cfm"], **summary["cfm_files"])
                if "cfm" in summary
                else None,
            )
        except (KeyError, TypeError, IndexError) as error:
            raise BadInput(f"{self.path} holds no whole plan: {error!r} is missing.") from error


def run_folders(root: Path | str) -> list[RunFolder]:
    """The runs below ``root``, newest first; folders without a plan are left out."""
    dated_ns = []
    for path in Path(root).glob(f"*/{PLAN}"):
        with suppress(OSError):  # it may be taken away while it is looked at
            dated_ns.append((path.stat().st_mtime_ns, RunFolder(path.parent)))
    return [folder for _, folder in sorted(dated_ns, key=lambda entry: -entry[0])]


def folder_named(root: Path, name: str) -> RunFolder:
    """The run of that name or beginning of an id. Raises BadInput for none, and for several."""
    every = run_folders(root)
    fitting = [folder for folder in every if folder.run_id == name]
    fitting = fitting or [folder for folder in every if name_in(folder) == name]
    fitting = fitting or [folder for folder in every if folder.run_id.startswith(name.lower())]
    if len(fitting) == 1:
        return fitting[0]
    if not every:
        raise BadInput(f"There is no run in {root}.")
    shown = "\n".join(f"  {folder.run_id}  {name_in(folder)}" for folder in (fitting or every)[:10])
    if fitting:
        raise BadInput(f"{len(fitting):,} runs fit {name[:80]!r}: write more of the id.\n{shown}")
    raise BadInput(f"There is no run {name[:80]!r} in {root}. The newest are:\n{shown}")


def name_in(folder: RunFolder) -> str:
    """What people call a run; empty for a folder that cannot be read."""
    try:
        return str(folder.summary()["name"])
    except BadInput:
        return ""


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise BadInput(f"{path} cannot be read: {error}. Put a copy back.") from error


def item_from_json(row: dict[str, Any]) -> StoredItem:
    """An image of a stored run, as a line of its file holds it."""
    masks = {int(target): StoredMask(**row) for target, row in row["masks"].items()}
    return StoredItem(**{**row, "masks": masks})


def gzip_lines(rows: Iterable[Any]) -> bytes:
    """Rows as lines of JSON, compressed; the same rows give the same bytes."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return gzip.compress(text.encode(), 6, mtime=0)
