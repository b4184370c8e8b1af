"""Location and completeness of a model's weights on this machine. It downloads nothing."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.registry import ModelEntry, model

# The names diffusers and transformers look for; other safetensors in a folder are not theirs.
STEMS = ("diffusion_pytorch_model", "model")
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".msgpack", ".h5")
MAX_HEADER_BYTES = 100_000_000
_SHARD = re.compile(r"-\d{5}-of-\d{5}")


@dataclass(frozen=True)
class WeightSet:
    """The files of one variant (None: the plain one) and, if it is split, its list of parts."""

    variant: str | None
    files: tuple[str, ...]
    index: str | None


def weight_sets(names: Iterable[str]) -> dict[str | None, WeightSet]:
    """The sets of weights among a folder's file names, by variant."""
    files: dict[str | None, list[str]] = {}
    lists: dict[str | None, str] = {}
    for name in sorted(names):
        parts = _parse(name)
        if parts is None:
            continue
        variant, is_index = parts
        if is_index:
            lists[variant] = name
        else:
            files.setdefault(variant, []).append(name)
    variants = [*files, *(variant for variant in lists if variant not in files)]
    return {
        variant: WeightSet(variant, tuple(files.get(variant, ())), lists.get(variant))
        for variant in variants
    }


def _parse(name: str) -> tuple[str | None, bool] | None:
    """Variant, and whether it is a list of parts; None for what are no weights.

    ``model.fp16-00001-of-00002.safetensors`` is written ``model-00001-of-00002.fp16.safetensors``
    in older repositories, and their lists differ likewise.
    """
    is_index = ".index" in name and name.endswith(".json")
    if not is_index and not name.endswith(".safetensors"):
        return None
    plain = _SHARD.sub("", name).removesuffix(".json").removesuffix(".safetensors")
    parts = [part for part in plain.split(".") if part not in ("index", "safetensors")]
    if not parts or parts[0] not in STEMS or len(parts) > 2:
        return None
    if is_index and ".safetensors" not in name:
        return None
    return (parts[1] if len(parts) == 2 else None), is_index


def check_set(folder: Path, weight_set: WeightSet) -> int:
    """Reads every header of the set; returns the count of numbers in it.

    Raises BadModelFolder, naming the file, when one is missing, empty, or shorter than it says.
    """
    if weight_set.index is None:
        split = [name for name in weight_set.files if _SHARD.search(name)]
        if split:
            raise BadModelFolder(
                f"{folder / split[0]} is one part of several, and their list "
                "(model.safetensors.index.json) is missing: the download is not complete."
            )
        names = set(weight_set.files)
    else:
        names = set(_weight_map(folder / weight_set.index).values())
    return sum(numbers_in(folder / name) for name in sorted(names))


def part_file(entry: ModelEntry, folder: Path) -> Path:
    """The one file of a repository that holds the weights of a single part, as SRPO's does."""
    return folder / entry.part_name


def numbers_in_part(entry: ModelEntry, folder: Path) -> int:
    """How many numbers of two bytes the file of a part takes. Raises BadModelFolder for another
    file, or none."""
    path = part_file(entry, folder)
    if path.suffix != ".gguf":
        return numbers_in(path)
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise BadModelFolder(f"{path} cannot be read ({error.strerror}).") from error
    if magic != b"GGUF":
        raise BadModelFolder(f"{path} is no GGUF file. Download it again.")
    return path.stat().st_size // 2


def _weight_map(path: Path) -> Mapping[str, str]:
    try:
        weight_map = json.loads(path.read_text(encoding="utf-8"))["weight_map"]
        names = {str(key): str(value) for key, value in weight_map.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadModelFolder(f"{path} cannot be read as a list of weight files.") from error
    if not names or any(Path(name).name != name for name in names.values()):
        raise BadModelFolder(f"{path} names no files of its own folder.")
    return names


def numbers_in(path: Path) -> int:
    """How many numbers a safetensors file holds, from its header alone.

    Raises BadModelFolder when the file is missing, empty, cut off, or of another format.
    """
    again = "Download it again."
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(8)
            length = int.from_bytes(head, "little")
            if head.startswith(b"version "):
                raise BadModelFolder(
                    f"{path} is a pointer of Git LFS, not the weights: run git lfs pull."
                )
            if size < 8:
                raise BadModelFolder(f"{path} is empty. {again}")
            if not 2 <= length <= MAX_HEADER_BYTES:
                raise BadModelFolder(f"{path} is no safetensors file. {again}")
            header = json.loads(file.read(length))
        tensors = [value for key, value in header.items() if key != "__metadata__"]
        expected_bytes = 8 + length + max((int(t["data_offsets"][1]) for t in tensors), default=0)
        numbers = sum(math.prod(int(n) for n in t["shape"]) for t in tensors)
    except FileNotFoundError as error:
        raise BadModelFolder(
            f"{path} is missing: the download is not complete. Run it again."
        ) from error
    except BadModelFolder:
        raise
    except OSError as error:
        raise BadModelFolder(f"{path} cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise BadModelFolder(f"{path} is cut off or no safetensors file. {again}") from error
    if size != expected_bytes:
        raise BadModelFolder(
            f"{path} has {size:,} bytes and should have {expected_bytes:,}: the download is not "
            f"complete. {again}"
        )
    return numbers


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
    def local(cls, models_folder: Path | None = None) -> Sources:
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
    if entry.files_of:
        return find(model(entry.files_of), sources)
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
    """Instructions for missing weights, one sentence each."""
    if entry.files_of:
        return how_to_get(model(entry.files_of), sources)
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
    first = entry.part_name if entry.base else first
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
