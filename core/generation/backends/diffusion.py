"""Generation with a diffusers pipeline."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache, partial
from importlib import metadata
from threading import Event
from typing import Any

import numpy as np

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.backends.decoding import Decoder, free_memory
from truehue.core.generation.backends.families import (
    Family,
    Previewer,
    StepWatch,
    call_defaults,
    family,
    fit,
    unpacked,
    watching,
)
from truehue.core.generation.backends.layout import release, smaller
from truehue.core.generation.memory import GenerationFailed, save_count
from truehue.core.generation.registry import ModelEntry
from truehue.core.generation.request import (
    Cancelled,
    GeneratedImage,
    GenerationRequest,
    OnStep,
)
from truehue.core.machine import Placement
from truehue.core.refinement.denoiser import refined
from truehue.core.refinement.settings import (
    FIRST_PASS_WORDS,
    Refinement,
    discrepancy_of,
    refinement_of,
    rows_of,
    saturation_map,
)

_QUOTED = 40
_SPECIAL = 8


class DiffusersModel:
    """A loaded pipeline; made by ``truehue.core.generation.backends.loading.load``.

    ``about`` is what an origin says of the source: repo, revision, variant. ``previewer`` may be
    set to None to draw without previews.
    """

    def __init__(
        self,
        entry: ModelEntry,
        pipeline: Any,
        placement: Placement,
        about: Mapping[str, Any],
        previewer: Previewer | None,
        memory_bytes: int,
        ram_bytes: int = 0,
    ) -> None:
        self._pipeline = pipeline
        self._entry = entry
        self._at = placement
        self._about = dict(about)
        self._family: Family = family(pipeline)
        self._call = call_defaults(type(pipeline))
        parts = {name: pipeline.components[name] for name in self._family.limits}
        # A processor of text and images has the tokenizer inside. Kolors' tokenizer has another one.
        self._tokenizers = {
            name: part if hasattr(part, "encode") else getattr(part, "tokenizer", part)
            for name, part in parts.items()
        }
        self._memory_bytes, self._ram_bytes = memory_bytes, ram_bytes
        self._decoder = Decoder(pipeline)
        # A first pass of CFR was most often the drawing before, which is then not drawn again.
        self._latest: tuple[GenerationRequest, np.ndarray] | None = None
        self.previewer = previewer

    @property
    def memory_bytes(self) -> int:
        """Bytes of weights on the device: all, or the largest part where parts are offloaded."""
        return self._memory_bytes

    @property
    def ram_bytes(self) -> int:
        """Bytes of weights that wait in main memory; 0 where all are on the device."""
        return self._ram_bytes

    @property
    def placement(self) -> Placement:
        """Where its weights are now."""
        return self._at

    def make_room(self) -> bool:
        """After memory ran out: lays itself out in less of it, for good. False where there is no
        smaller layout."""
        import torch

        if self._pipeline is None:
            return False
        with torch.no_grad():
            less = smaller(self._pipeline, self._at, max(self._memory_bytes, self._ram_bytes))
        if less is None:
            return False
        self._at, (self._memory_bytes, self._ram_bytes) = less
        save_count(self)
        return True

    @property
    def batch_size(self) -> int:
        """1: the same request must give the same pixels in whatever batch it stands.

        Measured with tiny models of all families: a batch of two differs from two images drawn
        alone in the low bits of every family, which flips single pixels, and in CogView4 visibly,
        since it pads prompts to the longest of the batch.
        """
        return 1

    def draw(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage]:
        """Draws the requests one after another; see LoadedModel.draw.

        Raises DrawingFailed when the weights give no image (NaN, or blacked out by the
        repository's own safety checker), and lets torch's OutOfMemoryError through.
        """
        if self._pipeline is None:
            raise TrueHueError(f"{self._entry.name} was unloaded; load it again to generate.")
        calls = [self._arguments(request) for request in requests]
        images = []
        for index, (request, call) in enumerate(zip(requests, calls, strict=True)):
            item = partial(
                self._generate_image,
                call=call,
                on_step=on_step,
                stop=stop,
                position=(index, len(calls)),
            )
            images.append(item(self._mapped(request, item)))
            self._latest = request, images[-1].srgb8
        return images

    def draw_together(
        self, requests: Sequence[GenerationRequest], on_step: OnStep, stop: Event
    ) -> list[GeneratedImage | Exception]:
        """One image a request, of requests that differ in the seed alone, in one pass of the
        pipeline; in place of an image that is none, the error that says so.

        Each image begins from the noise of its seed, but its pixels are another batch's: the origin
        names the ``batch``. Raises as :meth:`draw`, and BadInput where the pipeline draws one alone.
        """
        if self._pipeline is None:
            raise TrueHueError(f"{self._entry.name} was unloaded; load it again to generate.")
        first, seeds = requests[0], [request.seed for request in requests]
        if any(replace(request, seed=first.seed) != first for request in requests):
            raise BadInput("Only the seeds of one prompt are drawn together.")
        if "num_images_per_prompt" not in self._call or refinement_of(first.options) is not None:
            raise BadInput(
                f"{self._entry.name} cannot generate several seeds together: leave out the batch."
            )
        call = self._arguments(first)
        size = (call["height"], call["width"])
        watch = StepWatch(self._pipeline, on_step, stop, self.previewer, size, 0, 1)
        together = {**call, "num_images_per_prompt": len(seeds)}
        output = self._output(together, watch, seeds)
        notes = tuple(notes_on_cut(first.text, self._tokenizers, self._family.limits))
        images: list[GeneratedImage | Exception] = []
        for index, request in enumerate(requests):
            try:
                srgb8 = self._pixels(output, size, index)
            except GenerationFailed as error:
                images.append(error)
                continue
            origin = {**self._origin(request, call), "batch": {"seeds": seeds}}
            images.append(GeneratedImage(srgb8, origin, (), notes))
        return images

    def unload(self) -> None:
        """Gives the memory back; safe to call twice."""
        self._pipeline = None
        self._tokenizers = {}
        self._latest = None
        self.previewer = None
        self._memory_bytes = self._ram_bytes = 0
        # Hooks of offloaded parts refer to each other in circles.
        free_memory(self._at.device)

    def _generate_image(
        self,
        request: GenerationRequest,
        call: dict[str, Any],
        on_step: OnStep,
        stop: Event,
        position: tuple[int, int],
    ) -> GeneratedImage:
        pipeline = self._pipeline
        size = (call["height"], call["width"])
        refinement = refinement_of(request.options)
        watch = StepWatch(pipeline, on_step, stop, self.previewer, size, *position)
        with self._refining(refinement, call, size):
            output = self._output(call, watch, [request.seed])
        srgb8 = self._pixels(output, size)
        notes = notes_on_cut(request.text, self._tokenizers, self._family.limits)
        origin = self._origin(request, call)
        if refinement is not None:
            origin["cfr"] = refinement.to_json()
        return GeneratedImage(srgb8, origin, (), tuple(notes))

    def _output(self, call: Mapping[str, Any], watch: StepWatch, seeds: Sequence[int]) -> Any:
        """What the pipeline returns for the seeds. Raises Cancelled once it was stopped."""
        import torch

        if watch.stopped:
            raise Cancelled
        # On the CPU whatever the device: the noise follows from the seed alone.
        chance = [torch.Generator("cpu").manual_seed(seed) for seed in seeds]
        generator = chance if len(chance) > 1 else chance[0]
        done = False
        try:
            with watching(self._pipeline, watch, "callback_on_step_end" in self._call) as watched:
                output = self._pipeline(**call, **watched, generator=generator, output_type="np")
            done = True
        except (Cancelled, torch.OutOfMemoryError):
            raise
        except (ValueError, TypeError) as error:
            # Pipelines check their arguments so, before the first step.
            if watch.count:
                raise
            raise BadInput(f"{self._entry.name} cannot generate this: {error}") from error
        finally:
            if not done:
                release(self._pipeline)
        if watch.stopped:
            raise Cancelled
        return output

    def _mapped(
        self, request: GenerationRequest, function: Callable[[GenerationRequest], GeneratedImage]
    ) -> GenerationRequest:
        """The request with the map of its first pass, where it asks for two; else as it is.

        ``function`` draws the first pass, unless it was the drawing before.
        """
        refinement = refinement_of(request.options)
        if refinement is None or not refinement.needs_first_pass or refinement.is_identity:
            return request
        plain = {name: value for name, value in request.options.items() if name != "cfr"}
        first = replace(request, options=plain)
        if self._latest is None or self._latest[0] != first:
            self._latest = first, function(first).srgb8
        cells = discrepancy_of(rows_of(saturation_map(self._latest[1])))
        mapped = replace(refinement, discrepancy=cells, source=FIRST_PASS_WORDS)
        return replace(request, options={**plain, "cfr": mapped.to_json()})

    def _refining(
        self, refinement: Refinement | None, call: Mapping[str, Any], size: tuple[int, int]
    ) -> AbstractContextManager[None]:
        """The context that refines one call; it does nothing if no refinement is requested."""
        if refinement is None:
            return nullcontext()
        scale = call.get(self._family.guidance)
        if scale is None:
            raise BadInput(
                f"{self._entry.name} has no guidance that CFR could lower: switch CFR off."
            )
        pipeline, previewer = self._pipeline, self.previewer
        if refinement.reads_prediction and previewer is None:
            previewer = fit(pipeline)

        def view(latents: Any) -> np.ndarray | None:
            seen = unpacked(pipeline, latents, *size)
            return None if seen is None or previewer is None else previewer.preview_image(seen)

        return refined(pipeline, refinement, scale, size, view if previewer else None)

    def _arguments(self, request: GenerationRequest) -> dict[str, Any]:
        """The pipeline's arguments for a request; raises BadInput for what it does not take."""
        name, fam, defaults = self._entry.name, self._family, self._entry.defaults
        if not request.text.strip():
            raise BadInput(f"{name} generates from text, and the prompt is empty.")
        call: dict[str, Any] = {"prompt": request.text, **fam.fixed}
        steps = request.steps or (defaults.steps if defaults else None)
        if request.steps is not None and request.steps < 1:
            raise BadInput(f"Steps must be at least 1, not {request.steps}.")
        if "num_inference_steps" in self._call:
            call["num_inference_steps"] = steps or self._default("num_inference_steps", 50)
        elif request.steps is not None:
            raise BadInput(f"{name} has no number of steps to set.")
        guidance = request.guidance
        if guidance is None:
            guidance = defaults.guidance if defaults else None
        elif not fam.guidance:
            raise BadInput(f"{name} has no guidance to set.")
        if fam.guidance:
            if guidance is None:
                guidance = self._default(fam.guidance, None)
            if guidance is not None:
                call[fam.guidance] = float(guidance)
        if request.negative_text and not fam.negative:
            raise BadInput(f"{name} takes no negative prompt: leave it empty.")
        negative = request.negative_text or fam.empty_negative
        if negative:
            call["negative_prompt"] = negative
        for side in ("width", "height"):
            call[side] = self._side(side, getattr(request, side))
        return call

    def _default(self, argument: str, otherwise: Any) -> Any:
        default = self._call.get(argument, inspect.Parameter.empty)
        return otherwise if default is inspect.Parameter.empty or default is None else default

    def _side(self, side: str, size_px: int | None) -> int:
        multiple = self._family.multiple_px
        if size_px is None:
            if self._entry.defaults is not None:
                return int(getattr(self._entry.defaults, side))
            return int(self._default(side, None) or self._own_size())
        if size_px < multiple or size_px % multiple:
            nearest_px = max(multiple, round(size_px / multiple) * multiple)
            raise BadInput(
                f"{self._entry.name} generates sides that are multiples of {multiple} pixels; "
                f"{size_px} is none. Nearest: {nearest_px}."
            )
        return size_px

    def _own_size(self) -> int:
        """The pipeline's default size: its denoiser's, in pixels."""
        pipeline = self._pipeline
        denoiser = getattr(pipeline, "transformer", None) or getattr(pipeline, "unet", None)
        sample = getattr(pipeline, "default_sample_size", None) or getattr(
            getattr(denoiser, "config", None), "sample_size", None
        )
        if isinstance(sample, list | tuple):
            sample = sample[0]
        if not isinstance(sample, int):
            raise BadInput(
                f"{self._entry.name} states no size of its own: choose width and height."
            )
        return sample * int(getattr(pipeline, "vae_scale_factor", 8))

    def _pixels(self, output: Any, size: tuple[int, int], index: int = 0) -> np.ndarray:
        """uint8 pixels of the image at ``index``, each rounded to the nearest of 256 levels.

        "np" output is taken, not "pil": both round the same, but only floats show a NaN, which a
        cast to uint8 would turn to black.
        """
        name = self._entry.name
        images = getattr(output, "images", None)
        if images is None:
            images = getattr(output, "image", None)  # Kandinsky's name
        if images is None:
            raise BadInput(f"{name} is no pipeline of still images ({type(output).__name__}).")
        image = np.asarray(images[index])
        if image.ndim == 3 and image.shape[2] == 4:
            image = _over_white(image)
        if image.ndim != 3 or image.shape[2] != 3 or not np.issubdtype(image.dtype, np.floating):
            raise GenerationFailed(f"{name} gave no color image but {image.shape} {image.dtype}.")
        if not np.isfinite(image).all():
            advice = (
                "These weights overflow in float16: use a device with bfloat16, or the CPU."
                if self._at.dtype == "float16"
                # Qwen-Image's scheduler, for one, divides by zero where only one step is asked.
                else "Either its scheduler needs more steps than were asked, or the weights are "
                "damaged, or not those of this pipeline."
            )
            raise GenerationFailed(f"{name} gave numbers that are no colors (NaN). {advice}")
        flags = getattr(output, "nsfw_content_detected", None) or ()
        if any(flags[index : index + 1]):
            raise GenerationFailed(
                f"The safety checker that comes with {name} blacked this image out. It is no "
                "image and was not kept; try another seed."
            )
        if image.shape[:2] != size:
            raise GenerationFailed(
                f"{name} drew {image.shape[1]} x {image.shape[0]} pixels where {size[1]} x "
                f"{size[0]} were asked. Ask for a size that it draws."
            )
        return np.ascontiguousarray(np.rint(image * 255.0).astype(np.uint8))

    def _origin(self, request: GenerationRequest, call: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "model": self._entry.id,
            **self._about,
            "pipeline": type(self._pipeline).__name__,
            "text": request.text,
            "negative_text": call.get("negative_prompt", ""),
            "seed": request.seed,
            "steps": call.get("num_inference_steps"),
            "guidance": call.get(self._family.guidance),
            "guidance_argument": self._family.guidance,
            "width": call["width"],
            "height": call["height"],
            "fixed": dict(self._family.fixed),
            "dtype": self._at.dtype,
            "decoder": "float32, in tiles" if self._decoder.tiles else "float32",
            "device": self._at.device,
            "offload": self._at.offload,
            **_versions(),
        }


def _over_white(rgba: np.ndarray) -> np.ndarray:
    """Float ``(H, W, 4)`` in [0, 1] as the page shows it: ``(H, W, 3)``, transparency as white."""
    alpha = rgba[..., 3:]
    return rgba[..., :3] * alpha + (1 - alpha)


@cache
def _versions() -> dict[str, str]:
    """The libraries' versions; read from disk, so only once."""
    return {name: metadata.version(name) for name in ("torch", "diffusers", "transformers")}


def notes_on_cut(text: str, tokenizers: Mapping[str, Any], limits: Mapping[str, int]) -> list[str]:
    """A sentence for each length at which encoders stop reading ``text``; empty when all is read.

    ``tokenizers`` and ``limits`` (tokens, special ones included) are keyed by the part's name.
    """
    names: dict[tuple[int, int], list[str]] = {}
    whole = []
    for name, limit in limits.items():
        tokenizer = tokenizers.get(name)
        if tokenizer is None:
            continue
        read = _characters_read(text, tokenizer, limit)
        if read < len(text.rstrip()):
            names.setdefault((read, limit), []).append(name)
        else:
            whole.append(name)
    notes = []
    for (read, limit), cut in sorted(names.items()):
        rest = f" (Read as a whole by {' and '.join(whole)}.)" if whole else ""
        notes.append(
            f"The prompt was cut at {limit} tokens for {' and '.join(cut)}: the last "
            f"{len(text) - read:,} of {len(text):,} characters were not read, from "
            f"“{_shortened(text[read:])}” on.{rest}"
        )
    return notes


def _characters_read(text: str, tokenizer: Any, limit: int) -> int:
    # No tokenizer makes more tokens of plain text than characters, plus a few special ones.
    if text.isascii() and len(text) + _SPECIAL <= limit:
        return len(text)
    if getattr(tokenizer, "is_fast", False):
        encoding = tokenizer(text, truncation=True, max_length=limit, return_offsets_mapping=True)
        ends = [int(end) for _, end in encoding["offset_mapping"]]
        # An unknown character at the very end has no token; what follows the last token is read.
        cut = len(tokenizer(text, truncation=False, verbose=False)["input_ids"]) > limit
        return max(ends, default=0) if cut else len(text)
    ids = tokenizer(text, add_special_tokens=False, truncation=False)["input_ids"]
    room = limit - len(tokenizer("")["input_ids"])
    if len(ids) <= room:
        return len(text)
    return min(len(tokenizer.decode(ids[:room])), len(text))


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _QUOTED else text[:_QUOTED].rstrip() + "…"
