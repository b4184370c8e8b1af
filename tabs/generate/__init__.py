"""Generate: find prompts, generate images with any model, see their verdicts."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

DRAWING = "drawing"
"""The kind of a job that generates images, as stored."""

FEATURE = Feature(
    id="generate",
    title="Generate",
    jobs="queue:Queue.of",
    routers=("routes:generation_routes", "routes:example_routes"),
    kinds=(Kind(DRAWING, "Generating images"),),
    commands={
        "models": ("truehue.core.cli.models", "generators: installed, missing, a first image")
    },
)
