"""Backups: what is in them, that nothing is lost, and what is refused."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import zipfile
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from tests.storage.backup.load import loaded, lost
from tests.storage.run_samples import fill
from tests.storage.samples import brushed, folder_state, picture
from truehue.core.errors import BadInput, DatabaseBusy, DatabaseNewer, DataFolderError
from truehue.storage import Storage
from truehue.storage.backup import backup as making
from truehue.storage.backup.archive import BackupReader, BackupWriter
from truehue.storage.backup.backup import NEWEST, BackupSource, write_backup
from truehue.storage.backup.contents import TEMPORARY, images_of, others_of
from truehue.storage.backup.restore import restore
from truehue.storage.concept_images.images import Images
from truehue.storage.database.connection import DATABASE_NAME, Database
from truehue.storage.database.migrations import MIGRATIONS
from truehue.tabs.accounts.control import address_in
from truehue.tabs.export.service import FOLDER as EXPORTS
from truehue.tabs.shell.workspaces import FOLDER as DESKS

pytestmark = pytest.mark.slow

BACKUPS = int(os.environ.get("TRUEHUE_BACKUPS", "2"))
"""How many are made under load."""
Usage = namedtuple("Usage", "total used free")
LOCKED = """
import fcntl, sys
with open(sys.argv[1], "rb+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
"""


def is_locked(path: Path) -> bool:
    """Whether another process finds the database taken."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", LOCKED, str(path)], capture_output=True, check=False
    )
    return b"BlockingIOError" in done.stderr


def quiet(size: int) -> None:
    pass


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a backup of an image with its mask."""
    root = tmp_path_factory.mktemp("whole")
    with Storage.open(empty_data(root / "data")) as storage:
        image = storage.images.add(picture(), "a", "upload")
        storage.masks.add(image.image_id, brushed())
        return storage.write_backup(root / "a.zip").path.read_bytes()


@pytest.fixture
def whole(content: bytes, tmp_path: Path) -> Path:
    """That backup as a file."""
    path = tmp_path / "a.zip"
    path.write_bytes(content)
    return path


# ── what is in it ────────────────────────────────────────────────────────────────────────────────


def test_backups_under_load_have_all_that_was_confirmed_before(tmp_path: Path) -> None:
    made = []
    with loaded(tmp_path / "data", prompts=14) as (storage, load):
        load.wait(1)
        for n in range(BACKUPS):
            before = load.confirmed()
            made.append((before, storage.write_backup(tmp_path / f"{n}.zip")))
    for n, (before, report) in enumerate(made):
        assert report.problems == ()
        restored = restore(report.path, tmp_path / f"restored {n}")
        assert restored.problems == ()
        assert lost(restored.folder, before) == []


def test_an_image_that_is_deleted_and_put_back_meanwhile_is_in_it(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = storage.images.add(picture(0), "first", "upload")
    storage.masks.add(first.image_id, brushed())
    added, deleted = list[str](), list[str]()

    def copy(folder: Path) -> None:
        added.append(storage.images.add(picture(1), "late", "upload").image_id)
        storage.copy_database(folder)
        deleted.append(storage.trash.move("image", added).trash_id)

    def names(data_dir: Path) -> Iterator[str]:
        for name in images_of(data_dir):
            # The folder of images was read, that of what is deleted was not.
            if name.startswith("masks/") and deleted:
                storage.trash.restore(deleted.pop())
            yield name

    monkeypatch.setattr(making, "images_of", names)
    report = write_backup(BackupSource(storage.data_dir, copy, tmp_path), tmp_path / "a.zip")
    assert report.problems == ()
    with Storage.open(restore(tmp_path / "a.zip", tmp_path / "new").folder) as opened:
        assert (opened.images.srgb8(added[0]) == picture(1)).all()


def test_an_image_that_comes_while_others_are_copied_is_in_it(
    storage: Storage, tmp_path: Path
) -> None:
    """The database is copied after the images: it names what the first look did not see."""
    added: list[str] = []

    def copy(folder: Path) -> None:
        added.append(storage.images.add(picture(1), "late", "upload").image_id)
        storage.copy_database(folder)
        # After it, the database names nothing: the file may be there, the row is not.
        storage.images.add(picture(2), "later", "upload")

    source = BackupSource(storage.data_dir, copy, tmp_path)
    assert write_backup(source, tmp_path / "a.zip").problems == ()
    with Storage.open(restore(tmp_path / "a.zip", tmp_path / "new").folder) as opened:
        assert [record.image_id for record in opened.images.recent()] == added
        assert (opened.images.srgb8(added[0]) == picture(1)).all()
        assert opened.check() == []


@pytest.mark.parametrize("is_deleted_before", [True, False])
def test_what_is_put_back_while_others_are_copied_is_in_it(
    storage: Storage, tmp_path: Path, is_deleted_before: bool
) -> None:
    """Whether it was deleted before the backup began, or after its images were copied."""
    image = storage.images.add(picture(), "a", "upload").image_id
    deleted = storage.trash.move("image", [image])
    if not is_deleted_before:
        storage.trash.restore(deleted.trash_id)

    def copy(folder: Path) -> None:
        nonlocal deleted
        if not is_deleted_before:
            deleted = storage.trash.move("image", [image])
        storage.copy_database(folder)
        storage.trash.restore(deleted.trash_id)

    source = BackupSource(storage.data_dir, copy, storage.data_dir)
    write_backup(source, tmp_path / "a.zip")
    report = restore(tmp_path / "a.zip", tmp_path / "new")
    assert report.problems == ()
    with Storage.open(report.folder, clock=lambda: deleted.created_at) as restored:
        (record,) = restored.trash.all()
        restored.trash.restore(record.trash_id)
        assert restored.images.srgb8(image).shape == picture().shape


def test_runs_and_their_images_are_one_file_each_as_before(
    storage: Storage, tmp_path: Path
) -> None:
    (run_id,) = fill(storage, storage.data_dir / "runs", ("model-a",), prompts=4, images=1)
    made = storage.write_backup(tmp_path / "a.zip")
    new = restore(made.path, tmp_path / "new").folder
    images = sorted((new / "images").rglob("*.png"))
    assert len(images) >= 3
    for image in images:
        others = new / "runs" / run_id / "images" / image.parent.name / image.name
        assert others.samefile(image)
    with zipfile.ZipFile(made.path) as opened:
        assert not [name for name in opened.namelist() if "runs/" in name and "/images/" in name]


def test_data_is_in_it_and_what_is_no_data_is_not(storage: Storage, tmp_path: Path) -> None:
    """What features keep in a data folder for a while is named in one list."""
    data = storage.data_dir
    named = {EXPORTS, DESKS, address_in(data).parent.name, "incoming", "gradio", "backups"}
    assert named == TEMPORARY
    saved = ("devices.key", "askings/keeper.json", "runs/a/journal/w0-00000.jsonl", "kept-logs/x")
    left = ("gradio/a", "runs/a/lock", "runs/.incoming/a", "images/ab/.x.png.1.part", "backups/a")
    for name in (*saved, *left):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_bytes(name.encode())
    (data / "devices.key").chmod(0o600)
    os.utime(data / "askings/keeper.json", ns=(1, 10**18 + 7))
    (data / "elsewhere").symlink_to(tmp_path / "disk")
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "far").touch()
    (tmp_path / "disk" / "round").symlink_to(tmp_path / "disk")
    new = restore(storage.write_backup(tmp_path / "a.zip").path, tmp_path / "new").folder
    files = {name for name in folder_state(new) if not name.startswith(DATABASE_NAME)}
    assert files == {*saved, "elsewhere/far"}
    assert (new / "devices.key").stat().st_mode & 0o077 == 0
    assert (new / "askings/keeper.json").stat().st_mtime_ns == 10**18 + 7
    assert (tmp_path / "a.zip").stat().st_mode & 0o077 == 0


def test_a_journal_is_copied_before_the_shard_that_it_becomes(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "a"
    for folder in ("journal", "shards", "images"):
        (run / folder).mkdir(parents=True)
    (run / "journal" / "w0.jsonl").touch()
    (run / "plan.json").touch()
    names = others_of(tmp_path)
    assert next(names) == "runs/a/journal/w0.jsonl"
    (run / "shards" / "w0.parquet").touch()  # sealed just now
    (run / "late.json").touch()
    assert list(names) == ["runs/a/shards/w0.parquet", "runs/a/late.json", "runs/a/plan.json"]
    assert list(images_of(tmp_path)) == []


def test_what_the_folder_itself_lacks_is_said_and_backed_up_all_the_same(
    storage: Storage, tmp_path: Path
) -> None:
    image = storage.images.add(picture(), "a", "upload")
    storage.images.path(image.image_id).unlink()
    made = storage.write_backup(tmp_path / "a.zip")
    assert len(made.problems) == 1
    assert f"the file of image {image.image_id} is missing" in made.problems[0]
    assert len(restore(made.path, tmp_path / "new").problems) == 1


def test_a_log_that_goes_while_sizes_are_added_up_is_nothing(
    storage: Storage, tmp_path: Path
) -> None:
    """Under load the database takes its log in at any moment."""
    (storage.data_dir / f"{DATABASE_NAME}.wal.gone").symlink_to(tmp_path / "none")
    assert storage.write_backup(tmp_path / "a.zip").problems == ()


@pytest.mark.process
@pytest.mark.skipif(sys.platform == "win32", reason="has other locks")
def test_the_database_stays_the_apps_own_while_it_is_copied(
    storage: Storage, tmp_path: Path
) -> None:
    """A system's lock goes with the first descriptor that the process closes."""
    path = storage.data_dir / DATABASE_NAME
    assert is_locked(path)
    for _ in range(2):
        (copy := tmp_path / os.urandom(4).hex()).mkdir()
        storage.copy_database(copy)
        assert is_locked(path)
    storage.copy_to(tmp_path / "desk")
    assert is_locked(path)
    with pytest.raises(DatabaseBusy):
        write_backup(BackupSource.closed(storage.data_dir, tmp_path), tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


def test_a_backup_that_was_cut_is_refused(content: bytes, whole: Path) -> None:
    for share in (0.0, 0.01, 0.3, 0.9, 0.999, 0.99999):
        whole.write_bytes(content[: int(len(content) * share)])
        with pytest.raises(BadInput, match=r"no whole backup of TrueHue.*cut off"):
            restore(whole, whole.with_name("new"))
        assert not whole.with_name("new").exists()


def test_a_backup_with_a_flipped_byte_is_refused(content: bytes, whole: Path) -> None:
    end = len(content)
    positions = [0, 5, 40, end // 3, end // 2, end - 2000, end - 200, end - 90, end - 64, end - 1]
    for index in (position % end for position in positions):
        whole.write_bytes(content[:index] + bytes([content[index] ^ 1]) + content[index + 1 :])
        with pytest.raises(BadInput, match=r"damaged|no whole backup"):
            restore(whole, whole.with_name("new"))
        assert not whole.with_name("new").exists()
    whole.write_bytes(content + b"\n")
    with pytest.raises(BadInput, match="no whole backup"):
        restore(whole, whole.with_name("new"))
    whole.write_bytes(b"PK" * 4000)
    with pytest.raises(BadInput, match="no whole backup"):
        restore(whole, whole.with_name("new"))


@pytest.mark.parametrize(
    "name", ["../out", "/out", "a/../../out", "a//b", "./a", "a\\..\\b", "C:a", "a/./b", ""]
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "content").write_bytes(b"content")
    with (tmp_path / "a.zip").open("wb") as file:
        writer = BackupWriter(file, quiet)
        writer.add(name, tmp_path / "content")
        writer.finish(14, "now")
        writer.close()
    before = folder_state(tmp_path)
    with pytest.raises(BadInput, match="damaged"):
        restore(tmp_path / "a.zip", tmp_path / "new")
    assert folder_state(tmp_path) == before


def test_a_backup_of_a_newer_truehue_is_refused(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = whole.with_name("new")
    monkeypatch.setattr("truehue.storage.backup.restore.NEWEST", 9)
    with pytest.raises(DatabaseNewer, match=rf"number {NEWEST}.*up to 9.*Update"):
        restore(whole, new)
    monkeypatch.undo()
    monkeypatch.setattr("truehue.storage.backup.archive.FORMAT_VERSION", 0)
    with pytest.raises(BadInput, match=r"newer TrueHue \(0\.1\.0\)"):
        restore(whole, new)
    assert not new.exists()


def test_only_an_empty_folder_is_restored_into(whole: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    for index in (tmp_path / "full", tmp_path / "full" / "a"):
        with pytest.raises(BadInput, match="is not an empty folder"):
            restore(whole, index)
    assert os.listdir(tmp_path / "full") == ["a"]
    (tmp_path / "empty").mkdir()
    inode = (tmp_path / "empty").stat().st_ino
    restore(whole, tmp_path / "empty")
    assert (tmp_path / "empty").stat().st_ino == inode
    with Storage.open(tmp_path / "empty") as opened:
        assert (opened.check(), opened.images.count()) == ([], 1)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such permissions")
def test_a_folder_that_is_made_is_its_owners_alone(whole: Path, tmp_path: Path) -> None:
    made = restore(whole, tmp_path / "new").folder
    assert made.stat().st_mode & 0o777 == 0o700
    named = tmp_path / "named"
    named.mkdir(mode=0o750)
    restore(whole, named)
    assert named.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("is_new", [True, False])
def test_a_restore_that_fails_leaves_nothing(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    """Whether the disk is full, or the last name cannot be given."""
    new = tmp_path / "new"
    if not is_new:
        new.mkdir()
    listed = sorted(os.listdir(tmp_path))
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    extract, rename = BackupReader.extract, os.rename
    calls: list[object] = []

    def fails(do: Callable[..., None], after: int) -> Callable[..., None]:
        def done(*values: object) -> None:
            calls.append(values)
            if len(calls) > after:
                raise full
            do(*values)

        calls.clear()
        return done

    for target, name, do, after in (
        (BackupReader, "extract", extract, 2),
        (os, "rename", rename, 0 if is_new else 2),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(target, name, fails(do, after))
            with pytest.raises(DataFolderError, match="no space left"):
                restore(whole, new)
        assert calls
        assert sorted(os.listdir(tmp_path)) == listed
        assert is_new or os.listdir(new) == []
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9 - 1000, 1000))
        with pytest.raises(DataFolderError, match=r"takes about .* has 1 kB free"):
            restore(whole, new)
    assert sorted(os.listdir(tmp_path)) == listed


def test_nothing_is_written_over_and_nothing_is_left_half(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"earlier")
    (tmp_path / "folder").mkdir()
    listed = sorted(os.listdir(tmp_path))
    data = storage.data_dir
    for index, text in (
        (path, "is there already"),
        (tmp_path / "folder", "is a folder"),
        (tmp_path / "none" / "a.zip", "There is no folder"),
        (data / "a.zip", "lies in the data folder"),
        (data / "images" / "a.zip", "no folder|lies in the data folder"),
    ):
        with pytest.raises(BadInput, match=text):
            storage.write_backup(index)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fails(*values: object) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(BackupWriter, "finish", fails)
        with pytest.raises(DataFolderError, match="no space left"):
            storage.write_backup(path, replace=True)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9 - 1000, 1000))
        with pytest.raises(DataFolderError, match=r"The backup takes about .* has 1 kB free"):
            storage.write_backup(path, replace=True)
    assert sorted(os.listdir(tmp_path)) == listed
    assert path.read_bytes() == b"earlier"
    assert not list(data.glob(".*"))
    storage.write_backup(path, replace=True)
    assert restore(path, tmp_path / "new").problems == ()


def test_a_full_data_disk_is_backed_up_to_another_disk(
    storage: Storage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, copied = storage.data_dir, []

    def usage(path: Path) -> Usage:
        free = 1000 if Path(path).is_relative_to(data) else 10**12
        return Usage(10**12, 10**12 - free, free)

    def copy(folder: Path) -> None:
        copied.append(folder)
        storage.copy_database(folder)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    image = storage.images.add(picture(), "a", "upload").image_id
    path = tmp_path / "a.zip"
    write_backup(BackupSource(data, copy, data), path)
    assert not copied[0].is_relative_to(data)
    # A checkpoint would have needed room: the log came with the database.
    report = restore(path, tmp_path / "new")
    assert report.problems == ()
    assert (report.folder / f"{DATABASE_NAME}.wal").stat().st_size
    with Storage.open(report.folder) as restored:
        assert restored.images.get(image).image_id == image
    assert not list(tmp_path.glob(".*"))


# ── before an update ─────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def ninth(data_dir: Path) -> str:
    """A data folder of the ninth step; the id of its image."""
    data_dir.mkdir()
    database = Database.open(data_dir / DATABASE_NAME, migrations=MIGRATIONS[:9])
    image = Images(database, data_dir / "images").add(picture(), "a", "upload")
    database.close()
    return image.image_id


def steps(data: Path) -> int:
    database = Database.open(data / DATABASE_NAME, migrations=MIGRATIONS[:9])
    try:
        return int(database.rows("SELECT max(number) FROM schema_migrations")[0][0])
    finally:
        database.close()


def test_a_folder_of_an_older_step_is_backed_up_before_it_is_changed(
    ninth: str, data_dir: Path, tmp_path: Path
) -> None:
    with Storage.open(data_dir) as storage:
        assert storage._database.rows("SELECT max(number) FROM schema_migrations") == [(NEWEST,)]
    (path,) = (data_dir / "backups").iterdir()
    assert path.name == f"before-step-{NEWEST}-of-step-9.truehue-backup.zip"
    report = restore(path, tmp_path / "old")
    assert (report.facts.step, report.problems) == (9, ())
    assert steps(report.folder) == 9
    assert os.listdir(report.folder / "images") == [ninth[:2]]
    # It is not made again, and is in no other backup.
    made = path.stat().st_mtime_ns
    with Storage.open(data_dir) as storage:
        assert storage.write_backup(tmp_path / "a.zip").facts.step == NEWEST
    assert path.stat().st_mtime_ns == made
    assert not (restore(tmp_path / "a.zip", tmp_path / "new").folder / "backups").exists()


def test_without_room_for_that_backup_nothing_is_changed(
    ninth: str, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = folder_state(data_dir)
    with monkeypatch.context() as patch:
        patch.setattr(making.shutil, "disk_usage", lambda path: Usage(10**9, 10**9 - 1000, 1000))
        text = r"takes about .* has 1 kB free.*Nothing was changed.*--no-backup"
        with pytest.raises(DataFolderError, match=text):
            Storage.open(data_dir)
    assert folder_state(data_dir) == before
    assert not (data_dir / "backups").exists()
    assert steps(data_dir) == 9
    with Storage.open(data_dir, back_up=False) as storage:
        assert storage.images.count() == 1
    assert not (data_dir / "backups").exists()


def test_a_new_folder_and_one_of_now_are_not_backed_up(data_dir: Path) -> None:
    for _ in range(2):
        Storage.open(data_dir).close()
    assert not (data_dir / "backups").exists()
