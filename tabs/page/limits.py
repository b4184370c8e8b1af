"""Limits of requests: high in a user's own app, lower in a demonstration.

They apply to the whole app and to each visitor. A visitor without the cookie counts as a new one,
so the limits prevent accidental overuse, not intended abuse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock, Semaphore

from truehue.core.errors import BadInput
from truehue.core.images.decode import MAX_PIXELS
from truehue.core.machine import local_gpus, usable_cores
from truehue.tabs.feature import Kind
from truehue.tabs.page.errors import count_noun

MIB = 2**20
FULL = "Too many jobs of visitors are running. Wait a few minutes and try again."


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes of one upload, and numbers of images, jobs and runs.

    ``desk_bytes`` and ``desk_images`` are what one visitor may store in all, ``all_bytes`` what all
    of them may; without a number nothing is counted. ``work`` is what may be under way in all.
    """

    image_bytes: int = 256 * MIB
    prompts_bytes: int = 256 * MIB
    archive_bytes: int = 8 * 1024 * MIB
    staged_bytes: int = 20 * 1024 * MIB
    job_images: int = 100_000
    jobs_of_one: int = 10_000
    jobs: int = 10_000
    run_pictures: int = 10**9
    runs_of_one: int = 10_000
    runs: int = 10_000
    workers: int = 256
    work: int = 10_000
    image_pixels: int = MAX_PIXELS
    desk_bytes: int = 0
    desk_images: int = 0
    all_bytes: int = 0

    def check_job(self, images: int, waiting: list[str], owner: str) -> None:
        """Raises BadInput where a job of that many images cannot join those that wait, which are
        given by their owners."""
        if images > self.job_images:
            raise BadInput(
                f"{count_noun(images, 'image')} are more than one job may have here "
                f"({self.job_images:,}). Choose fewer prompts, models or seeds."
            )
        own_count = waiting.count(owner)
        if own_count >= self.jobs_of_one:
            raise BadInput(
                f"{count_noun(own_count, 'job')} of yours are already waiting or running. Wait until one "
                "ends."
            )
        if len(waiting) >= self.jobs:
            raise BadInput(
                f"{count_noun(len(waiting), 'job')} are already waiting or running. Wait until one ends."
            )

    def check_runs(self, images: list[int], own: int, waiting: int) -> None:
        """Raises BadInput where runs of so many pictures cannot join those that wait, of which
        ``own`` are one's own."""
        if max(images, default=0) > self.run_pictures:
            raise BadInput(
                f"A run has at most {self.run_pictures:,} images here, not "
                f"{max(images):,}. Choose fewer prompts or images."
            )
        if own + len(images) > self.runs_of_one:
            raise BadInput(
                f"At most {count_noun(self.runs_of_one, 'run')} of yours can wait here. Wait until one "
                "has ended, or choose fewer models."
            )
        if waiting + len(images) > self.runs:
            raise BadInput(
                f"At most {self.runs:,} runs can wait here, and {waiting:,} do. Wait until one has "
                "ended, or choose fewer models."
            )


HERE = Limits()


def for_others(gpus: int) -> Limits:
    """The limits where anybody reaches the app: a demonstration, not a cluster."""
    return Limits(
        image_bytes=32 * MIB,
        prompts_bytes=16 * MIB,
        archive_bytes=128 * MIB,
        staged_bytes=200 * MIB,
        job_images=200,
        jobs_of_one=3,
        jobs=30,
        run_pictures=2_000,
        runs_of_one=2,
        runs=8,
        workers=gpus or usable_cores(),
        work=40,
        image_pixels=24_000_000,
        desk_bytes=200 * MIB,
        desk_images=1_000,
        all_bytes=4 * 1024 * MIB,
    )


def limits_of(demo: bool) -> Limits:
    """The limits of a demonstration, or of an app for its own people."""
    return for_others(local_gpus()) if demo else HERE


class ConcurrencyLimits:
    """The limits of an app, or of all workspaces of a demonstration, which share the machine: those
    of each of its ``kinds`` of work, and ``limit``, how much may wait and run in all. For any
    thread."""

    def __init__(self, kinds: Iterable[Kind], limit: int = 10_000) -> None:
        self._kinds = {kind.id: kind for kind in kinds}
        self.semaphores = {kind.id: Semaphore(kind.most) for kind in self._kinds.values()}
        self._most, self._count, self._lock = limit, 0, Lock()

    def kind(self, kind_id: str) -> Kind:
        """The kind of a record; one without a name where its feature is not installed any more."""
        return self._kinds.get(kind_id) or Kind(kind_id, "A job")

    def enter(self) -> None:
        """One more is under way. Raises BadInput where that is too much."""
        with self._lock:
            if self._count >= self._most:
                raise BadInput(FULL)
            self._count += 1

    def leave(self) -> None:
        """One has ended."""
        with self._lock:
            self._count -= 1
