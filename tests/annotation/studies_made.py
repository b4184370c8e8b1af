"""Plans for tests: cases and models by number, without images."""

from __future__ import annotations

from typing import Any

from annotation.studies.cases import Candidate, Case, Kind
from annotation.studies.plan import Consent, Material, StudyPlan

FLAT = (1 / 71,) * 71


def cases(number: int, models: int) -> tuple[Case, ...]:
    """Cases ``c0`` … with candidates of models ``m0`` … each."""
    return tuple(
        Case(
            f"c{i}",
            f"concept {i}",
            tuple(Candidate(f"m{j}", (f"image-{i}-{j}",), FLAT) for j in range(models)),
            reference=FLAT,
        )
        for i in range(number)
    )


def plan(number: int = 6, models: int = 3, **values: Any) -> StudyPlan:
    """A study of pairs, two votes a stimulus and five trials a person unless said otherwise."""
    given: dict[str, Any] = {
        "title": "Which is closer?",
        "kind": Kind.PAIRS,
        "material": Material.IMAGES,
        "question": "Which is closer?",
        "instructions": "",
        "consent": Consent("1", "I agree."),
        "cases": cases(number, models),
        "votes": 2,
        "trials": 5,
        "seed": 7,
    }
    return StudyPlan(**{**given, **values})
