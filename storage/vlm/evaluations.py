"""Evaluations: an index of the answers in their folders, updated while they run."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import duckdb

from truehue.core.vlm.evaluation.log import reader_of_plan
from truehue.core.vlm.evaluation.plan import EvaluationFolder
from truehue.core.vlm.evaluation.work import EvaluationWork, ModelAnswer
from truehue.core.vlm.parsing import VERSIONS
from truehue.core.vlm.records import Answer, Outcome
from truehue.storage.database import canonical
from truehue.storage.database.connection import Database


@dataclass(frozen=True)
class StoredAnswers:
    """The answers of an evaluation in the order of its questions; ``cut_off`` counts those that
    ended because their tokens were used up."""

    answers: Sequence[Answer]
    cut_off: int


class Evaluations:
    """The evaluations that the database knows. Their folders stay what they are, and the index can
    be built again from them. Any thread may call."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ingesting = threading.Lock()

    def ingest(self, folder: EvaluationFolder) -> int:
        """Store what is new in the shards and journals of an evaluation, as every version of the
        parser reads it, and return how many answers that were.

        Calling it again, or from two threads at once, changes nothing. Raises :class:`BadInput`
        for a folder without a whole plan or whose questions were changed, and :class:`BadShard`
        for a damaged shard.
        """
        with self._ingesting:
            answers = list(EvaluationWork(folder.path).answers())
            stored = self._stored(folder.run_id)
            new = [item for item in answers if stored.get(item.position) != _mark(item)]
            gone = stored.keys() - {item.position for item in answers}
            if new or gone or not stored:
                with self._database.transaction() as cursor:
                    number = self._register(cursor, folder)
                    _delete(cursor, number, [*gone, *(item.position for item in new)])
                    _write(cursor, number, folder, new)
            return len(new)

    def answers(
        self, evaluation_ids: Collection[str], parser: str = ""
    ) -> dict[str, StoredAnswers]:
        """Return the answers of evaluations, each read by the parser that it began with, or all by
        the one that is named."""
        rows = self._database.rows(
            """
            SELECT evaluation_id, question_id, words, reading, outcome, reason, cut_off
            FROM evaluations AS e JOIN evaluation_readings AS r USING (evaluation_no)
                JOIN evaluation_answers USING (evaluation_no, position)
            WHERE evaluation_id IN (SELECT unnest(?::VARCHAR[]))
                AND r.parser = coalesce(nullif(?, ''), e.parser)
            ORDER BY evaluation_no, position
            """,
            [list(evaluation_ids), parser],
        )
        by_id: dict[str, list[tuple[Answer, bool]]] = {key: [] for key in evaluation_ids}
        for key, question_id, words, reading, outcome, reason, cut_off in rows:
            answer = Answer(question_id, words, reading, Outcome(outcome), reason)
            by_id[key].append((answer, cut_off))
        return {
            key: StoredAnswers([answer for answer, _ in items], sum(cut for _, cut in items))
            for key, items in by_id.items()
        }

    def _stored(self, evaluation_id: str) -> dict[int, tuple[int, str, int]]:
        """What is stored of each question, as :func:`_mark` compares it."""
        rows = self._database.rows(
            """
            SELECT position, any_value(attempt), any_value(words), count(r.parser)
            FROM evaluations JOIN evaluation_answers USING (evaluation_no)
                LEFT JOIN evaluation_readings AS r USING (evaluation_no, position)
            WHERE evaluation_id = ? GROUP BY position
            """,
            [evaluation_id],
        )
        return {position: (attempt, words, parsers) for position, attempt, words, parsers in rows}

    def _register(self, cursor: duckdb.DuckDBPyConnection, folder: EvaluationFolder) -> int:
        """The number of an evaluation, which gets a row first."""
        sql = "SELECT evaluation_no FROM evaluations WHERE evaluation_id = ?"
        row = cursor.execute(sql, [folder.run_id]).fetchone()
        if row is not None:
            return int(row[0])
        model = folder.model()
        cursor.execute(
            "INSERT INTO evaluations "
            "SELECT coalesce(max(evaluation_no) + 1, 0), ?, ?, ?, ?, ?, ?, ?, ? FROM evaluations",
            [
                folder.run_id,
                folder.source().checksum,
                model.id,
                model.kind,
                canonical.dump(folder.summary()["settings"]),
                folder.parser(),
                folder.total,
                self._database.now(),
            ],
        )
        return self._register(cursor, folder)


def _mark(item: ModelAnswer) -> tuple[int, str, int]:
    """Tells whether a stored answer is this one, read by every version of the parser."""
    return item.attempt, item.words, len(VERSIONS)


def _delete(cursor: duckdb.DuckDBPyConnection, number: int, positions: Sequence[int]) -> None:
    for table in ("evaluation_answers", "evaluation_readings"):
        cursor.execute(
            f"DELETE FROM {table} WHERE evaluation_no = ? "
            "AND position IN (SELECT unnest(?::INTEGER[]))",
            [number, positions],
        )


def _write(
    cursor: duckdb.DuckDBPyConnection,
    number: int,
    folder: EvaluationFolder,
    items: Sequence[ModelAnswer],
) -> None:
    questions = [prompted.question for prompted in folder.questions]
    answers = [
        (
            number,
            item.position,
            item.question_id,
            questions[item.position].task,
            item.attempt,
            item.words,
            item.cut_off,
            item.seconds,
            item.tokens_in,
            item.tokens_out,
        )
        for item in items
    ]
    readings = []
    for parser in VERSIONS:
        reader = reader_of_plan(folder, parser)
        for item in items:
            answer = item.read(questions[item.position], reader)
            reading, outcome = answer.reading, str(answer.outcome)
            readings.append((number, item.position, parser, reading, outcome, answer.reason))
    _insert(cursor, "evaluation_answers", answers)
    _insert(cursor, "evaluation_readings", readings)


def _insert(
    cursor: duckdb.DuckDBPyConnection, table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    if not rows:
        return
    columns = [list(column) for column in zip(*rows, strict=True)]
    cursor.execute(f"INSERT INTO {table} SELECT {', '.join(['unnest(?)'] * len(columns))}", columns)
