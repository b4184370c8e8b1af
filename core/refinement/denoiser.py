"""CFR on a diffusers pipeline: a hook on the denoiser, the pipeline's own code left alone.

A pipeline combines two predictions, u + s (c - u): u without the prompt, c with it, s the guidance.
Equation 11 wants s_t(u, v) in place of s. Where both come from one batch, c is replaced by
u + m (c - u) with m = s_t / s_0, so that what the pipeline computes is u + s_0 m (c - u). Where the
denoiser is called twice, first for c, u is replaced instead: c + (u - c) (s_0 m - 1) / (s_0 - 1)
gives the same sum, and c, whose norm some pipelines use (Qwen-Image), stays unchanged. Positions
where m is 1 are copied, not computed, so that no bit changes there.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.refinement.settings import MAPPED, Refinement, guidance_ratio, saturation_map


def predicted_clean(scheduler: Any, prediction: Any, timestep: Any, sample: Any) -> Any:
    """The latents that a step would end at if its prediction were exact.

    ``prediction`` and ``sample`` tensors as ``scheduler.step`` takes them, before that step is
    made. Returns a tensor like ``sample``; the scheduler itself is left as it was. Raises BadInput
    for schedulers that say no such thing.
    """
    import torch

    twin = copy.deepcopy(scheduler)
    if getattr(twin, "step_index", None) is None and hasattr(twin, "_init_step_index"):
        twin._init_step_index(timestep)
    if "FlowMatch" in type(twin).__name__:
        sigma = twin.sigmas[twin.step_index].to(sample.device, torch.float32)
        return sample.float() - sigma * prediction.float()
    if hasattr(twin, "convert_model_output"):
        data = twin.config.get("algorithm_type", "").endswith("++") or twin.config.get("predict_x0")
        if data:
            return twin.convert_model_output(prediction, sample=sample)
    else:
        # Ancestral samplers draw noise in their step; what others draw must not change by it.
        with torch.random.fork_rng(devices=[]):
            # The class's own: the scheduler's may be wrapped by those who watch it.
            output = type(twin).step(twin, prediction, timestep, sample, return_dict=True)
        if getattr(output, "pred_original_sample", None) is not None:
            return output.pred_original_sample
    raise BadInput(
        f"The scheduler {type(scheduler).__name__} predicts no clean image, which a refinement in "
        "one pass reads. Draw first, and refine with the map of that image."
    )


@contextmanager
def before_step(scheduler: Any, look: Callable[[Any, Any, Any], None]) -> Iterator[None]:
    """While the block lasts, ``look`` gets (prediction, timestep, sample) of every step, before the
    step is made."""
    own, previous = scheduler.step, vars(scheduler).get("step")

    # wraps: pipelines read the step's signature to know what it takes.
    @wraps(own)
    def step(model_output: Any, timestep: Any, sample: Any, *more: Any, **named: Any) -> Any:
        look(model_output, timestep, sample)
        return own(model_output, timestep, sample, *more, **named)

    scheduler.step = step
    try:
        yield
    finally:
        if previous is None:
            vars(scheduler).pop("step", None)
        else:
            scheduler.step = previous


View = Callable[[Any], np.ndarray | None]
"""Latents as the pipeline keeps them to a small image, uint8 ``(h, w, 3)``."""


@contextmanager
def refined(
    pipeline: Any, refinement: Refinement, scale: float, size_px: tuple[int, int], view: View | None
) -> Iterator[None]:
    """While the block lasts, a call of ``pipeline`` for one image is refined.

    ``scale`` s_0, the guidance that the call is given; ``size_px`` the image's (height, width).
    ``view`` shows latents, and is read only where the map comes from the predicted clean image.
    Raises BadInput from within the call, or at its end, where there is no guidance to turn down: a
    scale of at most 1, a model that makes one prediction only, or no step after the one at which
    the map is read.
    """
    name = type(pipeline).__name__
    denoiser = getattr(pipeline, "transformer", None) or getattr(pipeline, "unet", None)
    if denoiser is None:
        raise BadInput(f"{name} has no denoiser that CFR could be applied to.")
    if scale <= 1:
        raise BadInput(
            f"A guidance of {scale:g} leaves CFR nothing to turn down: set it above 1, or switch "
            "CFR off."
        )
    guidance = _Guidance(pipeline, refinement, scale, size_px, view)
    with ExitStack() as hooks:
        if guidance.reads_prediction:
            hooks.enter_context(before_step(pipeline.scheduler, guidance.look))
        handle = denoiser.register_forward_hook(guidance.hook, with_kwargs=True)
        hooks.callback(handle.remove)
        yield
        guidance.check_end()


class _Guidance:
    """One image's guidance, step by step."""

    def __init__(
        self,
        pipeline: Any,
        refinement: Refinement,
        scale: float,
        size_px: tuple[int, int],
        view: View | None,
    ) -> None:
        self._pipeline, self._refinement, self._scale = pipeline, refinement, scale
        self._size_px, self._view = size_px, view
        self._map = refinement.discrepancy
        if refinement.variant not in MAPPED:
            self._map = np.ones((1, 1), np.float32)
        self.reads_prediction = refinement.reads_prediction and not refinement.is_identity
        if self.reads_prediction and view is None:
            raise BadInput(
                f"{self._name} has no small view of its latents to read a map from. Draw first, "
                "and refine with the map of that image."
            )
        self._step = 0
        self._first: tuple[Any, Any] | None = None
        self._on_grid: Any = None

    @property
    def _name(self) -> str:
        return type(self._pipeline).__name__

    @property
    def _steps(self) -> int:
        return max(len(self._pipeline.scheduler.timesteps), self._step + 1)

    # ── the map of a refinement in one pass ──────────────────────────────────────────────────────

    def look(self, prediction: Any, timestep: Any, sample: Any) -> None:
        """Reads the map from the clean image that the step predicts, once its time has come."""
        steps_done = self._step
        if self._map is not None or steps_done < max(1, self._refinement.at * self._steps):
            return
        clean = predicted_clean(self._pipeline.scheduler, prediction, timestep, sample)
        stored = self._view(clean) if self._view else None
        if stored is None:
            raise BadInput(f"The latents of {self._name} have no form that can be viewed.")
        self._map = saturation_map(stored)

    # ── the hook ─────────────────────────────────────────────────────────────────────────────────

    def hook(self, module: Any, arguments: tuple, named: dict, output: Any) -> Any:
        """The denoiser's output with the prediction changed; None leaves it as it is."""
        import torch

        if isinstance(output, torch.Tensor):
            prediction = output
        else:
            prediction = output[0] if isinstance(output, tuple) else output.sample
        images = len(prediction)
        if images == 2 and self._first is None:
            changed = self._batched(prediction)
        elif images == 1:
            state = arguments[0] if arguments else named.get("hidden_states", named.get("sample"))
            changed = self._separate(state, prediction)
        else:
            raise BadInput(f"CFR refines one image a call; {self._name} was given {images}.")
        if changed is None:
            return None
        if isinstance(output, torch.Tensor):
            return changed
        if isinstance(output, tuple):
            return (changed, *output[1:])
        output.sample = changed
        return output

    def _batched(self, prediction: Any) -> Any:
        import torch

        without, values = prediction.chunk(2)
        ratio = self._ratio(values)
        self._step += 1
        if ratio is None:
            return None
        wide = without.float()
        mixed = (wide + ratio * (values.float() - wide)).to(values.dtype)
        return torch.cat([without, torch.where(ratio == 1, values, mixed)])

    def _separate(self, state: Any, prediction: Any) -> Any:
        import torch

        if self._first is None:
            self._first = (state, prediction)
            return None
        first_state, values = self._first
        if state is not first_state and not torch.equal(state, first_state):
            self._refuse()
        self._first = None
        ratio = self._ratio(values)
        self._step += 1
        if ratio is None:
            return None
        wide = values.float()
        share = (self._scale * ratio - 1) / (self._scale - 1)
        mixed = (wide + share * (prediction.float() - wide)).to(prediction.dtype)
        return torch.where(ratio == 1, prediction, mixed)

    def check_end(self) -> None:
        """Raises BadInput where no step had two predictions, or none was left for the map."""
        if self._first is not None or not self._step:
            self._refuse()
        if self.reads_prediction and self._on_grid is None:
            raise BadInput(
                f"Of {self._step} steps none is left once CFR reads its map from the predicted "
                "image: take more steps, or read it earlier."
            )

    def _refuse(self) -> None:
        raise BadInput(
            f"{self._name} makes no prediction without the prompt, so there is no guidance that "
            "CFR could turn down. It needs a model with classifier-free guidance."
        )

    # ── the field ────────────────────────────────────────────────────────────────────────────────

    def _ratio(self, prediction: Any) -> Any:
        """s_t / s_0 in a form that multiplies ``prediction``; None where it is 1 everywhere."""
        import torch

        if self._map is None or self._refinement.is_identity:
            return None
        if self._on_grid is None:
            self._on_grid = self._resized(prediction)
        step, steps = self._step, self._steps
        ratio = guidance_ratio(
            self._on_grid, step, steps, self._refinement.strength, self._refinement.variant
        )
        if (ratio == 1).all():
            return None
        field = torch.from_numpy(ratio).to(prediction.device)
        return _packed(field, prediction.shape[-1]) if prediction.ndim == 3 else field

    def _resized(self, prediction: Any) -> np.ndarray:
        """The map at the latents' resolution: area means where it shrinks, linear between."""
        import torch

        shape = self._latent_shape(prediction)
        source = torch.from_numpy(np.ascontiguousarray(self._map))[None, None]
        grid = torch.nn.functional.interpolate(
            source, size=shape, mode="bilinear", align_corners=False, antialias=True
        )
        resized: np.ndarray = grid[0, 0].clamp(0, 1).numpy()
        return resized

    def _latent_shape(self, prediction: Any) -> tuple[int, int]:
        if prediction.ndim in (4, 5):
            return int(prediction.shape[-2]), int(prediction.shape[-1])
        # Sequences of patches of 2 x 2 latents.
        patch = 2 * int(getattr(self._pipeline, "vae_scale_factor", 8))
        height, width = (side // patch for side in self._size_px)
        if prediction.ndim != 3 or prediction.shape[1] != height * width:
            raise BadInput(
                f"CFR does not know how {self._name} arranges its latents "
                f"({tuple(prediction.shape)})."
            )
        return 2 * height, 2 * width


def _packed(field: Any, channels: int) -> Any:
    """A field ``(h, w)`` as patches of 2 x 2 in a row, ``(1, h w / 4, channels)``: each channel of
    the latents has its four places side by side, as diffusers packs them."""
    height, width = field.shape
    patches = field.reshape(height // 2, 2, width // 2, 2).permute(0, 2, 1, 3).reshape(-1, 4)
    return patches.repeat(1, channels // 4)[None]
