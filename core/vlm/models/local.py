"""Local models of transformers that take an image and a text and generate a text.

It runs every model of ``AutoModelForImageTextToText``, such as Qwen2.5-VL, InternVL,
LLaVA-OneVision, Janus and InstructBLIP, by one loop. No code of a repository runs, and nothing is
downloaded.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import BadModelFolder, is_out_of_memory
from truehue.core.generation.weights.sources import Source, Sources
from truehue.core.machine import Placement
from truehue.core.masks.grounded.transformers_loading import quiet
from truehue.core.vlm.calibration import letter_of
from truehue.core.vlm.models.files import (
    check_files,
    choose_device_map,
    choose_placement,
    files_of,
)
from truehue.core.vlm.models.records import (
    EvaluationStopped,
    ImagePrompt,
    NoReply,
    Reply,
    Sampling,
    Stop,
    VisionModel,
)
from truehue.core.vlm.presentation import decoded, jpeg
from truehue.core.vlm.records import LETTERS

_GRID = "image_grid_thw"
_WITHOUT_TEMPLATE = ("instructblip",)
"""Types of models that were tuned to instructions and read a question as it is, after the image."""


def open_local(model: VisionModel, sources: Sources | None = None) -> LocalAnswerer:
    """Loads a model onto its device.

    Raises ModelMissing with the way to get the files, and BadModelFolder for files that are not
    whole, are no model that reads images, or ask for code of their own.
    """
    source, settings = files_of(model, sources or Sources.local()), model.local()
    numbers = check_files(source, model.id)
    placement = choose_placement(model, numbers)
    device_map = choose_device_map(model, placement)
    with quiet():
        processor, loaded = _read(source, placement, device_map, settings.attention)
    if not getattr(processor, "chat_template", None) and not _reads_plain(loaded.config):
        raise BadModelFolder(
            f"{source.folder} has no chat template: it is not a chat model. Use the "
            "instruction-tuned model."
        )
    loaded.eval()
    if device_map:
        placement = replace(placement, device=_first_device(loaded), offload="none")
    elif placement.offload == "none":
        loaded.to(placement.device)
    else:
        import torch
        from accelerate import cpu_offload

        cpu_offload(loaded, execution_device=torch.device(placement.device))
    return LocalAnswerer(processor, loaded, placement, model.local().batch)


class LocalAnswerer:
    """A model in memory; made by :func:`open_local`."""

    def __init__(self, processor: Any, model: Any, placement: Placement, batch: int) -> None:
        self._processor, self._model, self._at = processor, model, placement
        tokenizer = getattr(processor, "tokenizer", None)
        self._plain = not getattr(processor, "chat_template", None)
        # Rows of one pass are padded at the left, which takes a token for it.
        self._batch = batch if getattr(tokenizer, "pad_token", None) and not self._plain else 1
        self._image_id = _image_token(processor, model.config)
        self._longest = _longest(model.config)
        self._spelled: dict[int, str] | None = None

    def answers(
        self, image_prompts: Iterable[ImagePrompt], sampling: Sampling, stop: Stop
    ) -> Iterator[Reply | NoReply]:
        """See :class:`truehue.core.vlm.models.records.Answerer`. Where chance enters,
        each is asked alone, with its own seed. What a batch cannot do, such as for lack of memory,
        is done one by one."""
        waiting = iter(image_prompts)
        size = self._batch if sampling.temperature == 0 else 1
        while group := list(islice(waiting, size)):
            yield from self._group(group, sampling, stop)

    def close(self) -> None:
        """Drops the weights."""
        self._model = self._processor = None
        gc.collect()

    def _group(
        self, image_prompts: Sequence[ImagePrompt], sampling: Sampling, stop: Stop
    ) -> list[Reply | NoReply]:
        if stop():
            raise EvaluationStopped
        try:
            return list(self._replies(image_prompts, sampling, stop))
        except EvaluationStopped:
            raise
        except TrueHueError as error:
            if len(image_prompts) == 1:
                return [NoReply(str(error), counts=not isinstance(error, BadInput))]
        except Exception as error:  # what a processor raises for one image has no family
            if len(image_prompts) == 1:
                return [_failure(error)]
        return [item for ask in image_prompts for item in self._group([ask], sampling, stop)]

    def _replies(
        self, image_prompts: Sequence[ImagePrompt], sampling: Sampling, stop: Stop
    ) -> Iterator[Reply]:
        """One reply each, from one pass of the model."""
        import torch

        begin = time.monotonic()
        images = [_received(ask) for ask in image_prompts]
        inputs = self._inputs(image_prompts, images)
        width = int(inputs["input_ids"].shape[1])
        if self._longest and width + sampling.max_tokens > self._longest:
            raise BadInput(
                f"The question takes {width:,} tokens with its image, and the model reads and "
                f"writes {self._longest:,}: there is no room for {sampling.max_tokens:,} more."
            )
        first = _first_token(any(ask.letters for ask in image_prompts))
        with quiet(), torch.inference_mode(), torch.random.fork_rng(self._devices()):
            torch.manual_seed(image_prompts[0].seed)
            written = self._model.generate(
                **inputs.to(self._at.device, dtype=getattr(torch, self._at.dtype)),
                max_new_tokens=sampling.max_tokens,
                stopping_criteria=[_until(stop)],
                logits_processor=[first],
                **_choice(sampling),
            )
        if stop():
            raise EvaluationStopped
        answers = written[:, width:].cpu()
        text = self._processor.batch_decode(answers, skip_special_tokens=True)
        seen = self._seen(inputs, len(image_prompts))
        # Of a batch each question took its share.
        seconds = (time.monotonic() - begin) / len(image_prompts)
        for row, image in enumerate(images):
            count, ended = self._length(answers[row].tolist())
            yield Reply(
                words=str(text[row]),
                ending="stop" if ended else "length",
                seconds=seconds,
                width=image.shape[1],
                height=image.shape[0],
                seen=seen[row],
                tokens_in=int(inputs["attention_mask"][row].sum()),
                tokens_out=count,
                letters=self._letters(first.probabilities, row, image_prompts[row].letters),
            )

    def _inputs(self, prompts: Sequence[ImagePrompt], images: Sequence[np.ndarray]) -> Any:
        from PIL import Image

        texts = []
        for ask in prompts:
            if self._plain:
                texts.append(ask.prompt)
                continue
            content: list[dict[str, str]] = [
                {"type": "image"},
                {"type": "text", "text": ask.prompt},
            ]
            if ask.order == "last":
                content.reverse()
            said = [{"role": "user", "content": content}]
            texts.append(
                self._processor.apply_chat_template(
                    said, tokenize=False, add_generation_prompt=True
                )
            )
        stored_images = [Image.fromarray(np.ascontiguousarray(image)) for image in images]
        padding = {"padding": True, "padding_side": "left"} if len(texts) > 1 else {}
        return self._processor(text=texts, images=stored_images, return_tensors="pt", **padding)

    def _seen(self, inputs: Any, count: int) -> list[str]:
        """What the processor made of each image: its size, or that of its tiles, and its tokens."""
        tokens = [0] * count
        if self._image_id is not None:
            tokens = (inputs["input_ids"] == self._image_id).sum(dim=1).tolist()
        pixels = inputs.get("pixel_values")
        out = []
        for row in range(count):
            shape = ""
            if _GRID in inputs:
                side = int(getattr(self._processor.image_processor, "patch_size", 0))
                _, high, wide = (int(number) for number in inputs[_GRID][row])
                shape = f"{wide * side} × {high * side} pixels"
            elif hasattr(pixels, "shape") and pixels.ndim in (4, 5):
                tiles = _tiles(pixels, row, tokens)
                high, wide = (int(side) for side in pixels.shape[-2:])
                shape = f"{wide} × {high} pixels" if tiles == 1 else f"{tiles} of {wide} × {high}"
            count_of = f"{tokens[row]} token{'' if tokens[row] == 1 else 's'}"
            parts = [shape, count_of if tokens[row] else ""]
            out.append(", ".join(word for word in parts if word))
        return out

    def _letters(self, probabilities: Any, row: int, letters: str) -> dict[str, float]:
        """The probability, 0 to 1, that the first token is each of the letters."""
        if not letters or probabilities is None:
            return {}
        out = dict.fromkeys(letters, 0.0)
        for token, letter in self._letter_tokens().items():
            if letter in out and token < probabilities.shape[1]:
                out[letter] += float(probabilities[row, token])
        return out

    def _letter_tokens(self) -> dict[int, str]:
        """The letters that single tokens spell."""
        if self._spelled is None:
            tokenizer = getattr(self._processor, "tokenizer", self._processor)
            spelled = {
                index: letter_of(token, LETTERS) for token, index in tokenizer.get_vocab().items()
            }
            self._spelled = {index: letter for index, letter in spelled.items() if letter}
        return self._spelled

    def _length(self, tokens: Sequence[int]) -> tuple[int, bool]:
        """How many tokens were written up to the one that ends an answer, and whether it came."""
        ends = self._model.generation_config.eos_token_id
        known = set(ends) if isinstance(ends, list) else {ends}
        for prompt_and_image_at, token in enumerate(tokens):
            if token in known:
                return prompt_and_image_at + 1, True
        return len(tokens), False

    def _devices(self) -> list[Any]:
        """The GPUs that it computes on."""
        placed = getattr(self._model, "hf_device_map", None) or {"": self._at.device}
        names = {
            f"cuda:{device}" if type(device) is int else str(device) for device in placed.values()
        }
        return sorted(name for name in names if name.startswith("cuda"))


def _reads_plain(config: Any) -> bool:
    """Whether a model that has no chat template reads a question as it is. What has an encoder of
    text, such as FLAN-T5, writes its answer elsewhere, and is not read here."""
    return config.model_type in _WITHOUT_TEMPLATE and not config.text_config.is_encoder_decoder


def _first_device(model: Any) -> str:
    """Where a model that is spread over several devices takes its tokens."""
    return str(model.get_input_embeddings().weight.device)


def _read(
    source: Source, placement: Placement, device_map: str = "", attention: str = ""
) -> tuple[Any, Any]:
    """Processor and model of a folder; raises BadModelFolder."""
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    folder = source.folder
    alone: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        processor = AutoProcessor.from_pretrained(folder, **alone)
        model, report = AutoModelForImageTextToText.from_pretrained(
            folder,
            dtype=getattr(torch, placement.dtype),
            use_safetensors=True,
            output_loading_info=True,
            **({"device_map": device_map} if device_map else {}),
            **({"attn_implementation": attention} if attention else {}),
            **alone,
        )
    except Exception as error:  # what a broken file raises has no family of its own
        if is_out_of_memory(error):
            raise
        why = " ".join(str(error).split())
        if "trust_remote_code" in why or "custom code" in why:
            raise BadModelFolder(
                f"{folder} asks for code of its own, which TrueHue never runs. Take the model in "
                "transformers' own layout; its id often ends in -hf."
            ) from error
        raise BadModelFolder(
            f"{folder} could not be read as a model that reads images and text: {why[:400]}"
        ) from error
    if not hasattr(processor, "image_processor"):
        raise BadModelFolder(f"{folder} has no processor of images: it reads text alone.")
    absent = sorted(report["missing_keys"])
    if absent:
        # Transformers fills what is absent with random numbers, which would answer noise.
        raise BadModelFolder(
            f"{folder} lacks {len(absent):,} of the weights of {type(model).__name__} "
            f"({absent[0]} …): they are not complete, or another model's."
        )
    return processor, model


def _received(ask: ImagePrompt) -> NDArray[np.uint8]:
    """The pixels, uint8 ``(H, W, 3)``, that come out of the codec."""
    srgb8 = ask.pixels()
    return decoded(jpeg(srgb8)) if ask.codec == "jpeg-75" else srgb8


def _choice(sampling: Sampling) -> dict[str, Any]:
    """The likeliest token, or one by chance; the model's own other settings stay, such as its
    repetition penalty, but for those that belong to chance: Qwen2-VL's top_k of 1 leaves none."""
    if sampling.temperature == 0:
        return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    sample = {"do_sample": True, "temperature": float(sampling.temperature)}
    return {**sample, "top_k": 0, "top_p": 1.0} if sampling.all_tokens else sample


def _first_token(is_wanted: bool) -> Any:
    """Keeps the probabilities of the first token of each row, after the model's own penalties."""
    from transformers import LogitsProcessor

    class FirstToken(LogitsProcessor):  # type: ignore[misc]
        probabilities: Any = None

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            if is_wanted and self.probabilities is None:
                self.probabilities = scores.float().softmax(dim=-1).cpu()
            return scores

    return FirstToken()


def _until(stop: Stop) -> Any:
    """Ends the writing once people want it."""
    from transformers import StoppingCriteria

    class Until(StoppingCriteria):  # type: ignore[misc]
        def __call__(self, input_ids: Any, scores: Any, **_: Any) -> Any:
            import torch

            return torch.full((len(input_ids),), stop(), device=input_ids.device)

    return Until()


def _tiles(pixels: Any, row: int, tokens: Sequence[int]) -> int:
    """How many tiles of a batch are the row's: padding is exactly 0 in all places, which no tile
    of an image is; tiles that lie in one row after another have equal numbers of tokens."""
    if pixels.ndim == 5:
        return int(pixels[row].flatten(1).any(dim=1).sum())
    total = sum(tokens)
    return round(len(pixels) * tokens[row] / total) if total else len(pixels) // len(tokens)


def _image_token(processor: Any, config: Any) -> int | None:
    for owner, name in (
        (processor, "image_token_id"),
        (config, "image_token_id"),
        (config, "image_token_index"),
    ):
        token = getattr(owner, name, None)
        if isinstance(token, int):
            return token
    return None


def _longest(config: Any) -> int:
    """How many tokens the text model has places for; 0 where it does not say."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    return int(getattr(text, "max_position_embeddings", 0) or 0)


def _failure(error: Exception) -> NoReply:
    if is_out_of_memory(error):
        return NoReply("Memory did not suffice for this question and its image.")
    return NoReply(f"The model failed ({type(error).__name__}: {error!s:.300}).")
