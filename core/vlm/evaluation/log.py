"""The log of an evaluation: its folder with the parsed answers, and the answers as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from truehue.core.spreadsheets import csv_text
from truehue.core.vlm.evaluation.plan import (
    EvaluationFolder,
    EvaluationSettings,
    PromptedQuestion,
    QuestionSource,
    Version,
)
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.records import VisionModel
from truehue.core.vlm.parsing import Reader
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.records import Answer, Form, Question
from truehue.core.vlm.released_reader import (
    ReleasedReader,
    reader_of,
    reader_of_family,
    released_answers,
)
from truehue.core.vlm.scoring import Scores, score

COLUMNS = (
    "asking",
    "question_id",
    "task",
    "expected",
    "words",
    "reading",
    "outcome",
    "reason",
    "parser",
    "released_reading",
    "released_outcome",
    "protocol",
    "letter_probabilities",
)


@dataclass(frozen=True)
class EvaluationLog:
    """Questions in the order in which they were asked, and the answers that there are to them.

    ``cut_off`` counts the answers that ended because their tokens were used up. ``parser`` is the
    version that read them, ``own_parser`` the one that the asking began with. Numbers of two logs
    are compared only where both have the same ``protocol``. ``probabilities`` are those of letters
    by question id, where the model gave them.
    """

    folder: Path
    prompted: Sequence[PromptedQuestion]
    answers: Sequence[Answer]
    model: VisionModel
    settings: EvaluationSettings
    source: QuestionSource
    cut_off: int
    parser: str
    own_parser: str
    protocol: str
    probabilities: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def questions(self) -> list[Question]:
        """Without prompts and paths."""
        return [question.question for question in self.prompted]

    @property
    def is_published(self) -> bool:
        """Whether all its questions are of the published set and its images are in color: only
        then people's published row is about the same."""
        of_hub = (question.construction.get("source") == HUB_ID for question in self.questions)
        return self.settings.version is Version.COLORED and all(of_hub)


@dataclass(frozen=True)
class Released:
    """What the same words score as ColorBench's released code reads them: ``scores`` are over the
    questions with letters, ``answers`` theirs."""

    reader: ReleasedReader
    answers: Sequence[Answer]
    scores: Scores


def as_released(log: EvaluationLog) -> Released | None:
    """None where no language model answered, or no question has letters."""
    questions = [question for question in log.questions if question.form is Form.CHOICE]
    if log.model.kind == "baseline" or not questions:
        return None
    reader = released_reader_of(log.model, log.settings)
    answers = released_answers(questions, log.answers, reader)
    return Released(reader, answers, score(questions, answers))


def released_reader_of(model: VisionModel, settings: EvaluationSettings) -> ReleasedReader:
    """The reader that the released code has for a model: by its family, else by its names."""
    reasoned = settings.style == Style.REASONED
    if settings.presentation.family:
        return reader_of_family(settings.presentation.family, reasoned)
    names = [model.id, model.location, *([model.served().model] if model.kind == "served" else [])]
    return reader_of(names, reasoned)


def read_log(folder: Path, parser: str = "") -> EvaluationLog:
    """The answers of a folder, read by the parser that it began with, or by the one that is named.
    Also while it runs: what has no row yet has no answer.

    Raises BadInput where there is no evaluation, its questions were changed, or for no parser.
    """
    plan = EvaluationFolder(folder)
    questions = [prompted.question for prompted in plan.questions]
    reader = reader_of_plan(plan, parser or plan.parser())
    model_answers = list(EvaluationWork(folder).answers())
    answers = [item.read(questions[item.position], reader) for item in model_answers]
    log = log_of(plan, answers, sum(item.cut_off for item in model_answers), reader.version)
    letters = {item.question_id: item.letters for item in model_answers if item.letters}
    return replace(log, probabilities=letters)


def reader_of_plan(plan: EvaluationFolder, parser: str) -> Reader:
    """How a version of the parser reads the answers of an evaluation. Raises BadInput."""
    settings = plan.settings()
    released = released_reader_of(plan.model(), settings)
    return Reader(parser, settings.style == Style.REASONED, released)


def log_of(
    plan: EvaluationFolder, answers: Sequence[Answer], cut_off: int, parser: str
) -> EvaluationLog:
    """What a plan says, with answers that were read by ``parser``, or the plan's own if empty."""
    return EvaluationLog(
        folder=plan.path,
        prompted=plan.questions,
        answers=answers,
        model=plan.model(),
        settings=plan.settings(),
        source=plan.source(),
        cut_off=cut_off,
        parser=parser or plan.parser(),
        own_parser=plan.parser(),
        protocol=plan.protocol(),
    )


def answers_csv(evaluations: Iterable[tuple[str, EvaluationLog]]) -> str:
    """A line for every answer of some evaluations, each under a name, with texts that no spreadsheet
    takes for formulas."""
    return csv_text(COLUMNS, answer_rows(evaluations))


def answer_rows(evaluations: Iterable[tuple[str, EvaluationLog]]) -> list[tuple[str | None, ...]]:
    """The cells of :data:`COLUMNS`, a row for every answer of some evaluations, each under a
    name."""
    rows: list[tuple[str | None, ...]] = []
    for name, log in evaluations:
        questions = {item.question_id: item for item in log.questions}
        released = as_released(log)
        as_read = {item.question_id: item for item in released.answers} if released else {}
        for answer in log.answers:
            question = questions[answer.question_id]
            row = (
                name,
                answer.question_id,
                question.task,
                question.answer,
                answer.words,
                answer.reading,
                str(answer.outcome),
                answer.reason,
                log.parser,
                *_released_cells(as_read.get(answer.question_id)),
                log.protocol,
                _letters_cell(log, answer.question_id),
            )
            rows.append(row)
    return rows


def _letters_cell(log: EvaluationLog, question_id: str) -> str:
    """``A 0.9130; B 0.0412``; empty where not known."""
    letters = log.probabilities.get(question_id, {})
    return "; ".join(f"{letter} {value:.4f}" for letter, value in letters.items())


def _released_cells(answer: Answer | None) -> tuple[str | None, str]:
    """As the released code reads the same words; empty where it reads none of the kind."""
    return (None, "") if answer is None else (answer.reading, str(answer.outcome))
