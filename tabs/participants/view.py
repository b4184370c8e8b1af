"""What a participant's page is told, as JSON. Models' names are never in it."""

from __future__ import annotations

from typing import Any

from annotation.assignment.further import length_of
from annotation.studies.cases import Kind
from annotation.studies.plan import RATING_STEPS, Material, StudyPlan
from core.color.uw71 import uw71
from core.studies import Purpose, Trial
from tabs.participants.desk import Desk
from tabs.participants.seat import Seat

SIDES = (256, 384, 512, 768, 1024, 1536)
"""Longer sides in pixels to which images are scaled down for pages."""
_DIGITS = 5

Json = dict[str, Any]


def state_json(desk: Desk, seat: Seat | None, returning: bool = False) -> Json:
    """All that a page needs: the study, the participant, and the trials that wait.

    ``returning``: somebody is known by their link, but not yet by this browser.
    """
    plan = seat.plan if seat is not None else desk.plan()
    return {
        "study": {
            **_study_json(plan),
            "state": desk.state_for(seat).value,
        },
        "colors": [one.hex for one in uw71()] if plan.material is Material.DISTRIBUTIONS else [],
        "sides": list(SIDES),
        "preview": desk.book.preview,
        "returning": returning,
        "participant": None if seat is None else participant_json(seat),
        "trials": [] if seat is None else waiting_json(seat),
    }


def participant_json(seat: Seat) -> Json:
    """How far somebody is, and what they get at the end once they are there."""
    plan, completion = seat.plan, seat.plan.completion
    url = completion.url if completion.url.startswith(("https://", "http://")) else ""
    return {
        "id": seat.person.id,
        "number_of_trials": len(seat.trials) if seat.done else length_of(plan, seat.trials),
        "positions_answered": sorted(seat.answers),
        "stage": seat.stage.value,
        "language": seat.person.language,
        "code": completion.code if seat.finished else "",
        "url": url if seat.finished else "",
        "plates": len(seat.plates),
        "patches": [
            {"name": one.name, "field": one.field, "patch": one.patch, "place": one.place}
            for one in seat.patches
        ],
        "training": seat.training(),
    }


def waiting_json(seat: Seat) -> list[Json]:
    """The trials without an answer, and the one that was answered last: it can be taken back."""
    if seat.done or not seat.consented:
        return []
    wanted = set(seat.open_positions)
    if seat.answers:
        wanted.add(next(reversed(seat.answers)))
    return trials_json(seat.plan, [trial for trial in seat.trials if trial.position in wanted])


def trials_json(plan: StudyPlan, trials: list[Trial]) -> list[Json]:
    """Trials as they are shown. A repeat looks like any other."""
    return [_trial_json(plan, trial) for trial in trials]


def _trial_json(plan: StudyPlan, trial: Trial) -> Json:
    if trial.purpose is Purpose.ATTENTION:
        return {
            "position": trial.position,
            "purpose": "attention",
            "words": "",
            "places": [],
            "reference": None,
            "expected": trial.expected,
        }
    case = plan.case_by_id[plan.by_id[trial.stimulus_id].case_id]
    shares = plan.material is Material.DISTRIBUTIONS
    candidates = [case.candidate(model) for model in trial.order]
    return {
        "position": trial.position,
        "purpose": "training" if trial.purpose is Purpose.TRAINING else "trial",
        "words": case.words,
        "places": [
            {
                "images": list(candidate.image_ids),
                "weights": _rounded(candidate.weights) if shares else None,
            }
            for candidate in candidates
        ],
        "reference": _rounded(case.reference) if shares else None,
        "expected": None,
    }


def _study_json(plan: StudyPlan) -> Json:
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
    }


def _rounded(weights: tuple[float, ...]) -> list[float]:
    # A whole page of strips is a hundred kilobytes otherwise; a screen shows no more.
    return [round(weight, _DIGITS) for weight in weights]
