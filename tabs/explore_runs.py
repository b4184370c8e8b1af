"""The runs of Explore: what was asked, how far it is, and starting more."""

from __future__ import annotations

TEMPLATE = """<div class="th-runs" hidden></div>"""
BEFORE: tuple[str, ...] = ()
"""The assets that its script needs, beside what all views share."""
