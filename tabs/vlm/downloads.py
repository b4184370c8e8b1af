"""Scores and answers as CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from truehue.core.spreadsheets import cell
from truehue.core.vlm.evaluation.answers_table import answers_csv
from truehue.tabs.page.actor import requires
from truehue.tabs.page.errors import counted
from truehue.tabs.page.roles import Actor
from truehue.tabs.vlm.messages import model_name, settings_text
from truehue.tabs.vlm.results import ResultsRequest, asked_of, results_view
from truehue.tabs.vlm.sets import opened

if TYPE_CHECKING:
    from truehue.tabs.page.context import Context

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
)


@requires("look")
def scores_file(context: Context, actor: Actor, request: ResultsRequest) -> dict[str, Any]:
    """Scores by task, of askings, the pixel reader, chance, people, and as published, which are
    marked: a line each; shares in percent with 95% intervals."""
    question_set = opened(context, request.set)
    view = results_view(context, actor, request)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)

    def line(
        who: str, settings: str, task: str, tally: dict[str, Any], parser: str = view["parser"]
    ) -> None:
        numbers = [tally.get(name) for name in (*_COUNTS, *_SHARES, "released")]
        values = (question_set.sha256, parser, who, settings, task, *numbers)
        writer.writerow(["" if value is None else cell(value) for value in values])

    for row in view["rows"]:
        for task, tally in _tallies(row):
            line(row["name"], row["settings"], task, tally, row["parser"])
    for task, tally in (view["pixels"] or {"tasks": {}})["tasks"].items():
        line("pixel reader", "in color", task, tally)
    for task, percent in view["chance"]["tasks"].items():
        line("chance", "", task, {"percent": percent})
    line("chance", "", "micro", {"percent": view["chance"]["micro"]})
    for people in view["people"]:
        number = counted(people["participants"], "participant")
        for task, tally in people["tasks"].items():
            line(f"people: {people['title']}", number, task, tally)
        line(f"people: {people['title']}", number, "micro", people["micro"])
        if people["macro"]:
            line(f"people: {people['title']}", number, "macro", people["macro"])
    for row in view["published"]:
        for task, percent in row["tasks"].items():
            if percent is not None:
                line(f"published: {row['name']}", row["note"], task, {"percent": percent})
    return {"name": "truehue-scores.csv", "text": text.getvalue()}


def _tallies(row: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of an asking, each with what the released code makes of the same words."""
    released = row["released"] or {"tasks": {}}
    for task, tally in row["tasks"].items():
        yield task, {**tally, "released": released["tasks"].get(task)}
    yield "micro", {**row["micro"], "released": released.get("micro")}
    if row["macro"]:
        yield "macro", {**row["macro"], "released": released.get("macro")}
    for reading in ("as_made", "complete") if row["robust"] else ():
        yield (
            f"robust, {reading}",
            {**row["robust"][reading], "released": released.get(reading)},
        )


@requires("look")
def answers_file(context: Context, actor: Actor, request: ResultsRequest) -> dict[str, Any]:
    """Every answer of some askings: words, reading, outcome and reason."""
    question_set = opened(context, request.set)
    named = [
        (f"{model_name(log.model)}, {settings_text(log.settings, log.model)}", log)
        for log in asked_of(context, question_set, request.askings, request.parser).values()
    ]
    return {"name": "truehue-answers.csv", "text": answers_csv(named)}
