"""The data of a Space in its bucket: backed up after a change, restored at a start without data."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from tests.storage.samples import picture
from truehue.core.space import BUCKET_BACKUP
from truehue.storage import Storage
from truehue.tabs.backup.bucket import BucketBackup, bucket_folder, restore_from_bucket
from truehue.tabs.command.serve import missing_sign_in, read_settings

pytestmark = pytest.mark.slow


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bucket").mkdir()
    monkeypatch.setenv("TRUEHUE_BUCKET", str(tmp_path / "bucket"))
    return tmp_path / "bucket"


def test_data_outlives_the_disk(bucket: Path, tmp_path: Path) -> None:
    saved = bucket / BUCKET_BACKUP
    (bucket / f".{BUCKET_BACKUP}.0.part").touch()  # of an app that was killed
    with Storage.open(empty_data(tmp_path / "a")) as storage:
        backup = BucketBackup(storage, bucket_folder())
        assert backup.begin()
        # What was not restored from the bucket is not in it.
        wait_for(saved.exists)
        storage.images.add(picture(), "a", "upload")
        backup.close()
        assert [path.name for path in bucket.iterdir()] == [BUCKET_BACKUP]
        assert not list((tmp_path / "a" / "backups").iterdir())
    assert restore_from_bucket(tmp_path / "b")
    with Storage.open(tmp_path / "b") as storage:
        assert storage.images.count() == 1
        backup = BucketBackup(storage, bucket_folder())
        before = saved.stat()
        assert backup.begin(restored=True)
        image = storage.images.add(picture(1), "b", "upload")
        wait_for(lambda: saved.stat().st_mtime_ns != before.st_mtime_ns)
        # Killed: nothing is said to end.
        assert restore_from_bucket(tmp_path / "c")
        with Storage.open(tmp_path / "c") as other:
            assert (other.images.srgb8(image.image_id) == picture(1)).all()
        backup.close()


def test_data_that_are_there_stay(bucket: Path, tmp_path: Path) -> None:
    data = empty_data(tmp_path / "a")
    with Storage.open(data) as storage:
        storage.write_backup(bucket / BUCKET_BACKUP)
        storage.images.add(picture(), "a", "upload")
    assert not restore_from_bucket(data)
    with Storage.open(data) as storage:
        assert storage.images.count() == 1
        # What was restored is in the bucket: it is not written again.
        before = (bucket / BUCKET_BACKUP).stat().st_mtime_ns
        backup = BucketBackup(storage, bucket)
        backup.begin(restored=True)
        backup.close()
        assert (bucket / BUCKET_BACKUP).stat().st_mtime_ns == before


def test_a_bucket_is_looked_for_in_a_space_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TRUEHUE_BUCKET", raising=False)
    monkeypatch.setenv("SPACE_ID", "ann/truehue")
    monkeypatch.setattr("truehue.tabs.backup.bucket.BUCKET_FOLDER", str(tmp_path))
    assert bucket_folder() == tmp_path
    monkeypatch.setattr("truehue.tabs.backup.bucket.BUCKET_FOLDER", str(tmp_path / "none"))
    assert bucket_folder() is None
    monkeypatch.setattr("truehue.tabs.backup.bucket.BUCKET_FOLDER", str(tmp_path))
    monkeypatch.delenv("SPACE_ID")
    assert bucket_folder() is None


def test_a_space_without_an_account_says_how_to_make_one(
    bucket: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPACE_ID", "ann/truehue")
    with Storage.open(empty_data(tmp_path / "a")) as storage:
        settings = read_settings(["--no-demo", "--data", str(tmp_path / "a")])
        assert "truehue space create OWNER/NAME" in missing_sign_in(settings, storage)
        storage.accounts.add("ann", "admin", "$argon2id$")
        assert missing_sign_in(settings, storage) == ""


def test_a_bucket_that_takes_no_file_ends_nothing(
    bucket: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Storage.open(empty_data(tmp_path / "a")) as storage:
        backup = BucketBackup(storage, bucket)
        bucket.rmdir()
        backup.begin()
        backup.close()
        assert "could not be backed up to the bucket" in caplog.text
        bucket.mkdir()
        backup.begin()
        backup.close()
    assert restore_from_bucket(tmp_path / "b")
