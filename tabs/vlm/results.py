"""Results of evaluations: scores by task beside chance, pixel baseline, people and the papers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from pydantic import BeforeValidator

from truehue.core.analysis.intervals import against_chance
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.spreadsheets import csv_text
from truehue.core.vlm.baselines import can_read, expected_by_chance
from truehue.core.vlm.differences import Difference, differences
from truehue.core.vlm.evaluation.log import EvaluationLog, answers_csv, as_released
from truehue.core.vlm.evaluation.plan import Version
from truehue.core.vlm.models.records import PIXELS
from truehue.core.vlm.parsing import VERSION as PARSER
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.published_scores import ScoreRow, published_rows
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Question
from truehue.core.vlm.released_reader import COMMIT
from truehue.core.vlm.scoring import Scores, Tally, score
from truehue.core.vlm.tasks import ROBUSTNESS, TASKS
from truehue.storage.vlm.sets import StoredQuestionSet
from truehue.tabs.batches.queue import status_of
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest, list_of_single
from truehue.tabs.page.roles import Actor
from truehue.tabs.vlm.judge import JudgeReports, judge_json
from truehue.tabs.vlm.list import part_text, progress_text
from truehue.tabs.vlm.messages import model_name, settings_text, task_title
from truehue.tabs.vlm.people import MacroJson, PeopleScores, TallyJson, people_json, studies_of
from truehue.tabs.vlm.service import EvaluationService
from truehue.tabs.vlm.sets import QuestionSetJson, opened, set_json

if TYPE_CHECKING:
    from truehue.core.vlm.evaluation.plan import EvaluationFolder
    from truehue.tabs.page.context import Context

MAX_SHOWN = 12
"""Askings whose scores stand beside each other."""
PUBLISHED = ("1", "8", "9")
_TABLE_WORDS = {
    "1": "models and people",
    "8": "with reasoning",
    "9": "text only, and gray",
}

Parser = Literal["", "1", "2", "released"]
Asking = Annotated[tuple[str, ...], BeforeValidator(list_of_single)]
_COUNTS = ("right", "wrong", "unreadable", "truncated", "unanswered", "not_asked", "asked")
_SHARES = ("percent", "low", "high", "chance")
_COLUMNS = (
    "set_sha256",
    "parser",
    "who",
    "settings",
    "task",
    *_COUNTS,
    *_SHARES,
    "percent_as_released",
    "protocol",
)


class ResultsRequest(PageRequest):
    """A set, and the askings of it that are shown beside each other. Answers are read by the parser
    that an asking began with, or by the ``parser`` that is named."""

    set: str
    askings: Asking = ()
    parser: Parser = ""


class RobustScores(TypedDict):
    """Seeds that are right with all their variants, in two readings."""

    as_made: TallyJson
    complete: TallyJson
    by_variant: dict[str, TallyJson]
    words: str


class ReleasedScores(TypedDict):
    """Accuracies in percent as ColorBench's released code reads the same answers."""

    reader: str
    tasks: dict[str, float | None]
    micro: float | None
    macro: float | None
    as_made: float | None
    complete: float | None


class ReasonCount(TypedDict):
    """Why there is no reading, and how often."""

    text: str
    count: int


class EvaluationScores(TypedDict):
    """The scores of an evaluation; ``own_parser`` is the one that it began with."""

    id: str
    name: str
    kind: str
    pixels: bool
    settings: str
    protocol: str
    status: str
    words: str
    micro: TallyJson
    macro: MacroJson | None
    tasks: dict[str, TallyJson]
    categories: dict[str, TallyJson]
    robust: RobustScores | None
    released: ReleasedScores | None
    parser: str
    own_parser: str
    cut_off: int
    reasons: list[ReasonCount]


class ChanceScores(TypedDict):
    """What guessing gets right, in percent."""

    tasks: dict[str, float]
    micro: float | None


class PixelScores(TypedDict):
    """The scores of the pixel reader in the tasks that it ``reads``."""

    tasks: dict[str, TallyJson]
    reads: list[str]
    micro: None


class PublishedScores(TypedDict):
    """A published row; ``doubts`` say by task what does not reconcile in its cell."""

    name: str
    group: str
    table: str
    note: str
    people: bool
    tasks: dict[str, float | None]
    overall: float | None
    macro: float | None
    robust: float | None
    doubts: dict[str, str]


class DifferenceJson(TypedDict):
    """Two evaluations on one task: second less first, in percentage points."""

    task: str
    title: str
    pairs: int
    points: float | None
    low: float | None
    high: float | None
    only_first: int
    only_second: int
    p: float | None
    change_ratio: float | None


class EvaluationPair(TypedDict):
    """Two evaluations, and their differences."""

    first: str
    second: str
    rows: list[DifferenceJson]


class ResultsView(TypedDict):
    """All numbers of some evaluations of one set."""

    set: QuestionSetJson
    rows: list[EvaluationScores]
    chance: ChanceScores
    pixels: PixelScores | None
    people: list[PeopleScores]
    published: list[PublishedScores]
    differences: list[EvaluationPair]
    judge: JudgeReports | None
    notes: list[str]
    parser: str
    released_commit: str


@requires("look")
def results_view(context: Context, actor: Actor, request: ResultsRequest) -> ResultsView:
    """All numbers of some evaluations of one set. Raises NotStored, and BadInput for one of
    another set."""
    question_set = opened(context, request.set)
    questions = list(question_set.questions())
    chosen = selected_logs(context, question_set, request.askings, request.parser)
    rows = [
        _row_json(context, question_set, evaluation_id, log)
        for evaluation_id, log in chosen.items()
    ]
    pixels = pixels_of(context, question_set)
    stored = StoredQuestionSet(request.set, question_set, False)
    return {
        "set": set_json(context, actor, stored),
        "rows": rows,
        "chance": _chance_json(questions),
        "pixels": None if pixels is None else _pixels_json(questions, pixels),
        "people": people_json(studies_of(context, actor, question_set), questions),
        "published": [
            _published_json(row, table) for table in _tables(question_set) for row in table[1]
        ],
        "differences": _differences_json(questions, chosen),
        "judge": judge_json(question_set, chosen),
        "notes": _notes(question_set, chosen),
        "parser": PARSER,
        "released_commit": COMMIT,
    }


def selected_logs(
    context: Context, question_set: QuestionSet, asking_ids: Sequence[str], parser: str = ""
) -> dict[str, EvaluationLog]:
    """The askings by id, each once. Raises NotStored, and BadInput for one of another set, and for
    too many."""
    if len(set(asking_ids)) > MAX_SHOWN:
        raise BadInput(f"At most {MAX_SHOWN} evaluations can be compared at once.", "askings")
    logs = context.service(EvaluationService).logs(asking_ids, parser)
    if any(log.source.checksum != question_set.sha256 for log in logs.values()):
        raise BadInput("This evaluation belongs to another question set.", "askings")
    return logs


def pixels_of(context: Context, question_set: QuestionSet) -> EvaluationLog | None:
    """What the pixel reader answered in color: the asking of it with the most answers; None where
    it was not asked."""
    service = context.service(EvaluationService)
    best: EvaluationLog | None = None
    for folder in service.folders():
        try:
            if not _is_pixels(folder, question_set):
                continue
            (log,) = service.logs([folder.run_id]).values()
        except TrueHueError:
            continue  # the list of evaluations says what is wrong with it
        if best is None or len(log.answers) > len(best.answers):
            best = log
    return best


def _is_pixels(folder: EvaluationFolder, question_set: QuestionSet) -> bool:
    return (
        folder.model().location == PIXELS
        and folder.source().checksum == question_set.sha256
        and folder.settings().version is Version.COLORED
    )


def _row_json(
    context: Context, question_set: QuestionSet, evaluation_id: str, log: EvaluationLog
) -> EvaluationScores:
    service = context.service(EvaluationService)
    folder = service.folder(evaluation_id)
    state, scores = state_of(folder), score(log.questions, log.answers)
    macro, robust = scores.macro, scores.robust
    return {
        "id": evaluation_id,
        "name": model_name(log.model),
        "kind": log.model.kind,
        "pixels": log.model.location == PIXELS and log.settings.version is Version.COLORED,
        "settings": " · ".join(
            filter(None, (settings_text(log.settings, log.model), part_text(folder, question_set)))
        ),
        "protocol": log.protocol,
        "status": status_of(folder, state, service.queue.position(evaluation_id)),
        "words": progress_text(state),
        "micro": tally_json(scores.overall),
        "macro": None
        if macro is None
        else {
            "percent": macro.percent,
            "low": macro.interval[0],
            "high": macro.interval[1],
            "chance": macro.chance_percent,
            "tasks": macro.tasks,
        },
        "tasks": {task: tally_json(tally) for task, tally in scores.tasks.items()},
        "categories": {name: tally_json(tally) for name, tally in scores.categories.items()},
        "robust": None if robust is None else _robust_json(scores),
        "released": _released_json(log),
        "parser": log.parser,
        "own_parser": log.own_parser,
        "cut_off": log.cut_off,
        "reasons": [{"text": text, "count": count} for text, count in scores.reasons.items()],
    }


def _released_json(log: EvaluationLog) -> ReleasedScores | None:
    """What the same words score as ColorBench's released code reads them; None for baselines."""
    released = as_released(log)
    if released is None:
        return None
    scores = released.scores
    robust = scores.robust
    return {
        "reader": str(released.reader),
        "tasks": {task: tally.percent for task, tally in scores.tasks.items()},
        "micro": scores.overall.percent,
        "macro": scores.macro.percent if scores.macro else None,
        "as_made": robust.as_made.percent if robust else None,
        "complete": robust.complete.percent if robust else None,
    }


def _robust_json(scores: Scores) -> RobustScores:
    robust = scores.robust
    assert robust is not None
    left_out = {
        "evaluated in part": robust.partly_asked,
        "without variants": robust.without_variants,
    }
    parts = [f"{count_noun(count, 'seed')} {label}" for label, count in left_out.items() if count]
    if robust.orphans:
        parts.append(f"{count_noun(robust.orphans, 'variant')} without their original")
    return {
        "as_made": tally_json(robust.as_made),
        "complete": tally_json(robust.complete),
        "by_variant": {name: tally_json(tally) for name, tally in robust.by_variant.items()},
        "words": f"In neither reading: {', '.join(parts)}." if parts else "",
    }


def tally_json(tally: Tally) -> TallyJson:
    """Counts, the accuracy in percent with its Wilson 95% interval, and chance."""
    low, high = tally.interval or (None, None)
    mark = against_chance(tally.interval, tally.chance_percent)
    mark = mark or ("at the ceiling" if tally.at_ceiling else "")
    return {
        "right": tally.right,
        "wrong": tally.wrong,
        "unreadable": tally.unreadable,
        "truncated": tally.truncated,
        "unanswered": tally.unanswered,
        "not_asked": tally.not_asked,
        "asked": tally.total,
        "percent": tally.percent,
        "low": low,
        "high": high,
        "chance": tally.chance_percent,
        "mark": mark,
    }


def _chance_json(questions: Sequence[Question]) -> ChanceScores:
    """By task and over all, without variants, in percent."""
    originals = [
        question for question in questions if not question.seed_id and question.task != ROBUSTNESS
    ]
    by_task = expected_by_chance(originals)
    total = sum(float(expected.right) for expected in by_task.values())
    return {
        "tasks": {task: 100.0 * expected.share for task, expected in by_task.items()},
        "micro": 100.0 * total / len(originals) if originals else None,
    }


def _pixels_json(questions: Sequence[Question], log: EvaluationLog) -> PixelScores:
    """Its share of all that it has a way to answer, by task."""
    able = {question.question_id for question in questions if can_read(question)}
    asked_questions = [question for question in log.questions if question.question_id in able]
    answers = [answer for answer in log.answers if answer.question_id in able]
    scores = score(asked_questions, answers)
    return {
        "tasks": {task: tally_json(tally) for task, tally in scores.tasks.items()},
        "reads": list(scores.tasks),
        "micro": None,
    }


def _tables(question_set: QuestionSet) -> list[tuple[str, tuple[ScoreRow, ...]]]:
    """The published tables that stand beside a set: those of the published set's own tasks."""
    if not any(task in TASKS and TASKS[task].system == "" for task in question_set.counts):
        return []
    return [(number, published_rows(number)) for number in PUBLISHED]


def _published_json(row: ScoreRow, table: tuple[str, tuple[ScoreRow, ...]]) -> PublishedScores:
    number, _ = table
    return {
        "name": row.name,
        "group": row.group,
        "table": number,
        "note": f"ColorBench, Table {number}: {_TABLE_WORDS[number]}",
        "people": row.name == "Human Evaluation",
        "tasks": dict(row.tasks),
        "overall": row.micro,
        "macro": row.macro,
        "robust": row.robust,
        "doubts": dict(row.doubts),
    }


def _differences_json(
    questions: Sequence[Question], chosen: Mapping[str, EvaluationLog]
) -> list[EvaluationPair]:
    """Every two of them: the second less the first, over what both were asked."""
    rows: list[EvaluationPair] = []
    for (first_id, first), (second_id, second) in combinations(chosen.items(), 2):
        if first.protocol != second.protocol:
            continue
        between = differences(questions, first.answers, second.answers)
        named = [*between.tasks.items(), ("micro", between.overall), ("robust", between.robust)]
        rows.append(
            {
                "first": first_id,
                "second": second_id,
                "rows": [
                    _difference_json(name, difference)
                    for name, difference in named
                    if difference.pairs.scored
                ],
            }
        )
    return rows


def _difference_json(name: str, difference: Difference) -> DifferenceJson:
    low, high = difference.interval or (None, None)
    pairs = difference.pairs
    return {
        "task": name,
        "title": {"micro": "All questions (micro)", "robust": "Robust"}.get(name)
        or task_title(name),
        "pairs": pairs.scored,
        "points": difference.points,
        "low": low,
        "high": high,
        "only_first": pairs.only_a,
        "only_second": pairs.only_b,
        "p": difference.p_value,
        "change_ratio": difference.change_ratio,
    }


def _notes(question_set: QuestionSet, chosen: Mapping[str, EvaluationLog]) -> list[str]:
    """What has to be known to read the numbers."""
    notes = []
    published = question_set.settings.get("source") == HUB_ID
    if not published and _tables(question_set):
        notes.append(
            "The published rows are for ColorBench's own questions. This set has other "
            "questions, so the numbers are not directly comparable."
        )
    gray = [log for log in chosen.values() if log.settings.version is not Version.COLORED]
    if published and gray:
        notes.append("People saw the images in color; some of these evaluations did not.")
    for evaluation_log in chosen.values():
        if evaluation_log.cut_off:
            notes.append(
                f"{model_name(evaluation_log.model)}: {count_noun(evaluation_log.cut_off, 'answer')} reached the "
                "token limit. A higher limit may help."
            )
    if len({log.parser for log in chosen.values()}) > 1:
        notes.append(
            "These evaluations are read by different parsers, which may explain part of their "
            "differences."
        )
    if len({log.protocol for log in chosen.values()}) > 1:
        notes.append(
            "These evaluations follow different protocols. Their numbers are not comparable, and "
            "no differences are shown between protocols."
        )
    sizes = {len(log.questions) for log in chosen.values()}
    if len(sizes) > 1:
        notes.append(
            "These evaluations cover different questions. Differences use only the questions "
            "that both answered."
        )
    return notes


@requires("look")
def scores_file(context: Context, actor: Actor, request: ResultsRequest) -> tuple[str, str]:
    """Scores by task, of evaluations, the pixel reader, chance, people, and as published, which are
    marked: a line each; shares in percent with 95% intervals."""
    question_set = opened(context, request.set)
    view = results_view(context, actor, request)
    rows: list[tuple[Any, ...]] = []

    def line(
        who: str,
        settings: str,
        task: str,
        tally: Mapping[str, Any],
        parser: str = view["parser"],
        protocol: str = "",
    ) -> None:
        numbers = [tally.get(name) for name in (*_COUNTS, *_SHARES, "released")]
        rows.append((question_set.sha256, parser, who, settings, task, *numbers, protocol))

    for row in view["rows"]:
        for task, tally in _tallies(row):
            line(row["name"], row["settings"], task, tally, row["parser"], row["protocol"])
    for task, tally in view["pixels"]["tasks"].items() if view["pixels"] else ():
        line("pixel reader", "in color", task, tally)
    for task, percent in view["chance"]["tasks"].items():
        line("chance", "", task, {"percent": percent})
    line("chance", "", "micro", {"percent": view["chance"]["micro"]})
    for people in view["people"]:
        number = count_noun(people["participants"], "participant")
        for task, tally in people["tasks"].items():
            line(f"people: {people['title']}", number, task, tally)
        line(f"people: {people['title']}", number, "micro", people["micro"])
        if people["macro"]:
            line(f"people: {people['title']}", number, "macro", people["macro"])
    for published in view["published"]:
        name = f"published: {published['name']}"
        for task, share in published["tasks"].items():
            if share is not None:
                line(name, published["note"], task, {"percent": share}, "", "paper")
    return "truehue-scores.csv", csv_text(_COLUMNS, rows)


def _tallies(row: EvaluationScores) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The lines of an asking, each with what the released code makes of the same words."""
    released: Mapping[str, Any] = row["released"] or {"tasks": {}}
    robust: Mapping[str, Any] = row["robust"] or {}
    for task, tally in row["tasks"].items():
        yield task, {**tally, "released": released["tasks"].get(task)}
    for name, tally in row["categories"].items():
        yield name, {**tally, "released": None}
    yield "micro", {**row["micro"], "released": released.get("micro")}
    if row["macro"]:
        yield "macro", {**row["macro"], "released": released.get("macro")}
    for reading in ("as_made", "complete") if robust else ():
        yield f"robust, {reading}", {**robust[reading], "released": released.get(reading)}


@requires("look")
def answers_file(context: Context, actor: Actor, request: ResultsRequest) -> tuple[str, str]:
    """Every answer of some evaluations: text, reading, outcome and reason."""
    question_set = opened(context, request.set)
    named = [
        (f"{model_name(log.model)}, {settings_text(log.settings, log.model)}", log)
        for log in selected_logs(context, question_set, request.askings, request.parser).values()
    ]
    return "truehue-answers.csv", answers_csv(named)
