"""VLMs: evaluations of vision-language models on questions about color, and their results."""

from __future__ import annotations

from truehue.tabs.feature import Feature, Kind

ASKING = "asking"
"""The kind of a job that evaluates a model, as stored."""

FEATURE = Feature(
    id="vlm",
    title="VLMs",
    services=("service:EvaluationService.of",),
    jobs="list:evaluation_jobs",
    routers=("routes:vlm_routes",),
    kinds=(
        Kind("questions", "Generating a question set", most=2, shared=True),
        Kind("rules", "Scoring diagnostic renders", shared=True),
        Kind(ASKING, "Evaluating a model", shared=True),
    ),
    commands={
        "vlm": (
            "truehue.core.cli.vlm",
            "evaluate vision-language models on questions about images",
        )
    },
)
