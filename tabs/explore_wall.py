"""The wall of failures of Explore: the pictures behind every number."""

from __future__ import annotations

TEMPLATE = """<div class="th-wall" hidden></div>"""
BEFORE = ("js/figure.js", "js/explore_filters.js")
"""The assets that its script needs, beside what all views share."""
