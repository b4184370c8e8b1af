"""A practice that is looked at without anybody: whether there are colors, put there bit by bit."""

from __future__ import annotations

import logging

import anyio

from truehue.annotation.assignment.practice import ACCEPTED, AGAIN, AUTOMATIC, PracticeStage, rounds
from truehue.annotation.colorings import LEAST_BACKGROUND, background_share, paint, read_action
from truehue.annotation.judgments.answers import AnswerKind
from truehue.annotation.studies.plan import Review
from truehue.core.errors import TrueHueError
from truehue.core.studies import MarkKind, Trial
from truehue.tabs.participants.live_study import LiveStudy
from truehue.tabs.participants.session import ParticipantSession

log = logging.getLogger("truehue")

LEAST_SHARE = 0.005
"""Of a sketch's pixels that have to have a color: what is named may be small in a wide drawing."""
_FEW = {
    "en": "In “{words}” hardly anything is colored. Color all that the words name.",
    "de": "Bei „{words}“ ist fast nichts ausgemalt. Malen Sie alles aus, was die Worte nennen.",
}
_BACKGROUND = {
    "en": "In “{words}” the background has a color. Color only what the words name.",
    "de": "Bei „{words}“ hat der Hintergrund eine Farbe. Malen Sie nur aus, was die Worte nennen.",
}
_ONE = {
    "en": "In “{words}” there is one single step. Take the colors that its parts have.",
    "de": "Bei „{words}“ ist es nur ein Schritt. Nehmen Sie die Farben, die seine Teile haben.",
}


async def review_practice(live_study: LiveStudy, session: ParticipantSession) -> None:
    """Marks a practice that waits to be looked at automatically; in a preview that is any. The
    caller has the seat's turn. What cannot be drawn waits for somebody to look."""
    automatic = session.plan.practice.review is Review.AUTOMATIC or live_study.book.preview
    if not automatic or session.practice.stage is not PracticeStage.WAITING:
        return
    last = rounds(session.plan, session.trials)[-1]
    try:
        reason = await anyio.to_thread.run_sync(_missing, live_study, session, last)
    except TrueHueError as error:
        log.warning("A practice could not be looked at: %s", error)
        return
    mark = await anyio.to_thread.run_sync(
        live_study.book.mark,
        session.person.id,
        last[-1].position,
        MarkKind.PRACTICE,
        AGAIN if reason else ACCEPTED,
        reason,
        AUTOMATIC,
    )
    session.marks = [*session.marks, mark]


def _missing(live_study: LiveStudy, session: ParticipantSession, round_: list[Trial]) -> str:
    """What a round lacks, in words for the participant; empty where it is good enough."""
    positions = [trial.position for trial in round_]
    logs = live_study.book.actions(session.person.id, positions)
    language = session.plan.language if session.plan.language in _FEW else "en"
    for trial in round_:
        if session.answers[trial.position].kind is not AnswerKind.COLORING:
            continue
        case = session.plan.case_by_id[session.plan.by_id[trial.stimulus_id].case_id]
        if len(logs[trial.position]) < 2:
            return _ONE[language].format(words=case.words)
        maps = live_study.drawing.maps(case.sketch)
        layer = paint([read_action(action) for action in logs[trial.position]], maps)
        closing = live_study.sketches[case.sketch].closing
        requested = session.plan.ask_background and session.plan.watches_background(case)
        slip = requested and not session.answers[trial.position].background_part
        if slip and background_share(layer, maps, closing) >= LEAST_BACKGROUND:
            return _BACKGROUND[language].format(words=case.words)
        if (layer[..., 3] > 0).mean() < LEAST_SHARE:
            return _FEW[language].format(words=case.words)
    return ""
