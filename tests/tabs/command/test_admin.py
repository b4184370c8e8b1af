"""``python -m truehue admin``: who may sign in, and how it says what it does not do."""

from __future__ import annotations

import getpass
import io
import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.commands import called
from tests.empty_data import empty_data
from tests.tabs.accounts.people import PASSWORD, add, session
from truehue.core.studies import AccountRecord
from truehue.storage import Storage
from truehue.tabs.accounts.control import Control, address_in, ask
from truehue.tabs.accounts.passwords import Passwords
from truehue.tabs.command import admin

pytestmark = pytest.mark.process


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="module")
def anns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which Ann is the only admin, for what changes nothing."""
    data = empty_data(tmp_path_factory.mktemp("anns") / "data")
    with Storage.open(data) as storage:
        add(storage.accounts, "Ann")
    return data


def gave(
    patch: pytest.MonkeyPatch, data: Path, *text: str, line: str = PASSWORD + "\n"
) -> CompletedProcess[str]:
    """The command with ``line`` on standard input, which is no terminal."""
    patch.setattr("sys.stdin", io.StringIO(line))
    return called(admin.main, *text, "--data", str(data))


def accounts(data: Path) -> list[AccountRecord]:
    with Storage.open(data) as storage:
        return storage.accounts.all()


def test_accounts_are_made_listed_and_closed(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    first = gave(monkeypatch, data, "add", " Ann Miller ")
    assert (first.returncode, first.stderr) == (0, "")
    assert "Ann Miller can sign in as an admin." in first.stdout
    assert "asks for it" in first.stdout
    second = gave(monkeypatch, data, "add", "Ben")
    assert second.stdout == "Ben can sign in as a researcher.\n"
    assert gave(monkeypatch, data, "add", "Eve", "--role", "expert").returncode == 0
    assert gave(monkeypatch, data, "close", "BEN").returncode == 0
    listed = gave(monkeypatch, data, "list").stdout.splitlines()
    assert [line.split("  ")[:2] for line in listed] == [
        ["Ann Miller", "admin"],
        ["Ben", "researcher"],
        ["Eve", "expert"],
    ]
    assert listed[1].endswith("closed")
    with Storage.open(data) as storage:
        account_records = storage.accounts.by_name("ann miller")
        assert account_records is not None
        assert Passwords().is_right(account_records[1], PASSWORD)


def test_another_password_ends_the_sessions_of_the_old_one(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    with Storage.open(empty_data(data)) as storage:
        ann = add(storage.accounts, "Ann")
        session(storage.accounts, ann)
    done = gave(monkeypatch, data, "password", "Ann", line="another long password\r\n")
    assert (done.returncode, done.stderr) == (0, "")
    with Storage.open(data) as storage:
        account_records = storage.accounts.by_name("Ann")
        assert account_records is not None
        assert Passwords().is_right(account_records[1], "another long password")
        assert storage._database.count("account_sessions") == 0


@pytest.mark.parametrize(
    ("terms", "line", "said"),
    [
        (("add", "Ben"), "short\n", "at least 10 characters"),
        (("add", "Ben"), "", "at least 10 characters"),
        (("add", "ANN"), PASSWORD, "already"),
        (("add", "  "), PASSWORD, "1 to 60 characters"),
        (("add", "x" * 61), PASSWORD, "1 to 60 characters"),
        (("add", "a\u202eb"), PASSWORD, "1 to 60 characters"),
        (("password", "Nobody"), PASSWORD, "no open account"),
        (("close", "Nobody"), "", "no open account"),
        (("close", "Ann"), "", "only admin"),
    ],
)
def test_what_cannot_be_is_said_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, anns: Path, terms: tuple[str, str], line: str, said: str
) -> None:
    done = gave(monkeypatch, anns, *terms, line=line)
    assert done.returncode == 2
    assert said in done.stderr
    assert PASSWORD not in done.stderr + done.stdout
    (ann,) = accounts(anns)
    assert (ann.name, ann.role, ann.closed) == ("Ann", "admin", False)


def test_the_first_account_is_an_admins(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    done = gave(monkeypatch, data, "add", "Ben", "--role", "researcher")
    assert done.returncode == 2
    assert "has to be an admin" in done.stderr
    assert accounts(data) == []
    assert "whoever is at this machine is the owner" in gave(monkeypatch, data, "list").stdout


@pytest.mark.parametrize("command", ["list", "close", "password"])
def test_a_folder_that_is_not_there_is_not_made_by_a_look(
    monkeypatch: pytest.MonkeyPatch, data: Path, command: str
) -> None:
    parts = (command,) if command == "list" else (command, "Ann")
    done = gave(monkeypatch, data, *parts)
    assert done.returncode == 2
    assert "There is no database of TrueHue in" in done.stderr
    assert not data.exists()


def test_no_password_is_given_on_the_command_line(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    done = gave(monkeypatch, data, "add", "Ann", PASSWORD)
    assert done.returncode == 2
    assert not data.exists()


def test_at_a_terminal_it_is_asked_for_twice(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    answers: list[str] = []
    monkeypatch.setattr(getpass, "getpass", lambda _: answers.pop(0))

    def at_terminal(*values: str) -> CompletedProcess[str]:
        answers[:] = values
        monkeypatch.setattr("sys.stdin", Terminal())
        return called(admin.main, "add", "Ann", "--data", str(data))

    different = at_terminal(PASSWORD, PASSWORD + "x")
    assert (different.returncode, "not the same" in different.stderr) == (2, True)
    assert at_terminal("short").returncode == 2  # before it is asked for again
    assert accounts(data) == []
    assert at_terminal(PASSWORD, PASSWORD).returncode == 0
    assert len(accounts(data)) == 1


# ── while the app runs ───────────────────────────────────────────────────────────────────────────


@pytest.fixture
def running_app(tmp_path: Path) -> Iterator[Storage]:
    """What of the app listens to the command. Its path is short: sockets want that."""
    with Storage.open(empty_data(tmp_path / "d")) as storage:
        control = Control(storage.accounts, storage.data_dir, storage.copy_database)
        assert control.begin()
        yield storage
        control.close()
        control.close()
        assert not address_in(storage.data_dir).exists()


def test_the_app_makes_the_change_that_the_command_asks_for(running_app: Storage) -> None:
    data, password_hash = running_app.data_dir, Passwords().hash_of(PASSWORD)
    fields = {"do": "add", "name": "Ann", "password_hash": password_hash}
    answer = ask(data, fields)
    assert answer is not None
    assert "Ann can sign in as an admin." in answer["words"]
    assert running_app.accounts.any()
    assert password_hash not in str(ask(data, {"do": "list"}))
    for wrong in (fields, {"do": "burn"}, {}, {"do": "add", "name": "Ben"}, {"do": "close"}):
        with pytest.raises(ValueError, match=r"."):
            ask(data, wrong)
    assert len(running_app.accounts.all()) == 1


def test_nobody_else_of_the_machine_speaks_to_it(running_app: Storage) -> None:
    path = address_in(running_app.data_dir)
    assert path.parent.stat().st_mode & 0o077 == 0
    assert path.stat().st_mode & 0o077 == 0


def test_a_socket_that_nobody_listens_at_is_no_app(tmp_path: Path) -> None:
    assert ask(tmp_path, {"do": "list"}) is None
    path = address_in(tmp_path)
    path.parent.mkdir()
    path.touch()
    assert ask(tmp_path, {"do": "list"}) is None


def test_a_path_that_is_too_long_for_a_socket_only_takes_the_convenience(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / ("x" * 120)
    with Storage.open(empty_data(folder)) as storage:
        control = Control(storage.accounts, storage.data_dir, storage.copy_database)
        assert not control.begin()
        control.close()
    assert "only while the app does not run" in caplog.text
    assert os.listdir(folder / "control") == []
