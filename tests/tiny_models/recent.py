"""Tiny pipelines of the families of 2025 and 2026, as a hub folder holds them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.tiny_models import encoders, vocabularies
from tests.tiny_models.encoders import WIDTH
from tests.tiny_models.pipelines import _flow, _vae

# As FLUX's decoder has them.
_FLUX_VAE: dict[str, Any] = {
    "shift_factor": 0.1159,
    "scaling_factor": 0.3611,
    "use_quant_conv": False,
    "use_post_quant_conv": False,
}
_SHIFTING: dict[str, Any] = {"shift": 3.0, "use_dynamic_shifting": True}


def _flux2_vae() -> Any:
    """An 8-fold decoder whose latents are patched and normalized by their own statistics."""
    from diffusers import AutoencoderKLFlux2

    blocks = 4
    return AutoencoderKLFlux2(
        block_out_channels=(8,) * blocks,
        layers_per_block=1,
        norm_num_groups=4,
        latent_channels=4,
        sample_size=64,
        down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks,
    ).eval()


def _flux2_transformer(layers: int, *, guidance: bool) -> Any:
    from diffusers import Flux2Transformer2DModel

    return Flux2Transformer2DModel(
        in_channels=16,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=layers * WIDTH,
        timestep_guidance_channels=16,
        axes_dims_rope=(4, 4, 4, 4),
        guidance_embeds=guidance,
    )


def flux2(folder: Path) -> Any:
    """FLUX.2 [dev]: three layers of Mistral 3, guidance as an input of the transformer."""
    from diffusers import Flux2Pipeline

    processor = vocabularies.pixtral()
    return Flux2Pipeline(
        scheduler=_flow(**_SHIFTING),
        vae=_flux2_vae(),
        text_encoder=encoders.mistral3(processor.tokenizer, layers=31),
        tokenizer=processor,
        transformer=_flux2_transformer(3, guidance=True),
    )


def flux2_klein(folder: Path) -> Any:
    """FLUX.2 [klein] base: three layers of Qwen3, guidance by a second prediction."""
    from diffusers import Flux2KleinPipeline

    tokenizer = vocabularies.qwen_chat()
    return Flux2KleinPipeline(
        scheduler=_flow(**_SHIFTING),
        vae=_flux2_vae(),
        text_encoder=encoders.qwen3(tokenizer, layers=28),
        tokenizer=tokenizer,
        transformer=_flux2_transformer(3, guidance=False),
    )


def z_image(folder: Path) -> Any:
    """Z-Image: text and image in one sequence, with Qwen3."""
    from diffusers import ZImagePipeline, ZImageTransformer2DModel

    tokenizer = vocabularies.qwen_chat()
    transformer = ZImageTransformer2DModel(
        dim=32,
        n_layers=1,
        n_refiner_layers=1,
        n_heads=2,
        n_kv_heads=2,
        cap_feat_dim=WIDTH,
        axes_dims=[4, 6, 6],
        axes_lens=[1024, 64, 64],
    )
    return ZImagePipeline(
        scheduler=_flow(shift=3.0),
        vae=_vae(16, **_FLUX_VAE),
        text_encoder=encoders.qwen3(tokenizer),
        tokenizer=tokenizer,
        transformer=transformer,
    )


def qwen_image_21(folder: Path) -> Any:
    """Qwen-Image 2.1: Qwen3-VL, and a 16-fold decoder of images with transparency."""
    from diffusers import (
        AutoencoderKLQwenImage21,
        QwenImage21Pipeline,
        QwenImage21Transformer2DModel,
    )

    processor = vocabularies.qwen3_vl()
    vae = AutoencoderKLQwenImage21(
        base_dim=4, decoder_base_dim=4, dim_mult=[1, 1, 1, 1, 1], num_res_blocks=1
    )
    transformer = QwenImage21Transformer2DModel(
        num_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        context_in_dim=WIDTH,
        axes_dims_rope=(4, 6, 6),
    )
    return QwenImage21Pipeline(
        scheduler=_flow(**_SHIFTING),
        vae=vae,
        text_encoder=encoders.qwen3_vl(processor.tokenizer),
        processor=processor,
        transformer=transformer,
    )


def hunyuan_image(folder: Path) -> Any:
    """HunyuanImage 2.1: Qwen2.5-VL, ByT5 for quoted text, guidance by a part of its own."""
    from diffusers import (
        AdaptiveProjectedMixGuidance,
        AutoencoderKLHunyuanImage,
        HunyuanImagePipeline,
        HunyuanImageTransformer2DModel,
    )

    tokenizer, byte_tokenizer = vocabularies.qwen(), vocabularies.byt5()
    vae = AutoencoderKLHunyuanImage(
        in_channels=3,
        out_channels=3,
        latent_channels=8,
        block_out_channels=(32, 32, 32, 32, 32, 32),
        layers_per_block=1,
        spatial_compression_ratio=32,
        sample_size=64,
        scaling_factor=0.75,
    )
    transformer = HunyuanImageTransformer2DModel(
        in_channels=8,
        out_channels=8,
        num_attention_heads=2,
        attention_head_dim=16,
        num_layers=1,
        num_single_layers=1,
        num_refiner_layers=1,
        text_embed_dim=WIDTH,
        text_embed_2_dim=WIDTH,
        rope_axes_dim=(8, 8),
    )
    return HunyuanImagePipeline(
        scheduler=_flow(shift=5.0),
        vae=vae,
        text_encoder=encoders.qwen(tokenizer, layers=3),
        tokenizer=tokenizer,
        text_encoder_2=encoders.t5(byte_tokenizer),
        tokenizer_2=byte_tokenizer,
        transformer=transformer,
        guider=AdaptiveProjectedMixGuidance(guidance_scale=3.5),
        ocr_guider=AdaptiveProjectedMixGuidance(guidance_scale=3.5),
    )


def ernie_image(folder: Path) -> Any:
    """ERNIE-Image: Mistral 3 and FLUX.2's decoder; without the model that rewrites prompts."""
    from diffusers import ErnieImagePipeline, ErnieImageTransformer2DModel

    tokenizer = vocabularies.glm()
    transformer = ErnieImageTransformer2DModel(
        hidden_size=32,
        num_attention_heads=2,
        num_layers=1,
        ffn_hidden_size=32,
        in_channels=16,
        out_channels=16,
        text_in_dim=WIDTH,
        rope_axes_dim=(4, 6, 6),
    )
    return ErnieImagePipeline(
        transformer=transformer,
        vae=_flux2_vae(),
        text_encoder=encoders.mistral3(tokenizer, layers=2).model,
        tokenizer=tokenizer,
        scheduler=_flow(shift=3.0),
        pe=None,
        pe_tokenizer=None,
    )


def longcat_image(folder: Path) -> Any:
    """LongCat-Image: Qwen2.5-VL."""
    from diffusers import LongCatImagePipeline, LongCatImageTransformer2DModel

    processor = vocabularies.qwen2_vl()
    transformer = LongCatImageTransformer2DModel(
        in_channels=64,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        pooled_projection_dim=WIDTH,
        axes_dims_rope=[4, 6, 6],
    )
    return LongCatImagePipeline(
        scheduler=_flow(**_SHIFTING),
        vae=_vae(16, **_FLUX_VAE),
        text_encoder=encoders.qwen(processor.tokenizer),
        tokenizer=processor.tokenizer,
        text_processor=processor,
        transformer=transformer,
    )


def ovis_image(folder: Path) -> Any:
    """Ovis-Image: Qwen3."""
    from diffusers import OvisImagePipeline, OvisImageTransformer2DModel

    tokenizer = vocabularies.qwen_chat()
    transformer = OvisImageTransformer2DModel(
        in_channels=64,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        axes_dims_rope=(4, 6, 6),
    )
    return OvisImagePipeline(
        scheduler=_flow(**_SHIFTING),
        vae=_vae(16, **_FLUX_VAE),
        text_encoder=encoders.qwen3(tokenizer).model,
        tokenizer=tokenizer,
        transformer=transformer,
    )


def kandinsky5(folder: Path) -> Any:
    """Kandinsky 5.0 Image Lite: Qwen2.5-VL and CLIP."""
    from diffusers import Kandinsky5T2IPipeline, Kandinsky5Transformer3DModel

    processor, clip = vocabularies.qwen2_vl(), vocabularies.clip()
    transformer = Kandinsky5Transformer3DModel(
        in_visual_dim=16,
        out_visual_dim=16,
        in_text_dim=WIDTH,
        in_text_dim2=WIDTH,
        time_dim=16,
        model_dim=32,
        ff_dim=32,
        num_text_blocks=1,
        num_visual_blocks=1,
        axes_dims=(4, 6, 6),
    )
    return Kandinsky5T2IPipeline(
        transformer=transformer,
        vae=_vae(16, **_FLUX_VAE),
        text_encoder=encoders.qwen(processor.tokenizer),
        tokenizer=processor,
        text_encoder_2=encoders.clip(clip),
        tokenizer_2=clip,
        scheduler=_flow(shift=3.0),
    )


def lumina2(folder: Path) -> Any:
    """Lumina-Image 2.0: Gemma 2."""
    from diffusers import Lumina2Pipeline, Lumina2Transformer2DModel

    tokenizer = vocabularies.gemma()
    transformer = Lumina2Transformer2DModel(
        sample_size=8,
        hidden_size=32,
        num_layers=1,
        num_refiner_layers=1,
        num_attention_heads=2,
        num_kv_heads=1,
        multiple_of=16,
        axes_dim_rope=(4, 6, 6),
        axes_lens=(300, 64, 64),
        cap_feat_dim=WIDTH,
    )
    return Lumina2Pipeline(
        transformer=transformer,
        scheduler=_flow(shift=6.0),
        vae=_vae(16, **_FLUX_VAE),
        text_encoder=encoders.gemma(tokenizer),
        tokenizer=tokenizer,
    )


def chroma(folder: Path) -> Any:
    """Chroma: FLUX.1 with T5 alone and guidance by a second prediction."""
    from diffusers import ChromaPipeline, ChromaTransformer2DModel

    tokenizer = vocabularies.t5()
    transformer = ChromaTransformer2DModel(
        in_channels=64,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        axes_dims_rope=(4, 6, 6),
        approximator_num_channels=16,
        approximator_hidden_dim=16,
        approximator_layers=1,
    )
    return ChromaPipeline(
        scheduler=_flow(shift=1.0),
        vae=_vae(16, **_FLUX_VAE),
        text_encoder=encoders.t5(tokenizer),
        tokenizer=tokenizer,
        transformer=transformer,
    )


RECENT: dict[str, Callable[[Path], Any]] = {
    "flux2": flux2,
    "flux2_klein": flux2_klein,
    "z_image": z_image,
    "qwen_image_21": qwen_image_21,
    "hunyuan_image": hunyuan_image,
    "ernie_image": ernie_image,
    "longcat_image": longcat_image,
    "ovis_image": ovis_image,
    "kandinsky5": kandinsky5,
    "lumina2": lumina2,
    "chroma": chroma,
}
