"""Scores and maps of CFM."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.checkpoint import fill, head, vocabulary_size, weight_files
from truehue.core.fidelity.cfm.rotary import round_rotary
from truehue.core.files import replace_file
from truehue.core.generation.memory import BadModelFolder
from truehue.core.machine import Placement
from truehue.core.refinement.settings import MAX_CELLS, cell_means

REWARD_TOKEN = "<|Reward|>"
PROMPT = "{text_prompt}"
INSTRUCTION = f"""Look at the colors of this image, which was made from the prompt below, and judge
how close they come to those of a photograph of the same scene. Mind the usual colors of the things
that the prompt names, the light that it implies, and whether saturation and contrast are stronger
or weaker than a camera would have recorded.

Prompt: {PROMPT}

Color fidelity: {REWARD_TOKEN}
"""
"""Our own wording. Published weights were trained with another: point to a file with that, or their
scores deviate."""


def instruction_of(path: Path | None) -> str:
    """The instruction of a UTF-8 file, ours where there is none.

    Raises BadInput unless the text holds ``{text_prompt}`` and ``<|Reward|>`` once each.
    """
    if path is None:
        return INSTRUCTION
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The instruction {path.name} cannot be read as UTF-8: {error}") from None
    return checked(text, f"The instruction {path.name}")


def checked(text: str, name: str) -> str:
    """The text itself; raises BadInput, beginning with ``name``, unless it holds each mark once."""
    for mark in (PROMPT, REWARD_TOKEN):
        if text.count(mark) != 1:
            raise BadInput(f"{name} must hold {mark} once; it does {text.count(mark)} times.")
    return text


def message(instruction: str, prompt: str, image_tokens: int) -> str:
    """The whole text of one image, in the default chat template of Qwen2-VL: a system turn, then
    the user's with the image first. A prompt that holds the template's own marks is read as plain
    words: its "<|" becomes "< |"."""
    text = prompt.replace("<|", "< |")
    image = f"<|vision_start|>{'<|image_pad|>' * image_tokens}<|vision_end|>"
    return (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        f"<|im_start|>user\n{image}{instruction.replace(PROMPT, text)}<|im_end|>\n"
        "<|im_start|>assistant\n"
    )


AREA_PX = 256 * 28 * 28
"""Pixels of every image as the published CFM reads it, whatever its size: the released code's; the
paper says "longer edge 448"."""
SIDE_MULTIPLE = 28
"""Pixels a side of what becomes one token."""
READING = "reading.json"


@dataclass(frozen=True)
class CfmReading:
    """``instruction`` with its two marks; ``area_px`` of every image, whatever its size.

    ``visual_only`` leaves out all text but the reward token, as the paper's ablation does (Table
    4): neither template, nor instruction, nor prompt. ``rounded_rotary`` rounds the rotary
    frequencies to bfloat16, as the authors' training did.
    """

    instruction: str = INSTRUCTION
    area_px: int = AREA_PX
    visual_only: bool = False
    rounded_rotary: bool = False

    def __post_init__(self) -> None:
        checked(self.instruction, "The instruction")
        if not SIDE_MULTIPLE**2 <= self.area_px <= 16 * AREA_PX:
            raise BadInput(
                f"An image is read at {SIDE_MULTIPLE**2:,} to {16 * AREA_PX:,} pixels, not at "
                f"{self.area_px:,}."
            )

    def text(self, prompt: str, image_tokens: int) -> str:
        """The whole text of one image."""
        if self.visual_only:
            return f"<|vision_start|>{'<|image_pad|>' * image_tokens}<|vision_end|>{REWARD_TOKEN}"
        return message(self.instruction, prompt, image_tokens)


def reading_of(folder: Path) -> CfmReading:
    """What a folder of weights says of it in ``reading.json``, which our training writes. Without
    that file they are the authors': the published area, rounded rotary frequencies, and our
    instruction, for theirs is not in the folder. Raises BadInput for a file that cannot be used."""
    path = folder / READING
    if not path.is_file():
        return CfmReading(rounded_rotary=True)
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        rounded = fields.get("rounded_rotary", False)
        if not isinstance(rounded, bool):
            raise TypeError("rounded_rotary is true or false")
        return CfmReading(
            str(fields["instruction"]),
            int(fields["area_px"]),
            bool(fields["visual_only"]),
            rounded,
        )
    except BadInput:
        raise
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} does not say how its CFM reads: {error!r:.200}") from None


def write_reading(folder: Path, reading: CfmReading) -> None:
    """Writes it beside the weights."""
    text = json.dumps(asdict(reading), ensure_ascii=False, indent=1) + "\n"
    replace_file(folder / READING, text.encode())


SCALE = 3.0
"""The divisor of the head's value in the published code."""
KAPPA = 10.0
"""Temperature of the map (equation 8, appendix D)."""
_MERGED = 2  # patches a side that make one token


@dataclass(frozen=True)
class CfmScore:
    """CFM's result for one image.

    ``logit`` is the head's own value, ``score`` that divided by 3, as the published code reports
    it; neither has a bound, and higher is more faithful. ``attention`` float32 ``(h, w)`` in
    [0, 1]: equations 8 and 9 stretched to [0, 1], one cell a token.
    """

    logit: float
    attention: np.ndarray

    @property
    def score(self) -> float:
        return self.logit / SCALE


class CfmScorer:
    """CFM in memory; made by :func:`open_cfm`."""

    def __init__(
        self, backbone: Any, reward_head: Any, tokenizer: Any, reading: CfmReading, device: str
    ) -> None:
        self.backbone, self.reward_head = backbone, reward_head
        self.reading = reading
        self._tokenizer, self.device = tokenizer, device
        self.reward_id = int(tokenizer.convert_tokens_to_ids(REWARD_TOKEN))
        self._image_id = int(tokenizer.convert_tokens_to_ids("<|image_pad|>"))
        self._pad_id = int(tokenizer.pad_token_id or 0)
        from transformers import Qwen2VLImageProcessor

        self._patches = Qwen2VLImageProcessor(do_resize=False, resample=3)

    def scores(
        self, images: Sequence[np.ndarray], prompts: Sequence[str], batch_size: int = 4
    ) -> list[CfmScore]:
        """One score an image, in their order.

        ``images`` uint8 ``(H, W, 3)`` sRGB; ``prompts`` as many. A batch gives what each gives
        alone but for rounding. Raises BadInput for images CFM cannot read (sides of more than
        200 to 1) and for another number of prompts.
        """
        import torch

        if len(images) != len(prompts):
            raise BadInput(f"{len(images)} images have {len(prompts)} prompts: one each.")
        out: list[CfmScore] = []
        with torch.inference_mode():
            for start in range(0, len(images), batch_size):
                span = slice(start, start + batch_size)
                batch = self.inputs(images[span], prompts[span])
                logits, hidden = self.forward(batch)
                for row, logit in enumerate(logits.tolist()):
                    attention = self._attention(batch, hidden[row], row)
                    out.append(CfmScore(float(logit), attention))
        return out

    def inputs(self, images: Sequence[np.ndarray], prompts: Sequence[str]) -> dict[str, Any]:
        """The tensors of a batch of images, uint8 sRGB ``(H, W, 3)``, with a prompt each, padded at
        the right: int64 ``(B, T)`` tokens and their mask, their positions ``(3, B, T)``, float32
        ``(patches, 1176)`` pixels and int64 ``(B, 3)`` grids of patches."""
        return self.read_inputs(
            [resize_for_cfm(image, self.reading.area_px) for image in images], prompts
        )

    def read_inputs(self, resized: Sequence[np.ndarray], prompts: Sequence[str]) -> dict[str, Any]:
        """The same of images, uint8 ``(H, W, 3)``, that :func:`resize_for_cfm` made."""
        import torch

        images = self._patches(images=list(resized), return_tensors="pt")
        grids = images["image_grid_thw"]
        ids = []
        for grid, prompt in zip(grids.tolist(), prompts, strict=True):
            tokens = grid[0] * grid[1] * grid[2] // _MERGED**2
            text = self.reading.text(prompt, tokens)
            ids.append(self._tokenizer(text, add_special_tokens=False)["input_ids"])
        longest = max(map(len, ids))
        input_ids = torch.full((len(ids), longest), self._pad_id)
        mask = torch.zeros((len(ids), longest), dtype=torch.long)
        for row, line in enumerate(ids):
            input_ids[row, : len(line)] = torch.tensor(line)
            mask[row, : len(line)] = 1
        # As transformers 4.45 counted where no positions were given: one dimension, images
        # included, three times.
        positions = torch.arange(longest).expand(3, len(ids), longest)
        batch = {
            "input_ids": input_ids,
            "attention_mask": mask,
            "position_ids": positions,
            "pixel_values": images["pixel_values"],
            "image_grid_thw": grids,
        }
        return {name: tensor.to(self.device) for name, tensor in batch.items()}

    def forward(self, batch: dict[str, Any]) -> tuple[Any, Any]:
        """The head's values ``(B,)`` float32 and the last hidden states ``(B, L, width)``."""
        import torch

        hidden = self.backbone(**batch, use_cache=False).last_hidden_state
        at_token = batch["input_ids"] == self.reward_id
        if not (at_token.sum(dim=1) == 1).all():
            raise BadInput(f"The text of an image must hold {REWARD_TOKEN} once.")
        # The head stays in float32 where training computes the backbone in bfloat16.
        with torch.autocast(hidden.device.type, enabled=False):
            return self.reward_head(hidden[at_token].float())[:, 0], hidden

    def _attention(self, batch: dict[str, Any], hidden: Any, row: int) -> np.ndarray:
        """Equations 8 and 9 over the tokens of the image and all others that are read."""
        import torch

        ids = batch["input_ids"][row]
        visual = ids == self._image_id
        textual = ~visual & (batch["attention_mask"][row] == 1)
        unit = torch.nn.functional.normalize(hidden.float(), dim=-1)
        share = torch.softmax(unit[textual] @ unit[visual].T / KAPPA, dim=-1).mean(dim=0)
        _, rows, columns = (int(side) for side in batch["image_grid_thw"][row])
        grid = share.reshape(rows // _MERGED, columns // _MERGED)
        spread = grid.max() - grid.min()
        stretched = (grid - grid.min()) / spread if spread > 0 else torch.zeros_like(grid)
        attention: np.ndarray = stretched.cpu().numpy().astype(np.float32)
        return attention

    def unload(self) -> None:
        """Gives the memory back; it cannot score afterwards."""
        self.backbone = self.reward_head = None


def reduce_attention(attention: np.ndarray) -> np.ndarray:
    """A map of CFM, float32 ``(h, w)`` in [0, 1], with at most MAX_CELLS a side: area means where
    it has more."""
    height, width = attention.shape
    if max(height, width) <= MAX_CELLS:
        return attention
    return cell_means(attention, (min(height, MAX_CELLS), min(width, MAX_CELLS)))


def resize_for_cfm(srgb8: np.ndarray, area_px: int = AREA_PX) -> np.ndarray:
    """An image at the size at which CFM reads it: ``area_px`` pixels as nearly as sides that are
    multiples of 28 allow, bicubic. uint8 ``(H, W, 3)`` in and out."""
    from PIL import Image
    from transformers.models.qwen2_vl.image_processing_qwen2_vl import smart_resize

    if srgb8.ndim != 3 or srgb8.shape[2] != 3 or srgb8.dtype != np.uint8:
        raise BadInput(f"An image is uint8 (H, W, 3), not {srgb8.dtype} {srgb8.shape}.")
    try:
        height, width = smart_resize(
            srgb8.shape[0], srgb8.shape[1], SIDE_MULTIPLE, min_pixels=area_px, max_pixels=area_px
        )
    except ValueError as error:
        raise BadInput(f"CFM cannot read this picture: {error}") from None
    resized = Image.fromarray(srgb8).resize((width, height), Image.Resampling.BICUBIC)
    return np.array(resized)


def open_cfm(
    folder: Path,
    base: Path | None,
    placement: Placement,
    instruction: Path | None = None,
    rounded_rotary: bool | None = None,
) -> CfmScorer:
    """Loads CFM strictly.

    ``folder`` holds the safetensors shards; ``base`` the configuration and tokenizer of the
    Qwen2-VL that it was trained from (``Qwen/Qwen2-VL-7B-Instruct``), the same folder where None.
    ``instruction``: see :func:`instruction_of`; None takes that of the folder's ``reading.json``,
    and so does ``rounded_rotary``. Raises ModelMissing and BadModelFolder with what is missing,
    BadInput for an instruction that cannot be used.
    """
    reading, files = reading_of(folder), weight_files(folder)
    if instruction is not None:
        reading = replace(reading, instruction=instruction_of(instruction))
    if rounded_rotary is not None:
        reading = replace(reading, rounded_rotary=rounded_rotary)
    config, tokenizer = config_and_tokenizer(base or folder)
    config.text_config.vocab_size = vocabulary_size(files)
    if tokenizer.convert_tokens_to_ids(REWARD_TOKEN) >= config.text_config.vocab_size:
        raise BadModelFolder(
            f"{folder} has no row for {REWARD_TOKEN}: it is a Qwen2-VL, and no CFM, or the "
            "tokenizer is another's."
        )
    backbone, reward_head = empty(config, placement)
    fill(backbone, reward_head, files)
    if reading.rounded_rotary:
        round_rotary(backbone)
    return CfmScorer(backbone.eval(), reward_head.eval(), tokenizer, reading, placement.device)


def config_and_tokenizer(base: Path) -> tuple[Any, Any]:
    """Of a folder with a Qwen2-VL; the tokenizer with the reward token as its last. Raises
    BadModelFolder for another model and where they are missing."""
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(
            base, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError) as error:
        raise BadModelFolder(
            f"{base} holds no configuration and tokenizer of Qwen2-VL: {error}"
        ) from None
    if config.model_type != "qwen2_vl":
        raise BadModelFolder(f"{base} is a {config.model_type}, and CFM is made from a qwen2_vl.")
    tokenizer.add_special_tokens({"additional_special_tokens": [REWARD_TOKEN]})
    return config, tokenizer


def empty(config: Any, placement: Placement) -> tuple[Any, Any]:
    """The backbone and the head, whose weights are still to come."""
    import torch
    from transformers.initialization import no_init_weights
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

    with torch.device(placement.device), no_init_weights():
        backbone = Qwen2VLModel._from_config(config, dtype=getattr(torch, placement.dtype))
        return backbone, head(config.text_config.hidden_size)
