"""A Janus of random weights, small enough for a test, saved in the hub's layout."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

TEMPLATE = (
    "{% for message in messages %}<|User|>: {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image_placeholder>\n{% else %}{{ part['text'] }}{% endif %}"
    "{% endfor %}\n\n{% endfor %}{% if add_generation_prompt %}<|Assistant|>:{% endif %}"
)
TOKENS = 16
SIDE_PX = 32


def save_tiny_janus(
    folder: Path, template: str | None = TEMPLATE, terms: tuple[str, ...] = ()
) -> Path:
    """Writes model, tokenizer and processor; 16 tokens make an image of 32 pixels. ``terms`` are
    one token each; all else is spelled byte by byte."""
    import torch
    from transformers import (
        GenerationConfig,
        JanusConfig,
        JanusForConditionalGeneration,
        JanusImageProcessor,
        JanusProcessor,
        JanusVisionConfig,
        JanusVQVAEConfig,
        LlamaConfig,
    )

    tokenizer = _tokenizer()  # type: ignore[no-untyped-call]
    tokenizer.add_tokens(list(terms))
    text = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        # With the usual 0.02 no prompt changes what is drawn.
        initializer_range=0.3,
        max_position_embeddings=256,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    vision = JanusVisionConfig(
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        image_size=SIDE_PX,
        patch_size=8,
        projection_dim=32,
        num_image_tokens=TOKENS,
    )
    vq = JanusVQVAEConfig(
        embed_dim=4,
        num_embeddings=64,
        latent_channels=32,
        base_channels=32,
        channel_multiplier=[1, 1, 1, 1],
        num_res_blocks=1,
        projection_dim=32,
        image_token_embed_dim=32,
    )
    config = JanusConfig(
        text_config=text,
        vision_config=vision,
        vq_config=vq,
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = JanusForConditionalGeneration(config)
    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        generation_kwargs={"boi_token_id": tokenizer.convert_tokens_to_ids("<begin_of_image>")},
    )
    model.save_pretrained(folder)
    half = [0.5, 0.5, 0.5]
    images = JanusImageProcessor(
        size={"height": SIDE_PX, "width": SIDE_PX}, image_mean=half, image_std=half
    )
    JanusProcessor(
        images, tokenizer, chat_template=template, num_image_tokens=TOKENS
    ).save_pretrained(folder)
    return folder


Lesson = tuple[np.ndarray, str, str]
"""An image, uint8 (H, W, 3), what is asked of it, and what to answer."""


def teach(folder: Path, lessons: Sequence[Lesson], rounds: int = 200) -> Path:
    """Trains a saved tiny Janus until it answers so, and saves it: real answers, though about
    nothing else than these lessons."""
    import torch
    from PIL import Image
    from transformers import JanusForConditionalGeneration, JanusProcessor

    processor = JanusProcessor.from_pretrained(folder)
    model = JanusForConditionalGeneration.from_pretrained(folder).train()
    texts = []
    for _, target, _ in lessons:
        content = [{"type": "image"}, {"type": "text", "text": target}]
        said = [{"role": "user", "content": content}]
        texts.append(processor.apply_chat_template(said, add_generation_prompt=True))
    ends = [f"{answer}{processor.tokenizer.eos_token}" for _, _, answer in lessons]
    inputs = processor(
        text=[text + end for text, end in zip(texts, ends, strict=True)],
        images=[Image.fromarray(image) for image, _, _ in lessons],
        padding=True,
        padding_side="left",
        return_tensors="pt",
    )
    wanted = torch.full_like(inputs["input_ids"], -100)
    for row, end in enumerate(ends):
        count = len(processor.tokenizer(end, add_special_tokens=False)["input_ids"])
        wanted[row, -count:] = inputs["input_ids"][row, -count:]
    loss = _trained(model, {**inputs, "labels": wanted}, rounds)
    assert loss < 0.05, f"it has not learned: {loss:.3f}"
    model.eval().save_pretrained(folder)
    return folder


def _trained(model, batch, rounds: int) -> float:  # type: ignore[no-untyped-def]
    import torch

    # On a busy machine threads that wait for each other take longer than so small a model.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rate = torch.optim.AdamW(model.parameters(), lr=3e-3)
        for _ in range(rounds):
            rate.zero_grad()
            loss = model(**batch).loss
            if loss.item() < 0.02:
                break
            loss.backward()
            rate.step()
        return float(loss.item())
    finally:
        torch.set_num_threads(threads)


def _tokenizer():  # type: ignore[no-untyped-def]
    """One token a byte: no vocabulary has to be trained."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    marks = ["<pad>", "<bos>", "<eos>", "<image_placeholder>", "<begin_of_image>", "<end_of_image>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE({token: n for n, token in enumerate(marks + letters)}, []))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        bos_token="<bos>",
        eos_token="<eos>",
        extra_special_tokens={
            "image_token": "<image_placeholder>",
            "boi_token": "<begin_of_image>",
            "eoi_token": "<end_of_image>",
        },
    )
