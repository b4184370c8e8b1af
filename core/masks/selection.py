"""The pixels of an image that comes without a mask file, by masker: one way for all commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, NoPixels, ObjectNotFound
from truehue.core.images.load import LoadedImage
from truehue.core.masks.marks import SALIENT
from truehue.core.masks.registry import FILE, TRANSPARENCY, describe

WHOLE = "whole"
"""All that is not transparent."""
SALIENT_OR_WHOLE = "salient-or-whole"
"""What stands out in an image, and where nothing does the whole image."""
MASKERS = (SALIENT, SALIENT_OR_WHOLE, WHOLE)


@dataclass(frozen=True)
class PixelSelection:
    """Selected pixels, bool ``(H, W)``. ``maker`` is an id of truehue.core.masks.registry and
    ``parameters`` are what it recorded; ``sentence`` says how the pixels were selected, and ``notes``
    what else is to be known about them."""

    pixels: np.ndarray
    maker: str
    sentence: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """How the pixels were selected, as tables name it."""
        own = self.maker == SALIENT
        return describe(self.maker, {SALIENT: self.parameters} if own else self.parameters)


def select_pixels_by(masker: str, image: LoadedImage, otherwise: str) -> PixelSelection:
    """The pixels that one of MASKERS selects.

    Of a cut-out all of them select what is not transparent, which takes no network. ``otherwise``
    says what else a user can do, such as ``give --masker whole``. Raises ObjectNotFound where nothing
    stands out, NoPixels for an image that is all transparent, and BadInput where the network is not on
    this machine and for another masker.
    """
    if masker not in MASKERS:
        raise BadInput(f"There is no masker {masker!r:.60}. Choose one of: {', '.join(MASKERS)}.")
    if image.opaque is not None:
        if not image.opaque.any():
            raise NoPixels("All of the image is transparent: no pixel can be measured.")
        sentence = "No mask: opaque pixels are measured."
        return PixelSelection(image.opaque, FILE, sentence, {"from": TRANSPARENCY})
    if masker == WHOLE:
        return _whole(image)
    # What makes masks takes time to import.
    from truehue.core.masks import salient
    from truehue.core.masks.from_marks import select_salient

    if not salient.is_available():
        raise BadInput(f"{otherwise[:1].upper()}{otherwise[1:]}. {salient.how_to_get()}")
    try:
        pixels, (sentence, *notes), parameters = select_salient(image.srgb8)
    except ObjectNotFound as error:
        if masker == SALIENT_OR_WHOLE:
            return _whole(
                image, "Nothing stands out: the whole image is measured, with its background."
            )
        raise ObjectNotFound(f"Nothing stands out: {otherwise}.", "", SALIENT) from error
    return PixelSelection(pixels, SALIENT, sentence, parameters, tuple(notes))


def _whole(image: LoadedImage, *notes: str) -> PixelSelection:
    pixels = np.ones(image.srgb8.shape[:2], dtype=bool)
    sentence = "The whole image is measured, background included."
    return PixelSelection(pixels, WHOLE, sentence, notes=notes)
