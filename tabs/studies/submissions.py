"""What a recruiting site reports of the participants that it sent."""

from __future__ import annotations

from typing import TypedDict

import anyio.from_thread

from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import Actor
from truehue.tabs.participants.prolific import Difference, SubmissionCheck
from truehue.tabs.participants.service import Participation
from truehue.tabs.studies.live import StudyRequest, study_of
from truehue.tabs.studies.rights import may_personal


class SubmissionDifferenceJson(TypedDict):
    """Where Prolific and the study do not agree; ``label`` is the participant, empty for a submission
    of nobody here."""

    problem: str
    label: str
    submission: str
    status: str


class SubmissionsJson(TypedDict):
    """The newest comparison with Prolific: submissions by status, how many participations were ended
    for it, and differences."""

    at: str
    participants: int
    statuses: dict[str, int]
    released: int
    differences: list[SubmissionDifferenceJson]
    error: str


class SubmissionsAnswer(TypedDict):
    """The newest comparison; None where Prolific sent nobody, or there is no token. ``running``: one
    is under way."""

    submissions: SubmissionsJson | None
    running: bool


@requires("study")
def check_submissions(context: Context, actor: Actor, request: StudyRequest) -> SubmissionsAnswer:
    """Compares a study with its submissions at Prolific, at most once a minute, and ends the
    participations that were returned there. Called in a thread of the app."""
    record = study_of(context, request.study)
    participation = context.service(Participation)
    running = anyio.from_thread.run(participation.begin_check, record.id)
    last = participation.submissions.last(record.id)
    # Ids of submissions are for whom personal data are for.
    personal = may_personal(actor, record)
    submissions = _json(last, personal) if last and last.participants else None
    return {"submissions": submissions, "running": running}


def _json(last: SubmissionCheck, personal: bool) -> SubmissionsJson:
    return {
        "at": last.at.isoformat(),
        "participants": last.participants,
        "statuses": dict(last.statuses),
        "released": last.released,
        "differences": [_difference(item, personal) for item in last.differences],
        "error": last.error,
    }


def _difference(difference: Difference, personal: bool) -> SubmissionDifferenceJson:
    number = difference.number
    return {
        "problem": difference.problem,
        "label": "" if number is None else f"Participant {number + 1}",
        "submission": difference.submission_id if personal else "",
        "status": difference.status,
    }
