"""The leaderboard of Explore: each run's color accuracy, and the paper's Table 4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from truehue.core.analysis.leaderboard import (
    AVERAGE,
    FEW_PROMPTS,
    TABLE_TASKS,
    LeaderboardEntry,
    Rate,
    interval_text,
    n_text,
    part_note,
)
from truehue.core.analysis.records import WRONG, default_for, note_for
from truehue.core.prompts.prompt import TASKS
from truehue.core.verdict.rules import RULES, rule
from truehue.tabs.batches.queue import ACTIVE
from truehue.tabs.explore.leaderboard_csv import PublishedTable, published_view
from truehue.tabs.explore.leaderboard_rows import (
    SYSTEM_CHOICES,
    UNSCORED_CHOICES,
    LeaderboardData,
    LeaderboardGroup,
)
from truehue.tabs.explore.leaderboard_trust import CorrectionJson, correction_choices
from truehue.tabs.explore.limits import LimitsJson, limits_view
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import TitledChoice
from truehue.tabs.sources.audits import AuditStudy, audits_json
from truehue.tabs.sources.trust import RANKS, judge_note, people_text


class NamedRule(TypedDict):
    """A rule by its id and name."""

    id: str
    name: str


class KeyEntry(TypedDict):
    """What a mark in a cell of the table means."""

    mark: str
    meaning: str


class LeaderboardColumn(TypedDict):
    """A task, or the mean of all."""

    id: str
    short: str
    name: str
    example: str


GRAY = "A color system is missing or unscored, so the number enters no average and is never bold."
METHODS = "Intervals: by bootstrap over prompts, or Wilson's where all prompts score alike."
EXAMPLES = {
    "cna": "an olive book",
    "ncu": "an apple in #7842C5",
    "coa": "a pink apple on a white plate",
    "moc": "a green oven and a violet sink",
    "ica": "a red bicycle, and a car in the same color",
}
"""What a prompt of each task asks for."""


class RuleChoice(TitledChoice):
    """A rule; ``main`` ones are offered first."""

    main: bool


class LeaderboardChoices(TypedDict):
    """What the leaderboard can be set to."""

    rules: list[RuleChoice]
    systems: list[TitledChoice]
    unscored: list[TitledChoice]
    corrections: list[TitledChoice]


class Leaderboard(TypedDict):
    """The leaderboard by one rule; ``busy`` says that a run of it is at work."""

    rule: NamedRule
    systems: str
    unscored: str
    unscored_default: str
    unscored_filter: str
    unscored_note: str
    judge_note: str
    strict: bool
    columns: list[LeaderboardColumn]
    choices: LeaderboardChoices
    groups: list[LeaderboardGroup]
    limits: LimitsJson
    key: list[KeyEntry]
    about: str
    without: str
    correction: CorrectionJson
    published: PublishedTable
    busy: bool


def leaderboard_view(
    context: Context, params: Mapping[str, str], actor: Actor | None = None
) -> Leaderboard:
    """The leaderboard for ``rule``, ``systems`` and ``unscored``; accuracies by people where the
    ``actor`` may see studies.

    Raises BadInput for a choice that there is not.
    """
    data = LeaderboardData(context, params, actor)
    shown: list[LeaderboardGroup] = [
        {
            "id": group.id,
            "name": group.name,
            "words": " · ".join(filter(None, (group.words, data.outside_text(group.runs)))),
            "order": data.order_text(group.runs),
            "rows": data.rows_json(group.runs),
        }
        for group in data.board_groups
    ]
    # The errors are those of the rule's own limits.
    judge, strict = ("", False) if data.limits else judge_note(data.rule_id)
    return {
        "rule": {"id": data.rule_id, "name": rule(data.rule_id).name},
        "systems": data.systems,
        "unscored": data.unscored,
        "unscored_default": default_for(data.rule_id),
        "unscored_filter": data.filter,
        "unscored_note": note_for(data.rule_id, data.unscored),
        "judge_note": judge,
        "strict": strict,
        "columns": _columns(),
        "choices": {
            "rules": [
                {"id": entry.id, "name": entry.name, "title": entry.description, "main": entry.main}
                for entry in RULES
            ],
            "systems": _choices(SYSTEM_CHOICES),
            "unscored": _choices(UNSCORED_CHOICES),
            "corrections": _choices(correction_choices(data.correction[1])),
        },
        "groups": [*shown, *data.unread_group()],
        "limits": limits_view(data.rule_id, data.limits),
        "key": _key(data, strict),
        "about": METHODS,
        "without": data.without_text(),
        "correction": data.corrections.view(
            data.labels, data.ranks, [group.runs for group in data.board_groups]
        ),
        "published": published_view(data.runs, data.rule_id, data.systems),
        "busy": any(state in ACTIVE for state in data.states.values()),
    }


def _key(data: LeaderboardData, strict: bool) -> list[KeyEntry]:
    """What each mark in a cell means; a ``strict`` rule ranks nobody."""
    which = "the images" if data.unscored == WRONG else "the scored images"
    sample, rank = _sample(data)
    if sample is None:
        return []
    counted = sample.images if data.unscored == WRONG else sample.scored
    entries = [
        (
            f"{sample.percent:.1f}",
            f"Percent of {which} that pass. {data.means()}",
        ),
        (
            interval_text(sample, few=False),
            "95% interval: where the number may lie for all prompts of this kind. Made this way, 95 of "
            "100 intervals hold it. Errors of the rule are not in it. The line below shows it from 0 to 100; "
            "the tick is the number.",
        ),
        ("≈", f"A rough interval: a color system has fewer than {FEW_PROMPTS} prompts."),
        (
            n_text(sample, counted),
            "All images, unscored ones included."
            if data.unscored == WRONG
            else "Scored images, of all images where some are unscored. Click Unscored for the reasons.",
        ),
    ]
    bold = ["A bold number is first."] if data.leads and not strict else []
    if data.ranks:
        entries.append(
            (
                f"rank {rank or '1–2'}",
                " ".join([RANKS, *bold, "Shown in the sorted column, or in Average."]),
            )
        )
    if data.corrections.by_run:
        entries.append(
            (
                "corrected",
                "The number with the rule's errors taken out. Their uncertainty is in its interval.",
            )
        )
    if any(part_note(cell) for row in data.rows.values() for cell in row.cells.values()):
        entries.append(("gray", GRAY))
    return [{"mark": mark, "meaning": meaning} for mark, meaning in entries]


def _sample(data: LeaderboardData) -> tuple[Rate | None, str]:
    """The number that the key explains, and its ranks: the highest average, or the highest number
    where no average is."""
    averages = [(row.average, id, AVERAGE) for id, row in data.rows.items()]
    rates = [
        (cell.rate, id, task) for id, row in data.rows.items() for task, cell in row.cells.items()
    ]
    for numbers in (averages, rates):
        known = [number for number in numbers if number[0].percent is not None]
        if known:
            rate, run_id, column = max(known, key=lambda number: number[0].percent or 0.0)
            return rate, data.rank(run_id, column)
    return None, ""


def _columns() -> list[LeaderboardColumn]:
    columns: list[LeaderboardColumn] = [
        {"id": task, "short": task.upper(), "name": TASKS[task], "example": EXAMPLES[task]}
        for task in TABLE_TASKS
    ]
    columns.append(
        {"id": AVERAGE, "short": "Average", "name": "Mean of the five tasks", "example": ""}
    )
    return columns


def _choices(choices: Mapping[str, tuple[str, str]]) -> list[TitledChoice]:
    return [{"id": key, "name": name, "title": title} for key, (name, title) in choices.items()]


class RunCard(TypedDict):
    """The result of a run in a few words."""

    words: str
    title: str


class RunAudit(TypedDict):
    """How people checked a run: its studies, and the accuracy by their answers, empty before."""

    studies: list[AuditStudy]
    people: str


class RunCards(TypedDict):
    """The results by run id, and the audits of those runs that people check."""

    rule: str
    runs: dict[str, RunCard]
    audits: dict[str, RunAudit]


def cards_view(context: Context, params: Mapping[str, str], actor: Actor | None = None) -> RunCards:
    """The result of every run that has one by ``rule`` (by default the default rule): ``words`` and
    ``title`` by run id. Audits where the ``actor`` may see studies. Raises BadInput for a rule that
    there is not."""
    data = LeaderboardData(context, {"rule": params.get("rule", "")}, actor)
    cards: dict[str, RunCard] = {}
    title = f"{note_for(data.rule_id)} {data.about()}".strip()
    for run in data.runs:
        row = data.rows.get(run.run_id)
        if row is not None and (text := result_text(row)):
            cards[run.run_id] = {"words": f"{text} by {data.rule_id}", "title": title}
    by_people, name = data.people, rule(data.rule_id).name
    audits: dict[str, RunAudit] = {
        run_id: {
            "studies": studies,
            "people": people_text(by_people[run_id], name) if run_id in by_people else "",
        }
        for run_id, studies in (audits_json(context) if data.sees_studies else {}).items()
    }
    return {"rule": data.rule_id, "runs": cards, "audits": audits}


def result_text(row: LeaderboardEntry) -> str:
    """``45.7% (36.0–54.9, n 300) pass, mean of the five tasks``, or task by task where not all are
    there."""
    if row.average.percent is not None:
        few = any(cell.few for cell in row.cells.values())
        return f"{_rate(row.average, few)} pass, mean of the five tasks"
    parts = [
        f"{task.upper()} {_rate(cell.rate, cell.few)}"
        for task, cell in row.cells.items()
        if cell.rate.percent is not None
    ]
    parts += [
        f"{task} {_rate(rate)}" for task, rate in row.others.items() if rate.percent is not None
    ]
    return f"{', '.join(parts)} pass" if parts else ""


def _rate(rate: Rate, few: bool = False) -> str:
    return f"{rate.percent:.1f}% ({interval_text(rate, few)}, {n_text(rate, rate.scored)})"
