"""The zip of an archive: only expected files, of bounded size, that match their manifest; images and
masks must match the hash in their name, or the archive is refused.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Self

import numpy as np

from truehue.core.batch.folder import PLAN
from truehue.core.errors import BadInput, StorageError
from truehue.core.export.archive import COLORS_FILE, FORMAT, FORMAT_VERSION, MANIFEST
from truehue.core.files import ReportProgress, is_damaged_zip, read_png
from truehue.core.images.load import encode_png, image_id
from truehue.core.images.pixels import Mask
from truehue.core.runs.adaptive import FILE as ADAPTIVE
from truehue.core.runs.controls import FILE as CONTROLS
from truehue.core.runs.folder import ITEMS, PROMPTS

_CHUNK = 2**20
_PICTURE = re.compile(r"(images|masks)/([0-9a-f]{2})/(\2[0-9a-f]{62})\.png")
_SHARD = re.compile(r"shards/part-\d{5}\.parquet")
_REST = frozenset(
    {
        MANIFEST,
        "README.txt",
        PLAN,
        PROMPTS,
        ITEMS,
        "codebook.json",
        "codebook.md",
        "references.bib",
        "results.parquet",
        COLORS_FILE,
        CONTROLS,
        ADAPTIVE,
    }
)
_NEEDED = (PLAN, PROMPTS)


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold. The defaults fit the whole paper's protocol with images.

    The manifest may have ``listed_bytes`` more for each file that it lists; ``part_bytes`` are
    those of results for each image of the plan, packed, beside a first ``described_bytes``.
    """

    files: int = 1_000_000
    described_bytes: int = 2**20
    listed_bytes: int = 300
    text_bytes: int = 256 * 2**20
    table_bytes: int = 256 * 2**20
    part_bytes: int = 2**18


class RunZip:
    """An archive that is being read: nothing of it is believed, and nothing is written but what was
    asked for. Use it with ``with``.

    Raises BadInput, here and in every method, for what is no archive of a run.
    """

    def __init__(self, path: Path, shown: str, limits: Limits) -> None:
        self.shown, self._limits = shown, limits
        _refuse_table(path, shown)
        with self._readable():
            self.sha256 = _sha256(path)
            self._zip = zipfile.ZipFile(path)
        try:
            with self._readable():
                self._entries = _checked(self._zip, shown, limits)
                self.manifest = self._manifest()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    @property
    def shards(self) -> list[str]:
        """The names of its shards, in order."""
        return sorted(name for name in self._entries if _SHARD.fullmatch(name))

    @property
    def image_names(self) -> list[str]:
        """The names of its images and masks, in order."""
        return sorted(name for name in self._entries if _PICTURE.fullmatch(name))

    def write(self, name: str, into: Path, max_bytes: int | None = None) -> Path:
        """Writes one file below ``into``: bytes are counted, and compared with the manifest. One
        that is not in the archive is not written."""
        path = into / name
        if name not in self._entries:
            return path
        entry, listed = self._entries[name], self.manifest["files"].get(name)
        limit = _limit(name, self._limits) if max_bytes is None else max_bytes
        self._refuse_large(name, entry.file_size, limit)
        path.parent.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with self._readable(), self._zip.open(entry) as source, path.open("xb") as target:
            while piece := source.read(_CHUNK):
                size += len(piece)
                self._refuse_large(name, size, limit)
                digest.update(piece)
                target.write(piece)
        if listed is not None and listed.get("sha256") != digest.hexdigest():
            raise BadInput(f"{path.name} in {self.shown} is damaged. Copy or export it again.")
        return path

    def head(self, name: str, count: int) -> bytes:
        """The first bytes of a file."""
        with self._readable(), self._zip.open(self._entries[name]) as source:
            return source.read(count)

    def refuse_parts_beyond(self, images: int) -> None:
        """Refuses more results than ``pictures`` can have, before any is written."""
        limit = self._limits.described_bytes + images * self._limits.part_bytes
        size = sum(self._entries[name].file_size for name in self.shards)
        if size > limit or len(self.shards) > images:
            raise BadInput(f"{self.shown} holds more results than its plan has images.")

    def _refuse_large(self, name: str, size: int, limit: int) -> None:
        if size > limit:
            raise BadInput(f"{name} in {self.shown} would be {size:,} bytes: too large.")

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            damaged = is_damaged_zip(error) or isinstance(error, ValueError)
            if isinstance(error, BadInput) or not damaged:
                raise
            raise BadInput(
                f"{self.shown} is no archive that can be read ({error}). Copy or export it again."
            ) from error

    def _manifest(self) -> dict[str, Any]:
        limit = self._limits.described_bytes + self._limits.listed_bytes * len(self.shards)
        text = self.head(MANIFEST, limit + 1)
        self._refuse_large(MANIFEST, len(text), limit)
        return _checked_manifest(text, self._entries, self.shown)


def _refuse_table(path: Path, shown: str) -> None:
    """Numbers alone are no run: without the plan nobody could say what they are comparable with."""
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith((b"PAR1", b"run_id,")):
        raise BadInput(
            f"{shown} is a table of results. It has no plan, so it cannot become a run: ask for "
            "the archive (python -m truehue runs export RUN --format zip)."
        )


def _checked(archive: zipfile.ZipFile, shown: str, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    """The entries by name; all of them are ours, or the archive is refused."""
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if MANIFEST not in {info.filename for info in infos}:
        raise BadInput(
            f"{shown} is no archive of a TrueHue run: it has no {MANIFEST}. Import a file that "
            "ends in .truehue.zip."
        )
    if len(infos) > limits.files:
        raise BadInput(f"{shown} holds {len(infos):,} files; {limits.files:,} are the limit.")
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.orig_filename
        if not (name in _REST or _SHARD.fullmatch(name) or _PICTURE.fullmatch(name)):
            raise BadInput(f"{shown} holds the file {name[:80]!r}, which no run has.")
        if name in entries:
            raise BadInput(f"{shown} holds {name} twice.")
        if stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & 1:
            raise BadInput(f"{shown} holds a link or a locked file: {name}.")
        entries[name] = info
    for name in _NEEDED:
        if name not in entries:
            raise BadInput(f"{shown} has no {name}: it is not whole. Export it again.")
    return entries


def _checked_manifest(
    text: bytes, entries: dict[str, zipfile.ZipInfo], shown: str
) -> dict[str, Any]:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{MANIFEST} in {shown} is no JSON: {error}.") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadInput(f"{shown} is no archive of a TrueHue run.")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise BadInput(
            f"{shown} has version {manifest.get('format_version')!r:.20} of the archive; this "
            f"TrueHue reads {FORMAT_VERSION}. Update TrueHue, or export it with this version."
        )
    files = manifest.get("files")
    if not isinstance(files, dict) or not all(isinstance(file, dict) for file in files.values()):
        raise BadInput(f"{MANIFEST} in {shown} does not list its files.")
    unlisted = [name for name in entries if name not in files and not _PICTURE.fullmatch(name)]
    missing = [name for name in files if name not in entries]
    if unlisted != [MANIFEST] or missing:
        odd = next(iter(missing or (name for name in unlisted if name != MANIFEST)), MANIFEST)
        raise BadInput(f"{shown} is not whole: {odd[:80]} is missing or not in its list.")
    return manifest


def _limit(name: str, limits: Limits) -> int:
    if name in (PLAN, CONTROLS):
        return limits.described_bytes
    return limits.table_bytes if name.endswith(".parquet") else limits.text_bytes


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


Size = tuple[int, int]
"""Width and height in pixels."""

_HEAD = struct.Struct(">8sI4sIIBB")
_START = b"\x89PNG\r\n\x1a\n"
_RGB8, _GRAY1 = (8, 2), (1, 0)
_MAX_BESIDE = 2**20
"""Bytes of a PNG beside its pixels: what a program writes into the files that it keeps."""


def import_images(
    archive: RunZip,
    into: Path,
    images: Mapping[str, Size],
    masks: Mapping[str, Size],
    progress: ReportProgress,
) -> None:
    """Writes the images and masks of an archive below ``into``; there may be none.

    ``images`` and ``masks`` are the sizes that the results say, by the names of the pixels. A file
    is looked at before the next one is written, and what stays of it are its pixels alone: a
    profile or a gamma would show other colors than were measured. Raises BadInput for a file that
    is no PNG of ours, belongs to no result, or holds other pixels than its name says.
    """
    names = archive.image_names
    for done, name in enumerate(names):
        stem, is_image = PurePosixPath(name).stem, name.startswith("images/")
        size = (images if is_image else masks).get(stem)
        shown = f"{stem}.png in {archive.shown}"
        if size is None:
            raise BadInput(f"{shown} belongs to no result of the run.")
        if _size_of(archive.head(name, _HEAD.size), _RGB8 if is_image else _GRAY1) != size:
            raise BadInput(f"{shown} is no image of ours, or has another size than its result.")
        path = archive.write(name, into, _most_bytes(size, is_image))
        try:
            pixels = read_png(path, "RGB" if is_image else "1")
        except StorageError as error:
            raise BadInput(f"{shown} is no image of ours.") from error
        digest, content = _image(pixels) if is_image else _mask(pixels)
        if digest != stem:
            raise BadInput(f"{shown} holds other pixels than its name says.")
        path.write_bytes(content)
        progress(done + 1, len(names))


def _size_of(head: bytes, kind: tuple[int, int]) -> Size | None:
    """The size that a PNG of that depth and kind of color says it has; None for anything else."""
    if len(head) < _HEAD.size:
        return None
    start, _, name, width, height, *header_tail = _HEAD.unpack(head)
    return (width, height) if (start, name, *header_tail) == (_START, b"IHDR", *kind) else None


def _most_bytes(size: Size, is_image: bool) -> int:
    """No PNG of so many pixels is larger, unless most of it is something else."""
    width, height = size
    raw = height * (1 + (3 * width if is_image else (width + 7) // 8))
    return raw + raw // 100 + _MAX_BESIDE


def _image(srgb8: np.ndarray) -> tuple[str, bytes]:
    return image_id(srgb8), encode_png(srgb8)


def _mask(pixels: np.ndarray) -> tuple[str, bytes]:
    mask = Mask(pixels, "")
    return mask.content_sha256, mask.png()
