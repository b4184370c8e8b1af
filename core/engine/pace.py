"""Estimated time per image: measured seconds of a model at a size, smoothed; and the time left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from truehue.core.generation.request import GenerationRequest

_WEIGHT = 0.3  # of the newest measurement, once there are a few


@dataclass(frozen=True)
class Size:
    """The settings that an image's time depends on; None is the model's own default."""

    model: str
    width: int | None
    height: int | None
    steps: int | None


def size_of(request: GenerationRequest) -> Size:
    """The size of a request, as far as time is concerned."""
    return Size(request.model, request.width, request.height, request.steps)


class Pace:
    """Seconds per image and per step, as measured. The caller holds the lock."""

    def __init__(self) -> None:
        self._image_s: dict[Size, tuple[float, int]] = {}
        self._step_s: dict[tuple[str, int | None, int | None], float] = {}

    def measured(self, size: Size, seconds_per_image: float) -> None:
        """Takes in one measurement. The first of a model tends to be slow (it warms up), so its
        weight falls quickly."""
        before, count = self._image_s.get(size, (seconds_per_image, 0))
        weight = max(_WEIGHT, 1 / (count + 1))
        smooth = before + weight * (seconds_per_image - before)
        self._image_s[size] = (smooth, count + 1)
        if size.steps:
            self._step_s[size.model, size.width, size.height] = smooth / size.steps

    def image_s(self, size: Size) -> float | None:
        """Seconds that one image takes, or None while nobody knows. Another number of steps at
        the same size is reckoned by the step."""
        if size in self._image_s:
            return self._image_s[size][0]
        step_s = self._step_s.get((size.model, size.width, size.height))
        return size.steps * step_s if size.steps and step_s is not None else None

    def total_s(self, counts: Mapping[Size, int]) -> float | None:
        """Seconds that so many images of each size take, or None if one size is unknown."""
        total = 0.0
        for size, count in counts.items():
            seconds = self.image_s(size)
            if seconds is None:
                return None
            total += count * seconds
        return total


class RemainingTime:
    """The time that is left for one job, reckoned again at each event. The caller holds the lock."""

    def __init__(self, requests: Sequence[GenerationRequest], pace: Pace) -> None:
        self._pace = pace
        self._left = Counter(size_of(request) for request in requests)
        self._batch: Counter[Size] = Counter()
        self._batch_began = self._at = time.monotonic()
        self._runs = False
        self._seconds: float | None = None

    def seconds(self) -> float | None:
        """Seconds until the job is drawn, or None while that is not known."""
        if not self._runs:
            return self._pace.total_s(self._left)
        if self._seconds is None:
            return None
        return max(0.0, self._seconds - (time.monotonic() - self._at))

    def begins(self, batch: Sequence[GenerationRequest]) -> None:
        """A batch begins."""
        self._runs = True
        self._batch = Counter(size_of(request) for request in batch)
        self._batch_began = time.monotonic()
        self._reckon(0, 0)

    def stepped(self, step: int, steps: int) -> None:
        """So many steps of the batch are over."""
        self._reckon(step, steps)

    def paused(self, seconds: float) -> None:
        """Record that the last ``seconds`` were spent on other work than generation."""
        self._batch_began += seconds
        self._at += seconds

    def measured(self, batch: Sequence[GenerationRequest], seconds: float) -> None:
        """A batch was drawn in so many seconds."""
        for request in batch:
            self._pace.measured(size_of(request), seconds / len(batch))

    def off(self, request: GenerationRequest) -> None:
        """One request has come to its end."""
        size = size_of(request)
        self._left -= Counter({size: 1})
        self._batch.clear()
        self._reckon(0, 0)

    def _reckon(self, step: int, steps: int) -> None:
        """The batch by its steps, and the rest by what images took before."""
        self._at = time.monotonic()
        spent = self._at - self._batch_began
        batch_s = self._pace.total_s(self._batch)
        rest_s = self._pace.total_s(self._left - self._batch)
        if self._batch and step and steps:
            batch_s = spent * (steps - step) / step
            if rest_s is None:
                rest_s = self._like_this_batch(spent + batch_s)
        elif self._batch and batch_s is not None:
            batch_s = max(0.0, batch_s - spent)
        self._seconds = None if batch_s is None or rest_s is None else batch_s + rest_s

    def _like_this_batch(self, batch_s: float) -> float | None:
        """The rest's time if all of it is of this first batch's size, else None."""
        if len(self._left) != 1 or set(self._left) != set(self._batch):
            return None
        remaining_work, batch = self._left.total(), self._batch.total()
        return (remaining_work - batch) * batch_s / batch
