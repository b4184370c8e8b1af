"""Passwords: their requirements, and hashes of them by argon2id."""

from __future__ import annotations

import logging
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING

from truehue.core.errors import BadInput

if TYPE_CHECKING:
    from argon2 import PasswordHasher

log = logging.getLogger("truehue")

MIN_CHARACTERS, MAX_CHARACTERS = 10, 1_000
# Of a password that nobody knows, with the parameters of today. Who has no account waits for it, so
# that the time of an answer does not say which names there are.
NOBODYS_HASH = (
    "$argon2id$v=19$m=65536,t=3,p=1$12BdU9eQfGHN3894FVow4g$"
    "66a9Tu4LuFM+ncZECCcN3TX8fyjE7vrcDjdOiulKspw"
)


def checked(password: str) -> str:
    """A new password; raises BadInput where it is too short or too long to be one."""
    if len(password) < MIN_CHARACTERS:
        raise BadInput(
            f"A password has at least {MIN_CHARACTERS} characters. Three or four words that do "
            "not belong together are easy to keep in mind.",
            "password",
        )
    if len(password) > MAX_CHARACTERS:
        raise BadInput(f"A password has at most {MAX_CHARACTERS:,} characters.", "password")
    return password


class Passwords:
    """Hashes passwords and checks them; for any thread. One takes some 0.2 s and 64 MiB, so callers
    see to it that few are worked on at a time."""

    @cached_property
    def _hasher(self) -> PasswordHasher:
        from argon2 import PasswordHasher

        # RFC 9106's second choice, but in one thread: with its four, two checks would keep eight
        # threads from those who work.
        return PasswordHasher(time_cost=3, memory_cost=64 * 1024, parallelism=1)

    def hash_of(self, password: str) -> str:
        """The hash to store, with its parameters and salt in it."""
        return self._hasher.hash(_composed(password))

    def is_right(self, password_hash: str | None, password: str) -> bool:
        """Whether it is the password of a hash; with None never, after the same time."""
        from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

        try:
            self._hasher.verify(password_hash or NOBODYS_HASH, _composed(password))
        except VerifyMismatchError:
            return False
        except (InvalidHashError, VerificationError):
            log.error("The stored hash of a password cannot be read: set a new password.")
            return False
        return password_hash is not None

    def is_dated(self, password_hash: str) -> bool:
        """Whether it was made with other parameters than those of today."""
        return self._hasher.check_needs_rehash(password_hash)


def _composed(password: str) -> str:
    """One keyboard sends ä as one character, another as two."""
    return unicodedata.normalize("NFC", password[:MAX_CHARACTERS])
