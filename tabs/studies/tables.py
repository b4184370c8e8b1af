"""The tables of a study, for exports: the one list that files and codebook are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from truehue.annotation.judgments.resampling import FEW_PEOPLE
from truehue.core.export.columns import NUMBER, TEXT, TRUTH, WHOLE, Column
from truehue.core.studies import EventKind, Purpose
from truehue.tabs.studies.tables_rows import (
    ExportData,
    answers,
    candidates,
    cases,
    events,
    metrics,
    participants,
    results,
    screening,
    stimuli,
    study,
    trials,
    votes,
)

Row = Mapping[str, Any]

_SHARE = "share, 0 to 1"
_MS = "milliseconds"
_TIME = "ISO 8601, UTC"
_JSON = "JSON"
PLAN, PERSON, SHOWN, DONE, COMPUTED = (
    "the plan",
    "the participant",
    "the trial",
    "the participant's page",
    "TrueHue's analysis",
)


@dataclass(frozen=True)
class StudyTable:
    """One table: what a row is, its columns, and the rows."""

    name: str
    title: str
    row: str
    columns: tuple[Column, ...]
    rows: Callable[[ExportData], Iterable[Row]]


def _text(name: str, source: str, meaning: str, unit: str = "", **more: Any) -> Column:
    return Column(name, TEXT, source, meaning, unit, **more)


def _whole(name: str, source: str, meaning: str, unit: str = "", **more: Any) -> Column:
    return Column(name, WHOLE, source, meaning, unit, **more)


def _number(name: str, source: str, meaning: str, unit: str = "", **more: Any) -> Column:
    return Column(name, NUMBER, source, meaning, unit, **more)


def _truth(name: str, source: str, meaning: str, **more: Any) -> Column:
    return Column(name, TRUTH, source, meaning, "", **more)


_PARTICIPANT = _whole(
    "participant",
    PERSON,
    "The participant's number by order of enrolment, as the page calls them.",
    "1 upward",
    always=True,
)
_POSITION = _whole("position", SHOWN, "Place of the trial in its order of serving.", "0 upward")
_CASE = _text("case", PLAN, "Id of the case: a concept or a prompt.")
_MODEL = _text("model", PLAN, "The model that the candidate is of.", always=True)
_STIMULUS = _text("stimulus", PLAN, "Id of the stimulus: the case with the models that it shows.")
_PURPOSE = _text(
    "purpose",
    SHOWN,
    "Why the trial is there. Only main trials count as answers.",
    allowed=tuple(Purpose),
    always=True,
)
_EXCLUDED = _truth(
    "excluded",
    COMPUTED,
    "Whether the participant is excluded by the rule or by a decision. This table contains "
    "everyone.",
    always=True,
)
_GROUP = _text("group", PLAN, "Group for separate results, such as the category of a concept.")

TABLES: tuple[StudyTable, ...] = (
    StudyTable(
        "study",
        "The plan and the state",
        "a setting",
        (
            _text("name", PLAN, "The setting.", always=True),
            _text("value", PLAN, "Its value; lists and objects are JSON."),
        ),
        study,
    ),
    StudyTable(
        "cases",
        "The cases of the study",
        "a case",
        (
            Column("case", TEXT, PLAN, "Id of the case: a concept or a prompt.", always=True),
            _text("words", PLAN, "What people read.", always=True),
            _GROUP,
            _text(
                "reference",
                PLAN,
                "People's distribution over the 71 bins of UW-71: a list of 71 shares.",
                _JSON,
            ),
        ),
        cases,
    ),
    StudyTable(
        "candidates",
        "Candidates that models produced for the cases",
        "a case and a model",
        (
            Column("case", TEXT, PLAN, "Id of the case.", always=True),
            _MODEL,
            _text(
                "images", PLAN, "Ids of its images (SHA-256 of the pixels), with spaces between."
            ),
            _text("weights", PLAN, "Its distribution over UW-71: a list of 71 shares.", _JSON),
        ),
        candidates,
    ),
    StudyTable(
        "stimuli",
        "Stimuli of the trials",
        "a stimulus",
        (
            Column("stimulus", TEXT, PLAN, "Id of the stimulus.", always=True),
            Column("case", TEXT, PLAN, "Id of the case.", always=True),
            _text("models", PLAN, "The models, in no one's order: a list.", _JSON, always=True),
            _truth("training", PLAN, "Whether it is shown in training only.", always=True),
            _whole("wanted", PLAN, "Answers that make the study complete.", "answers", always=True),
            _whole(
                "served", SHOWN, "How often it was shown as a main trial.", "trials", always=True
            ),
            _whole("answers", DONE, "Answers to main trials that stand.", "answers", always=True),
        ),
        stimuli,
    ),
    StudyTable(
        "participants",
        "Participants and the quality of their answers",
        "a participant",
        (
            _PARTICIPANT,
            _whole("plan_version", PLAN, "Version of the plan that was served.", always=True),
            _text("language", PERSON, "Language of the page.", "BCP 47", always=True),
            _text("enrolled_at", PERSON, "When they joined.", _TIME, always=True),
            _text("last_at", PERSON, "When they were last active.", _TIME, always=True),
            _text(
                "stage",
                PERSON,
                "Status of their participation.",
                allowed=("enrolled", "answering", "finished", "withdrawn"),
                always=True,
            ),
            _whole("answered", COMPUTED, "Main trials with an answer.", "trials", always=True),
            _whole("trials", SHOWN, "Main trials that they were given.", "trials", always=True),
            _whole(
                "planned",
                COMPUTED,
                "Main trials that they get in the end; more than were given where these come in "
                "batches and they left.",
                "trials",
                always=True,
            ),
            _number("attention", COMPUTED, "Attention checks passed.", _SHARE),
            _number(
                "consistency",
                COMPUTED,
                "Repeated trials with the same answer, with sides swapped.",
                _SHARE,
            ),
            _number("fast", COMPUTED, "Main answers under 400 ms.", _SHARE),
            _number("one_side", COMPUTED, "Main answers at the most chosen place.", _SHARE),
            _number("skipped", COMPUTED, "Main trials answered by a skip.", _SHARE),
            _number("median_ms", COMPUTED, "Median response time of main answers.", _MS),
            _number("training", COMPUTED, "Training answered right in the last round.", _SHARE),
            _number("plates", COMPUTED, "Color-vision plates read right.", _SHARE),
            _truth(
                "screen", COMPUTED, "Whether the darkest and lightest patches were distinguished."
            ),
            _truth(
                "too_fast",
                COMPUTED,
                "Whether all answers took less than a second each, by the server's clock from "
                "coming in to finishing: their completion code was withheld.",
            ),
            _EXCLUDED,
            _text("reasons", COMPUTED, "Reasons for exclusion, separated by semicolons."),
            _text(
                "external",
                PERSON,
                "What a recruiting site calls them. Personal data: empty in an anonymous export.",
                _JSON,
            ),
        ),
        participants,
    ),
    StudyTable(
        "trials",
        "All trials shown, with or without an answer",
        "a trial",
        (
            _PARTICIPANT,
            _POSITION,
            _STIMULUS,
            _CASE,
            _PURPOSE,
            _text("models", SHOWN, "The models from left to right, then down: a list.", _JSON),
            _number(
                "propensity",
                SHOWN,
                "Probability with which this stimulus was chosen among those that could have been.",
                _SHARE,
                always=True,
            ),
            _whole("original", SHOWN, "Position of the trial that this one repeats."),
            _whole("expected", SHOWN, "The position (from 0) or rating that the trial required."),
            _text("assigned_at", SHOWN, "When it was written down, before it was shown.", _TIME),
        ),
        trials,
    ),
    StudyTable(
        "events",
        "All participant events, in order",
        "an event",
        (
            _PARTICIPANT,
            _whole(
                "number", DONE, "Counts within the participant by order of storing.", always=True
            ),
            _text("kind", DONE, "What it is.", allowed=tuple(EventKind), always=True),
            _POSITION,
            _text(
                "body",
                DONE,
                "What the page sent. Free text of participants is left out of anonymous exports: "
                "people may name themselves in it.",
                _JSON,
                always=True,
            ),
            _whole("client_ms", DONE, "Clock of the page, since 1970.", _MS, always=True),
            _text("at", DONE, "When it was stored.", _TIME, always=True),
        ),
        events,
    ),
    StudyTable(
        "answers",
        "Final answers to all trials",
        "an answer",
        (
            _PARTICIPANT,
            _POSITION,
            _STIMULUS,
            _CASE,
            _GROUP,
            _PURPOSE,
            _text(
                "kind",
                DONE,
                "What was answered.",
                allowed=("place", "tie", "skip", "rating", "coloring"),
                always=True,
            ),
            _whole("value", DONE, "The place from 0, or the rating, 0 to 10."),
            _text("chosen", DONE, "The model at the chosen place, or the text of the choice."),
            _number(
                "response_ms",
                DONE,
                "From the moment that everything was on the screen to the answer.",
                _MS,
                always=True,
            ),
            _whole("revisions", DONE, "Earlier answers that were undone.", always=True),
            _truth(
                "right",
                COMPUTED,
                "Of questions, and of trials with a known answer: whether that was given.",
            ),
            _EXCLUDED,
        ),
        answers,
    ),
    StudyTable(
        "votes",
        "Votes of a study of pairs: main answers without skips",
        "a vote",
        (
            _PARTICIPANT,
            _POSITION,
            Column("case", TEXT, PLAN, "Id of the case.", always=True),
            _GROUP,
            _text("left", SHOWN, "The model at the first place.", always=True),
            _text("right", SHOWN, "The model at the second place.", always=True),
            _text("winner", DONE, "The model that was chosen, empty for a tie."),
            _text(
                "outcome",
                DONE,
                "The side that was chosen.",
                allowed=("left", "right", "tie"),
                always=True,
            ),
            _number("response_ms", DONE, "Time to the answer.", _MS, always=True),
            _text("at", DONE, "When the answer was stored.", _TIME, always=True),
            _EXCLUDED,
        ),
        votes,
    ),
    StudyTable(
        "screening",
        "Color-vision and screen checks",
        "a participant who was screened",
        (
            _PARTICIPANT,
            _whole("shown", SHOWN, "Color-vision plates shown.", "plates", always=True),
            _whole("read", COMPUTED, "Plates read right.", "plates", always=True),
            _text("misread", COMPUTED, "Axes of the plates that were not read, with spaces."),
            _truth("dark", COMPUTED, "Whether the darkest patch was found."),
            _truth("light", COMPUTED, "Whether the lightest patch was found."),
        ),
        screening,
    ),
    StudyTable(
        "metrics",
        "Metric values of the candidates, as compared with people",
        "a case, a model and a metric",
        (
            Column("case", TEXT, PLAN, "Id of the case.", always=True),
            _MODEL,
            _text("metric", COMPUTED, "Id of the metric.", always=True),
            _text("name", COMPUTED, "What the metric is called.", always=True),
            _text("unit", COMPUTED, "Unit of the number."),
            _number(
                "value",
                COMPUTED,
                "The number, turned so that more is better: where less is better, its negative. "
                "Empty where there is none.",
            ),
            _text("source", COMPUTED, "Where the metric is from."),
        ),
        metrics,
    ),
    StudyTable(
        "results",
        "Results with all participants, and after exclusion",
        "a number",
        (
            _text(
                "over", COMPUTED, "Whose answers.", allowed=("everybody", "included"), always=True
            ),
            _text(
                "measure",
                COMPUTED,
                "What the number is: strength (logits, 0 the mean, MAP under N(0, 5²)), win-rate, "
                "rating (0 to 10), first-choice (share of those shown), side (share of the first "
                "place), observed (share), kappa, alpha, pearson, spearman, kendall, agreement "
                "(share), agreement-decided (share); of questions right (share of all answers), "
                "right-told (of those that are no skip), right-macro (mean of the tasks), chance "
                "(share).",
                always=True,
            ),
            _GROUP,
            _text("model", COMPUTED, "The model, or the metric for what metrics are compared by."),
            _text("other", COMPUTED, "The model that it was compared with; empty for all."),
            _number("value", COMPUTED, "The number."),
            _number("low", COMPUTED, "Lower bound of its 95% interval."),
            _number("high", COMPUTED, "Upper bound of its 95% interval."),
            _whole("number", COMPUTED, "Votes, answers or pairs that it is made of."),
            _whole(
                "people",
                COMPUTED,
                f"Participants whose answers it all rests on: intervals of fewer than {FEW_PEOPLE} "
                "are likely too narrow.",
                "participants",
                always=True,
            ),
            _text("why", COMPUTED, "Why there is no number or no interval."),
        ),
        results,
    ),
)
"""In the order of the codebook."""
