"""The leaderboard of Explore: how well each run painted what was asked."""

from __future__ import annotations

TEMPLATE = """<div class="th-board" hidden></div>"""
BEFORE = ("js/explore_filters.js",)
"""The assets that its script needs, beside what all views share."""
