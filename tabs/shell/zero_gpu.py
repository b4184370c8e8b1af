"""Generation and detection on ZeroGPU, the devices that Hugging Face lends to Spaces for seconds.

On ZeroGPU the process of the app has no device. A function decorated with ``spaces.GPU`` runs in a
process of its own, which has a device for a while: arguments and results are sent, and models stay
there until it ends. So the engine holds proxies of models, which forward each request and each
call. Other machines do not use this module.

Not run on ZeroGPU: tested with a process of its own that gets and gives everything pickled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Event
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import model
from truehue.core.generation.request import Cancelled, GeneratedImage, GenerationRequest, OnStep
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded.tools import entry_of, open_tool

DRAW_S, FIND_S = 120, 60
"""How long a device is asked for, in seconds; a visitor's share of the day is counted by it."""
NO_DEVICE_KINDS = ("renderer", "served")
TRY_AGAIN = "Try again, or use the reference renderer, which needs no device."

Decorate = Callable[..., Callable[[Callable[..., Any]], Callable[..., Any]]]


@dataclass(frozen=True)
class Answer:
    """What came of work in the other process: errors come as words, as what they are there may not
    be sent."""

    value: Any = None
    problem: str = ""
    refused: bool = False


@dataclass(frozen=True)
class RemoteImage:
    """An image that a segmenter is asked about; its embedding stays in the other process."""

    srgb8: np.ndarray
    name: str
    autocast: bool = False


def decorator() -> Decorate | None:
    """``spaces.GPU`` in a Space with ZeroGPU, else None."""
    if os.environ.get("SPACES_ZERO_GPU", "").lower() not in ("1", "t", "true"):
        return None
    try:
        decorate: Decorate = import_module("spaces").GPU
    except ImportError:
        return None
    return decorate


def report_ready() -> None:
    """Tells ZeroGPU that the app has started, as Gradio's ``launch`` would, which is not called."""
    if decorator() is None:
        return
    startup = getattr(import_module("spaces.zero"), "startup", None)
    if startup is not None:
        startup()


_HELD: dict[tuple[str, str], Any] = {}
"""In the process that has a device: the model that was used last."""


def _held(kind: str, id: str, sources: Sources) -> Any:
    if (kind, id) not in _HELD:
        for other in list(_HELD):
            _HELD.pop(other).unload()
        opened = open_model if kind == "model" else open_tool
        _HELD[kind, id] = opened(id, sources)
    return _HELD[kind, id]


def _answer(work: Callable[[], Any]) -> Answer:
    try:
        return Answer(work())
    except BadInput as error:
        return Answer(problem=str(error), refused=True)
    except TrueHueError as error:
        return Answer(problem=str(error))
    except Exception as error:
        return Answer(problem=f"The model failed ({type(error).__name__}: {error!s:.300}).")


def generate_remotely(id: str, sources: Sources, requests: Sequence[GenerationRequest]) -> Answer:
    """Draws in the process that has a device."""

    def work() -> list[GeneratedImage]:
        generated_images: list[GeneratedImage] = _held("model", id, sources).draw(
            requests, lambda report: None, Event()
        )
        return generated_images

    return _answer(work)


def answer_remotely(id: str, sources: Sources, method: str, values: tuple[Any, ...]) -> Answer:
    """Asks a detector, segmenter or presence model in the process that has a device."""

    def work() -> Any:
        tool = _held("tool", id, sources)
        if method == "about":
            return dict(getattr(tool, "about", {}))
        first, *rest = values
        if isinstance(first, RemoteImage):
            first = tool.embed(first.srgb8, first.name, first.autocast)
        return getattr(tool, method)(first, *rest)

    return _answer(work)


def _value(send: Callable[[], Answer]) -> Any:
    try:
        answer = send()
    except Exception as error:  # of ZeroGPU: no device now, or the share of the day is used up
        text = str(error) or type(error).__name__
        raise TrueHueError(f"No device could be had: {text[:300].rstrip('.')}. {TRY_AGAIN}") from (
            None
        )
    if answer.problem:
        raise (BadInput if answer.refused else TrueHueError)(answer.problem)
    return answer.value


@dataclass
class RemoteModel:
    """A model that draws on ZeroGPU; as :class:`truehue.core.generation.request.LoadedModel`."""

    id: str
    sources: Sources
    send: Callable[..., Answer]
    memory_bytes: int = 0
    batch_size: int = 1

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        """Draws there; it tells no steps, and ends a drawing that was cancelled when it is done."""
        if stop.is_set():
            raise Cancelled
        generated_images: list[GeneratedImage] = _value(
            lambda: self.send(self.id, self.sources, list(requests))
        )
        if stop.is_set():
            raise Cancelled
        return generated_images

    def unload(self) -> None:
        """Nothing is held here."""


@dataclass
class RemoteTool:
    """A detector, segmenter or presence model that answers on ZeroGPU; as in
    :mod:`truehue.core.masks.grounded.records`."""

    tool_id: str
    sources: Sources
    send: Callable[..., Answer]
    memory_bytes: int = 0

    @property
    def id(self) -> str:
        """The model's id."""
        return entry_of(self.tool_id).id

    @property
    def about(self) -> dict[str, Any]:
        """What tells its weights from others."""
        return dict(self._ask("about"))

    def unload(self) -> None:
        """Nothing is held here."""

    def embed(self, srgb8: np.ndarray, name: str = "", autocast: bool = False) -> RemoteImage:
        """The image itself: it is embedded there, with the first question."""
        return RemoteImage(srgb8, name, autocast)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method not in ("detect", "from_boxes", "from_points", "ask"):
            raise AttributeError(method)
        return lambda *values: self._ask(method, *values)

    def _ask(self, method: str, *values: Any) -> Any:
        return _value(lambda: self.send(self.tool_id, self.sources, method, values))


def remote_openers(
    near: Callable[[str], Any], sources: Sources
) -> tuple[Callable[[str], Any], Callable[[str], Any]] | None:
    """What opens models and tools where a Space has ZeroGPU; None elsewhere. ``near`` opens those
    that need no device."""
    gpu = decorator()
    if gpu is None:
        return None
    draw, ask = gpu(duration=DRAW_S)(generate_remotely), gpu(duration=FIND_S)(answer_remotely)

    def opened(id: str) -> Any:
        return near(id) if model(id).kind in NO_DEVICE_KINDS else RemoteModel(id, sources, draw)

    return opened, lambda tool: RemoteTool(tool, sources, ask)
