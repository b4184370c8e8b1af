"""Locks that are released when their process ends, for any reason."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from truehue.core.errors import DataFolderError, TrueHueError
from truehue.core.files import file_problem


class InUse(TrueHueError):
    """Another process holds the lock."""


@contextmanager
def hold_lock(
    path: Path, message: str, *, shared: bool = False, wait_s: float = 0.0
) -> Iterator[None]:
    """Holds the lock of a file. Raises InUse with ``message`` when it cannot be had in time, and
    DataFolderError on a file system that has no locks."""
    with _locked(_opened(path), path, message, shared, wait_s):
        yield


def is_free(path: Path) -> bool:
    """Whether nobody holds the lock. Reading is enough for that: the folder may be another's.

    Raises DataFolderError where it cannot even be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise _unopened(path, error) from error
    try:
        with _locked(descriptor, path, "", True, 0.0):
            return True
    except InUse:
        return False


@contextmanager
def _locked(
    descriptor: int, path: Path, message: str, shared: bool, wait_s: float
) -> Iterator[None]:
    """Holds the lock of an open file, and closes it."""
    try:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        until = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise InUse(message) from None
                time.sleep(0.05)
            except OSError as error:
                raise DataFolderError(
                    f"{path} cannot be locked: {file_problem(error)}. Put it on a file system with "
                    "locks; a network folder may have to be mounted with them."
                ) from error
        yield
    finally:
        os.close(descriptor)


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _unopened(path, error) from error


def _unopened(path: Path, error: OSError) -> DataFolderError:
    return DataFolderError(f"{path} cannot be opened: {file_problem(error)}.")
