"""Progress, previews and stopping, after every step of a diffusers pipeline."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import numpy as np

from truehue.core.generation.request import Cancelled, OnStep, StepReport

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

    def after(self, latents: Any) -> None:
        """To be called after each step with the latents as the pipeline keeps them."""
        if self._stop.is_set():
            raise Cancelled
        self.count += 1
        steps = max(len(self._pipeline.scheduler.timesteps), self.count)
        preview = None
        if self._previewer is not None and self.count % PREVIEW_EVERY == 0:
            latents = unpacked(self._pipeline, latents, *self._size)
            preview = None if latents is None else self._previewer.picture(latents)
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

    def picture(self, latents: Any) -> np.ndarray:
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
    scale = int(getattr(pipeline, "vae_scale_factor", 0) or 8)
    generator = torch.Generator("cpu").manual_seed(0)
    field = torch.rand((_IMAGES, 3, _FIELD, _FIELD), generator=generator) * 2 - 1
    images = torch.nn.functional.interpolate(
        field, size=(_SIDE * scale, _SIDE * scale), mode="bilinear", align_corners=False
    )
    before = vae.dtype
    try:
        # Some encoders overflow in half precision; there and back loses nothing.
        _set_dtype(vae, torch.float32)
        with torch.no_grad():
            latents = _encode(vae, images.to(vae.device)).cpu()
    finally:
        _set_dtype(vae, before)
    if latents.ndim != 4 or not torch.isfinite(latents).all():
        return None
    colors = torch.nn.functional.interpolate(images, size=tuple(latents.shape[-2:]), mode="area")
    x = latents.movedim(1, -1).reshape(-1, latents.shape[1]).double()
    x = torch.cat([x, torch.ones((len(x), 1), dtype=x.dtype)], dim=1).numpy()
    y = colors.movedim(1, -1).reshape(-1, 3).double().numpy()
    # A little ridge: there may be almost as many channels as samples, and dead ones among them.
    ridge = 1e-4 * len(x) * np.eye(x.shape[1])
    return Previewer(np.linalg.solve(x.T @ x + ridge, x.T @ y).astype(np.float32))


def _set_dtype(vae: Any, dtype: Any) -> None:
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
