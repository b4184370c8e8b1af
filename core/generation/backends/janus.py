"""Janus-Pro through transformers: an image is generated token by token, each sampled.

The loop is transformers' own (``generate(generation_mode="image")``). Our logits processor adds the
work at each token: guidance, the seeded choice, progress and cancel.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import GenerationFailed, save_count
from truehue.core.generation.registry import ModelEntry
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    OnStep,
    StepReport,
)
from truehue.core.generation.weights.folders import device_bytes, read_janus
from truehue.core.machine import Placement
from truehue.core.refinement.settings import refuse

# As the authors' own generation script has them (deepseek-ai/Janus, generation_inference.py).
GUIDANCE = 5.0
TEMPERATURE = 1.0

_PREVIEWS = 6  # an image; each costs one pass of the image decoder
_PREVIEW_PX = 128
_NOT_YET = 128  # gray where no token is written yet


def load(entry: ModelEntry, folder: Path, placement: Placement, revision: str = "") -> JanusModel:
    """Loads a folder in the hub's layout; see
    :func:`truehue.core.generation.weights.folders.read_janus`, which raises BadModelFolder for
    a folder that holds no Janus."""
    again = f"Get it again with: python -m truehue models download {entry.id}"
    parts = read_janus(folder, placement, again)
    loaded = JanusModel(
        entry, parts.processor, parts.model, placement, revision, parts.weight_bytes
    )
    save_count(loaded)
    return loaded


class JanusModel:
    """A Janus in memory, as the engine's LoadedModel."""

    # Rows of a batch do not round alike: the same request would not give the same pixels.
    batch_size = 1

    def __init__(
        self,
        entry: ModelEntry,
        processor: Any,
        model: Any,
        placement: Placement,
        revision: str,
        weight_bytes: int = 0,
    ) -> None:
        self._entry, self._placement, self._revision = entry, placement, revision
        self._processor, self._model = processor, model
        # With hooks for offloading the model's own count finds empty tensors.
        self._waiting_bytes = weight_bytes
        self._tokens = int(model.config.vision_config.num_image_tokens)
        vq = model.config.vq_config
        self._side_px = int(vq.num_patches) * 2 ** (len(vq.channel_multiplier) - 1)

    @property
    def placement(self) -> Placement:
        """Where its weights are."""
        return self._placement

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights on the device: all, or the largest layer where layers are moved."""
        return 0 if self._model is None else device_bytes(self._model, self._placement)

    @property
    def ram_bytes(self) -> int:
        """Bytes of weights that wait in main memory; 0 where all are on the device."""
        if self._model is None or self._placement.offload == "none":
            return 0
        return self._waiting_bytes

    @property
    def size_px(self) -> int:
        """The side of its square images; there is no other size."""
        return self._side_px

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        """Draws them one after the other; a step is a token (576 in an image of 384 pixels).

        Raises BadInput for another size than the model's, a negative prompt, a prompt that does
        not fit, or a temperature below 0; Cancelled once ``stop`` is set.
        """
        if self._model is None:
            raise TrueHueError(f"{self._entry.name} was unloaded; load it again to generate.")
        return [self._draw(request, on_step, stop) for request in requests]

    def unload(self) -> None:
        """Drops the weights; safe to call twice."""
        self._model = self._processor = None
        gc.collect()

    def _draw(self, request: GenerationRequest, on_step: OnStep, stop: Event) -> GeneratedImage:
        import torch
        from transformers import LogitsProcessorList

        guidance, temperature = self._checked(request)
        inputs = self._inputs(request.text).to(self._placement.device)
        chosen = torch.zeros((1, self._tokens), dtype=torch.long)
        chance = torch.Generator("cpu").manual_seed(request.seed)
        done = 0

        def choose(_: Any, scores: Any) -> Any:
            nonlocal done
            token = _choice(scores, guidance, temperature, chance)
            chosen[0, done] = token
            done += 1
            on_step(StepReport(done, self._tokens, self._preview(chosen, done)))
            if stop.is_set():
                raise Cancelled
            # The loop takes the largest: all but the chosen one are out.
            only = torch.full_like(scores[:1], -math.inf)
            only[0, token] = 0.0
            return only

        self._model.generate(
            **inputs,
            generation_mode="image",
            do_sample=False,
            num_return_sequences=1,
            guidance_scale=1.0,
            use_cache=True,
            logits_processor=LogitsProcessorList([_as_processor(choose)]),
        )
        srgb8 = self._decoded(chosen)
        return GeneratedImage(
            srgb8, self._origin(request, guidance, temperature), notes=_notes(request)
        )

    def _checked(self, request: GenerationRequest) -> tuple[float, float]:
        """Guidance and temperature of a request that can be drawn."""
        side = self._side_px
        if (request.width or side, request.height or side) != (side, side):
            raise BadInput(
                f"{self._entry.name} generates {side} × {side} pixels only, not "
                f"{request.width or side} × {request.height or side}. Leave the size empty."
            )
        if request.negative_text.strip():
            raise BadInput(f"{self._entry.name} takes no negative prompt. Leave it empty.")
        refuse(request.options, self._entry.name)
        temperature = request.options.get("temperature", TEMPERATURE)
        number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
        if not number or not 0 <= temperature <= 10:
            raise BadInput(f"The temperature is a number from 0 to 10, not {temperature!r:.60}.")
        return GUIDANCE if request.guidance is None else request.guidance, float(temperature)

    def _inputs(self, text: str) -> Any:
        conversation = [{"role": "user", "content": [{"type": "text", "text": text}]}]
        prompt = self._processor.apply_chat_template(conversation, add_generation_prompt=True)
        inputs = self._processor(text=prompt, generation_mode="image", return_tensors="pt")
        length = int(inputs["input_ids"].shape[1])
        limit = int(self._model.config.text_config.max_position_embeddings) - self._tokens
        if length > limit:
            raise BadInput(
                f"The prompt takes {length:,} tokens; {self._entry.name} reads {limit:,} beside the "
                "image. Shorten it."
            )
        return inputs

    def _decoded(self, tokens: Any) -> np.ndarray:
        """Tokens int64 ``(1, N)`` to uint8 ``(H, W, 3)``.

        As in the authors' script: -1 to 1 becomes 0 to 255, clipped, the fraction dropped. The
        processor of transformers would take the mean and the deviation for reading images, and is
        right only where a folder has one half for both.
        """
        import torch

        with torch.inference_mode():
            decoded = self._model.decode_image_tokens(tokens.to(self._placement.device))[0]
        pixels = decoded.float().cpu().numpy()
        if not np.isfinite(pixels).all():
            raise GenerationFailed(
                f"{self._entry.name} drew numbers that are no color ({self._placement.dtype}). "
                "Choose another seed, or a machine that computes in bfloat16."
            )
        return np.clip((pixels + 1) / 2 * 255, 0, 255).astype(np.uint8)

    def _preview(self, tokens: Any, done: int) -> np.ndarray | None:
        """The rows written so far, six times an image."""
        if done == self._tokens or done % max(1, self._tokens // _PREVIEWS):
            return None
        srgb8 = self._decoded(tokens)
        across = math.isqrt(self._tokens)
        srgb8[done // across * self._side_px // across :] = _NOT_YET
        every = max(1, self._side_px // _PREVIEW_PX)
        return srgb8[::every, ::every]

    def _origin(
        self, request: GenerationRequest, guidance: float, temperature: float
    ) -> dict[str, Any]:
        return {
            "model": self._entry.id,
            "repo": self._entry.repo,
            "revision": self._revision,
            "pipeline": type(self._model).__name__,
            "text": request.text,
            "seed": request.seed,
            "steps": self._tokens,
            "guidance": guidance,
            "temperature": temperature,
            "width": self._side_px,
            "height": self._side_px,
            "dtype": self._placement.dtype,
            "device": self._placement.device,
            "offload": self._placement.offload,
            **{name: metadata.version(name) for name in ("torch", "transformers")},
        }


def _choice(scores: Any, guidance: float, temperature: float, chance: Any) -> int:
    """The next token, from scores ``(2, V)`` with and without the prompt.

    Classifier-free guidance is ``without + guidance · (with − without)``. Chance is drawn on the
    CPU in float32, so that a seed means the same draws on every device. Temperature 0 takes the
    likeliest.
    """
    import torch

    with_prompt, without = scores.float().cpu()
    guided = without + guidance * (with_prompt - without)
    if temperature == 0:
        return int(guided.argmax())
    likely = torch.softmax(guided / temperature, dim=-1)
    return int(torch.multinomial(likely, 1, generator=chance))


def _as_processor(choose: Callable[[Any, Any], Any]) -> Any:
    from transformers import LogitsProcessor

    class Chooser(LogitsProcessor):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any) -> Any:
            return choose(input_ids, scores)

    return Chooser()


def _notes(request: GenerationRequest) -> tuple[str, ...]:
    if request.steps is None:
        return ()
    return (f"The {request.steps} requested steps do not apply: a step is a token of the image.",)
