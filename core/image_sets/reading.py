"""Reading the images of a plan, one at a time, so that memory holds one of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Iterator, Mapping
from dataclasses import replace
from threading import Event

from truehue.core.errors import ImageError
from truehue.core.image_sets.records import FolderPlan, ImportStep, LinkedImage
from truehue.core.images.load import LoadedImage, image_id, load_image

MAX_FILE_BYTES = 512 * 2**20
"""More than any image of the accepted size needs, uncompressed and with 16 bits."""

LOSSY_NOTE = "The file uses lossy compression ({kind}), which changes colors slightly."


def read(
    plan: FolderPlan, already: Container[str] = (), stop: Event | None = None
) -> Iterator[ImportStep]:
    """Yields a step for each image of the plan, in its order; the caller stores it.

    ``already`` holds keys of images that are stored (``file_key`` and ``content_key``, see
    :class:`LinkedImage`): a file of which either is there is skipped, the first without opening
    it. So is a copy: a file of the bytes, prompt, number and settings of an earlier one. A file
    that cannot be read is a step with a ``problem``, and the rest goes on. Looks at ``stop`` before
    each file and ends once it is set.
    """
    first: dict[str, str] = {}
    used: dict[str, str] = {}
    total = len(plan.found)
    for position, image in enumerate(plan.found, start=1):
        if stop is not None and stop.is_set():
            return
        step = ImportStep(position, total, image)
        if image.file_key not in already:
            step = _read_entry(step, already, used)
        if step.image_id is not None:
            used[image.content_key(step.sha256)] = image.name
            before = first.setdefault(step.image_id, image.name)
            step = replace(step, same_as=before if before != image.name else None)
        yield step


def _read_entry(step: ImportStep, already: Container[str], used: Mapping[str, str]) -> ImportStep:
    """The step with its image. ``taken`` names the files of this import by their content keys."""
    image = step.found
    try:
        content = _content(image)
        sha256 = hashlib.sha256(content).hexdigest()
        key = image.content_key(sha256)
        if key in already or key in used:
            return replace(step, sha256=sha256, same_as=used.get(key))
        loaded = load_image(content, image.path.name)
    except (ImageError, MemoryError) as error:
        return replace(step, problem=str(error) or "There is not enough memory to read it.")
    kind = lossy_kind(content)
    if kind:
        notes = (*loaded.notes, LOSSY_NOTE.format(kind=kind))
        loaded = LoadedImage(loaded.srgb8, loaded.name, notes, loaded.opaque)
    return replace(
        step, loaded=loaded, image_id=image_id(loaded.srgb8), sha256=sha256, lossy=bool(kind)
    )


def _content(image: LinkedImage) -> bytes:
    try:
        with image.path.open("rb") as file:
            # What is asked for is allocated at once, so ask for what there is.
            size = os.fstat(file.fileno()).st_size
            content = file.read(size) if size <= MAX_FILE_BYTES else None
    except OSError as error:
        raise ImageError(
            f"{image.path.name} cannot be opened ({error.strerror or error}). Check path and "
            "rights."
        ) from error
    if content is None:
        raise ImageError(
            f"{image.path.name} is larger than {MAX_FILE_BYTES >> 20} MiB. Save it smaller."
        )
    return content


def lossy_kind(content: bytes) -> str:
    """``JPEG`` or ``WebP`` for the bytes of a file that was compressed with loss, else empty.

    The bytes decide, not the name. An extended WebP file says it in a later chunk.
    """
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        index = 12
        while index + 8 <= len(content):
            chunk = content[index : index + 4]
            if chunk in (b"VP8 ", b"VP8L"):
                return "WebP" if chunk == b"VP8 " else ""
            size = int.from_bytes(content[index + 4 : index + 8], "little")
            index += 8 + size + size % 2
    return ""
