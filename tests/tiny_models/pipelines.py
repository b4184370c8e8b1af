"""Tiny pipelines of every diffusers family in the registry, as a hub folder holds them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.tiny_models import encoders, vocabularies
from tests.tiny_models.encoders import WIDTH


def build(name: str, folder: Path) -> Path:
    """Builds the pipeline of that name, its weights from a fixed seed, and saves it."""
    import torch

    torch.manual_seed(0)
    from tests.tiny_models.recent import RECENT

    pipeline = {**PIPELINES, **RECENT}[name](folder)
    pipeline.set_progress_bar_config(disable=True)
    pipeline.save_pretrained(folder, safe_serialization=True)
    shutil.rmtree(folder / "made", ignore_errors=True)
    return folder


def _vae(channels: int, **more: Any) -> Any:
    """An 8-fold AutoencoderKL of the real form."""
    from diffusers import AutoencoderKL

    blocks = 4
    return AutoencoderKL(
        block_out_channels=(8,) * blocks,
        layers_per_block=1,
        norm_num_groups=4,
        sample_size=64,
        down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks,
        latent_channels=channels,
        **more,
    ).eval()


def _unet(**more: Any) -> Any:
    from diffusers import UNet2DConditionModel

    settings: dict[str, Any] = {
        "block_out_channels": (8, 16),
        "layers_per_block": 1,
        "sample_size": 8,
        "in_channels": 4,
        "out_channels": 4,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
        "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
        "cross_attention_dim": WIDTH,
        "attention_head_dim": 4,
        "norm_num_groups": 4,
    }
    return UNet2DConditionModel(**{**settings, **more})


def _xl_unet(**more: Any) -> Any:
    settings: dict[str, Any] = {
        "attention_head_dim": (2, 4),
        "use_linear_projection": True,
        "addition_embed_type": "text_time",
        "addition_time_embed_dim": 8,
        "transformer_layers_per_block": (1, 1),
    }
    return _unet(**{**settings, **more})


def _euler() -> Any:
    from diffusers import EulerDiscreteScheduler

    return EulerDiscreteScheduler(
        beta_start=0.00085,
        beta_end=0.012,
        beta_schedule="scaled_linear",
        steps_offset=1,
        timestep_spacing="leading",
    )


def _flow(**more: Any) -> Any:
    from diffusers import FlowMatchEulerDiscreteScheduler

    return FlowMatchEulerDiscreteScheduler(**more)


def stable_diffusion(folder: Path, *, with_checker: bool = False) -> Any:
    """Stable Diffusion 1, as an example of a pipeline that is not in the registry."""
    from diffusers import DDIMScheduler, StableDiffusionPipeline

    tokenizer = vocabularies.clip()
    checker, extractor = _checker() if with_checker else (None, None)
    scheduler = DDIMScheduler(
        beta_start=0.00085,
        beta_end=0.012,
        beta_schedule="scaled_linear",
        clip_sample=False,
        set_alpha_to_one=False,
        steps_offset=1,
    )
    return StableDiffusionPipeline(
        vae=_vae(4),
        text_encoder=encoders.clip(tokenizer),
        tokenizer=tokenizer,
        unet=_unet(),
        scheduler=scheduler,
        safety_checker=checker,
        feature_extractor=extractor,
        requires_safety_checker=with_checker,
    )


def stable_diffusion_checked(folder: Path) -> Any:
    """The same with a safety checker that objects to every image."""
    return stable_diffusion(folder, with_checker=True)


def latent_consistency(folder: Path) -> Any:
    """A pipeline that our table of families has no row for."""
    from diffusers import LatentConsistencyModelPipeline, LCMScheduler

    tokenizer = vocabularies.clip()
    return LatentConsistencyModelPipeline(
        vae=_vae(4),
        text_encoder=encoders.clip(tokenizer),
        tokenizer=tokenizer,
        unet=_unet(time_cond_proj_dim=8),
        scheduler=LCMScheduler(),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )


def _checker() -> tuple[Any, Any]:
    import torch
    from diffusers.pipelines.stable_diffusion import StableDiffusionSafetyChecker
    from transformers import CLIPConfig, CLIPImageProcessor

    config = CLIPConfig(
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 32,
            "patch_size": 16,
            "projection_dim": 8,
        },
        projection_dim=8,
    )
    checker = StableDiffusionSafetyChecker(config).eval()
    with torch.no_grad():
        # A cosine is never below this.
        checker.concept_embeds_weights.fill_(-2.0)
        checker.special_care_embeds_weights.fill_(-2.0)
    size = {"height": 32, "width": 32}
    return checker, CLIPImageProcessor(size={"shortest_edge": 32}, crop_size=size)


def stable_diffusion_xl(folder: Path) -> Any:
    """SDXL base: two CLIP encoders."""
    from diffusers import StableDiffusionXLPipeline

    first, second = vocabularies.clip(), vocabularies.clip()
    unet = _xl_unet(cross_attention_dim=2 * WIDTH, projection_class_embeddings_input_dim=48 + WIDTH)
    return StableDiffusionXLPipeline(
        vae=_vae(4),
        text_encoder=encoders.clip(first),
        text_encoder_2=encoders.clip(second, projection=True),
        tokenizer=first,
        tokenizer_2=second,
        unet=unet,
        scheduler=_euler(),
        add_watermarker=False,
    )


def playground(folder: Path) -> Any:
    """Playground 2.5: SDXL with EDM noise levels and a decoder that states its latents' mean."""
    from diffusers import EDMDPMSolverMultistepScheduler

    pipeline = stable_diffusion_xl(folder)
    pipeline.scheduler = EDMDPMSolverMultistepScheduler(
        sigma_min=0.002, sigma_max=80.0, sigma_data=0.5, solver_order=2
    )
    pipeline.vae.register_to_config(
        latents_mean=[-1.6574, 1.886, -1.383, 2.5155],
        latents_std=[8.4927, 5.9022, 6.5498, 5.2299],
        scaling_factor=0.5,
    )
    return pipeline


def stable_diffusion_3(folder: Path) -> Any:
    """SD3 and SD3.5: two CLIP encoders and T5."""
    from diffusers import SD3Transformer2DModel, StableDiffusion3Pipeline

    first, second, third = vocabularies.clip(), vocabularies.clip(), vocabularies.t5()
    transformer = SD3Transformer2DModel(
        sample_size=8,
        patch_size=2,
        in_channels=16,
        out_channels=16,
        num_layers=2,
        attention_head_dim=8,
        num_attention_heads=4,
        joint_attention_dim=2 * WIDTH,
        caption_projection_dim=32,
        pooled_projection_dim=2 * WIDTH,
        pos_embed_max_size=96,
    )
    return StableDiffusion3Pipeline(
        transformer=transformer,
        scheduler=_flow(shift=3.0),
        vae=_vae(
            16,
            shift_factor=0.0609,
            scaling_factor=1.5305,
            use_quant_conv=False,
            use_post_quant_conv=False,
        ),
        text_encoder=encoders.clip(first, projection=True),
        tokenizer=first,
        text_encoder_2=encoders.clip(second, projection=True),
        tokenizer_2=second,
        text_encoder_3=encoders.t5(third, width=2 * WIDTH),
        tokenizer_3=third,
    )


def flux(folder: Path) -> Any:
    """FLUX.1 [dev]: guidance as an input of the transformer, packed latents."""
    from diffusers import FluxPipeline, FluxTransformer2DModel

    first, second = vocabularies.clip(), vocabularies.t5()
    transformer = FluxTransformer2DModel(
        patch_size=1,
        in_channels=64,
        num_layers=1,
        num_single_layers=1,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        pooled_projection_dim=WIDTH,
        guidance_embeds=True,
        axes_dims_rope=(4, 6, 6),
    )
    return FluxPipeline(
        scheduler=_flow(shift=3.0, use_dynamic_shifting=True),
        vae=_vae(
            16,
            shift_factor=0.1159,
            scaling_factor=0.3611,
            use_quant_conv=False,
            use_post_quant_conv=False,
        ),
        text_encoder=encoders.clip(first),
        tokenizer=first,
        text_encoder_2=encoders.t5(second),
        tokenizer_2=second,
        transformer=transformer,
    )


def srpo_part(folder: Path) -> Path:
    """What tencent/SRPO holds: another FLUX transformer's weights, in float32, in one file."""
    import torch
    from safetensors.torch import save_file

    torch.manual_seed(1)
    folder.mkdir(parents=True, exist_ok=True)
    weights = flux(folder).transformer.state_dict()
    save_file(weights, folder / "diffusion_pytorch_model.safetensors")
    return folder


def sana(folder: Path) -> Any:
    """Sana 1.5: a 32-fold AutoencoderDC and Gemma 2."""
    from diffusers import AutoencoderDC, SanaPipeline, SanaTransformer2DModel

    blocks = ("ResBlock",) * 4 + ("EfficientViTBlock",) * 2
    scales = ((),) * 4 + ((5,),) * 2
    vae = AutoencoderDC(
        latent_channels=8,
        attention_head_dim=4,
        encoder_block_types=blocks,
        decoder_block_types=blocks,
        encoder_block_out_channels=(8,) * 6,
        decoder_block_out_channels=(8,) * 6,
        encoder_layers_per_block=(1,) * 6,
        decoder_layers_per_block=(1,) * 6,
        encoder_qkv_multiscales=scales,
        decoder_qkv_multiscales=scales,
        scaling_factor=0.41407,
    )
    transformer = SanaTransformer2DModel(
        patch_size=1,
        in_channels=8,
        out_channels=8,
        num_layers=2,
        num_attention_heads=2,
        attention_head_dim=8,
        num_cross_attention_heads=2,
        cross_attention_head_dim=8,
        cross_attention_dim=16,
        caption_channels=WIDTH,
        sample_size=32,
        qk_norm="rms_norm_across_heads",
    )
    tokenizer = vocabularies.gemma()
    return SanaPipeline(
        tokenizer=tokenizer,
        text_encoder=encoders.gemma(tokenizer),
        vae=vae,
        transformer=transformer,
        scheduler=_flow(shift=3.0),
    )


def _pixart(pipeline_class: type, sample_size: int) -> Any:
    from diffusers import DPMSolverMultistepScheduler, PixArtTransformer2DModel

    transformer = PixArtTransformer2DModel(
        sample_size=sample_size,
        num_layers=2,
        patch_size=2,
        attention_head_dim=8,
        num_attention_heads=3,
        caption_channels=WIDTH,
        in_channels=4,
        cross_attention_dim=24,
        out_channels=8,
        attention_bias=True,
        activation_fn="gelu-approximate",
        num_embeds_ada_norm=1000,
        norm_type="ada_norm_single",
        norm_elementwise_affine=False,
        norm_eps=1e-6,
        use_additional_conditions=sample_size == 128,
    )
    tokenizer = vocabularies.t5()
    return pipeline_class(
        tokenizer=tokenizer,
        text_encoder=encoders.t5(tokenizer),
        vae=_vae(4),
        transformer=transformer,
        scheduler=DPMSolverMultistepScheduler(),
    )


def pixart_alpha(folder: Path) -> Any:
    """PixArt-α at 1024, which is told the image's size."""
    from diffusers import PixArtAlphaPipeline

    return _pixart(PixArtAlphaPipeline, 128)


def pixart_sigma(folder: Path) -> Any:
    """PixArt-Σ, which is not."""
    from diffusers import PixArtSigmaPipeline

    return _pixart(PixArtSigmaPipeline, 8)


def hunyuan_dit(folder: Path) -> Any:
    """Hunyuan-DiT 1.2: BERT (its "CLIP") and T5."""
    from diffusers import DDPMScheduler, HunyuanDiT2DModel, HunyuanDiTPipeline

    transformer = HunyuanDiT2DModel(
        sample_size=8,
        num_layers=2,
        patch_size=2,
        attention_head_dim=8,
        num_attention_heads=4,
        in_channels=4,
        cross_attention_dim=WIDTH,
        cross_attention_dim_t5=WIDTH,
        pooled_projection_dim=16,
        hidden_size=32,
        activation_fn="gelu-approximate",
        use_style_cond_and_image_meta_size=False,
    )
    first, second = vocabularies.bert(), vocabularies.t5()
    return HunyuanDiTPipeline(
        vae=_vae(4),
        text_encoder=encoders.bert(first),
        tokenizer=first,
        text_encoder_2=encoders.t5(second),
        tokenizer_2=second,
        transformer=transformer,
        scheduler=DDPMScheduler(
            beta_start=0.00085,
            beta_end=0.018,
            beta_schedule="scaled_linear",
            prediction_type="v_prediction",
            steps_offset=1,
        ),
        safety_checker=None,
        feature_extractor=None,
        requires_safety_checker=False,
    )


def kolors(folder: Path) -> Any:
    """Kolors: SDXL's U-Net with ChatGLM3."""
    from diffusers import KolorsPipeline

    tokenizer = vocabularies.chatglm(folder / "made")
    unet = _xl_unet(
        encoder_hid_dim=WIDTH,
        encoder_hid_dim_type="text_proj",
        cross_attention_dim=16,
        projection_class_embeddings_input_dim=48 + WIDTH,
    )
    return KolorsPipeline(
        vae=_vae(4),
        text_encoder=encoders.chatglm(tokenizer),
        tokenizer=tokenizer,
        unet=unet,
        scheduler=_euler(),
    )


def cogview4(folder: Path) -> Any:
    """CogView4: GLM-4."""
    from diffusers import CogView4Pipeline, CogView4Transformer2DModel

    tokenizer = vocabularies.glm()
    transformer = CogView4Transformer2DModel(
        patch_size=2,
        in_channels=16,
        num_layers=2,
        attention_head_dim=8,
        num_attention_heads=4,
        out_channels=16,
        text_embed_dim=WIDTH,
        time_embed_dim=16,
        condition_dim=8,
        sample_size=8,
    )
    return CogView4Pipeline(
        tokenizer=tokenizer,
        text_encoder=encoders.glm(tokenizer),
        transformer=transformer,
        vae=_vae(16, shift_factor=0.0, scaling_factor=1.0),
        scheduler=_flow(
            base_shift=0.25,
            max_shift=0.75,
            base_image_seq_len=256,
            use_dynamic_shifting=True,
            time_shift_type="linear",
        ),
    )


def qwen_image(folder: Path) -> Any:
    """Qwen-Image: Qwen2.5-VL and a decoder of video."""
    from diffusers import (
        AutoencoderKLQwenImage,
        QwenImagePipeline,
        QwenImageTransformer2DModel,
    )

    transformer = QwenImageTransformer2DModel(
        patch_size=2,
        in_channels=64,
        out_channels=16,
        num_layers=2,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=WIDTH,
        guidance_embeds=False,
        axes_dims_rope=(4, 6, 6),
    )
    vae = AutoencoderKLQwenImage(
        base_dim=8,
        z_dim=16,
        dim_mult=[1, 1, 1, 1],
        num_res_blocks=1,
        temperal_downsample=[False, True, True],
    )
    tokenizer = vocabularies.qwen()
    return QwenImagePipeline(
        scheduler=_flow(
            use_dynamic_shifting=True,
            base_shift=0.5,
            max_shift=0.9,
            max_image_seq_len=8192,
            shift_terminal=0.02,
        ),
        vae=vae,
        text_encoder=encoders.qwen(tokenizer),
        tokenizer=tokenizer,
        transformer=transformer,
    )


def small(folder: Path) -> Any:
    """The small model of the assets, with few weights."""
    import torch

    from truehue.core.generation.small import parts
    from truehue.core.generation.small.settings import Settings

    settings = Settings(text_width=32, text_layers=1, width=32, heads=2, layers=1)
    text = parts.tokenizer()
    denoiser = parts.denoiser(settings)
    # Untrained it would draw one even gray.
    torch.nn.init.normal_(denoiser.proj_out.weight, std=0.2)
    return parts.pipeline(text, parts.text_encoder(settings, len(text)), denoiser)


PIPELINES: dict[str, Callable[[Path], Any]] = {
    "small": small,
    "stable_diffusion": stable_diffusion,
    "stable_diffusion_checked": stable_diffusion_checked,
    "latent_consistency": latent_consistency,
    "stable_diffusion_xl": stable_diffusion_xl,
    "playground": playground,
    "stable_diffusion_3": stable_diffusion_3,
    "flux": flux,
    "sana": sana,
    "pixart_alpha": pixart_alpha,
    "pixart_sigma": pixart_sigma,
    "hunyuan_dit": hunyuan_dit,
    "kolors": kolors,
    "cogview4": cogview4,
    "qwen_image": qwen_image,
}
