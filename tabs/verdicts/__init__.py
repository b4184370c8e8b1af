"""Stored images to stored verdicts, and what people say of those."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="verdicts", routers=("routes:judgment_routes",))
