"""Models in memory: opened on first use, cached, least recently used closed first."""

from __future__ import annotations

import gc
import logging
import sys
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, cast

from truehue.core.engine.records import ChangeSignal
from truehue.core.generation.memory import is_out_of_memory
from truehue.core.generation.request import LoadedModel

log = logging.getLogger("truehue.engine")

MemoryLimit = int | Callable[[], int] | None


class Held(Protocol):
    """The common interface of generators and tools."""

    @property
    def memory_bytes(self) -> int:
        """The bytes that it holds on its device."""
        ...

    def unload(self) -> None:
        """Gives its memory back."""
        ...


class Key(NamedTuple):
    """The key of a model in memory: Janus may be loaded as a generator and as a tool."""

    kind: Literal["model", "tool"]
    id: str


@dataclass(frozen=True)
class Opener:
    """``open`` gives what stands behind an id, ``wanted`` the bytes that it is expected to hold."""

    open: Callable[[str], Held]
    wanted: Callable[[str], int]


def release_device_memory() -> None:
    """Hands freed memory back to the device, where torch is in use."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is None:
        return
    try:
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        elif torch.backends.mps.is_available():
            torch.mps.empty_cache()
    except RuntimeError:  # a device that has failed refuses this too
        log.exception("The device's memory could not be tidied")


class Models:
    """Opens and gives up models and tools. All but :meth:`loaded` and :meth:`ask_unload` are
    called by the engine's one thread only."""

    def __init__(
        self, openers: Mapping[str, Opener], limit: MemoryLimit, board: ChangeSignal
    ) -> None:
        """``openers`` by kind."""
        self._openers, self._limit, self._board = openers, limit, board
        # In order of use, the last used at the end, with the bytes it holds.
        self._loaded: OrderedDict[Key, tuple[Held, int]] = OrderedDict()
        self._unwanted: set[Key] = set()

    def loaded(self) -> tuple[tuple[str, int], ...]:
        """Ids and bytes, the last used first."""
        with self._board.lock:
            return tuple((key.id, held) for key, (_, held) in reversed(self._loaded.items()))

    def ask_unload(self, model_id: str) -> None:
        """Has all of that id unloaded as soon as nothing is done with it."""
        with self._board.change():
            self._unwanted.update(key for key in self._loaded if key.id == model_id)

    @property
    def has_unload_requests(self) -> bool:
        return bool(self._unwanted)

    def unload_requested(self, in_use: Collection[Key] = ()) -> None:
        """Unloads what was asked for, but for what is in use."""
        with self._board.lock:
            keys = [key for key in self._unwanted if key not in in_use]
            self._unwanted.difference_update(keys)
        for key in keys:
            self.unload(key)

    def is_loaded(self, key: Key) -> bool:
        return key in self._loaded

    def fits(self, key: Key, keys: Collection[Key]) -> bool:
        """Whether it is in memory, or the limit has room for it and for those ``beside`` it.
        Raises what asking for its size raises."""
        limit = self._limit_bytes()
        if key in self._loaded or limit is None:
            return True
        beside_bytes = sum(held for other, (_, held) in self._loaded.items() if other in keys)
        return beside_bytes + self._openers[key.kind].wanted(key.id) <= limit

    def model(self, model_id: str) -> LoadedModel:
        """The model, ready to draw; see :meth:`get`."""
        return cast(LoadedModel, self.get(Key("model", model_id)))

    def get(self, key: Key, keys: Collection[Key] = ()) -> Any:
        """The model or tool, in memory. Others are unloaded where the memory limit wants it, and
        once more if it then still runs out of memory, but never those ``beside`` it. Raises what
        opening it raises."""
        if key in self._loaded:
            with self._board.lock:
                self._loaded.move_to_end(key)
            return self._loaded[key][0]
        opener, keep = self._openers[key.kind], {key, *keys}
        self._free_space(opener.wanted(key.id), keep)
        model: Held | None = None
        try:
            model = opener.open(key.id)
        except BaseException as error:
            if not (is_out_of_memory(error) and self._others(keep)):
                raise
            log.warning("%s ran out of memory while loading; unloading the others", key.id)
        if model is None:  # outside of the handler, whose traceback would hold the memory
            self.unload_others(keep)
            model = opener.open(key.id)
        with self._board.change():
            self._loaded[key] = (model, model.memory_bytes)
        self._free_space(0, keep)
        return model

    def weigh(self, key: Key) -> None:
        """Asks what is loaded again what it holds: its work may have changed it. What cannot tell
        is taken to hold what it held."""
        if key in self._loaded:
            model = self._loaded[key][0]
            try:
                held = model.memory_bytes
            except BaseException:  # a model is foreign code: it may raise anything
                log.exception("%s does not tell what memory it holds", key.id)
                return
            with self._board.change():
                self._loaded[key] = (model, held)

    def make_room(self, key: Key) -> bool:
        """Has a loaded model lay itself out in less of its device's memory, after that ran out;
        False where it cannot."""
        make_room = getattr(self._loaded[key][0], "make_room", None)
        try:
            less = make_room is not None and bool(make_room())
        except BaseException:  # a model is foreign code: it may raise anything
            log.exception("%s could not be laid out in less memory", key.id)
            return False
        if less:
            release_device_memory()
            self.weigh(key)
        return less

    def unload(self, key: Key) -> None:
        """Gives up one; nothing happens if it is not loaded."""
        with self._board.change():
            model, _ = self._loaded.pop(key, (None, 0))
            self._unwanted.discard(key)
        if model is not None:
            try:
                model.unload()
            except BaseException:  # a model that breaks on leaving must not take the engine along
                log.exception("%s could not be unloaded in order", key.id)
            del model
            release_device_memory()

    def unload_others(self, keep: Collection[Key]) -> bool:
        """Gives up all but those to keep; False if there was no other."""
        others = self._others(keep)
        for key in others:
            self.unload(key)
        return bool(others)

    def unload_all(self) -> None:
        self.unload_others(())

    def _others(self, keep: Collection[Key]) -> list[Key]:
        return [key for key in self._loaded if key not in keep]

    def _limit_bytes(self) -> int | None:
        return self._limit() if callable(self._limit) else self._limit

    def _free_space(self, need_bytes: int, keep: Collection[Key]) -> None:
        """Unloads the longest unused until ``need_bytes`` more bytes fit beside the rest."""
        limit = self._limit_bytes()
        if limit is None:
            return
        for key in list(self._loaded):
            if need_bytes + sum(held for _, held in self._loaded.values()) <= limit:
                return
            if key not in keep:
                self.unload(key)
