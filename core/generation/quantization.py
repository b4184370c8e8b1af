"""Quantized denoisers: which there are, what they need, and their loading by diffusers.

Only the denoiser is quantized. Text encoders and the decoder, which decides colors, stay as they are.
Nothing here was run on a GPU. The configuration that diffusers is given is tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.machine import local_gpus


@dataclass(frozen=True)
class Quantization:
    """A way to hold weights in fewer bytes. ``label`` is what plans and rows say; ``package`` what
    must be installed; ``bytes_a_number`` what a number takes on the device."""

    id: str
    label: str
    package: str
    bytes_a_number: float
    needs_gpu: bool


QUANTIZATIONS: Mapping[str, Quantization] = {
    item.id: item
    for item in (
        Quantization("nf4", "nf4 of the denoiser, bitsandbytes", "bitsandbytes", 0.5625, True),
        Quantization("int8", "int8 of the denoiser, bitsandbytes", "bitsandbytes", 1.0, True),
        Quantization("int8wo", "int8 weights of the denoiser, torchao", "torchao", 1.0, False),
        Quantization("q8_0", "Q8_0 of the denoiser, GGUF", "gguf", 1.0625, False),
    )
}
"""By the ``quantization`` of an entry. nf4 has a scale of four bytes for 64 numbers, Q8_0 one of two
bytes for 32."""


def missing_for(name: str, quantization: str) -> tuple[str, ...]:
    """What is missing before the model ``name`` can be loaded so, one sentence each."""
    import importlib.util

    if not quantization:
        return ()
    way = QUANTIZATIONS[quantization]
    problems = []
    if importlib.util.find_spec(way.package) is None:
        problems.append(f"{name} needs the package {way.package}. Run: pip install {way.package}")
    if way.needs_gpu and not local_gpus():
        problems.append(
            f"{name} needs an NVIDIA GPU: {way.package} cannot quantize on a CPU. Take the model "
            "without quantization."
        )
    return tuple(problems)


def config(quantization: str, dtype: Any) -> Any:
    """The configuration that diffusers loads a denoiser with; ``dtype`` is what it computes in."""
    import diffusers

    if quantization == "nf4":
        return diffusers.BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype
        )
    if quantization == "int8":
        return diffusers.BitsAndBytesConfig(load_in_8bit=True)
    if quantization == "int8wo":
        from torchao.quantization import (  # type: ignore[import-not-found, unused-ignore]
            Int8WeightOnlyConfig,
        )

        return diffusers.TorchAoConfig(Int8WeightOnlyConfig())
    return diffusers.GGUFQuantizationConfig(compute_dtype=dtype)


def quantized_part(
    name: str,
    quantization: str,
    part_class: Any,
    folder: Path,
    dtype: Any,
    *,
    variant: str | None = None,
    file: Path | None = None,
) -> Any:
    """The denoiser of ``folder``, quantized; ``file`` is its GGUF file, which holds the weights in
    place of the folder's. Raises BadInput, with what is missing here."""
    if problems := missing_for(name, quantization):
        raise BadInput(" ".join(problems))
    options = {"quantization_config": config(quantization, dtype), "local_files_only": True}
    if file is not None:
        return part_class.from_single_file(
            str(file), config=str(folder), torch_dtype=dtype, **options
        )
    return part_class.from_pretrained(
        folder, torch_dtype=dtype, variant=variant, use_safetensors=True, **options
    )
