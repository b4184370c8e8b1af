"""Strict loading of vision models of transformers, and the precision of their computation.

The public code of GenColorBench (moatifbutt/gen-color-bench @ 802a3ba, ``config.py``) enters
bfloat16 autocast once on a GPU, and allows TF32, so that GroundingDINO, SAM 2 and Janus all compute
so; on a CPU it does neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.machine import Placement
from truehue.core.masks.grounded.weights import VisionEntry


def model_type(folder: Path) -> str:
    """The model type in a folder's config.json; raises BadModelFolder if there is none."""
    path = folder / "config.json"
    try:
        kind = json.loads(path.read_text(encoding="utf-8"))["model_type"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadModelFolder(
            f"{path} does not say what model this is: take a folder in the hub's layout."
        ) from error
    return str(kind)


def from_folder(model_class: Any, entry: VisionEntry, folder: Path, placement: Placement) -> Any:
    """The model in float32 on its device, ready to answer.

    Raises BadModelFolder, naming a weight, where any is missing: transformers fills those with
    random numbers, and such a model answers without meaning. Errors of memory that ran out pass.
    """
    import torch

    again = f"Get it again with: python -m truehue masks download {entry.id}"
    with quiet():
        try:
            model, report = model_class.from_pretrained(
                folder,
                dtype=torch.float32,
                use_safetensors=True,
                local_files_only=True,
                output_loading_info=True,
            )
        except Exception as error:  # what a broken file raises has no family of its own
            if is_out_of_memory(error):
                raise
            raise BadModelFolder(
                f"{folder} could not be read as {model_class.__name__}: {error} {again}"
            ) from error
    absent = sorted(report["missing_keys"])
    if absent:
        raise BadModelFolder(
            f"{folder} lacks {len(absent):,} of the weights of {model_class.__name__} "
            f"({absent[0]}{' ...' if len(absent) > 1 else ''}): they are not complete, or another "
            f"model's. {again}"
        )
    return model.eval().to(placement.device)


def processor_from_folder(processor_class: Any, folder: Path, label: str) -> Any:
    """The processor beside a model; ``label`` names the model. Raises BadModelFolder where it
    cannot be read. Errors of memory that ran out pass."""
    try:
        return processor_class.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # what a broken file raises has no family of its own
        if is_out_of_memory(error):
            raise
        problem = f"{folder} has no processor of {label} that can be read: {error}"
        raise BadModelFolder(problem) from error


@contextmanager
def quiet() -> Iterator[None]:
    """No progress bars and no warnings while weights are read; as they were afterwards. What the
    warnings say (missing weights) is asked for and acted on above."""
    from transformers.utils import logging

    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


FLOAT32, AUTOCAST = "float32", "bfloat16 autocast, TF32 allowed"
AUTOCAST_DEVICES = ("cuda",)
"""Where the released code computes under autocast."""


def applies(device: str, autocast: bool) -> bool:
    """Whether a model on ``device`` computes under autocast where that is wanted."""
    return autocast and device in AUTOCAST_DEVICES


def precision(device: str, autocast: bool) -> str:
    """The precision of a float32 model on ``device``, in words that a mask keeps."""
    return AUTOCAST if applies(device, autocast) else FLOAT32


@contextmanager
def computing(device: str, autocast: bool) -> Iterator[None]:
    """Autocast and TF32 for what the thread computes inside, where that :func:`applies`."""
    if not applies(device, autocast):
        yield
        return
    import torch

    backends = (torch.backends.cuda.matmul, torch.backends.cudnn)
    before = [backend.allow_tf32 for backend in backends]
    try:
        for backend in backends:
            backend.allow_tf32 = True
        with torch.autocast(device, torch.bfloat16):
            yield
    finally:
        for backend, allowed in zip(backends, before, strict=True):
            backend.allow_tf32 = allowed
