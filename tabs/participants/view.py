"""The state of a participant's page as JSON. It never has the names of models, the correct answers,
or the ids that images have elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NotRequired, TypedDict
from urllib.parse import quote

import anyio

from truehue.annotation.assignment.assign import length_of
from truehue.annotation.assignment.endings import rounds
from truehue.annotation.judgments.answers import AnswerKind
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.languages import language_of
from truehue.annotation.studies.plan import (
    RATING_STEPS,
    Completion,
    Consent,
    Ending,
    Material,
    StudyPlan,
)
from truehue.annotation.studies.survey import Survey, SurveyPart
from truehue.core.color.uw71 import uw71
from truehue.core.studies import Purpose, State, Trial
from truehue.tabs.participants.canvas import check_reopening
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.reading import Refusal, participant_id_of
from truehue.tabs.participants.session import ParticipantSession, Stage, TrainingState

SIDES = (256, 384, 512, 768, 1024, 1536)
"""Longer sides in pixels to which images are scaled down for pages."""
_DIGITS = 5

Drawn = Mapping[int, Sequence[Mapping[str, Any]]]
"""What was done on the canvas of some trials, by position."""


class RatingScale(TypedDict):
    """The steps of a rating."""

    steps: int


class PracticeSetting(TypedDict):
    """How many sketches a practice has, and who reviews it."""

    count: int
    review: str


class ColoringExample(TypedDict):
    """A good or a bad coloring in the instructions."""

    text: str
    good: bool
    image_id: str


class StudyOnPage(TypedDict):
    """A study as its participants see it; studies of colorings have practice and examples."""

    title: str
    kind: str
    material: str
    question: str
    instructions: str
    intro: str
    outro: str
    tie: bool
    skip: bool
    consent: Consent
    returns_after_s: int | None
    time_limit_s: int | None
    record_input: bool
    screens_out: bool
    survey: Survey
    language: str
    wording: dict[str, str]
    rating: RatingScale | None
    places: int
    practice: NotRequired[PracticeSetting]
    examples: NotRequired[list[ColoringExample]]
    reference_image: NotRequired[bool]
    keep_color: NotRequired[bool]
    state: NotRequired[str]


class PracticeProgress(TypedDict):
    """How far a practice is; ``reason`` says why it has to be repeated."""

    stage: str
    reason: str
    rounds: int


class EndingPage(TypedDict):
    """What a participant gets at an ending: ``text`` below the page's own words, the ``code`` for the
    recruiting site, and the return URL."""

    text: str
    code: str
    url: str


class ParticipantJson(EndingPage):
    """How far a participant is, with what they get once their participation has ended."""

    id: str
    number_of_trials: int
    positions_answered: list[int]
    stage: str
    language: str
    withheld: bool
    surveyed: list[str]
    plates: int
    patches: list[str]
    training: TrainingState | None
    practice: NotRequired[PracticeProgress]


class TrialJson(TypedDict):
    """What every trial has."""

    position: int
    practice: bool
    words: str


class SketchSize(TypedDict):
    """A sketch that is colored; ``closing`` is the width of gaps that a fill does not pass."""

    id: str
    width: int
    height: int
    closing: int


class SketchTrial(TrialJson):
    """A sketch to color, with what was done on it; ``original`` is the trial that it repeats."""

    original: int | None
    group: str
    ask_background: bool
    sketch: SketchSize
    actions: list[Mapping[str, Any]]


class ColoredSketch(SketchTrial):
    """A sketch that somebody has colored; ``changeable``: it may be opened again."""

    changeable: bool


class QuestionTrial(TrialJson):
    """A question about an image; a check of attention has neither."""

    form: str
    choices: list[str]
    image: str


class TrialCandidate(TypedDict):
    """A candidate of a trial: its images, or its distribution."""

    images: list[str]
    weights: list[float] | None


class ChoiceTrial(TrialJson):
    """Candidates to compare or rate; a check of attention has none."""

    places: list[TrialCandidate]
    reference: list[float] | None


AnyTrial = SketchTrial | QuestionTrial | ChoiceTrial


class ParticipantState(TypedDict):
    """All that a page needs; ``returning`` is somebody who is known by their link alone.
    ``endings`` are what people get who are no participants, by names of :class:`Ending`."""

    study: StudyOnPage
    colors: list[str]
    sides: list[int]
    preview: bool
    returning: bool
    participant: ParticipantJson | None
    trials: Sequence[AnyTrial]
    endings: dict[str, EndingPage]


def state_json(
    live_study: LiveStudy,
    session: ParticipantSession | None,
    returning: ParticipantSession | None = None,
    sketches: Drawn | None = None,
    external: Mapping[str, str] | None = None,
) -> ParticipantState:
    """All that a page needs: the study, the participant, and the trials that wait.

    ``external`` is what a recruiting site calls somebody who is no participant yet.
    ``returning`` is the seat of somebody who is known by their link, but not yet by this browser.
    ``sketches`` is what :func:`started_sketches` gives.
    """
    plan = session.plan if session is not None else live_study.plan()
    return {
        "study": {
            **_study_json(live_study, plan),
            "state": live_study.state_for(session or returning).value,
        },
        "colors": [bin.hex for bin in uw71()] if plan.material is Material.DISTRIBUTIONS else [],
        "sides": list(SIDES),
        "preview": live_study.book.preview,
        "returning": returning is not None,
        "participant": None if session is None else participant_json(live_study, session),
        "trials": [] if session is None else waiting_json(live_study, session, sketches or {}),
        "endings": {}
        if session or returning
        else outside_endings(live_study, plan, external or {}),
    }


async def started_sketches(live_study: LiveStudy, session: ParticipantSession) -> Drawn:
    """The actions of the sketches that were begun and wait, and of the one that was finished last:
    the page goes on with them."""
    return await actions_at(
        live_study, session, session.canvases.started_positions(_shown(session))
    )


async def actions_at(
    live_study: LiveStudy, session: ParticipantSession, positions: Sequence[int]
) -> Drawn:
    """The actions of these trials."""
    if not positions:
        return {}
    return await anyio.to_thread.run_sync(live_study.book.actions, session.person.id, positions)


def ending_page(completion: Completion, external: Mapping[str, str]) -> EndingPage:
    """What a participant gets at an ending, with the return URL filled in; ``external`` is what a recruiting
    site calls them."""
    url = completion.url if completion.url.startswith(("https://", "http://")) else ""
    for name, value in (("{code}", completion.code), ("{id}", participant_id_of(external))):
        url = url.replace(name, quote(value, safe=""))
    return {"text": completion.text, "code": completion.code, "url": url}


def outside_endings(
    live_study: LiveStudy, plan: StudyPlan, external: Mapping[str, str]
) -> dict[str, EndingPage]:
    """What those get who are no participants: who does not agree, and who finds no place."""
    endings = [Ending.NO_CONSENT]
    if plan.completion_of(Ending.FULL) != Completion() and (
        live_study.study.state is State.CLOSED or live_study.full(live_study.now())
    ):
        endings.append(Ending.FULL)
    return {name.value: ending_page(plan.completion_of(name), external) for name in endings}


def participant_json(live_study: LiveStudy, session: ParticipantSession) -> ParticipantJson:
    """How far somebody is, and what they get at the end once they are there: no code and no return
    URL where they were faster than anybody can be (``withheld``)."""
    plan, now = session.plan, live_study.now()
    stage, ending = session.stage(now), session.ended
    is_over = not live_study.takes_answers(session)
    if session.through:
        # The code is for the whole study, its last questions included.
        ending = None if session.lacks(SurveyPart.AFTER) and not is_over else Ending.COMPLETED
        if is_over:
            stage = Stage.FINISHED  # they need not press Finish, and cannot any more
    elif ending is None and session.is_late(now):
        ending = Ending.TIMED_OUT
    elif ending is None and is_over:
        ending = Ending.FULL
    completion = plan.completion_of(ending) if ending else Completion()
    withheld = bool(
        ending is Ending.COMPLETED and session.too_fast and (completion.code or completion.url)
    )
    back = ending_page(
        replace(completion, code="", url="") if withheld else completion, session.person.external
    )
    participant: ParticipantJson = {
        "id": session.person.id,
        "number_of_trials": len(session.trials)
        if session.done
        else length_of(plan, session.trials),
        "positions_answered": list(session.answers),  # in the order of answering
        "stage": stage.value,
        "language": session.person.language,
        "text": back["text"],
        "code": back["code"],
        "url": back["url"],
        "withheld": withheld,
        "surveyed": sorted(session.surveyed),
        "plates": len(session.plates),
        "patches": [patch.name for patch in session.patches],
        "training": session.training(),
    }
    if plan.kind is Kind.COLORINGS:
        participant["practice"] = _practice_json(session)
    return participant


def waiting_json(
    live_study: LiveStudy, session: ParticipantSession, sketches: Drawn
) -> Sequence[AnyTrial]:
    """The trials without an answer, and the one that was answered last: it can be taken back."""
    wanted = _shown(session)
    trials = [trial for trial in session.trials if trial.position in wanted]
    return trials_json(live_study, session.plan, trials, sketches)


def glance_json(live_study: LiveStudy, session: ParticipantSession) -> list[ColoredSketch]:
    """The sketches that somebody has colored, practice aside, to look at before the end; none once
    the participation is over."""
    if session.done or not session.consented or session.plan.kind is not Kind.COLORINGS:
        return []
    return [
        {
            **_sketch_json(live_study, session.plan, trial, {}),
            "changeable": _is_changeable(session, trial),
        }
        for trial in session.trials
        if trial.purpose is not Purpose.TRAINING
        and (answer := session.answers.get(trial.position)) is not None
        and answer.kind is AnswerKind.COLORING
    ]


def _is_changeable(session: ParticipantSession, trial: Trial) -> bool:
    try:
        check_reopening(session.plan, session.trials, session.marks, trial.position)
    except Refusal:
        return False
    return True


def trials_json(
    live_study: LiveStudy, plan: StudyPlan, trials: Sequence[Trial], sketches: Drawn | None = None
) -> Sequence[AnyTrial]:
    """Trials as they are shown. A repeat of a stimulus looks like any other."""
    if plan.kind is Kind.COLORINGS:
        return [_sketch_json(live_study, plan, trial, sketches or {}) for trial in trials]
    return [_trial_json(live_study, plan, trial) for trial in trials]


def _shown(session: ParticipantSession) -> set[int]:
    """The positions that a page is told of."""
    if session.done or not session.consented:
        return set()
    wanted = set(session.open_positions)
    if session.answers:
        wanted.add(next(reversed(session.answers)))
    return wanted


def _sketch_json(
    live_study: LiveStudy, plan: StudyPlan, trial: Trial, sketches: Drawn
) -> SketchTrial:
    case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
    sketch = live_study.sketches.get(case.sketch)
    return {
        "position": trial.position,
        "practice": trial.purpose is Purpose.TRAINING,
        "original": trial.original,
        "words": case.words,
        "group": case.group,
        "ask_background": bool(plan.ask_background) and plan.watches_background(case),
        "sketch": {
            "id": case.sketch,
            "width": sketch.width if sketch else 0,
            "height": sketch.height if sketch else 0,
            "closing": sketch.closing if sketch else 0,
        },
        "actions": list(sketches.get(trial.position, ())),
    }


def _practice_json(session: ParticipantSession) -> PracticeProgress:
    state = session.practice
    trials = rounds(session.plan, session.trials) if session.plan.practice.case_ids else []
    return {"stage": state.stage.value, "reason": state.reason, "rounds": len(trials)}


def attention_text(plan: StudyPlan, expected: int) -> str:
    """What a check of attention says: which place, letter or rating is to be chosen."""
    ratings = plan.kind is Kind.RATINGS
    name = "attention_rating" if ratings else "attention_place"
    text = dict(plan.wording).get(name) or language_of(plan.language).votes[name]
    index = chr(ord("A") + expected) if plan.kind is Kind.QUESTIONS else expected + 1
    return text.replace("{n}", str(expected if ratings else index))


def _trial_json(
    live_study: LiveStudy, plan: StudyPlan, trial: Trial
) -> QuestionTrial | ChoiceTrial:
    """A check of attention has words and nothing to look at. What it wants is for the server to
    judge, and so is whether a trial is one."""
    check = trial.purpose is Purpose.ATTENTION
    case = None if check else plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
    details: TrialJson = {
        "position": trial.position,
        "practice": trial.purpose is Purpose.TRAINING,
        "words": case.words if case else attention_text(plan, trial.expected or 0),
    }
    if plan.kind is Kind.QUESTIONS:
        case_question = case.question if case else None
        return {
            **details,
            "form": case_question.form.value if case_question else "",
            "choices": list(case_question.choices) if case_question else [""] * plan.choice_count,
            "image": live_study.image_name(case_question.image_id) if case_question else "",
        }
    if case is None:
        return {**details, "places": [], "reference": None}
    shares = plan.material is Material.DISTRIBUTIONS
    candidates = [case.candidate(model) for model in trial.order]
    return {
        **details,
        "places": [
            {
                "images": [live_study.image_name(image_id) for image_id in candidate.image_ids],
                "weights": _rounded(candidate.weights) if shares else None,
            }
            for candidate in candidates
        ],
        "reference": _rounded(case.reference) if shares else None,
    }


def _study_json(live_study: LiveStudy, plan: StudyPlan) -> StudyOnPage:
    study: StudyOnPage = {
        "title": plan.title,
        "kind": plan.kind.value,
        "material": plan.material.value,
        "question": plan.question,
        "instructions": plan.instructions,
        "intro": plan.intro,
        "outro": plan.outro,
        "tie": plan.tie and plan.kind is Kind.PAIRS,
        "skip": plan.skip,
        "consent": plan.consent,
        "returns_after_s": plan.returns_after_s,
        "time_limit_s": plan.time_limit_s,
        "record_input": plan.record_input,
        "screens_out": plan.screening.has_pass_mark,
        "survey": plan.survey,
        "language": plan.language,
        "wording": dict(plan.wording),
        "rating": {"steps": RATING_STEPS} if plan.kind is Kind.RATINGS else None,
        "places": plan.choice_count,
    }
    if plan.kind is Kind.COLORINGS:
        practice = plan.practice
        study["practice"] = {"count": len(practice.case_ids), "review": practice.review.value}
        study["reference_image"] = plan.reference_image
        study["keep_color"] = plan.keep_color
        study["examples"] = [
            {
                "text": example.text,
                "good": example.good,
                "image_id": live_study.image_name(example.image_id),
            }
            for example in plan.examples
        ]
    return study


def _rounded(weights: tuple[float, ...]) -> list[float]:
    # A whole page of strips is a hundred kilobytes otherwise; a screen shows no more.
    return [round(weight, _DIGITS) for weight in weights]
