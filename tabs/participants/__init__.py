"""The participants' pages of a study: links without accounts, trials, answers, the end."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(
    id="participants",
    services=("service:Participation.of",),
    routers=("routes:participant_routes", "page:participant_asset_routes"),
)
