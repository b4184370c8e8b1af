"""How each pipeline class is asked: one row a class, and rules for classes that have no row."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# What is drawn must follow from the request alone. Binning draws at another size and resamples,
# which mixes colors at edges. Caption cleaning drops "#" from hex codes, and happens only where
# two more packages are installed.
AS_ASKED = {"use_resolution_binning": False, "clean_caption": False}


@dataclass(frozen=True)
class Family:
    """How one pipeline class is called.

    ``guidance`` is the argument that a request's guidance goes to, "" where there is none.
    ``two_predictions``: the guidance scales what lies between a prediction without the prompt and
    one with it, as CFR needs it; else it is an input of the denoiser. ``negative`` says whether a
    negative prompt has an effect, ``empty_negative`` is what stands for none. ``multiple_px``:
    sides must be multiples of it. ``limits``: tokens each tokenizer reads, special ones included.
    ``fixed``: arguments given in every call. ``at_load``: arguments of from_pretrained.
    """

    guidance: str = "guidance_scale"
    two_predictions: bool = True
    negative: bool = True
    empty_negative: str | None = None
    multiple_px: int = 8
    limits: Mapping[str, int] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    at_load: Mapping[str, Any] = field(default_factory=dict)


# The watermark would change the pixels where a package happens to be installed.
_SDXL_LOAD = {"add_watermarker": False}

FAMILIES: dict[str, Family] = {
    "StableDiffusionPipeline": Family(limits={"tokenizer": 77}),
    "StableDiffusionXLPipeline": Family(
        limits={"tokenizer": 77, "tokenizer_2": 77}, at_load=_SDXL_LOAD
    ),
    "StableDiffusion3Pipeline": Family(
        multiple_px=16, limits={"tokenizer": 77, "tokenizer_2": 77, "tokenizer_3": 256}
    ),
    # Its guidance is an input of the transformer; negatives would need a second pass that the
    # distilled weights were not made for.
    "FluxPipeline": Family(
        two_predictions=False,
        negative=False,
        multiple_px=16,
        limits={"tokenizer": 77, "tokenizer_2": 512},
    ),
    # The pipeline puts its own instruction before the prompt, counted in addition.
    "SanaPipeline": Family(multiple_px=32, limits={"tokenizer": 300}, fixed=AS_ASKED),
    "PixArtAlphaPipeline": Family(multiple_px=16, limits={"tokenizer": 120}, fixed=AS_ASKED),
    "PixArtSigmaPipeline": Family(multiple_px=16, limits={"tokenizer": 300}, fixed=AS_ASKED),
    "HunyuanDiTPipeline": Family(
        multiple_px=16,
        limits={"tokenizer": 77, "tokenizer_2": 256},
        fixed={"use_resolution_binning": False},
    ),
    "KolorsPipeline": Family(limits={"tokenizer": 256}),
    "CogView4Pipeline": Family(multiple_px=16, limits={"tokenizer": 1024}),
    # guidance_scale is for distilled variants; without a negative prompt there is no guidance at
    # all, so its card asks for a blank.
    "QwenImagePipeline": Family(
        guidance="true_cfg_scale", empty_negative=" ", multiple_px=16, limits={"tokenizer": 512}
    ),
}


def family(pipeline: Any) -> Family:
    """The row of a loaded pipeline's class, or one made from its call's own arguments."""
    entry = FAMILIES.get(type(pipeline).__name__)
    if entry is not None:
        return entry
    call = call_defaults(type(pipeline))
    guidance = next((name for name in ("guidance_scale", "true_cfg_scale") if name in call), "")
    limits = {}
    for name, part in pipeline.components.items():
        if name.startswith("tokenizer") and part is not None:
            limits[name] = _limit(part, call.get("max_sequence_length"))
    return Family(
        guidance=guidance,
        negative="negative_prompt" in call,
        multiple_px=1,
        limits={name: limit for name, limit in limits.items() if limit},
        fixed={name: value for name, value in AS_ASKED.items() if name in call},
    )


def call_defaults(pipeline_class: type) -> dict[str, Any]:
    """The arguments of a pipeline's call with their defaults; ``inspect.Parameter.empty`` where
    one must be given."""
    parameters = inspect.signature(pipeline_class.__call__).parameters
    return {name: parameter.default for name, parameter in parameters.items() if name != "self"}


def _limit(tokenizer: Any, sequence: Any) -> int:
    """Tokens read: CLIP's own length, else the call's, else the tokenizer's where it states one."""
    own = int(getattr(tokenizer, "model_max_length", 0) or 0)
    own = own if own < 1_000_000 else 0
    if "CLIP" in type(tokenizer).__name__ or not isinstance(sequence, int):
        return own
    return sequence
