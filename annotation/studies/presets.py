"""Presets of published and common studies: the settings that they fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truehue.annotation.studies.cases import Case, Kind, QuestionSetName
from truehue.annotation.studies.languages import ENGLISH, language_of
from truehue.annotation.studies.plan import Closing, Consent, Material, Practice, StudyPlan
from truehue.core.errors import BadInput


@dataclass(frozen=True)
class Preset:
    """``cases`` are drawn of those at hand, all where None; ``votes`` are wanted a stimulus.
    ``practice`` sketches come before the rest. Of questions, ``a_task`` are drawn of each task."""

    id: str
    name: str
    source: str
    kind: Kind
    material: Material
    votes: int
    trials: int
    cases: int | None = None
    models: int | None = None
    participants: int | None = None
    tie: bool = False
    skip: bool = True
    repeats: int = 0
    attention: int = 0
    practice: int = 0
    a_task: int | None = None


PRESETS = {
    "concepts": Preset(
        "concepts",
        "Concepts against people",
        "ColorConceptBench, section 4.5 and Appendix D: 150 concepts × 3 pairs of models × 6 "
        "votes, 36 participants with 75 trials each",
        Kind.PAIRS,
        Material.DISTRIBUTIONS,
        votes=6,
        trials=75,
        cases=150,
        models=3,
        participants=36,
    ),
    "realism": Preset(
        "realism",
        "Realism of color, 0 to 10",
        "“Too Vivid to Be Real?”, section 3.3 (CFD-Human): three annotators rate each image; the "
        "scale is ours",
        Kind.RATINGS,
        Material.IMAGES,
        votes=3,
        trials=100,
        repeats=5,
        attention=3,
    ),
    "adherence": Preset(
        "adherence",
        "Prompt adherence",
        "Standard pairwise study",
        Kind.PAIRS,
        Material.IMAGES,
        votes=6,
        trials=60,
        tie=True,
        repeats=3,
        attention=2,
    ),
    "best-of-four": Preset(
        "best-of-four",
        "Best of four",
        "Standard choice study",
        Kind.BEST_OF,
        Material.IMAGES,
        votes=5,
        trials=60,
        repeats=3,
        attention=2,
    ),
    "colorings": Preset(
        "colorings",
        "Colorings (ground truth)",
        "ColorConceptBench, section 3.2 and Appendix B: 5 designers color each concept, 168 "
        "designers with 40 to 50 sketches each, after three practice sketches that are reviewed; "
        "the instructions' wording is our choice",
        Kind.COLORINGS,
        Material.SKETCHES,
        votes=5,
        trials=45,
        practice=3,
    ),
    "questions": Preset(
        "questions",
        "Questions about color",
        "ColorBench's human evaluation: 50 questions a category, Color Extraction left out; how "
        "many answers each had is not said there. The numbers of answers per question and of "
        "questions per person, the repeats, the checks and the instructions' wording are our choice.",
        Kind.QUESTIONS,
        Material.QUESTIONS,
        votes=3,
        trials=60,
        repeats=3,
        attention=2,
        a_task=50,
    ),
}


def plan_of(
    preset: Preset,
    cases: Sequence[Case],
    seed: int,
    consent: Consent,
    title: str = "",
    practice: Practice | None = None,
    question_set: QuestionSetName | None = None,
) -> StudyPlan:
    """A plan as the preset says. Cases are drawn by ``seed`` where there are more than it wants.

    ``practice`` names those of the cases that are colored before the rest, ``question_set`` what
    questions are of. Raises BadInput where there are too few cases, other than its number of
    models, or fewer practice sketches than it has.
    """
    practice = practice or Practice()
    if len(practice.case_ids) < preset.practice:
        raise BadInput(
            f"{preset.name} begins with {preset.practice} practice sketches, and "
            f"{len(practice.case_ids)} are named.",
            "practice",
        )
    chosen = list(cases)
    if preset.cases is not None:
        if len(chosen) < preset.cases:
            raise BadInput(
                f"{preset.name} wants {preset.cases} cases, and {len(chosen)} are at hand. Choose "
                "more, or another preset.",
                "cases",
            )
        rng = np.random.default_rng([seed, preset.cases])
        sample = sorted(rng.choice(len(chosen), size=preset.cases, replace=False))
        chosen = [chosen[int(index)] for index in sample]
    models = {model for case in chosen for model in case.models}
    if preset.models is not None and len(models) != preset.models:
        raise BadInput(
            f"{preset.name} compares {preset.models} models, not {len(models)}.", "models"
        )
    texts = language_of(ENGLISH).presets[preset.id]
    return StudyPlan(
        title=title or preset.name,
        kind=preset.kind,
        material=preset.material,
        question=texts.question,
        instructions=texts.instructions,
        consent=consent,
        cases=tuple(chosen),
        votes=preset.votes,
        trials=preset.trials,
        seed=seed,
        tie=preset.tie,
        skip=preset.skip,
        repeats=preset.repeats,
        attention=preset.attention,
        closing=Closing(participants=preset.participants, replace_excluded=True),
        practice=practice,
        question_set=question_set,
    )
