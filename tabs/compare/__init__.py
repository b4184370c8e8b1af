"""Compare: does a model know the colors that people associate with a concept?"""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="compare",
    title="Compare",
    routers=(
        "people.routes:compare_people_routes",
        "tables.routes:compare_tables_routes",
        "routes:compare_routes",
    ),
    kinds=(
        Kind("pictures", "Creating an image set", most=2),
        Kind("cells", "Extracting colors of concepts", shared=True),
    ),
    commands={"compare": ("truehue.core.cli.compare", "two distributions of color")},
)
