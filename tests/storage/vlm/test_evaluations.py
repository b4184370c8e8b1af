"""Answers of evaluations in the database: the same as in their folders, whatever happens there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.batch.here import team_here
from tests.core.vlm.questions_made import save_set
from tests.reference.database import NOTES
from truehue.core.batch.execute import execute
from truehue.core.batch.records import FAILED
from truehue.core.batch.shards import BadShard, write_shard
from truehue.core.errors import BadInput
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.evaluation.plan import (
    EvaluationFolder,
    EvaluationSettings,
    begin,
    read_questions,
)
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.parsing import VERSIONS
from truehue.storage import Storage
from truehue.storage.database.connection import DATABASE_NAME, Database
from truehue.storage.database.migrations import MIGRATIONS

QUESTIONS = 6


def evaluation(tmp_path: Path, seed: int = 0, *, run: bool = True) -> EvaluationFolder:
    """An evaluation of the baseline that guesses."""
    subject = tmp_path / "set"
    if not subject.is_dir():
        save_set(subject, QUESTIONS)
    questions, source = read_questions(subject)
    folder = tmp_path / f"evaluation-{seed}"
    begin(
        folder,
        questions,
        source,
        lambda question: question.text,
        model_of("chance"),
        EvaluationSettings(seed=seed),
    )
    work = EvaluationWork(folder)
    if run:
        execute(work, team=team_here(work, 1))
    return EvaluationFolder(folder)


def row(position: int, attempt: int, words: str) -> dict[str, object]:
    status, reason = ("done", "") if words else (FAILED, "The server is busy.")
    return {
        "position": position,
        "attempt": attempt,
        "status": status,
        "reason": reason,
        "question_id": f"q{position:03d}",
        "words": words,
        "ending": "length" if attempt == 3 else "stop",
    }


def seal(folder: EvaluationFolder, name: str, *rows: dict[str, object]) -> None:
    write_shard(folder.shard_folder / f"{name}.parquet", rows, EvaluationWork(folder.path).schema())


def same(storage: Storage, folder: EvaluationFolder) -> None:
    """The database has the answers of the folder, by every parser."""
    for parser in ("", *VERSIONS):
        log = read_log(folder.path, parser)
        stored = storage.evaluations.answers([folder.run_id], parser)[folder.run_id]
        assert (list(stored.answers), stored.cut_off) == (list(log.answers), log.cut_off)
    assert storage.check() == []


def test_answers_are_stored_once_and_are_those_of_the_folder(
    storage: Storage, tmp_path: Path
) -> None:
    folder = evaluation(tmp_path)
    assert storage.evaluations.ingest(folder) == QUESTIONS
    same(storage, folder)
    tables = ("evaluations", "evaluation_answers", "evaluation_readings")
    before = [storage._database.rows(f"FROM {table} ORDER BY ALL") for table in tables]
    assert storage.evaluations.ingest(folder) == 0
    assert [storage._database.rows(f"FROM {table} ORDER BY ALL") for table in tables] == before


def test_an_index_follows_what_is_sealed_tried_again_and_lost(
    storage: Storage, tmp_path: Path
) -> None:
    folder = evaluation(tmp_path, run=False)
    assert storage.evaluations.ingest(folder) == 0
    same(storage, folder)
    seal(folder, "a", row(0, 1, "A"), row(1, 1, ""))
    assert storage.evaluations.ingest(folder) == 2
    same(storage, folder)
    seal(folder, "b", row(1, 2, "(B)"), row(2, 3, "C or D"))
    assert storage.evaluations.ingest(folder) == 2
    same(storage, folder)
    (folder.shard_folder / "b.parquet").unlink()
    assert storage.evaluations.ingest(folder) == 1
    same(storage, folder)


def test_a_new_version_of_the_parser_reads_old_answers(storage: Storage, tmp_path: Path) -> None:
    folder = evaluation(tmp_path)
    storage.evaluations.ingest(folder)
    with storage._database.transaction() as cursor:
        cursor.execute("DELETE FROM evaluation_readings WHERE parser = ?", [VERSIONS[-1]])
    assert storage.evaluations.ingest(folder) == QUESTIONS
    same(storage, folder)


def test_what_cannot_be_read_is_refused_and_leaves_the_rows(
    storage: Storage, tmp_path: Path
) -> None:
    folder = evaluation(tmp_path)
    storage.evaluations.ingest(folder)
    (folder.shard_folder / "z.parquet").write_bytes(b"torn")
    with pytest.raises(BadShard, match=r"z\.parquet cannot be read"):
        storage.evaluations.ingest(folder)
    assert len(storage.evaluations.answers([folder.run_id])[folder.run_id].answers) == QUESTIONS
    other = evaluation(tmp_path, seed=1)
    (other.path / "questions.jsonl").write_text("{}\n")
    with pytest.raises(BadInput, match="was changed since the evaluation started"):
        storage.evaluations.ingest(EvaluationFolder(other.path))


def test_one_query_compares_all_evaluations(storage: Storage, tmp_path: Path) -> None:
    folders = [evaluation(tmp_path, seed) for seed in range(3)]
    for folder in folders:
        storage.evaluations.ingest(folder)
    query = NOTES.partition("```sql\n")[2].partition("```")[0]
    shares = {}
    for folder in folders:
        answers = read_log(folder.path).answers
        right = sum(answer.outcome == "right" for answer in answers) / QUESTIONS
        shares[folder.run_id] = ("chance", folder.run_id, "color_recognition", right)
    assert sorted(storage._database.rows(query)) == sorted(shares.values())


def test_a_data_folder_of_before_gets_its_answers(data_dir: Path, tmp_path: Path) -> None:
    folder = evaluation(tmp_path)
    data_dir.mkdir()
    Database.open(data_dir / DATABASE_NAME, migrations=MIGRATIONS[:14]).close()
    with Storage.open(data_dir) as storage:
        assert storage.evaluations.ingest(folder) == QUESTIONS
        same(storage, folder)
