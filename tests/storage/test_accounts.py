"""Accounts, what keeps the last admin, and sessions that end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from truehue.core.errors import BadInput, NotStored, StorageError
from truehue.storage import Storage

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
TEN_S = 10.0


class Clock:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def storage(tmp_path: Path, clock: Clock) -> Iterator[Storage]:
    with Storage.open(tmp_path / "data", clock) as opened:
        yield opened


def test_the_first_account_is_an_admins_and_the_last_admin_stays(storage: Storage) -> None:
    accounts = storage.accounts
    assert not accounts.any()
    for role in ("researcher", "expert"):
        with pytest.raises(BadInput, match="has to be an admin"):
            accounts.add("Ann", role, "hash")
    with pytest.raises(BadInput, match="A role is one of"):
        accounts.add("Ann", "owner", "hash")
    ann = accounts.add("Ann", "admin", "hash")
    ben = accounts.add("Ben", "researcher", "hash")
    assert accounts.any()
    with pytest.raises(BadInput, match="only admin"):
        accounts.close(ann.id)
    eve = accounts.add("Eve", "admin", "hash")
    accounts.close(ann.id)
    with pytest.raises(BadInput, match="only admin"):
        accounts.close(eve.id)
    accounts.close(ben.id)
    assert [(account.name, account.closed) for account in accounts.all()] == [
        ("Ann", True),
        ("Ben", True),
        ("Eve", False),
    ]
    with pytest.raises(NotStored):
        accounts.close("nobody")


def test_a_name_is_one_persons_however_it_is_typed(storage: Storage) -> None:
    accounts = storage.accounts
    made = accounts.add("Zo\u00e9", "admin", "hash")
    for name in ("zo\u00e9", "ZOE\u0301", " Zo\u00e9 "):
        assert accounts.by_name(name) == (made, "hash")
        with pytest.raises(BadInput, match="already"):
            accounts.add(name, "admin", "other")
    assert accounts.by_name("Zoe") is None
    # The name of a closed account is free again, and that account stays what it was.
    accounts.add("Ann", "admin", "hash")
    accounts.close(made.id)
    assert accounts.by_name("zo\u00e9") is None
    again = accounts.add("zo\u00e9", "expert", "third")
    assert accounts.by_name("Zo\u00e9") == (again, "third")
    assert accounts.get(made.id).closed


def test_a_session_ends_by_itself_by_hand_and_with_its_account(
    storage: Storage, clock: Clock
) -> None:
    accounts = storage.accounts
    ann, ben = (accounts.add(name, "admin", "hash") for name in ("Ann", "Ben"))
    assert accounts.session("") is accounts.session("a1") is None
    accounts.begin_session(ann.id, "a1", TEN_S)
    accounts.begin_session(ann.id, "a2", 2 * TEN_S)
    accounts.begin_session(ben.id, "b1", TEN_S)
    accounts.begin_session(ben.id, "b2", 2 * TEN_S)
    assert accounts.session("a1") == ann
    accounts.end_session("a1")
    accounts.end_session("a1")
    assert accounts.session("a1") is None
    clock.time += timedelta(seconds=TEN_S)
    assert (accounts.session("b1"), accounts.session("b2")) == (None, ben)
    accounts.close(ben.id)
    assert accounts.session("b2") is None
    accounts.end_sessions(ann.id)
    assert accounts.session("a2") is None
    with pytest.raises(NotStored):
        accounts.begin_session("nobody", "c", TEN_S)


def test_what_is_known_is_what_is_stored(tmp_path: Path, clock: Clock) -> None:
    with Storage.open(tmp_path / "data", clock) as storage:
        accounts = storage.accounts
        ann = accounts.add("Ann", "admin", "first")
        ben = accounts.add("Ben", "admin", "hash")
        for name, account in (("a1", ann), ("a2", ann), ("b1", ben)):
            accounts.begin_session(account.id, name, TEN_S)
        accounts.set_password_hash(ann.id, "second")
        accounts.end_session("a2")
        accounts.close(ben.id)
        listed = accounts.all()
    with Storage.open(tmp_path / "data", clock) as storage:
        accounts = storage.accounts
        assert accounts.all() == listed
        assert accounts.by_name("ann") == (ann, "second")
        assert accounts.session("a1") == ann
        assert accounts.session("a2") is accounts.session("b1") is None
        # Those that ended by themselves go with the next that begins.
        clock.time += timedelta(seconds=TEN_S)
        accounts.begin_session(ann.id, "a3", TEN_S)
        assert storage._database.count("account_sessions") == 1


def test_what_could_not_be_stored_is_not_known_either(tmp_path: Path) -> None:
    storage = Storage.open(tmp_path / "data")
    storage.accounts.add("Ann", "admin", "hash")
    storage.close()
    with pytest.raises(StorageError):
        storage.accounts.add("Ben", "admin", "hash")
    assert [account.name for account in storage.accounts.all()] == ["Ann"]


def test_sessions_go_by_the_machines_clock(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Rows are not dated back when a clock that was ahead is set right; sessions end all the same,
    those begun meanwhile at once."""
    clock.time = NOON + timedelta(days=365)
    with Storage.open(tmp_path / "data", clock) as storage:
        ann = storage.accounts.add("Ann", "admin", "hash")
        storage.accounts.begin_session(ann.id, "ahead", TEN_S)
        assert storage.accounts.session("ahead") == ann
        assert caplog.messages == []
        clock.time = NOON
        assert storage.accounts.session("ahead") is None
        assert storage.now() == NOON + timedelta(days=365)
        storage.accounts.begin_session(ann.id, "before", TEN_S)
    with Storage.open(tmp_path / "data", clock) as storage:
        assert "2027-05-04 12:00:00 UTC" in caplog.text
        assert "2026-05-04 12:00:00 UTC" in caplog.text
        accounts = storage.accounts
        accounts.begin_session(ann.id, "now", 2 * TEN_S)
        clock.time -= timedelta(seconds=1)  # a clock that is set by a second ends none
        assert [accounts.session(name) for name in ("ahead", "before", "now")] == [None, ann, ann]
        clock.time += timedelta(seconds=1 + TEN_S)
        assert [accounts.session(name) for name in ("before", "now")] == [None, ann]
        clock.time += timedelta(seconds=TEN_S)
        assert accounts.session("now") is None
