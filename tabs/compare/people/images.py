"""Several pictures of one concept on their way into storage: laid out, looked at, taken as a set.

The browser stages them as ``<place>/<file name>``; among them may lie masks (``name-mask.png`` for
``name.jpg``) and a CSV that says who colored which file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import BadInput, MaskError
from tabs.page.context import Context
from tabs.page.errors import many

if TYPE_CHECKING:
    from core.images.load import LoadedImage
    from core.images.mask import Mask

MOST_PICTURES = 2_000
MOST_TABLE_BYTES = 4 * 2**20
MASK_ENDING = "-mask"
MASKS: Mapping[str, str] = {
    "stored": "Each picture's stored mask or transparency",
    "marked-or-whole": "Its stored mask or transparency, else the whole picture",
    "whole": "The whole picture",
    "paper": "All but the white paper",
}
"""Which pixels of a picture count, where no file with its mask lies beside it."""

CONTRIBUTORS: Mapping[str, str] = {
    "": "not known",
    "name": "the file name up to the first “_”",
    "table": "a CSV with the columns file and contributor",
}
"""Where the contributor of a coloring is written."""

_FILE_COLUMNS = ("file", "filename", "file_name", "image")
_CONTRIBUTOR_COLUMNS = ("contributor", "participant", "designer", "person")
_UNMARKED = (
    "No mask of these pixels is stored, and the file has no transparency. Mark the object in "
    "Inspect and import the picture again, or choose other pixels."
)


@dataclass(frozen=True)
class Staged:
    """A picture that waits: ``place`` numbers the files as they were chosen; ``mask`` the file
    with its mask, if there is one."""

    place: int
    name: str
    path: Path
    mask: Path | None = None
    contributor: str = ""


@dataclass(frozen=True)
class Layout:
    """What was staged: ``problems`` are sentences on files that are left out or say nothing."""

    pictures: tuple[Staged, ...]
    problems: tuple[str, ...]

    @property
    def contributors(self) -> int:
        """How many different ones are named."""
        return len({picture.contributor for picture in self.pictures if picture.contributor})


def laid_out(folder: Path, contributors: str = "") -> Layout:
    """The pictures of a staged folder, each with its mask and contributor.

    ``contributors`` is a key of :data:`CONTRIBUTORS`. Raises BadInput for an unknown one, a table
    that cannot be read, too many pictures, and when there are none.
    """
    if contributors not in CONTRIBUTORS:
        raise BadInput(f"Contributors cannot be read from {contributors[:40]!r}.")
    files = [
        Staged(int(inner.name), file.name, file)
        for inner in sorted(folder.iterdir() if folder.is_dir() else ())
        if inner.name.isdigit()
        for file in sorted(inner.iterdir())
    ]
    tables = [one for one in files if one.path.suffix.lower() == ".csv"]
    masks = [one for one in files if one not in tables and _stem(one).endswith(MASK_ENDING)]
    pictures = [one for one in files if one not in tables and one not in masks]
    if not pictures:
        raise BadInput("There is no picture among these files. Choose images of the concept.")
    if len(pictures) > MOST_PICTURES:
        raise BadInput(
            f"These are {len(pictures):,} pictures; a set takes up to {MOST_PICTURES:,}. Make "
            "several sets of them, or draw them as a run."
        )
    problems = []
    stems = {_stem(picture) for picture in pictures}
    for one in masks:
        if _stem(one).removesuffix(MASK_ENDING) not in stems:
            problems.append(f"{one.name} is the mask of no picture here and is left out.")
    of_stem = {_stem(mask).removesuffix(MASK_ENDING): mask.path for mask in masks}
    pictures = [replace(picture, mask=of_stem.get(_stem(picture))) for picture in pictures]
    named, said = _named(pictures, tables, contributors)
    return Layout(tuple(named), (*problems, *said))


def mask_for(context: Context, one: Staged, loaded: LoadedImage, mode: str) -> Mask:
    """Which pixels of a staged picture count; ``mode`` is a key of :data:`MASKS`.

    Raises MaskError where the mode finds none, BadInput for another mode.
    """
    from core.images.load import image_id, load_mask
    from core.images.mask import Mask
    from core.masks.white_background import without_paper

    if mode not in MASKS:
        raise BadInput(f"There is no way to masks {mode[:40]!r}: {', '.join(MASKS)}.")
    if one.mask is not None:
        return Mask(load_mask(one.mask, loaded.srgb8.shape[:2]), "file", {"from": one.mask.name})
    if mode == "whole":
        return Mask(np.ones(loaded.srgb8.shape[:2], dtype=bool), "whole")
    if mode == "paper":
        return without_paper(loaded.srgb8)
    known = context.storage.masks.for_images([image_id(loaded.srgb8)])
    for records in known.values():
        newest = records[0]
        pixels = context.storage.masks.pixels(newest.mask_id)
        return Mask(pixels, newest.maker, newest.parameters)
    if loaded.opaque is not None and loaded.opaque.any():
        return Mask(loaded.opaque, "file", {"from": "transparency"})
    if mode == "marked-or-whole":
        return Mask(np.ones(loaded.srgb8.shape[:2], dtype=bool), "whole")
    raise MaskError(_UNMARKED)


def preview(context: Context, session: str, place: int, mode: str, most_px: int) -> dict[str, Any]:
    """A staged picture with the pixels that would count, as the page shows it; stores nothing.

    ``refused`` says why a picture has no such pixels. Raises BadInput for a place where nothing
    waits and for another mode, ImageError for what is no picture.
    """
    import base64

    from core.images.load import load_image
    from core.masks.describe import describe
    from core.masks.display import cutout_png

    folder = context.staging.folder(session)
    found = [picture for picture in laid_out(folder).pictures if picture.place == place]
    if not found:
        raise BadInput("That picture does not wait here any more. Choose it again.")
    loaded = load_image(found[0].path, name=found[0].name)
    height, width = loaded.srgb8.shape[:2]
    out = {
        "words": f"{width} × {height} px",
        "notes": list(loaded.notes),
        "mask": "",
        "refused": "",
    }
    try:
        mask = mask_for(context, found[0], loaded, mode)
    except MaskError as error:
        pixels = np.zeros((height, width), dtype=bool)
        out["refused"] = str(error)
    else:
        pixels = mask.pixels
        out["mask"] = f"{describe(mask.maker, mask.parameters)}, {mask.area_percent:.0f}%"
        note = str(mask.parameters.get("note") or "")
        out["notes"] = [*loaded.notes, *([note] if note else [])]
    png = cutout_png(loaded.srgb8, pixels, most_px)
    return {**out, "url": "data:image/png;base64," + base64.b64encode(png).decode("ascii")}


def _stem(one: Staged) -> str:
    return Path(one.name).stem.casefold()


def _named(
    pictures: Sequence[Staged], tables: Sequence[Staged], contributors: str
) -> tuple[list[Staged], list[str]]:
    """The pictures with who colored them, and what could not be found out."""
    problems = []
    if contributors == "table":
        if len(tables) != 1:
            raise BadInput(
                f"There {'is no CSV' if not tables else f'are {len(tables)} CSV files'} among "
                "these files. Add one with the columns file and contributor."
            )
        said = _table(tables[0])
        named = [
            replace(picture, contributor=said.get(picture.name.casefold(), ""))
            for picture in pictures
        ]
    else:
        problems = [f"{one.name} is no picture and is not read." for one in tables]
        known = contributors == "name"
        named = [
            replace(picture, contributor=_up_to_line(picture.name) if known else "")
            for picture in pictures
        ]
    without = [one.name for one in named if not one.contributor] if contributors else []
    if without:
        shown = ", ".join(without[:3]) + (" …" if len(without) > 3 else "")
        problems.append(f"Nothing says who colored {many(len(without), 'picture')} ({shown}).")
    return named, problems


def _up_to_line(name: str) -> str:
    head, line, _ = Path(name).stem.partition("_")
    return head if line else ""


def _table(one: Staged) -> dict[str, str]:
    """Who colored which file, by file name in lower case."""
    raw = one.path.read_bytes()
    if len(raw) > MOST_TABLE_BYTES:
        raise BadInput(f"{one.name} is larger than {MOST_TABLE_BYTES // 2**20} MB.")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{one.name} is not UTF-8. Save it as “CSV UTF-8”.") from None
    first = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text), delimiter=";" if ";" in first else ",")
    rows = [row for row in reader if any(cell.strip() for cell in row)]
    header = [cell.strip().casefold() for cell in rows[0]] if rows else []
    file_at = next((header.index(name) for name in _FILE_COLUMNS if name in header), -1)
    who_at = next((header.index(name) for name in _CONTRIBUTOR_COLUMNS if name in header), -1)
    if file_at < 0 or who_at < 0:
        raise BadInput(
            f"{one.name} needs the columns file and contributor; its first line is "
            f"{first.strip()[:80]!r}."
        )
    out = dict[str, str]()
    for row in rows[1:]:
        if len(row) > max(file_at, who_at):
            name = row[file_at].strip().replace("\\", "/").rpartition("/")[2]
            out[name.casefold()] = row[who_at].strip()[:80]
    return out
