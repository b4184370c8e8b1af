"""What was spent in a folder, written down as it is spent: a kill takes nothing of it back.

Rows tell of requests that came to an end. One that was given up, or sent just before the process
was killed, has none, and was paid for all the same. So each is written down before it is sent, and
the tokens of an answer as it comes. What nobody was told of is not in it: the tokens of an answer
that did not come.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from truehue.core.errors import DataFolderError
from truehue.core.files import why_of

LEDGER = "spent.jsonl"


class Ledger:
    """A file of a folder, a line a request or an answer."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LEDGER

    def total(self) -> tuple[int, int]:
        """Requests and tokens; a line that was torn is a request, which is what comes first."""
        requests = tokens = 0
        for line in self.path.read_bytes().splitlines() if self.path.is_file() else ():
            try:
                entry = json.loads(line)
                more, of_answer = int(entry.get("requests", 0)), int(entry.get("tokens", 0))
            except (ValueError, TypeError, AttributeError):
                more, of_answer = 1, 0
            requests, tokens = requests + more, tokens + of_answer
        return requests, tokens

    def begin(self, requests: int, tokens: int) -> None:
        """Takes over what the rows of a folder say, where there is no such file yet."""
        if not self.path.exists():
            self.add(requests, tokens)

    def add(self, requests: int = 0, tokens: int = 0) -> None:
        """Writes it down, to the disk. Raises DataFolderError."""
        line = json.dumps({"requests": requests, "tokens": tokens}).encode() + b"\n"
        try:
            with self.path.open("ab") as file:
                # After a line that was torn a new one begins.
                file.write(line if _ends_whole(self.path) else b"\n" + line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataFolderError(f"{self.path} cannot be written: {why_of(error)}.") from error


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
