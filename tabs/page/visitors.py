"""Ids of visitors, signed by the app so that nobody can use another visitor's id."""

from __future__ import annotations

import contextlib
import hmac
import os
import re
import secrets
from pathlib import Path
from threading import Lock

_COOKIE = re.compile("([0-9a-f]{32})[.]([0-9a-f]{64})")


class Visitors:
    """Signs and checks visitors' ids with a key that lies in ``file``, made when first needed.

    For any thread.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._key = b""
        self._lock = Lock()

    def signed(self, visitor: str) -> str:
        """The cookie of a visitor."""
        return f"{visitor}.{self.signature(visitor)}"

    def id_of(self, cookie: str) -> str:
        """The visitor of a cookie; empty for what was not signed here."""
        parts = _COOKIE.fullmatch(cookie)
        if parts is None or not hmac.compare_digest(parts[2], self.signature(parts[1])):
            return ""
        return parts[1]

    def signature(self, visitor: str) -> str:
        """64 hex digits that nobody can tell of a text without the key."""
        return hmac.digest(self._known_key(), visitor.encode(), "sha256").hex()

    def _known_key(self) -> bytes:
        with self._lock:
            if not self._key:
                # Without a file that can be written, visitors are told apart until the app ends.
                with contextlib.suppress(OSError):
                    self._key = _key_in(self._file)
                self._key = self._key or secrets.token_bytes(32)
            return self._key


def _key_in(file: Path) -> bytes:
    """The key in a file that its owner alone can read."""
    with contextlib.suppress(FileNotFoundError):
        if len(key := file.read_bytes()) == 32:
            return key
    key = secrets.token_bytes(32)
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(opened, "wb") as stream:
        stream.write(key)
    return key
