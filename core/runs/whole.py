"""Files that are replaced: at their name stands all of the new content or all of the old."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from core.errors import DataFolderError
from core.files import why_of


def replace_file(path: Path, content: bytes) -> None:
    """Writes ``content`` in place of what stood there. Raises DataFolderError."""
    half = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with half.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
        raise DataFolderError(f"{path} cannot be written: {why_of(error)}.") from error
