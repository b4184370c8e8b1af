"""Scorers with known faults, which answer a plan without its images."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import parse_target
from truehue.core.ring.answers import NO, YES, RingAnswer, RingAnswers
from truehue.core.ring.bias import parts_of
from truehue.core.ring.folder import RingKey, RingSet
from truehue.core.ring.plan import DEFAULT_IMAGES, RingPlan, RingQuestion, RingScene, make_plan

TOLERANCE = 5.0
SPREAD = 1.5

Lab = np.ndarray
Fault = Callable[[RingScene, Lab], Lab]


def keyed(seed: int, images: int = DEFAULT_IMAGES) -> tuple[RingSet, RingKey]:
    """A set that was not rendered, and its key."""
    plan: RingPlan = make_plan(seed, images)
    rows = tuple({"id": question.id} for question in plan.questions)
    ring_set = RingSet(folder=Path(), id=f"{seed:064x}", key_sha256="", images=images, size_px=0,
                       renderer_version="", version="", rows=rows)  # fmt: skip
    scenes = {scene.image: scene for scene in plan.scenes}
    questions = {question.id: question for question in plan.questions}
    return ring_set, RingKey(ring_set.id, "", seed, scenes, questions)


def none(scene: RingScene, lab: Lab) -> Lab:
    """No fault."""
    return lab


def too_light_in_blue(scene: RingScene, lab: Lab) -> Lab:
    """Blue objects are measured 6 ΔE00 too light."""
    if parts_of(scene)["hue"] != "blue":
        return lab
    line = lab + np.linspace(0.0, 30.0, 601)[:, None] * (1.0, 0.0, 0.0)
    return line[int(np.argmax(delta_e00(line, lab) >= 6.0))]


def measuring(
    key: RingKey,
    fault: Fault = none,
    tolerance: Callable[[RingScene], float] = lambda scene: TOLERANCE,
    seed: int = 0,
    name: str = "simulated",
) -> RingAnswers:
    """Measures each image's color with some noise, and accepts what is near."""
    draws = Random(seed)
    measured = {
        image: fault(scene, np.array(scene.lab) + [draws.gauss(0.0, SPREAD) for _ in range(3)])
        for image, scene in key.scenes.items()
    }
    questions = list(key.questions.values())
    labs = np.array([_lab(question) for question in questions])
    apart = delta_e00(labs, np.array([measured[question.image] for question in questions]))
    return RingAnswers(
        name,
        "1",
        {
            question.id: RingAnswer(YES if near < tolerance(key.scenes[question.image]) else NO)
            for question, near in zip(questions, apart.tolist(), strict=True)
        },
    )


def _lab(question: RingQuestion) -> tuple[float, float, float]:
    system = None if question.system == "hex" else question.system
    return parse_target(question.color, system).lab
