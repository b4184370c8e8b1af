"""Models and memory: their errors, detection of exhausted memory, and unloading of models that wait in
main memory."""

from __future__ import annotations

import errno
from typing import Protocol
from weakref import WeakSet

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.machine import GIB, Machine, Offload, Placement

_offloaded_models: WeakSet[Offloaded] = WeakSet()

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
_MAX_CAUSES = 10
_TRIED: dict[Offload, str] = {
    "none": "",
    "model": ", also with parts waiting in main memory",
    "sequential": ", also with layers moved one by one",
}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error of a model, or what it was raised from, means that memory did not suffice.

    Torch's class is known by its name, since torch may not be there; on the CPU and on some
    devices torch raises a plain RuntimeError that only its text tells, and libraries wrap either
    in an error of a broken file.
    """
    seen: BaseException | None = error
    for _ in range(_MAX_CAUSES):
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


class NotEnoughMemory(TrueHueError, MemoryError):
    """Main memory does not hold a model beside those whose parts wait there."""


class Offloaded(Protocol):
    """A model that may hold weights in main memory."""

    @property
    def ram_bytes(self) -> int:
        """Bytes of weights that wait in main memory; 0 once unloaded."""
        ...


def tried_text(placement: Placement | None) -> str:
    """What a model that is out of memory has given up before, as a part of a sentence."""
    return _TRIED[placement.offload] if placement is not None else ""


def save_count(model: Offloaded) -> None:
    """Counts a model's waiting weights for as long as it holds any."""
    _offloaded_models.add(model)


def waiting_bytes() -> int:
    """Bytes of weights of all models that wait in main memory now."""
    return sum(model.ram_bytes for model in _offloaded_models)


def check_space(name: str, wanted_gib: float, machine: Machine) -> None:
    """Raises NotEnoughMemory where ``wanted_gib`` do not fit beside the weights that wait in main
    memory now, before anything is read: the system would stop the process without a word. The
    engine then unloads the others and asks again.

    Where nothing waits there is nothing to gain, and the model is tried.
    """
    waiting, free = waiting_bytes(), machine.ram_free_bytes
    if waiting and free is not None and wanted_gib * GIB > free:
        raise NotEnoughMemory(
            f"{name} takes {wanted_gib:.1f} GiB of main memory while it is loaded, and "
            f"{free / GIB:.1f} GiB are free beside {waiting / GIB:.1f} GiB of other models. Unload "
            "those first."
        )


class ModelMissing(BadInput):
    """The model's weights are not on this machine."""


class BadModelFolder(BadInput):
    """A folder is no pipeline, is half downloaded, or asks for what is never done (foreign code,
    pickled weights)."""


class DownloadFailed(TrueHueError):
    """The hub could not be reached or refused; what had arrived is kept and used next time."""


class GenerationFailed(TrueHueError):
    """The model ran and what came out is no image."""
