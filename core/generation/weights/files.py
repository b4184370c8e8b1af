"""Weight files as they lie in a part's folder: which belong together, and are they whole."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from truehue.core.generation.memory import BadModelFolder

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


def part_file(folder: Path) -> Path:
    """The one file of a repository that holds the weights of a single part, as SRPO's does."""
    return folder / f"{STEMS[0]}.safetensors"


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
