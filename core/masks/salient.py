"""The salient object of an image by U²-Net small, without a selection: a proposal for people.

The network (Qin and others 2020, doi:10.1016/j.patcog.2020.107404) gives every pixel a probability
of belonging to what stands out. OpenCV runs it. Its probabilities are kept as they come: stretched
to 0 to 1, as other tools do, they could not say that nothing stands out. Here a photograph with an
object has a largest probability above 0.99, and grass one of 0.14.

The weights are one file, which is not part of the project: ``assets/models/u2netp/README.md``.
"""

from __future__ import annotations

import functools
import os
from base64 import b64encode
from dataclasses import dataclass
from html import escape
from pathlib import Path
from threading import Lock
from typing import Any

import cv2
import numpy as np

from truehue.core.cache import LruCache
from truehue.core.errors import MaskError, TrueHueError
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.weights.carried import OPENCV_BYTES, U2NETP
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grabcut import refine_edge
from truehue.core.masks.marks import NOTHING_STANDS_OUT, SALIENT_VERSION

VERSION = SALIENT_VERSION
SIDE_PX = 320
_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)
_OUTPUT = "1959"
"""The finest of seven maps of the network, after its sigmoid."""
THRESHOLD = 0.5
MIN_COVER_PERCENT = 1.0
MAX_UNSURE_PERCENT = 40.0
_UNSURE = (0.1, 0.9)
BOX_MARGIN = 0.12
"""How much of its sides a box is widened by before the network sees it."""
MIN_BOX_EXTENT = 0.5
"""Of both sides of a box: what reaches less far is a detail, not the object that was boxed."""

CHECK_EDGE = "Check the edge: the network is unsure of it."
WITHOUT = "Without it, draw a box around the object; the rest works the same."

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class SalientObject:
    """What stands out, and how sure the network is.

    ``pixels`` bool ``(H, W)``: those with a probability above 0.5, the edge refined at full size;
    all False where nothing stands out. ``max_probability`` 0 to 1. ``cover_percent`` is the share
    of the image, or of the widened box, above 0.5. ``unsure_percent`` has the pixels between 0.1
    and 0.9 in percent of those above 0.5, and may pass 100.
    """

    pixels: np.ndarray
    max_probability: float
    cover_percent: float
    unsure_percent: float

    @property
    def stands_out(self) -> bool:
        """Whether there is an object at all."""
        return bool(self.pixels.any())

    @property
    def note(self) -> str:
        """The sentence for people where they should look; empty where the network is sure."""
        if not self.stands_out:
            return NOTHING_STANDS_OUT
        return CHECK_EDGE if self.unsure_percent > MAX_UNSURE_PERCENT else ""

    @property
    def parameters(self) -> dict[str, Any]:
        """What made the mask, as plain JSON."""
        return {
            "version": VERSION,
            "weights": f"{U2NETP.id} sha256:{U2NETP.files[U2NETP.file]}",
            "opencv": cv2.__version__,
            "max_probability": round(self.max_probability, 4),
            "cover_percent": round(self.cover_percent, 2),
            "unsure_percent": round(self.unsure_percent, 1),
        }


@dataclass(frozen=True, eq=False)
class SalientMask(SalientObject):
    """What ``truehue.salient_mask`` found, fit to be given as ``mask``: the object with the image
    ``srgb8`` uint8 ``(H, W, 3)`` that it stands out of, and ``conversions``, what was converted as
    the image was loaded."""

    srgb8: np.ndarray
    conversions: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was converted, and where to look."""
        return tuple(filter(None, (*self.conversions, self.note)))

    def to_dict(self) -> dict[str, Any]:
        """All but the pixels as plain values."""
        return {
            "stands_out": self.stands_out,
            "mask_px": int(self.pixels.sum()),
            **self.parameters,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        sure = f"largest probability {self.max_probability:.2f}"
        if self.stands_out:
            area = f"{self.pixels.sum():,} pixels, {100 * self.pixels.mean():.1f}% of the image"
            sure = f"{area}  {sure}, {self.unsure_percent:.0f}% unsure"
        return "  ".join((f"Salient object v{VERSION}", sure, *self.notes))

    def _repr_html_(self) -> str:
        from truehue.core.masks.display import cutout_png

        png = b64encode(cutout_png(self.srgb8, self.pixels, 320)).decode("ascii")
        image = f'<img alt="What stands out" src="data:image/png;base64,{png}">'
        return f'<div class="truehue">{image}<div>{escape(repr(self))}</div></div>'


def is_available(sources: Sources | None = None) -> bool:
    """Whether the masker can run on this machine."""
    return U2NETP.find(sources or Sources.local()) is not None


def how_to_get(sources: Sources | None = None) -> str:
    """The sentences for a machine without the weights."""
    named = os.environ.get(U2NETP.variable)
    if named and not Path(named).expanduser().exists():
        return (
            f"{U2NETP.variable} names {named}, which does not exist. Correct or unset it. {WITHOUT}"
        )
    candidates = U2NETP.candidates(sources or Sources.local())
    other = next((path for path in candidates if path.is_file()), None)
    reason = f"{other} has other bytes than the published file" if other else "are not installed"
    subject = "" if other else f"The weights of the salient-object network ({U2NETP.file}, 4.6 MB) "
    get = f"Get the file with: python -m truehue masks download {U2NETP.id}."
    return f"{subject}{reason}. {get} {WITHOUT}"


def memory_bytes() -> int:
    """What this process grew by with the network; 0 before it is loaded. It stays until the end."""
    return OPENCV_BYTES if _network.cache_info().currsize else 0


def find_salient(
    srgb8: np.ndarray, box: Box | None = None, sources: Sources | None = None
) -> SalientObject:
    """What stands out in an image, uint8 sRGB ``(H, W, 3)``, or in a ``box`` of it: columns and rows
    ``(x0, y0, x1, y1)``, ends excluded. Then the network sees the box and 12% around it, nothing
    outside of the box is in the mask, and what reaches over less than half of a side does not count.

    Raises ModelMissing where the weights are not on this machine, and MaskError for other arrays.
    """
    if srgb8.dtype != np.uint8 or srgb8.ndim != 3 or srgb8.shape[2] != 3:
        raise MaskError("A salient object is found in an sRGB image, uint8 (height, width, 3).")
    height, width = srgb8.shape[:2]
    window = _widened(box, height, width) if box else (slice(height), slice(width))
    crop = srgb8[window]
    probability = _probability(crop, sources)
    inside = probability > THRESHOLD
    area = int(np.count_nonzero(inside))
    unsure = int(np.count_nonzero((probability > _UNSURE[0]) & (probability < _UNSURE[1])))
    cover_percent = 100.0 * area / inside.size
    pixels = np.zeros((height, width), dtype=bool)
    if cover_percent >= MIN_COVER_PERCENT:
        pixels[window] = refine_edge(crop, inside)
    if box:
        pixels = _within(pixels, box)
    return SalientObject(
        pixels, float(probability.max()), cover_percent, 100.0 * unsure / max(area, 1)
    )


def _widened(box: Box, height: int, width: int) -> tuple[slice, slice]:
    x0, y0, x1, y1 = box
    dx, dy = round(BOX_MARGIN * (x1 - x0)), round(BOX_MARGIN * (y1 - y0))
    return (
        slice(max(y0 - dy, 0), min(y1 + dy, height)),
        slice(max(x0 - dx, 0), min(x1 + dx, width)),
    )


def _within(pixels: np.ndarray, box: Box) -> np.ndarray:
    """The pixels in the box; none where they reach over too little of it."""
    x0, y0, x1, y1 = box
    inside = pixels[y0:y1, x0:x1]
    selected = np.zeros_like(pixels)
    extents = (np.flatnonzero(inside.any(axis=axis)) for axis in (1, 0))
    if all(
        line.size and line[-1] - line[0] + 1 >= MIN_BOX_EXTENT * side
        for line, side in zip(extents, inside.shape, strict=True)
    ):
        selected[y0:y1, x0:x1] = inside
    return selected


_probabilities = LruCache[np.ndarray](32)
"""Those of the last crops: a stroke on a mask asks the network nothing again."""
_network_lock = Lock()


def _probability(srgb8: np.ndarray, sources: Sources | None) -> np.ndarray:
    """The network's probability of every pixel at its own size, float32 ``(320, 320)``, 0 to 1."""
    path = U2NETP.find(sources or Sources.local())
    if path is None:
        raise ModelMissing(how_to_get(sources))
    small = cv2.resize(
        srgb8,
        (SIDE_PX, SIDE_PX),
        interpolation=cv2.INTER_AREA if min(srgb8.shape[:2]) > SIDE_PX else cv2.INTER_LINEAR,
    )
    return _probabilities.get(small.tobytes(), lambda: _forward(path, small))


def _forward(path: Path, small: np.ndarray) -> np.ndarray:
    # As the network was trained: brightest channel 1, then the mean and deviation of ImageNet.
    scaled = small.astype(np.float32) / max(float(small.max()), 1e-6)
    normal = (scaled - _MEAN) / _DEVIATION
    with _network_lock:
        network = _network(path)
        network.setInput(np.ascontiguousarray(normal.transpose(2, 0, 1)[None]))
        output: np.ndarray = network.forward(_OUTPUT)[0, 0].copy()
    return output


@functools.cache
def _network(path: Path) -> Any:
    """The network, loaded once a process; it serves one thread at a time."""
    # OpenCV 5 has two engines, and on this network the older one takes two thirds of the time.
    engine = getattr(cv2.dnn, "ENGINE_CLASSIC", None)
    arguments = (str(path),) if engine is None else (str(path), engine)
    try:
        return cv2.dnn.readNetFromONNX(*arguments)
    except cv2.error as error:
        raise TrueHueError(f"OpenCV {cv2.__version__} cannot open {path}: {error}") from error
