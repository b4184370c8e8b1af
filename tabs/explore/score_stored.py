"""Score stored images in the background by the rules that lack a verdict on them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from truehue.core.verdict.rules import rule
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import StartedJob
from truehue.tabs.verdicts.scoring import StoredScoringProgress, score_stored_images

KIND = "rejudge"
MAX_REASONS = 3


class ScoreStored(PageRequest):
    """Rules that every stored image is to be judged by."""

    rules: tuple[str, ...] = Field(min_length=1, max_length=100, title="The list of rules")


@requires("compute")
def start_scoring_stored(context: Context, actor: Actor, request: ScoreStored) -> StartedJob:
    """Starts to score every stored image by these rules, where a verdict is missing.

    Raises BadInput for what are no rules, or while such work goes on.
    """
    rules = [rule(rule_id) for rule_id in request.rules]
    names = " and ".join(by.name for by in rules)
    return {
        "job": context.jobs.start(
            KIND,
            f"Scoring stored images by {names}",
            actor,
            lambda job: run(context, [by.id for by in rules], job),
        ).id
    }


def run(context: Context, rule_ids: list[str], job: Job) -> dict[str, Any]:
    """The work of the job; what it stored stays when it is cancelled."""
    state: StoredScoringProgress | None = None
    for state in score_stored_images(context, rule_ids, stop=job.stop):
        text = f"{state.done:,} of {count_noun(state.total, 'image')}, {state.judged:,} scored"
        job.tell(text, state.done, state.total)
    if state is not None:
        job.tell(summary(state))
    return {}


def summary(state: StoredScoringProgress) -> str:
    """What a run has come to, in a sentence or a few."""
    parts = [
        f"{count_noun(state.judged, 'image')} scored, {state.complete:,} had all verdicts before"
    ]
    if state.without_mask:
        parts.append(f"{state.without_mask:,} without a mask")
    if state.unasked:
        parts.append(f"{state.unasked:,} without a target color")
    unscored = sorted(state.unscored.items(), key=lambda entry: -entry[1])[:MAX_REASONS]
    reasons = " ".join(f"Unscored {count:,} times: {reason}" for reason, count in unscored)
    return f"{', '.join(parts)}. {reasons}".strip()
