"""Nothing that was confirmed is lost without a word: damaged logs, folders that go away."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.storage.samples import brushed, folder_state, picture, verdict
from truehue.core.errors import DataFolderError, NotStored
from truehue.storage import Storage
from truehue.storage.database.confirmed import KEPT_LOGS, MAX_LOGS, Confirmed, save_log

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
WRITES = 12
# Each line is one write that was confirmed; the last one is under way when the process is killed.
STORE = f"""
import sys
from truehue.storage import Storage
storage = Storage.open(sys.argv[1])
for number in range({WRITES}):
    row = "INSERT INTO selections VALUES (?, 1, '[]', false, now())"
    storage._database.insert(row, [str(number)])
    print(number, flush=True)
with storage._database.transaction() as cursor:
    cursor.execute("INSERT INTO selections VALUES ('half', 1, '[]', false, now())")
    print("open", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose process was killed after 12 writes, all of them in the log."""
    folder = tmp_path_factory.mktemp("killed") / "data"
    child = subprocess.Popen(
        [sys.executable, "-c", STORE, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        lines = [child.stdout.readline() for _ in range(WRITES + 1)]
        child.kill()
    assert lines[-1] == "open\n"
    return folder


def _log(data_dir: Path) -> Path:
    return data_dir / "truehue.duckdb.wal"


def _there(storage: Storage) -> int:
    return storage._database.count("selections")


def _flipped(position: float) -> Callable[[bytes], bytes]:
    def flip(content: bytes) -> bytes:
        index = int(len(content) * position)
        return content[:index] + bytes([content[index] ^ 255]) + content[index + 1 :]

    return flip


def test_a_kill_loses_nothing_and_nothing_is_told(killed: Path, data_dir: Path) -> None:
    shutil.copytree(killed, data_dir)
    with Storage.open(data_dir) as storage:
        assert _there(storage) == WRITES
        assert storage.losses.unread() == []
    assert not (data_dir / KEPT_LOGS).exists()


def test_what_a_crash_leaves_at_the_end_of_the_log_passes(killed: Path, data_dir: Path) -> None:
    """Half a write that nobody was told of, or room that was made for one."""
    for tail in (bytes(500), os.urandom(300), _log(killed).read_bytes()[-180:-13]):
        shutil.rmtree(data_dir, ignore_errors=True)
        shutil.copytree(killed, data_dir)
        with _log(data_dir).open("ab") as file:
            file.write(tail)
        with Storage.open(data_dir) as storage:
            assert _there(storage) == WRITES
            assert storage.losses.unread() == []


@pytest.mark.parametrize(
    "damage",
    [
        _flipped(0.0),
        _flipped(0.3),
        _flipped(0.5),
        _flipped(0.95),
        lambda log: log[: len(log) * 2 // 3],
        lambda log: log[:-13],
        lambda log: b"",
        None,
    ],
    ids=["first", "third", "middle", "end", "two-thirds", "tail", "emptied", "removed"],
)
def test_a_damaged_log_is_told_and_kept(
    killed: Path,
    data_dir: Path,
    damage: Callable[[bytes], bytes] | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    shutil.copytree(killed, data_dir)
    result = b"" if damage is None else damage(_log(data_dir).read_bytes())
    _log(data_dir).unlink() if damage is None else _log(data_dir).write_bytes(result)
    with caplog.at_level(logging.WARNING, "truehue"), Storage.open(data_dir) as storage:
        missing = WRITES - _there(storage)
        assert missing > 0
        (loss,) = storage.losses.unread()
        assert (loss.writes, loss.replaced) == (missing, False)
        assert loss.since is not None
        assert loss.since <= loss.until
        text = storage.losses.words()[loss.number]
        assert text in caplog.text
        assert re.match(rf"{missing} writes? that had been confirmed (is|are) missing from ", text)
        if result:
            assert Path(loss.log_copy).read_bytes() == result
            assert loss.log_copy in text
        else:
            assert "emptied or removed" in text
    # It is told once more at every start, until somebody has read it, and never twice.
    with Storage.open(data_dir) as storage:
        assert storage.losses.unread() == [loss]
        storage.losses.read(loss.number)
        storage.losses.read(loss.number)
        with pytest.raises(NotStored):
            storage.losses.read(loss.number + 1)
        storage.selections.save("again", [("", "mini-1")])
    with Storage.open(data_dir) as storage:
        assert storage.losses.unread() == []
        assert _there(storage) == WRITES - missing + 1


def test_a_database_that_is_gone_is_told(killed: Path, data_dir: Path) -> None:
    shutil.copytree(killed, data_dir)
    _log(data_dir).unlink()
    (data_dir / "truehue.duckdb").unlink()
    with Storage.open(data_dir) as storage:
        (loss,) = storage.losses.unread()
        assert (loss.writes, loss.replaced, loss.since) == (WRITES, True, None)
        assert "was gone when TrueHue started" in storage.losses.words()[loss.number]
    with Storage.open(data_dir) as storage:
        assert storage.losses.unread() == [loss]


def test_another_database_put_in_its_place_is_not_behind(killed: Path, data_dir: Path) -> None:
    Storage.open(data_dir).close()
    shutil.copy(killed / "truehue.duckdb.confirmed", data_dir)
    with Storage.open(data_dir) as storage:
        assert storage.losses.unread() == []


@pytest.mark.parametrize("content", [b"", b"{", b'{"writes": "many"}', b"[]", os.urandom(160)])
def test_a_file_of_confirmed_writes_that_cannot_be_read_is_made_anew(
    killed: Path, data_dir: Path, content: bytes
) -> None:
    shutil.copytree(killed, data_dir)
    (data_dir / "truehue.duckdb.confirmed").write_bytes(content)
    with Storage.open(data_dir) as storage:
        assert storage.losses.unread() == []
        assert _there(storage) == WRITES
        assert Confirmed(data_dir / "truehue.duckdb").read() == storage._database.tally()


def test_the_file_says_what_the_database_counts(storage: Storage, data_dir: Path) -> None:
    confirmed = Confirmed(data_dir / "truehue.duckdb")
    image = storage.images.add(picture(), "a", "upload")
    storage.evidence.add(verdict(image.image_id))
    first = storage._database.tally()
    assert first is not None
    assert confirmed.read() == first
    with pytest.raises(ZeroDivisionError), storage._database.transaction():
        _ = 1 // 0
    assert confirmed.read() == storage._database.tally() == first
    storage.selections.save("basket", [("", "mini-1")])
    assert confirmed.read() == storage._database.tally()
    assert storage._database.tally() != replace(first, written_at=first.written_at)


def test_few_copies_of_logs_are_kept(killed: Path, data_dir: Path) -> None:
    shutil.copytree(killed, data_dir)
    copies = [save_log(data_dir / "truehue.duckdb") for _ in range(MAX_LOGS + 3)]
    saved = set((data_dir / KEPT_LOGS).iterdir())
    assert len(saved) == MAX_LOGS
    assert saved <= set(copies)


def test_imports_and_selections_do_not_stay_in_the_log(storage: Storage, data_dir: Path) -> None:
    storage.selections.save("basket", [("", "mini-1")])
    assert not _log(data_dir).exists() or not _log(data_dir).stat().st_size


def _moved(data_dir: Path) -> None:
    data_dir.rename(data_dir.with_name("moved"))


def _deleted(data_dir: Path) -> None:
    shutil.rmtree(data_dir)


def _replaced(data_dir: Path) -> None:
    # As where another disk is mounted at the same place.
    _moved(data_dir)
    shutil.copytree(data_dir.with_name("moved"), data_dir)


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be taken away there")
@pytest.mark.parametrize("go", [_moved, _deleted, _replaced])
def test_a_data_folder_that_goes_away_takes_nothing_any_more(
    storage: Storage, data_dir: Path, go: Callable[[Path], None]
) -> None:
    image = storage.images.add(picture(), "a", "upload")
    go(data_dir)
    before = folder_state(data_dir.parent)
    for write in (
        lambda: storage.images.add(picture(1), "b", "upload"),
        lambda: storage.masks.add(image.image_id, brushed()),
        lambda: storage.evidence.add(verdict(image.image_id)),
        lambda: storage.selections.save("basket", [("", "mini-1")]),
        storage.require_installed,
    ):
        with pytest.raises(DataFolderError, match="was deleted, moved or unmounted"):
            write()
    # No folder is made in its place, and what was stored can still be read.
    assert folder_state(data_dir.parent) == before
    assert storage.images.recent() == [image]
    assert storage.selections.all() == []


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be taken away there")
def test_a_data_folder_that_comes_back_takes_more(storage: Storage, data_dir: Path) -> None:
    _moved(data_dir)
    with pytest.raises(DataFolderError):
        storage.images.add(picture(), "a", "upload")
    data_dir.with_name("moved").rename(data_dir)
    image = storage.images.add(picture(), "a", "upload")
    storage.close()
    with Storage.open(data_dir) as opened:
        assert opened.images.recent() == [image]
        assert opened.losses.unread() == []


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be taken away there")
@pytest.mark.parametrize("log", [True, False])
def test_a_folder_that_goes_away_while_a_write_is_stored_is_told(
    storage: Storage, data_dir: Path, log: bool
) -> None:
    """Between the first look and the commit: the write is not confirmed."""
    if log:
        storage.images.add(picture(), "a", "upload")
    assert (_log(data_dir).exists() and _log(data_dir).stat().st_size > 0) == log

    def store() -> None:
        with storage._database.transaction() as cursor:
            cursor.execute("INSERT INTO selections VALUES ('x', 1, '[]', false, now())")
            _moved(data_dir)

    with pytest.raises(DataFolderError, match="was deleted, moved or unmounted"):
        store()


def test_files_that_a_killed_process_was_writing_are_cleared(data_dir: Path) -> None:
    with Storage.open(data_dir) as storage:
        image = storage.images.add(picture(), "a", "upload")
        path = storage.images.path(image.image_id)
    halves = [
        path.with_name(f".{path.name}.0123456789abcdef.part"),
        data_dir / "masks" / "ab" / ".x.png.0123456789abcdef.part",
        data_dir / ".truehue.duckdb.confirmed.0123456789abcdef.part",
    ]
    for half in halves:
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(b"half")
    with Storage.open(data_dir) as storage:
        assert storage.images.path(image.image_id).is_file()
    assert not any(half.exists() for half in halves)
