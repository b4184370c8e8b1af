"""Answers of the pixel rules to a model's questions about diagnostic renders.

The image is rendered again with its exact mask, and each rule scores it against every name of the
system. The answer is yes if the target color passes. The answer to a question for a name is the
nearest name: the one whose metrics use the least share of their thresholds; for letters, the
nearest choice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truehue.core.color.systems import NamedColor, find, parse_target
from truehue.core.diagnosis.colors import set_colors
from truehue.core.diagnosis.scoring import margin
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import ReportProgress, ignore_progress
from truehue.core.images.load import image_id
from truehue.core.verdict.measure import MaskCache, measure
from truehue.core.verdict.rules import PASS, RULES, UNSCORED
from truehue.core.vlm.color_judge.questions import render_question
from truehue.core.vlm.records import LETTERS, Answer, Form, Outcome, Question
from truehue.core.vlm.wording import fold

VERSION = 1
"""Rises where the same rules would answer otherwise."""
CACHE = "rules.jsonl"
OTHERWISE = "This TrueHue draws the render otherwise: there is no mask to judge it by."
HEX_TASK = "css_q3"

Readings = Mapping[str, tuple[str | None, str]]
"""By question: what is answered, None where nothing is, and then why."""


@dataclass(frozen=True)
class _Judged:
    """Of one render by one rule: names that pass, and shares of the limits by name; empty with the
    ``reason`` where it is unscored."""

    passed: frozenset[str]
    margins: Mapping[str, float]
    reason: str = ""

    def nearest(self, names: Iterable[str]) -> str | None:
        """The name with the least share, the first of equal ones; None where none has one."""
        known = [name for name in names if name in self.margins]
        return min(known, key=self.margins.__getitem__, default=None)


def rule_answers(
    questions: Sequence[Question],
    folder: Path | None = None,
    report_progress: ReportProgress = ignore_progress,
) -> dict[str, list[Answer]]:
    """The answers of every rule to the questions about renders, by its id; a rule that cannot judge
    leaves a question unanswered, with the reason.

    With a ``folder`` they are kept there (``rules.jsonl``, a line a render) and not computed twice,
    also where it was ended. Raises BadInput for a question that names no render.
    """
    renders = _renders(questions)
    retained = {} if folder is None else _saved(folder / CACHE)
    name: dict[str, dict[str, tuple[str | None, str]]] = {entry.id: {} for entry in RULES}
    for done, render in enumerate(renders, 1):
        key = _key(render)
        if key not in retained:
            judged = _judged(render[0])
            retained[key] = {
                rule_id: {question.question_id: _reading(question, by) for question in render}
                for rule_id, by in judged.items()
            }
            if folder is not None:
                _keep(folder / CACHE, key, retained[key])
        for rule_id, readings in retained[key].items():
            name[rule_id].update(readings)
        report_progress(done, len(renders))
    return {
        entry.id: [
            _answer(question, *name[entry.id][question.question_id]) for question in questions
        ]
        for entry in RULES
    }


def are_all_judged(questions: Sequence[Question], folder: Path) -> bool:
    """Whether :func:`rule_answers` has nothing left to judge for these questions."""
    retained = _saved(folder / CACHE)
    return all(_key(question) in retained for question in _renders(questions))


def _renders(questions: Sequence[Question]) -> list[list[Question]]:
    """The questions about each render, those of one scene one after the other: light and shade of a
    scene are computed once for all its colors."""
    by_render: dict[tuple[str, str, str], list[Question]] = {}
    for question in questions:
        made = question.construction
        if not made.get("render"):
            raise BadInput(
                f"The question {question.question_id} does not say of which render it is."
            )
        scene = json.dumps(made["render"], sort_keys=True)
        by_render.setdefault((scene, question.image_id, str(made["system"])), []).append(question)
    return [by_render[key] for key in sorted(by_render)]


def _key(questions: Sequence[Question]) -> str:
    """Of all that the answers about one render follow from."""
    requested = [
        [
            question.question_id,
            question.image_id,
            question.task,
            question.text,
            dict(question.construction),
            *question.choices,
        ]
        for question in questions
    ]
    rules = [[entry.id, entry.version] for entry in RULES]
    return hashlib.sha256(json.dumps([VERSION, rules, requested]).encode()).hexdigest()


def _saved(path: Path) -> dict[str, dict[str, Readings]]:
    """By key, then by rule; a line that a kill tore is left out."""
    out: dict[str, dict[str, Readings]] = {}
    with suppress(OSError):
        for line in path.read_bytes().splitlines():
            with suppress(ValueError, LookupError, TypeError, AttributeError):
                fields = json.loads(line)
                out[str(fields["key"])] = {
                    rule_id: {key: (reading, str(why)) for key, (reading, why) in rule.items()}
                    for rule_id, rule in fields["rules"].items()
                }
    return out


def _keep(path: Path, key: str, rules: Mapping[str, Readings]) -> None:
    """A line more; nothing in a folder that cannot be written: there they are computed again."""
    line = json.dumps({"key": key, "rules": rules}, ensure_ascii=False)
    with suppress(OSError), path.open("ab") as file:
        # After a line that was torn a new one begins.
        file.write(f"\n{line}\n".encode())


def _judged(question: Question) -> dict[str, _Judged]:
    """A render by every rule, against all names of its system."""
    made = question.construction
    scene, system_id = made["render"], str(made["system"])
    position = (str(scene["object"]), str(scene["light"]), int(scene["seed"]))
    try:
        render = render_question(system_id, str(made["color"]), position, int(scene["size_px"]))
    except TrueHueError:
        render = None
    if (
        render is None
        or render.mask is None
        or image_id(render.srgb8) != question.image_id
        or render.scene["mask_sha256"] != scene["mask_sha256"]
    ):
        return {entry.id: _Judged(frozenset(), {}, OTHERWISE) for entry in RULES}
    cache_of_mask = MaskCache()
    out = {}
    for entry in RULES:
        passed, margins, reason = set(), {}, ""
        for color in set_colors(system_id):
            target = parse_target(color.name, system_id)
            try:
                measurement = measure(
                    render.srgb8, render.mask, target, entry.id, cache=cache_of_mask
                )
            except TrueHueError as error:
                reason = str(error)
                continue
            share = margin(measurement)
            if measurement.verdict.status != UNSCORED and share is not None:
                margins[color.name] = share
            if measurement.verdict.status == PASS:
                passed.add(color.name)
        out[entry.id] = _Judged(frozenset(passed), margins, reason)
    return out


def _reading(question: Question, by: _Judged) -> tuple[str | None, str]:
    system_id = str(question.construction["system"])
    if question.form is Form.BINARY:
        requested = str(question.construction["asked"])
        if requested not in by.margins:
            return None, by.reason or "The rule cannot judge it."
        return ("yes" if requested in by.passed else "no"), ""
    if question.form is Form.CHOICE:
        name = by.nearest(question.choices)
        return (None, by.reason) if name is None else (LETTERS[question.choices.index(name)], "")
    name = by.nearest(color.name for color in set_colors(system_id))
    if name is None:
        return None, by.reason
    return (find(name, system_id).hex if question.task == HEX_TASK else name), ""


def _answer(question: Question, reading: str | None, reason: str) -> Answer:
    if reading is None:
        return Answer(question.question_id, "", None, Outcome.UNANSWERED, reason)
    right = reading == question.answer
    if question.form is Form.OPEN:
        right = color_of(question, reading) == color_of(question, question.answer)
    outcome = Outcome.RIGHT if right else Outcome.WRONG
    return Answer(question.question_id, reading, reading, outcome)


def color_of(question: Question, reading: str) -> str:
    """The hex code of the color that an open answer names, in the question's system or by a code;
    what names none is itself. Two names of one color are one."""
    names = _names(str(question.construction["system"]))
    plain = fold(reading)
    for text in (plain, plain.replace(" ", "")):
        if text in names:
            return names[text].hex
    with suppress(TrueHueError):
        return parse_target(reading).hex
    return plain


@cache
def _names(system_id: str) -> Mapping[str, NamedColor]:
    """The colors of a system by their folded names, with and without blanks."""
    out: dict[str, NamedColor] = {}
    for color in set_colors(system_id):
        for text in (fold(color.name), fold(color.name).replace(" ", "")):
            out.setdefault(text, color)
    return out
