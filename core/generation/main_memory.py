"""Main memory: models whose parts wait there make room before another one is read into it."""

from __future__ import annotations

from typing import Protocol
from weakref import WeakSet

from core.errors import TrueHueError
from core.machine import GIB, Machine


class NotEnoughMemory(TrueHueError, MemoryError):
    """Main memory does not hold a model beside those whose parts wait there."""


class Offloaded(Protocol):
    """A model that may hold weights in main memory."""

    @property
    def ram_bytes(self) -> int:
        """Bytes of weights that wait in main memory; 0 once unloaded."""
        ...


_kept: WeakSet[Offloaded] = WeakSet()


def keep_count(model: Offloaded) -> None:
    """Counts a model's waiting weights for as long as it holds any."""
    _kept.add(model)


def waiting_bytes() -> int:
    """Bytes of weights of all models that wait in main memory now."""
    return sum(model.ram_bytes for model in _kept)


def check_room(name: str, wanted_gib: float, at: Machine) -> None:
    """Raises NotEnoughMemory where ``wanted_gib`` do not fit beside the weights that wait in main
    memory now, before anything is read: the system would stop the process without a word. The
    engine then unloads the others and asks again.

    Where nothing waits there is nothing to gain, and the model is tried.
    """
    waiting, free = waiting_bytes(), at.ram_free_bytes
    if waiting and free is not None and wanted_gib * GIB > free:
        raise NotEnoughMemory(
            f"{name} takes {wanted_gib:.1f} GiB of main memory while it is loaded, and "
            f"{free / GIB:.1f} GiB are free beside {waiting / GIB:.1f} GiB of other models. Unload "
            "those first."
        )
