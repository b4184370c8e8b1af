"""Test of a vision-language model as a judge of color: its answers about renders of known color
beside those of the pixel rules to the same questions, as in GenColorBench's Table 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core import published
from truehue.core.analysis.intervals import Rate
from truehue.core.analysis.paired import nominal_kappa
from truehue.core.errors import BadInput
from truehue.core.files import ReportProgress, ignore_progress
from truehue.core.vlm.color_judge.question_set import queries_of_render
from truehue.core.vlm.color_judge.rules import color_of, rule_answers
from truehue.core.vlm.differences import compare_paired
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.records import Answer, Form, Outcome, Question
from truehue.core.vlm.scoring import Tally, outcomes_of, tally_of
from truehue.core.vlm.tasks import TASKS

Cell = str | int | float | None
KINDS = {"Open-ended": Form.OPEN, "Multiple choice": Form.CHOICE, "Yes or no": Form.BINARY}
"""The columns of Table 2. The list of Q2 is multiple choice also where it has names for letters."""
ALL = "All"
SHARE = ("right", "asked", "percent", "low", "high")


def judge_report(
    log: EvaluationLog, report_progress: ReportProgress = ignore_progress
) -> dict[str, Any]:
    """All numbers of an asking of a judge set, as plain JSON: ``title``, ``note``, ``model``,
    ``systems``, ``renders`` (how many), and ``tables`` of ``id``, ``title``, ``note``,
    ``published``, ``columns`` (words) and ``rows`` (a cell each: words, a number, or None). Shares
    and intervals are in percent; ``low`` and ``high`` are the ends of a 95% interval.

    Also while it is being asked. The first time, the rules judge every render: ``report_progress``
    of how many are done. Raises BadInput where no question is about a render.
    """
    questions = [question for question in log.questions if queries_of_render(question)]
    if not questions:
        raise BadInput(
            f"{log.folder} has no diagnostic renders: make a set with truehue vlm judge make."
        )
    known = {question.question_id for question in questions}
    model = [answer for answer in log.answers if answer.question_id in known]
    return report_of(
        questions,
        model,
        rule_answers(questions, log.folder, report_progress),
        log.model.id,
        _note(log, questions),
    )


def report_of(
    questions: Sequence[Question],
    model: Iterable[Answer],
    rules: Mapping[str, Sequence[Answer]],
    name: str,
    note: str = "",
) -> dict[str, Any]:
    """The same of answers at hand: the model's, called ``name``, and each rule's by its id. Raises
    BadInput as :func:`truehue.core.vlm.scoring.score`."""
    parts = _parts(questions)
    by_model = _Answers.of(questions, model)
    by_rule = {rule: _Answers.of(questions, answers) for rule, answers in rules.items()}
    systems = sorted({str(question.construction["system"]) for question in questions})
    return {
        "title": f"{name}: color naming",
        "note": note,
        "model": name,
        "systems": systems,
        "renders": len({question.image_id for question in questions}),
        "tables": [
            _accuracy(parts, by_model, by_rule, name),
            _rules(parts, by_model, by_rule),
            _yes(questions, by_model, by_rule, name),
            _agreement(parts, by_model, by_rule),
            *(_published(system) for system in systems),
            _published_kinds(),
        ],
    }


@dataclass(frozen=True)
class _Part:
    """Questions that make a row: of one task, of a kind, or all."""

    name: str
    asks: str
    questions: Sequence[Question]


@dataclass(frozen=True)
class _Answers:
    """Of somebody, by question id."""

    by_id: Mapping[str, Answer]

    @classmethod
    def of(cls, questions: Sequence[Question], answers: Iterable[Answer]) -> _Answers:
        all_answers = list(answers)
        outcomes_of(questions, all_answers)
        return cls({answer.question_id: answer for answer in all_answers})

    def tally(self, questions: Sequence[Question]) -> Tally:
        """The results of some questions."""
        out = Tally()
        for question in questions:
            answer = self.by_id.get(question.question_id)
            out += tally_of(question, None if answer is None else answer.outcome)
        return out

    def right(self, questions: Sequence[Question]) -> dict[str, bool]:
        """Whether it is right, of those that were asked."""
        answers = {
            question.question_id: self.by_id.get(question.question_id) for question in questions
        }
        return {
            key: answer.outcome is Outcome.RIGHT
            for key, answer in answers.items()
            if answer is not None
        }

    def decided(self, question: Question) -> str | None:
        """What was answered, in one word for all that say the same; None where nothing was."""
        answer = self.by_id.get(question.question_id)
        if answer is None or answer.reading is None:
            return None
        if question.form is not Form.OPEN:
            return answer.reading
        if answer.outcome is Outcome.RIGHT:
            return color_of(question, question.answer)
        return color_of(question, answer.reading)


def kind_of(question: Question) -> str:
    """Of :data:`KINDS`."""
    form = Form.CHOICE if question.listed else question.form
    return next(name for name, source in KINDS.items() if source is form)


def _parts(questions: Sequence[Question]) -> list[_Part]:
    tasks = [task for task in TASKS if any(question.task == task for question in questions)]
    parts = []
    for task in tasks:
        entries = [question for question in questions if question.task == task]
        parts.append(_Part(task.upper().replace("_", " "), TASKS[task].name, entries))
    for kind in KINDS:
        entries = [question for question in questions if kind_of(question) == kind]
        if entries:
            parts.append(_Part(kind, "all of these", entries))
    return [*parts, _Part(ALL, "all questions", list(questions))]


def _accuracy(
    parts: Sequence[_Part], model: _Answers, rules: Mapping[str, _Answers], name: str
) -> dict[str, Any]:
    columns = [
        "question",
        "asks for",
        *SHARE,
        "chance",
        "unreadable",
        "truncated",
        "unanswered",
        "not asked",
    ]
    rows: list[list[Cell]] = []
    for part in parts:
        tally = model.tally(part.questions)
        # Rules stand beside what the model was asked, and no more.
        questions = [question for question in part.questions if question.question_id in model.by_id]
        rows.append(
            [
                part.name,
                part.asks,
                *_share(tally.right, tally.total),
                tally.chance_percent,
                tally.unreadable,
                tally.truncated,
                tally.unanswered,
                tally.not_asked,
                *(by.tally(questions).percent for by in rules.values()),
            ]
        )
    return _table(
        "accuracy",
        f"Accuracy of {name}, and of each rule on the same questions",
        "Unreadable, truncated and missing answers count as incorrect, as in the paper; so do "
        "questions that a rule cannot score. The rule columns show accuracy (%). Wilson's "
        "intervals treat questions as independent, although questions about one render are "
        "related.",
        [*columns, *rules],
        rows,
    )


def _rules(
    parts: Sequence[_Part], model: _Answers, rules: Mapping[str, _Answers]
) -> dict[str, Any]:
    rows: list[list[Cell]] = []
    for part in parts:
        questions = [question for question in part.questions if question.question_id in model.by_id]
        for rule, answers in rules.items():
            tally = answers.tally(questions)
            rows.append([part.name, rule, *_share(tally.right, tally.total), tally.unanswered])
    return _table(
        "rules",
        "Accuracy of each rule on the model's questions",
        "Wilson's intervals; unscored questions count as incorrect.",
        ["question", "rule", *SHARE, "unscored"],
        rows,
    )


def _yes(
    questions: Sequence[Question], model: _Answers, rules: Mapping[str, _Answers], name: str
) -> dict[str, Any]:
    """Who says yes to the true color, and who to another."""
    columns = ["judge", "target color", "yes", "decided", "percent", "low", "high"]
    columns += ["unreadable", "truncated", "unanswered", "unscored"]
    requested = [question for question in questions if question.question_id in model.by_id]
    rows: list[list[Cell]] = []
    for judge, answers in {name: model, **rules}.items():
        for text, answer in (("the true one", "yes"), ("another", "no")):
            entries = [
                question
                for question in requested
                if question.form is Form.BINARY and question.answer == answer
            ]
            tally = answers.tally(entries)
            said = [answers.decided(question) for question in entries]
            lacking = [tally.unreadable, tally.truncated, tally.unanswered, None]
            if answers is not model:
                lacking = [None, None, None, tally.unanswered]
            decided = len(said) - said.count(None)
            rows.append([judge, text, *_share(said.count("yes"), decided), *lacking])
    return _table(
        "yes",
        "True and false acceptance of colors",
        "True accepts and false accepts are shown separately, because always answering yes is "
        "correct for half of the yes-or-no questions. Another color is at least 10 ΔE00 away. "
        "Shares exclude undecided answers.",
        columns,
        rows,
    )


def _agreement(
    parts: Sequence[_Part], model: _Answers, rules: Mapping[str, _Answers]
) -> dict[str, Any]:
    columns = ["question", "rule", "both decided", "same percent", "kappa", "pairs"]
    columns += ["points", "low", "high", "only model correct", "only rule correct", "p (McNemar)"]
    rows: list[list[Cell]] = []
    for part in parts:
        for rule, answers in rules.items():
            pairs = [
                (model.decided(question), answers.decided(question)) for question in part.questions
            ]
            both = [
                (name, other) for name, other in pairs if name is not None and other is not None
            ]
            same = sum(name == other for name, other in both)
            between = compare_paired(answers.right(part.questions), model.right(part.questions))
            low, high = between.interval or (None, None)
            rows.append(
                [
                    part.name,
                    rule,
                    len(both),
                    100.0 * same / len(both) if both else None,
                    # Of all together the words of one kind would count as those of another.
                    None if part.name == ALL else nominal_kappa(both),
                    between.pairs.scored,
                    between.points,
                    low,
                    high,
                    between.pairs.only_b,
                    between.pairs.only_a,
                    between.p_value,
                ]
            )
    return _table(
        "agreement",
        "Agreement of the model with each rule",
        "Agreement and Cohen's kappa cover questions that both decided, whether correct or "
        "not; names of one color count as the same answer. Points are the model's accuracy "
        "minus the rule's on the model's questions, with Newcombe's interval and McNemar's "
        "exact test, not corrected for multiple tests.",
        columns,
        rows,
    )


def _published(system: str) -> dict[str, Any]:
    """Table 10 of a system: the same questions, of the paper's models on its own renders."""
    return _as_printed(published.table(f"gencolorbench-table10-{system}"))


def _published_kinds() -> dict[str, Any]:
    """Table 2 by kinds of questions, and in its note the paper's own measure."""
    out = _as_printed(published.table("gencolorbench-table2"))
    (method,) = published.table("gencolorbench-table2-method").rows
    text = " and ".join(f"{share:g}% on {name}" for name, share in method.values.items())
    out["note"] += f" The paper's own pixel metric is correct on {text}; its false accept rate"
    out["note"] += " was not published."
    return out


def _as_printed(table: published.PublishedTable) -> dict[str, Any]:
    """Under the id of the published table."""
    names = [column.name for column in table.columns]
    rows: list[list[Cell]] = [
        [row.keys["model"], *(row.values[name] for name in names)] for row in table.rows
    ]
    doubts = [
        f"{', '.join((*doubt.where.values(), doubt.column))}: {doubt.told}"
        for doubt in table.doubts
    ]
    note = " ".join((f"As published. {table.how}", *table.notes, *doubts))
    title = f"Published, {table.number}: {table.title}"
    return {**_table(table.id, title, note, ["model", *names], rows), "published": True}


def _table(
    id_: str, title: str, note: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> dict[str, Any]:
    return {
        "id": id_,
        "title": title,
        "note": note,
        "published": False,
        "columns": list(columns),
        "rows": [list(row) for row in rows],
    }


def _share(part: int, total: int) -> list[Cell]:
    rate = Rate(part, total - part)
    low, high = rate.interval or (None, None)
    return [part, total, rate.percent, low, high]


def _note(log: EvaluationLog, questions: Sequence[Question]) -> str:
    settings = log.settings
    lines = [
        f"Appendix E of GenColorBench on {len({question.image_id for question in questions}):,} "
        f"diagnostic renders, {settings.style} prompts, image {settings.version}. Rules score "
        "with the exact mask, always in color; for a color name, a rule gives the nearest "
        "one. The truehue rule was developed on renders of this kind."
    ]
    others = len(log.questions) - len(questions)
    if others:
        lines.append(f"{others:,} questions are not about renders and are excluded.")
    if log.cut_off:
        lines.append(f"{log.cut_off:,} answers reached the token limit.")
    lines.append(f"Answers are read by parser {log.parser}.")
    return " ".join(lines)
