"""Explore: leaderboard, failures, linked figures, pairwise runs, rule accuracy."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="explore",
    title="Explore",
    services=("scores:ScoreMeans",),
    routers=(
        "routes:explore_routes",
        "ring_routes:ring_routes",
        "routes:analyses_routes",
        "routes:leaderboard_routes",
        "routes:failures_routes",
    ),
    kinds=(
        Kind("rejudge", "Scoring stored images", shared=True),
        Kind("scores", "Scoring images of runs", shared=True),
        Kind("diagnosis", "Measuring rule accuracy", shared=True),
        Kind("ring", "Making a ring test", shared=True),
    ),
    commands={
        "score": ("truehue.core.cli.score", "metrics of whole images, such as how vivid they are"),
        "fidelity": (
            "truehue.core.cli.fidelity",
            "groups and metrics of color fidelity: train, test",
        ),
        "diagnose": ("truehue.core.cli.diagnose", "how often each rule is right (rule accuracy)"),
        "ring": ("truehue.core.cli.ring", "a ring test for color scorers: make, answer, score"),
    },
)
