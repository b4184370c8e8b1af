"""The results of a job array put together: of one folder, and of copies of it on other disks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from truehue.core.batch import execute as batch
from truehue.core.batch.folder import json_object
from truehue.core.batch.health import done_of
from truehue.core.batch.progress import Progress
from truehue.core.batch.records import FAILED, BatchState
from truehue.core.batch.results import tables
from truehue.core.batch.shards import write_shard
from truehue.core.errors import BadInput
from truehue.core.files import content_path, replace_file, write_once
from truehue.core.runs.controls import FILE as CONTROLS
from truehue.core.runs.controls import controls_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.provenance import FILE, pin
from truehue.core.runs.records import IMAGE_FILE, NOT_KEPT
from truehue.core.runs.worker import RunWork


def merge(folder: RunFolder, copies: Sequence[Path] = ()) -> BatchState:
    """Seals what tasks left, takes over what ``copies`` have beyond it, and returns the run's state.

    A copy is a folder of the same run that another machine worked on. Its rows come with their
    images and masks; the copy is left as it is, and merging it again changes nothing. Raises
    BadInput for a copy of another run, or one that lacks a file, InUse while a task is at the run,
    and OtherWeights for a copy made with other weights.
    """
    others = [_copy_of(folder, path) for path in copies]
    work = RunWork(folder.path)

    def add() -> None:
        for other in others:
            _take_over(work, folder, other)

    return batch.merge(work, add)


def _copy_of(folder: RunFolder, path: Path) -> RunFolder:
    """The run in a folder, checked to be the same one."""
    other = RunFolder(path)
    if other.summary()["run_id"] != folder.summary()["run_id"]:
        raise BadInput(
            f"{path} is the run {other.summary()['run_id']}, not {folder.run_id}: only copies of one "
            "run can be merged."
        )
    other.check_files()
    return other


def _take_over(work: RunWork, folder: RunFolder, other: RunFolder) -> None:
    """What a copy has and the run has not: rows with a later attempt, with their files."""
    if (other.path / FILE).is_file():
        for role, provenance in json_object(other.path / FILE).items():
            pin(folder.path, role, provenance)
    ours, theirs = controls_of(folder.path), controls_of(other.path)
    if theirs and (ours is None or len(theirs.warnings) > len(ours.warnings)):
        replace_file(folder.path / CONTROLS, (other.path / CONTROLS).read_bytes())
    done = done_of(folder, work.total)
    for table in tables(RunWork(other.path)):
        rows = [row for row in map(partial(_later, done), table.to_pylist()) if row]
        for row in rows:
            _copy_files(row, folder, other)
        if rows:
            write_shard(
                folder.shard_folder / f"m{_digest(rows)}-00000.parquet", rows, work.schema()
            )


def _later(done: Progress, row: dict[str, Any]) -> dict[str, Any]:
    """The row of a copy where it counts: a later attempt, or a result where the run has a failure.
    Else empty."""
    position = row["position"]
    known = int(done.attempts[position])
    if row["status"] != FAILED and done.failed[position]:
        return {**row, "attempt": max(row["attempt"], known + 1)}
    return row if row["attempt"] > known else {}


def _copy_files(row: Mapping[str, Any], folder: RunFolder, other: RunFolder) -> None:
    is_kept = json.loads(row["origin"] or "{}").get(IMAGE_FILE) != NOT_KEPT
    has_file = row["image_id"] and is_kept
    files = [(folder.images, other.images, row["image_id"])] if has_file else []
    files += [
        (folder.masks, other.masks, mask["content_sha256"])
        for mask in row["masks"]
        if not mask["mask_id"]
    ]
    for ours, theirs, name in files:
        path, source = content_path(ours, name), content_path(theirs, name)
        # Of stored images the run has rows alone.
        if path.is_file() or (folder.summary()["kind"] == "stored" and not source.is_file()):
            continue
        try:
            write_once(path, source.read_bytes())
        except OSError as error:
            raise BadInput(
                f"{other.path} has a result without its file {source.name}: {error.strerror}. Copy "
                "the folder whole."
            ) from error


def _digest(rows: Sequence[Mapping[str, Any]]) -> str:
    """Names the shard by which results it holds, so that it is written once."""
    text = "\n".join(f"{row['position']} {row['attempt']} {row['image_id']}" for row in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
