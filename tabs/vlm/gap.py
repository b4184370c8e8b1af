"""Why evaluations are not a printed row of ColorBench: the share of each difference."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from truehue.core.errors import TrueHueError
from truehue.core.published import PublishedRow, PublishedTable, table
from truehue.core.reproduce.attribution import Gap, Numbers, RowSwitch, row_gaps
from truehue.core.reproduce.color_judge import MODELS, judge_gaps, pairs_of, row_of
from truehue.core.reproduce.color_judge import printed_name as judge_name
from truehue.core.reproduce.colorbench import INPUTS
from truehue.core.reproduce.colorbench_evaluations import (
    PAPER,
    VARIATIONS,
    group_of,
    models_named,
    printed_name,
    task_of,
)
from truehue.core.reproduce.colorbench_gap import (
    REASONED,
    Command,
    evaluation_gaps,
    parts_of,
    switch_options,
)
from truehue.core.vlm.evaluation.log import EvaluationLog
from truehue.core.vlm.evaluation.plan import EvaluationFolder, EvaluationSettings, Version
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.tasks import ROBUSTNESS
from truehue.tabs.charts.gap import GapsView, GapView, gap_json, without_gap
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.vlm.messages import model_name, settings_text
from truehue.tabs.vlm.people import people_json, studies_of
from truehue.tabs.vlm.results import Asking, Parser, selected_logs
from truehue.tabs.vlm.service import EvaluationService
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

NOT_THIS_MODEL = (
    "This evaluation is of another model. This command says what one of it needs, and starts it:"
)
PEOPLE = "Human Evaluation"
NO_PEOPLE = "No study has asked people these questions. “Ask people the same questions…” at the set opens one."
NONE_SHOWN = (
    "No evaluation of it on ColorBench's own questions is shown. This command says what it needs, "
    "and starts it:"
)
GROUPED = "9"
"""The table whose rows are means of the models of a size, by what they were sent."""


class GapRequest(PageRequest):
    """A printed row of a table by its name and group, and the evaluations that are shown."""

    set: str
    table: Literal["1", "8", "9"]
    group: str
    row: str
    askings: Asking = ()
    parser: Parser = ""


@requires("look")
def gap_view(context: Context, actor: Actor, request: GapRequest) -> GapsView:
    """A gap for each shown evaluation that the printed row is about, or for their mean where the row
    is one. Raises BadInput for a row that there is not, NotStored."""
    published = table(f"{PAPER}-table{request.table}")
    key = "input" if request.table == GROUPED else "model"
    row = published.row(**{"group": request.group, key: request.row})
    question_set = opened(context, request.set)
    if request.row == PEOPLE:
        return {"gaps": _people_gaps(context, actor, question_set, published, row)}
    logs: list[EvaluationLog] = []
    if question_set.settings.get("source") == HUB_ID:
        shown = selected_logs(context, question_set, request.askings, request.parser)
        logs = [log for log in shown.values() if _is_of(log, row)]
    together = [logs] if request.table == GROUPED and logs else [[log] for log in logs]
    commands = partial(_command, actor, question_set)
    gaps = [_gap_of(context, question_set, published, row, some, commands) for some in together]
    return {"gaps": gaps or [without_gap("", NONE_SHOWN, _reproduce(request.table, row))]}


class JudgeGapRequest(PageRequest):
    """A printed row of GenColorBench's Table 2, or of Table 10 of a system, by its model, and an
    evaluation of a set of renders."""

    set: str
    table: Literal["gencolorbench-table2", "gencolorbench-table10-css", "gencolorbench-table10-l2"]
    row: str
    asking: str


@requires("look")
def judge_gap_view(context: Context, actor: Actor, request: JudgeGapRequest) -> GapsView:
    """The gap of an evaluation that is of the row's model; else the command that makes one. Raises
    BadInput for a row that there is not, NotStored."""
    published = table(request.table)
    row = published.row(model=request.row)
    question_set = opened(context, request.set)
    (log,) = selected_logs(context, question_set, (request.asking,)).values()
    printed = next(filter(None, map(judge_name, _names(log))), "")
    if not printed or row_of(published, printed) != row:
        number = published.number.removeprefix("Table ")
        command = f"truehue reproduce {published.paper.id} --table {number}"
        ids = [model for model in MODELS if row_of(published, judge_name(model)) == row]
        command += f" --models {ids[0]}" if ids else " --models NAME@URL"
        return {"gaps": [without_gap("", NOT_THIS_MODEL, command)]}
    gaps = {gap.column: gap for gap in judge_gaps(pairs_of(log), dict(row.keys), row, published)}
    name = f"{model_name(log.model)} · {settings_text(log.settings, log.model)}"
    if not gaps:
        return {"gaps": [without_gap(name, "This evaluation has no number in the table.")]}
    titles = {column.name: column.name for column in published.columns}
    return {"gaps": [gap_json(name, gaps, titles)]}


def _people_gaps(
    context: Context,
    actor: Actor,
    question_set: QuestionSet,
    published: PublishedTable,
    row: PublishedRow,
) -> list[GapView]:
    """A gap for each study that asked people questions of the set."""
    studies = people_json(studies_of(context, actor, question_set), list(question_set.questions()))
    views = []
    for people in studies:
        tasks = people["tasks"]
        own = {task: tally["percent"] for task, tally in tasks.items()}
        decided: Numbers = {
            task: 100.0 * tally["right"] / count
            for task, tally in tasks.items()
            if (count := tally["right"] + tally["wrong"])
        }

        def without_skips(decided: Numbers = decided) -> Numbers:
            return decided

        question_count = count_noun(sum(tally["questions"] for tally in tasks.values()), "question")
        switches = [
            RowSwitch(
                "Skipped answers",
                "The paper does not say how people's skipped answers count.",
                "incorrect",
                "left out",
                without_skips,
            ),
            RowSwitch(
                "Questions",
                "Each of the paper's people answered 50 questions of a task; it does not say which.",
                question_count,
                "50 of each task",
            ),
            RowSwitch(
                "People",
                "The paper does not describe them further.",
                count_noun(people["participants"], "participant"),
                "3 participants",
            ),
        ]
        gaps = row_gaps(
            row.keys, own, row, published.columns, lambda by: task_of(by.name), switches
        )
        if gaps:
            titles = {column.name: column.name for column in published.columns}
            views.append(gap_json(people["title"], {gap.column: gap for gap in gaps}, titles))
    return views or [without_gap("", NO_PEOPLE)]


def _reproduce(number: str, row: PublishedRow) -> str:
    words = f"truehue reproduce {PAPER} --table {number}"
    ids = models_named(row.keys.get("model", "").removesuffix(REASONED))
    return f"{words} --models {ids[0]}" if ids else words


def _is_of(log: EvaluationLog, row: PublishedRow) -> bool:
    """Whether an evaluation is of the row's model, or a model of its size, and answered as there."""
    names, settings = _names(log), log.settings
    if "input" in row.keys:
        variation = INPUTS[row.keys["input"]]
        version = Version.COLORED if not VARIATIONS[variation] else Version(variation)
        group = next(filter(None, map(group_of, names)), "")
        plain = settings.style == Style.PLAIN
        return plain and settings.version is version and group == row.keys["group"]
    printed = next(filter(None, map(printed_name, names)), "")
    ending = REASONED if settings.style == Style.REASONED else ""
    colored = settings.version is Version.COLORED
    return colored and bool(printed) and printed + ending == row.keys["model"]


def _names(log: EvaluationLog) -> list[str]:
    """All that its model goes by."""
    served = [log.model.served().model] if log.model.kind == "served" else []
    return [log.model.id, Path(log.model.location).name, *served]


def _gap_of(
    context: Context,
    question_set: QuestionSet,
    published: PublishedTable,
    row: PublishedRow,
    logs: Sequence[EvaluationLog],
    command: Command,
) -> GapView:
    names = [f"{model_name(log.model)} · {settings_text(log.settings, log.model)}" for log in logs]
    gaps = evaluation_gaps(
        logs,
        dict(row.keys),
        row,
        published.columns,
        partial(_stored, context),
        command,
        [*_models_switch(row, logs), *_part_switch(question_set, logs)],
    )
    by_column: dict[str, Gap] = {gap.column: gap for gap in gaps}
    if not by_column:
        return without_gap(names[0], "This evaluation has no number in a column of the table yet.")
    titles = {column.name: column.name for column in published.columns}
    return gap_json("; ".join(names), by_column, titles)


def _models_switch(row: PublishedRow, logs: Sequence[EvaluationLog]) -> list[RowSwitch]:
    if "input" not in row.keys:
        return []
    group = row.keys["group"]
    theirs = [by.keys["model"] for by in table(f"{PAPER}-table1").find(group=group)]
    sentence = f"The row is the mean over {', '.join(theirs)}."
    names = ", ".join(model_name(log.model) for log in logs)
    return [RowSwitch("models", sentence, names, f"{len(theirs)} models")]


def _part_switch(question_set: QuestionSet, logs: Sequence[EvaluationLog]) -> list[RowSwitch]:
    counts = [len(log.prompted) for log in logs if len(log.prompted) < question_set.questions_count]
    if not counts:
        return []
    sentence = "A part of the set has other questions than the whole."
    return [RowSwitch("questions", sentence, f"{counts[0]:,}", f"{question_set.questions_count:,}")]


def _stored(context: Context, log: EvaluationLog, part: str) -> Path | None:
    """The evaluation of the same questions by the same model that has these settings."""
    wanted = parts_of(log)[part].settings
    for folder in context.service(EvaluationService).folders():
        try:
            if _is_same(folder, log, wanted):
                return folder.path
        except TrueHueError:
            continue  # the list of evaluations says what is wrong with it
    return None


def _is_same(folder: EvaluationFolder, log: EvaluationLog, wanted: EvaluationSettings) -> bool:
    if folder.settings() != wanted or folder.source().checksum != log.source.checksum:
        return False
    # How a server is reached may differ: the fingerprint says whether it is the same model.
    mine = EvaluationFolder(log.folder).summary()["model"].get("fingerprint")
    if folder.summary()["model"].get("fingerprint") != mine:
        return False
    return [prompted.question for prompted in folder.questions] == log.questions


def _command(actor: Actor, question_set: QuestionSet, log: EvaluationLog, part: str) -> str:
    """The command that evaluates the model with a part switched, to where the page finds it; empty
    for who may not know the folders of this machine."""
    if not allowed(actor, "name-folder"):
        return ""
    model, settings = log.model, log.settings
    counts = Counter(question.task for question in log.questions if not question.seed_id)
    words = ["vlm", "run", log.source.path, "--model"]
    if model.kind == "served":
        words += [model.location, "--name", model.served().model]
    else:
        words += [model.location if Path(model.location).is_absolute() else model.id]
    words += ["--style", settings.style] if settings.style != Style.PLAIN else []
    words += ["--image", settings.version] if settings.version is not Version.COLORED else []
    words += ["--tasks", *sorted(counts)]
    single = {task: count for task, count in counts.items() if task != ROBUSTNESS}
    if any(count < question_set.counts.get(task, 0) for task, count in single.items()):
        words += ["--limit", str(max(single.values()))]
    robust = ROBUSTNESS in question_set.counts or "variants_of" in question_set.settings
    if robust and not any(
        question.task == ROBUSTNESS or question.seed_id for question in log.questions
    ):
        words += ["--no-variants"]
    words += switch_options(log, parts_of(log)[part].settings)
    return shlex.join(("truehue", *words, "--out", f"{log.folder}-{part}"))
