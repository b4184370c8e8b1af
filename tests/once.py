"""Folders that are made once for all processes of a run of tests."""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _root() -> Path:
    """One folder for all processes of a run; the last that ends removes it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"alone-{os.getpid()}")
    root = Path(tempfile.gettempdir()) / f"truehue-once-{run}"
    root.mkdir(exist_ok=True)
    users = (root / "users").open("w")
    fcntl.flock(users, fcntl.LOCK_SH)

    def leave() -> None:
        with users, suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(root, ignore_errors=True)

    atexit.register(leave)
    return root


def once(key: tuple[Any, ...], make: Callable[[Path], object]) -> Path:
    """The folder that ``make`` filled, not to be changed. Whoever asks first by this key makes it,
    and others wait."""
    name = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    folder = _root() / name
    with (_root() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = _root() / f"{name}.making"
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            make(making)
            making.rename(folder)
    return folder
