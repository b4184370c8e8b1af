"""A tiny CFM with random weights, saved as the published one is: Qwen2-VL's keys as transformers
4.45 named them, in two shards, with the head's and the word head's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tiny_models import vocabularies

WIDTH = 16
TOKENS = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]


def save(folder: Path, seed: int = 0) -> Path:
    """Writes configuration, tokenizer and shards into ``folder``; returns it."""
    import torch
    from safetensors.torch import save_file
    from transformers import Qwen2VLConfig
    from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

    from truehue.core.fidelity.cfm.checkpoint import head

    torch.manual_seed(seed)
    folder.mkdir(parents=True)
    tokenizer = vocabularies.qwen()
    tokenizer.add_special_tokens({"additional_special_tokens": TOKENS})
    ids = {name: int(tokenizer.convert_tokens_to_ids(name)) for name in TOKENS}
    config = Qwen2VLConfig(
        text_config={
            "hidden_size": WIDTH,
            "intermediate_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "vocab_size": len(tokenizer),
            "rope_parameters": {
                "rope_type": "default",
                "mrope_section": [1, 1, 2],
                "rope_theta": 1_000_000.0,
            },
            "bos_token_id": None,
            "eos_token_id": None,
        },
        vision_config={
            "depth": 2,
            "embed_dim": 16,
            "num_heads": 2,
            "hidden_size": WIDTH,
            "mlp_ratio": 2,
        },
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
    )
    config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    # With the row of the reward token, which training added.
    config.text_config.vocab_size = len(tokenizer) + 1
    backbone, reward_head = Qwen2VLModel(config), head(WIDTH)
    weights = {released_name(name): tensor for name, tensor in backbone.state_dict().items()}
    weights["lm_head.weight"] = torch.zeros(len(tokenizer) + 1, WIDTH)
    weights |= {f"rm_head.{name}": tensor for name, tensor in reward_head.state_dict().items()}
    names = sorted(weights)
    half = len(names) // 2
    for number, part in enumerate((names[:half], names[half:]), start=1):
        shard = {name: weights[name].contiguous() for name in part}
        save_file(shard, folder / f"model-{number:05d}-of-00002.safetensors")
    return folder


def released_name(name: str) -> str:
    """A weight's name in transformers 4.45, which the published shards have."""
    return name.replace("language_model.", "model.", 1) if name.startswith("lang") else name


def rewritten(folder: Path, shard: int, change: Any) -> None:
    """Changes the weights of a shard (1 or 2) by a function of its dict."""
    from safetensors.torch import load_file, save_file

    path = folder / f"model-{shard:05d}-of-00002.safetensors"
    weights = load_file(path)
    change(weights)
    save_file(weights, path)
