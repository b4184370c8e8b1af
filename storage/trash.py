"""Delete and restore: rows and files move to a folder of their own, and return complete.

A deleted record leaves every table and every list at once. Its rows lie as Parquet files below
``trash/ID`` of the data folder, its PNGs beside them. They stay until somebody restores them or
deletes them permanently, or until the data folder is opened :data:`KEPT_DAYS` days later.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import threading
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from truehue.core.errors import BadInput, DataFolderError, NotStored, TrueHueError
from truehue.core.files import content_path, file_problem, sync_folder
from truehue.storage.database.connection import Database, aware
from truehue.storage.database.expectation_keys import fill_keys

TABLES = {"image": "images", "mask": "masks", "verdict": "evidence", "study": "studies"}
KINDS = tuple(TABLES)
KEYS = {
    "image": "image_id",
    "mask": "mask_id",
    "verdict": "evidence_id",
    "study": "study_id",
}

# What goes with each kind, as conditions on the rows of each table; ``?`` are the ids. A set of
# images that loses one would be another set, so it goes whole.
_SETS = "set_id IN (SELECT set_id FROM picture_set_images WHERE {key} IN (SELECT unnest(?)))"
GOES_ALONG = {
    "image": {
        "images": "image_id IN (SELECT unnest(?))",
        "masks": "image_id IN (SELECT unnest(?))",
        "evidence": "image_id IN (SELECT unnest(?))",
        "drawings": "image_id IN (SELECT unnest(?))",
        "object_colors": "image_id IN (SELECT unnest(?))",
        "selected_masks": "image_id IN (SELECT unnest(?))",
        "picture_profiles": "image_id IN (SELECT unnest(?))",
        "picture_sets": _SETS.format(key="image_id"),
        "set_views": _SETS.format(key="image_id"),
        "picture_set_images": _SETS.format(key="image_id"),
    },
    "mask": {
        "masks": "mask_id IN (SELECT unnest(?))",
        "evidence": "mask_id IN (SELECT unnest(?))",
        "object_colors": "mask_id IN (SELECT unnest(?))",
        "selected_masks": "mask_id IN (SELECT unnest(?))",
        "picture_profiles": "mask_id IN (SELECT unnest(?))",
        "picture_sets": _SETS.format(key="mask_id"),
        "set_views": _SETS.format(key="mask_id"),
        "picture_set_images": _SETS.format(key="mask_id"),
    },
    "verdict": {"evidence": "evidence_id IN (SELECT unnest(?))"},
    "study": dict.fromkeys(
        ("studies", "study_plans", "study_states", "study_rules", "study_invitations"),
        "study_id IN (SELECT unnest(?))",
    ),
}
NAMES = {
    "image": "images",
    "mask": "masks JOIN images USING (image_id)",
    "verdict": "evidence JOIN images USING (image_id)",
    "study": "(SELECT study_id, arg_max(title, version) AS name FROM study_plans GROUP BY ALL)",
}
_OPENED = (
    "SELECT study_id FROM study_states WHERE state <> 'draft' AND study_id IN (SELECT unnest(?))"
)
_OF_RUNS = {
    "image": "SELECT DISTINCT run_id FROM run_items JOIN run_numbers USING (run_no) "
    "WHERE image_id IN (SELECT unnest(?)) ORDER BY run_id",
    "mask": "SELECT DISTINCT run_id FROM run_masks JOIN run_numbers USING (run_no) "
    "WHERE mask_id IN (SELECT unnest(?)) ORDER BY run_id",
}


def column(cursor: duckdb.DuckDBPyConnection, sql: str, *values: Any) -> list[Any]:
    """The first column of what is selected."""
    return [row[0] for row in cursor.execute(sql, list(values)).fetchall()]


def refuse_needed(cursor: duckdb.DuckDBPyConnection, kind: str, ids: list[str]) -> None:
    """Returns where all of these may be deleted. Raises BadInput for what a run or a study shows,
    and for a study that was opened once."""
    _refuse_of_runs(cursor, kind, ids)
    _refuse_of_studies(cursor, kind, ids)


def _refuse_of_runs(cursor: duckdb.DuckDBPyConnection, kind: str, ids: list[str]) -> None:
    if kind not in _OF_RUNS:
        return
    runs = column(cursor, _OF_RUNS[kind], ids)
    if runs:
        raise BadInput(
            f"The run {runs[0][:8]} shows this {kind}, and a run is never changed. Hide the run in "
            "Explore, Runs, instead; its images go with its folder."
        )


def _refuse_of_studies(cursor: duckdb.DuckDBPyConnection, kind: str, ids: list[str]) -> None:
    if kind == "study" and column(cursor, _OPENED, ids):
        raise BadInput(
            "A study that was opened cannot be deleted, because its answers are part of the record. "
            "Close it instead. You can erase single participants in People."
        )
    if kind != "image":
        return
    # A draft has been shown to nobody: it cannot open without them.
    titles = column(
        cursor,
        """
        SELECT DISTINCT title FROM (
            SELECT title, unnest(list_concat(
                json_extract_string(plan, '$.cases[*].candidates[*].image_ids[*]'),
                json_extract_string(plan, '$.cases[*].question.image_id')
            )) AS image_id
            FROM study_plans
            SEMI JOIN (SELECT study_id FROM study_states WHERE state = 'open') USING (study_id)
        )
        WHERE image_id IN (SELECT unnest(?)) ORDER BY title
        """,
        ids,
    )
    if titles:
        raise BadInput(
            f"The study “{titles[0]}” shows this image to people, and what they answered about is "
            "kept with it. It cannot be deleted."
        )


log = logging.getLogger("truehue")

KEPT_DAYS = 7
MAX_IDS = 10_000
_MANIFEST = "manifest.json"
_DELETED = re.compile(r"trash/[^/]+/(images|masks)-([0-9a-f]{64})\.png")
_NONE = "(SELECT drawing_id FROM drawings LIMIT 0)"


@dataclass(frozen=True)
class TrashRecord:
    """What was deleted together.

    ``kind`` is one of :data:`KINDS`; ``name`` is the first image's or study's, or empty.
    ``counts`` has the rows that went, by table. ``files`` are pairs of a folder (``images`` or
    ``masks``) and the name of a PNG in it.
    """

    trash_id: str
    kind: str
    name: str
    counts: Mapping[str, int]
    files: tuple[tuple[str, str], ...]
    created_at: datetime


class Trash:
    """What was deleted from one data folder. Any thread may call."""

    def __init__(self, database: Database, data_dir: Path) -> None:
        self._database = database
        self._data_dir = data_dir
        self._folder = data_dir / "trash"
        # Taken before the database's own lock, by all that makes or takes away a folder.
        self._changing = threading.Lock()

    @property
    def changes(self) -> int:
        """How often something was deleted or put back since the folder was opened."""
        return self._database.deletions

    def move(self, kind: str, ids: Collection[str]) -> TrashRecord:
        """Delete images, masks, verdicts or drafts of studies (``kind`` of :data:`KINDS`; whole
        ids), with all that speaks of them, and return what went.

        An image takes its masks, verdicts and drawings along, and the sets of images that it is
        in; a mask its verdicts; a draft its links. Judgments of people stay. Raises
        :class:`NotStored` for an id that is not stored, :class:`BadInput` for what a run shows
        (hide the run instead) or people were shown in a study, for a study that was opened once,
        and for no or too many ids, :class:`DataFolderError` where the disk
        refuses; then nothing is deleted.
        A file that cannot be moved afterwards is moved at the next start.
        """
        if kind not in KINDS:
            raise BadInput(f"{kind!r:.40} cannot be deleted: give one of {', '.join(KINDS)}.")
        unique_ids = sorted(set(ids))
        if not unique_ids or len(unique_ids) > MAX_IDS:
            raise BadInput(f"Delete 1 to {MAX_IDS:,} at once, not {len(unique_ids):,}.")
        table, key = TABLES[kind], KEYS[kind]
        trash_id = secrets.token_hex(8)
        temporary, folder = self._folder / f".{trash_id}.part", self._folder / trash_id
        with self._changing:
            try:
                with self._database.transaction() as cursor:
                    stored = column(
                        cursor,
                        f"SELECT {key} FROM {table} WHERE {key} IN (SELECT unnest(?)) ORDER BY 1",
                        unique_ids,
                    )
                    if stored != unique_ids:
                        missing = sorted(set(unique_ids) - set(stored))[0]
                        raise NotStored(
                            f"Nothing is stored under the {key.replace('_', ' ')} {missing:.64}."
                        )
                    refuse_needed(cursor, kind, unique_ids)
                    record = self._record(cursor, trash_id, kind, unique_ids)
                    self._write(cursor, temporary, record, unique_ids)
                    temporary.rename(folder)
                    sync_folder(self._folder)
                    # The sets are found by the images in them, so these go last.
                    for name, condition in GOES_ALONG[kind].items():
                        cursor.execute(f"DELETE FROM {name} WHERE {condition}", [unique_ids])
            except OSError as error:
                raise DataFolderError(
                    f"Nothing was deleted: {folder} cannot be written: {file_problem(error)}."
                ) from error
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
            # After the commit: who reads the new number reads the new rows.
            self._database.deletions += 1
            try:
                self._move_files(record, into_trash=True)
            except DataFolderError as error:
                # Nothing needs these files any more; the next start takes them away.
                log.warning("%s", error)
        return record

    def restore(self, trash_id: str) -> TrashRecord:
        """Put back what was deleted together; what was stored again meanwhile stays as it is.

        Raises :class:`NotStored` if it is not there any more, and :class:`DataFolderError`.
        """
        with self._changing:
            record = self._get(trash_id)
            folder = self._folder / record.trash_id
            # The files come first, so that a row never points at nothing.
            self._move_files(record, into_trash=False)
            with self._database.transaction() as cursor:
                for name in record.counts:
                    cursor.execute(
                        f"INSERT INTO {name} BY NAME SELECT * FROM read_parquet(?) "
                        "ON CONFLICT DO NOTHING",
                        [str(folder / f"{name}.parquet")],
                    )
                # What was deleted before step 13 has other keys, or none.
                fill_keys(
                    cursor, self._drawings_in(folder) if "drawings" in record.counts else _NONE
                )
            self._database.deletions += 1
            shutil.rmtree(folder, ignore_errors=True)
        return record

    def purge(self, trash_id: str) -> None:
        """Delete for good what was deleted together: its files are taken off the disk.

        Raises :class:`NotStored` if it is not there any more.
        """
        with self._changing:
            record = self._get(trash_id)
            for shelf_name, sha256 in record.files:
                if not self._in_use(shelf_name, sha256):
                    content_path(self._data_dir / shelf_name, sha256).unlink(missing_ok=True)
            shutil.rmtree(self._folder / record.trash_id)

    def all(self) -> list[TrashRecord]:
        """Return what was deleted and can be put back, last deleted first."""
        records = [_read(path) for path in self._folder.glob(f"[!.]*/{_MANIFEST}")]
        return sorted(
            (record for record in records if record is not None),
            key=lambda record: record.created_at,
            reverse=True,
        )

    @contextmanager
    def still(self) -> Iterator[Path]:
        """Lend the folder of what was deleted, while nobody deletes or puts back."""
        with self._changing:
            yield self._folder

    def settle(self) -> int:
        """Finish what a process that was killed left half done, and delete for good what is older
        than :data:`KEPT_DAYS` days; returns how many of these there were. For the start."""
        for path in self._folder.glob(".*.part"):
            shutil.rmtree(path, ignore_errors=True)
        oldest = aware(self._database.now()) - timedelta(days=KEPT_DAYS)
        purged = 0
        for record in self.all():
            try:
                purged += self._settle(record, oldest)
            except (TrueHueError, OSError) as error:
                # One folder that is damaged must not keep the others, or the app, from going on.
                log.warning("%s stays as it is: %s", self._folder / record.trash_id, error)
        return purged

    def _settle(self, record: TrashRecord, oldest: datetime) -> bool:
        """As :meth:`settle`, of one; whether it was deleted for good."""
        if self._still_stored(record):
            # Killed before its rows were deleted: nothing was.
            self._move_files(record, into_trash=False)
            shutil.rmtree(self._folder / record.trash_id, ignore_errors=True)
            return False
        self._put_back_needed(record)
        if record.created_at < oldest:
            self.purge(record.trash_id)
            return True
        self._move_files(record, into_trash=True)
        return False

    def _record(
        self, cursor: duckdb.DuckDBPyConnection, trash_id: str, kind: str, ids: list[str]
    ) -> TrashRecord:
        counts = {}
        for name, condition in GOES_ALONG[kind].items():
            (number,) = column(cursor, f"SELECT count(*) FROM {name} WHERE {condition}", ids)
            if number:
                counts[name] = int(number)
        files = [("images", image_id) for image_id in ids] if kind == "image" else []
        if "masks" in GOES_ALONG[kind]:
            # Equal masks share one file, which stays while another row needs it.
            condition = GOES_ALONG[kind]["masks"]
            contents = column(
                cursor,
                f"SELECT DISTINCT content_sha256 FROM masks WHERE {condition} AND content_sha256 "
                f"NOT IN (SELECT content_sha256 FROM masks WHERE NOT ({condition})) ORDER BY 1",
                ids,
                ids,
            )
            files += [("masks", content) for content in contents]
        names = column(
            cursor,
            f"SELECT name FROM {NAMES[kind]} WHERE {KEYS[kind]} IN (SELECT unnest(?)) LIMIT 1",
            ids,
        )
        now = aware(self._database.now())
        return TrashRecord(trash_id, kind, names[0] if names else "", counts, tuple(files), now)

    def _write(
        self, cursor: duckdb.DuckDBPyConnection, folder: Path, record: TrashRecord, ids: list[str]
    ) -> None:
        folder.mkdir(parents=True)
        for name in record.counts:
            condition = GOES_ALONG[record.kind][name]
            path = str(folder / f"{name}.parquet").replace("'", "''")
            # In the order of adding, which tells equal times apart
            # (truehue.storage.verdicts.evidence).
            cursor.execute(
                f"COPY (SELECT * FROM {name} WHERE {condition} ORDER BY rowid) TO '{path}' "
                "(FORMAT parquet)",
                [ids],
            )
        body = {**asdict(record), "created_at": record.created_at.isoformat()}
        (folder / _MANIFEST).write_text(json.dumps(body), encoding="utf-8")
        for written in folder.iterdir():
            with written.open("rb+") as file:
                os.fsync(file.fileno())
        sync_folder(folder)

    def _move_files(self, record: TrashRecord, into_trash: bool) -> None:
        for shelf_name, sha256 in record.files:
            stored = content_path(self._data_dir / shelf_name, sha256)
            deleted = self._folder / record.trash_id / f"{shelf_name}-{sha256}.png"
            source, goal = (stored, deleted) if into_trash else (deleted, stored)
            if into_trash and self._in_use(shelf_name, sha256):
                continue
            try:
                if source.is_file():
                    goal.parent.mkdir(parents=True, exist_ok=True)
                    source.replace(goal)
                    if into_trash and self._in_use(shelf_name, sha256):
                        # Stored again in this very moment, by who saw the file still there.
                        goal.replace(source)
            except OSError as error:
                raise DataFolderError(
                    f"{source} cannot be moved: {file_problem(error)}. Nothing is lost; try again."
                ) from error

    def _put_back_needed(self, record: TrashRecord) -> None:
        """Puts back the files that a row needs again and that are not in their place."""
        for shelf_name, sha256 in record.files:
            stored = content_path(self._data_dir / shelf_name, sha256)
            deleted = self._folder / record.trash_id / f"{shelf_name}-{sha256}.png"
            if deleted.is_file() and not stored.is_file() and self._in_use(shelf_name, sha256):
                stored.parent.mkdir(parents=True, exist_ok=True)
                deleted.replace(stored)

    def _in_use(self, shelf_name: str, sha256: str) -> bool:
        """Whether a row that is stored needs the file."""
        table, column = {"images": ("images", "image_id"), "masks": ("masks", "content_sha256")}[
            shelf_name
        ]
        return bool(
            self._database.rows(f"SELECT 1 FROM {table} WHERE {column} = ? LIMIT 1", [sha256])
        )

    def _still_stored(self, record: TrashRecord) -> bool:
        table, key = TABLES[record.kind], KEYS[record.kind]
        path = self._folder / record.trash_id / f"{table}.parquet"
        # With their time: what was stored again since then is another row.
        rows = self._database.rows(
            f"SELECT count(*) FROM read_parquet(?) ANTI JOIN {table} USING ({key}, created_at)",
            [str(path)],
        )
        return int(rows[0][0]) == 0

    def _drawings_in(self, folder: Path) -> str:
        path = str(folder / "drawings.parquet").replace("'", "''")
        return f"read_parquet('{path}')"

    def _get(self, trash_id: str) -> TrashRecord:
        record = {record.trash_id: record for record in self.all()}.get(trash_id)
        if record is None:
            raise NotStored("That was put back or deleted for good already.")
        return record


def original_path(name: str) -> str:
    """Where a file of the trash is put back, both relative to the data folder; empty for others."""
    match = _DELETED.fullmatch(name)
    return content_path(Path(match[1]), match[2]).as_posix() if match else ""


def _read(path: Path) -> TrashRecord | None:
    """The record of one folder; None where its manifest is no manifest."""
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        created_at = datetime.fromisoformat(body["created_at"])
        if body["kind"] not in KINDS or created_at.tzinfo is None:
            return None
        return TrashRecord(
            trash_id=path.parent.name,
            kind=str(body["kind"]),
            name=str(body["name"]),
            counts={str(name): int(n) for name, n in body["counts"].items()},
            files=tuple((str(folder), str(sha256)) for folder, sha256 in body["files"]),
            created_at=created_at,
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
