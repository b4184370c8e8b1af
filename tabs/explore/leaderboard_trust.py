"""The leaderboard's correction for the errors of its rule: numbers, assumptions, and the errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypedDict

from truehue.core.analysis.judge_error import (
    DESCRIPTIONS,
    LACKS,
    MOVED_LIMITS,
    NAMES,
    RENDERED,
    TOO_UNCERTAIN,
    TRACED,
    Calibration,
    Corrected,
    corrected_by_run,
)
from truehue.core.analysis.leaderboard import AVERAGE, PART_NAMES, POOLED, SYSTEMS, LeaderboardEntry
from truehue.core.analysis.ranks import RankRange
from truehue.core.analysis.records import LEFT_OUT, PromptTally, RunRecord
from truehue.core.errors import BadInput
from truehue.core.ring.certified import PREFIX
from truehue.core.runs.controls import ControlSummary
from truehue.core.verdict.rules import rule
from truehue.tabs.explore.ring import certificates_of, read_ring_certificate
from truehue.tabs.page.context import Context
from truehue.tabs.sources.trust import (
    calibration_for,
    calibration_of,
    correction_text,
    no_calibration_text,
    overlap_sentence,
    rate_text,
)

OFF = "off"
MIN_MOVE = 0.1
"""In points: what moves averages by less is said not to move them."""
NOT_JUDGED = (
    "Images without a score that count as incorrect stay incorrect: the rule did not judge them, so "
    "its errors are of the others."
)
CORRECTIONS: Mapping[str, tuple[str, str]] = {
    OFF: ("off", "The share of images that the rule passes"),
    RENDERED: (NAMES[RENDERED], f"By the rule's errors on {DESCRIPTIONS[RENDERED]}"),
    TRACED: (NAMES[TRACED], f"By the rule's errors on {DESCRIPTIONS[TRACED]}"),
}


class ErrorRow(TypedDict):
    """A rule's hits and false accepts in a color system, in words."""

    name: str
    hits: str
    false_accepts: str


class CorrectionJson(TypedDict):
    """What the correction is by, what it assumes, why numbers are missing, and the errors used."""

    id: str
    lead: list[str]
    sentences: list[str]
    reasons: list[str]
    errors: list[ErrorRow]


class CorrectedJson(TypedDict):
    """A corrected accuracy beside the raw one, as text with its interval; ``reason`` why there is
    none, ``label`` the same in two words."""

    label: str
    percent: float | None
    low: float | None
    high: float | None
    text: str
    interval: str
    reason: str


def correction_choices(certified: Sequence[Calibration]) -> dict[str, tuple[str, str]]:
    """Name and title of every choice, the ring tests whose certificates are ``certified`` last."""
    tests = {
        calibration.id: (calibration.name, f"By the rule's errors on {calibration.description}")
        for calibration in certified
    }
    return {**CORRECTIONS, **tests}


def correction_of(
    context: Context, params: Mapping[str, str], rule_id: str
) -> tuple[str, list[Calibration]]:
    """The choice of a link, and the certificates of a rule that can be chosen. Raises BadInput for
    a choice that there is not, and for a ring test whose certificate is not this rule's."""
    choice = params.get("corrected") or OFF
    certified = certificates_of(context, rule_id)
    choices = correction_choices(certified)
    if choice.startswith(PREFIX) and choice not in choices:
        read_ring_certificate(context, choice.removeprefix(PREFIX), rule_id)  # says why it is not
    if choice not in choices:
        raise BadInput(f"Correct by {', '.join(choices)}, not {choice[:40]!r}.")
    return choice, certified


Ranks = Mapping[str, Mapping[str, RankRange]]
"""The ranges of ranks, by run and column."""


class Corrections:
    """The corrected accuracies of the runs of a leaderboard, by one choice and rule."""

    def __init__(
        self,
        correction: tuple[str, Sequence[Calibration]],
        rule_id: str,
        runs: Sequence[RunRecord],
        entries: Mapping[str, LeaderboardEntry],
        tallies: Iterable[PromptTally],
        settings: tuple[str, str, bool],
        controls: Mapping[str, ControlSummary] | None = None,
    ) -> None:
        """``correction``: the choice, and the certificates that can be chosen. ``settings``: the
        systems, how unscored images count, and whether limits were moved. ``controls``: the control
        images of those runs that have them."""
        systems, unscored, moved = settings
        self.systems, self.unscored = systems, unscored
        choice, self.certified = correction
        self.choice, self.rule_id, self.entries = choice, rule_id, entries
        self.controls = controls or {}
        self.reason = ""
        self.calibration: Calibration | None = None
        self.by_run: dict[str, dict[str, Corrected]] = {}
        self.left_out: dict[str, str] = {}
        if choice == OFF:
            return
        version = rule(rule_id).version
        self.calibration = calibration_of(choice, rule_id, version, self.certified)
        if self.calibration is None:
            self.reason = no_calibration_text(rule_id, version)
        elif moved:
            self.reason = MOVED_LIMITS
        if self.reason:
            return
        used: dict[str, Calibration] = {}
        for run in runs:
            scored_by = dict(run.rules).get(rule_id)
            if scored_by is not None and scored_by != version and run.run_id in entries:
                # The text speaks of one version's errors.
                self.left_out[run.run_id] = f"scored by {rule_id} {scored_by}, an earlier version"
            elif scored_by is not None and run.run_id in entries:
                calibration, reason = calibration_for(
                    choice, rule_id, run, _warns(self.controls, run.run_id), self.certified
                )
                if calibration is None:
                    self.left_out[run.run_id] = reason
                else:
                    used[run.run_id] = calibration
        self.by_run = corrected_by_run(tallies, entries, used, systems == POOLED, unscored)

    def cell(self, run_id: str, column: str, few: bool) -> CorrectedJson | None:
        """The number beside that of a run and column; None where nothing is corrected. ``few``: its
        prompts are too few, as those of the raw one."""
        result = self.by_run.get(run_id, {}).get(column)
        if result is None:
            return None
        corrected = result.percent is not None
        return {
            "label": "corrected" if corrected else _refusal(result.reason),
            "percent": result.percent,
            "low": result.low,
            "high": result.high,
            "text": f"{result.percent:.1f}" if corrected else "",
            "interval": f"{'≈' * few}{result.low:.1f}–{result.high:.1f}" if corrected else "",
            "reason": result.reason,
        }

    def view(
        self, labels: Mapping[str, str], ranks: Ranks, groups: Sequence[Sequence[RunRecord]]
    ) -> CorrectionJson:
        """The text above the table; ``ranks`` are those of the raw numbers, by run and column,
        within ``groups`` of runs."""
        corrects = self.calibration is not None and not self.reason
        lead, sentences = self.texts(labels, ranks, groups)
        return {
            "id": self.choice,
            "lead": lead,
            "sentences": sentences,
            "reasons": self._reasons(labels) if corrects else [],
            "errors": error_rows(self.calibration) if self.calibration and corrects else [],
        }

    def texts(
        self, labels: Mapping[str, str], ranks: Ranks, groups: Sequence[Sequence[RunRecord]]
    ) -> tuple[list[str], list[str]]:
        """What was done, and what it assumes."""
        if self.reason:
            return [f"Not corrected: {self.reason}."], []
        if self.calibration is None:
            return [], []
        borrowed = dict.fromkeys(
            name
            for cells in self.by_run.values()
            for cell in cells.values()
            for name in cell.borrowed
        )
        corrected = {run: self.controls[run] for run in self.by_run if run in self.controls}
        overlap = overlap_sentence(corrected, labels)
        tested = not set(borrowed).issuperset(SYSTEMS[self.systems])
        text = correction_text(self.calibration, list(borrowed), tested)
        effect = self._effect(ranks, groups)
        lead = [*([effect] if effect else []), *text.lead]
        not_judged = [] if self.unscored == LEFT_OUT else [NOT_JUDGED]
        return lead, [*text.more, *not_judged, *([overlap] if overlap else [])]

    def _effect(self, ranks: Ranks, groups: Sequence[Sequence[RunRecord]]) -> str:
        """How far it moves the averages that are shown, and whose order; empty where none is
        corrected."""
        moved = {
            run_id: (raw, cell.percent)
            for run_id, cells in self.by_run.items()
            if (cell := cells.get(AVERAGE)) is not None
            and cell.percent is not None
            and (raw := self.entries[run_id].average.percent) is not None
        }
        return effect_text(moved, ranks, [[run.run_id for run in group] for group in groups])

    def _reasons(self, labels: Mapping[str, str]) -> list[str]:
        where: dict[str, list[str]] = {}
        for run_id, reason in self.left_out.items():
            where.setdefault(reason, []).append(labels.get(run_id, run_id))
        for run_id, cells in self.by_run.items():
            by_reason: dict[str, list[str]] = {}
            for column, cell in cells.items():
                if cell.reason and column != AVERAGE:
                    by_reason.setdefault(cell.reason, []).append(column.upper())
            for reason, columns in by_reason.items():
                name = labels.get(run_id, run_id)
                where.setdefault(reason, []).append(f"{name} ({', '.join(columns)})")
        return [f"Not corrected: {'; '.join(names)}. Why: {why}." for why, names in where.items()]


def effect_text(
    moved: Mapping[str, tuple[float, float]], ranks: Ranks, groups: Sequence[Sequence[str]]
) -> str:
    """How far a correction moves averages in percent, ``moved`` from one to the other, and what that
    does to the order of the runs of each of the ``groups``; empty where none is corrected."""
    moves = sorted(after - before for before, after in moved.values())
    if not moves:
        return ""
    if max(abs(move) for move in moves) < MIN_MOVE:
        return "No average moves by 0.1 points or more."
    ends = list(dict.fromkeys(f"{move:+.1f}" for move in (moves[0], moves[-1])))
    pairs = [
        (first, second)
        for group in groups
        for first, second in combinations([run_id for run_id in group if run_id in moved], 2)
    ]
    swapped = [
        (first, second)
        for first, second in pairs
        if (moved[first][0] - moved[second][0]) * (moved[first][1] - moved[second][1]) < 0
    ]
    if not pairs:
        order = ""
    elif not swapped:
        order = " Their order stays."
    elif all(_overlap(ranks, first, second) for first, second in swapped):
        order = " Runs change places only where they were too close to call."
    else:
        order = " It changes their order; rows and ranks are those of the raw numbers."
    return f"Averages move by {' to '.join(ends)} points.{order}"


def _overlap(ranks: Ranks, first: str, second: str) -> bool:
    """Whether the ranks of two runs in the average overlap."""
    a, b = (ranks.get(run_id, {}).get(AVERAGE) for run_id in (first, second))
    return a is not None and b is not None and a.best <= b.worst and b.best <= a.worst


def _refusal(reason: str) -> str:
    """Why there is no number, in a cell's width."""
    if reason == TOO_UNCERTAIN:
        return "too uncertain"
    return f"not corrected: {reason.removeprefix(LACKS)}" if LACKS in reason else "not corrected"


def _warns(controls: Mapping[str, ControlSummary], run_id: str) -> bool:
    return run_id in controls and bool(controls[run_id].warnings)


def error_rows(calibration: Calibration) -> list[ErrorRow]:
    """The errors in every color system."""
    return [
        {
            "name": PART_NAMES.get(system, system),
            "hits": rate_text(count.hits, count.right),
            "false_accepts": rate_text(count.accepts, count.wrong),
        }
        for system, count in ((name, calibration.whole(name)) for name in calibration.systems)
    ]
