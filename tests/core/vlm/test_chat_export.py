"""Conversations for fine-tuning: as chat templates read them, and without what a test has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.workers_here import workers_here
from truehue.core.cli.vlm import main
from truehue.core.vlm.generators import GeneratedSettings, generated
from truehue.core.vlm.generators.draws import TRAINING_SEEDS
from truehue.core.vlm.prompting import prompt_text
from truehue.core.vlm.question_set import open_set, write_set
from truehue.tabs.vlm.making import MakeSet

__all__ = ["workers_here"]


def make(out: Path, *options: str) -> Path:
    done = called(main, "make", str(out), "--count", "3", "--tasks", "color_extraction",
                  "color_illusion", *options)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six questions of the seventh seed of training."""
    return make(tmp_path_factory.mktemp("sets") / "training", "--training", "--seed", "7")


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_question_is_a_conversation_with_its_image(training: Path, tmp_path: Path) -> None:
    out = tmp_path / "chat"
    done = called(main, "chat", str(training), str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("6 conversations about 6 images")
    questions = list(open_set(training).questions())
    messages, sharegpt = lines_of(out / "messages.jsonl"), lines_of(out / "sharegpt.jsonl")
    assert [line["question_id"] for line in messages] == [item.question_id for item in questions]
    entry = json.loads((out / "dataset_info.json").read_text(encoding="utf-8"))["truehue"]
    assert (out / entry["file_name"]).is_file()
    for question, parts, text in zip(questions, messages, sharegpt, strict=True):
        user, assistant = parts["messages"]
        assert [part["type"] for part in user["content"]] == ["image", "text"]
        assert user["content"][1]["text"] == prompt_text(question)
        assert assistant["content"] == [{"type": "text", "text": question.answer}]
        (path,) = parts["images"]
        with Image.open(out / path) as image:
            np.testing.assert_array_equal(image, open_set(training).image(question))
        turns = text[entry["columns"]["messages"]]
        tags = entry["tags"]
        assert [turn[tags["role_tag"]] for turn in turns] == [
            tags["user_tag"], tags["assistant_tag"]
        ]  # fmt: skip
        content = [turn[tags["content_tag"]] for turn in turns]
        assert content == ["<image>" + prompt_text(question), question.answer]
        assert text[entry["columns"]["images"]] == [path]


@pytest.mark.weights
def test_a_chat_template_reads_them(
    training: Path, tmp_path: Path, tiny_vision: Callable[[str], Path]
) -> None:
    from transformers import AutoProcessor

    out = tmp_path / "chat"
    assert called(main, "chat", str(training), str(out)).returncode == 0
    processor = AutoProcessor.from_pretrained(tiny_vision("qwen2_5_vl"))
    line = lines_of(out / "messages.jsonl")[0]
    text = processor.apply_chat_template(line["messages"], tokenize=False)
    user, assistant = line["messages"]
    before, _, after = text.partition(user["content"][1]["text"])
    assert processor.image_token in before
    assert assistant["content"][0]["text"] in after
    with Image.open(out / line["images"][0]) as image:
        inputs = processor(text=[text], images=[image], return_tensors="pt")
    tokens = processor.tokenizer.convert_tokens_to_ids(processor.image_token)
    merged = processor.image_processor.merge_size**2
    assert (inputs["input_ids"] == tokens).sum() == inputs["image_grid_thw"].prod() // merged


def test_questions_of_a_test_are_refused(training: Path, tmp_path: Path) -> None:
    """A test's seeds are refused, and so is a set with a single question of one."""
    test = make(tmp_path / "test", "--seed", "7")
    mixed = write_set(
        tmp_path / "mixed",
        [*open_set(training).illustrated(), next(iter(open_set(test).illustrated()))],
        "Mixed",
        {},
    )
    for folder, count in ((test, "6 of 6"), (mixed.folder, "1 of 7")):
        refused = called(main, "chat", str(folder), str(tmp_path / "none"))
        assert refused.returncode == 2
        assert count in refused.stderr
        assert "vlm make OUT --training" in refused.stderr
        assert not (tmp_path / "none").exists()
    images = [{q.image_id for q in open_set(folder).questions()} for folder in (training, test)]
    assert not images[0] & images[1], "the same number, other images"
    limits = MakeSet.model_fields["seed"].metadata
    assert max(limit.le for limit in limits if hasattr(limit, "le")) < TRAINING_SEEDS.start
    refused = called(main, "make", str(tmp_path / "none"), "--training", "--seed", str(2**31))
    assert (refused.returncode, "With --training" in refused.stderr) == (2, True)


def test_images_that_a_test_has_are_left_out(
    training: Path, tmp_path: Path, workers_here: None
) -> None:
    """Of a set of a test, and of an evaluation that somebody made on part of the set itself."""
    settings = GeneratedSettings({"color_extraction": 2}, seed=TRAINING_SEEDS[7])
    test = write_set(tmp_path / "test", generated(settings), "Test", {}).folder
    answers = tmp_path / "answers"
    run = called(main, "run", str(training), "--model", "chance", "--out", str(answers),
                 "--tasks", "color_illusion", "--limit", "1")  # fmt: skip
    assert run.returncode == 0, run.stderr
    out = tmp_path / "chat"
    done = called(main, "chat", str(training), str(out), "--tests", str(test), str(answers))
    assert "3 questions were left out: a test has their image." in done.stderr
    kept = [line["question_id"] for line in lines_of(out / "messages.jsonl")]
    tested = {question.question_id for question in open_set(test).questions()}
    assert len(kept) == 3
    assert not tested & set(kept)
    assert len(list((out / "images").iterdir())) == 3
    for options, text in (
        (("--tests", str(training)), "Nothing is left"),
        (("--tests", str(tmp_path)), ""),
    ):
        refused = called(main, "chat", str(training), str(tmp_path / "none"), *options)
        assert (refused.returncode, text in refused.stderr) == (2, True), refused.stderr
    again = called(main, "chat", str(training), str(out))
    assert "is there already" in again.stderr
