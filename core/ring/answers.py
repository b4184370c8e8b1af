"""Answers to a ring test: a CSV file of any scorer, and the answers of TrueHue's own rules."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.files import ReportProgress, ignore_progress
from truehue.core.images.load import load_image, load_mask
from truehue.core.ring.folder import RingSet
from truehue.core.spreadsheets import csv_text
from truehue.core.verdict.measure import MaskCache, measure, unscored_measurement
from truehue.core.verdict.rules import PASS, RULES, UNSCORED, rule

YES, NO, NONE = "yes", "no", "unscored"
ANSWERS = (YES, NO, NONE)
COLUMNS = ("id", "answer", "confidence")
_ID, _ANSWER = ("id", "question_id"), ("answer", "reading")
MAX_BYTES = 32 * 2**20


@dataclass(frozen=True)
class RingAnswer:
    """``answer`` is one of :data:`ANSWERS`; ``confidence``, 0 to 1, is the stated probability that
    the answer is right, None where none was stated."""

    answer: str
    confidence: float | None = None


@dataclass(frozen=True)
class RingAnswers:
    """A scorer's answers by question id. ``sha256`` is that of the file."""

    scorer: str
    version: str
    answers: dict[str, RingAnswer]
    sha256: str = ""


def read_answers(path: Path, ring_set: RingSet, name: str = "", version: str = "") -> RingAnswers:
    """The answers of a CSV file with the columns id, answer and perhaps confidence; other columns
    are ignored. ``name`` is by default the file's.

    The answers of a ``truehue vlm`` evaluation are read too, where ``question_id`` and ``reading``
    have these names and an empty reading is unscored. Raises BadInput, with the line, for an
    unknown or repeated question, another answer, or a confidence outside of 0 to 1.
    """
    try:
        content = path.read_bytes()
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except OSError as error:
        raise BadInput(f"The answers {path} cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path.name} is no CSV in UTF-8: {error}.") from error
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    id_column, answer_column = (_column(head, names) for names in (_ID, _ANSWER))
    if id_column is None or answer_column is None:
        raise BadInput(
            f"{path.name} needs a header line with id,answer; confidence may follow. It has "
            f"{', '.join(head)[:120] or 'nothing'}."
        )
    confidence_column = _column(head, ("confidence",))
    ids = {row["id"] for row in ring_set.rows}
    answers: dict[str, RingAnswer] = {}
    for line, cells in enumerate(rows[1:], 2):
        if not any(cells):
            continue
        cells = [*map(str.strip, cells), *[""] * (len(head) - len(cells))]
        where, key = f"{path.name}, line {line}", cells[id_column]
        if key not in ids:
            raise BadInput(f"{where}: the set {ring_set.name} has no question {key[:40]!r}.")
        if key in answers:
            raise BadInput(f"{where}: the question {key} was answered before.")
        stated = "" if confidence_column is None else cells[confidence_column]
        # A reading of a VLM is empty where nothing could be read.
        text = cells[answer_column].lower() or (NONE if "reading" in head else "")
        if text not in ANSWERS:
            raise BadInput(f"{where}: an answer is yes, no or unscored, not {text[:40]!r}.")
        answers[key] = RingAnswer(text, _confidence(stated, where))
    if not answers:
        raise BadInput(f"{path.name} has no answers.")
    return RingAnswers(name or path.stem, version, answers, sha256(content).hexdigest())


def _column(head: list[str], names: Iterable[str]) -> int | None:
    return next((head.index(name) for name in names if name in head), None)


def _confidence(text: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise BadInput(f"{where}: a confidence is 0 to 1, not {text[:40]!r}.")
    return value


def answers_text(answers: RingAnswers) -> str:
    """The CSV that :func:`read_answers` reads."""
    rows = (
        (key, entry.answer, "" if entry.confidence is None else f"{entry.confidence:.6g}")
        for key, entry in answers.answers.items()
    )
    return csv_text(COLUMNS, rows)


def answer_by_rules(
    ring_set: RingSet, rule_ids: Iterable[str], report_progress: ReportProgress = ignore_progress
) -> list[RingAnswers]:
    """The answers of rules, which see only what any scorer sees: image, mask and target color.

    The version of a scorer is the rule's. Raises BadInput for an unknown rule.
    """
    rules = [rule(rule_id) for rule_id in rule_ids] or list(RULES)
    by_rule: dict[str, dict[str, RingAnswer]] = {entry.id: {} for entry in rules}
    rows = sorted(ring_set.rows, key=lambda row: row["image"])
    by_image = groupby(rows, key=lambda row: row["image"])
    for done, (image, group) in enumerate(by_image, 1):
        questions = list(group)
        srgb8 = load_image(ring_set.folder / image).srgb8
        mask = load_mask(ring_set.folder / questions[0]["mask"], srgb8.shape[:2])
        cache = MaskCache()
        for row in questions:
            target = parse_target(row["color"] or row["hex"], row["system"] or None)
            for entry in rules:
                try:
                    measurement = measure(srgb8, mask, target, entry.id, cache=cache)
                except TrueHueError as error:
                    measurement = unscored_measurement(str(error), target, entry.id)
                verdict = measurement.verdict
                percent = verdict.confidence_percent
                answer = {PASS: YES, UNSCORED: NONE}.get(verdict.status, NO)
                by_rule[entry.id][row["id"]] = RingAnswer(
                    answer, None if percent is None else round(float(percent) / 100.0, 4)
                )
        report_progress(done, ring_set.images)
    order = [row["id"] for row in ring_set.rows]
    return [
        RingAnswers(entry.id, entry.version, {key: by_rule[entry.id][key] for key in order})
        for entry in rules
    ]
