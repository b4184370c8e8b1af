"""The available prompt sets, and the images generated from each prompt."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(
    id="library",
    services=("service:Library.of",),
    routers=("routes:prompt_routes",),
    commands={"prompts": ("truehue.core.cli.prompts", "the built-in prompt sets")},
)
