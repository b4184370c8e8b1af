"""Colorize: line drawings are colored, compared with what others gave, and prepared as sketches."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="colorize", title="Colorize", routers=("routes:colorize_routes",))
