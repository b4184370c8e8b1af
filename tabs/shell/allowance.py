"""The storage allowance of a visitor of a demonstration."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from truehue.core.errors import BadInput
from truehue.tabs.batches.messages import bytes_text
from truehue.tabs.page.context import KEPT_HOURS
from truehue.tabs.page.limits import Limits

if TYPE_CHECKING:
    from truehue.storage.store import Storage

LOOK_S = 1.0
"""What lies on a desk is counted this often at most."""
IMAGES = "images"
"""The folder of a data folder whose files are its images."""


@dataclass(frozen=True)
class Amount:
    """Bytes on the disk, and images among them."""

    size_bytes: int = 0
    images: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.size_bytes + other.size_bytes, self.images + other.images)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(
            max(self.size_bytes - other.size_bytes, 0), max(self.images - other.images, 0)
        )


class AllVisitors(Protocol):
    """What all visitors have stored."""

    def stored_by_others(self, visitor: str) -> int:
        """Bytes of all but one."""

    def tell(self, visitor: str, stored: Amount) -> None:
        """Keeps in mind what somebody has stored."""

    def free_space(self) -> bool:
        """Takes away what nobody has used for a while; whether something went."""


class WorkspaceAllowance:
    """What one visitor may still store; a :class:`truehue.tabs.page.context.Allowance`. ``amount``
    lay there at the beginning. For any thread."""

    def __init__(
        self, all_visitors: AllVisitors, storage: Storage, amount: Amount, limits: Limits
    ) -> None:
        self._crowd, self._storage = all_visitors, storage
        self._visitor = storage.data_dir.name
        self._given, self._limits = amount, limits
        self._stored, self._looked_at = Amount(), -LOOK_S
        self._lock = Lock()

    def require(self, size_bytes: int = 0, images: int = 0) -> None:
        """Returns where that fits, and counts it as stored until it is looked at again. Raises
        BadInput in words."""
        wanted = Amount(max(size_bytes, 1), images)
        with self._lock:
            problem = self._problem(self._now() + wanted)
            if problem and self._empty_trash():
                problem = self._problem(self._now(again=True) + wanted)
            if problem:
                raise BadInput(problem)
            self._require_place(self._stored.size_bytes + size_bytes)
            self._stored += wanted

    def left_bytes(self) -> int:
        """How much may still be stored."""
        with self._lock:
            stored = self._now().size_bytes
        everybody = self._crowd.stored_by_others(self._visitor) + stored
        limits = self._limits
        return max(min(limits.desk_bytes - stored, limits.all_bytes - everybody), 0)

    def _problem(self, then: Amount) -> str:
        limits = self._limits
        advice = (
            f"Delete some of your images; everything you added is deleted {KEPT_HOURS} hours "
            "after its last use. Or run TrueHue on your own machine."
        )
        if then.size_bytes > limits.desk_bytes:
            limit_text, stored = (
                bytes_text(limits.desk_bytes),
                bytes_text(self._stored.size_bytes),
            )
            return (
                f"A visitor may store {limit_text} here. {stored} are stored, and this would exceed the "
                "limit. " + advice
            )
        if then.images > limits.desk_images:
            return (
                f"A visitor may store {limits.desk_images:,} images here. {self._stored.images:,} "
                f"are stored, and this would exceed the limit. {advice}"
            )
        return ""

    def _require_place(self, size_bytes: int) -> None:
        while self._crowd.stored_by_others(self._visitor) + size_bytes > self._limits.all_bytes:
            if not self._crowd.free_space():
                raise BadInput(
                    "The storage for visitors is full. Unused data is deleted automatically: "
                    "try again in an hour."
                )

    def _now(self, again: bool = False) -> Amount:
        now = time.monotonic()
        if again or now - self._looked_at >= LOOK_S:
            self._looked_at = now
            self._stored = stored_below(self._storage.data_dir) - self._given
            self._crowd.tell(self._visitor, self._stored)
        return self._stored

    def _empty_trash(self) -> int:
        """What was deleted is put back by nobody who has no room."""
        records = self._storage.trash.all()
        for record in records:
            self._storage.trash.purge(record.trash_id)
        return len(records)


def stored_below(folder: Path) -> Amount:
    """What lies below a data folder: a file with two names is counted once."""
    seen: set[tuple[int, int]] = set()
    size_bytes = images = 0
    for root, _, names in os.walk(folder):
        of_images = os.path.relpath(root, folder).split(os.sep)[0] == IMAGES
        for name in names:
            try:
                stat = os.stat(os.path.join(root, name), follow_symlinks=False)
            except OSError:  # taken away meanwhile
                continue
            images += of_images
            if (stat.st_dev, stat.st_ino) not in seen:
                seen.add((stat.st_dev, stat.st_ino))
                size_bytes += stat.st_size
    return Amount(size_bytes, images)
