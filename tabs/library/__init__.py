"""The prompt sets at hand, and what has been generated of each prompt."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(
    id="library",
    services=("service:Library.of",),
    routers=("routes:prompt_routes",),
    commands={"prompts": ("truehue.core.cli.prompts", "the built-in prompt sets")},
)
