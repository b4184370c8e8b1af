"""CFM's files: Qwen2-VL with a head, under the names of transformers 4.45 or today's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truehue.core.generation.memory import BadModelFolder, ModelMissing

HEAD = "rm_head."
EMBEDDING = "language_model.embed_tokens.weight"
_UNUSED = ("lm_head.weight",)  # what would choose the next word
_SHOWN = 3
_TEXT = "language_model."


def current_weight_name(name: str) -> str:
    """The name that transformers 5 has in Qwen2VLModel for a weight of either naming; the head's
    own stay."""
    if name.startswith(HEAD) or name in _UNUSED:
        return name
    for old, new in (
        ("model.visual.", "visual."),
        ("model.language_model.", "language_model."),
        ("model.", "language_model."),
    ):
        if name.startswith(old):
            return new + name.removeprefix(old)
    return name


def released_name(name: str) -> str:
    """The name that transformers 4.45, and so the published shards, have for one of today's."""
    return "model." + name.removeprefix(_TEXT) if name.startswith(_TEXT) else name


def resized_rows(weight: Any, rows: int) -> Any:
    """An embedding ``(n, width)`` with so many rows: the first of them, and the mean for what is
    new."""
    import torch

    if rows <= len(weight):
        return weight[:rows]
    return torch.cat([weight, weight.mean(dim=0, keepdim=True).expand(rows - len(weight), -1)])


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a folder, in order; raises ModelMissing where there are none, and
    BadModelFolder where a shard of a numbered set is not there."""
    files = sorted(path for path in folder.glob("*.safetensors") if not path.name.startswith("."))
    if not files:
        raise ModelMissing(
            f"{folder} holds no safetensors files of CFM. Get Nineve/CFM_7B from the hub."
        )
    for path in files:
        _, mark, total = path.stem.rpartition("-of-")
        if mark and total.isdigit() and int(total) != len(files):
            raise BadModelFolder(
                f"{folder} holds {len(files)} of {int(total)} shards. Download the rest."
            )
    return files


def vocabulary_size(files: Sequence[Path]) -> int:
    """Rows of the embedding, which the added token has made one longer."""
    from safetensors import safe_open

    for path in files:
        with safe_open(path, framework="pt") as shard:
            for name in shard.keys():  # noqa: SIM118
                if current_weight_name(name) == EMBEDDING:
                    return int(shard.get_slice(name).get_shape()[0])
    raise BadModelFolder(f"{files[0].parent} holds no embedding: it is no Qwen2-VL.")


def head(width: int) -> Any:
    """CFM's head, float32: width → 1024 → 16 → 1, with ReLU between and dropout after the first."""
    import torch

    return torch.nn.Sequential(
        torch.nn.Linear(width, 1024),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.05),
        torch.nn.Linear(1024, 16),
        torch.nn.ReLU(),
        torch.nn.Linear(16, 1),
    )


def fill(
    backbone: Any, reward_head: Any, files: Sequence[Path], *, from_base: bool = False
) -> None:
    """Copies every weight of the files into a Qwen2VLModel and its head.

    Strict: raises BadModelFolder, naming the weights, where one is missing, is not known, comes
    twice or has another shape. The word head of the language model is left out. With ``from_base``
    the files are a Qwen2-VL's: the head keeps its weights, and of the embedding as many rows are
    copied as both have; further ones get the mean of the copied.
    """
    import torch
    from safetensors import safe_open

    positions = dict(backbone.state_dict(keep_vars=True))
    if not from_base:
        positions |= {f"{HEAD}{name}": tensor for name, tensor in reward_head.state_dict().items()}
    filled: set[str] = set()
    unknown, odd = [], []
    folder = files[0].parent
    with torch.no_grad():
        for path in files:
            with safe_open(path, framework="pt") as shard:
                for name in shard.keys():  # noqa: SIM118
                    location = current_weight_name(name)
                    if location in _UNUSED:
                        continue
                    if location not in positions:
                        unknown.append(name)
                        continue
                    weight = shard.get_tensor(name)
                    if from_base and location == EMBEDDING:
                        weight = resized_rows(weight, len(positions[location]))
                    if weight.shape != positions[location].shape or location in filled:
                        odd.append(name)
                        continue
                    positions[location].copy_(weight)
                    filled.add(location)
    missing = sorted(set(positions) - filled)
    for text, names in (
        ("lacks {} of CFM's weights", missing),
        ("holds {} weights that CFM does not have", unknown),
        ("holds {} weights of another shape, or twice", odd),
    ):
        if names:
            shown = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
            raise BadModelFolder(f"{folder} {text.format(len(names))}: {shown}.")
