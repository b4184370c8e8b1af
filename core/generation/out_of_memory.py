"""Telling that memory ran out, whichever library says so."""

from __future__ import annotations

import errno

# Torch on the CPU and on MPS, cuBLAS, the system, and Windows; in lower case.
_SIGNS = (
    "out of memory",
    "not enough memory",
    "can't allocate memory",
    "cannot allocate memory",
    "alloc_failed",
    "invalid buffer size",
    "paging file is too small",
)
_MOST_CAUSES = 10


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of a model, or what it was raised from, means that memory did not suffice.

    Torch's class is known by its name, since torch may not be there; on the CPU and on some
    devices torch raises a plain RuntimeError that only its text tells, and libraries wrap either
    in an error of a broken file.
    """
    seen: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if seen is None:
            return False
        if _says_so(seen):
            return True
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return False


def _says_so(error: BaseException) -> bool:
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & {"OutOfMemoryError", "MemoryError"}:
        return True
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    # SafetensorError: a file that could not be mapped.
    if not names & {"RuntimeError", "OSError", "SafetensorError"}:
        return False
    text = str(error).lower()
    return any(sign in text for sign in _SIGNS)
