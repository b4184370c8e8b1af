"""The presentation of a question: prompt form, image codec, pixels and order, and its protocol.

A protocol names all of them. Two scores are comparable within one protocol only. Each part can be
switched alone, which shows what it changes.
"""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput

TRUEHUE, RELEASED = "truehue", "colorbench-released"
PROTOCOLS = (TRUEHUE, RELEASED)
"""Ours, and that of ColorBench's released code (tianyi-lab/ColorBench at 3079d46)."""

Form = Literal["truehue", "released"]
Codec = Literal["png", "jpeg-75"]
Pixels = Literal["managed", "rgb"]
Order = Literal["first", "last"]
FORMS, CODECS, PIXELS, ORDERS = (
    ("truehue", "released"),
    ("png", "jpeg-75"),
    ("managed", "rgb"),
    ("first", "last"),
)
JPEG_QUALITY = 75


@dataclass(frozen=True)
class Presentation:
    """How a question is put to a model. The defaults are TrueHue's.

    ``form`` is the prompt's; ``family`` whose texts the released form has. ``codec`` is what the
    image went through. ``pixels`` are ``managed`` (EXIF, ICC and alpha resolved) or ``rgb``, as
    Pillow's ``convert("RGB")`` gives them. ``image`` comes first or last in the message. Raises
    BadInput for any other.
    """

    form: Form = "truehue"
    family: str = ""
    codec: Codec = "png"
    pixels: Pixels = "managed"
    image: Order = "first"

    def __post_init__(self) -> None:
        for name, values in (
            ("form", FORMS),
            ("codec", CODECS),
            ("pixels", PIXELS),
            ("image", ORDERS),
        ):
            if getattr(self, name) not in values:
                raise BadInput(
                    f"The {name} is {' or '.join(values)}, not {getattr(self, name)!r:.40}."
                )
        if (self.form == "released") != bool(self.family):
            raise BadInput("The released prompt form has the texts of a family of models.")

    def as_json(self) -> dict[str, Any]:
        """Plain JSON; empty for TrueHue's own, which plans of before have."""
        return {} if self == Presentation() else asdict(self)

    def differences(self) -> list[str]:
        """What is not TrueHue's, in a few words each."""
        parts = []
        if self.form == "released":
            parts.append(f"prompt form released ({self.family})")
        if self.codec != "png":
            parts.append(self.codec)
        if self.pixels != "managed":
            parts.append('pixels as convert("RGB")')
        if self.image != "first":
            parts.append("image last")
        return parts


OURS = Presentation()
"""TrueHue's."""


def jpeg(srgb8: NDArray[np.uint8]) -> bytes:
    """A JPEG of uint8 ``(H, W, 3)`` with Pillow's own settings: quality 75, 4:2:0."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(srgb8)).save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()


def decoded(content: bytes) -> NDArray[np.uint8]:
    """uint8 ``(H, W, 3)`` of a JPEG."""
    from PIL import Image

    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def rgb_pixels(content: bytes) -> NDArray[np.uint8]:
    """uint8 ``(H, W, 3)`` of an image file by Pillow's ``convert("RGB")``: no EXIF, no ICC profile,
    and transparent pixels with the color below their alpha. Raises what Pillow raises."""
    return decoded(content)
