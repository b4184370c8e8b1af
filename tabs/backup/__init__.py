"""Backups from the page: made by a job, listed, and downloaded."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="backup",
    services=("bucket:BucketBackup.of",),
    routers=("routes:backup_routes",),
    kinds=(Kind("backup", "Backing up"),),
    commands={
        "backup": (
            "truehue.tabs.command.backup",
            "the data folder as one file, also while the app runs",
        ),
        "restore": ("truehue.tabs.command.restore", "a backup as a data folder"),
    },
)
