"""People with accounts, and what a browser of theirs sends."""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher

from truehue.core.studies import AccountRecord
from truehue.storage.accounts import Accounts
from truehue.tabs.page.actor import SESSION, hashed

PASSWORD = "correct horse battery"
OURS = {"X-TrueHue": "1"}


@cache
def light_hash() -> str:
    """A hash of :data:`PASSWORD` with the least parameters, which takes no time."""
    return PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)


def add(accounts: Accounts, name: str, role: str = "admin") -> AccountRecord:
    """An account whose password is :data:`PASSWORD`."""
    return accounts.add(name, role, light_hash())


def session(accounts: Accounts, account: AccountRecord, token: str = "") -> dict[str, str]:
    """The cookie of a session of that account."""
    token = token or f"token of {account.name}"
    accounts.begin_session(account.id, hashed(token), 3600.0)
    return {SESSION: token}
