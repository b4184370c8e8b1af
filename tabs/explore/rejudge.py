"""Stored images judged by the rules that lack them, in the background."""

from __future__ import annotations

from typing import Any

from core.errors import BadInput
from core.verdict.rules import rule
from tabs.judging.rejudge import Rejudged, rejudge
from tabs.page.context import Context
from tabs.page.errors import many
from tabs.page.jobs import Job

KIND = "rejudge"
MOST_REASONS = 3


def start_rejudge(context: Context, rule_ids: Any, owner: str) -> Job:
    """Begins to judge every stored image by these rules, where a verdict is missing.

    Raises BadInput for what are no rules, or while such a run goes on.
    """
    if not (isinstance(rule_ids, list) and rule_ids):
        raise BadInput("The page named no rule to judge by. Reload the page.")
    rules = [rule(str(one)) for one in rule_ids]
    names = " and ".join(by.name for by in rules)
    return context.jobs.start(
        KIND, f"Judging stored images by {names}", owner,
        lambda job: run(context, [by.id for by in rules], job),
    )  # fmt: skip


def run(context: Context, rule_ids: list[str], job: Job) -> dict[str, Any]:
    """The work of the job; what it stored stays when it is cancelled."""
    state: Rejudged | None = None
    for state in rejudge(context, rule_ids, stop=job.stop):
        job.done, job.total = state.done, state.total
        job.words = f"{state.done:,} of {many(state.total, 'image')}, {state.judged:,} judged"
    if state is not None:
        job.words = summary(state)
    return {}


def summary(state: Rejudged) -> str:
    """What a run has come to, in a sentence or a few."""
    words = [f"{many(state.judged, 'image')} judged, {state.complete:,} had all verdicts before"]
    if state.without_mask:
        words.append(f"{state.without_mask:,} without a mask")
    if state.unasked:
        words.append(f"{state.unasked:,} without an asked color")
    unscored = sorted(state.unscored.items(), key=lambda one: -one[1])[:MOST_REASONS]
    reasons = " ".join(f"Unscored {count:,} times: {reason}" for reason, count in unscored)
    return f"{', '.join(words)}. {reasons}".strip()
