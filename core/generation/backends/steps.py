"""Progress, previews and stopping, after every step of a diffusers pipeline."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

from core.generation.backends.previews import Previewer, unpacked
from core.generation.request import Cancelled, OnStep, StepReport

PREVIEW_EVERY = 4


class StepWatch:
    """Reports one image's steps and raises Cancelled from within the step that follows ``stop``.

    Steps count from ``done`` of ``images`` times the scheduler's.
    """

    def __init__(
        self, pipeline: Any, on_step: OnStep, stop: Event, previewer: Previewer | None,
        size: tuple[int, int], image: int, images: int,
    ) -> None:  # fmt: skip
        self._pipeline = pipeline
        self._on_step = on_step
        self._stop = stop
        self._previewer = previewer
        self._size = size
        self._image, self._images = image, images
        self.count = 0

    def after(self, latents: Any) -> None:
        """To be called after each step with the latents as the pipeline keeps them."""
        if self._stop.is_set():
            raise Cancelled
        self.count += 1
        steps = max(len(self._pipeline.scheduler.timesteps), self.count)
        preview = None
        if self._previewer is not None and self.count % PREVIEW_EVERY == 0:
            latents = unpacked(self._pipeline, latents, *self._size)
            preview = None if latents is None else self._previewer.picture(latents)
        done = self._image * steps + self.count
        self._on_step(StepReport(done, self._images * steps, preview))
        if self._stop.is_set():
            raise Cancelled

    def callback(self, pipeline: Any, index: int, timestep: Any, tensors: dict) -> dict:
        """The same as diffusers' callback_on_step_end."""
        self.after(tensors.get("latents"))
        return {}


@contextmanager
def watching(pipeline: Any, watch: StepWatch, by_callback: bool) -> Iterator[dict[str, Any]]:
    """Yields the arguments that make a call report to ``watch``.

    Pipelines without diffusers' callback_on_step_end (PixArt-α and Σ among ours) are watched by
    their scheduler instead, whose step is wrapped while the call lasts.
    """
    if by_callback:
        yield {"callback_on_step_end": watch.callback}
        return
    scheduler = getattr(pipeline, "scheduler", None)
    if scheduler is None:
        yield {}
        return
    own = scheduler.step

    # wraps: pipelines read the step's signature to know what it takes.
    @functools.wraps(own)
    def step(*args: Any, **kwargs: Any) -> Any:
        out = own(*args, **kwargs)
        watch.after(out[0] if isinstance(out, tuple) else out.prev_sample)
        return out

    scheduler.step = step
    try:
        yield {}
    finally:
        del scheduler.step
