"""The one list of generators. Listing them loads nothing.

The released settings are those of GenColorBench's public code: four images per prompt at 1024
pixels, seeds 42 to 45 for every prompt, with the GPU's random generator. TrueHue uses the CPU's, so
it cannot reproduce those images.
"""

from __future__ import annotations

from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.generation.model_entry import CARD, PIPELINE
from truehue.core.generation.model_entry import DRAWABLE as DRAWABLE
from truehue.core.generation.model_entry import Defaults as Defaults
from truehue.core.generation.model_entry import Kind as Kind
from truehue.core.generation.model_entry import ModelEntry as ModelEntry
from truehue.core.generation.quantized_models import QUANTIZED_MODELS
from truehue.core.generation.recent_models import RECENT_MODELS

RELEASED_CODE = "moatifbutt/gen-color-bench @ 802a3ba, gencolorbench/generation/models.py"

SHIPPED_MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        id="small",
        name="Small (trained on the renderer)",
        kind="diffusers",
        license="Apache-2.0",
        note="Two million parameters, trained on the renderer's images; it makes its own mistakes.",
        pipeline="PixArtAlphaPipeline",
        parameters_b=0.0018,
        memory_gib=0.0045,
        largest_gib=0.0034,
        shipped=True,
        defaults=Defaults(20, 2.0, 64, 64, "TrueHue, assets/models/small/README.md"),
    ),
)


BY_FOLDER = (
    "Neither diffusers nor transformers has a class for it. Start its server (docs/guides/servers) "
    "and name it with --endpoints, or generate with its own code and import the folder of images.",
)

IMPORTED_MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        id="omnigen2",
        name="OmniGen2",
        kind="folder",
        license="Apache-2.0",
        note="By its own images: GenColorBench drew them at 512 pixels.",
        needs=BY_FOLDER,
        repo="OmniGen2/OmniGen2",
        parameters_b=4.0,
        defaults=Defaults(None, None, 512, 512, "GenColorBench, Table 4"),
        paper="OmniGen2",
        not_verified=("license", "parameters_b"),
    ),
    ModelEntry(
        id="blip3o-8b",
        name="BLIP3-o 8B",
        kind="folder",
        license="Apache-2.0",
        note="By its own images: GenColorBench drew BLIP3o's at 1024 pixels, and names the 8B.",
        needs=BY_FOLDER,
        repo="BLIP3o/BLIP3o-Model-8B",
        parameters_b=8.0,
        defaults=Defaults(None, None, 1024, 1024, "GenColorBench, Table 4"),
        paper="Blip3o",
        not_verified=("license", "repo", "parameters_b"),
    ),
    ModelEntry(
        id="blip3o-next",
        name="BLIP3o-NEXT",
        kind="folder",
        license="Apache-2.0",
        note="By its own images; another model and size than GenColorBench's BLIP3-o 8B.",
        needs=BY_FOLDER,
        repo="BLIP3o/BLIP3o-NEXT-GRPO-Text-3B",
        parameters_b=3.0,
        defaults=Defaults(None, None, 1024, 1024, "not looked up"),
        not_verified=("license", "repo", "parameters_b", "defaults"),
    ),
)

SANA_DOCS = "Sana's documentation of the diffusers pipeline"
STABILITY = "Stability AI Community"
FLUX_LICENSE = "FLUX.1 [dev] Non-Commercial"
RAIL = "CreativeML Open RAIL++-M"
RENDERER = "reference-renderer"
"""The id of the model that needs no weights."""
TENCENT = "Tencent Hunyuan Community"

# Sizes: the files' as the hub lists them, or parameters times two bytes where "memory_gib" or
# "download_gib" is among the fields that are not verified.
MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        id=RENDERER,
        name="Reference renderer (no weights)",
        kind="renderer",
        license="Apache-2.0",
        note="Shaded objects of exactly known color with exact masks, for trying and testing.",
        defaults=Defaults(None, None, 1024, 1024, "TrueHue"),
    ),
    *SHIPPED_MODELS,
    ModelEntry(
        id="sdxl-base-1.0",
        name="Stable Diffusion XL base 1.0",
        kind="diffusers",
        license=RAIL,
        note="U-Net with two CLIP text encoders; reads 77 tokens.",
        repo="stabilityai/stable-diffusion-xl-base-1.0",
        pipeline="StableDiffusionXLPipeline",
        parameters_b=2.6,
        download_gib=6.5,
        memory_gib=6.5,
        largest_gib=4.8,
        variant="fp16",
        defaults=Defaults(50, 5.0, 1024, 1024, PIPELINE),
        not_verified=("license",),
    ),
    ModelEntry(
        id="sd3-medium",
        name="Stable Diffusion 3 Medium",
        kind="diffusers",
        license=STABILITY,
        gated=True,
        note="Transformer with two CLIP text encoders and T5, which reads 256 tokens.",
        repo="stabilityai/stable-diffusion-3-medium-diffusers",
        pipeline="StableDiffusion3Pipeline",
        parameters_b=2.0,
        download_gib=14.4,
        memory_gib=14.4,
        largest_gib=8.9,
        defaults=Defaults(28, 7.0, 1024, 1024, CARD),
        released=Defaults(28, 7.0, 1024, 1024, RELEASED_CODE),
        paper="SD 3",
        not_verified=("download_gib", "memory_gib", "defaults"),
    ),
    ModelEntry(
        id="sd3.5-medium",
        name="Stable Diffusion 3.5 Medium",
        kind="diffusers",
        license=STABILITY,
        gated=True,
        note="Transformer with two CLIP text encoders and T5, which reads 256 tokens.",
        repo="stabilityai/stable-diffusion-3.5-medium",
        pipeline="StableDiffusion3Pipeline",
        parameters_b=2.5,
        download_gib=15.2,
        memory_gib=15.2,
        largest_gib=8.9,
        defaults=Defaults(40, 4.5, 1024, 1024, CARD),
        released=Defaults(40, 4.5, 1024, 1024, RELEASED_CODE),
    ),
    ModelEntry(
        id="sd3.5-large",
        name="Stable Diffusion 3.5 Large",
        kind="diffusers",
        license=STABILITY,
        gated=True,
        note="Transformer with two CLIP text encoders and T5, which reads 256 tokens.",
        repo="stabilityai/stable-diffusion-3.5-large",
        pipeline="StableDiffusion3Pipeline",
        parameters_b=8.1,
        download_gib=25.7,
        memory_gib=25.7,
        largest_gib=15.2,
        defaults=Defaults(28, 3.5, 1024, 1024, CARD),
        released=Defaults(40, 4.5, 1024, 1024, RELEASED_CODE),
        # Its reference for "SD 3.5" is this repository; the text names no size.
        paper="SD 3.5",
    ),
    ModelEntry(
        id="flux.1-dev",
        name="FLUX.1 [dev]",
        kind="diffusers",
        license=FLUX_LICENSE,
        gated=True,
        note="Guidance is distilled into the weights: no negative prompt. T5 reads 512 tokens.",
        repo="black-forest-labs/FLUX.1-dev",
        pipeline="FluxPipeline",
        parameters_b=12.0,
        download_gib=31.4,
        memory_gib=31.4,
        largest_gib=22.2,
        fp16=False,
        defaults=Defaults(50, 3.5, 1024, 1024, CARD),
        released=Defaults(28, 3.5, 1024, 1024, RELEASED_CODE),
        paper="Flux",
        not_verified=("download_gib", "memory_gib", "defaults"),
    ),
    ModelEntry(
        id="sana-1.6b",
        name="Sana 1.6B",
        kind="diffusers",
        license="NSCL v2-custom, Gemma terms",
        note="The first Sana, which GenColorBench's code draws with; Gemma 2 reads 300 tokens.",
        repo="Efficient-Large-Model/Sana_1600M_1024px_BF16_diffusers",
        pipeline="SanaPipeline",
        parameters_b=1.6,
        download_gib=9.1,
        memory_gib=8.5,
        largest_gib=4.9,
        variant="bf16",
        fp16=False,
        defaults=Defaults(20, 4.5, 1024, 1024, SANA_DOCS),
        released=Defaults(20, 5.0, 1024, 1024, RELEASED_CODE),
        paper="Sana",
        not_verified=("license", "download_gib", "memory_gib", "defaults"),
    ),
    ModelEntry(
        id="sana1.5-1.6b",
        name="Sana 1.5 1.6B",
        kind="diffusers",
        license="NSCL v2-custom, Gemma terms",
        note="Linear transformer on 32-fold compressed latents; Gemma 2 reads 300 tokens.",
        repo="Efficient-Large-Model/SANA1.5_1.6B_1024px_diffusers",
        pipeline="SanaPipeline",
        parameters_b=1.6,
        download_gib=9.1,
        memory_gib=8.5,
        largest_gib=4.9,
        fp16=False,
        defaults=Defaults(20, 4.5, 1024, 1024, SANA_DOCS),
        not_verified=("license", "download_gib", "memory_gib"),
    ),
    ModelEntry(
        id="sana1.5-4.8b",
        name="Sana 1.5 4.8B",
        kind="diffusers",
        license="NSCL v2-custom, Gemma terms",
        note="The larger Sana 1.5, of ColorConceptBench; Gemma 2 reads 300 tokens.",
        repo="Efficient-Large-Model/SANA1.5_4.8B_1024px_diffusers",
        pipeline="SanaPipeline",
        parameters_b=4.8,
        download_gib=15.0,
        memory_gib=14.4,
        largest_gib=8.9,
        fp16=False,
        defaults=Defaults(20, 4.5, 1024, 1024, SANA_DOCS),
        not_verified=("license", "download_gib", "memory_gib"),
    ),
    ModelEntry(
        id="pixart-alpha",
        name="PixArt-α XL-2 1024",
        kind="diffusers",
        license=RAIL,
        note="Small transformer with T5, which reads 120 tokens.",
        repo="PixArt-alpha/PixArt-XL-2-1024-MS",
        pipeline="PixArtAlphaPipeline",
        parameters_b=0.6,
        download_gib=20.3,
        memory_gib=10.2,
        largest_gib=8.9,
        defaults=Defaults(20, 4.5, 1024, 1024, PIPELINE),
        released=Defaults(20, 4.5, 1024, 1024, RELEASED_CODE),
        paper="Pixart Alpha",
        not_verified=("license", "download_gib", "memory_gib"),
    ),
    ModelEntry(
        id="pixart-sigma",
        name="PixArt-Σ XL-2 1024",
        kind="diffusers",
        license=RAIL,
        note="PixArt-α's successor; T5 reads 300 tokens.",
        repo="PixArt-alpha/PixArt-Sigma-XL-2-1024-MS",
        pipeline="PixArtSigmaPipeline",
        parameters_b=0.6,
        download_gib=20.3,
        memory_gib=10.2,
        largest_gib=8.9,
        defaults=Defaults(20, 4.5, 1024, 1024, PIPELINE),
        released=Defaults(20, 4.5, 1024, 1024, RELEASED_CODE),
        paper="Pixart Sigma",
        not_verified=("license", "download_gib", "memory_gib"),
    ),
    ModelEntry(
        id="hunyuan-dit-1.2",
        name="Hunyuan-DiT 1.2",
        kind="diffusers",
        license=TENCENT,
        note="Reads English and Chinese with CLIP (77 tokens) and T5 (256 tokens).",
        repo="Tencent-Hunyuan/HunyuanDiT-v1.2-Diffusers",
        pipeline="HunyuanDiTPipeline",
        parameters_b=1.5,
        download_gib=13.4,
        memory_gib=6.8,
        largest_gib=3.2,
        defaults=Defaults(50, 5.0, 1024, 1024, PIPELINE),
        released=Defaults(50, 6.0, 1024, 1024, RELEASED_CODE),
        not_verified=("download_gib", "memory_gib"),
    ),
    ModelEntry(
        id="kolors",
        name="Kolors",
        kind="diffusers",
        license="Apache-2.0 code, Kolors model license",
        note="SDXL's U-Net with ChatGLM3, which reads English and Chinese, 256 tokens.",
        repo="Kwai-Kolors/Kolors-diffusers",
        pipeline="KolorsPipeline",
        parameters_b=2.6,
        download_gib=16.6,
        memory_gib=16.6,
        largest_gib=11.6,
        variant="fp16",
        defaults=Defaults(50, 5.0, 1024, 1024, PIPELINE),
        not_verified=("license",),
    ),
    ModelEntry(
        id="cogview4-6b",
        name="CogView4 6B",
        kind="diffusers",
        license="Apache-2.0",
        note="Transformer with GLM-4, which reads English and Chinese, 1,024 tokens.",
        repo="zai-org/CogView4-6B",
        pipeline="CogView4Pipeline",
        parameters_b=6.4,
        download_gib=29.0,
        memory_gib=28.6,
        largest_gib=16.4,
        fp16=False,
        defaults=Defaults(50, 3.5, 1024, 1024, CARD),
    ),
    ModelEntry(
        id="qwen-image",
        name="Qwen-Image",
        kind="diffusers",
        license="Apache-2.0",
        note="Transformer with Qwen2.5-VL; twice the work a step, for the guidance.",
        repo="Qwen/Qwen-Image",
        pipeline="QwenImagePipeline",
        parameters_b=20.4,
        download_gib=53.7,
        memory_gib=53.7,
        largest_gib=38.1,
        fp16=False,
        defaults=Defaults(50, 4.0, 1328, 1328, CARD),
    ),
    ModelEntry(
        id="playground-2.5",
        name="Playground 2.5",
        kind="diffusers",
        license="Playground v2.5 Community",
        note="SDXL's architecture trained for vivid color, with EDM noise levels.",
        repo="playgroundai/playground-v2.5-1024px-aesthetic",
        pipeline="StableDiffusionXLPipeline",
        parameters_b=2.6,
        download_gib=6.5,
        memory_gib=6.5,
        largest_gib=4.8,
        variant="fp16",
        defaults=Defaults(50, 3.0, 1024, 1024, CARD),
        not_verified=("license",),
    ),
    ModelEntry(
        id="srpo",
        name="SRPO (FLUX.1 [dev] tuned by preference)",
        kind="diffusers",
        license=f"{TENCENT}, and {FLUX_LICENSE} for the rest",
        note="FLUX.1 [dev] with the transformer's weights of tencent/SRPO in the place of its own.",
        repo="tencent/SRPO",
        pipeline="FluxPipeline",
        parameters_b=12.0,
        download_gib=44.4,
        memory_gib=31.4,
        largest_gib=22.2,
        base="flux.1-dev",
        part="transformer",
        fp16=False,
        defaults=Defaults(50, 3.5, 1024, 1024, CARD),
        not_verified=("gated", "download_gib"),
    ),
    ModelEntry(
        id="janus-pro-7b",
        name="Janus-Pro 7B",
        kind="transformers",
        license="MIT code, DeepSeek model license",
        note="Draws token by token, 576 tokens an image of 384 pixels; no denoising steps.",
        repo="deepseek-community/Janus-Pro-7B",
        pipeline="JanusForConditionalGeneration",
        parameters_b=7.4,
        download_gib=13.8,
        memory_gib=13.8,
        largest_gib=13.8,
        fp16=False,
        defaults=Defaults(None, 5.0, 384, 384, "generation script of the Janus repository"),
        paper="Janus Pro",
        not_verified=("license", "defaults"),
    ),
    ModelEntry(
        id="janus-pro-1b",
        name="Janus-Pro 1B",
        kind="transformers",
        license="MIT code, DeepSeek model license",
        note="The small Janus-Pro, 576 tokens an image of 384 pixels.",
        repo="deepseek-community/Janus-Pro-1B",
        pipeline="JanusForConditionalGeneration",
        parameters_b=2.1,
        download_gib=3.9,
        memory_gib=3.9,
        largest_gib=3.9,
        fp16=False,
        defaults=Defaults(None, 5.0, 384, 384, "generation script of the Janus repository"),
        not_verified=("license", "download_gib", "memory_gib", "defaults"),
    ),
    *IMPORTED_MODELS,
    *RECENT_MODELS,
    *QUANTIZED_MODELS,
)


def model(model_id: str) -> ModelEntry:
    """The entry of that id.

    ``hub:owner/name`` and ``folder:path`` give an entry for any diffusers pipeline, made from
    nothing but the id: neither the hub nor the folder is looked at. ``served:name`` stands for a
    server that was set up under that name. Raises BadInput, naming the known ids, when there is no
    such entry.
    """
    for entry in MODELS:
        if entry.id == model_id:
            return entry
    scheme, _, rest = model_id.partition(":")
    if scheme in _MADE and rest.strip():
        return _MADE[scheme](model_id, rest.strip())
    ids = ", ".join(entry.id for entry in MODELS)
    raise BadInput(
        f"There is no generator {model_id!r}. Choose one of: {ids}; or hub:owner/name or "
        "folder:/path for any diffusers pipeline."
    )


def _hub(model_id: str, repo: str) -> ModelEntry:
    owner, _, name = repo.partition("/")
    if not owner or not name or "/" in name or ".." in repo or any(c.isspace() for c in repo):
        raise BadInput(f"{model_id!r} is no hub id: write hub:owner/name, as on huggingface.co.")
    note = "A diffusers pipeline of the hub, with the defaults of its class."
    return ModelEntry(model_id, repo, "diffusers", "see its card on the hub", note, repo=repo)


def _folder(model_id: str, path: str) -> ModelEntry:
    note = "A diffusers pipeline of this machine, with the defaults of its class."
    return ModelEntry(model_id, Path(path).name or path, "diffusers", "see its folder", note)


def _served(model_id: str, name: str) -> ModelEntry:
    note = "A server with an OpenAI-compatible images endpoint."
    return ModelEntry(model_id, name, "served", "see its server", note)


_MADE = {"hub": _hub, "folder": _folder, "served": _served}


def name_of(model_id: str) -> str:
    """The name of a model as people know it, or its id where it is not listed."""
    try:
        return model(model_id).name
    except BadInput:
        return "unknown model" if model_id == "unknown" else model_id


RELEASED = "gencolorbench-released"
RELEASED_SEED = 42


def released_settings(model_id: str) -> Defaults:
    """The settings of a model. Raises BadInput, naming those that the code has, for another."""
    settings = model(model_id).released
    if settings is None:
        ids = ", ".join(entry.id for entry in MODELS if entry.released)
        raise BadInput(f"GenColorBench's code has no settings for {model_id}. It has {ids}.")
    return settings
