"""A question set as a dataset for the hub, with ``eval.yaml``, by which inspect-ai evaluates models
on it (https://huggingface.co/docs/hub/eval-results)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.export.dataset.folder import (
    IMAGE,
    SPLIT,
    TEXTS,
    DatasetAbout,
    DatasetColumn,
    DatasetTable,
    write_dataset,
    yaml_text,
)
from truehue.core.files import whole_folder
from truehue.core.published import bibtex
from truehue.core.version import VERSION
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Form, Question
from truehue.core.vlm.tasks import APPENDIX_E, TASKS

EVAL = "eval.yaml"
ROWS = 64
"""Of a row group, so that the hub's viewer reads few images for a page."""
_COLUMNS = (
    DatasetColumn("question_id", "text", "The question; unique in the set."),
    DatasetColumn("task", "text", "The task's id."),
    DatasetColumn("question", "text", "The question's text, without its choices."),
    DatasetColumn("choices", TEXTS, "The choices in the order of their letters."),
    DatasetColumn("answer", "text", "The right answer."),
    DatasetColumn("image", IMAGE, "The image, PNG, sRGB."),
    DatasetColumn("image_uri", "text", "The same PNG as a data URI, which inspect-ai reads."),
    DatasetColumn("image_sha256", "text", "SHA-256 of the image's pixels."),
    DatasetColumn("seed_id", "text", "Of a variant, the question that it was made from."),
    DatasetColumn("variant", "text", "Which variant it is; empty for an original."),
    DatasetColumn("construction", "text", "JSON: what made the question, and what was measured."),
)
_SOLVING = {
    Form.CHOICE: ("multiple_choice", "choice"),
    Form.BINARY: ("generate", "match"),
    Form.OPEN: ("generate", "includes"),
}
_ANSWERS = {
    Form.CHOICE: "A letter of the choices.",
    Form.BINARY: "yes or no.",
    Form.OPEN: "The expected words.",
}
_SOFTWARE = f"""@software{{truehue,
  title = {{TrueHue}},
  version = {{{VERSION}}},
}}
"""


def share_question_set(questions: QuestionSet, folder: Path, dataset_id: str, license: str) -> None:
    """Write the dataset folder of a question set, whole or not at all.

    Questions with choices, with yes or no, and open ones are a table each. Raises BadInput for a
    folder that is there, and StorageError for an image that is gone.
    """
    if folder.exists():
        raise BadInput(f"{folder} is there already. Name a new folder.")
    forms = [form for form in Form if any(item.form is form for item in questions.questions())]
    about = _about(questions, dataset_id, license)
    with whole_folder(folder) as half:
        write_dataset(half, about, [_table(questions, form) for form in forms])
        (half / EVAL).write_text(_eval(about, forms), encoding="utf-8")


def _about(questions: QuestionSet, dataset_id: str, license: str) -> DatasetAbout:
    tasks = {task: TASKS[task].name if task in TASKS else task for task in questions.counts}
    counts = "\n".join(f"- {tasks[task]}: {count:,}" for task, count in questions.counts.items())
    return DatasetAbout(
        dataset_id,
        license,
        questions.name,
        f"{questions.questions_count:,} questions about color in {questions.images_count:,} images, "
        "for vision-language models.",
        f"{counts}\n\n`eval.yaml` names what inspect-ai needs: `inspect eval hf/{dataset_id}`. "
        "TrueHue reads free answers by a parser of its own, so its scores can differ from those of "
        "inspect-ai's scorers.\n\n"
        f"SHA-256 of the questions: `{questions.sha256}`",
        ("vision-language-models", "visual-question-answering", "benchmark"),
        ("visual-question-answering",),
        _citation(questions),
        {
            "dataCollection": "The questions of a set of TrueHue, made with the settings "
            + json.dumps(dict(questions.settings), ensure_ascii=False, sort_keys=True),
            "dataUseCases": "Evaluation of vision-language models on questions about color. Not for "
            "training: a model that has seen the questions cannot be evaluated on them.",
            "dataLimitations": "Scores hold for images of this kind alone. Colors are sRGB values; "
            "what people see depends on display and surround.",
            "dataReleaseMaintenancePlan": "A changed set has another SHA-256 and is another dataset.",
        },
    )


def _citation(questions: QuestionSet) -> str:
    """BibTeX of TrueHue and of the papers whose tasks are in the set."""
    judged = {task.id for task in APPENDIX_E}
    papers = {
        "gencolorbench" if task in judged else "colorbench"
        for task in questions.counts
        if task in TASKS
    }
    return f"{_SOFTWARE}\n{bibtex(sorted(papers))}"


def _columns(form: Form) -> tuple[DatasetColumn, ...]:
    named = {"answer": DatasetColumn("answer", "text", f"The right answer. {_ANSWERS[form]}")}
    return tuple(
        named.get(column.name, column)
        for column in _COLUMNS
        if form is Form.CHOICE or column.name != "choices"
    )


def _table(questions: QuestionSet, form: Form) -> DatasetTable:
    columns = _columns(form)
    return DatasetTable(str(form), columns, lambda path: _write(questions, form, columns, path))


def _write(
    questions: QuestionSet, form: Form, columns: tuple[DatasetColumn, ...], path: Path
) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    kinds = {IMAGE: image, TEXTS: pa.list_(pa.string()), "text": pa.string()}
    schema = pa.schema([(column.name, kinds[column.kind]) for column in columns])
    count, rows = 0, []
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for row in _rows(questions, form):
            rows.append({column.name: row[column.name] for column in columns})
            count += 1
            if len(rows) == ROWS:
                writer.write_table(pa.Table.from_pylist(rows, schema))
                rows = []
        if rows:
            writer.write_table(pa.Table.from_pylist(rows, schema))
    return count


def _rows(questions: QuestionSet, form: Form) -> Iterator[dict[str, Any]]:
    for question in questions.questions():
        if question.form is form:
            questions.image(question)  # raises for a file that is gone or holds another image
            yield _row(question, questions.image_path(question).read_bytes())


def _row(question: Question, png: bytes) -> dict[str, Any]:
    return {
        "question_id": question.question_id,
        "task": question.task,
        "question": question.text,
        "choices": list(question.choices),
        "answer": question.answer,
        "image": {"bytes": png, "path": f"{question.image_id}.png"},
        "image_uri": f"data:image/png;base64,{base64.b64encode(png).decode()}",
        "image_sha256": question.image_id,
        "seed_id": question.seed_id,
        "variant": question.variant,
        "construction": json.dumps(dict(question.construction), ensure_ascii=False, sort_keys=True),
    }


def _eval(about: DatasetAbout, forms: list[Form]) -> str:
    """``eval.yaml``: one task a table."""
    tasks = []
    for form in forms:
        solver, scorer = _SOLVING[form]
        fields = {"input": "question", "input_image": "image_uri", "target": "answer"}
        if form is Form.CHOICE:
            fields["choices"] = "choices"
        tasks.append(
            {
                "id": str(form),
                "config": str(form),
                "split": SPLIT,
                "field_spec": fields,
                "solvers": [{"name": solver}],
                "scorers": [{"name": scorer}],
            }
        )
    return yaml_text(
        {
            "name": about.title,
            "description": about.description,
            "evaluation_framework": "inspect-ai",
            "tasks": tasks,
        }
    )
