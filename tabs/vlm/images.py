"""The images of questions: the very PNG of the set, or what was sent of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from truehue.core.errors import NotStored
from truehue.core.files import shelf, why_of
from truehue.core.images.load import encode_png
from truehue.core.vlm.evaluation.plan import Version, picture
from truehue.core.vlm.question_set import IMAGES
from truehue.tabs.page.actor import requires
from truehue.tabs.page.requests import PageRequest, single_of
from truehue.tabs.page.roles import Actor
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

_NAME = re.compile(r"[0-9a-f]{64}")


class ImageRequest(PageRequest):
    """An image of a set by its id, as it is or as it was sent."""

    set: str
    image: str
    version: Annotated[str, single_of("version of the image", list(Version))] = str(Version.COLORED)


@requires("look")
def image_png(context: Context, actor: Actor, request: ImageRequest) -> bytes:
    """PNG. Raises NotStored for one that is not in the set, ImageError for one that was changed."""
    question_set = opened(context, request.set)
    path = shelf(question_set.folder / IMAGES, request.image)
    if not _NAME.fullmatch(request.image) or not path.is_file():
        raise NotStored("This image is not in the set. Reload the page.")
    version = Version(request.version or Version.COLORED)
    # Read also where the file itself is sent: another picture under this name is none of the set.
    pixels = picture(path, request.image, version)
    if version is not Version.COLORED:
        return encode_png(pixels)
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotStored(f"The image cannot be read: {why_of(error)}.") from error
