"""A model as a judge of color: its answers about renders of known color beside the rules'."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from truehue.core.errors import BadInput, DataFolderError
from truehue.core.generation.request import Cancelled
from truehue.core.vlm.color_judge.question_set import is_judge_set, queries_of_render
from truehue.core.vlm.color_judge.report import report_of
from truehue.core.vlm.color_judge.rules import CACHE, are_all_judged, rule_answers
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Answer, Question
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob
from truehue.tabs.vlm.messages import model_name, settings_text
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

Cell = str | int | float | None

MAX_HELD = 16
"""Reports that are held: a page asks for them again and again while answers come in."""
_reports: dict[object, JudgeReport] = {}
_rule_answers: dict[object, dict[str, list[Answer]]] = {}


class ReportTable(TypedDict):
    """A table of a report as texts."""

    id: str
    title: str
    note: str
    published: bool
    columns: list[str]
    rows: list[list[str]]


class JudgeReport(TypedDict):
    """An evaluation as judge, beside the rules."""

    asking: str
    title: str
    note: str
    tables: list[ReportTable]


class JudgeReports(TypedDict):
    """A report of each evaluation; ``ready`` once the rules have judged all renders."""

    ready: bool
    reports: list[JudgeReport]


class JudgeRenders(PageRequest):
    """The set whose renders the rules are to judge."""

    set: str


def judged_questions(question_set: QuestionSet) -> list[Question]:
    """The questions of a set that are about diagnostic renders."""
    return (
        [question for question in question_set.questions() if queries_of_render(question)]
        if is_judge_set(question_set.settings)
        else []
    )


@requires("compute")
def judge_renders(context: Context, actor: Actor, request: JudgeRenders) -> StartedJob:
    """Starts to score the renders of a set by every rule; the answer names the job. Scores are
    saved, so that it resumes where it was stopped. Raises NotStored, BadInput."""
    question_set = opened(context, request.set)
    if not judged_questions(question_set):
        raise BadInput("This set has no diagnostic renders, so the rules have nothing to score.")

    def work(job: Job) -> Mapping[str, Any]:
        judge_all(question_set, job)
        return {"set": request.set}

    title = f"Scoring the renders of {question_set.name}"
    return {"job": context.jobs.start("rules", title, actor, work).id}


def judge_all(question_set: QuestionSet, job: Job) -> None:
    """Has the rules judge all renders of a set. Raises Cancelled."""

    def report_progress(done: int, total: int) -> None:
        if job.stop.is_set():
            raise Cancelled
        job.tell(f"Rules: {done:,} of {count_noun(total, 'render')}", done, total)

    questions = judged_questions(question_set)
    rule_answers(questions, question_set.folder, report_progress)
    if not are_all_judged(questions, question_set.folder):
        raise DataFolderError(
            f"The rules' answers cannot be written to {question_set.folder / CACHE}. Make room on the "
            "disk, or change its permissions, and score the renders again."
        )


def judge_json(
    question_set: QuestionSet, chosen: Mapping[str, EvaluationLog]
) -> JudgeReports | None:
    """The tables of each asking beside the rules, as texts; ``ready`` is False where the rules have
    not judged all renders yet. None for another set."""
    if not is_judge_set(question_set.settings):
        return None
    judged = _rules(question_set)
    if judged is None:
        return {"ready": False, "reports": []}
    mark, rules = judged
    reports = []
    for evaluation_id, log in chosen.items():
        key = (str(question_set.folder), evaluation_id, mark, len(log.answers))
        if key not in _reports:
            while len(_reports) >= MAX_HELD:
                _reports.pop(next(iter(_reports)), None)
            _reports[key] = _report_json(evaluation_id, log, rules)
        reports.append(_reports[key])
    return {"ready": True, "reports": reports}


def _rules(question_set: QuestionSet) -> tuple[object, dict[str, list[Answer]]] | None:
    """What every rule answers, with a mark of the file that it is kept in; None where not all
    renders are judged. A whole set of CSS is seconds of work: the last one is held."""
    try:
        stat = (question_set.folder / CACHE).stat()
    except OSError:
        return None
    mark = (stat.st_mtime_ns, stat.st_size)
    key = (str(question_set.folder), mark)
    if key not in _rule_answers:
        questions = judged_questions(question_set)
        if not are_all_judged(questions, question_set.folder):
            return None
        _rule_answers.clear()
        _rule_answers[key] = rule_answers(questions, question_set.folder)
    return mark, _rule_answers[key]


def _report_json(
    evaluation_id: str, log: EvaluationLog, rules: Mapping[str, Sequence[Answer]]
) -> JudgeReport:
    questions = [question for question in log.questions if queries_of_render(question)]
    known = {question.question_id for question in questions}

    def of(answers: Sequence[Answer]) -> list[Answer]:
        return [answer for answer in answers if answer.question_id in known]

    name = model_name(log.model)
    by_rule = {rule: of(answers) for rule, answers in rules.items()}
    report = report_of(questions, of(log.answers), by_rule, name)
    return {
        "asking": evaluation_id,
        "title": f"{name}: color naming",
        "note": settings_text(log.settings, log.model),
        "tables": [_table_json(table) for table in report["tables"]],
    }


def _table_json(table: Mapping[str, Any]) -> ReportTable:
    """A table as texts, with the two ends of an interval in one cell."""
    columns = list(table["columns"])
    index = columns.index("low") if "low" in columns else None
    rows = [[_text(cell) for cell in row] for row in table["rows"]]
    if index is not None:
        columns[index : index + 2] = ["95% interval"]
        for row in rows:
            row[index : index + 2] = [
                "–" if row[index] == "–" else f"{row[index]} to {row[index + 1]}"
            ]
    return {
        "id": table["id"],
        "title": table["title"],
        "note": table["note"],
        "published": bool(table["published"]),
        "columns": columns,
        "rows": rows,
    }


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return (f"{cell:.3g}" if 0 < abs(cell) < 1 else f"{cell:.1f}").replace("-", "−")
    return str(cell)
