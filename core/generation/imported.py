"""The models that draw elsewhere and whose images are imported; part of the registry's list."""

from __future__ import annotations

from truehue.core.generation.entry import Defaults, ModelEntry

BY_FOLDER = (
    "Neither diffusers nor transformers has a class for it. Draw with its own code and import the "
    "folder of images, or run it behind an OpenAI-compatible images endpoint and add that.",
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
