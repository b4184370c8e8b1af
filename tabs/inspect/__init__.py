"""Inspect: an image, a mask, a target color, a verdict and the steps to it."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="inspect",
    title="Inspect",
    services=("finding:Segments", "score:ImageMeasures"),
    routers=("routes:inspect_routes",),
    kinds=(Kind("search", "Finding an object in an image", most=4, waits=True),),
    commands={
        "measure": ("truehue.core.cli.measure", "the verdict on an image with its mask"),
        "masks": ("truehue.core.cli.masks", "detectors and segmenters: installed, missing"),
    },
)
