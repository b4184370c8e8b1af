"""Groups as WebDataset archives: tar files whose members ``KEY.real.jpg``, ``KEY.rank0.jpg`` … and
``KEY.txt`` are one sample. The names of the released list of CFD read like such members."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.fidelity.groups import CATEGORIES, Group, write_groups
from truehue.core.files import file_problem

SAMPLES = 1000
"""Groups of one archive."""
_MEMBER = re.compile(r"([^.]+)\.(real|rank\d+|txt|json)(?:\.(jpg|jpeg|png))?")


def write_archives(folder: Path, groups: Sequence[Group], samples: int = SAMPLES) -> list[Path]:
    """Writes ``000000.tar`` and so on into a new folder: the files' own bytes, captions as UTF-8,
    and category and model as JSON. The same groups give the same bytes.

    Raises BadInput for a folder that is there, DataFolderError where it cannot be written.
    """
    if folder.exists():
        raise BadInput(f"{folder} is there already: choose another folder.")
    try:
        folder.mkdir(parents=True)
        return [
            _write(folder / f"{number:06d}.tar", groups[start : start + samples], start)
            for number, start in enumerate(range(0, len(groups), samples))
        ]
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {file_problem(error)}.") from error


def _write(path: Path, groups: Sequence[Group], first: int) -> Path:
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for number, group in enumerate(groups, start=first):
            names = ["real", *(f"rank{rank}" for rank in range(len(group.images)))]
            about = {"category": group.category, "model": group.model}
            members = [
                (f"{name}.{file.suffix.lower().lstrip('.')}", file.read_bytes())
                for name, file in zip(names, group.files, strict=True)
            ]
            members += [("txt", group.caption.encode()), ("json", json.dumps(about).encode())]
            for name, content in members:
                info = tarfile.TarInfo(f"{number:08d}.{name}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return path


def read_archives(archives: Sequence[Path], folder: Path) -> list[Group]:
    """Unpacks archives into a new folder and returns their groups, also written there as
    ``groups.json``.

    Files are named by archive and key, so that no member decides where it is written. Raises
    BadInput, with the archive and the key, for what is no group.
    """
    if folder.exists():
        raise BadInput(f"{folder} is there already: choose another folder.")
    groups: list[Group] = []
    for number, path in enumerate(archives):
        for key, parts in _samples(path):
            try:
                groups.append(_group(folder / f"{number:06d}", len(groups), parts))
            except BadInput as error:
                raise BadInput(f"{path.name}, {key[:60]}: {error}") from None
    if not groups:
        raise BadInput("The archives hold no groups.")
    write_groups(folder / "groups.json", groups)
    return groups


def _samples(path: Path) -> Iterator[tuple[str, dict[str, bytes]]]:
    """The members of each key, which follow each other; other members are passed over."""
    key, parts = "", dict[str, bytes]()
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                found = _MEMBER.fullmatch(Path(member.name).name) if member.isfile() else None
                content = archive.extractfile(member) if found else None
                if found is None or content is None:
                    continue
                if found[1] != key and parts:
                    yield key, parts
                    parts = {}
                key = found[1]
                parts[".".join(part for part in found.groups()[1:] if part)] = content.read()
    except (OSError, tarfile.TarError) as error:
        raise BadInput(f"{path} cannot be read as a tar archive: {error}") from None
    if parts:
        yield key, parts


def _group(folder: Path, number: int, parts: dict[str, bytes]) -> Group:
    images = {name.split(".")[0]: name for name in parts if "." in name}
    ranks = sorted(int(name[4:]) for name in images if name != "real")
    if "real" not in images or not ranks or ranks != list(range(len(ranks))):
        raise BadInput("a group has real.jpg, and rank0.jpg, rank1.jpg and so on.")
    try:
        caption = parts.get("txt", b"").decode().strip()
        about = json.loads(parts.get("json", b"{}"))
        category, model = str(about.get("category") or ""), str(about.get("model") or "")
    except (ValueError, AttributeError) as error:
        raise BadInput(f"its text or JSON cannot be read: {error}") from None
    if not caption:
        raise BadInput("its caption (txt) is empty.")
    if category and category not in CATEGORIES:
        raise BadInput(f"{category!r:.60} is none of the categories: {', '.join(CATEGORIES)}.")
    files = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("real", *(f"rank{rank}" for rank in ranks)):
            files.append(folder / f"{number:08d}-{images[name]}")
            files[-1].write_bytes(parts[images[name]])
    except OSError as error:
        raise DataFolderError(f"{folder} cannot be written: {file_problem(error)}.") from error
    return Group(files[0], tuple(files[1:]), caption, category, model)
