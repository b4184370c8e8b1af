"""Text encoders of the real classes with a few thousand random weights."""

from __future__ import annotations

from typing import Any

WIDTH = 32


def clip(tokenizer: Any, *, projection: bool = False) -> Any:
    """A CLIP text model, with its projection for the second encoder of SDXL and SD3."""
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    config = CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=37,
        projection_dim=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=77,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    return (CLIPTextModelWithProjection if projection else CLIPTextModel)(config)


def t5(tokenizer: Any, *, width: int = WIDTH) -> Any:
    """A T5 encoder."""
    from transformers import T5Config, T5EncoderModel

    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=width,
        d_kv=8,
        d_ff=37,
        num_layers=2,
        num_heads=4,
        feed_forward_proj="gated-gelu",
    )
    return T5EncoderModel(config)


def bert(tokenizer: Any) -> Any:
    """A BERT model."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=37,
        max_position_embeddings=77,
    )
    return BertModel(config)


def gemma(tokenizer: Any) -> Any:
    """A Gemma 2 model."""
    from transformers import Gemma2Config, Gemma2Model

    config = Gemma2Config(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=4096,
        query_pre_attn_scalar=8,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=2,
    )
    return Gemma2Model(config)


def glm(tokenizer: Any) -> Any:
    """A GLM-4 model."""
    from transformers import GlmConfig, GlmModel

    config = GlmConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=2048,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return GlmModel(config)


def qwen(tokenizer: Any, *, layers: int = 2) -> Any:
    """A Qwen2.5-VL model."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    config = Qwen2_5_VLConfig(
        text_config={
            "hidden_size": WIDTH,
            "intermediate_size": 32,
            "num_hidden_layers": layers,
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "vocab_size": len(tokenizer),
            "rope_scaling": {"mrope_section": [2, 3, 3], "rope_type": "default", "type": "default"},
            "rope_theta": 1_000_000.0,
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": WIDTH,
        },
        vision_start_token_id=1,
        vision_end_token_id=2,
        vision_token_id=3,
        image_token_id=4,
        video_token_id=5,
    )
    return Qwen2_5_VLForConditionalGeneration(config)


def chatglm(tokenizer: Any) -> Any:
    """A ChatGLM3 model, of diffusers' own class."""
    import torch
    from diffusers.pipelines.kolors.text_encoder import ChatGLMConfig, ChatGLMModel

    config = ChatGLMConfig(
        num_layers=2,
        padded_vocab_size=len(tokenizer) + 16,
        hidden_size=WIDTH,
        ffn_hidden_size=32,
        kv_channels=8,
        num_attention_heads=4,
        seq_length=512,
        multi_query_attention=True,
        multi_query_group_num=2,
        rmsnorm=True,
        original_rope=True,
        post_layer_norm=True,
        apply_residual_connection_post_layernorm=False,
        add_bias_linear=False,
        add_qkv_bias=True,
        bias_dropout_fusion=True,
        attention_softmax_in_fp32=True,
        apply_query_key_layer_scaling=True,
    )
    made = ChatGLMModel(config)
    # The class leaves its memory as it comes, since weights are always read over it.
    for name, item in made.named_parameters():
        if "norm" in name and name.endswith("weight"):
            torch.nn.init.ones_(item)
        else:
            torch.nn.init.normal_(item, std=0.1)
    return made


_TEXT: dict[str, Any] = {
    "hidden_size": WIDTH,
    "intermediate_size": 32,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}


def qwen3(tokenizer: Any, *, layers: int = 2) -> Any:
    """A Qwen3 model with its head."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    config = Qwen3Config(**_TEXT, vocab_size=len(tokenizer), num_hidden_layers=layers)
    return Qwen3ForCausalLM(config)


def qwen3_vl(tokenizer: Any) -> Any:
    """A Qwen3-VL model with its head."""
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    ids = tokenizer.convert_tokens_to_ids(list(QWEN_MARKS))
    config = Qwen3VLConfig(
        text_config={
            **_TEXT,
            "vocab_size": len(tokenizer),
            "num_hidden_layers": 2,
            "rope_parameters": {
                "rope_type": "default",
                "mrope_section": [2, 3, 3],
                "rope_theta": 1_000_000.0,
            },
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": WIDTH,
            "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0],
        },
        vision_start_token_id=ids[0],
        vision_end_token_id=ids[1],
        image_token_id=ids[2],
        video_token_id=ids[3],
    )
    return Qwen3VLForConditionalGeneration(config)


QWEN_MARKS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
"""Tokens around and for images, as Qwen's models of vision have them."""


def mistral3(tokenizer: Any, *, layers: int) -> Any:
    """A Mistral 3 model with its head and a small eye."""
    from transformers import Mistral3Config, Mistral3ForConditionalGeneration

    config = Mistral3Config(
        text_config={
            **_TEXT,
            "model_type": "mistral",
            "vocab_size": len(tokenizer),
            "num_hidden_layers": layers,
        },
        vision_config={
            "model_type": "pixtral",
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "head_dim": 8,
            "image_size": 28,
            "patch_size": 14,
        },
        image_token_index=len(tokenizer) - 1,
    )
    return Mistral3ForConditionalGeneration(config)
