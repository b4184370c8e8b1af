"""Attempts to sign in: what they are worth, how many are worked on, and where one goes on to."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import anyio
import pytest

from tests.empty_data import empty_data
from tests.tabs.accounts.people import PASSWORD, add, light_hash
from truehue.storage import Storage
from truehue.tabs.accounts.passwords import MIN_CHARACTERS, NOBODYS_HASH, Passwords, checked
from truehue.tabs.accounts.signing_in import (
    AT_ONCE,
    MAX_WAITING,
    WRONG,
    Attempt,
    Refused,
    SignedIn,
    SigningIn,
    local_path,
)
from truehue.tabs.page.actor import hashed
from truehue.tabs.page.refusals import Refusals
from truehue.tabs.page.throttle import ADDRESS, EVERYBODY, NAME, Throttle
from truehue.tabs.page.visitors import Visitors

pytestmark = pytest.mark.slow

PLAIN = "$argon2id$v=19$m=65536,t=3,p=1$"


class Counted(Passwords):
    """Passwords that say how often they were checked, and how many at a time."""

    def __init__(self) -> None:
        self.checks = self.at_once = self.peak = 0
        self.hashes: list[str | None] = []
        self._lock = threading.Lock()

    def is_right(self, password_hash: str | None, password: str) -> bool:
        with self._lock:
            self.checks, self.at_once = self.checks + 1, self.at_once + 1
            self.peak = max(self.peak, self.at_once)
            self.hashes.append(password_hash)
        try:
            return password_hash is not None and super().is_right(password_hash, password)
        finally:
            with self._lock:
                self.at_once -= 1


def door(storage: Storage, passwords: Passwords | None = None) -> SigningIn:
    """One at which no time passes."""
    devices = Visitors(storage.data_dir / "devices.key")
    return SigningIn(storage.accounts, devices, passwords, Throttle(lambda: 0.0))


def tried(signing_in: SigningIn, *attempts: Attempt) -> list[SignedIn | Refused]:
    """What each comes to, all sent at the same time."""
    results: list[SignedIn | Refused | None] = [None] * len(attempts)

    async def one(index: int) -> None:
        results[index] = await signing_in.sign_in(attempts[index])

    async def every() -> None:
        async with anyio.create_task_group() as group:
            for index in range(len(attempts)):
                group.start_soon(one, index)

    anyio.run(every)
    return [result for result in results if result is not None]


# ── passwords ────────────────────────────────────────────────────────────────────────────────────


def test_a_password_is_hashed_by_argon2id_and_known_however_it_is_composed() -> None:
    passwords = Passwords()
    password_hash = passwords.hash_of("caf\u00e9 au lait")
    assert password_hash.startswith(PLAIN)
    assert passwords.is_right(password_hash, "cafe\u0301 au lait")
    assert not passwords.is_right(password_hash, "cafe au lait")
    assert not passwords.is_dated(password_hash)
    assert passwords.is_dated(light_hash())


def test_who_has_no_account_waits_for_a_hash_of_the_same_cost() -> None:
    passwords = Passwords()
    assert NOBODYS_HASH.startswith(PLAIN)
    assert not passwords.is_dated(NOBODYS_HASH)
    assert not passwords.is_right(None, PASSWORD)


def test_a_hash_that_cannot_be_read_is_nobodys(caplog: pytest.LogCaptureFixture) -> None:
    assert not Passwords().is_right("md5:1234", PASSWORD)
    assert "set a new password" in caplog.text
    assert "1234" not in caplog.text


def test_a_new_password_is_neither_short_nor_endless() -> None:
    assert checked("x" * MIN_CHARACTERS)
    for wrong in ("", "x" * (MIN_CHARACTERS - 1), "x" * 1_001):
        with pytest.raises(ValueError, match="characters"):
            checked(wrong)


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────


def test_each_sign_in_has_a_token_of_its_own_and_ends_the_one_before(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        ann = add(storage.accounts, "Ann")
        signing_in = door(storage)
        (first,) = tried(signing_in, Attempt("ANN ", PASSWORD, session="made up"))
        assert isinstance(first, SignedIn)
        assert (first.account, len(first.token)) == (ann, 43)
        assert storage.accounts.session(hashed("made up")) is None
        assert storage.accounts.session(first.token) is None  # only its hash is known
        (second,) = tried(signing_in, Attempt("ann", PASSWORD, session=first.token))
        assert isinstance(second, SignedIn)
        assert storage.accounts.session(hashed(first.token)) is None
        assert storage.accounts.session(hashed(second.token)) == ann
        signing_in.sign_out(second.token)
        assert storage.accounts.session(hashed(second.token)) is None
        # The hash of the old parameters was replaced meanwhile.
        account_records = storage.accounts.by_name("ann")
        assert account_records is not None
        assert account_records[1].startswith(PLAIN)


def test_names_that_are_not_there_and_closed_ones_are_answered_alike(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        add(storage.accounts, "Ann")
        storage.accounts.close(add(storage.accounts, "Ben").id)
        passwords = Counted()
        attempts = [Attempt(name, PASSWORD) for name in ("Ben", "Nobody", "", "x" * 10_000)]
        results = tried(door(storage, passwords), *attempts, Attempt("Ann", "wrong"))
        assert results == [Refused(WRONG)] * 5
        assert passwords.checks == 5


# ── a stranger who tries ─────────────────────────────────────────────────────────────────────────


def test_a_thousand_wrong_passwords_cost_a_few_hashes_two_at_a_time(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        add(storage.accounts, "Ann")
        passwords = Counted()
        attempts = [Attempt("Ann", f"wrong {n}", "192.0.2.1") for n in range(1_000)]
        results = tried(door(storage, passwords), *attempts)
        assert passwords.checks == NAME.free
        assert passwords.peak <= AT_ONCE
        later = [result for result in results if isinstance(result, Refused) and result.wait_s]
        assert len(later) == 1_000 - NAME.free
        assert later[0].words == "Too many attempts to sign in. Try again in a second."
        # Of many names at one address, and of many names at many addresses.
        reference_set, swarm = Counted(), Counted()
        tried(
            door(storage, reference_set),
            *(Attempt(f"n{n}", "x", "192.0.2.1") for n in range(1_000)),
        )
        assert reference_set.checks <= ADDRESS.free
        tried(door(storage, swarm), *(Attempt(f"n{n}", "x", f"host {n}") for n in range(1_000)))
        assert swarm.checks <= EVERYBODY.free


def test_few_wait_for_their_turn_and_others_are_told_at_once(tmp_path: Path) -> None:
    class Slow(Counted):
        def is_right(self, password_hash: str | None, password: str) -> bool:
            assert go_on.wait(300)
            return super().is_right(password_hash, password)

    go_on = threading.Event()
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        passwords = Slow()
        signing_in = door(storage, passwords)
        results = []

        async def one(attempt: Attempt) -> None:
            results.append(await signing_in.sign_in(attempt))

        async def crowd() -> None:
            async with anyio.create_task_group() as group:
                for n in range(40):
                    group.start_soon(one, Attempt(f"n{n}", "wrong", f"host {n}"))
                with anyio.move_on_after(30):
                    while len(results) < 40 - MAX_WAITING - AT_ONCE:
                        await anyio.sleep(0.001)
                go_on.set()

        anyio.run(crowd)
        assert passwords.checks == MAX_WAITING + AT_ONCE
        assert results.count(Refused(WRONG)) == passwords.checks


def test_a_stranger_cannot_keep_anybody_out_of_a_browser_that_is_known(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        add(storage.accounts, "Ann")
        add(storage.accounts, "Ben")
        signing_in = door(storage, Counted())
        (known,) = tried(signing_in, Attempt("Ann", PASSWORD, "192.0.2.1"))
        assert isinstance(known, SignedIn)
        wrong = [Attempt(f"n{n}", "wrong", "192.0.2.1") for n in range(30)]
        tried(signing_in, *(Attempt("Ann", "wrong", "192.0.2.1") for _ in range(30)), *wrong)
        (stranger, ben) = tried(
            signing_in,
            Attempt("Ann", PASSWORD, "192.0.2.1"),
            # What tells Ann's browser is nothing for Ben's account.
            Attempt("Ben", PASSWORD, "192.0.2.1", known.device),
        )
        assert isinstance(stranger, Refused)
        assert isinstance(ben, Refused)
        assert stranger.wait_s > 0
        (again,) = tried(signing_in, Attempt("Ann", PASSWORD, "192.0.2.1", known.device))
        assert isinstance(again, SignedIn)
        # The cookie of a known browser is no way to try faster.
        guesses = [Attempt("Ann", "wrong", "192.0.2.1", known.device) for _ in range(50)]
        later = [item for item in tried(signing_in, *guesses) if isinstance(item, Refused)]
        assert sum(item.wait_s > 0 for item in later) == 45


def test_one_known_browser_does_not_slow_another_and_a_new_password_forgets_both(
    tmp_path: Path,
) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        add(storage.accounts, "Ann")
        passwords = Counted()
        signing_in = door(storage, passwords)
        first, second = (
            item.device
            for attempt in (Attempt("Ann", PASSWORD), Attempt("Ann", PASSWORD))
            for item in tried(signing_in, attempt)
            if isinstance(item, SignedIn)
        )
        assert first != second
        tried(signing_in, *(Attempt("Ann", "wrong", "", first) for _ in range(50)))
        (own,) = tried(signing_in, Attempt("Ann", PASSWORD, "", second))
        assert isinstance(own, SignedIn)
        entry = storage.accounts.by_name("Ann")
        assert entry is not None
        storage.accounts.set_password_hash(entry[0].id, "another")
        tried(signing_in, *(Attempt("Ann", "wrong", "192.0.2.9") for _ in range(30)))
        (late,) = tried(signing_in, Attempt("Ann", PASSWORD, "192.0.2.9", second))
        assert isinstance(late, Refused)
        assert late.wait_s > 0


def test_what_was_refused_last_is_counted_too(caplog: pytest.LogCaptureFixture) -> None:
    refusals = Refusals(lambda: 0.0)
    with caplog.at_level(logging.WARNING, "truehue"):
        for _ in range(1_000):
            refusals.note("an attempt")
        refusals.flush()
        refusals.flush()
    assert caplog.messages == ["refused: an attempt", "refused: an attempt (999 times)"]


def test_the_log_says_how_often_and_of_nobody(caplog: pytest.LogCaptureFixture) -> None:
    seconds = [0.0]
    refusals = Refusals(lambda: seconds[0])
    with caplog.at_level(logging.WARNING, "truehue"):
        for _ in range(1_000):
            refusals.note("an attempt")
        refusals.note("another thing")
        seconds[0] = 60.0
        refusals.note("an attempt")
    assert caplog.messages == [
        "refused: an attempt",
        "refused: another thing",
        "refused: an attempt (1,000 times)",
    ]


# ── where to go on ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/", "/?tab=studies&study=ab%20c", "/api/images", "/x#y"])
def test_one_goes_on_within_the_app(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "https://example.org/",
        "//example.org/",
        "/\\example.org",
        "\\\\example.org",
        "/\t/example.org",
        "/x\r\nSet-Cookie: a=b",
        " //example.org",
        "javascript:alert(1)",
        "example.org",
        "/signin?next=/",
        "/signout",
        "/signout/#x",
        "/" + "x" * 2_000,
    ],
)
def test_nobody_is_led_elsewhere(path: str) -> None:
    assert local_path(path) == "/"
