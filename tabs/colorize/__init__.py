"""Colorize: color sketches, compare colorings with others', prepare line art as sketches."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="colorize", title="Colorize", routers=("routes:colorize_routes",))
