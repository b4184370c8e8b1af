"""Exported files appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from core.errors import DataFolderError
from core.files import why_of

Progress = Callable[[int, int], None]
"""Told now and then how many pictures of how many are done; raises to end the work."""


def quiet(done: int, total: int) -> None:
    """A progress that nobody looks at."""


@contextlib.contextmanager
def whole_file(path: Path | str) -> Iterator[IO[bytes]]:
    """A file to write to that gets its name only when the block ends well.

    Raises DataFolderError when the folder is not there or takes no file.
    """
    path = Path(path)
    half = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with half.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(half, path)
    except OSError as error:
        raise DataFolderError(f"{path} cannot be written: {why_of(error)}.") from error
    finally:
        with contextlib.suppress(OSError):
            half.unlink(missing_ok=True)
