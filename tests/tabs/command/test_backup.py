"""``truehue backup`` and ``truehue restore``: beside a running app, and without one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import called
from tests.empty_data import empty_data
from tests.storage.samples import folder_state, picture
from truehue.core.errors import BadInput
from truehue.storage import Storage
from truehue.storage.database.connection import DATABASE_NAME, Database
from truehue.storage.database.migrations import MIGRATIONS
from truehue.tabs.accounts.control import COPY_DATABASE, Control, ask
from truehue.tabs.command import backup, restore

pytestmark = pytest.mark.process


@pytest.fixture
def running_app(tmp_path: Path) -> Iterator[Storage]:
    """What of the app listens to the command. Its path is short: sockets want that."""
    with Storage.open(empty_data(tmp_path / "d")) as storage:
        storage.images.add(picture(), "a", "upload")
        control = Control(storage.accounts, storage.data_dir, storage.copy_database)
        assert control.begin()
        yield storage
        control.close()


def test_a_running_app_is_asked_for_its_database(running_app: Storage, tmp_path: Path) -> None:
    """DuckDB answers a second look from the same process as one from another: it is taken."""
    data = running_app.data_dir
    made = called(backup.main, "a.zip", "--data", str(data), folder=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith(f"{tmp_path / 'a.zip'}: 3 files, ")
    assert made.stdout.endswith(", checked.\n")
    assert not list(data.glob(".*"))
    again = called(backup.main, "a.zip", "--data", str(data), folder=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "--replace" in again.stderr
    late = running_app.images.add(picture(1), "b", "upload")
    replaced = called(backup.main, "a.zip", "--replace", "--data", str(data), folder=tmp_path)
    assert replaced.returncode == 0
    done = called(restore.main, "a.zip", "new", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "python -m truehue serve --data new" in done.stdout
    with Storage.open(tmp_path / "new") as opened:
        assert opened.images.count() == 2
        assert (opened.images.srgb8(late.image_id) == picture(1)).all()


def test_the_app_copies_its_database_into_an_empty_folder_alone(
    running_app: Storage, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    for folder in (str(tmp_path / "full"), str(tmp_path / "none"), "empty", None):
        with pytest.raises(BadInput, match=r"no empty folder|cannot be written"):
            ask(running_app.data_dir, {"do": COPY_DATABASE, "folder": folder})
    assert list(folder_state(tmp_path / "full")) == ["a"]
    assert ask(running_app.data_dir, {"do": "list"}) == {"words": "", "accounts": []}


def test_an_app_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "d")):
        done = called(backup.main, "a.zip", "--data", "d", folder=tmp_path)
    assert done.returncode == 2
    assert "does not answer" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d"]


def test_a_closed_folder_is_backed_up_as_it_is(tmp_path: Path) -> None:
    """Also of an older step: nothing is changed in it, and nothing brought up to date."""
    (tmp_path / "d").mkdir()
    Database.open(tmp_path / "d" / DATABASE_NAME, migrations=MIGRATIONS[:9]).close()
    before = folder_state(tmp_path / "d")
    assert called(backup.main, "a.zip", "--data", "d", folder=tmp_path).returncode == 0
    assert folder_state(tmp_path / "d") == before
    done = called(restore.main, "a.zip", "new", folder=tmp_path)
    assert done.returncode == 0
    assert f"has step 9: the first start brings it to step {MIGRATIONS[-1].number}" in done.stderr
    restored = folder_state(tmp_path / "new")
    assert {name: sha256 for name, (sha256, _) in restored.items()} == {
        name: sha256 for name, (sha256, _) in before.items()
    }


def test_what_a_killed_app_left_in_its_log_is_backed_up(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "d")) as storage:
        storage.images.add(picture(), "a", "upload")
        shutil.copytree(tmp_path / "d", tmp_path / "killed")
    assert (tmp_path / "killed" / f"{DATABASE_NAME}.wal").stat().st_size
    assert called(backup.main, "a.zip", "--data", "killed", folder=tmp_path).returncode == 0
    assert called(restore.main, "a.zip", "new", folder=tmp_path).returncode == 0
    with Storage.open(tmp_path / "new") as opened:
        assert (opened.images.count(), opened.check()) == (1, [])
        assert opened.losses.unread() == []


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (("a.zip", "--data", "none"), "There is no database of TrueHue"),
        (("d/a.zip", "--data", "d"), "lies in the data folder"),
        (("none/a.zip", "--data", "d"), "There is no folder"),
    ],
)
def test_what_cannot_be_backed_up_is_said(
    tmp_path: Path, terms: tuple[str, ...], said: str
) -> None:
    empty_data(tmp_path / "d")
    done = called(backup.main, *terms, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    missing = called(restore.main, "a.zip", "new", folder=tmp_path)
    assert missing.returncode == 2
    assert "a.zip cannot be read" in missing.stderr
