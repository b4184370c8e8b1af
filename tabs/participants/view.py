"""What a participant's page is told, as JSON. Models' names are never in it, nor what is
right, nor what images are called elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from truehue.annotation.assignment.further import length_of
from truehue.annotation.assignment.training import rounds
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
    desk: LiveStudy,
    seat: ParticipantSession | None,
    returning: ParticipantSession | None = None,
    drawn: Drawn | None = None,
) -> Json:
    """All that a page needs: the study, the participant, and the trials that wait.

    ``returning`` is the seat of somebody who is known by their link, but not yet by this browser.
    ``drawn`` is what :func:`begun` gives.
    """
    plan = seat.plan if seat is not None else desk.plan()
    return {
        "study": {
            **_study_json(desk, plan),
            "state": desk.state_for(seat or returning).value,
        },
        "colors": [one.hex for one in uw71()] if plan.material is Material.DISTRIBUTIONS else [],
        "sides": list(SIDES),
        "preview": desk.book.preview,
        "returning": returning is not None,
        "participant": None if seat is None else participant_json(seat),
        "trials": [] if seat is None else waiting_json(desk, seat, drawn or {}),
    }


async def begun(desk: LiveStudy, seat: ParticipantSession) -> Drawn:
    """The actions of the sketches that were begun and wait, and of the one that was finished last:
    the page goes on with them."""
    return await drawn_at(desk, seat, seat.canvases.begun(_shown(seat)))


async def drawn_at(desk: LiveStudy, seat: ParticipantSession, positions: Sequence[int]) -> Drawn:
    """The actions of these trials."""
    if not positions:
        return {}
    return await anyio.to_thread.run_sync(desk.book.actions, seat.person.id, positions)


def participant_json(seat: ParticipantSession) -> Json:
    """How far somebody is, and what they get at the end once they are there: no code and no way
    back where they were faster than anybody can be (``withheld``)."""
    plan, completion = seat.plan, seat.plan.completion
    url = completion.url if completion.url.startswith(("https://", "http://")) else ""
    completed = seat.finished and not seat.too_fast
    return {
        "id": seat.person.id,
        "number_of_trials": len(seat.trials) if seat.done else length_of(plan, seat.trials),
        "positions_answered": list(seat.answers),  # in the order of answering
        "stage": seat.stage.value,
        "language": seat.person.language,
        "code": completion.code if completed else "",
        "url": url if completed else "",
        "withheld": seat.finished and seat.too_fast and bool(completion.code or url),
        "plates": len(seat.plates),
        "patches": [one.name for one in seat.patches],
        "training": seat.training(),
        **({"practice": _practice_json(seat)} if plan.kind is Kind.COLORINGS else {}),
    }


def waiting_json(desk: LiveStudy, seat: ParticipantSession, drawn: Drawn) -> list[Json]:
    """The trials without an answer, and the one that was answered last: it can be taken back."""
    wanted = _shown(seat)
    trials = [trial for trial in seat.trials if trial.position in wanted]
    return trials_json(desk, seat.plan, trials, drawn)


def trials_json(
    desk: LiveStudy, plan: StudyPlan, trials: Sequence[Trial], drawn: Drawn | None = None
) -> list[Json]:
    """Trials as they are shown. A repeat of a stimulus looks like any other."""
    if plan.kind is Kind.COLORINGS:
        return [_sketch_json(desk, plan, trial, drawn or {}) for trial in trials]
    return [_trial_json(desk, plan, trial) for trial in trials]


def _shown(seat: ParticipantSession) -> set[int]:
    """The positions that a page is told of."""
    if seat.done or not seat.consented:
        return set()
    wanted = set(seat.open_positions)
    if seat.answers:
        wanted.add(next(reversed(seat.answers)))
    return wanted


def _sketch_json(desk: LiveStudy, plan: StudyPlan, trial: Trial, drawn: Drawn) -> Json:
    case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
    sketch = desk.sketches.get(case.sketch)
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
        "actions": list(drawn.get(trial.position, ())),
    }


def _practice_json(seat: ParticipantSession) -> Json:
    state = seat.practice
    given = rounds(seat.plan, seat.trials) if seat.plan.practice.case_ids else []
    return {"stage": state.stage.value, "reason": state.reason, "rounds": len(given)}


def _trial_json(desk: LiveStudy, plan: StudyPlan, trial: Trial) -> Json:
    """A check of attention has words and nothing to look at. What it wants is for the server to
    judge, and so is whether a trial is one."""
    told: Json = {"position": trial.position, "practice": trial.purpose is Purpose.TRAINING}
    check = trial.purpose is Purpose.ATTENTION
    if check:
        told["words"] = instruction(plan, trial.expected or 0)
    else:
        case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
        told["words"] = case.words
    if plan.kind is Kind.QUESTIONS:
        asked = None if check else case.question
        return {
            **told,
            "form": asked.form.value if asked else "",
            "choices": list(asked.choices) if asked else [""] * plan.places,
            "image": desk.image_name(asked.image_id) if asked else "",
        }
    if check:
        return {**told, "places": [], "reference": None}
    shares = plan.material is Material.DISTRIBUTIONS
    candidates = [case.candidate(model) for model in trial.order]
    return {
        **told,
        "places": [
            {
                "images": [desk.image_name(one) for one in candidate.image_ids],
                "weights": _rounded(candidate.weights) if shares else None,
            }
            for candidate in candidates
        ],
        "reference": _rounded(case.reference) if shares else None,
    }


def _study_json(desk: LiveStudy, plan: StudyPlan) -> Json:
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
        **(_coloring_json(desk, plan) if plan.kind is Kind.COLORINGS else {}),
    }


def _coloring_json(desk: LiveStudy, plan: StudyPlan) -> Json:
    practice = plan.practice
    return {
        "practice": {"count": len(practice.case_ids), "review": practice.review.value},
        "examples": [
            {"text": one.text, "good": one.good, "image_id": desk.image_name(one.image_id)}
            for one in plan.examples
        ],
    }


def _rounded(weights: tuple[float, ...]) -> list[float]:
    # A whole page of strips is a hundred kilobytes otherwise; a screen shows no more.
    return [round(weight, _DIGITS) for weight in weights]
