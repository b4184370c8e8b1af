"""Where a model's weights are on this machine. Nothing here downloads."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.generation.entry import ModelEntry
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.registry import model
from truehue.core.generation.weights.files import MAX_HEADER_BYTES, part_file

VARIABLE = "TRUEHUE_MODELS"
SHIPPED = Path(__file__).resolve().parents[3] / "assets" / "models"
"""Where the models lie that come with the app, each in a folder named by its id."""

_COMMIT = re.compile(r"[0-9a-f]{40}")
_WHOLE_BYTES = 2**20
_BLOCKS, _BLOCK_BYTES = 64, 2**14


@dataclass(frozen=True)
class Sources:
    """Where to look: ``models_folder`` first, then the hub's cache (``hub_cache``, or where
    huggingface_hub keeps it)."""

    models_folder: Path | None = None
    hub_cache: Path | None = None

    @classmethod
    def here(cls, models_folder: Path | None = None) -> Sources:
        """The given folder, else that of the environment's TRUEHUE_MODELS, else the cache alone."""
        named = os.environ.get(VARIABLE, "").strip()
        return cls(models_folder or (Path(named).expanduser() if named else None))


@dataclass(frozen=True)
class Source:
    """A folder with a model's weights, as yet unchecked.

    ``revision`` is the commit of the hub where it is known, else "". ``base`` is the folder of the
    pipeline that takes these weights as one part.
    """

    folder: Path
    repo: str
    revision: str
    base: Source | None = None

    def fingerprint(self) -> str:
        """SHA-256 of every file's name, size and a sample of its bytes, as hex.

        A file of at most 1 MiB is read whole. Of a larger one 64 blocks of 16 KiB are read, evenly
        spaced from its first byte to its last, and of safetensors also the whole header. So
        weights that were trained further tell themselves apart without reading gigabytes; a change
        of a few numbers between two blocks does not. Names that begin with a dot are left out.
        """
        digest = hashlib.sha256()
        for path in sorted(self.folder.rglob("*")):
            inside = path.relative_to(self.folder)
            if path.is_file() and not inside.parts[0].startswith("."):
                size = path.stat().st_size
                digest.update(f"\0{inside.as_posix()}\0{size}\0".encode())
                with path.open("rb") as file:
                    for start, length in _sampled(file, size):
                        file.seek(start)
                        digest.update(file.read(length))
        return digest.hexdigest()


def _sampled(file: BinaryIO, size: int) -> list[tuple[int, int]]:
    """Start and length of the stretches of a file that its fingerprint reads."""
    if size <= _WHOLE_BYTES:
        return [(0, size)]
    last = size - _BLOCK_BYTES
    spans = [(last * n // (_BLOCKS - 1), _BLOCK_BYTES) for n in range(_BLOCKS)]
    if Path(file.name).suffix == ".safetensors":
        header = int.from_bytes(file.read(8), "little")
        spans.insert(0, (0, 8 + min(header, MAX_HEADER_BYTES)))
    return spans


def find(entry: ModelEntry, sources: Sources) -> Source | None:
    """Where the entry's weights are; None when they, or those of its base, are not here."""
    own = find_own(entry, sources)
    if own is None or not entry.base:
        return own
    base = find_own(model(entry.base), sources)
    return None if base is None else Source(own.folder, own.repo, own.revision, base)


def find_own(entry: ModelEntry, sources: Sources) -> Source | None:
    """The same for the entry's own files only, without its base's."""
    scheme, _, path = entry.id.partition(":")
    if scheme == "folder":
        folder = named_path(path.strip())
        return Source(folder, "", _revision_in(folder)) if folder.exists() else None
    if not entry.repo and not entry.shipped:
        return None
    for folder in _named_folders(entry, sources):
        if folder.exists():
            return Source(folder, entry.repo, _revision_in(folder))
    return None if entry.shipped else _in_hub_cache(entry, sources)


def source(entry: ModelEntry, sources: Sources) -> Source:
    """The same, but raises ModelMissing with the way to get the weights."""
    model_source = find(entry, sources)
    if model_source is None:
        raise ModelMissing(" ".join(how_to_get(entry, sources)))
    return model_source


def how_to_get(entry: ModelEntry, sources: Sources) -> tuple[str, ...]:
    """What to do for weights that are not here, one sentence each."""
    if entry.id.startswith("folder:"):
        return (f"There is no folder {entry.id.partition(':')[2].strip()}.",)
    if entry.shipped:
        return (
            f"The weights of {entry.name} are not installed. Restore them with: "
            f"git checkout -- assets/models/{entry.id}",
        )
    size = f" ({entry.download_gib:g} GiB)" if entry.download_gib else ""
    if entry.base and find_own(entry, sources) is not None:
        base = model(entry.base)
        return tuple(
            f"Of {base.name}, which it is based on: {s}" for s in how_to_get(base, sources)
        )
    lines = [
        f"The weights of {entry.name}{size} are not installed. Get them with: "
        f"python -m truehue models download {entry.id}"
    ]
    gates = [gate for gate in (entry, *([model(entry.base)] if entry.base else [])) if gate.gated]
    lines += [
        f"First accept the license of {gate.name} ({gate.license}) at "
        f"https://huggingface.co/{gate.repo}, and sign in with: hf auth login"
        for gate in gates
    ]
    return tuple(lines)


def _named_folders(entry: ModelEntry, sources: Sources) -> list[Path]:
    own = [SHIPPED / entry.id] if entry.shipped else []
    if sources.models_folder is None:
        return own
    names = [entry.repo.replace("/", "--")] if entry.repo else []
    if ":" not in entry.id:
        names.insert(0, entry.id)
    return [*(sources.models_folder / name for name in names), *own]


def _in_hub_cache(entry: ModelEntry, sources: Sources) -> Source | None:
    """The snapshot that has the file every model of its kind begins with.

    Asked for by that one file: a whole snapshot is refused by huggingface_hub when a file of the
    repository is absent, and of most only a part is ever loaded.
    """
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    first = "config.json" if entry.kind == "transformers" else "model_index.json"
    first = part_file(Path()).name if entry.base else first
    try:
        path = try_to_load_from_cache(entry.repo, first, cache_dir=sources.hub_cache)
    except HFValidationError as error:
        raise BadInput(f"{entry.repo!r} is no id of the hub: write owner/name.") from error
    if not isinstance(path, str):
        return None
    folder = Path(path).parent
    return Source(folder, entry.repo, folder.name if _COMMIT.fullmatch(folder.name) else "")


def _revision_in(folder: Path) -> str:
    """The commit that a download into a folder has noted beside it, else ""."""
    notes = folder / ".cache" / "huggingface" / "download"
    for path in sorted(notes.glob("*.metadata")) if notes.is_dir() else []:
        line = path.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0].strip()
        if _COMMIT.fullmatch(line):
            return line
    return ""
