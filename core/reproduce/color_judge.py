"""The recipes of GenColorBench's Tables 2 and 10: vision-language models that name the colors of
renders, and why ours are not the printed numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

from truehue.core.analysis.intervals import mover
from truehue.core.batch.folder import PLAN
from truehue.core.errors import BadInput
from truehue.core.published import Column, PublishedRow, PublishedTable, bibtex, table
from truehue.core.reproduce.attribution import Gap, Numbers, RowSwitch, row_gaps
from truehue.core.reproduce.evaluations import (
    hours_need,
    machine_words,
    missing_answers,
    model_need,
    model_words,
    slug_of,
    unanswered_note,
)
from truehue.core.reproduce.needs import Need
from truehue.core.reproduce.recipe import Recipe, ReproduceContext, Step
from truehue.core.reproduce.table import ReproducedCell, ReproducedRow, ReproducedTable, make_table
from truehue.core.vlm.color_judge.question_set import queries_of_render
from truehue.core.vlm.color_judge.report import kind_of
from truehue.core.vlm.evaluation.log import EvaluationLog, read_log
from truehue.core.vlm.records import Answer, Form, Outcome, Question
from truehue.core.vlm.scoring import Tally, tally_of

PAPER, PROTOCOL = "gencolorbench", "gencolorbench-paper"
RENDERS: Mapping[str, int] = {"css": 2058, "l2": 406}
"""By system: how many renders the paper asks about, every object in every color once."""
QUESTIONS: Mapping[str, int] = {"css": 9, "l2": 6}
"""About each render."""
TABLES: Mapping[str, tuple[str, ...]] = {
    "2": ("gencolorbench-table2",),
    "10": ("gencolorbench-table10-css", "gencolorbench-table10-l2"),
}
SHORT = {
    "Janus 1.3B": "Janus",
    "Janus-Pro 7B": "Janus Pro",
    "BLIP3o-8B": "BLIP3o",
    "DeepSeek-VL2-7B": "Deepseek",
    "Qwen2-VL-7B": "Qwen2-VL",
    "Instruct-VL-7B": "Instruct-VL",
    "mPLUG-Owl3 7B": "mPLUG-Owl3",
}
"""The name in Table 10 by that in Table 2."""
MODELS = ("janus-pro-7b", "Qwen/Qwen2-VL-7B-Instruct")
"""Of the table's models those that run here."""
KINDS = {"Open-Ended": "Open-ended", "MCQ": "Multiple choice", "Binary": "Yes or no"}
OVERALL = "Overall"


def printed_name(model: str) -> str:
    """Table 2's name of a model; empty where it has none."""
    plain = _plain(model.partition("@")[0].rpartition("/")[2]).replace("model", "")
    return next((name for name in SHORT if plain.startswith(_plain(name))), "")


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def row_of(published: PublishedTable, name: str) -> PublishedRow | None:
    """The printed row by Table 2's name of its model; None without one."""
    names = (name, SHORT.get(name, name))
    return next((row for row in published.rows if row.keys["model"] in names), None)


# ── numbers ─────────────────────────────────────────────────────────────────────────────────────

Pairs = Sequence[tuple[Question, Answer | None]]
"""Questions about renders, each with its answer."""
Share = Callable[[Pairs], float | None]


def pairs_of(log: EvaluationLog) -> Pairs:
    """The questions about renders with their answers."""
    answers = {answer.question_id: answer for answer in log.answers}
    return [
        (question, answers.get(question.question_id))
        for question in log.questions
        if queries_of_render(question)
    ]


def percent_right(pairs: Pairs) -> float | None:
    """Percent right of all that were asked; unreadable and missing answers are wrong."""
    return _tally(pairs).percent


def judge_numbers(pairs: Pairs, published: PublishedTable, share: Share = percent_right) -> Numbers:
    """By the column of Table 2, or of Table 10 of a system: a kind is the mean of its questions, the
    overall that of the three kinds. None where a question was not asked."""
    return {
        column.name: _mean(_parts(pairs, published, column), share) for column in published.columns
    }


def judge_interval(
    pairs: Pairs, published: PublishedTable, column: Column
) -> tuple[float, float] | None:
    """The 95% interval of such a number: Wilson's of a question, by MOVER that of a mean. None where
    there is no number."""
    kinds = []
    for kind in _parts(pairs, published, column):
        tallies = [_tally(of) for of in kind]
        shares = [(by.percent, by.interval) for by in tallies if by.percent is not None]
        if not shares or len(shares) < len(tallies):
            return None
        known = [(percent, ends) for percent, ends in shares if ends is not None]
        kinds.append((fmean(percent for percent, _ in known), mover(known)))
    return mover(kinds) if kinds else None


def _mean(kinds: Sequence[Sequence[Pairs]], share: Share) -> float | None:
    shares = [[share(pairs) for pairs in kind] for kind in kinds]
    known = [[value for value in kind if value is not None] for kind in shares]
    if known != shares or not all(known):
        return None
    return fmean(fmean(kind) for kind in known)


def _parts(pairs: Pairs, published: PublishedTable, column: Column) -> list[list[Pairs]]:
    """What a number is the mean of: kinds, each of the answers to one of its questions."""
    ending = column.parts.get("system", published.id.rpartition("-")[2])
    by_task: dict[str, list[tuple[Question, Answer | None]]] = {}
    for question, answer in pairs:
        if question.construction["system"] == ending:
            by_task.setdefault(question.task, []).append((question, answer))
    name = column.name.partition(" ")[0].rstrip(":")
    if name.startswith("Q"):
        return [[by_task.get(f"{ending}_{name.lower()}", [])]]
    kinds = list(KINDS.values()) if name == OVERALL else [KINDS[name]]
    return [[of for of in by_task.values() if kind_of(of[0][0]) == kind] for kind in kinds]


def _tally(pairs: Pairs) -> Tally:
    out = Tally()
    for question, answer in pairs:
        out += tally_of(question, None if answer is None else answer.outcome)
    return out


# ── why not the paper's number ──────────────────────────────────────────────────────────────────


def judge_gaps(
    pairs: Pairs, keys: Mapping[str, str], printed: PublishedRow, published: PublishedTable
) -> tuple[Gap, ...]:
    """The gaps of a model's answers to a printed row of Table 2, or of Table 10 of a system."""
    renders = {
        system: len(
            {
                question.image_id
                for question, _ in pairs
                if question.construction["system"] == system
            }
        )
        for system in RENDERS
    }
    ours = ", ".join(f"{count:,} of {system}" for system, count in renders.items() if count)
    theirs = ", ".join(f"{RENDERS[system]:,}" for system, count in renders.items() if count)
    in_letters = any(
        kind_of(question) == KINDS["MCQ"] and not question.listed for question, _ in pairs
    )
    switches = [
        *(
            RowSwitch(name, sentence, own, other, partial(judge_numbers, pairs, published, share))
            for name, sentence, own, other, share in _COUNTED
        ),
        *([_LIST] if in_letters else []),
        RowSwitch(
            "Renders",
            "The paper's Blender renders and its 14 objects are not public.",
            f"{ours} by the reference renderer",
            f"{theirs} by Blender",
        ),
        _READING,
    ]
    own = judge_numbers(pairs, published)
    return row_gaps(keys, own, printed, published.columns, lambda by: by.name, switches)


def _of_readable(pairs: Pairs) -> float | None:
    decided = (Outcome.RIGHT, Outcome.WRONG)
    return percent_right([pair for pair in pairs if pair[1] and pair[1].outcome in decided])


def _of_true_color(pairs: Pairs) -> float | None:
    return percent_right(
        [pair for pair in pairs if pair[0].form is not Form.BINARY or pair[0].answer == "yes"]
    )


def _of_both(pairs: Pairs) -> float | None:
    if not pairs or pairs[0][0].form is not Form.BINARY:
        return percent_right(pairs)
    by_render: dict[str, list[bool]] = {}
    for question, answer in pairs:
        is_right = answer is not None and answer.outcome is Outcome.RIGHT
        by_render.setdefault(question.image_id, []).append(is_right)
    return 100.0 * fmean(all(results) for results in by_render.values())


_COUNTED: tuple[tuple[str, str, str, str, Share], ...] = (
    (
        "Unreadable answers",
        "The paper does not say how answers count that name no color.",
        "incorrect",
        "left out",
        _of_readable,
    ),
    (
        "Yes-or-no questions",
        "The paper does not name the colors that it asks about: perhaps only the true one.",
        "the true color and another",
        "the true color",
        _of_true_color,
    ),
    (
        "Yes-or-no pairs",
        "Table 2's shares are far below Table 10's: perhaps both questions must be right.",
        "each question counts",
        "the true color and another together",
        _of_both,
    ),
)
"""How answers may be counted: each is switched on what is stored."""
_LIST = RowSwitch(
    "List of Q2",
    "The paper lists all names of the system; so does a set made without --near.",
    "the nearest names",
    "all names",
)
_READING = RowSwitch(
    "Reading of answers",
    "The paper does not say how an answer is read.",
    "TrueHue's parser",
    "not published",
)


# ── the recipe ──────────────────────────────────────────────────────────────────────────────────


def _folder(context: ReproduceContext) -> Path:
    return context.data / "reproduce" / PAPER


def _renders(context: ReproduceContext, system: str) -> int:
    return RENDERS[system] if context.limit is None else min(context.limit, RENDERS[system])


def _set(context: ReproduceContext, system: str) -> Path:
    return _folder(context) / f"renders-{system}-{_renders(context, system)}"


def _models(context: ReproduceContext) -> tuple[str, ...]:
    return context.models or MODELS


def _answers(context: ReproduceContext, model: str, system: str) -> Path:
    name = f"{slug_of(model)}-{system}-{_renders(context, system)}"
    return _folder(context) / "answers" / name


def _steps(context: ReproduceContext) -> tuple[Step, ...]:
    if context.set:
        raise BadInput(
            "Tables 2 and 10 are made of questions about renders: leave out --set.", "set"
        )
    steps = []
    for system in RENDERS:
        folder = _set(context, system)
        count = str(_renders(context, system))
        command = ["vlm", "judge", "make", str(folder), "--system", system, "--count", count]
        steps.append(Step(f"Questions about renders, {system}", tuple(command), folder.exists()))
    for model in _models(context):
        for system in RENDERS:
            out = _answers(context, model, system)
            command = ["vlm", "run", str(_set(context, system)), "--out", str(out)]
            command += (*model_words(model), *machine_words(context, model), *context.options)
            title = f"Answers of {model.partition('@')[0]}, {system}"
            done, note = not missing_answers(out), unanswered_note(out)
            steps.append(Step(title, tuple(command), done, note))
    return tuple(steps)


def _needs(context: ReproduceContext) -> tuple[Need, ...]:
    folders = [_answers(context, model, system) for model in _models(context) for system in RENDERS]
    most = max(_renders(context, system) * QUESTIONS[system] for system in RENDERS)
    models = [model_need(context, model) for model in _models(context)]
    return (*models, hours_need(folders, most))


def _pairs(context: ReproduceContext, model: str) -> Pairs:
    folders = (_answers(context, model, system) for system in RENDERS)
    return [
        pair
        for folder in folders
        if (folder / PLAN).is_file()
        for pair in pairs_of(read_log(folder))
    ]


def _made(context: ReproduceContext, number: str) -> ReproducedTable:
    parts = [table(table_id) for table_id in TABLES[number]]
    rows, names = [], []
    for model in _models(context):
        pairs = _pairs(context, model)
        names += [printed_name(model) or model] if pairs else []
        rows += [_row(pairs, model, part) for part in parts]
    made = make_table(
        parts[0],
        PROTOCOL,
        rows,
        methods=_methods(context, names),
        citations=bibtex([parts[0].id]),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
    )
    if len(parts) == 1:
        return made
    columns = {column.name: column for part in parts for column in part.columns}
    title = "Table 10: Vision-language models on questions about the colors of renders"
    return replace(made, title=title, keys=("model", "system"), columns=tuple(columns.values()))


def _row(pairs: Pairs, model: str, published: PublishedTable) -> ReproducedRow:
    printed, numbers = row_of(published, printed_name(model)), judge_numbers(pairs, published)
    cells = {}
    for column in published.columns:
        parts = [of for kind in _parts(pairs, published, column) for of in kind]
        low, high = judge_interval(pairs, published, column) or (None, None)
        count = sum(len(of) for of in parts)
        theirs = printed.values[column.name] if printed else None
        cells[column.name] = ReproducedCell(
            numbers[column.name], low, high, count or None, None, theirs, column.unit
        )
    return ReproducedRow(_keys(model, printed, published), cells)


def _keys(model: str, printed: PublishedRow | None, published: PublishedTable) -> dict[str, str]:
    keys = {"model": printed.keys["model"] if printed else ""}
    if published.id not in TABLES["2"]:
        keys["system"] = published.id.rpartition("-")[2]
    return {**keys, "ours": model.partition("@")[0]}


def _gaps(context: ReproduceContext, number: str) -> tuple[Gap, ...]:
    gaps: list[Gap] = []
    for model in _models(context):
        pairs = _pairs(context, model)
        for published in map(table, TABLES[number]):
            printed = row_of(published, printed_name(model))
            if printed is not None:
                gaps += judge_gaps(pairs, _keys(model, printed, published), printed, published)
    return tuple(gaps)


def _methods(context: ReproduceContext, models: Sequence[str]) -> str:
    """What was asked and how it was counted; empty before there is an answer."""
    if not models:
        return ""
    counts = " and ".join(f"{_renders(context, system):,} of {system}" for system in RENDERS)
    return (
        f"{', '.join(models)} answered the questions of GenColorBench's Appendix E about renders of "
        f"known color by TrueHue's reference renderer ({counts}). A yes-or-no question is asked with "
        "the true color and with one at least 10 ΔE00 away. Unreadable and missing answers count as "
        "incorrect. A kind is the mean of its questions, Overall that of the three kinds. Intervals "
        "are 95%, as if questions were independent: Wilson's of a question, by MOVER those of means."
    )


def _recipe(number: str) -> Recipe:
    return Recipe(
        PAPER,
        number,
        f"GenColorBench, Table {number}: vision-language models",
        (PROTOCOL,),
        _needs,
        _steps,
        partial(_made, number=number),
        partial(_gaps, number=number),
    )


RECIPES = (_recipe("2"), _recipe("10"))
