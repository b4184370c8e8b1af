"""Which images without a score count as incorrect: the one place that decides.

The released code (moatifbutt/gen-color-bench @ 802a3ba, evaluation/cna.py, coa.py and moc.py)
returns ``correct: False`` where an object cannot be segmented, where its mask is empty, and where
it overlaps another one by an IoU over 0.2; such an image stays in the denominator. A stored
verdict is ``unscored`` with its cause, whatever the rule: how it counts is decided when it is read.
An image that could not be generated, or that nobody looked for masks in, is never incorrect.
"""

from __future__ import annotations

from truehue.core.errors import BadInput
from truehue.core.verdict.rules import rule

LEFT_OUT, NOT_FOUND, WRONG = "left-out", "not-found", "wrong"
UNSCORED = (LEFT_OUT, NOT_FOUND, WRONG)
"""Unscored images are in no share; or those whose object was not found count as incorrect; or all
of them do."""

NOT_FOUND_CAUSES = ("not-found", "too-few-pixels")
"""Causes (:data:`truehue.core.runs.score.CAUSES`) of an object that was looked for in vain or is
empty."""
NO_MASK = "no-mask"
"""In a run whose masker looks for objects: segmentation failed, or the object overlaps another one.
In any other run: nobody looked."""
SEARCHING = "grounded"
"""The masker that looks for objects."""


def default_for(rule_id: str) -> str:
    """How unscored images count by a rule where nothing is chosen."""
    return NOT_FOUND if rule(rule_id).dominant == "released" else LEFT_OUT


def choice_for(rule_id: str, choice: str = "") -> str:
    """The choice, or the rule's default. Raises BadInput for one that is none."""
    if choice and choice not in UNSCORED:
        raise BadInput(f"Unscored images are {', '.join(UNSCORED)}, not {choice[:40]!r}.")
    return choice or default_for(rule_id)


def note_for(rule_id: str, choice: str = "") -> str:
    """What is said beside a number where objects that were not found count as incorrect, or where
    the rule's code would count them so and the choice does not; else nothing."""
    counted, usual = choice_for(rule_id, choice), default_for(rule_id)
    if counted == WRONG:
        return "Every unscored image counts as incorrect."
    if counted == NOT_FOUND:
        as_released = ", as in the released code" if usual == NOT_FOUND else ""
        return (
            "Images whose object was not found, is empty or overlaps another count as "
            f"incorrect{as_released}."
        )
    if usual == NOT_FOUND:
        return (
            "Images whose object was not found are excluded; the released code counts them as "
            "incorrect."
        )
    return ""
