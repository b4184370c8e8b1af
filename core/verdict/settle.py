"""The verdicts of all rules on a picture, even where one of them breaks."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.errors import TrueHueError
from core.prompts.prompt import ObjectTarget
from core.verdict.expectations import Asked, Finding, asked_of
from core.verdict.judge import UNSCORED, Verdict
from core.verdict.measure import Measurement
from core.verdict.rules import rule
from core.verdict.tasks import ObjectOutcome, Settings, TaskVerdict, judge_task

log = logging.getLogger("truehue")

BROKE = "broke"
"""In the parameters of a verdict that broke: the name of the exception."""


def judge_all(
    task: str,
    targets: Sequence[ObjectTarget],
    findings: Mapping[int, Finding],
    srgb8: np.ndarray,
    rule_ids: Sequence[str],
    settings: Settings | None = None,
) -> Iterator[TaskVerdict]:
    """Yields what :func:`core.verdict.tasks.judge_task` does, one verdict a rule.

    A rule that breaks is ``unscored`` with what broke, on every object, and does not take the
    others with it. Raises BadInput for an unknown rule, and MemoryError: that is no fault of the
    picture, and may be mended.
    """

    def judged(some: Sequence[str]) -> Iterator[TaskVerdict]:
        return judge_task(task, targets, findings, srgb8, some, settings)

    for rule_id in rule_ids:
        rule(rule_id)
    done = 0
    try:
        for verdict in judged(rule_ids):
            yield verdict
            done += 1
        return
    except MemoryError:
        raise
    except Exception:
        log.exception("a picture could not be judged by all rules")
    for rule_id in rule_ids[done:]:
        try:
            yield from list(judged([rule_id]))
        except MemoryError:
            raise
        except Exception as error:
            yield broken(task, targets, rule_id, error)


def broken(
    task: str, targets: Sequence[ObjectTarget], rule_id: str, error: Exception
) -> TaskVerdict:
    """The verdict of a rule that broke: unscored, with what broke."""
    by = rule(rule_id)
    what = str(error) if isinstance(error, TrueHueError) else f"{type(error).__name__}: {error}"
    reason = f"Judging broke off: {what}"

    def outcome(asked: Asked) -> ObjectOutcome:
        verdict = Verdict(UNSCORED, reason, by.id, by.version, {BROKE: type(error).__name__})
        blank = Measurement(verdict, asked.color, (), asked.target.name, relation=asked.relation)
        return ObjectOutcome(asked, "color", reason, blank)

    outcomes = tuple(outcome(asked) for asked in asked_of(targets))
    return TaskVerdict(task, UNSCORED, reason, by.id, by.version, outcomes)
