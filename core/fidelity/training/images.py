"""The pictures of groups at the size at which CFM reads them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from truehue.core.errors import ImageError
from truehue.core.fidelity.cfm.scorer import as_read
from truehue.core.fidelity.groups import Group
from truehue.core.images.load import load_image

KEPT_BYTES = 512 * 2**20
"""Of pictures that are held: a small set is read from its files once."""
_READERS = 4


class ImageReader:
    """Reads pictures in threads, ahead of who needs them; close it at the end."""

    def __init__(self, area_px: int) -> None:
        self._area_px = area_px
        self._readers = ThreadPoolExecutor(_READERS, "pictures")
        self._saved: OrderedDict[Path, np.ndarray] = OrderedDict()
        self._bytes = 0
        self._ahead: dict[Path, Future[np.ndarray]] = {}

    def prepare(self, groups: Sequence[Group]) -> None:
        """Begins to read what will be needed next."""
        for path in dict.fromkeys(path for group in groups for path in group.files):
            if path not in self._saved and path not in self._ahead:
                self._ahead[path] = self._readers.submit(self._read, path)

    def of(self, group: Group) -> list[np.ndarray]:
        """The photograph, then the images: uint8 ``(H, W, 3)`` of the area that CFM reads. Raises
        ImageError for a file that is no image."""
        return [self._of(path) for path in group.files]

    def _of(self, path: Path) -> np.ndarray:
        if path in self._saved:
            self._saved.move_to_end(path)
            return self._saved[path]
        ahead = self._ahead.pop(path, None)
        stored = self._read(path) if ahead is None else ahead.result()
        self._saved[path] = stored
        self._bytes += stored.nbytes
        while self._bytes > KEPT_BYTES and len(self._saved) > 1:
            self._bytes -= self._saved.popitem(last=False)[1].nbytes
        return stored

    def _read(self, path: Path) -> np.ndarray:
        try:
            return as_read(load_image(path).srgb8, self._area_px)
        except ImageError as error:
            raise ImageError(f"{path}: {error}") from None

    def close(self) -> None:
        """Ends the threads."""
        self._readers.shutdown(wait=True, cancel_futures=True)
