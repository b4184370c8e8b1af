"""Janus from a folder in the hub's layout, to draw with or to ask: the same files do both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.machine import Placement


@dataclass(frozen=True)
class JanusParts:
    """transformers' JanusProcessor and JanusForConditionalGeneration, on their device.

    ``weight_bytes`` were counted before layers were offloaded: with its hooks the model's own
    count finds empty tensors.
    """

    processor: Any
    model: Any
    weight_bytes: int


def read_janus(folder: Path, placement: Placement, get_again: str) -> JanusParts:
    """Loads a folder in the hub's layout (``deepseek-community/Janus-Pro-7B`` and alike).

    Any offload moves layers one by one: Janus is one large part. Nothing is downloaded, no code of
    the folder is run. Raises BadModelFolder, ending in the sentence ``get_again``, for a folder
    that holds no whole Janus.
    """
    import torch
    from transformers import JanusForConditionalGeneration, JanusProcessor

    try:
        processor = JanusProcessor.from_pretrained(folder, local_files_only=True)
        model, report = JanusForConditionalGeneration.from_pretrained(
            folder,
            dtype=getattr(torch, placement.dtype),
            local_files_only=True,
            use_safetensors=True,
            output_loading_info=True,
        )
    except Exception as error:  # what a broken file raises has no family: even Exception itself
        if is_out_of_memory(error):
            raise
        raise BadModelFolder(
            f"{folder} could not be read as Janus: {error}. {get_again}"
        ) from error
    absent = sorted(report["missing_keys"])
    if absent:
        # Transformers fills what is absent with random numbers, which would draw noise.
        raise BadModelFolder(
            f"{folder} lacks {len(absent):,} of Janus's weights ({absent[0]} ...). {get_again}"
        )
    if processor.chat_template is None:
        raise BadModelFolder(f"{folder} has no chat template (chat_template.jinja).")
    model.eval()
    weight_bytes = int(model.get_memory_footprint())
    if placement.offload == "none":
        model.to(placement.device)
    else:
        from accelerate import cpu_offload

        cpu_offload(model, execution_device=torch.device(placement.device))
    return JanusParts(processor, model, weight_bytes)


def device_bytes(model: Any, placement: Placement) -> int:
    """Bytes of weights on the device: all, or the largest layer where layers are moved."""
    if placement.offload == "none":
        return int(model.get_memory_footprint())
    return max(
        sum(weight.numel() * weight.element_size() for weight in layer.parameters(False))
        for layer in model.modules()
    )
