"""The context of every tab: storage, settings, and a small cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from truehue.core.cache import LruCache
from truehue.core.color.munsell import MunsellSamples
from truehue.core.engine import Engine
from truehue.core.errors import DataFolderError
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.weights.sources import Sources
from truehue.core.records import MaskRecord
from truehue.storage.makers import IMAGE
from truehue.tabs.page.errors import count_noun, message_of
from truehue.tabs.page.jobs import Jobs
from truehue.tabs.page.limits import Limits, limits_of
from truehue.tabs.page.roles import NOBODY, OWNER, Actor, Role
from truehue.tabs.page.staging import Staging
from truehue.tabs.page.visitors import Visitors

if TYPE_CHECKING:
    from truehue.storage.store import Storage
from truehue.core.analysis.records import RunRecord

ROOT = Path(__file__).resolve().parents[2]
KEPT_BYTES = 512 * 2**20
KEPT_HOURS = 24
KEPT_WORDS = f"Only you see what you add; it is deleted after {KEPT_HOURS} hours without use"
EXAMPLE = "example"
"""The source of the images that the app itself brings."""
UPLOAD = "upload"
"""The source of the images that people bring by hand."""


Service = TypeVar("Service")


@runtime_checkable
class Closing(Protocol):
    """A service with threads to end when the app ends."""

    def close(self) -> None: ...


class Allowance(Protocol):
    """What somebody may still store."""

    def require(self, size_bytes: int = 0, images: int = 0) -> None:
        """Returns where that fits beside what is stored; raises BadInput in words."""

    def left_bytes(self) -> int:
        """How much may still be stored."""


@dataclass(frozen=True)
class Context:
    """What every feature is given; put together by :func:`truehue.tabs.shell.compose.make_context`.

    ``data_label`` is the data folder as the user wrote it. ``local`` says that only people at this
    machine can reach the app: whoever is its owner, or an admin, may name folders of it. ``demo``:
    it is a demonstration, where everybody is a visitor with limits; it is never local. Where it is
    neither, people sign in (:func:`truehue.tabs.page.actor.actor_of`). ``engine`` is the one queue
    for the device: it draws, and calls the tools of :mod:`truehue.core.masks.grounded.tools` by
    their ids. ``staging`` is where files from a browser wait until they are imported, ``jobs`` is
    all long work. ``services`` are the features' own parts that live as long as the app, by their
    type: the prompt sets at hand, the supervisor of runs. ``munsell_file`` is where ``munsell``
    came from, ``runs`` are folders of runs beside the one in the data folder. ``example``: where
    nobody has brought an image yet, one opens by itself. ``allowance``: what may be stored here in
    all, where that is limited.
    """

    storage: Storage
    data_label: str
    engine: Engine = field(repr=False)
    staging: Staging = field(repr=False)
    jobs: Jobs = field(repr=False)
    munsell: MunsellSamples | None = None
    sources: Sources = field(default_factory=Sources.local)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    local: bool = True
    demo: bool = False
    munsell_file: str = ""
    runs: Sequence[Path] = ()
    example: bool = True
    allowance: Allowance | None = None
    services: dict[type, Any] = field(default_factory=dict, repr=False)
    _arrays: LruCache[np.ndarray] = field(
        default_factory=lambda: LruCache(KEPT_BYTES, lambda array: array.nbytes, at_least=1),
        repr=False,
    )
    _masks: LruCache[MaskRecord] = field(default_factory=lambda: LruCache(256), repr=False)

    def service(self, kind: type[Service]) -> Service:
        """The app's one object of a type, such as :class:`truehue.tabs.library.service.Library`.

        So that features need not know each other's parts to be handed on. Raises KeyError for a
        type that :func:`truehue.tabs.shell.compose.make_context` does not put in.
        """
        return self.services[kind]

    def bound(self) -> Context:
        """The context to go on with in another thread: this one, and of a demonstration that of
        the visitor whose request is being answered."""
        return self

    def visit(self, actor: Actor, stays: bool = True) -> AbstractContextManager[None]:
        """In the block that visitor's request is answered; without visitors nothing is to be done.
        One who does not ``stay`` only looks (:class:`truehue.tabs.shell.workspaces.Guest`)."""
        return nullcontext()

    def require_space(self, size_bytes: int = 0, images: int = 0) -> None:
        """Returns where so much more may be stored. Raises BadInput in words."""
        if self.allowance is not None:
            self.allowance.require(size_bytes, images)

    @cached_property
    def visitors(self) -> Visitors:
        """Tells those apart who reach a demonstration."""
        return Visitors(self.storage.data_dir / "visitors.key")

    @property
    def default_actor(self) -> Actor:
        """Who asks where nobody is named: the owner where everybody is, or else anybody."""
        if self.demo:
            return Actor("", Role.VISITOR)
        return OWNER if self.local and not self.storage.accounts.any() else NOBODY

    @property
    def limits(self) -> Limits:
        """How much may be asked for."""
        return limits_of(self.demo)

    @property
    def deletions(self) -> int:
        """How often something was deleted or put back since the start."""
        return self.storage.trash.changes

    def close(self) -> None:
        """Ends all long work and pauses runs; what was stored stays."""
        for service in self.services.values():
            if isinstance(service, Closing):
                service.close()
        self.jobs.close()
        self.engine.close()

    def srgb8(self, image_id: str) -> np.ndarray:
        """uint8 ``(H, W, 3)`` of a stored image, read-only; raises NotStored."""
        return self._array("image", image_id, self.storage.images.srgb8)

    def mask_pixels(self, mask_id: str) -> np.ndarray:
        """bool ``(H, W)`` of a stored mask, read-only; raises NotStored."""
        return self._array("mask", mask_id, self.storage.masks.pixels)

    def save_mask_pixels(self, mask_id: str, pixels: np.ndarray) -> None:
        """Spares :meth:`mask_pixels` to read what was just stored, bool ``(H, W)``."""
        self._array("mask", mask_id, lambda _: pixels)

    def _array(self, kind: str, name: str, read: Callable[[str], np.ndarray]) -> np.ndarray:
        def make() -> np.ndarray:
            array = read(name)
            array.flags.writeable = False
            return array

        return self._arrays.get((kind, name), make)

    def mask_of(self, marks: str, make: Callable[[], MaskRecord]) -> MaskRecord:
        """The mask of an image and its marks, made once: a new color needs no new GrabCut."""
        return self._masks.get(marks, make)

    def forget(self) -> None:
        """Forgets what was read of images and masks: some of them were deleted or put back."""
        self._arrays.clear()
        self._masks.clear()

    def data_text(self) -> str:
        """The data folder and what is in it, for the header; that it is gone, where it is. To a
        visitor it says what becomes of what they add."""
        if self.folder_problem():
            return f"{self.data_label} · gone: nothing is saved"
        if self.demo:
            return KEPT_WORDS
        images, verdicts = self.storage.counts(EXAMPLE)
        # Where a folder lies is the business of those who are at its machine.
        label = self.data_label if self.local else Path(self.data_label).name
        return f"{label} · {count_noun(images, 'image')} · {count_noun(verdicts, 'verdict')}"

    def own_images(self) -> int:
        """How many images are stored, without the examples that the app brings, and for a visitor
        without the samples."""
        if self.demo:
            return self.storage.makers.count(IMAGE)
        counts = self.storage.images.counts()
        return sum(number for source, number in counts.items() if source != EXAMPLE)

    def folder_problem(self) -> str:
        """Why nothing can be stored now, in words; empty where the data folder is as it was."""
        try:
            self.storage.require_installed()
        except DataFolderError as error:
            return message_of(error)
        return ""


def runs_of(context: Context) -> list[RunRecord]:
    """The runs that are shown, newest first."""
    return [run for run in context.storage.runs.all() if not run.hidden]
