"""The state of a participant's page as JSON. It never has the names of models, the correct answers,
or the ids that images have elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from truehue.annotation.assignment.assign import length_of
from truehue.annotation.assignment.practice import rounds
from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import RATING_STEPS, Material, StudyPlan
from truehue.core.color.uw71 import uw71
from truehue.core.studies import Purpose, Trial
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.session import ParticipantSession
from truehue.tabs.participants.wording import instruction

SIDES = (256, 384, 512, 768, 1024, 1536)
"""Longer sides in pixels to which images are scaled down for pages."""
_DIGITS = 5

Json = dict[str, Any]
Drawn = Mapping[int, Sequence[Mapping[str, Any]]]
"""What was done on the canvas of some trials, by position."""


def state_json(
    live_study: LiveStudy,
    session: ParticipantSession | None,
    returning: ParticipantSession | None = None,
    sample: Drawn | None = None,
) -> Json:
    """All that a page needs: the study, the participant, and the trials that wait.

    ``returning`` is the seat of somebody who is known by their link, but not yet by this browser.
    ``drawn`` is what :func:`started_sketches` gives.
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
        "participant": None if session is None else participant_json(session),
        "trials": [] if session is None else waiting_json(live_study, session, sample or {}),
    }


async def started_sketches(live_study: LiveStudy, session: ParticipantSession) -> Drawn:
    """The actions of the sketches that were begun and wait, and of the one that was finished last:
    the page goes on with them."""
    return await actions_at(live_study, session, session.canvases.begun(_shown(session)))


async def actions_at(
    live_study: LiveStudy, session: ParticipantSession, positions: Sequence[int]
) -> Drawn:
    """The actions of these trials."""
    if not positions:
        return {}
    return await anyio.to_thread.run_sync(live_study.book.actions, session.person.id, positions)


def participant_json(session: ParticipantSession) -> Json:
    """How far somebody is, and what they get at the end once they are there: no code and no way
    back where they were faster than anybody can be (``withheld``)."""
    plan, completion = session.plan, session.plan.completion
    url = completion.url if completion.url.startswith(("https://", "http://")) else ""
    completed = session.finished and not session.too_fast
    return {
        "id": session.person.id,
        "number_of_trials": len(session.trials)
        if session.done
        else length_of(plan, session.trials),
        "positions_answered": list(session.answers),  # in the order of answering
        "stage": session.stage.value,
        "language": session.person.language,
        "code": completion.code if completed else "",
        "url": url if completed else "",
        "withheld": session.finished and session.too_fast and bool(completion.code or url),
        "plates": len(session.plates),
        "patches": [patch.name for patch in session.patches],
        "training": session.training(),
        **({"practice": _practice_json(session)} if plan.kind is Kind.COLORINGS else {}),
    }


def waiting_json(live_study: LiveStudy, session: ParticipantSession, sample: Drawn) -> list[Json]:
    """The trials without an answer, and the one that was answered last: it can be taken back."""
    wanted = _shown(session)
    trials = [trial for trial in session.trials if trial.position in wanted]
    return trials_json(live_study, session.plan, trials, sample)


def trials_json(
    live_study: LiveStudy, plan: StudyPlan, trials: Sequence[Trial], sample: Drawn | None = None
) -> list[Json]:
    """Trials as they are shown. A repeat of a stimulus looks like any other."""
    if plan.kind is Kind.COLORINGS:
        return [_sketch_json(live_study, plan, trial, sample or {}) for trial in trials]
    return [_trial_json(live_study, plan, trial) for trial in trials]


def _shown(session: ParticipantSession) -> set[int]:
    """The positions that a page is told of."""
    if session.done or not session.consented:
        return set()
    wanted = set(session.open_positions)
    if session.answers:
        wanted.add(next(reversed(session.answers)))
    return wanted


def _sketch_json(live_study: LiveStudy, plan: StudyPlan, trial: Trial, sample: Drawn) -> Json:
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
        "actions": list(sample.get(trial.position, ())),
    }


def _practice_json(session: ParticipantSession) -> Json:
    state = session.practice
    trials = rounds(session.plan, session.trials) if session.plan.practice.case_ids else []
    return {"stage": state.stage.value, "reason": state.reason, "rounds": len(trials)}


def _trial_json(live_study: LiveStudy, plan: StudyPlan, trial: Trial) -> Json:
    """A check of attention has words and nothing to look at. What it wants is for the server to
    judge, and so is whether a trial is one."""
    details: Json = {"position": trial.position, "practice": trial.purpose is Purpose.TRAINING}
    check = trial.purpose is Purpose.ATTENTION
    if check:
        details["words"] = instruction(plan, trial.expected or 0)
    else:
        case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
        details["words"] = case.words
    if plan.kind is Kind.QUESTIONS:
        case_question = None if check else case.question
        return {
            **details,
            "form": case_question.form.value if case_question else "",
            "choices": list(case_question.choices) if case_question else [""] * plan.places,
            "image": live_study.image_name(case_question.image_id) if case_question else "",
        }
    if check:
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


def _study_json(live_study: LiveStudy, plan: StudyPlan) -> Json:
    return {
        "title": plan.title,
        "kind": plan.kind.value,
        "material": plan.material.value,
        "question": plan.question,
        "instructions": plan.instructions,
        "intro": plan.intro,
        "outro": plan.outro,
        "tie": plan.tie and plan.kind is Kind.PAIRS,
        "skip": plan.skip,
        "consent": {"version": plan.consent.version, "text": plan.consent.text},
        "screening": {"plates": plan.screening.plates, "patches": plan.screening.patches},
        "language": plan.language,
        "wording": dict(plan.wording),
        "rating": {"steps": RATING_STEPS} if plan.kind is Kind.RATINGS else None,
        "places": plan.places,
        **(_coloring_json(live_study, plan) if plan.kind is Kind.COLORINGS else {}),
    }


def _coloring_json(live_study: LiveStudy, plan: StudyPlan) -> Json:
    practice = plan.practice
    return {
        "practice": {"count": len(practice.case_ids), "review": practice.review.value},
        "examples": [
            {
                "text": example.text,
                "good": example.good,
                "image_id": live_study.image_name(example.image_id),
            }
            for example in plan.examples
        ],
    }


def _rounded(weights: tuple[float, ...]) -> list[float]:
    # A whole page of strips is a hundred kilobytes otherwise; a screen shows no more.
    return [round(weight, _DIGITS) for weight in weights]
