"""Folders and files that cannot be used: a clear error, and nothing changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.storage.samples import folder_state, picture
from truehue.core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseNewer,
    DataFolderError,
    StorageError,
)
from truehue.storage import Storage
from truehue.storage.database.file_check import _looking, _reading, explain

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
HOLD = """
import sys
from truehue.storage import Storage
with Storage.open(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


def _filled(data_dir: Path) -> Path:
    with Storage.open(data_dir) as storage:
        storage.images.add(picture(), "a", "upload")
    return data_dir / "truehue.duckdb"


def _refused(data_dir: Path, kind: type[StorageError], match: str) -> None:
    before = folder_state(data_dir)
    with pytest.raises(kind, match=match):
        Storage.open(data_dir)
    assert folder_state(data_dir) == before


@pytest.mark.parametrize(
    "content", [b"", b"hello", bytes(50_000), os.urandom(50_000)], ids=["empty", "text", "0", "any"]
)
def test_a_file_that_is_no_database(data_dir: Path, content: bytes) -> None:
    data_dir.mkdir()
    (data_dir / "truehue.duckdb").write_bytes(content)
    _refused(data_dir, DatabaseDamaged, "cannot be read as a database.*put a copy back")


def test_a_database_that_was_cut_off(data_dir: Path) -> None:
    path = _filled(data_dir)
    whole = path.read_bytes()
    for length in (100, 5_000, 12_288, len(whole) // 2):
        path.write_bytes(whole[:length])
        _refused(data_dir, DatabaseDamaged, "cannot be read as a database")


def test_a_database_with_a_broken_block(data_dir: Path) -> None:
    path = _filled(data_dir)
    content = bytearray(path.read_bytes())
    content[0:12_288:97] = bytes(len(content[0:12_288:97]))
    path.write_bytes(content)
    _refused(data_dir, DatabaseDamaged, "cannot be read as a database")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE users (name VARCHAR)",
        "CREATE VIEW v AS SELECT 1",
        "CREATE SCHEMA other; CREATE TABLE other.schema_migrations (number INT, name VARCHAR)",
        # The table of Ruby on Rails has the same name.
        "CREATE TABLE schema_migrations (version VARCHAR)",
        "CREATE TABLE schema_migrations (number VARCHAR, name VARCHAR);"
        "INSERT INTO schema_migrations VALUES ('1', 'x')",
        "CREATE TABLE schema_migrations (number INT, name VARCHAR); CREATE TABLE users (i INT)",
    ],
)
def test_other_peoples_databases(data_dir: Path, statement: str) -> None:
    data_dir.mkdir()
    with duckdb.connect(str(data_dir / "truehue.duckdb")) as connection:
        connection.execute(statement)
    _refused(data_dir, DatabaseDamaged, "not one of TrueHue's.*move it away")


def test_a_folder_in_place_of_the_database(data_dir: Path) -> None:
    (data_dir / "truehue.duckdb").mkdir(parents=True)
    _refused(data_dir, DatabaseDamaged, "is not a file")


def test_a_log_without_its_database_is_kept(data_dir: Path) -> None:
    path = _filled(data_dir)
    path.rename(path.with_name("truehue.duckdb.wal"))
    _refused(data_dir, DatabaseDamaged, r"truehue\.duckdb\.wal is the log of a database")


def test_an_empty_database_becomes_ours(data_dir: Path) -> None:
    data_dir.mkdir()
    duckdb.connect(str(data_dir / "truehue.duckdb")).close()
    with Storage.open(data_dir) as storage:
        assert storage.images.count() == 0


@pytest.mark.process
def test_a_second_process_is_told_who_has_it(data_dir: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "open\n"
        with pytest.raises(DatabaseBusy, match=rf"process {holder.pid}\)"):
            Storage.open(data_dir)
        assert holder.stdin is not None
        holder.stdin.close()
        assert holder.wait(10) == 0
    Storage.open(data_dir).close()


def test_a_second_storage_in_one_process_is_refused(data_dir: Path) -> None:
    with Storage.open(data_dir) as storage:
        with pytest.raises(DatabaseBusy, match="already open in this process"):
            Storage.open(data_dir)
        assert storage.images.count() == 0
    Storage.open(data_dir).close()


def test_a_file_that_breaks_the_look_at_it_is_the_only_one(data_dir: Path) -> None:
    path, before = _filled(data_dir), _looking()
    with pytest.raises(duckdb.FatalException), _reading(path):
        raise duckdb.FatalException("database has been invalidated")
    assert _looking() is not before
    Storage.open(data_dir).close()


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    for folder in (tmp_path / "data", tmp_path / "data" / "below"):
        with pytest.raises(DataFolderError, match=r"cannot be used.*Choose a folder"):
            Storage.open(folder)
    assert (tmp_path / "data").read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_place_where_no_folder_can_be_made() -> None:
    for folder in ("/proc/truehue", "/proc/self"):
        with pytest.raises(DataFolderError, match=re.escape(folder)):
            Storage.open(folder)


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0, reason="the administrator may write anywhere"
)
def test_a_folder_that_may_only_be_read(data_dir: Path) -> None:
    _filled(data_dir)
    data_dir.chmod(0o555)
    try:
        with pytest.raises(DataFolderError, match="cannot be used"):
            Storage.open(data_dir)
    finally:
        data_dir.chmod(0o755)


def test_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(DataFolderError):
        Storage.open(tmp_path / "a" / "data")


def test_an_image_folder_that_cannot_be_written_adds_no_row(data_dir: Path) -> None:
    with Storage.open(data_dir) as storage:
        (data_dir / "images").write_text("in the way")
        with pytest.raises(DataFolderError, match="cannot be written"):
            storage.images.add(picture(), "a", "upload")
        assert storage.images.count() == 0


def test_a_write_that_fails_leaves_no_half_file(data_dir: Path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Storage.open(data_dir) as storage:
        monkeypatch.setattr("truehue.core.files.os.replace", full)
        with pytest.raises(DataFolderError, match=r"no space left on device\. Make room"):
            storage.images.add(picture(), "a", "upload")
        assert storage.images.count() == 0
        assert [path for path in (data_dir / "images").rglob("*") if path.is_file()] == []


def test_a_closed_storage_says_so(data_dir: Path) -> None:
    storage = Storage.open(data_dir)
    storage.close()
    storage.close()
    with pytest.raises(StorageError, match="has been closed"):
        storage.images.count()
    with pytest.raises(StorageError, match="has been closed"):
        storage.images.add(picture(), "a", "upload")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (
            duckdb.IOException(
                "Trying to read a database file with version number 999, but we can only read "
                "versions between 64 and 67."
            ),
            DatabaseNewer,
        ),
        (duckdb.IOException('Cannot open file "x": Permission denied'), DataFolderError),
        (duckdb.IOException('Cannot open file "x": Too many open files'), DataFolderError),
        (duckdb.IOException('Could not set lock on file "x": no more is said'), DatabaseBusy),
        (duckdb.Error("Corrupt WAL file: entry at byte position 2752"), DatabaseDamaged),
        (duckdb.SerializationException("field id mismatch"), DatabaseDamaged),
    ],
)
def test_what_duckdb_says_on_opening(error: duckdb.Error, kind: type[StorageError]) -> None:
    explained = explain(Path("/data/truehue.duckdb"), error)
    assert type(explained) is kind
    assert str(explained).startswith("/data/truehue.duckdb ")


def test_the_package_has_storage_alone() -> None:
    from truehue import storage as package

    assert package.Storage is Storage
    with pytest.raises(AttributeError, match=r"module 'truehue\.storage' has no attribute 'Store'"):
        _ = package.Store
    assert not hasattr(package, "Database")
