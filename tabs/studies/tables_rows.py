"""The rows of a study's tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from truehue.annotation.judgments.answers import SKIP_REASONS, TIE, Answer, AnswerKind, answers_of
from truehue.annotation.screening import screening_of
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan, to_json
from truehue.annotation.studies.survey import SurveyPart, answers_in
from truehue.core.studies import PERSONAL, EventKind, ParticipantRecord, Purpose, Trial
from truehue.tabs.sources.studies import StudySource
from truehue.tabs.studies.metrics import StudyMetric
from truehue.tabs.studies.questions.results import letter_of

Json = dict[str, Any]

FREE_TEXT = ("text", "reason")
"""Words of participants in the bodies of events, who may name themselves there."""
DISPLAY = (
    "viewport",
    "screen",
    "dpr",
    "gamut",
    "touch",
    "hdr",
    "zoomed",
    "scale",
    "hidden_ms",
    "arrangement",
    "canvas",
)
"""What is kept of the facts on a display in an anonymous export."""


def chosen_of(plan: StudyPlan, trial: Trial, answer: Answer) -> str | None:
    """The model at the place that was chosen, or the text of a question's choice; None of other
    answers."""
    question = plan.question_of(trial.stimulus_id)
    source = trial.order if question is None else question.choices
    if answer.kind is not AnswerKind.PLACE or answer.value is None or not source:
        return None
    return source[answer.value]


def right_of(plan: StudyPlan, trial: Trial) -> int | None:
    """The right answer to a trial; None where there is none."""
    question = plan.question_of(trial.stimulus_id)
    return trial.expected if question is None else question.right


def share_rows(results: Json) -> Iterator[tuple[str, Json, int, None, None, str]]:
    """Measure, number, how many it is made of, neither model nor other, and the task."""
    for item in (results["overall"], *results["tasks"]):
        chance = {"value": item["chance"], "low": None, "high": None, "why": ""}
        for measure, number, source in (
            ("right", item["share"], item["answers"]),
            ("right-told", item["told"], item["right"] + item["wrong"]),
            ("chance", chance, item["answers"]),
        ):
            yield measure, number, source, None, None, item["task"]
    if (macro := results["macro"]) is not None:
        yield "right-macro", macro["share"], macro["tasks"], None, None, ""


@dataclass(frozen=True)
class ExportData:
    """A study with its results. ``personal`` keeps what names people. ``colorings`` is a
    truehue.tabs.studies.colorings.exports.ColoringExport where people color, else None."""

    source: StudySource
    metrics: tuple[StudyMetric, ...]
    results: Mapping[str, Any]
    personal: bool = False
    colorings: Any = None

    @cached_property
    def excluded(self) -> frozenset[int]:
        """The numbers of participants who are left out."""
        return frozenset(
            person["number"] for person in self.results["people"] if person["excluded"]
        )

    @cached_property
    def people(self) -> list[tuple[ParticipantRecord, list[Trial], dict[int, Answer]]]:
        """Participants with the trials that fit the plan, and the answers that stand."""
        source = self.source
        messages = []
        for participant in source.participants:
            trials = [
                trial
                for trial in source.trials.get(participant.id, ())
                if not trial.stimulus_id or trial.stimulus_id in source.plan.by_id
            ]
            values = answers_of(source.plan, trials, source.events.get(participant.id, ()))
            messages.append((participant, trials, values))
        return messages

    def case_of(self, trial: Trial) -> str | None:
        """The id of the case that a trial is about; None for an attention check."""
        stimulus = self.source.plan.by_id.get(trial.stimulus_id)
        return stimulus.case_id if stimulus else None


def study(data: ExportData) -> Iterator[Json]:
    """Settings of the plan but its cases, and the state."""
    source = data.source
    settings: Json = {
        "id": source.study.id,
        "state": source.study.state,
        "version": source.study.version,
        "created_at": source.study.created_at.isoformat(),
        "participants": len(source.participants),
        "erased": len(source.erased),
        **{
            name: value
            for name, value in to_json(source.plan).items()
            if name not in ("cases", "completion", "endings")
        },
        "rule": data.results["rule"],
    }
    if data.personal:  # who has the code is paid
        settings |= {name: to_json(source.plan)[name] for name in ("completion", "endings")}
    else:  # the text says who runs the study
        settings["consent"] = {"version": source.plan.consent.version}
    for name, value in settings.items():
        shown = value if isinstance(value, str) else _json(value)
        yield {"name": name, "value": shown}


def cases(data: ExportData) -> Iterator[Json]:
    """Cases in the order of the plan."""
    for case in data.source.plan.cases:
        yield {
            "case": case.id,
            "words": case.words,
            "group": case.group or None,
            "reference": _json(case.reference) if case.reference else None,
        }


def candidates(data: ExportData) -> Iterator[Json]:
    """Candidates in the order of the plan."""
    for case in data.source.plan.cases:
        for candidate in case.candidates:
            yield {
                "case": case.id,
                "model": candidate.model,
                "images": " ".join(candidate.image_ids),
                "weights": _json(candidate.weights) if candidate.weights else None,
            }


def stimuli(data: ExportData) -> Iterator[Json]:
    """Stimuli with how often they were shown and answered."""
    plan = data.source.plan
    served: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for _, trials, values in data.people:
        for trial in trials:
            if trial.purpose is Purpose.MAIN:
                served[trial.stimulus_id] += 1
                answered[trial.stimulus_id] += trial.position in values
    main = {stimulus.id for stimulus in plan.main_stimuli}
    for stimulus in plan.stimuli:
        yield {
            "stimulus": stimulus.id,
            "case": stimulus.case_id,
            "models": _json(stimulus.models),
            "training": stimulus.id not in main,
            "wanted": plan.votes if stimulus.id in main else 0,
            "served": served[stimulus.id],
            "answers": answered[stimulus.id],
        }


def participants(data: ExportData) -> Iterator[Json]:
    """Participants as the results have them."""
    external = (
        {participant.number: participant.external for participant in data.source.participants}
        if data.personal
        else {}
    )
    for person in data.results["people"]:
        quality, agent = person["quality"], person["agent"] or {}
        yield {
            "participant": person["number"] + 1,
            **{
                name: person[name]
                for name in ("plan_version", "language", "enrolled_at", "last_at", "stage")
            },
            **quality,
            "training": (quality["training"] or (None,))[-1],
            "too_fast": person["too_fast"] is not None,
            "agent_score": agent.get("score"),
            "agent_flagged": agent.get("flagged"),
            "agent_signs": "; ".join(agent.get("signs", ())) or None,
            "excluded": person["excluded"],
            "reasons": "; ".join(person["reasons"]) or None,
            "external": _json(external[person["number"]])
            if external.get(person["number"])
            else None,
        }


def trials(data: ExportData) -> Iterator[Json]:
    """What was shown, by participant and position."""
    for participant in data.source.participants:
        for trial in data.source.trials.get(participant.id, ()):
            index = getattr(trial, "assigned_at", participant.enrolled_at)
            yield {
                "participant": participant.number + 1,
                "position": trial.position,
                "stimulus": trial.stimulus_id or None,
                "case": data.case_of(trial),
                "purpose": trial.purpose,
                "models": _json(trial.order),
                "propensity": trial.propensity,
                "original": trial.original,
                "expected": trial.expected,
                "assigned_at": index.isoformat(),
            }


def events(data: ExportData) -> Iterator[Json]:
    """What participants did, by participant and number."""
    for participant in data.source.participants:
        for event in data.source.events.get(participant.id, ()):
            yield {
                "participant": participant.number + 1,
                "number": event.number,
                "kind": event.kind,
                "position": event.position,
                "body": _json(body_of(event.body, data.personal)),
                "client_ms": event.client_ms,
                "at": event.at.isoformat() if event.at else None,
            }


def body_of(body: Mapping[str, Any], personal: bool) -> Json:
    """What a page sent with an event; without free text, and without facts on the display that
    nobody has asked for, unless ``personal``."""
    if personal:
        return dict(body)
    public_fields = {
        name: value
        for name, value in body.items()
        if name != PERSONAL and (name not in FREE_TEXT or value in SKIP_REASONS)
    }
    display = public_fields.get("display")
    if isinstance(display, Mapping):
        public_fields["display"] = {
            name: value for name, value in display.items() if name in DISPLAY
        }
    return public_fields


def answers(data: ExportData) -> Iterator[Json]:
    """The answers that stand, by participant and position."""
    plan = data.source.plan
    for participant_record, given_trials, values in data.people:
        for trial in given_trials:
            answer = values.get(trial.position)
            if answer is None:
                continue
            case = data.case_of(trial)
            yield {
                "participant": participant_record.number + 1,
                "position": trial.position,
                "stimulus": trial.stimulus_id or None,
                "case": case,
                "group": (plan.case_by_id[case].group or None) if case else None,
                "purpose": trial.purpose,
                "kind": answer.kind,
                "value": answer.value,
                "chosen": chosen_of(plan, trial, answer),
                "response_ms": answer.response_ms,
                "revisions": answer.revisions,
                "right": None
                if (known := right_of(plan, trial)) is None
                else answer.value == known,
                "excluded": participant_record.number in data.excluded,
            }


def votes(data: ExportData) -> Iterator[Json]:
    """The votes of a study of pairs, by participant and position."""
    plan = data.source.plan
    if plan.kind is not Kind.PAIRS:
        return
    for participant_record, given_trials, values in data.people:
        index = {event.id: event.at for event in data.source.events.get(participant_record.id, ())}
        for trial in given_trials:
            answer = values.get(trial.position)
            if trial.purpose is not Purpose.MAIN or answer is None:
                continue
            if answer.kind is AnswerKind.SKIP:
                continue
            case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
            stored_at = index[answer.event_id]
            yield {
                "participant": participant_record.number + 1,
                "position": trial.position,
                "case": case.id,
                "group": case.group or None,
                "left": trial.order[0],
                "right": trial.order[1],
                "winner": TIE or None if answer.value is None else trial.order[answer.value],
                "outcome": "tie" if answer.value is None else ("left", "right")[answer.value],
                "response_ms": answer.response_ms,
                "at": stored_at.isoformat() if stored_at else None,
                "excluded": participant_record.number in data.excluded,
            }


def screening(data: ExportData) -> Iterator[Json]:
    """Plates and patches of those who were screened."""
    for participant in data.source.participants:
        events = data.source.events.get(participant.id, ())
        if seen := screening_of(data.source.plan, participant.number, events):
            yield {
                "participant": participant.number + 1,
                **seen,
                "misread": " ".join(seen["misread"]) or None,
            }


def survey(data: ExportData) -> Iterator[Json]:
    """Answers of participants to the questions about them; what is personal only where that was
    asked for."""
    plan = data.source.plan.survey
    for participant in data.source.participants:
        bodies = [
            body_of(event.body, data.personal)
            for event in data.source.events.get(participant.id, ())
            if event.kind is EventKind.SURVEY
        ]
        values = answers_in(plan, bodies)
        for part in SurveyPart:
            for item in plan.part(part):
                if (value := values.get(item.id)) is not None:
                    yield {
                        "participant": participant.number + 1,
                        "part": part,
                        "item": item.id,
                        "question": item.text,
                        "form": item.form,
                        "value": _json(value),
                        "answer": item.text_of(value),
                        "excluded": participant.number in data.excluded,
                    }


def metrics(data: ExportData) -> Iterator[Json]:
    """Every metric of every candidate that it could be of."""
    for metric in data.metrics:
        for case in data.source.plan.cases:
            for model in case.models:
                value = metric.values.get((case.id, model))
                yield {
                    "case": case.id,
                    "model": model,
                    "metric": metric.id,
                    "name": metric.name,
                    "unit": metric.unit,
                    "value": -value if metric.turned and value is not None else value,
                    "turned": metric.turned,
                    "source": metric.source,
                }


def results(data: ExportData) -> Iterator[Json]:
    """The numbers of the results in long form."""
    for over in ("everybody", "included"):
        for row in _of_summary(data.results[over]):
            yield {"over": over, **row, "people": data.results[over]["people"]}


def _of_summary(summary: Json) -> Iterable[Json]:
    yield from (_strength(strength, "") for strength in summary["strengths"])
    for group in summary["groups"]:
        yield from (_strength(strength, group["group"]) for strength in group["strengths"])
    for rate in (*summary["win_rates"], *summary["against"]):
        source = rate["wins"] + rate["losses"] + rate["ties"]
        yield _row("win-rate", rate["rate"], source, rate["model"], rate.get("other"))
    for rating in summary["ratings"]:
        yield _row("rating", rating["mean"], rating["ratings"], rating["model"])
    for choice in summary["first_choices"]:
        yield _row("first-choice", choice["share"], choice["shown"], choice["model"])
    for group in summary["by_group"]:
        yield from _of_group(group)
    if summary["questions"] is not None:
        yield from (_row(*row) for row in share_rows(summary["questions"]))
    if (side := summary["side_bias"]) is not None:
        yield _row("side", side["left_share"], side["left"] + side["right"])
    agreement = summary["agreement"]
    for name in ("observed", "kappa"):
        yield _row(name, agreement[name], agreement["items"])
    yield _row("alpha", agreement["alpha"], agreement["alpha_items"])
    if summary["ratings"]:
        inter_rater = agreement["inter_rater_spearman"], agreement["inter_rater_items"]
        yield _row("inter-rater-spearman", *inter_rater)
    validation = summary["validation"]
    for row in validation["rows"]:
        yield from _validated(row, "")
    for group in validation["groups"]:
        for row in group["rows"]:
            yield from _validated(row, group["group"])


def _strength(record: Json, group: str) -> Json:
    return _row("strength", record["strength"], record["votes"], record["model"], group=group)


def _of_group(group: Json) -> Iterator[Json]:
    name = group["group"]
    for rate in group["win_rates"]:
        source = rate["wins"] + rate["losses"] + rate["ties"]
        yield _row("win-rate", rate["rate"], source, rate["model"], group=name)
    for rating in group["ratings"]:
        yield _row("rating", rating["mean"], rating["ratings"], rating["model"], group=name)
    for choice in group["first_choices"]:
        yield _row("first-choice", choice["share"], choice["shown"], choice["model"], group=name)
    yield _row("alpha", group["alpha"], group["answers"], group=name)


def _validated(row: Json, group: str) -> Iterator[Json]:
    for name in ("pearson", "spearman", "kendall", "agreement", "agreement_decided"):
        if row.get(name) is not None:
            yield _row(name.replace("_", "-"), row[name], row["pairs"], row["metric"], group=group)


def _row(
    measure: str,
    number: Json,
    total: int,
    model: str | None = None,
    other: str | None = None,
    group: str = "",
) -> Json:
    return {
        "measure": measure,
        "group": group or None,
        "model": model,
        "other": other or None,
        "value": number["value"],
        "low": number["low"],
        "high": number["high"],
        "number": total,
        "why": number["why"] or None,
    }


def questions(data: ExportData) -> Iterator[Json]:
    """Questions in the order of the plan, with how often each choice was taken."""
    everybody, included = (
        data.results[over]["questions"]["answers"] for over in ("everybody", "included")
    )
    for case in data.source.plan.cases:
        question = case.question
        if question is None:
            continue
        letters = [letter_of(question.form, index) for index in range(len(question.choices))]
        yield {
            "case": case.id,
            "question": question.question_id,
            "task": case.group,
            "words": case.words,
            "form": question.form,
            "choices": _by_letter(letters, question.choices),
            "right": letters[question.right],
            "image": question.image_id,
            "answers": _by_letter(letters, everybody[case.id]["counts"]),
            "skips": everybody[case.id]["skips"],
            "answers_included": _by_letter(letters, included[case.id]["counts"]),
            "skips_included": included[case.id]["skips"],
        }


def _by_letter(letters: Sequence[str], values: Sequence[Any]) -> str:
    return json.dumps(dict(zip(letters, values, strict=True)), ensure_ascii=False)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
