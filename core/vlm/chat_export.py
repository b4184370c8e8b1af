"""Generated questions as conversations for fine-tuning, kept apart from the questions of tests.

A model that was trained on a test's images has seen its answers. So only questions from seeds of
training are written (:data:`truehue.core.vlm.generators.draws.TRAINING_SEEDS`): the page
makes no set from them. Images that a named test has too are left out as well.

The folder has one conversation a line in two files: ``messages.jsonl`` with contents in parts, as
the chat templates of transformers and TRL read it, and ``sharegpt.jsonl`` with ``<image>`` in the
text, as LLaMA-Factory reads it by ``dataset_info.json``. Paths of images are relative to the folder.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.files import whole_folder
from truehue.core.vlm.evaluation.plan import EvaluationFolder
from truehue.core.vlm.generators.draws import TRAINING_SEEDS
from truehue.core.vlm.prompting import prompt_text
from truehue.core.vlm.question_set import MANIFEST, QuestionSet, open_set
from truehue.core.vlm.records import Question

MESSAGES, SHAREGPT = "messages.jsonl", "sharegpt.jsonl"
DATASETS, ABOUT, IMAGES = "dataset_info.json", "about.json", "images"
IMAGE_MARK = "<image>"
"""Where LLaMA-Factory puts the image."""


@dataclass(frozen=True)
class ChatExport:
    """How many conversations a folder has, about how many images, and how many questions were
    ``left_out`` because their image is in a test."""

    conversations: int
    images: int
    left_out: int


def is_training(question: Question) -> bool:
    """Whether a generator made it, or the question that it is a variant of, from a seed of
    training."""
    made = question.construction
    return "generator_version" in made and made.get("seed") in TRAINING_SEEDS


def write_chat(question_set: QuestionSet, out: Path, tests: Sequence[Path] = ()) -> ChatExport:
    """Writes a set's questions with their answers to a new folder. ``tests`` are folders of
    question sets and of evaluations, whose images it shall not have.

    Raises BadInput for a folder that is there, for a set with questions that are none of training,
    where nothing is left, and for a folder that is no test; StorageError as the set.
    """
    if out.exists():
        raise BadInput(f"{out} is there already. Give a folder that is not.")
    questions = list(question_set.questions())
    refused = [question for question in questions if not is_training(question)]
    if refused:
        raise BadInput(
            f"{len(refused):,} of {len(questions):,} questions of {question_set.folder} may be in a "
            f"test, such as {refused[0].question_id}: they are not from a seed of training. Make a "
            "set for training with: truehue vlm make OUT --training"
        )
    tested = {image for folder in tests for image in _images_of(folder)}
    chosen = [question for question in questions if question.image_id not in tested]
    if not chosen:
        raise BadInput("Nothing is left to write: every image of the set is in a test.", "tests")
    by_image = {question.image_id: question for question in chosen}
    export = ChatExport(len(chosen), len(by_image), len(questions) - len(chosen))
    about = {
        "conversations": export.conversations,
        "images": export.images,
        "left_out": export.left_out,
        "questions": question_set.sha256,
        "settings": dict(question_set.settings),
    }
    with whole_folder(out) as folder:
        (folder / IMAGES).mkdir()
        for question in by_image.values():
            question_set.image(question)  # raises for other pixels than its name says
            shutil.copyfile(question_set.image_path(question), folder / _image(question))
        _write_lines(folder / MESSAGES, [_message_record(question) for question in chosen])
        _write_lines(folder / SHAREGPT, [_sharegpt_record(question) for question in chosen])
        _write_json(folder / DATASETS, _dataset_info())
        _write_json(folder / ABOUT, about)
    return export


def _images_of(folder: Path) -> set[str]:
    """The ids of the images of a question set or an evaluation. Raises BadInput for neither."""
    if (folder / MANIFEST).is_file():
        return {question.image_id for question in open_set(folder).questions()}
    return {prompted.question.image_id for prompted in EvaluationFolder(folder).questions}


def _image(question: Question) -> str:
    return f"{IMAGES}/{question.image_id}.png"


def _message_record(question: Question) -> dict[str, Any]:
    """Contents in parts, the image first, as ``vlm run`` sends it."""
    parts = [{"type": "image"}, {"type": "text", "text": prompt_text(question)}]
    answer = [{"type": "text", "text": question.answer}]
    return {
        "messages": [
            {"role": "user", "content": parts},
            {"role": "assistant", "content": answer},
        ],
        "images": [_image(question)],
        "question_id": question.question_id,
    }


def _sharegpt_record(question: Question) -> dict[str, Any]:
    """Contents as text, with a mark where the image is."""
    text = prompt_text(question)
    if IMAGE_MARK in text:
        raise BadInput(f"The question {question.question_id} has {IMAGE_MARK} in its text.")
    return {
        "messages": [
            {"role": "user", "content": IMAGE_MARK + text},
            {"role": "assistant", "content": question.answer},
        ],
        "images": [_image(question)],
    }


def _dataset_info() -> dict[str, Any]:
    """How LLaMA-Factory finds messages and images; the data set's name there is ``truehue``."""
    return {
        "truehue": {
            "file_name": SHAREGPT,
            "formatting": "sharegpt",
            "columns": {"messages": "messages", "images": "images"},
            "tags": {
                "role_tag": "role",
                "content_tag": "content",
                "user_tag": "user",
                "assistant_tag": "assistant",
            },
        }
    }


def _write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write_json(path: Path, record: Mapping[str, Any]) -> None:
    text = json.dumps(record, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
