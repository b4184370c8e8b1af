"""Import of several images of one concept as a set: layout, preview, storage.

The browser stages them as ``<place>/<file name>``, optionally with masks (``name-mask.png`` for
``name.jpg``) and a CSV that maps files to the people who colored them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from truehue.core.errors import BadInput, MaskError
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.sources.generated import object_mask

if TYPE_CHECKING:
    from truehue.core.images.load import LoadedImage
    from truehue.core.images.pixels import Mask

MAX_IMAGES = 2_000
MAX_TABLE_BYTES = 4 * 2**20
MASK_ENDING = "-mask"
MASKS: Mapping[str, str] = {
    "stored": "Each image's stored mask or transparency",
    "salient-or-whole": "Its stored mask or transparency, else what stands out, else the whole image",
    "whole": "The whole image",
    "paper": "All but the white paper",
}
"""Which pixels of a picture count, where no file with its mask lies beside it."""

CONTRIBUTORS: Mapping[str, str] = {
    "": "unknown",
    "name": "the file name up to the first “_”",
    "table": "a CSV with the columns file and contributor",
}
"""Where the contributor of a coloring is written."""

_FILE_COLUMNS = ("file", "filename", "file_name", "image")
_CONTRIBUTOR_COLUMNS = ("contributor", "participant", "designer", "person")
_UNMARKED = (
    "No mask of these pixels is stored, and the file has no transparency. Select the object "
    "in Inspect and import the image again, or choose other pixels."
)


@dataclass(frozen=True)
class ImageUpload:
    """A picture that waits: ``place`` numbers the files as they were chosen; ``mask`` the file
    with its mask, if there is one."""

    place: int
    name: str
    path: Path
    mask: Path | None = None
    contributor: str = ""


@dataclass(frozen=True)
class Layout:
    """What was staged: ``problems`` are sentences on files that are excluded or say nothing."""

    pictures: tuple[ImageUpload, ...]
    problems: tuple[str, ...]

    @property
    def contributors(self) -> int:
        """How many different ones are named."""
        return len({stored.contributor for stored in self.pictures if stored.contributor})


def laid_out(folder: Path, contributors: str = "") -> Layout:
    """The pictures of a staged folder, each with its mask and contributor.

    ``contributors`` is a key of :data:`CONTRIBUTORS`. Raises BadInput for an unknown one, a table
    that cannot be read, too many pictures, and when there are none.
    """
    if contributors not in CONTRIBUTORS:
        raise BadInput(f"Contributors cannot be read from {contributors[:40]!r}.")
    files = [
        ImageUpload(int(inner.name), file.name, file)
        for inner in sorted(folder.iterdir() if folder.is_dir() else ())
        if inner.name.isdigit()
        for file in sorted(inner.iterdir())
    ]
    tables = [file for file in files if file.path.suffix.lower() == ".csv"]
    masks = [file for file in files if file not in tables and _stem(file).endswith(MASK_ENDING)]
    image_uploads = [file for file in files if file not in tables and file not in masks]
    if not image_uploads:
        raise BadInput("There is no image among these files. Choose images of the concept.")
    if len(image_uploads) > MAX_IMAGES:
        raise BadInput(
            f"These are {len(image_uploads):,} images; a set takes up to {MAX_IMAGES:,}. Split "
            "them into several sets, or generate them as a run."
        )
    problems = []
    stems = {_stem(stored) for stored in image_uploads}
    for mask in masks:
        if _stem(mask).removesuffix(MASK_ENDING) not in stems:
            problems.append(f"{mask.name} matches none of these images and is excluded.")
    of_stem = {_stem(mask).removesuffix(MASK_ENDING): mask.path for mask in masks}
    image_uploads = [replace(stored, mask=of_stem.get(_stem(stored))) for stored in image_uploads]
    named, remarks = _with_contributors(image_uploads, tables, contributors)
    return Layout(tuple(named), (*problems, *remarks))


def mask_for(context: Context, upload: ImageUpload, loaded: LoadedImage, mode: str) -> Mask:
    """Which pixels of a staged picture count; ``mode`` is a key of :data:`MASKS`.

    Raises MaskError where the mode finds none, BadInput for another mode.
    """
    from truehue.core.images.load import image_id, load_mask
    from truehue.core.images.pixels import Mask
    from truehue.core.masks.cleanup import without_paper

    if mode not in MASKS:
        raise BadInput(f"There is no way to masks {mode[:40]!r}: {', '.join(MASKS)}.")
    if upload.mask is not None:
        return Mask(
            load_mask(upload.mask, loaded.srgb8.shape[:2]), "file", {"from": upload.mask.name}
        )
    if mode == "whole":
        return Mask(np.ones(loaded.srgb8.shape[:2], dtype=bool), "whole")
    if mode == "paper":
        return without_paper(loaded.srgb8)
    for record in context.storage.masks.current([image_id(loaded.srgb8)]).values():
        pixels = context.storage.masks.pixels(record.mask_id)
        return Mask(pixels, record.maker, record.parameters)
    if loaded.opaque is not None and loaded.opaque.any():
        return Mask(loaded.opaque, "file", {"from": "transparency"})
    if mode == "salient-or-whole":
        return object_mask(context, loaded.srgb8)
    raise MaskError(_UNMARKED)


class StagedImage(TypedDict, total=False):
    """A staged image with the pixels that would count; ``refused`` says why there are none."""

    words: str
    notes: list[str]
    mask: str
    refused: str
    url: str


def preview(context: Context, session: str, index: int, mode: str, max_px: int) -> StagedImage:
    """A staged image with the pixels that would count, as the page shows it; stores nothing.

    ``refused`` says why a picture has no such pixels. Raises BadInput for a place where nothing
    waits and for another mode, ImageError for what is no picture.
    """
    import base64

    from truehue.core.images.load import load_image
    from truehue.core.masks.display import cutout_png
    from truehue.core.masks.registry import describe

    folder = context.staging.folder(session)
    uploads = [stored for stored in laid_out(folder).pictures if stored.place == index]
    if not uploads:
        raise BadInput("That image is no longer available. Choose it again.")
    loaded = load_image(uploads[0].path, name=uploads[0].name)
    height, width = loaded.srgb8.shape[:2]
    answer: StagedImage = {
        "words": f"{width} × {height} px",
        "notes": list(loaded.notes),
        "mask": "",
        "refused": "",
    }
    try:
        mask = mask_for(context, uploads[0], loaded, mode)
    except MaskError as error:
        pixels = np.zeros((height, width), dtype=bool)
        answer["refused"] = str(error)
    else:
        pixels = mask.pixels
        answer["mask"] = f"{describe(mask.maker, mask.parameters)}, {mask.area_percent:.0f}%"
        note = str(mask.parameters.get("note") or "")
        answer["notes"] = [*loaded.notes, *([note] if note else [])]
    png = cutout_png(loaded.srgb8, pixels, max_px)
    return {**answer, "url": "data:image/png;base64," + base64.b64encode(png).decode("ascii")}


def _stem(upload: ImageUpload) -> str:
    return Path(upload.name).stem.casefold()


def _with_contributors(
    image_uploads: Sequence[ImageUpload], tables: Sequence[ImageUpload], contributors: str
) -> tuple[list[ImageUpload], list[str]]:
    """The pictures with who colored them, and what could not be found out."""
    problems = []
    if contributors == "table":
        if len(tables) != 1:
            raise BadInput(
                f"There {'is no CSV' if not tables else f'are {len(tables)} CSV files'} among "
                "these files. Add one with the columns file and contributor."
            )
        by_file = _table(tables[0])
        named = [
            replace(image_upload, contributor=by_file.get(image_upload.name.casefold(), ""))
            for image_upload in image_uploads
        ]
    else:
        problems = [f"{table.name} is not an image and was not read." for table in tables]
        from_name = contributors == "name"
        named = [
            replace(image_upload, contributor=_up_to_line(image_upload.name) if from_name else "")
            for image_upload in image_uploads
        ]
    without = [stored.name for stored in named if not stored.contributor] if contributors else []
    if without:
        shown = ", ".join(without[:3]) + (" …" if len(without) > 3 else "")
        problems.append(
            f"There is no contributor for {count_noun(len(without), 'image')} ({shown})."
        )
    return named, problems


def _up_to_line(name: str) -> str:
    head, line, _ = Path(name).stem.partition("_")
    return head if line else ""


def _table(upload: ImageUpload) -> dict[str, str]:
    """Who colored which file, by file name in lower case."""
    raw = upload.path.read_bytes()
    if len(raw) > MAX_TABLE_BYTES:
        raise BadInput(f"{upload.name} is larger than {MAX_TABLE_BYTES // 2**20} MB.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{upload.name} is not UTF-8. Save it as “CSV UTF-8”.") from None
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    rows = [row for row in reader if any(cell.strip() for cell in row)]
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    file_at = next((header.index(name) for name in _FILE_COLUMNS if name in header), -1)
    who_at = next((header.index(name) for name in _CONTRIBUTOR_COLUMNS if name in header), -1)
    if file_at < 0 or who_at < 0:
        raise BadInput(
            f"{upload.name} needs the columns file and contributor; its first line is "
            f"{first.strip()[:80]!r}."
        )
    by_file = dict[str, str]()
    for row in rows[1:]:
        if len(row) > max(file_at, who_at):
            name = row[file_at].strip().replace("\\", "/").rpartition("/")[2]
            by_file[name.casefold()] = row[who_at].strip()[:80]
    return by_file
