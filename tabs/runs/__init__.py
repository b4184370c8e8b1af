"""Whole runs: requested, executed in the background, ingested as they go; imported images."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

RUN = "run"
"""The kind of a job that executes a run."""

FEATURE = Feature(
    id="runs",
    services=("trial:Trials",),
    jobs="list:run_jobs",
    routers=("routes:image_set_routes", "routes:run_routes"),
    kinds=(
        Kind(RUN, "A run", shared=True),
        Kind("images", "Importing a folder of images", most=2),
        Kind("scoring", "Scoring imported images", most=2),
        Kind("trial", "Timing test for a run"),
    ),
    commands={
        "runs": ("truehue.tabs.command.runs", "runs: start, watch, pause, resume, export"),
        "images": ("truehue.core.cli.images", "preview the import of a folder of images"),
    },
)
