"""How often each rule is right, on images of known color."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="diagnosis",
    kinds=(Kind("diagnosis", "Measuring rule accuracy", shared=True),),
    commands={
        "diagnose": ("truehue.core.cli.diagnose", "how often each rule is right (rule accuracy)")
    },
)
