"""The zip of an archive: only files that belong in one, of bounded size, as their manifest says."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.export.archive import COLORS_FILE, FORMAT, FORMAT_VERSION, MANIFEST

_CHUNK = 2**20
_PICTURE = re.compile(r"(images|masks)/([0-9a-f]{2})/(\2[0-9a-f]{62})\.png")
_SHARD = re.compile(r"shards/part-\d{5}\.parquet")
_REST = frozenset({
    MANIFEST, "README.txt", "plan.json", "prompts.jsonl.gz", "items.jsonl.gz", "codebook.json",
    "codebook.md", "references.bib", "results.parquet", COLORS_FILE,
})  # fmt: skip
_NEEDED = ("plan.json", "prompts.jsonl.gz")
_UNREAD = frozenset({"README.txt", "codebook.json", "codebook.md", "references.bib",
                     "results.parquet", COLORS_FILE})  # fmt: skip
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError,
    UnicodeDecodeError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold. The defaults fit the whole paper's protocol with pictures."""

    files: int = 1_000_000
    total_bytes: int = 512 * 2**30
    picture_bytes: int = 256 * 2**20
    text_bytes: int = 256 * 2**20
    table_bytes: int = 4 * 2**30


def unpacked_run(path: Path, into: Path, shown: str, limits: Limits) -> str:
    """Unpacks what TrueHue reads of an archive into the new folder ``into``; its SHA-256.

    Raises BadInput for what is no archive of a run, and leaves no folder then.
    """
    _refuse_table(path, shown)
    try:
        digest = _sha256(path)
        with zipfile.ZipFile(path) as found:
            entries = _checked(found, shown, limits)
            manifest = _manifest(found, entries, shown, limits)
            into.mkdir(parents=True)
            left = limits.total_bytes
            for name, entry in entries.items():
                if name in _UNREAD:
                    continue
                left -= _write(found, entry, into / name, min(left, _limit(name, limits)), shown,
                               manifest["files"].get(name))  # fmt: skip
    except _DAMAGED as error:
        shutil.rmtree(into, ignore_errors=True)
        if isinstance(error, BadInput):
            raise
        raise BadInput(
            f"{shown} is no archive that can be read ({error}). Copy or export it again."
        ) from error
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    return digest


def _refuse_table(path: Path, shown: str) -> None:
    """Numbers alone are no run: without the plan nobody could say what they are comparable with."""
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith((b"PAR1", b"run_id,")):
        raise BadInput(
            f"{shown} is a table of results. It has no plan, so it cannot become a run: ask for "
            "the archive (python app.py runs export RUN --format zip)."
        )


def _checked(found: zipfile.ZipFile, shown: str, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    """The entries by name; all of them are ours, or the archive is refused."""
    infos = [info for info in found.infolist() if not info.is_dir()]
    if MANIFEST not in {info.filename for info in infos}:
        raise BadInput(
            f"{shown} is no archive of a TrueHue run: it has no {MANIFEST}. Import a file that "
            "ends in .truehue.zip."
        )
    if len(infos) > limits.files:
        raise BadInput(f"{shown} holds {len(infos):,} files; {limits.files:,} are the limit.")
    entries: dict[str, zipfile.ZipInfo] = {}
    total = 0
    for info in infos:
        name = info.orig_filename
        if not (name in _REST or _SHARD.fullmatch(name) or _PICTURE.fullmatch(name)):
            raise BadInput(f"{shown} holds the file {name[:80]!r}, which no run has.")
        if name in entries:
            raise BadInput(f"{shown} holds {name} twice.")
        if stat.S_ISLNK(info.external_attr >> 16) or info.flag_bits & 1:
            raise BadInput(f"{shown} holds a link or a locked file: {name}.")
        if info.file_size > _limit(name, limits):
            raise BadInput(f"{name} in {shown} would be {info.file_size:,} bytes: too large.")
        total += info.file_size
        entries[name] = info
    if total > limits.total_bytes:
        raise BadInput(f"{shown} would unpack to {total:,} bytes: too large.")
    for name in _NEEDED:
        if name not in entries:
            raise BadInput(f"{shown} has no {name}: it is not whole. Export it again.")
    return entries


def _manifest(
    found: zipfile.ZipFile, entries: dict[str, zipfile.ZipInfo], shown: str, limits: Limits
) -> dict[str, Any]:
    with found.open(entries[MANIFEST]) as source:
        text = source.read(limits.text_bytes + 1)
    if len(text) > limits.text_bytes:
        raise BadInput(f"{MANIFEST} in {shown} is too large.")
    try:
        made = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{MANIFEST} in {shown} is no JSON: {error}.") from error
    if not isinstance(made, dict) or made.get("format") != FORMAT:
        raise BadInput(f"{shown} is no archive of a TrueHue run.")
    if made.get("format_version") != FORMAT_VERSION:
        raise BadInput(
            f"{shown} has version {made.get('format_version')!r:.20} of the archive; this TrueHue "
            f"reads {FORMAT_VERSION}. Update TrueHue, or export it with this version."
        )
    files = made.get("files")
    if not isinstance(files, dict) or not all(isinstance(one, dict) for one in files.values()):
        raise BadInput(f"{MANIFEST} in {shown} does not list its files.")
    unlisted = [name for name in entries if name not in files and not _PICTURE.fullmatch(name)]
    missing = [name for name in files if name not in entries]
    if unlisted != [MANIFEST] or missing:
        odd = next(iter(missing or (name for name in unlisted if name != MANIFEST)), MANIFEST)
        raise BadInput(f"{shown} is not whole: {odd[:80]} is missing or not in its list.")
    return made


def _write(
    found: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, limit: int, shown: str,
    listed: dict[str, Any] | None,
) -> int:  # fmt: skip
    """Writes one file and returns its size; bytes are counted, and compared with the list."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with found.open(entry) as source, path.open("xb") as target:
        while piece := source.read(_CHUNK):
            size += len(piece)
            if size > limit:
                raise BadInput(f"{path.name} in {shown} is larger than {limit:,} bytes.")
            digest.update(piece)
            target.write(piece)
    if listed is not None and listed.get("sha256") != digest.hexdigest():
        raise BadInput(f"{path.name} in {shown} is damaged. Copy or export it again.")
    return size


def _limit(name: str, limits: Limits) -> int:
    if name.endswith(".parquet"):
        return limits.table_bytes
    return limits.picture_bytes if name.endswith(".png") else limits.text_bytes


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()
