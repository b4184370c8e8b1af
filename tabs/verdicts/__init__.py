"""Verdicts on stored images, and people's judgments of them."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="verdicts", routers=("routes:judgment_routes",))
