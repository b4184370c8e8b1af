"""Export of a run's results as files, and import of archives."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="export",
    routers=("routes:export_routes",),
    commands={
        "share": (
            "truehue.tabs.command.share",
            "a run or a question set as a dataset for the Hugging Face hub",
        )
    },
    kinds=(
        Kind("export", "Exporting a run", shared=True),
        Kind("import", "Importing a run archive", shared=True),
    ),
)
