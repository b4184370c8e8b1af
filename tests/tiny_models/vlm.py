"""Tiny vision-language models with random weights, saved in the hub's layout: what each answers is
real, and means nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.core.generation.tiny_janus import save_tiny_janus
from tests.tiny_models import vocabularies

WIDTH = 16
TEXT = {
    "hidden_size": WIDTH,
    "intermediate_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    # With the usual 0.02 no picture changes what is answered.
    "initializer_range": 0.4,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
_VISION = {
    "hidden_size": WIDTH,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.4,
}


def template(image: str) -> str:
    """A chat template in which ``image`` stands for a picture."""
    return (
        "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
        "{% for part in message['content'] %}{% if part['type'] == 'image' %}" + image + "\n"
        "{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )


def save_qwen2_5_vl(folder: Path) -> Path:
    """Qwen2.5-VL, which keeps a picture's size up to the next multiple of 28."""
    from transformers import (
        Qwen2_5_VLConfig,
        Qwen2_5_VLForConditionalGeneration,
        Qwen2_5_VLProcessor,
        Qwen2VLImageProcessor,
        Qwen2VLVideoProcessor,
    )

    marks = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]
    tokenizer, ids = _tokenizer(marks)
    config = Qwen2_5_VLConfig(
        text_config={
            **TEXT,
            "vocab_size": len(tokenizer),
            "rope_parameters": {
                "rope_type": "default",
                "mrope_section": [1, 1, 2],
                "rope_theta": 1_000_000.0,
            },
        },
        vision_config={
            "depth": 1,
            "hidden_size": WIDTH,
            "intermediate_size": 32,
            "num_heads": 2,
            "initializer_range": 0.4,
            "out_hidden_size": WIDTH,
            "fullatt_block_indexes": [0],
        },
        vision_start_token_id=ids[0],
        vision_end_token_id=ids[1],
        image_token_id=ids[2],
        video_token_id=ids[3],
    )
    images = Qwen2VLImageProcessor(min_pixels=28 * 28, max_pixels=112 * 112)
    _save(folder, Qwen2_5_VLForConditionalGeneration, config, tokenizer)
    Qwen2_5_VLProcessor(
        images,
        tokenizer,
        Qwen2VLVideoProcessor(),
        chat_template=template("<|vision_start|><|image_pad|><|vision_end|>"),
    ).save_pretrained(folder)
    return folder


def save_internvl(folder: Path) -> Path:
    """InternVL as transformers has it: tiles of 28 pixels and the whole picture as one more."""
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer, ids = _tokenizer(list(named.values()), named)
    config = InternVLConfig(
        text_config={**TEXT, "model_type": "qwen2", "vocab_size": len(tokenizer)},
        vision_config={
            **_VISION,
            "image_size": [28, 28],
            "patch_size": [7, 7],
        },
        image_token_id=ids[2],
        image_seq_length=4,
        downsample_ratio=0.5,
    )
    _save(folder, InternVLForConditionalGeneration, config, tokenizer)
    InternVLProcessor(
        GotOcr2ImageProcessor(
            size={"height": 28, "width": 28}, crop_to_patches=True, max_patches=4
        ),
        tokenizer,
        InternVLVideoProcessor(size={"height": 28, "width": 28}),
        image_seq_length=4,
        chat_template=template("<IMG_CONTEXT>"),
    ).save_pretrained(folder)
    return folder


def save_llava_onevision(folder: Path) -> Path:
    """LLaVA-OneVision over SigLIP and Qwen2, whose pictures are cut into tiles of 28 pixels."""
    from transformers import (
        LlavaOnevisionConfig,
        LlavaOnevisionForConditionalGeneration,
        LlavaOnevisionImageProcessor,
        LlavaOnevisionProcessor,
        LlavaOnevisionVideoProcessor,
    )

    tokenizer, ids = _tokenizer(["<image>", "<video>"])
    grid = [[28, 28], [28, 56], [56, 28], [56, 56]]
    config = LlavaOnevisionConfig(
        text_config={**TEXT, "model_type": "qwen2", "vocab_size": len(tokenizer)},
        vision_config={
            **_VISION,
            "model_type": "siglip_vision_model",
            "image_size": 28,
            "patch_size": 7,
            "vision_use_head": False,
        },
        image_token_index=ids[0],
        video_token_index=ids[1],
        image_grid_pinpoints=grid,
        vision_feature_layer=-1,
    )
    size = {"height": 28, "width": 28}
    _save(folder, LlavaOnevisionForConditionalGeneration, config, tokenizer)
    LlavaOnevisionProcessor(
        LlavaOnevisionImageProcessor(size=size, image_grid_pinpoints=grid),
        tokenizer,
        LlavaOnevisionVideoProcessor(size=size),
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=template("<image>"),
    ).save_pretrained(folder)
    return folder


def save_instructblip(folder: Path) -> Path:
    """InstructBLIP over a ViT and Llama, which has no chat template: 4 tokens are the image."""
    from transformers import (
        BlipImageProcessor,
        InstructBlipConfig,
        InstructBlipForConditionalGeneration,
        InstructBlipProcessor,
    )

    tokenizer, ids = _tokenizer(["<image>"])
    config = InstructBlipConfig(
        text_config={**TEXT, "model_type": "llama", "vocab_size": len(tokenizer)},
        vision_config={**_VISION, "image_size": 28, "patch_size": 7},
        qformer_config={
            **_VISION,
            "vocab_size": len(tokenizer),
            "encoder_hidden_size": WIDTH,
            "cross_attention_frequency": 1,
        },
        num_query_tokens=4,
        image_token_index=ids[0],
    )
    _save(folder, InstructBlipForConditionalGeneration, config, tokenizer)
    InstructBlipProcessor(
        BlipImageProcessor(size={"height": 28, "width": 28}),
        tokenizer,
        _tokenizer([])[0],
        num_query_tokens=4,
    ).save_pretrained(folder)
    return folder


SAVED: dict[str, Callable[[Path], Path]] = {
    "qwen2_5_vl": save_qwen2_5_vl,
    "internvl": save_internvl,
    "llava_onevision": save_llava_onevision,
    "janus": save_tiny_janus,
    "instructblip": save_instructblip,
}
"""By transformers' model type."""


def _tokenizer(marks: list[str], named: dict[str, str] | None = None) -> tuple[Any, list[int]]:
    """One token a byte, and one for each mark."""
    tokenizer = vocabularies.qwen(named)
    tokenizer.pad_token, tokenizer.eos_token = "<|endoftext|>", "<|im_end|>"
    tokenizer.add_tokens(marks, special_tokens=True)
    return tokenizer, [int(tokenizer.convert_tokens_to_ids(mark)) for mark in marks]


def _save(folder: Path, model_class: Any, config: Any, tokenizer: Any) -> None:
    import torch
    from transformers import GenerationConfig

    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = model_class(config)
    model.generation_config = GenerationConfig(
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    model.save_pretrained(folder)
