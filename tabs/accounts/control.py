"""The socket in the data folder by which a command reaches an app that has the database open.

Only the owner of the folder ``control`` can connect to it. The command sends a line of JSON and
receives a line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import socketserver
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.files import file_problem
from truehue.storage.accounts import Accounts
from truehue.tabs.accounts.administer import administer
from truehue.tabs.feature import AppParts

log = logging.getLogger("truehue")

MAX_BYTES = 2**16
WAIT_S = 10.0
COPY_S = 600.0
COPY_DATABASE = "copy-database"
"""Asks for the database's files in a ``folder``, which is empty, as of one moment."""


def address_in(data: Path) -> Path:
    """Where the socket of a data folder lies."""
    return data / "control" / "accounts.sock"


class Control:
    """Answers what :func:`ask` sends, in a thread of its own, until it is closed."""

    def __init__(
        self, accounts: Accounts, data: Path, copy_database: Callable[[Path], None]
    ) -> None:
        self._accounts, self._path = accounts, address_in(data)
        self._copy_database = copy_database
        self._server: socketserver.BaseServer | None = None

    @classmethod
    def of(cls, parts: AppParts) -> Control:
        """The one of an app."""
        return cls(parts.storage.accounts, parts.storage.data_dir, parts.storage.copy_database)

    def begin(self) -> bool:
        """Whether it listens: some systems have no such sockets, and none has them at a path of
        more than some hundred characters. Accounts then change while the app does not run."""
        if not hasattr(socketserver, "UnixStreamServer"):
            return False
        answer_to = self._answer

        class RequestHandler(socketserver.StreamRequestHandler):
            timeout = WAIT_S

            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    answer = answer_to(self.rfile.readline(MAX_BYTES))
                    self.wfile.write(json.dumps(answer).encode() + b"\n")

        try:
            # Nobody else enters this folder, so nobody comes before the socket has its rights.
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self._path.parent.chmod(0o700)
            self._path.unlink(missing_ok=True)
            self._server = socketserver.UnixStreamServer(str(self._path), RequestHandler)
            self._path.chmod(0o600)
        except OSError as error:
            log.warning("Accounts change only while the app does not run: %s", error.strerror)
            return False
        Thread(target=self._server.serve_forever, name="truehue-control", daemon=True).start()
        return True

    def close(self) -> None:
        """Ends it; closing twice is fine."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._path.unlink(missing_ok=True)
            self._server = None

    def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            fields = json.loads(line)
            if not isinstance(fields, dict):
                raise BadInput("That is no JSON object.")
            if fields.get("do") == COPY_DATABASE:
                return self._copied(Path(str(fields.get("folder"))))
            return administer(self._accounts, fields)
        except TrueHueError as error:
            return {"error": str(error)}
        except ValueError:
            return {"error": "That is no JSON that can be read."}

    def _copied(self, folder: Path) -> dict[str, Any]:
        try:
            if not folder.is_absolute() or any(folder.iterdir()):
                raise BadInput(f"{folder} is no empty folder.")
            self._copy_database(folder)
        except OSError as error:
            raise DataFolderError(f"{folder} cannot be written: {file_problem(error)}.") from error
        return {"words": "The database is copied."}


def ask(data: Path, fields: dict[str, Any], wait_s: float = WAIT_S) -> dict[str, Any] | None:
    """What the app that has this data folder open answers within ``wait_s``; None where it cannot
    be asked.

    Raises BadInput for what it refuses.
    """
    path = address_in(data)
    if not hasattr(socket, "AF_UNIX") or not os.path.exists(path):
        return None
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(wait_s)
            connection.connect(str(path))
            connection.sendall(json.dumps(fields).encode() + b"\n")
            with connection.makefile("rb") as stream:
                line = stream.readline()
        answer: dict[str, Any] = json.loads(line)
    except (OSError, ValueError):
        return None
    if "error" in answer:
        raise BadInput(str(answer["error"]))
    return answer
