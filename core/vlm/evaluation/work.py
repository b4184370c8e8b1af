"""An evaluation as long work: one question per item, the model's answer as one row.

A file in the folder records expenses as they occur, so that a kill loses none of them. Rows cover
only requests that ended. A request that was abandoned, or sent just before the process was killed,
has no row but costs money all the same. So each request is recorded before it is sent, and the
tokens of an answer on arrival. The record lacks only the tokens of answers that did not arrive.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from truehue.core.batch.records import DONE, Row
from truehue.core.batch.results import parts_of, tables
from truehue.core.batch.shards import read_columns, schema_with
from truehue.core.batch.work import CannotWork, ItemFailed, Stopped, Work, WorkerContext
from truehue.core.errors import BadInput, DataFolderError, TrueHueError
from truehue.core.files import file_problem
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.evaluation.plan import (
    EvaluationFolder,
    PromptedQuestion,
    as_started,
    read_question_image,
)
from truehue.core.vlm.models.opening import open_model
from truehue.core.vlm.models.records import (
    Answerer,
    CannotAnswer,
    EvaluationStopped,
    ImagePrompt,
    NoReply,
    Reply,
    VisionModel,
)
from truehue.core.vlm.models.registry import fingerprint
from truehue.core.vlm.models.served import Budget
from truehue.core.vlm.parsing import Reader, parse_answer
from truehue.core.vlm.records import LETTERS, Answer, Form, Question

LEDGER = "spent.jsonl"


class Ledger:
    """A file of a folder, a line a request or an answer."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LEDGER

    def total(self) -> tuple[int, int]:
        """Requests and tokens; a line that was torn is a request, which is what comes first."""
        requests = tokens = 0
        for line in self.path.read_bytes().splitlines() if self.path.is_file() else ():
            try:
                entry = json.loads(line)
                more, of_answer = int(entry.get("requests", 0)), int(entry.get("tokens", 0))
            except (ValueError, TypeError, AttributeError):
                more, of_answer = 1, 0
            requests, tokens = requests + more, tokens + of_answer
        return requests, tokens

    def begin(self, requests: int, tokens: int) -> None:
        """Takes over what the rows of a folder say, where there is no such file yet."""
        if not self.path.exists():
            self.add(requests, tokens)

    def add(self, requests: int = 0, tokens: int = 0) -> None:
        """Writes it down, to the disk. Raises DataFolderError."""
        line = json.dumps({"requests": requests, "tokens": tokens}).encode() + b"\n"
        try:
            with self.path.open("ab") as file:
                # After a line that was torn a new one begins.
                file.write(line if _ends_whole(self.path) else b"\n" + line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise DataFolderError(
                f"{self.path} cannot be written: {file_problem(error)}."
            ) from error


def _ends_whole(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


_WAITING_A_HAND = 4
"""So many questions of a batch wait for each that is under way: few hands are idle at its end."""


@dataclass(frozen=True)
class ModelAnswer:
    """The latest answer to the question at ``position``: the ``words`` of the model as they are, or
    the ``reason`` why there are none. ``cut_off``: it ended because its tokens were used up."""

    position: int
    attempt: int
    question_id: str
    words: str
    reason: str
    cut_off: bool
    seconds: float | None
    tokens_in: int | None
    tokens_out: int | None
    letters: Mapping[str, float] = field(default_factory=dict)

    @property
    def answered(self) -> bool:
        """Whether the model said anything, be it an empty text."""
        return not self.reason

    def read(self, question: Question, reader: Reader) -> Answer:
        """The answer as the parser reads it."""
        text = self.words if self.answered else None
        return parse_answer(question, text, self.reason, truncated=self.cut_off, reader=reader)


class EvaluationWork(Work):
    """Asks a model the questions of a folder.

    ``model`` is the plan's unless it is to be asked in another way (batch, timeout, key); ``most``
    is a served model's budget, which all that was ever spent in the folder counts against, and
    which needs one worker. Several questions are under way within a worker.
    """

    def __init__(
        self,
        path: Path,
        model: VisionModel | None = None,
        budget: Budget | None = None,
        models_folder: Path | None = None,
    ) -> None:
        folder = EvaluationFolder(path)
        super().__init__(folder)
        self.model = as_started(folder.model(), model or folder.model())
        self.most, self.models_folder = budget or Budget(), models_folder
        if self.model.kind == "served":
            self.at_once = self.model.served().at_once * _WAITING_A_HAND
        elif self.model.kind == "local" and folder.settings().temperature == 0:
            self.at_once = self.model.local().batch

    @property
    def sources(self) -> Sources:
        """Where a local model's files are looked for."""
        return Sources.local(self.models_folder)

    def schema(self) -> Any:
        """``words`` are as they came; ``width`` and ``height`` are those of the image that was
        sent, in pixels; ``seen`` is what a local model's processor made of it. ``letters`` are the
        probabilities of letters as JSON, empty where not known."""
        import pyarrow as pa

        return schema_with(
            [
                ("question_id", pa.string()),
                ("prompt", pa.string()),
                ("words", pa.string()),
                ("ending", pa.string()),
                ("seconds", pa.float64()),
                ("tokens_in", pa.int64()),
                ("tokens_out", pa.int64()),
                ("requests", pa.int64()),
                ("width", pa.int64()),
                ("height", pa.int64()),
                ("seen", pa.string()),
                ("answered_by", pa.string()),
                ("letters", pa.string()),
            ]
        )

    def read(self, path: Path, names: Sequence[str] | None) -> Any:
        """Shards of before there were letters, too."""
        return read_columns(path, names, _with_letters)

    def check(self) -> None:
        """The model's files are those of the plan. Raises BadInput, ModelMissing."""
        self.folder.summary()
        if fingerprint(self.model, self.sources) != self._folder.summary()["model"]["fingerprint"]:
            raise BadInput(
                f"The files of {self.model.id} have changed since {self.folder.path} was "
                "started, so new answers would be another model's. Choose another folder."
            )

    def open(self, context: WorkerContext) -> EvaluationProcessor:
        """Who asks; a local model is loaded with the first question."""
        return EvaluationProcessor(self, context)

    def needs_device(self) -> bool:
        """A local model computes here."""
        return self.model.kind == "local"

    def spent(self) -> Budget:
        """The budget, with what was spent in the folder so far: every attempt counts, and every
        request that was given up."""
        requests = tokens = 0
        names = ("requests", "tokens_in", "tokens_out")
        for part in parts_of(self):
            table = self.read(part, names) if isinstance(part, Path) else part
            for row in table.select(list(names)).to_pylist():
                requests += row["requests"] or 0
                tokens += (row["tokens_in"] or 0) + (row["tokens_out"] or 0)
        # The rows of a folder of before, or whose ledger is lost, are the least that was spent.
        told_requests, told_tokens = Ledger(self.folder.path).total()
        return replace(
            self.most,
            spent_requests=max(requests, told_requests),
            spent_tokens=max(tokens, told_tokens),
        )

    def answers(self) -> Iterator[ModelAnswer]:
        """The answers in the order of the questions, also while the evaluation runs."""
        names = ("question_id", "words", "ending", "seconds", "tokens_in", "tokens_out", "letters")
        for table in tables(self, ("position", "attempt", "reason", *names)):
            for row in table.to_pylist():
                cut_off = row.pop("ending") == "length"
                letters = json.loads(row["letters"] or "{}")
                known = {"words": row["words"] or "", "cut_off": cut_off, "letters": letters}
                yield ModelAnswer(**{**row, **known})

    @property
    def _folder(self) -> EvaluationFolder:
        assert isinstance(self.folder, EvaluationFolder)
        return self.folder

    def questions(self) -> list[PromptedQuestion]:
        """The questions as they are asked, by position."""
        return self._folder.questions

    def failure_row(self, position: int, attempt: int, reason: str) -> Row:
        """Which question it is, too."""
        row = super().failure_row(position, attempt, reason)
        prompted = self.questions()[position]
        return {**row, "question_id": prompted.question.question_id, "prompt": prompted.prompt}


class EvaluationProcessor:
    """Asks questions one after the other, while those that are expected next are under way."""

    def __init__(self, work: EvaluationWork, context: WorkerContext) -> None:
        self._work, self._context = work, context
        self._questions = work.questions()
        self._settings = work._folder.settings()
        self._model: Answerer | None = None
        work._folder.report_wait("")  # of a process that was killed
        self._expected: list[int] = []
        self._answers: Any = iter(())

    def expect(self, items: Sequence[tuple[int, int]]) -> None:
        """The positions of a batch, in the order in which they will be asked for."""
        self._begin([position for position, _ in items])

    def do(self, position: int, attempt: int) -> Row:
        """The model's words."""
        if self._expected[:1] != [position]:
            self._begin([position])
        prompted = self._questions[position]
        known: dict[str, Any] = {
            "question_id": prompted.question.question_id,
            "prompt": prompted.prompt,
        }
        expected, self._expected = self._expected[1:], []
        try:
            reply = next(self._answers)
        except EvaluationStopped as error:
            raise Stopped from error
        except CannotAnswer as error:
            raise CannotWork(str(error)) from error
        self._expected = expected
        if isinstance(reply, NoReply):
            known["requests"] = reply.requests
            known["tokens_in"], known["tokens_out"] = reply.tokens
            raise ItemFailed(str(reply), known, counts=reply.counts) from reply
        return {
            "position": position,
            "attempt": attempt,
            "status": DONE,
            "reason": "",
            **known,
            **_columns(reply),
        }

    def close(self) -> None:
        """Gives the model's memory back."""
        self._end()
        if self._model is not None:
            self._model.close()
        self._work._folder.report_wait("")

    def _begin(self, positions: list[int]) -> None:
        self._end()
        self._expected = positions
        self._answers = self._answering(list(positions))

    def _end(self) -> None:
        """What is under way and was not asked for is given up."""
        if hasattr(self._answers, "close"):
            self._answers.close()

    def _answering(self, positions: list[int]) -> Iterator[Reply | NoReply]:
        """The replies to questions, once the first of them is asked for."""
        image_prompts = (self._ask(position) for position in positions)
        answers: Any = self._opened().answers(
            image_prompts, self._work._folder.sampling(), self._context.is_stopped
        )
        with closing(answers):
            yield from answers

    def _ask(self, position: int) -> ImagePrompt:
        prompted, presentation = self._questions[position], self._settings.presentation
        question = prompted.question
        image = question.released_image_id if presentation.pixels == "rgb" else question.image_id
        pixels = partial(read_question_image, prompted.image, image, self._settings.version)
        # Chance guesses alike however many others are asked; a model draws each answer again.
        is_generated = self._work.model.kind != "baseline"
        seed = (self._settings.seed + position * is_generated) % 2**31
        return ImagePrompt(
            prompted.prompt,
            pixels,
            seed,
            question,
            presentation.codec,
            presentation.image,
            self._letters(question),
        )

    def _letters(self, question: Question) -> str:
        """The letters of which the first token may be one: not where the model reasons first."""
        is_first = self._settings.style == "plain" and question.form is Form.CHOICE
        return LETTERS[: len(question.choices)] if is_first else ""

    def _budget(self) -> Budget:
        """What may be spent; what is, is written down from now on."""
        budget, ledger = self._work.spent(), Ledger(self._work.folder.path)
        ledger.begin(budget.spent_requests, budget.spent_tokens)
        budget.on_spent = ledger.add
        return budget

    def _opened(self) -> Answerer:
        if self._model is None:
            work = self._work
            try:
                budget = self._budget() if work.model.kind == "served" else None
                report = work._folder.report_wait
                self._model = open_model(work.model, work.sources, budget, report)
            except TrueHueError as error:
                raise CannotWork(str(error)) from error
        return self._model


def _with_letters(table: Any) -> Any:
    import pyarrow as pa

    if "letters" in table.column_names:
        return table
    return table.append_column("letters", pa.nulls(table.num_rows, pa.string()))


def _columns(reply: Reply) -> dict[str, Any]:
    names = (
        "words",
        "ending",
        "seconds",
        "tokens_in",
        "tokens_out",
        "requests",
        "width",
        "height",
        "seen",
        "answered_by",
    )
    letters = {letter: round(value, 6) for letter, value in reply.letters.items()}
    columns = {name: getattr(reply, name) for name in names}
    return {**columns, "letters": json.dumps(letters) if letters else ""}
