"""The Explore tab: results of runs, accuracy of the rules, and their disagreements.

The scripts of its views load their content over HTTP (``routes.py``).
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.templates import html, parts
from truehue.tabs.page.widgets import tab_widget

VIEWS = ("leaderboard", "failures", "runs", "rule_accuracy", "disagreements", "judgments")
"""Its views, each with a template of its name."""


def layout(_: Context) -> None:
    """Lays out its views."""
    views = {f"explore-{view}": html(f"explore/{view}") for view in VIEWS}
    tab_widget("explore/explore", parts({"explore": html("explore/switch")} | views))
