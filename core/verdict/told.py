"""Sentences about the objects of a picture: which one, at which step, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.verdict.expectations import Asked
from core.verdict.explain import account, by, without_rule
from core.verdict.judge import FAIL, PASS, Verdict
from core.verdict.measure import DIFFERS


def sentence(words: str, reason: str = "") -> str:
    """``words`` as a sentence, and after a colon or as a second one the reason, if there is one."""
    start = f"{words[:1].upper()}{words[1:]}"
    return f"{start}: {reason}" if reason else f"{start}."


def measured(asked: Asked, verdict: Verdict) -> str:
    """What the verdict on one measured object says of it alone, and by which rule."""
    far = _far(verdict)
    if verdict.status not in (PASS, FAIL):
        return sentence(f"the color of {asked.label} cannot be judged", verdict.reason)
    if asked.relation == DIFFERS:
        has = "has not taken" if verdict.status == PASS else "took"
        return by(verdict.rule, f"{asked.label} {has} the asked color{far}.")
    if verdict.status == PASS:
        return by(verdict.rule, f"{asked.label} has the asked color{far}.")
    reference = ", the reference," if asked.target.role == "reference" else ""
    return by(verdict.rule, f"the color of {asked.label}{reference} is {account(verdict)}")


def _far(verdict: Verdict) -> str:
    """How far from the color it is, with a comma before; nothing where it is the light that does
    not fit, for then it may be near and yet not match."""
    distance, misfit, light = verdict.metric("delta_e00"), verdict.metric("misfit"), verdict.light
    if distance is None:
        return ""
    matches = misfit is None or misfit.passed
    if light is not None and not matches and light.cost > distance.value:
        return ""
    shown = " as this light shows it" if light is not None else ""
    return f", {distance.value:.1f} ΔE00 from it{shown}"


def took(asked: Asked, other: Asked) -> str:
    """An object has the color that was asked of another one."""
    return sentence(f"{asked.label} took {_of(other)} color")


def exchanged(one: Asked, other: Asked) -> str:
    """Two objects have each other's color."""
    return sentence(f"{one.label} and {other.label} have exchanged their colors")


def leans(asked: Asked, other: Asked) -> str:
    """An object's color lies between its own and that of another one."""
    return sentence(f"{asked.label} took on part of {_of(other)} color")


def joined(sentences: Iterable[str]) -> str:
    """Several sentences, none twice; those without numbers first, for a card may cut the rest.

    What names no rule, such as that an object is not there, stands before what does, and the rule
    is named once.
    """
    parts = [without_rule(one) for one in dict.fromkeys(sentences)]
    parts.sort(key=lambda part: (bool(part[0]), "ΔE00" in part[1] or ": " in part[1]))
    words, named = [], ""
    for rule_words, rest in parts:
        known = rule_words in ("", named)
        words.append(rest if known else f"{rule_words}{rest[:1].lower()}{rest[1:]}")
        named = rule_words or named
    return " ".join(words)


def right(asked: Sequence[Asked]) -> str:
    """All objects are as asked."""
    has = [one.label for one in asked if one.relation != DIFFERS]
    free = [one.label for one in asked if one.relation == DIFFERS]
    same = len({one.color.hex for one in asked}) == 1
    if len(has) == 1:
        words = f"{has[0]} has the asked color"
    elif same:
        words = f"{_list(has)} have the asked color"
    else:
        words = f"{_list(has)} each have the color asked of them"
    return sentence(f"{words}, and {_list(free)} did not take it" if free else words)


def _of(asked: Asked) -> str:
    """``"the apple's"``, ``"the scissors'"``."""
    return asked.label + ("'" if asked.label.endswith("s") else "'s")


def _list(labels: Sequence[str]) -> str:
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"
