"""How a study was done, for its public page: method, participants, and whose answers count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from truehue.annotation.quality.control import LEVELS, Level
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import language_of
from truehue.annotation.studies.plan import Material, StudyPlan
from truehue.annotation.studies.survey import SurveyForm
from truehue.core.studies import EventKind, LogEntry, LogKind, State
from truehue.tabs.page.errors import count_noun
from truehue.tabs.studies.colorings.rule import SCOPES, ColoringRule
from truehue.tabs.studies.form import ASSIGNMENT_METHODS
from truehue.tabs.studies.outline import group_counts, models_of
from truehue.tabs.studies.publication.cells import listed
from truehue.tabs.studies.results_numbers import percent
from truehue.tabs.studies.survey import MIN_GROUP_PEOPLE
from truehue.tabs.studies.tables_rows import ExportData, stimuli

Fact = tuple[str, str]
"""A name and what it is."""
_TRIALS = {
    Kind.PAIRS: "Each trial showed the results of two models for one case, side by side, without the "
    "models’ names. Participants chose one",
    Kind.RATINGS: "Each trial showed one image, without the model’s name. Participants rated it from "
    "0 to 10",
    Kind.BEST_OF: "Each trial showed four images, without the models’ names. Participants chose the "
    "best",
    Kind.COLORINGS: "Each trial showed a line drawing and a concept. Participants colored the "
    "drawing",
    Kind.QUESTIONS: "Each trial showed one image with a question about it. Participants chose one of "
    "the given answers",
}
_CASES = {Kind.COLORINGS: "concept", Kind.QUESTIONS: "question"}
_STAGES = (
    (("withdrawn",), "Withdrew"),
    (("screened_out",), "Did not pass the screening"),
    (("failed_checks",), "Did not pass the attention checks or the training"),
    (("timed_out",), "Ran out of time"),
    (("enrolled", "answering"), "Did not finish"),
)
MIN_GROUP_MEDIAN = 20
"""A median of fewer numbers is close to a single person's."""
FEW, NOT_TOLD = f"fewer than {MIN_GROUP_PEOPLE}", "not shown"


@dataclass(frozen=True)
class SurveyTable:
    """What participants answered to a question about them; small counts are not told."""

    question: str
    answers: tuple[Fact, ...]


def method_facts(data: ExportData, log: Sequence[LogEntry]) -> list[Fact]:
    """How the study was done, in the order of the page."""
    plan = data.source.plan
    return [
        ("Trials", f"{_trial_text(plan)}."),
        ("Stimuli", _stimuli_text(plan)),
        ("Answers per stimulus", _answers_text(data)),
        ("Trials per participant", _length_text(plan)),
        *_checks(plan),
        ("Order", f"{ASSIGNMENT_METHODS[plan.method.value]}."),
        ("Dates", _dates_text(data, log)),
        ("Language", language_of(plan.language).english_name),
        *([("Materials", " ".join(plan.provenance))] if plan.provenance else []),
    ]


def _trial_text(plan: StudyPlan) -> str:
    text = _TRIALS[plan.kind]
    if plan.material is Material.DISTRIBUTIONS:
        text = (
            "Each trial showed people’s distribution of colors for one concept, and those of two "
            "models without their names. Participants chose one"
        )
    if plan.kind is Kind.PAIRS and plan.tie:
        text += ", or a tie"
    if plan.skip and plan.kind is not Kind.COLORINGS:
        text += ", or said that they could not tell"
    return text


def _stimuli_text(plan: StudyPlan) -> str:
    requested = {stimulus.case_id for stimulus in plan.main_stimuli}
    cases = [case for case in plan.cases if case.id in requested]
    text = count_noun(len(cases), _CASES.get(plan.kind, "case"))
    if plan.kind not in _CASES:
        models = models_of(cases)
        stimuli_count = len(plan.main_stimuli)
        noun = "stimulus" if stimuli_count == 1 else "stimuli"
        text = f"{stimuli_count:,} {noun} of {text} and {count_noun(len(models), 'model')}"
        text += f": {listed(models)}"
    groups = group_counts(case.group for case in cases)
    if len(groups) > 1:
        names = [f"{group['group'] or 'none'} {group['cases']:,}" for group in groups]
        text += f". By category: {', '.join(names)}"
    return f"{text}."


def _answers_text(data: ExportData) -> str:
    plan = data.source.plan
    counts = [row["answers"] for row in stimuli(data) if not row["training"]]
    if not counts:
        return ""
    spread = (
        f"each has {counts[0]:,}"
        if min(counts) == max(counts)
        else f"they have {min(counts):,} to {max(counts):,}, median {median(counts):g}"
    )
    return f"{plan.votes:,} wanted; {spread}, before exclusion."


def _length_text(plan: StudyPlan) -> str:
    more = [
        *([f"{plan.repeats:,} repeated"] if plan.repeats else []),
        *([count_noun(plan.attention, "attention check")] if plan.attention else []),
        *([f"{len(plan.practice.case_ids)} for practice"] if plan.practice.case_ids else []),
        *([f"{len(plan.training.keys)} for training"] if plan.training.keys else []),
    ]
    main = min(plan.trials, len(plan.main_stimuli))
    return f"Up to {main:,} main trials{''.join(f', {text}' for text in more)}."


def _checks(plan: StudyPlan) -> Iterator[Fact]:
    """What came before the trials, and what ended a participation early."""
    if plan.training.keys:
        required = (
            " Participants who did not pass could not continue." if plan.training.required else ""
        )
        yield (
            "Training",
            f"Trials with a known answer; {plan.training.needed} of {len(plan.training.keys)} right "
            f"within {count_noun(plan.training.attempts, 'round')}.{required}",
        )
    screening = plan.screening
    shown = [
        *(["color-vision plates"] if screening.plates else []),
        *(
            ["patches that show whether a screen hides dark or light differences"]
            * screening.patches
        ),
    ]
    if shown:
        limit = (
            f" At least {screening.needed_plates} plates had to be read."
            if screening.needed_plates
            else ""
        )
        patches = " Every patch had to be found." if screening.needs_patches else ""
        yield "Screening", f"{listed(shown).capitalize()}.{limit}{patches}"
    if plan.missed_checks_limit is not None:
        yield (
            "Attention checks",
            f"A participation ended after {plan.missed_checks_limit} missed checks.",
        )
    if plan.time_limit_s is not None:
        yield "Time limit", f"{plan.time_limit_s / 60:g} minutes from the consent."


def _dates_text(data: ExportData, log: Sequence[LogEntry]) -> str:
    states = [entry for entry in log if entry.kind is LogKind.STATE]
    opened = [entry.at for entry in states if entry.body["state"] == State.OPEN]
    closed = [entry.at for entry in states if entry.body["state"] == State.CLOSED]
    answers = [
        event.at
        for events in data.source.events.values()
        for event in events
        if event.kind is EventKind.ANSWER and event.at is not None
    ]
    parts = [
        *([f"Opened {_day(opened[0])}"] if opened else []),
        *([_days(min(answers), max(answers))] if answers else []),
        *([f"closed {_day(closed[-1])}"] if closed else []),
    ]
    text = ", ".join(parts)
    return f"{text[:1].upper()}{text[1:]} (UTC)."


def _days(first: datetime, last: datetime) -> str:
    if _day(first) == _day(last):
        return f"all answers on {_day(first)}"
    return f"answers from {_day(first)} to {_day(last)}"


def _day(time: datetime) -> str:
    return f"{time.day} {time:%B %Y}"


def people_facts(data: ExportData) -> list[Fact]:
    """How many took part, how their participation ended, and how many are left out and why."""
    people = data.results["people"]
    stages = Counter(person["stage"] for person in people)
    excluded = data.results["excluded"]
    facts = [("Took part", f"{len(people):,}"), ("Finished", f"{stages['finished']:,}")]
    for names, text in _STAGES:
        if count := sum(stages[name] for name in names):
            facts.append((text, f"{count:,}"))
    if data.results["erased"]:
        facts.append(("Erased at their own request", f"{data.results['erased']:,}"))
    facts.append(("Left out of the results", f"{excluded['participants']:,}"))
    facts += [
        (f"– {reason['words']}", f"{reason['participants']:,}") for reason in excluded["reasons"]
    ]
    facts.append(("In the results", f"{data.results['included']['people']:,}"))
    return facts


def survey_tables(results: Mapping[str, Any]) -> list[SurveyTable]:
    """What participants answered about themselves: no personal data, no words of theirs, and no count
    that few people make."""
    return [
        SurveyTable(item["text"], answers)
        for item in results["survey"]
        if (answers := _survey_answers(item))
    ]


def _survey_answers(item: Mapping[str, Any]) -> tuple[Fact, ...]:
    if item["form"] == SurveyForm.NUMBER:
        # Neither range nor number of answers, and no median of few: they are single people's.
        shown = item["people"] >= MIN_GROUP_MEDIAN and item["median"] is not None
        return (("Median", f"{item['median']:g}"),) if shown else ()
    counts = [count["people"] for count in item["counts"]]
    shown = public_counts(counts, single=item["form"] != SurveyForm.MULTIPLE)
    return tuple((count["text"], text) for count, text in zip(item["counts"], shown, strict=True))


def public_counts(counts: Sequence[int], single: bool = True) -> list[str]:
    """The counts of a question's answers as they are published: none that is under
    ``MIN_GROUP_PEOPLE``, 0 too. Where everybody gave a ``single`` answer, the sum of the small counts
    follows from the others and the number of participants: where that sum gives them all away, the
    smallest of the others is not published either."""
    texts = [FEW if count < MIN_GROUP_PEOPLE else f"{count:,}" for count in counts]
    others = [index for index, count in enumerate(counts) if count >= MIN_GROUP_PEOPLE]
    small = [count for count in counts if count < MIN_GROUP_PEOPLE]
    largest = (MIN_GROUP_PEOPLE - 1) * len(small)
    if single and others and small and (len(small) == 1 or sum(small) in (0, largest)):
        texts[min(others, key=lambda index: counts[index])] = NOT_TOLD
    return texts


def rule_facts(data: ExportData, colorings: ColoringRule | None) -> list[Fact]:
    """The bounds of the rule that decides whose answers count; ``colorings`` where people color."""
    facts = [
        (field["label"], f"{_bound(field['value'])}. {field['help']}")
        for field in data.results["rule_fields"]
        if field["value"] not in (None, False)
    ]
    if colorings is not None:
        facts.append(
            (
                "Reviews",
                f"{count_noun(colorings.reviewers, 'expert')} per coloring. "
                f"{SCOPES[colorings.scope]}; {percent(colorings.share)} of the concepts are flagged.",
            )
        )
        level = LEVELS[Level(colorings.level)]
        facts.append(("Colorings", f"{level[0].upper()}{level[1:]}."))
    return facts


def _bound(value: float | bool) -> str:
    return "Yes" if value is True else percent(value)
