"""What was asked and what came of it: a folder of an asking, with its answers read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.vision_language.asking.pictures import Version, picture
from core.vision_language.asking.plan import AskingFolder, AskingSettings, Prompted, QuestionSource
from core.vision_language.asking.work import AskingWork
from core.vision_language.baselines import read_pixels, reads
from core.vision_language.models.registry import VisionModel
from core.vision_language.parsing import answered
from core.vision_language.published import HUB_ID
from core.vision_language.records import Answer, Illustrated, Question
from core.vision_language.tasks import ROBUSTNESS


@dataclass(frozen=True)
class Asked:
    """Questions in the order in which they were asked, and the answers that there are to them.

    ``cut_off`` counts the answers that ended because their tokens were used up.
    """

    folder: Path
    prompted: Sequence[Prompted]
    answers: Sequence[Answer]
    model: VisionModel
    settings: AskingSettings
    source: QuestionSource
    cut_off: int

    @property
    def questions(self) -> list[Question]:
        """Without prompts and paths."""
        return [one.question for one in self.prompted]

    @property
    def is_published(self) -> bool:
        """Whether all its questions are of the published set and its images are in color: only
        then people's published row is about the same."""
        of_hub = (one.construction.get("source") == HUB_ID for one in self.questions)
        return self.settings.version is Version.COLORED and all(of_hub)


def read_asked(folder: Path) -> Asked:
    """The words of a folder, read. Also while it goes on: what has no row yet has no answer.

    Raises BadInput where there is no asking, or its questions were changed.
    """
    plan = AskingFolder(folder)
    settings, prompted = plan.settings(), plan.questions
    questions = {one.question.question_id: one.question for one in prompted}
    answers, cut_off = [], 0
    for one in AskingWork(folder).given():
        words = one.words if one.answered else None
        answers.append(answered(questions[one.question_id], words, one.reason))
        cut_off += one.ending == "length"
    return Asked(folder, prompted, answers, plan.model(), settings, plan.source(), cut_off)


def answers_of_pixels(prompted: Sequence[Prompted]) -> list[Answer]:
    """What the reader of pixels answers, for the questions that it has a way to answer.

    It reads the images in color, whatever a model was shown; only those that it needs are opened.
    Robustness is left out. Raises ImageError where an image is gone or was changed.
    """
    found = []
    for one in prompted:
        question = one.question
        if reads(question) and not question.seed_id and question.task != ROBUSTNESS:
            srgb8 = picture(one.image, question.image_id, Version.COLORED)
            found.append(read_pixels(Illustrated(question, srgb8)))
    return found
