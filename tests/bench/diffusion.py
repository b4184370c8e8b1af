"""``python -m tests.bench.diffusion``: diffusers' own call against ours on the same pipeline.

Both draw the same request with the same weights in turn; the ratio is of the medians beyond the
first call, and both give the same pixels or the run stops with status 1. Goal: ours at most 1.02
of diffusers' own, without previews; with previews the ratio is for information.

The default is a pipeline of a few million random weights on one core of the CPU, in processor time,
for wall time there tells more of what else the machine does. On a GPU it is wall time, and
``--family sd35-size --size 1024 --steps 28`` takes random weights of Stable Diffusion 3.5 Medium's
size in bfloat16, ``--family sdxl-size`` of SDXL's.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from tests.tiny_models import encoders, pipelines, vocabularies
from truehue.core.generation.backends.diffusion import DiffusersModel
from truehue.core.generation.backends.loading import load
from truehue.core.generation.registry import model
from truehue.core.generation.request import GenerationRequest
from truehue.core.generation.weights.sources import Sources, source
from truehue.core.machine import Machine, machine

GOAL = 1.02


def medium(folder: Path) -> Any:
    """SD3's architecture with a transformer whose step takes some milliseconds on one core."""
    from diffusers import SD3Transformer2DModel

    pipeline = pipelines.stable_diffusion_3(folder)
    pipeline.transformer = SD3Transformer2DModel(
        sample_size=16,
        patch_size=2,
        in_channels=16,
        out_channels=16,
        num_layers=3,
        attention_head_dim=64,
        num_attention_heads=3,
        joint_attention_dim=64,
        caption_projection_dim=192,
        pooled_projection_dim=64,
        pos_embed_max_size=96,
    )
    return pipeline


def sd35_size(folder: Path) -> Any:
    """Stable Diffusion 3.5 Medium's transformer and decoder (sizes of their published configs) and
    CLIP encoders; the text encoders are tiny, as they run once an image."""
    import torch
    from diffusers import AutoencoderKL, SD3Transformer2DModel

    pipeline = pipelines.stable_diffusion_3(folder)
    with torch.device(_device()):
        pipeline.transformer = SD3Transformer2DModel(
            sample_size=128,
            patch_size=2,
            in_channels=16,
            out_channels=16,
            num_layers=24,
            attention_head_dim=64,
            num_attention_heads=24,
            joint_attention_dim=64,
            caption_projection_dim=1536,
            pooled_projection_dim=64,
            pos_embed_max_size=384,
            qk_norm="rms_norm",
            dual_attention_layers=tuple(range(13)),
        ).to(torch.bfloat16)
        pipeline.vae = AutoencoderKL(
            block_out_channels=(128, 256, 512, 512),
            layers_per_block=2,
            latent_channels=16,
            down_block_types=("DownEncoderBlock2D",) * 4,
            up_block_types=("UpDecoderBlock2D",) * 4,
            norm_num_groups=32,
            sample_size=1024,
            shift_factor=0.0609,
            scaling_factor=1.5305,
            use_quant_conv=False,
            use_post_quant_conv=False,
            force_upcast=True,
        ).to(torch.bfloat16)
    return pipeline


def sdxl_size(folder: Path) -> Any:
    """SDXL's U-Net and decoder (sizes of their published configs); the text encoders are tiny."""
    import torch
    from diffusers import AutoencoderKL, StableDiffusionXLPipeline, UNet2DConditionModel

    first, second = vocabularies.clip(), vocabularies.clip()
    with torch.device(_device()):
        unet = UNet2DConditionModel(
            sample_size=128,
            block_out_channels=(320, 640, 1280),
            layers_per_block=2,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
            cross_attention_dim=64,
            attention_head_dim=(5, 10, 20),
            use_linear_projection=True,
            transformer_layers_per_block=(1, 2, 10),
            addition_embed_type="text_time",
            addition_time_embed_dim=256,
            projection_class_embeddings_input_dim=6 * 256 + 32,
        ).to(torch.bfloat16)
        vae = AutoencoderKL(
            block_out_channels=(128, 256, 512, 512),
            layers_per_block=2,
            latent_channels=4,
            down_block_types=("DownEncoderBlock2D",) * 4,
            up_block_types=("UpDecoderBlock2D",) * 4,
            norm_num_groups=32,
            sample_size=1024,
            scaling_factor=0.13025,
            force_upcast=False,
        ).to(torch.bfloat16)
    return StableDiffusionXLPipeline(
        vae=vae,
        text_encoder=encoders.clip(first),
        text_encoder_2=encoders.clip(second, projection=True),
        tokenizer=first,
        tokenizer_2=second,
        unet=unet,
        scheduler=pipelines._euler(),
        add_watermarker=False,
    )


FAMILIES: dict[str, Callable[[Path], Any]] = {
    "medium": medium,
    "sd35-size": sd35_size,
    "sdxl-size": sdxl_size,
}


def _device() -> str:
    return machine().device


def own_pipeline(folder: Path, index: Machine, dtype: str) -> Any:
    """The pipeline as diffusers' documentation loads it."""
    import diffusers
    import torch
    import transformers

    diffusers.utils.logging.disable_progress_bar()
    transformers.utils.logging.disable_progress_bar()
    pipeline = diffusers.DiffusionPipeline.from_pretrained(folder, dtype=getattr(torch, dtype))
    pipeline.set_progress_bar_config(disable=True)
    return pipeline.to(index.device)


def turns(
    calls: dict[str, Callable[[], np.ndarray]], runs: int, index: Machine, alike: bool = True
) -> dict[str, list[float]]:
    """Seconds of each call beyond its first, ``runs`` each. They take turns, each round beginning
    with another, so that whatever else the machine does meets all of them alike. ``alike``: all
    must draw the same pixels."""
    import torch

    clock = time.process_time if index.device == "cpu" else time.perf_counter
    names = list(calls)
    pixels = {name: calls[name]() for name in names}
    for name in names[1:]:
        if alike and not np.array_equal(pixels[name], pixels[names[0]]):
            raise SystemExit(f"{name} and {names[0]} drew different pixels.")
    used: dict[str, list[float]] = {name: [] for name in names}
    gc.collect()
    for run in range(runs):
        for name in names[run % len(names) :] + names[: run % len(names)]:
            start = clock()
            calls[name]()
            if index.device == "cuda":
                torch.cuda.synchronize()
            used[name].append(clock() - start)
    return used


def main() -> int:
    """Prints the table; returns the exit status."""
    import diffusers
    import torch

    parser = argparse.ArgumentParser(prog="python -m tests.bench.diffusion", description=__doc__)
    parser.add_argument("--family", choices=FAMILIES, default="medium")
    parser.add_argument("--size", type=int, default=128, help="side in pixels")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--runs", type=int, default=41)
    parse_args = parser.parse_args()
    index = machine()
    if index.device == "cpu":
        torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / parse_args.family
        torch.manual_seed(0)
        FAMILIES[parse_args.family](folder).save_pretrained(folder)
        entry = model(f"folder:{folder}")
        ours: DiffusersModel = load(entry, source(entry, Sources()), index)
        previewer = ours.previewer
        request = GenerationRequest(
            entry.id,
            "a red mug on a wooden table",
            7,
            parse_args.steps,
            4.5,
            parse_args.size,
            parse_args.size,
        )
        dtype = ours.draw([request], lambda report: None, Event())[0].origin["dtype"]
        own = own_pipeline(folder, index, dtype)

    def draw_own() -> np.ndarray:
        image = own(
            request.text,
            num_inference_steps=parse_args.steps,
            guidance_scale=4.5,
            width=parse_args.size,
            height=parse_args.size,
            generator=torch.Generator("cpu").manual_seed(7),
        ).images[0]
        return np.asarray(image)

    def draw_ours(previews: bool) -> np.ndarray:
        ours.previewer = previewer if previews else None
        return ours.draw([request], lambda report: None, Event())[0].srgb8

    print(
        f"{index.name}, {index.device}, {dtype}; torch {torch.__version__}, diffusers "
        f"{diffusers.__version__}, {torch.get_num_threads()} threads"
    )
    numbers = sum(
        parameter.numel()
        for parameter in next(
            part for part in (getattr(own, "transformer", None), getattr(own, "unet", None)) if part
        ).parameters()
    )
    print(
        f"{parse_args.family}: {type(own).__name__}, {numbers / 1e6:,.0f} M weights that denoise, "
        f"{parse_args.size} x {parse_args.size}, {parse_args.steps} steps; medians of {parse_args.runs} in turns"
    )
    calls: dict[str, Callable[[], np.ndarray]] = {
        "diffusers' own call": draw_own,
        "diffusers' own call again": draw_own,
        "ours, previews off": lambda: draw_ours(False),
        "ours, previews on": lambda: draw_ours(True),
    }
    used = turns(calls, parse_args.runs, index)
    base = statistics.median(used["diffusers' own call"])
    for name, times in used.items():
        seconds = statistics.median(times)
        text = ""
        if name == "ours, previews off":
            text = f"goal at most {GOAL}: {'met' if seconds / base <= GOAL else 'NOT MET'}"
        elif name.endswith("again"):
            text = "what chance does to a ratio here"
        print(f"  {name:<27}{seconds * 1e3:10.1f} ms  {seconds / base:7.3f}  {text}".rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
