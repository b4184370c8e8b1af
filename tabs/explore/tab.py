"""The Explore tab: results of runs, accuracy of the rules, and their disagreements.

The scripts of its views load their content over HTTP (``routes.py``).
"""

from __future__ import annotations

from truehue.tabs.page.context import Context
from truehue.tabs.page.widgets import widget

VIEWS = {
    "board": "leaderboard",
    "wall": "failures",
    "runs": "runs",
    "trust": "rule_accuracy",
    "audit": "disagreements",
    "judgments": "judgments",
}
"""The template of each view, by its name in links."""


def layout(_: Context) -> None:
    """Lays out its views."""
    widget("explore/switch", elem_id="explore")
    for view, template in VIEWS.items():
        widget(f"explore/{template}", elem_id=f"explore-{view}")
