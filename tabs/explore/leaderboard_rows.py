"""The rows of the leaderboard, formatted for the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TypedDict

from truehue.core.analysis.audit import PeopleAccuracy
from truehue.core.analysis.intervals import SENTENCE
from truehue.core.analysis.leaderboard import (
    AVERAGE,
    AVERAGED,
    FEW_PROMPTS,
    PART_NAMES,
    POOLED,
    SYSTEM_NAMES,
    SYSTEMS,
    TABLE_TASKS,
    WILSON,
    Cell,
    LeaderboardEntry,
    Rate,
    apart_text,
    interval_text,
    leaderboard,
    n_text,
    part_note,
)
from truehue.core.analysis.names import run_labels
from truehue.core.analysis.ranks import RankRange
from truehue.core.analysis.records import (
    LEFT_OUT,
    NO_SYSTEM,
    NOT_FOUND,
    WRONG,
    CauseCount,
    PromptTally,
    RunRecord,
    Slice,
    choice_for,
    default_for,
)
from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput
from truehue.core.runs.controls import ControlSummary
from truehue.core.runs.score import CAUSES
from truehue.core.verdict.rules import DEFAULT_RULE, rule
from truehue.tabs.batches.messages import STATUS_LABELS, facts
from truehue.tabs.batches.queue import status_of
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.explore.leaderboard_groups import Group, describe_unread, groups
from truehue.tabs.explore.leaderboard_trust import (
    OFF,
    CorrectedJson,
    Corrections,
    correction_of,
)
from truehue.tabs.explore.limits import limits_of
from truehue.tabs.library.service import Library
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.sources.audits import accuracies_by_people
from truehue.tabs.sources.trust import (
    controls_by_run,
    people_text,
    ranks_of,
)

EACH = "each"
SYSTEM_CHOICES: Mapping[str, tuple[str, str]] = {
    AVERAGED: ("L2, L3, CSS averaged", "The mean of three accuracies, as in the paper's Table 4"),
    EACH: ("each of them", "The same, and below it each color system"),
    POOLED: (
        "pooled",
        "All images of L2, L3, CSS and without a color system in one accuracy; L3 has most prompts",
    ),
    "l1": ("level 1", "The 13 names of ISCC-NBS level 1, which Table 4 leaves out"),
    "people": ("people", "Your prompts with the names that people use most"),
}
UNSCORED_CHOICES: Mapping[str, tuple[str, str]] = {
    LEFT_OUT: ("excluded", "Of the images that have a pass or a fail, how many pass"),
    NOT_FOUND: (
        "not found is incorrect",
        "As in the released code: an image whose object was not found, is empty or overlaps "
        "another is incorrect. Other unscored images are excluded.",
    ),
    WRONG: ("all are incorrect", "Of all images, how many pass"),
}
LISTS = (
    "L2, L3 and CSS, three lists of color names (levels 2 and 3 of ISCC-NBS, and the web's colors)"
)
_NAMED = 5
MIN_IMAGES = 5
"""A number of fewer images is gray."""
TOO_FEW = "too few to say"


class RateJson(TypedDict):
    """An accuracy in percent with its interval, as numbers and as text."""

    percent: float | None
    low: float | None
    high: float | None
    text: str
    interval: str
    n: str
    title: str


class CellPart(RateJson):
    """The accuracy on one color system; ``opens`` are the filters for its images."""

    id: str
    name: str
    opens: dict[str, str]


class CellJson(RateJson):
    """The accuracy on a task; ``best`` is the highest of its group, ``rank`` the range of ranks in
    it (``1–3 of 5``), ``corrected`` the accuracy corrected for the rule's errors."""

    opens: dict[str, str]
    best: bool
    note: str
    parts: list[CellPart]
    rank: str
    corrected: CorrectedJson | None


class CauseJson(TypedDict):
    """How many images one cause left without a score."""

    id: str
    text: str
    name: str
    tasks: str


class UnscoredJson(TypedDict):
    """How many images have no score, and why."""

    count: int
    text: str
    words: str
    causes: list[CauseJson]


class RunProgress(TypedDict):
    """How much of a run's plan is stored."""

    percent: int
    words: str
    title: str


class LeaderboardRow(TypedDict):
    """A run on the leaderboard; ``cells`` are by task, ``people`` its accuracy by people."""

    id: str
    name: str
    label: str
    facts: str
    progress: RunProgress | None
    cells: dict[str, CellJson]
    beside: str
    people: str
    unscored: UnscoredJson | None
    said: str


class LeaderboardGroup(TypedDict):
    """Runs that can be compared; ``order`` says which of them are first, and which are behind."""

    id: str
    name: str
    words: str
    order: str
    rows: list[LeaderboardRow]


class LeaderboardData:
    """The runs that are shown and their numbers by one rule, read once, for an ``actor``, by default
    whoever asks where nobody is named."""

    def __init__(
        self, context: Context, params: Mapping[str, str], actor: Actor | None = None
    ) -> None:
        self._actor = actor or context.default_actor
        self.rule_id = rule(params.get("rule") or DEFAULT_RULE).id
        self.systems = params.get("systems") or AVERAGED
        self.unscored = choice_for(self.rule_id, params.get("unscored") or "")
        # What its numbers open: a wall counts as the leaderboard does, short of all as incorrect.
        counted = LEFT_OUT if self.unscored == WRONG else self.unscored
        self.filter = "" if counted == default_for(self.rule_id) else counted
        if self.systems not in (*SYSTEM_CHOICES, *SYSTEM_NAMES):
            choices = ", ".join((*SYSTEM_CHOICES, *SYSTEM_NAMES))
            raise BadInput(f"There is no choice of systems {self.systems[:40]!r}. Use {choices}.")
        listed = [run for run in context.storage.runs.all() if not run.hidden]
        self.unread = [(run, why) for run in listed if (why := describe_unread(run))]
        shown = [run for run in listed if not describe_unread(run)]
        self.runs = [run for run in shown if run.items]
        self.without = [run for run in shown if not run.items]
        ids = tuple(run.run_id for run in self.runs)
        results = context.storage.results
        self.limits = limits_of(params, self.rule_id)
        tallies = results.leaderboard(self.rule_id, ids, self.limits, counted) if ids else []
        averaged = AVERAGED if self.systems == EACH else self.systems
        self.pictured: dict[str, int] = {}
        for tally in tallies:
            self.pictured[tally.run_id] = self.pictured.get(tally.run_id, 0) + tally.prompts
        self.rows = leaderboard(tallies, averaged, self.unscored)
        self._outside_columns = _outside_columns(tallies, averaged)
        self.causes: dict[str, list[CauseCount]] = {run_id: [] for run_id in ids}
        for cause in results.unscored(Slice(self.rule_id, ids, unscored=counted)) if ids else []:
            self.causes[cause.run_id].append(cause)
        self._context, self._averaged, self._tallies = context, averaged, tallies
        self.correction = correction_of(context, params, self.rule_id)
        self.states = _states(context, shown)
        self.labels = run_labels(shown)

    def _whole(self, runs: Sequence[RunRecord]) -> list[LeaderboardEntry]:
        """The finished runs of a group, which alone are compared."""
        return [
            self.rows[run.run_id]
            for run in runs
            if run.run_id in self.rows and run.items >= run.total
        ]

    @cached_property
    def board_groups(self) -> list[Group]:
        """The runs by what makes them comparable."""
        sets = self._context.service(Library).sets()
        return groups(self.runs, self.rule_id, sets, self.pictured)

    @cached_property
    def corrections(self) -> Corrections:
        """The accuracies corrected for the rule's errors, by the choice of the link."""
        settings = (self._averaged, self.unscored, bool(self.limits))
        tallies = self._tallies
        if self.correction[0] != OFF and self.unscored == NOT_FOUND and not self.limits:
            ids = tuple(run.run_id for run in self.runs)
            results = self._context.storage.results
            tallies = results.leaderboard(self.rule_id, ids, unscored=NOT_FOUND, judged=True)
        return Corrections(
            self.correction,
            self.rule_id,
            self.runs,
            self.rows,
            tallies,
            settings,
            self.controls,
        )

    @cached_property
    def controls(self) -> dict[str, ControlSummary]:
        """The control images of the runs that have them."""
        return controls_by_run(self._context, self.runs)

    @property
    def sees_studies(self) -> bool:
        """Whether the actor may see studies."""
        return allowed(self._actor, "study")

    @cached_property
    def people(self) -> dict[str, PeopleAccuracy]:
        """The accuracies by people, of the runs that were audited; none for who may not see
        studies."""
        if not self.sees_studies:
            return {}
        return accuracies_by_people(self._context, self.rows, self.rule_id)

    @cached_property
    def ranks(self) -> dict[str, dict[str, RankRange]]:
        """The ranges of ranks by run and column; none under other limits, which are not stored."""
        by_run: dict[str, dict[str, RankRange]] = {}
        results = self._context.storage.results
        for group in [] if self.limits else self.board_groups:
            whole = self._whole(group.runs)
            ranks = ranks_of(results, self.rule_id, whole, self._averaged, self.unscored)
            for column, ranges in ranks.items():
                for run_id, ranked in ranges.items():
                    by_run.setdefault(run_id, {})[column] = ranked
        return by_run

    @property
    def leads(self) -> bool:
        """Whether any number is bold."""
        return any(
            self._leads(run_id, column)
            and not (column in self.rows[run_id].cells and self.rows[run_id].cells[column].missing)
            for run_id, columns in self.ranks.items()
            for column in columns
        )

    def _leads(self, run_id: str, column: str) -> bool:
        """Whether the data leave only the first rank open."""
        ranked = self.ranks.get(run_id, {}).get(column)
        return ranked is not None and ranked.worst == 1

    def rank(self, run_id: str, column: str) -> str:
        """The range of ranks of a run in a column, as text; empty where it has none."""
        ranked = self.ranks.get(run_id, {}).get(column)
        return ranked.text if ranked else ""

    def rows_json(self, runs: Sequence[RunRecord]) -> list[LeaderboardRow]:
        """One group of runs that may be compared."""
        shared = self.outside_text(runs)
        return [self._row(run, shared) for run in runs]

    def outside_text(self, runs: Sequence[RunRecord]) -> str:
        """The images in no column, where all runs of a group have the same; else empty."""
        texts = {" · ".join(self._outside_columns.get(run.run_id, ())) for run in runs}
        return texts.pop() if len(texts) == 1 else ""

    def order_text(self, runs: Sequence[RunRecord]) -> str:
        """A sentence on the first column that is ranked, by choice the average: the runs that can be
        first, and those that are behind all of them."""
        columns = [AVERAGE, *TABLE_TASKS]
        of_runs = {run.run_id: self.ranks.get(run.run_id, {}) for run in runs}
        column = next((c for c in columns if any(c in ranks for ranks in of_runs.values())), "")
        ranked = [run for run in runs if column in of_runs[run.run_id]]
        if not ranked:
            return ""

        def value(run: RunRecord) -> float:
            row = self.rows[run.run_id]
            return (row.average if column == AVERAGE else row.cells[column].rate).percent or 0.0

        ranked.sort(key=value, reverse=True)
        ranges = {run.run_id: of_runs[run.run_id][column] for run in ranked}
        first = [run for run in ranked if ranges[run.run_id].best == 1]
        worst = max(ranges[run.run_id].worst for run in first)
        behind = [run for run in ranked if ranges[run.run_id].best > worst]
        where = "average" if column == AVERAGE else column.upper()
        if len(first) == 1:
            text = f"By {where}, {self._names(first)} is first."
        else:
            everyone = "all are" if len(first) == len(ranked) else f"{self._names(first)} are"
            text = f"By {where}, {everyone} too close to call; each could be first."
        if behind and len(first) > 1:
            is_behind = "are" if len(behind) > 1 else "is"
            same = len(behind) > 1 and len({ranges[run.run_id] for run in behind}) == 1
            also = ", and too close to call, too" if same else ""
            text += f" {self._names(behind)} {is_behind} behind all of them{also}."
        return text

    def _names(self, runs: Sequence[RunRecord]) -> str:
        names = [self.labels[run.run_id] for run in runs]
        if len(names) > _NAMED:
            return f"{len(names)} runs"
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def unread_group(self) -> list[LeaderboardGroup]:
        """A group of the runs that cannot be compared with any, or none."""
        rows: list[LeaderboardRow] = [
            {
                "id": run.run_id,
                "name": run.name,
                "label": run.name,
                "facts": "",
                "progress": None,
                "cells": {},
                "beside": "",
                "people": "",
                "unscored": None,
                "said": why,
            }
            for run, why in self.unread
        ]
        text = "hide them in Runs, or remove their folders"
        if not rows:
            return []
        return [
            {"id": "unread", "name": "Cannot be read", "words": text, "order": "", "rows": rows}
        ]

    def _row(self, run: RunRecord, shared: str) -> LeaderboardRow:
        """``shared``: what the group says of the images in no column."""
        row, label = self.rows.get(run.run_id), self.labels[run.run_id]
        plain = facts(run, self.pictured.get(run.run_id)).split(" · ")
        row_json: LeaderboardRow = {
            "id": run.run_id,
            "name": run.name,
            "label": label,
            "facts": " · ".join(
                part for part in plain if part not in (label, f"images of {label}")
            ),
            "progress": progress(run, self.states[run.run_id]),
            "cells": {},
            "beside": "",
            "people": "",
            "unscored": None,
            "said": "",
        }
        if not run.rules:
            row_json["said"] = "names no color; see Compare"
        elif self.rule_id not in dict(run.rules):
            row_json["said"] = f"not scored by {rule(self.rule_id).name}"
        elif row is None:
            row_json["said"] = "no image of it names a color"
        if row is not None:
            for task, cell in row.cells.items():
                row_json["cells"][task] = self._cell(run.run_id, cell)
            few = any(cell.few for cell in row.cells.values())
            row_json["cells"][AVERAGE] = {
                **self._rate(row.average, few),
                "opens": _opens_all(row),
                "best": self._leads(run.run_id, AVERAGE),
                "note": _not_averaged(row, run.items < run.total),
                "parts": [],
                "rank": self.rank(run.run_id, AVERAGE),
                "corrected": self.corrections.cell(run.run_id, AVERAGE, few),
            }
            people = self.people.get(run.run_id)
            row_json["people"] = people_text(people, rule(self.rule_id).name) if people else ""
            others = [
                f"{task} {rate.percent:.1f}% of {count_noun(rate.images, 'image')}"
                for task, rate in row.others.items()
                if rate.percent is not None
            ]
            others += [] if shared else self._outside_columns.get(run.run_id, [])
            if run.run_id in self.controls and self.controls[run.run_id].warnings:
                others.append("control images warn: see Runs")
            row_json["beside"] = " · ".join(others)
            row_json["unscored"] = _unscored(row, self.causes[run.run_id])
        return row_json

    def _cell(self, run_id: str, cell: Cell) -> CellJson:
        below = {**cell.parts, **({NO_SYSTEM: cell.apart} if cell.apart else {})}
        parts: list[CellPart] = [
            {
                **self._rate(rate, rate.few),
                "id": name,
                "name": PART_NAMES[name],
                "opens": {"task": cell.task, "system": name},
            }
            for name, rate in below.items()
        ]
        rate = self._rate(cell.rate, cell.few)
        if cell.apart:
            rate["title"] += f" · {apart_text(cell)}: see {POOLED}"
        return {
            **rate,
            "best": self._leads(run_id, cell.task) and not cell.missing,
            "note": part_note(cell) or (TOO_FEW if 0 < cell.rate.scored < MIN_IMAGES else ""),
            "parts": parts if self.systems == EACH else [],
            "opens": {"task": cell.task, "system": ",".join(cell.parts)},
            "rank": self.rank(run_id, cell.task),
            "corrected": self.corrections.cell(run_id, cell.task, cell.few),
        }

    def _rate(self, rate: Rate, few: bool) -> RateJson:
        total = rate.images if self.unscored == WRONG else rate.scored
        which = "images" if self.unscored == WRONG else "scored images"
        parts = [
            f"{rate.passes:,} of {total:,} {which} pass",
            f"{rate.unscored:,} unscored",
            count_noun(rate.prompts, "prompt"),
        ]
        if few:
            parts.append(f"a color system has fewer than {FEW_PROMPTS} prompts: a rough interval")
        if rate.method == WILSON:
            parts.append("its interval is Wilson's where the prompts of a color system score alike")
        return {
            "percent": rate.percent,
            "low": rate.low,
            "high": rate.high,
            "text": "–" if rate.percent is None else f"{rate.percent:.1f}",
            "interval": interval_text(rate, few),
            "n": "" if rate.percent is None else n_text(rate, total),
            "title": " · ".join(parts),
        }

    def without_text(self) -> str:
        """The runs that have no row, empty where there is none."""
        if not self.without:
            return ""
        names = ", ".join(run.name for run in self.without[:_NAMED])
        more = len(self.without) - _NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        return f"Not shown, because they have no images yet: {names}{rest}."

    def means(self) -> str:
        """What a task and the average are the means of."""
        means = {
            AVERAGED: f"A task is no share of all its images: it is the mean of its accuracies on {LISTS}",
            EACH: f"A task is no share of all its images: it is the mean of its accuracies on {LISTS}",
            POOLED: "A task is the accuracy over all its images of L2, L3 and CSS, and those "
            "without a color system",
        }.get(self.systems, f"A task is its accuracy on {SYSTEM_NAMES.get(self.systems, '')}")
        return f"{means}; Average is the mean of the five tasks."

    def about(self) -> str:
        """What the numbers are, in words."""
        return f"{self.means()} {SENTENCE}"


def _outside_columns(tallies: Iterable[PromptTally], systems: str) -> dict[str, list[str]]:
    """By run, the images of the table's tasks whose color system no mean of several systems has."""
    counts: dict[str, dict[str, tuple[int, int]]] = {}
    for tally in tallies if systems in (AVERAGED, POOLED) else ():
        if tally.task in TABLE_TASKS and tally.system not in SYSTEMS[POOLED]:
            of_run = counts.setdefault(tally.run_id, {})
            images, scored = of_run.get(tally.system, (0, 0))
            of_run[tally.system] = (
                images + tally.images * tally.prompts,
                scored + tally.scored * tally.prompts,
            )
    return {
        run_id: [
            f"{count_noun(images, 'more image')} of {PART_NAMES.get(system, system)}, "
            f"{images - scored:,} of them unscored, in no column here: see Color systems in Settings"
            for system, (images, scored) in by_system.items()
        ]
        for run_id, by_system in counts.items()
    }


def _opens_all(row: LeaderboardEntry) -> dict[str, str]:
    """The filters for the pictures behind an average: all tasks are named, for a run may have
    others."""
    systems = dict.fromkeys(name for cell in row.cells.values() for name in cell.parts)
    tasks = ",".join(row.cells) if row.others else ""
    return {"task": tasks, "system": ",".join(systems)}


def _not_averaged(row: LeaderboardEntry, unfinished: bool) -> str:
    """Why a run has no average, in a few words."""
    none = [task.upper() for task in row.missing if task not in row.cells]
    part = [task.upper() for task in row.missing if task in row.cells]
    if len(row.missing) > 2:
        return f"{len(TABLE_TASKS) - len(row.missing)} of {len(TABLE_TASKS)} tasks" + (
            " so far" if unfinished else ""
        )
    parts = [f"no {', '.join(none)}{' yet' if unfinished else ''}"] if none else []
    if part:
        parts.append(f"{', '.join(part)} in part")
    return "; ".join(parts)


def _unscored(row: LeaderboardEntry, counts: Sequence[CauseCount]) -> UnscoredJson:
    """How many pictures have no score, and why, most frequent first."""
    causes: dict[str, int] = {}
    tasks: dict[str, dict[str, int]] = {}
    for cause_count in counts:
        causes[cause_count.cause] = causes.get(cause_count.cause, 0) + cause_count.count
        by_task = tasks.setdefault(cause_count.cause, {})
        by_task[cause_count.task] = by_task.get(cause_count.task, 0) + cause_count.count
    count = row.images - row.scored
    text = "" if not row.images else f"{100 * count / row.images:.1f}% of all {row.images:,}"
    return {
        "count": count,
        "text": f"{count:,}",
        "words": text if count else f"of all {row.images:,}",
        "causes": [
            {
                "id": cause,
                "text": f"{causes[cause]:,}",
                "name": CAUSES.get(cause, cause),
                "tasks": ", ".join(f"{task.upper()} {n:,}" for task, n in tasks[cause].items()),
            }
            for cause in sorted(causes, key=lambda cause: -causes[cause])
        ],
    }


def _states(context: Context, runs: Sequence[RunRecord]) -> dict[str, str]:
    """Whether unfinished runs are at work; only their folders know, wherever these lie."""
    states = {run.run_id: "finished" if run.items >= run.total else "" for run in runs}
    if not all(states.values()):
        for folder in context.service(RunSupervisor).folders():
            if states.get(folder.run_id) == "":
                with suppress(Exception):  # the list of runs says what is wrong with its folder
                    index = context.service(RunSupervisor).queue.position(folder.run_id)
                    states[folder.run_id] = status_of(folder, state_of(folder), index)
    return states


def progress(run: RunRecord, state: str) -> RunProgress | None:
    """How much of a run's plan is there; None for all of it."""
    if run.items >= run.total:
        return None
    percent = 100 * run.items // max(run.total, 1)
    text = f"{percent}% generated" if run.kind == "drawn" else f"{percent}% scored"
    # Of a run whose process has just ended, the last pictures are still to come in; one that was
    # brought here without its state has pictures and is no plan alone.
    status_words = STATUS_LABELS.get(state, "") if state not in ("finished", "planned") else ""
    return {
        "percent": percent,
        "words": f"{text} · {status_words}" if status_words else text,
        "title": f"{run.items:,} of {count_noun(run.total, 'image')}",
    }
