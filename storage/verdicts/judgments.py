"""People's judgments of verdicts: "I disagree", with a reason. Added, never overwritten."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from truehue.core.errors import BadInput, NotStored
from truehue.core.verdict.rules import STATUSES
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database, aware
from truehue.storage.makers import OWNER

ANSWERS = ("pass", "fail")
MAX_REASON = 2000
_COLUMNS = (
    "judgment_id, question, actor, answer, reason, rule, statuses, image_id, mask_id, run_id, "
    "position, object_name, target, created_at"
)
_LATEST = (
    "SELECT * FROM verdict_judgments "
    "QUALIFY number = max(number) OVER (PARTITION BY question, actor)"
)


@dataclass(frozen=True)
class RuleStatus:
    """What one rule of one version said: ``status`` is pass, fail or unscored."""

    version: str
    status: str


@dataclass(frozen=True)
class JudgmentRecord:
    """One person's answer to the question that a verdict answers: does it have the color?

    ``answer`` is ``pass`` or ``fail``, empty where it was taken back. ``rule`` is the one whose
    verdict the person looked at, ``statuses`` what each rule said then. The question is of a mask,
    an object and a color (``mask_id`` set), or of an image of a run (``run_id`` and ``position``,
    which is -1 elsewhere). It stays when the image is deleted. ``actor`` is whose answer it is;
    the visitors who cannot be told apart, and are called nothing, are one person.
    """

    answer: str
    rule: str
    statuses: Mapping[str, RuleStatus]
    image_id: str
    mask_id: str = ""
    run_id: str = ""
    position: int = -1
    object_name: str = ""
    target: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    actor: str = OWNER
    judgment_id: str = ""
    created_at: datetime | None = None

    @property
    def question(self) -> str:
        """The SHA-256 that names the question, whoever answers it and whichever rule was shown."""
        if self.run_id:  # an image as a whole
            return canonical.digest({"run_id": self.run_id, "position": self.position})
        color = str(self.target.get("hex") or self.target.get("value") or "").upper()
        return canonical.digest(
            {
                "image_id": self.image_id,
                "mask_id": self.mask_id,
                "object_name": self.object_name.strip().lower(),
                "color": color,
                "relation": str(self.target.get("relation") or ""),
            }
        )

    @property
    def agrees(self) -> bool:
        """Whether the person says what the rule that was shown says."""
        return self.answer == self.statuses[self.rule].status


@dataclass(frozen=True)
class RuleAgainstPeople:
    """How often one rule of one version says what people say.

    ``too_strict`` are its fails that people pass, ``too_lenient`` its passes that people fail;
    ``unscored`` are questions that people answered and it did not.
    """

    rule: str
    version: str
    agree: int
    too_strict: int
    too_lenient: int
    unscored: int


class Judgments:
    """The stored judgments of verdicts. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, judgment: JudgmentRecord) -> JudgmentRecord:
        """Store an answer and return it with its id and time; it counts in place of an earlier one
        by the same actor to the same question. An empty answer takes that back.

        Raises :class:`BadInput` for another answer, an unknown status, a rule without a status and
        a reason of over 2,000 characters.
        """
        if judgment.answer not in (*ANSWERS, ""):
            raise BadInput(f"The answer is {judgment.answer!r:.40}: give pass or fail.")
        wrong = [
            status.status for status in judgment.statuses.values() if status.status not in STATUSES
        ]
        if wrong or judgment.rule not in judgment.statuses:
            raise BadInput("A judgment needs the verdict that it is about. Reload the page.")
        reason = canonical.text(judgment.reason, "reason").strip()
        if len(reason) > MAX_REASON:
            raise BadInput(
                f"The reason has {len(reason):,} characters: give at most {MAX_REASON:,}."
            )
        target = canonical.mapping(judgment.target, "target")
        statuses = {
            rule: {"version": rule_status.version, "status": rule_status.status}
            for rule, rule_status in sorted(judgment.statuses.items())
        }
        record = replace(
            judgment,
            reason=reason,
            judgment_id=secrets.token_hex(16),
            created_at=aware(self._database.now()),
        )
        with self._database.transaction() as cursor:
            cursor.execute(
                f"INSERT INTO verdict_judgments (number, {_COLUMNS}) SELECT "
                "coalesce((SELECT max(number) FROM verdict_judgments), 0) + 1, "
                "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?",
                [
                    record.judgment_id,
                    record.question,
                    canonical.text(record.actor, "actor"),
                    record.answer,
                    reason,
                    record.rule,
                    canonical.dump(statuses),
                    record.image_id,
                    record.mask_id,
                    record.run_id,
                    record.position,
                    canonical.text(record.object_name, "object_name"),
                    canonical.dump(target),
                    record.created_at.replace(tzinfo=None) if record.created_at else None,
                ],
            )
        return record

    def get(self, judgment_id: str) -> JudgmentRecord:
        """Return an answer that counts; :class:`NotStored` for another one."""
        records = self._counting("judgment_id = ?", [judgment_id])
        if not records:
            raise NotStored("That judgment was taken back or replaced already.")
        return records[0]

    def withdraw(self, judgment_id: str) -> JudgmentRecord:
        """Take an answer back; the row stays. Raises :class:`NotStored` if it does not count."""
        return self.add(replace(self.get(judgment_id), answer="", reason=""))

    def all(self) -> list[JudgmentRecord]:
        """Return the answers that count, last given first."""
        return self._counting("true", [])

    def of(self, question: str) -> list[JudgmentRecord]:
        """Return the answers to a question (:attr:`JudgmentRecord.question`) that count, one of
        each actor, last given first."""
        return self._counting("question = ?", [question])

    def by_rule(self) -> list[RuleAgainstPeople]:
        """Return how often each rule and version says what people say, rules by name."""
        return against_people(self.all())

    def _counting(self, condition: str, values: Sequence[Any]) -> list[JudgmentRecord]:
        rows = self._database.rows(
            f"SELECT {_COLUMNS} FROM ({_LATEST}) WHERE answer <> '' AND {condition} "
            "ORDER BY number DESC",
            values,
        )
        return [_record(row) for row in rows]


def against_people(judgments: Sequence[JudgmentRecord]) -> list[RuleAgainstPeople]:
    """Counts of every rule and version over answers, rules by name."""
    counts: dict[tuple[str, str], list[int]] = {}
    for judgment in judgments:
        for rule, rule_status in judgment.statuses.items():
            row = counts.setdefault((rule, rule_status.version), [0, 0, 0, 0])
            if rule_status.status == "unscored":
                row[3] += 1
            elif rule_status.status == judgment.answer:
                row[0] += 1
            else:
                row[1 if judgment.answer == "pass" else 2] += 1
    return [RuleAgainstPeople(*key, *row) for key, row in sorted(counts.items())]


def _record(row: tuple[Any, ...]) -> JudgmentRecord:
    fields = dict(zip(_COLUMNS.split(", "), row, strict=True))
    del fields["question"]
    fields["statuses"] = {
        rule: RuleStatus(**status_json)
        for rule, status_json in json.loads(fields["statuses"]).items()
    }
    fields["target"] = json.loads(fields["target"])
    fields["created_at"] = aware(fields["created_at"])
    return JudgmentRecord(**fields)
