"""Studies for researchers: materials, planning, running, results, files."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

FEATURE = Feature(
    id="studies",
    title="Studies",
    in_demo=False,
    services=(
        "live:StudyCache.of",
        "results:ResultsService",
        "colorings.facts:ColoringFactsService",
        "colorings.layers:ColoringMeasurements",
        "colorings.facts:ColoringCache",
        "publication.public:PublicPages",
        "colorings.notices:PracticeNotices",
    ),
    routers=(
        "routes:study_routes",
        "routes:results_routes",
        "routes:coloring_routes",
        "publication.routes:publication_routes",
        "review_page:review_page_routes",
    ),
    kinds=(Kind("study", "Creating a study", most=2, shared=True),),
)
