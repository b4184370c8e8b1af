"""The list of features: a new feature is a folder of ``tabs`` with its record, and a line here."""

from __future__ import annotations

from truehue.tabs import (
    accounts,
    backup,
    batches,
    colorize,
    compare,
    explore,
    export,
    generate,
    inspect,
    library,
    monitoring,
    participants,
    runs,
    studies,
    verdicts,
    vlm,
)

FEATURES = (
    participants.FEATURE,  # first: its routes are called most often
    library.FEATURE,
    generate.FEATURE,
    inspect.FEATURE,
    batches.FEATURE,
    runs.FEATURE,
    explore.FEATURE,
    compare.FEATURE,
    colorize.FEATURE,
    vlm.FEATURE,
    studies.FEATURE,
    verdicts.FEATURE,
    export.FEATURE,
    backup.FEATURE,
    accounts.FEATURE,
    monitoring.FEATURE,
)
"""All features. Their tabs stand in this order, their services are made and their routes are looked
through in it."""
