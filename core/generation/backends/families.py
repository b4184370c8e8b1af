"""Arguments, progress and interruption of each pipeline class of diffusers."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import numpy as np

from truehue.core.generation.request import Cancelled, OnStep, StepReport

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
    ``cfr``: whether CFR was tested with the class.
    """

    guidance: str = "guidance_scale"
    two_predictions: bool = True
    negative: bool = True
    empty_negative: str | None = None
    multiple_px: int = 8
    limits: Mapping[str, int] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    at_load: Mapping[str, Any] = field(default_factory=dict)
    cfr: bool = True


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
    # Guidance is an input of the transformer. The chat template's tokens count among the limit, as
    # for klein, Z-Image and Kandinsky.
    "Flux2Pipeline": Family(
        two_predictions=False, negative=False, multiple_px=16, limits={"tokenizer": 512}
    ),
    "Flux2KleinPipeline": Family(
        negative=False, multiple_px=16, limits={"tokenizer": 512}, cfr=False
    ),
    "ZImagePipeline": Family(multiple_px=16, limits={"tokenizer": 512}, cfr=False),
    # It reads prompts of any length. A negative prompt has an effect with a guidance above 1 alone,
    # and needs a blank where there is none.
    "QwenImage21Pipeline": Family(
        guidance="true_cfg_scale", empty_negative=" ", multiple_px=32, cfr=False
    ),
    # Its guidance is a part of the repository, not an argument. ByT5 reads quoted text alone.
    "HunyuanImagePipeline": Family(
        guidance="", multiple_px=32, limits={"tokenizer": 1000}, cfr=False
    ),
    # What rewrites prompts is left out: it samples words, and the prompt would not decide.
    "ErnieImagePipeline": Family(
        multiple_px=16,
        fixed={"use_pe": False},
        at_load={"pe": None, "pe_tokenizer": None},
        cfr=False,
    ),
    "LongCatImagePipeline": Family(
        multiple_px=16,
        limits={"tokenizer": 512},
        fixed={"enable_prompt_rewrite": False},
        cfr=False,
    ),
    "OvisImagePipeline": Family(multiple_px=16, limits={"tokenizer": 256}, cfr=False),
    "Kandinsky5T2IPipeline": Family(
        multiple_px=16, limits={"tokenizer": 512, "tokenizer_2": 77}, cfr=False
    ),
    "Lumina2Pipeline": Family(multiple_px=16, limits={"tokenizer": 256}, cfr=False),
    "ChromaPipeline": Family(multiple_px=16, limits={"tokenizer": 512}, cfr=False),
}


def family(pipeline: Any) -> Family:
    """The row of a loaded pipeline's class, or one made from its call's own arguments."""
    entry = FAMILIES.get(type(pipeline).__name__)
    if entry is not None:
        return entry
    call = call_defaults(type(pipeline))
    limits = {}
    for name, part in pipeline.components.items():
        if name.startswith("tokenizer") and part is not None:
            limits[name] = _limit(part, call.get("max_sequence_length"))
    limits = {name: limit for name, limit in limits.items() if limit}
    return replace(_by_call(call), limits=limits)


def family_named(pipeline: str) -> Family | None:
    """The same of a class by its name, before anything is loaded and without ``limits``; None for
    a name that diffusers does not have."""
    if pipeline in FAMILIES or not pipeline:
        return FAMILIES.get(pipeline)
    try:
        import diffusers

        found = getattr(diffusers, pipeline, None)
    except (ImportError, RuntimeError):  # loading says what is wrong
        return None
    return _by_call(call_defaults(found)) if isinstance(found, type) else None


def _by_call(call: Mapping[str, Any]) -> Family:
    return Family(
        guidance=next((name for name in ("guidance_scale", "true_cfg_scale") if name in call), ""),
        negative="negative_prompt" in call,
        multiple_px=1,
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


PREVIEW_PX = 128
_IMAGES, _SIDE, _FIELD = 8, 8, 4

PREVIEW_EVERY = 4


class StepWatch:
    """Reports one image's steps and raises Cancelled from within the step that follows ``stop``.

    Steps count from ``done`` of ``images`` times the scheduler's.
    """

    def __init__(
        self,
        pipeline: Any,
        on_step: OnStep,
        stop: Event,
        previewer: Previewer | None,
        size: tuple[int, int],
        image: int,
        images: int,
    ) -> None:
        self._pipeline = pipeline
        self._on_step = on_step
        self._stop = stop
        self._previewer = previewer
        self._size = size
        self._image, self._images = image, images
        self.count = 0

    @property
    def stopped(self) -> bool:
        """Whether the image is no longer wanted."""
        return self._stop.is_set()

    def after(self, latents: Any) -> None:
        """To be called after each step with the latents as the pipeline keeps them."""
        if self._stop.is_set():
            raise Cancelled
        self.count += 1
        steps = max(len(self._pipeline.scheduler.timesteps), self.count)
        preview = None
        if self._previewer is not None and self.count % PREVIEW_EVERY == 0:
            latents = unpacked(self._pipeline, latents, *self._size)
            # Some pipelines keep latents in a form that the map was not fitted to.
            if latents is not None and len(latents) == len(self._previewer.weights) - 1:
                preview = self._previewer.preview_image(latents)
        done = self._image * steps + self.count
        self._on_step(StepReport(done, self._images * steps, preview))
        if self._stop.is_set():
            raise Cancelled

    def callback(self, pipeline: Any, index: int, timestep: Any, tensors: dict) -> dict:
        """The same as diffusers' callback_on_step_end."""
        self.after(tensors.get("latents"))
        return {}


@contextmanager
def watching(pipeline: Any, watch: StepWatch, by_callback: bool) -> Iterator[dict[str, Any]]:
    """Yields the arguments that make a call report to ``watch``.

    Pipelines without diffusers' callback_on_step_end (PixArt-α and Σ among ours) are watched by
    their scheduler instead, whose step is wrapped while the call lasts.
    """
    if by_callback:
        yield {"callback_on_step_end": watch.callback}
        return
    scheduler = getattr(pipeline, "scheduler", None)
    if scheduler is None:
        yield {}
        return
    own, previous = scheduler.step, vars(scheduler).get("step")

    # wraps: pipelines read the step's signature to know what it takes.
    @functools.wraps(own)
    def step(*args: Any, **kwargs: Any) -> Any:
        output = own(*args, **kwargs)
        watch.after(output[0] if isinstance(output, tuple) else output.prev_sample)
        return output

    scheduler.step = step
    try:
        yield {}
    finally:
        if previous is None:
            vars(scheduler).pop("step", None)
        else:
            scheduler.step = previous


class Previewer:
    """Maps latents to sRGB linearly: one matrix multiplication, no decoder.

    ``weights`` float32 ``(C + 1, 3)``: latent channels and a constant, to sRGB in [-1, 1].
    """

    def __init__(self, weights: np.ndarray) -> None:
        self.weights = weights
        self._by_device: dict[str, Any] = {}

    def preview_image(self, latents: Any) -> np.ndarray:
        """``latents`` a tensor ``(C, h, w)`` on any device; returns uint8 ``(h', w', 3)``, sides at
        most ``PREVIEW_PX``."""
        import torch

        small = latents.detach().to(torch.float32)
        shrink = math.ceil(max(small.shape[-2:]) / PREVIEW_PX)
        if shrink > 1:
            small = torch.nn.functional.avg_pool2d(small[None], shrink)[0]
        # Early latents of some schedulers are many times louder than a finished image's.
        small = small / torch.clamp(small.std(), min=1.0)
        key = str(small.device)
        if key not in self._by_device:
            self._by_device[key] = torch.from_numpy(self.weights).to(small.device)
        weights = self._by_device[key]
        rgb = torch.einsum("chw,cd->hwd", small, weights[:-1]) + weights[-1]
        rgb8 = ((rgb + 1) * 127.5).clamp(0, 255).nan_to_num(127.5).round().to(torch.uint8)
        pixels: np.ndarray = rgb8.cpu().numpy()
        return pixels


def fit(pipeline: Any) -> Previewer | None:
    """Fits the map: smooth random color fields through the pipeline's own encoder, and least
    squares from their latents to their colors. None for pipelines without such an encoder.

    The encoder is used, not the decoder, since the latents it gives are like those of images;
    random latents decode to noise, from which little can be learned.
    """
    import torch

    vae = getattr(pipeline, "vae", None)
    if vae is None or not hasattr(vae, "encode"):
        return None
    if getattr(vae.config, "in_channels", 3) != 3:  # transparency too
        return None
    scale = int(getattr(pipeline, "vae_scale_factor", 0) or 8)
    generator = torch.Generator("cpu").manual_seed(0)
    field = torch.rand((_IMAGES, 3, _FIELD, _FIELD), generator=generator) * 2 - 1
    images = torch.nn.functional.interpolate(
        field, size=(_SIDE * scale, _SIDE * scale), mode="bilinear", align_corners=False
    )
    before = vae.dtype
    try:
        # Some encoders overflow in half precision; there and back loses nothing.
        set_dtype(vae, torch.float32)
        with torch.no_grad():
            latents = _encode(vae, images.to(vae.device)).cpu()
    finally:
        set_dtype(vae, before)
    if latents.ndim != 4 or not torch.isfinite(latents).all():
        return None
    colors = torch.nn.functional.interpolate(images, size=tuple(latents.shape[-2:]), mode="area")
    x = latents.movedim(1, -1).reshape(-1, latents.shape[1]).double()
    x = torch.cat([x, torch.ones((len(x), 1), dtype=x.dtype)], dim=1).numpy()
    y = colors.movedim(1, -1).reshape(-1, 3).double().numpy()
    # A little ridge: there may be almost as many channels as samples, and dead ones among them.
    ridge = 1e-4 * len(x) * np.eye(x.shape[1])
    return Previewer(np.linalg.solve(x.T @ x + ridge, x.T @ y).astype(np.float32))


def set_dtype(vae: Any, dtype: Any) -> None:
    """Turns an autoencoder to another type of numbers, where it has another one."""
    import torch

    # Not vae.to: diffusers' own warns of parts to be kept in float32 even where there are none.
    if vae.dtype != dtype:
        torch.nn.Module.to(vae, dtype)


def _encode(vae: Any, images: Any) -> Any:
    """Latents as the denoiser sees them, ``(N, C, h, w)``: normalized as the pipelines do."""
    import torch

    config = vae.config
    # Decoders of video models take a time axis, also for still images.
    video = "QwenImage" in type(vae).__name__ or "Wan" in type(vae).__name__
    encoding = vae.encode(images[:, :, None] if video else images)
    if hasattr(encoding, "latent_dist"):
        latents = encoding.latent_dist.mode()
    else:
        # AutoencoderDC says latent, AutoencoderTiny latents.
        latents = encoding.latent if hasattr(encoding, "latent") else encoding.latents
    latents = latents[:, :, 0] if latents.ndim == 5 else latents
    mean, std = getattr(config, "latents_mean", None), getattr(config, "latents_std", None)
    scaling = float(getattr(config, "scaling_factor", None) or 1.0)
    if mean is not None and std is not None:
        shape = (1, -1, 1, 1)
        mean = torch.as_tensor(mean, device=latents.device, dtype=latents.dtype).reshape(shape)
        std = torch.as_tensor(std, device=latents.device, dtype=latents.dtype).reshape(shape)
        return (latents - mean) * scaling / std
    return (latents - float(getattr(config, "shift_factor", None) or 0.0)) * scaling


def unpacked(pipeline: Any, latents: Any, height: int, width: int) -> Any:
    """The first image's latents as ``(C, h, w)``, also where the pipeline keeps them as a sequence
    of patches; None for any other form."""
    if latents is None:
        return None
    if latents.ndim == 3 and hasattr(pipeline, "_unpack_latents"):
        latents = pipeline._unpack_latents(latents[:1], height, width, pipeline.vae_scale_factor)
    if latents.ndim == 5:
        latents = latents[:, :, 0]
    return latents[0] if latents.ndim == 4 else None
