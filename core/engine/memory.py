"""The models in memory: opened when first wanted, kept, and the longest unused given up first."""

from __future__ import annotations

import gc
import logging
import sys
from collections import OrderedDict
from collections.abc import Callable

from core.engine.board import Board
from core.generation.out_of_memory import is_out_of_memory
from core.generation.request import LoadedModel

log = logging.getLogger("truehue.engine")

MemoryLimit = int | Callable[[], int] | None


def tidy() -> None:
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
    """Opens and gives up models. All but :meth:`loaded` and :meth:`ask_unload` are called by the
    engine's one thread only."""

    def __init__(
        self,
        open_model: Callable[[str], LoadedModel],
        memory_wanted: Callable[[str], int],
        limit: MemoryLimit,
        board: Board,
    ) -> None:
        self._open, self._wanted, self._limit, self._board = open_model, memory_wanted, limit, board
        # In order of use, the last used at the end, with the bytes it holds.
        self._loaded: OrderedDict[str, tuple[LoadedModel, int]] = OrderedDict()
        self._unwanted: set[str] = set()

    def loaded(self) -> tuple[tuple[str, int], ...]:
        """Ids and bytes, the last used first."""
        with self._board.lock:
            return tuple((name, held) for name, (_, held) in reversed(self._loaded.items()))

    def ask_unload(self, model_id: str) -> None:
        """Has a model unloaded as soon as nothing is drawn with it."""
        with self._board.change():
            if model_id in self._loaded:
                self._unwanted.add(model_id)

    @property
    def something_unwanted(self) -> bool:
        return bool(self._unwanted)

    def obey(self, in_use: str = "") -> None:
        """Unloads what was asked for, but for the model in use."""
        with self._board.lock:
            wanted = [name for name in self._unwanted if name != in_use]
            self._unwanted.difference_update(wanted)
        for name in wanted:
            self.unload(name)

    def is_loaded(self, model_id: str) -> bool:
        return model_id in self._loaded

    def get(self, model_id: str) -> LoadedModel:
        """The model, ready to draw. Others are unloaded where the memory limit wants it, and once
        more if it then still runs out of memory. Raises what opening it raises."""
        if model_id in self._loaded:
            with self._board.lock:
                self._loaded.move_to_end(model_id)
            return self._loaded[model_id][0]
        self._make_room(self._wanted(model_id))
        try:
            model = self._open(model_id)
        except BaseException as error:
            if not (is_out_of_memory(error) and self._loaded):
                raise
            log.warning("%s ran out of memory while loading; unloading the others", model_id)
            model = None
        if model is None:  # outside of the handler, whose traceback would hold the memory
            self.unload_others(model_id)
            model = self._open(model_id)
        with self._board.change():
            self._loaded[model_id] = (model, model.memory_bytes)
        self._make_room(0, keep=model_id)
        return model

    def weigh(self, model_id: str) -> None:
        """Asks a loaded model anew what it holds: drawing may have changed it. One that cannot
        tell is taken to hold what it held."""
        if model_id in self._loaded:
            model = self._loaded[model_id][0]
            try:
                held = model.memory_bytes
            except BaseException:  # a model is foreign code: it may raise anything
                log.exception("%s does not tell what memory it holds", model_id)
                return
            with self._board.change():
                self._loaded[model_id] = (model, held)

    def unload(self, model_id: str) -> None:
        """Gives up one model; nothing happens if it is not loaded."""
        with self._board.change():
            model, _ = self._loaded.pop(model_id, (None, 0))
            self._unwanted.discard(model_id)
        if model is not None:
            try:
                model.unload()
            except BaseException:  # a model that breaks on leaving must not take the engine along
                log.exception("%s could not be unloaded in order", model_id)
            del model
            tidy()

    def unload_others(self, keep: str) -> bool:
        """Gives up all models but one; False if there was no other."""
        others = [name for name in self._loaded if name != keep]
        for name in others:
            self.unload(name)
        return bool(others)

    def unload_all(self) -> None:
        self.unload_others("")

    def _make_room(self, wanted: int, keep: str = "") -> None:
        """Unloads the longest unused until ``wanted`` more bytes fit beside the rest."""
        limit = self._limit() if callable(self._limit) else self._limit
        if limit is None:
            return
        for name in list(self._loaded):
            if wanted + sum(held for _, held in self._loaded.values()) <= limit:
                return
            if name != keep:
                self.unload(name)
