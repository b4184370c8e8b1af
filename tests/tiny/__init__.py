"""A feature that is not in the app's list: it notes colors, and counts them in a job."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="tiny",
    title="Tiny",
    package="tests.tiny",
    services=("parts:Notes.of",),
    routers=("parts:tiny_routes",),
    tables=("parts:NotedColors",),
    kinds=(Kind("tiny", "Counting colors"),),
    commands={"tiny": ("tests.tiny.parts", "count the colors noted in a data folder")},
)
