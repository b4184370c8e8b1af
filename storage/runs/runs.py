"""Runs: an index of their shards, updated while they run."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from truehue.core.analysis.records import RunRecord
from truehue.core.batch.shards import BadShard
from truehue.core.errors import BadInput, DataFolderError, NotStored
from truehue.core.export.source import imported_from
from truehue.core.files import content_path, file_problem, file_stamp, sync_folder, write_once
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import IMAGE_FILE, NOT_KEPT, STORED
from truehue.core.runs.summary import shown_name
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.runs.concepts import know_concepts
from truehue.storage.runs.dictionaries import first_row, number_in, prompts_of
from truehue.storage.runs.ingest import Shard, read, write


def copy_pngs(
    names: Iterable[str], source: Path, root: Path, elsewhere: Mapping[str, Path]
) -> list[str]:
    """Put the PNGs called ``names`` from below ``source`` below ``root``; return what is missing.

    A file that lies below ``root`` already stays. ``elsewhere`` says where else to look. Raises
    :class:`DataFolderError` when the disk is full or the folder cannot be written.
    """
    missing, folders = [], set()
    for name in names:
        target = content_path(root, name)
        if target.is_file():
            continue
        file = next(
            (
                path
                for path in (content_path(source, name), elsewhere.get(name))
                if path and path.is_file()
            ),
            None,
        )
        if file is None:
            missing.append(name)
        elif _link(file, target):
            folders.add(target.parent)
    for folder in folders:
        sync_folder(folder)
    return missing


def _link(source: Path, target: Path) -> bool:
    """Link ``target`` to a file, which is whole and never changed; copy it where links do not go.

    True where the new name has yet to be brought to the disk.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(source, target)
        return True
    except FileExistsError:
        return False
    except OSError:
        # Another disk, a file system without links, or too many of them.
        pass
    try:
        content = source.read_bytes()
    except OSError as error:
        raise DataFolderError(
            f"{source} cannot be read: {file_problem(error)}. Change its permissions, then try again."
        ) from error
    write_once(target, content)
    return False


MAX_NAME = 200
BATCH_ITEMS = 2_000
"""Images a transaction when much is waiting: about a second, in which other writers wait."""

log = logging.getLogger("truehue")

_RECORDS = """
    SELECT r.run_id, v.name, coalesce(v.hidden, false), r.summary, coalesce(i.items, 0),
        coalesce(i.failed, 0), r.created_at
    FROM run_numbers AS r
    LEFT JOIN (
        SELECT run_no, arg_max(name, version) AS name, arg_max(hidden, version) AS hidden
        FROM run_views GROUP BY run_no
    ) AS v USING (run_no)
    LEFT JOIN (
        SELECT run_no, count(*) AS items, count(*) FILTER (NOT drawn) AS failed
        FROM run_items GROUP BY run_no
    ) AS i USING (run_no)
"""


class Runs:
    """The runs that the database knows. Their folders stay what they are; nothing is moved.

    ``changes`` counts what was written here since the start: while it is the same, every question
    has the same answer.
    """

    def __init__(self, database: Database, images: Path, masks: Path) -> None:
        self._database = database
        self._images = images
        self._masks = masks
        self._refused: dict[tuple[str, str], tuple[tuple[int, int], str]] = {}
        self._ingesting = threading.Lock()
        self.changes = 0

    def register(self, folder: RunFolder) -> str:
        """Make a run known, with its prompts, and return its id; a known one stays as it is.

        Raises :class:`BadInput` for a folder that holds no whole plan.
        """
        run_id = folder.run_id
        if self._number(run_id) is not None:
            return run_id
        summary = canonical.mapping(folder.summary(), "plan.json")
        prompts = folder.plan().prompts
        with self._database.transaction() as cursor:
            if _number(cursor, run_id) is not None:
                return run_id
            run_no = number_in(cursor, "SELECT coalesce(max(run_no) + 1, 0) FROM run_numbers")
            numbers = prompts_of(cursor, prompts)
            know_concepts(cursor, prompts, numbers)
            now = self._database.now()
            cursor.execute(
                "INSERT INTO run_numbers VALUES (?, ?, ?, ?)",
                [run_no, run_id, canonical.dump(summary), now],
            )
            cursor.execute(
                "INSERT INTO run_views VALUES (?, 1, ?, false, ?)",
                [run_no, str(summary.get("name") or run_id), now],
            )
            cursor.execute(
                "INSERT INTO run_prompts SELECT ?, unnest(range(?)), unnest(?::INTEGER[])",
                [run_no, len(numbers), numbers],
            )
        self.changes += 1
        return run_id

    def ingest(self, folder: RunFolder) -> int:
        """Store what is new in the shards of a run, and return how many images that were.

        The run is registered first. Calling it again, or from two threads at once, changes
        nothing. A shard that is damaged or belongs to another run is left out, its reason stands
        in the run's record as ``refused``, and it is tried again when its file has changed. Raises
        :class:`DataFolderError` where files cannot be written.
        """
        with self._ingesting:
            run_id = self.register(folder)
            run_no = self._known(run_id)
            rows = self._database.rows("SELECT name FROM run_shards WHERE run_no = ?", [run_no])
            done = {name for (name,) in rows}
            waiting = [path for path in folder.shards() if path.name not in done]
            elsewhere: dict[str, Path] | None = None
            count = 0
            for batch in self._batches(run_id, waiting):
                if elsewhere is None:
                    elsewhere = _elsewhere(folder)
                count += self._take(folder, run_no, batch, elsewhere)
            return count

    def has_verdicts(self, run_id: str) -> bool:
        """Whether a rule says something of a stored image of the run."""
        run_no = self._number(run_id)
        sql = "SELECT 1 FROM run_verdicts WHERE run_no = ? LIMIT 1"
        return run_no is not None and bool(self._database.rows(sql, [run_no]))

    def complete(self, folder: RunFolder) -> None:
        """Bring the files that an imported run got after its results were stored."""
        with self._ingesting:
            self._bring(folder, [read(path) for path in folder.shards()], {})
            self.changes += 1

    def get(self, run_id: str) -> RunRecord:
        """Return one run, hidden or not; :class:`NotStored` if there is none of that id."""
        records = self._records("WHERE run_id = ?", [run_id])
        if not records:
            raise NotStored(f"No run is stored under {run_id[:80]!r}.")
        return records[0]

    def all(self, hidden: bool = False) -> list[RunRecord]:
        """Return the runs that are shown, newest first; with ``hidden`` the hidden ones too."""
        location = "" if hidden else "WHERE NOT coalesce(v.hidden, false)"
        return self._records(f"{location} ORDER BY r.run_no DESC", [])

    def verdicts(self) -> int:
        """How many verdicts runs have given, on objects and by all their rules."""
        return int(self._database.rows("SELECT count(*) FROM run_verdicts")[0][0])

    def rename(self, run_id: str, name: str) -> RunRecord:
        """Call a run something else. Raises :class:`NotStored`, and :class:`BadInput` for an empty
        name or one of more than 200 characters."""
        name = " ".join(canonical.require_text(name, "name").split())
        if len(name) > MAX_NAME:
            raise BadInput(f"The name has {len(name)} characters: give at most {MAX_NAME}.")
        return self._view(run_id, name, None)

    def hide(self, run_id: str, hidden: bool = True) -> RunRecord:
        """Take a run out of every list and question, or put it back; its rows stay. Raises
        :class:`NotStored`."""
        return self._view(run_id, None, hidden)

    def refused(self, run_id: str) -> dict[str, str]:
        """Return why shards of a run were left out, by the name of the file."""
        return {
            name: reason
            for (run, name), (_, reason) in list(self._refused.items())
            if run == run_id
        }

    def _view(self, run_id: str, name: str | None, hidden: bool | None) -> RunRecord:
        run_no = self._known(run_id)
        with self._database.transaction() as cursor:
            cursor.execute(
                """
                INSERT INTO run_views
                SELECT $run, max(version) + 1, coalesce($name, arg_max(name, version)),
                    coalesce($hidden, arg_max(hidden, version)), $now
                FROM run_views WHERE run_no = $run
                HAVING coalesce($name, arg_max(name, version)) <> arg_max(name, version)
                    OR coalesce($hidden, arg_max(hidden, version)) <> arg_max(hidden, version)
                """,
                {"run": run_no, "name": name, "hidden": hidden, "now": self._database.now()},
            )
        self.changes += 1
        return self.get(run_id)

    def _batches(self, run_id: str, waiting: Sequence[Path]) -> Iterator[list[Shard]]:
        """The shards that can be read, so many at a time that a transaction is worth it."""
        batch: list[Shard] = []
        for path in waiting:
            if self._is_refused(run_id, path):
                continue
            try:
                batch.append(read(path))
            except BadShard as error:
                self._refuse(run_id, path, str(error))
            if sum(shard.table.num_rows for shard in batch) >= BATCH_ITEMS:
                yield batch
                batch = []
        if batch:
            yield batch

    def _take(
        self, folder: RunFolder, run_no: int, batch: list[Shard], elsewhere: dict[str, Path]
    ) -> int:
        """Store a batch; where something in it is wrong, one shard after the other."""
        try:
            self._bring(folder, batch, elsewhere)
            with self._database.transaction() as cursor:
                model, imported = str(folder.summary()["model"]), bool(imported_from(folder.path))
                count = write(self._database, cursor, run_no, model, batch, imported)
        except BadShard as error:
            if len(batch) == 1:
                self._refuse(folder.run_id, batch[0].path, str(error))
                return 0
            return sum(self._take(folder, run_no, [shard], elsewhere) for shard in batch)
        for shard in batch:
            self._refused.pop((folder.run_id, shard.path.name), None)
        self.changes += 1
        return count

    def _bring(self, folder: RunFolder, batch: Sequence[Shard], elsewhere: dict[str, Path]) -> None:
        """The files first, so that a row never points at nothing."""
        self._database.require_installed()
        # Images need not be part of an export, nor kept by the run.
        complete = not imported_from(folder.path)
        for label, column, source, root in (
            ("picture", "image_id", folder.images, self._images),
            ("mask", "masks", folder.masks, self._masks),
        ):
            shards = {name: shard.path for shard in batch for name in _files(shard, column)}
            wrong = [name for name in shards if len(name) != 64 or set(name) - _HEX]
            missing = wrong or copy_pngs(shards, source, root, elsewhere)
            if missing and (wrong or complete):
                raise BadShard(
                    f"{shards[missing[0]]} speaks of the {label} {missing[0][:64]}, which is "
                    f"neither below {source} nor stored. Copy the run's folder whole."
                )

    def _is_refused(self, run_id: str, path: Path) -> bool:
        refusal = self._refused.get((run_id, path.name))
        return refusal is not None and refusal[0] == file_stamp(path)

    def _refuse(self, run_id: str, path: Path, reason: str) -> None:
        self._refused[run_id, path.name] = (file_stamp(path), reason)
        self.changes += 1
        log.warning("a shard of the run %s was left out: %s", run_id, reason)

    def _number(self, run_id: str) -> int | None:
        with self._database.cursor() as cursor:
            return _number(cursor, run_id)

    def _known(self, run_id: str) -> int:
        number = self._number(run_id)
        if number is None:
            raise NotStored(f"No run is stored under {run_id[:80]!r}.")
        return number

    def _records(self, clauses: str, values: Sequence[Any]) -> list[RunRecord]:
        rows = self._database.rows(f"{_RECORDS} {clauses}", values)
        return [self._record(row) for row in rows]

    def _record(self, row: tuple[Any, ...]) -> RunRecord:
        run_id, name, hidden, text, items, failed, created_at = row
        summary = json.loads(text)
        model, kind = str(summary.get("model", "")), str(summary.get("kind", ""))
        return RunRecord(
            run_id=run_id,
            name=shown_name(name, kind, model) if name else run_id,
            set_name=str(summary.get("set_name", "")),
            model=model,
            kind=kind,
            total=int(summary.get("total", 0)),
            items=items,
            failed=failed,
            rules=tuple((str(rule[0]), str(rule[1])) for rule in summary.get("rules", ())),
            hidden=hidden,
            created_at=aware(created_at),
            summary=summary,
            refused=self.refused(run_id),
        )


_HEX = frozenset("0123456789abcdef")


def _files(shard: Shard, column: str) -> list[str]:
    """The names of the images or masks that a shard speaks of, but for images that were not kept."""
    rows = shard.table.column(column).to_pylist()
    if column == "image_id":
        origins = shard.table.column("origin").to_pylist()
        return [
            name
            for name, origin in zip(rows, origins, strict=True)
            if name and (IMAGE_FILE not in origin or json.loads(origin)[IMAGE_FILE] != NOT_KEPT)
        ]
    return [str(mask["content_sha256"]) for masks in rows for mask in masks or ()]


def _number(cursor: duckdb.DuckDBPyConnection, run_id: str) -> int | None:
    row = first_row(cursor, "SELECT run_no FROM run_numbers WHERE run_id = ?", [run_id])
    return int(row[0]) if row else None


def _elsewhere(folder: RunFolder) -> dict[str, Path]:
    """Where the images of a run that draws nothing lie, by their names."""
    if folder.summary().get("kind") != STORED:
        return {}
    items = folder.plan().items
    images = {item.image_id: Path(item.file) for item in items}
    # Masks lie in files named by their content wherever TrueHue wrote them.
    files = (Path(mask.file) for item in items for mask in item.masks.values())
    return {**{file.stem: file for file in files}, **images}
