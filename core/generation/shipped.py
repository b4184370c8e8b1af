"""The models whose weights come with the app, in assets/models; part of the registry's list."""

from __future__ import annotations

from truehue.core.generation.entry import Defaults, ModelEntry

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
