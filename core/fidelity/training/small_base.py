"""A small Qwen2-VL with random weights: the real class, for training where a large one is not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.checkpoints import whole_weights
from truehue.core.errors import BadInput

_MARKS = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>")
_PLACES = ("<|image_pad|>", "<|video_pad|>")


@dataclass(frozen=True)
class SmallSize:
    """``width`` of the text model and of the image tower, ``layers`` of each; ``spread`` is the
    standard deviation of the random weights (transformers' own 0.02 hardly passes an image on in
    a model this narrow)."""

    width: int = 32
    layers: int = 2
    spread: float = 0.1


def write_small_base(folder: Path, size: SmallSize | None = None, seed: int = 0) -> None:
    """Writes configuration, tokenizer and weights into ``folder``, which must not be there.

    The tokenizer is Qwen2's, byte by byte, without merges. Raises BadInput for a folder that is
    there and for a width that is no multiple of 16, DataFolderError where it cannot be written.
    """
    import torch
    from transformers import Qwen2VLConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel
    from transformers.utils import logging

    size = size or SmallSize()
    if size.width < 16 or size.width % 16 or size.layers < 1 or not size.spread > 0:
        raise BadInput("A small base has a width of 16, 32, 48 and so on, and at least one layer.")
    if folder.exists():
        raise BadInput(f"{folder} is there already: choose another folder.")
    tokenizer = _tokenizer()
    ids = [int(tokenizer.convert_tokens_to_ids(name)) for name in (*_MARKS[2:], *_PLACES)]
    width = size.width
    config = Qwen2VLConfig(
        text_config={
            "hidden_size": width,
            "intermediate_size": 2 * width,
            "num_hidden_layers": size.layers,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "vocab_size": len(tokenizer),
            "rope_parameters": {
                "rope_type": "default",
                # Turned pairs of numbers of a head: for time, height and width.
                "mrope_section": [width // 16, width // 16, width // 8],
                "rope_theta": 1_000_000.0,
            },
            "initializer_range": size.spread,
            "bos_token_id": None,
            "eos_token_id": None,
        },
        vision_config={
            "depth": size.layers,
            "embed_dim": width,
            "num_heads": 2,
            "hidden_size": width,
            "mlp_ratio": 2,
            "initializer_range": size.spread,
        },
        vision_start_token_id=ids[0],
        vision_end_token_id=ids[1],
        image_token_id=ids[2],
        video_token_id=ids[3],
    )
    torch.manual_seed(seed)
    with_bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with whole_weights(folder) as half:
            Qwen2VLModel(config).save_pretrained(half)
            tokenizer.save_pretrained(half)
    finally:
        if with_bars:
            logging.enable_progress_bar()


def _tokenizer() -> Any:
    from tokenizers import pre_tokenizers
    from transformers import Qwen2Tokenizer

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {name: number for number, name in enumerate([*alphabet, "<|endoftext|>"])}
    tokenizer = Qwen2Tokenizer(vocab=vocab, merges=[], model_max_length=100_000)
    tokenizer.add_special_tokens({"additional_special_tokens": [*_MARKS, *_PLACES]})
    return tokenizer
