"""How far a run's accuracy can be trusted: corrected for its rule's errors, by people, and its rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from truehue.core.analysis.audit import PeopleAccuracy
from truehue.core.analysis.intervals import wilson
from truehue.core.analysis.judge_error import (
    NAMES,
    NO_CALIBRATION,
    OTHER_NEIGHBORS,
    RENDERED,
    TRACED,
    Calibration,
    read_calibrations,
)
from truehue.core.analysis.leaderboard import (
    AVERAGE,
    AVERAGED,
    PART_NAMES,
    POOLED,
    SYSTEMS,
    TABLE_TASKS,
    LeaderboardEntry,
)
from truehue.core.analysis.ranks import RankRange, column_ranks
from truehue.core.analysis.records import LEFT_OUT, WRONG, RunRecord
from truehue.core.errors import TrueHueError
from truehue.core.runs.controls import ControlSummary, controls_of
from truehue.core.runs.records import WHOLE
from truehue.core.runs.summary import masker_text
from truehue.core.verdict.rules import DEFAULT_RULE, rule
from truehue.storage.results.queries import Results
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.page.context import ROOT, Context

OTHER_MASKS = "the rule's errors are known for masks of objects, not for whole images"
BAD_CONTROLS = "its masks or presence model failed the control images (see Runs)"

_FOLDER = ROOT / "assets" / "diagnosis"


@cache
def calibrations() -> tuple[Calibration, ...]:
    """The shipped errors of the rules."""
    return read_calibrations(_FOLDER / "report.json", _FOLDER / "path_traced.json")


def calibration_of(
    choice: str, rule_id: str, version: str, certified: Sequence[Calibration] = ()
) -> Calibration | None:
    """The errors of a rule's version on the images of a choice, shipped or ``certified`` by a ring
    test; None where they are not known."""
    return next(
        (
            calibration
            for calibration in (*calibrations(), *certified)
            if (calibration.id, calibration.rule, calibration.version) == (choice, rule_id, version)
        ),
        None,
    )


def controls_by_run(context: Context, runs: Sequence[RunRecord]) -> dict[str, ControlSummary]:
    """The control images of those runs that have them, by the run's id."""
    supervisor, by_run = context.service(RunSupervisor), dict[str, ControlSummary]()
    for run in runs:
        with suppress(TrueHueError):  # of an imported run the folder may be gone
            controls = controls_of(supervisor.folder(run.run_id).path)
            if controls is not None:
                by_run[run.run_id] = controls
    return by_run


def runs_with_bad_controls(context: Context, runs: Sequence[RunRecord]) -> set[str]:
    """The runs whose control images warn of their masks or presence model."""
    controls = controls_by_run(context, runs)
    return {run_id for run_id, summary in controls.items() if summary.warnings}


EXACT_IOU = 0.995
"""Masks that overlap by this are shown as 1.00, as exact ones are."""


def overlap_sentence(controls: Mapping[str, ControlSummary], labels: Mapping[str, str]) -> str:
    """How far the masks of runs are from the exact ones that the rule's errors were counted with, by
    their control images; empty where all are exact."""
    overlaps = {
        run_id: summary.median_iou
        for run_id, summary in controls.items()
        if summary.median_iou is not None and summary.median_iou < EXACT_IOU
    }
    if not overlaps:
        return ""
    runs = "; ".join(f"{labels.get(run, run)} {iou:.2f}" for run, iou in overlaps.items())
    return (
        "The rule's errors were counted with exact masks (IoU 1). The median IoU of masks in the "
        f"control images is lower here: {runs}. What that changes is not known beyond those images."
    )


def calibration_for(
    choice: str,
    rule_id: str,
    run: RunRecord,
    bad_controls: bool = False,
    certified: Sequence[Calibration] = (),
) -> tuple[Calibration | None, str]:
    """The errors that a run's numbers are corrected by, or why there are none."""
    if run.summary["masker"]["kind"] == WHOLE:
        return None, OTHER_MASKS
    if bad_controls:
        return None, BAD_CONTROLS
    if int(run.summary["k"]):
        return None, OTHER_NEIGHBORS
    version = dict(run.rules).get(rule_id, "")
    calibration = calibration_of(choice, rule_id, version, certified)
    return calibration, "" if calibration else no_calibration_text(rule_id, version)


def no_calibration_text(rule_id: str, version: str) -> str:
    """Why a choice of images has no errors of a rule's version: they are known on others, or on
    none."""
    lights = [name for choice, name in NAMES.items() if calibration_of(choice, rule_id, version)]
    return f"the rule's errors are known {' and '.join(lights)} only" if lights else NO_CALIBRATION


def shipped(calibration: Calibration) -> bool:
    """Whether errors are shipped with TrueHue, and not of a ring test."""
    return calibration.id in NAMES


class CorrectionText(NamedTuple):
    """What a correction is, in few sentences, and what it assumes, for those who read on."""

    lead: list[str]
    more: list[str]


def correction_text(
    calibration: Calibration, borrowed: Sequence[str], tested: bool = True
) -> CorrectionText:
    """What a correction did and assumes, for people who never heard of it; ``borrowed``: the color
    systems whose errors were not counted; ``tested``: whether any other is in the numbers."""
    counts = [calibration.whole(name) for name in calibration.systems]
    whole = counts[0]
    hit, accept = 100.0 * whole.hits / whole.right, 100.0 * whole.accepts / whole.wrong
    name = PART_NAMES.get(whole.system, whole.system)
    systems = " and ".join(PART_NAMES.get(name, name) for name in calibration.systems)
    names = ", ".join(PART_NAMES.get(name, name) for name in borrowed)
    more = []
    if borrowed:
        part = ", a part of these numbers," if tested else ""
        more.append(f"{names}{part} was not tested: its errors are guessed from {systems}.")
    if calibration.id == TRACED:
        more.append("No light or wall in the test is colored: expect more errors in colored light.")
    if (calibration.id, calibration.rule) == (RENDERED, DEFAULT_RULE):
        more.append(
            f"{DEFAULT_RULE} was developed on renders in such light and hardly errs there: expect more "
            "errors on your images."
        )
    flawless = all(count.hits == count.right and not count.accepts for count in counts)
    away = (
        "; its wrong colors are near names, at least 10 ΔE00 away" if shipped(calibration) else ""
    )
    where = calibration.name if shipped(calibration) else f"of the ring test {calibration.name}"
    quoted, lights = [], []
    if shipped(calibration):
        quoted = [
            "Quote the raw number, which needs no guess at the light; a publication adds the corrected "
            "ones for both lights."
        ]
        lights = [
            "Which light? Take difficult light for photographs and for scenes with shade or highlights, "
            "plain light for flat, evenly lit renders."
        ]
    return CorrectionText(
        [
            *quoted,
            f"Of objects of known color {where}, {calibration.rule} {_errors_text(calibration)}. "
            + (
                "So no number moves."
                if flawless
                else "The corrected number takes such errors out: the share of images that have the "
                "color, if the rule errs on them as often as on those objects. High numbers rise, and "
                "low ones can fall."
            )
            + (
                " Most intervals widen: no error was seen, but a few may still occur."
                if flawless
                else " Intervals widen, because these rates are uncertain, too."
            ),
            *lights,
            "Do not compare models by corrected numbers where their images differ in light, as "
            "photographs and flat renders do.",
        ],
        [
            f"The test: {calibration.description}{away}.",
            f"Where half of a model's images have a color of {name}, {(hit + accept) / 2:.1f}% of all its images "
            "would pass. The correction works back from the share that passes to the share that has "
            "the color.",
            *more,
            "With other light, other surfaces or poor masks the rule errs more often, or less. Then let "
            "people judge a sample: Check by people in Runs, or the command truehue runs audit.",
            "The corrected interval includes the prompts and the uncertain error rates, but not a wrong "
            "choice of light.",
        ],
    )


def _errors_text(calibration: Calibration) -> str:
    """``missed 2.8% of the right colors and passed 0.8% of similar, wrong ones``, of all systems."""
    counts = [calibration.whole(name) for name in calibration.systems]
    right, wrong = (sum(count.right for count in counts), sum(count.wrong for count in counts))
    missed = 100.0 * (1 - sum(count.hits for count in counts) / right)
    passed = 100.0 * sum(count.accepts for count in counts) / wrong
    near = "similar, wrong ones" if shipped(calibration) else "wrong ones"
    return f"missed {missed:.1f}% of the right colors and passed {passed:.1f}% of {near}"


STRICT_PERCENT = 50.0
"""A rule that passes fewer of the right colors in every system is called strict."""


def judge_note(rule_id: str) -> tuple[str, bool]:
    """How often a rule errs on the images that are shipped, in a sentence, empty where that is not
    known; and whether it refuses most of the right colors even in plain light."""
    name = rule(rule_id).name
    known = {
        choice: calibration
        for choice in NAMES
        if (calibration := calibration_of(choice, rule_id, rule(rule_id).version)) is not None
    }
    if not known:
        return "", False
    such = {TRACED: " (shade, highlights)"}
    rates = [
        f"{NAMES[choice]}{such.get(choice, '')} it {_errors_text(counted)}"
        for choice, counted in known.items()
    ]
    right = sum(counted.whole(name).right for counted in known.values() for name in counted.systems)
    text = f"On {right:,} images of known color: {'; '.join(rates)}."
    plain = known.get(RENDERED)
    strict = plain is not None and all(
        100.0 * plain.whole(system).hits / plain.whole(system).right < STRICT_PERCENT
        for system in plain.systems
    )
    if strict:
        return (
            f"Rank no models by the rule {name}: it refuses most of the right colors. Choose another rule in "
            f"Settings. {text}"
        ), True
    return (
        f"The rule also errs. {text} To report a number, quote it as it is; Settings can correct it.",
        False,
    )


def rate_text(count: int, total: int) -> str:
    """``72.0% (69.5–74.2, n 1,392)`` with Wilson's interval."""
    if not total:
        return "–"
    low, high = wilson(count / total, total)
    return f"{100 * count / total:.1f}% ({low:.1f}–{high:.1f}, n {total:,})"


def people_text(people: PeopleAccuracy, rule_name: str) -> str:
    """The accuracy by people in one line."""
    return (
        f"By people: {people.percent:.1f}% of the images that {rule_name} scored have the color "
        f"({people.low:.1f}–{people.high:.1f}, {people.judged:,} of {people.images:,} judged); "
        f"{rule_name} passes {people.rule_percent:.1f}%"
    )


Shared = tuple[str, int, str, str, int, str]
"""The set's name, how many prompts, their SHA-256, what selects objects, k, the rule's version."""


def shared_by(run: RunRecord, rule_id: str) -> Shared:
    """What a run has in common with those that it may be compared with."""
    version = dict(run.rules).get(rule_id) or rule(rule_id).version
    summary = run.summary
    masks = masker_text(summary["masker"])
    prompts = str(summary.get("prompts_sha256", ""))
    return run.set_name, int(summary["prompts"]), prompts, masks, int(summary["k"]), version


def ranks_of(
    results: Results,
    rule_id: str,
    entries: Sequence[LeaderboardEntry],
    systems: str,
    unscored: str,
) -> dict[str, dict[str, RankRange]]:
    """The ranges of ranks of finished runs of the same prompts, by column and run id."""
    if len(entries) < 2:
        return {}
    counted = LEFT_OUT if unscored == WRONG else unscored
    runs = [entry.run_id for entry in entries]
    scores = results.prompt_scores(rule_id, runs, counted, unscored == WRONG)
    sizes = {(score.task, score.system): len(score.shares) for score in scores}
    columns: dict[str, list[tuple[str, str, float]]] = {}
    for task in TABLE_TASKS:
        own = [system for system in SYSTEMS[systems] if (task, system) in sizes]
        if systems == AVERAGED and not own and (task, "") in sizes:
            own = [""]
        if own:
            weights = [sizes[task, system] if systems == POOLED else 1 for system in own]
            columns[task] = [
                (task, system, weight / sum(weights))
                for system, weight in zip(own, weights, strict=True)
            ]
    if any(entry.average.percent is not None for entry in entries):
        columns[AVERAGE] = [stratum for task in columns.values() for stratum in task]
    return column_ranks(runs, scores, columns)


RANKS = (
    "The run's rank can be any of these (95%). To compare runs, go by rank and not by whether two "
    "intervals touch: ranks allow for chance in all runs of a column."
)
