"""A data folder with an empty database: made once in a process, and copied.

The steps that make a database take longer than what most tests do with it. How they are made is
tested in ``tests/storage/database``.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from truehue.storage import Storage


@cache
def _made() -> Path:
    root = Path(tempfile.mkdtemp(prefix="truehue-empty-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    with Storage.open(root / "data"):
        return root / "data"


def empty_data(folder: Path) -> Path:
    """Makes ``folder``, which must not be there, as a data folder in which nothing is stored."""
    return shutil.copytree(_made(), folder)
