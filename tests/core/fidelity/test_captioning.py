"""Captions by a vision-language model of the real class with random weights: what it says means
nothing, and it is what stands in the table."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.commands import called
from tests.core.photographs import object_photograph
from tests.tiny_models.vlm import SAVED
from tests.tiny_models.written import written
from truehue.core.cli.fidelity import main
from truehue.core.errors import BadInput
from truehue.core.fidelity.building import read_photographs
from truehue.core.fidelity.captioning import (
    COLUMNS,
    INSTRUCTION,
    QUESTION,
    Captioned,
    CaptionSettings,
    CaptionTable,
    captions,
)
from truehue.core.fidelity.groups import CATEGORIES, category_of
from truehue.core.images.load import load_image
from truehue.core.vlm.models.local import open_local
from truehue.core.vlm.models.records import EvaluationStopped, ImagePrompt, NoReply, Reply, Sampling
from truehue.core.vlm.models.registry import model_of

TOKENS = 12


def test_a_category_is_a_reply_that_names_one_and_nothing_else() -> None:
    assert [category_of(name) for name in CATEGORIES] == list(CATEGORIES)
    assert category_of(" **animal**.") == "Animals"
    assert category_of("Category: street scene") == "Street Scene"
    for reply in ("", "s", "A street scene with animals", "Food, Plants", "Scene", "No other one"):
        assert category_of(reply) == ""


def test_a_table_goes_on_and_is_of_one_model(tmp_path: Path) -> None:
    path = tmp_path / "captions.csv"
    table = CaptionTable(path, "tiny", "one")
    assert table.begin() == set()
    table.add(Captioned("a.png", 'a "red" mug, lit', "Food"))
    written_so_far = path.read_bytes()
    path.write_bytes(written_so_far + "b.png,ein grüner".encode()[:-3])  # torn by a kill
    assert table.begin() == {"a.png"}
    assert path.read_bytes() == written_so_far
    with pytest.raises(BadInput, match="another model or with other settings"):
        CaptionTable(path, "tiny", "two").begin()
    for other in (b"file,caption\n", b'{"a": 1}', b"\x89PNG"):
        path.write_bytes(other)
        with pytest.raises(BadInput, match="no table of captions"):
            table.begin()
        assert path.read_bytes() == other
    path.write_text("file,cap")
    assert table.begin() == set()
    assert path.read_text() == ",".join(COLUMNS) + "\n"


def test_what_was_not_answered_is_a_problem_and_no_caption(tmp_path: Path) -> None:
    class Answers:
        """Says what it is told to, a reply a prompt."""

        def answers(self, prompts: object, *_: object) -> Iterator[Reply | NoReply]:
            yield from (
                *(_reply(" A mug \n on a table. "), _reply("food")),
                *(_reply("A mug, a"), _reply("Food")),
                *(_reply("A mug"), NoReply("Memory did not suffice.")),
                *(_reply(" "), _reply("Food")),
                *(_reply("A mug"), _reply("crockery")),
            )

        def close(self) -> None:
            """It holds nothing."""

    def _reply(words: str) -> Reply:
        return Reply(words, "length" if words.endswith(" a") else "stop", 0.0, 8, 8)

    results = list(captions(Answers(), tmp_path, list("abcde"), CaptionSettings(max_tokens=3)))
    assert results == [
        Captioned("a", "A mug on a table.", "Food"),
        Captioned("b", problem="The caption was not finished after 3 tokens."),
        Captioned("c", problem="There is no category. Memory did not suffice."),
        Captioned("d", problem="The model replied nothing."),
        Captioned("e", "A mug", category_problem="The reply names no category: 'crockery'"),
    ]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photographs")
    (folder / "more").mkdir()
    for number, name in enumerate(("a.png", "more/b.png", "more/c.png")):
        Image.fromarray(object_photograph(60, seed=number)[0]).save(folder / name)
    (folder / "d.png").write_bytes(b"no image")
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, photographs: Path) -> Path:
    """A Qwen2.5-VL that ends at a token which it writes about the first photograph."""
    from transformers import AutoTokenizer

    folder = tmp_path_factory.mktemp("model") / "tiny"
    shutil.copytree(written("answers-qwen2_5_vl", SAVED["qwen2_5_vl"]), folder)
    answerer = open_local(model_of(str(folder)))
    generate, outputs = answerer._model.generate, []

    def recorded(**settings: object) -> object:
        outputs.append(generate(**settings))
        return outputs[-1]

    answerer._model.generate = recorded
    prompt = ImagePrompt(INSTRUCTION, lambda: load_image(photographs / "a.png").srgb8)
    list(answerer.answers([prompt], Sampling(TOKENS), lambda: False))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    end = next(
        token
        for token in outputs[0][0, -TOKENS // 2 :].tolist()
        if tokenizer.decode([token], skip_special_tokens=True).strip()
    )
    path = folder / "generation_config.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "eos_token_id": [settings["eos_token_id"], end]}))
    return folder


def _replies(folder: Path, photographs: Path, files: list[str], text: str) -> list[Reply]:
    answerer = open_local(model_of(str(folder)))
    prompts = [
        ImagePrompt(text, lambda file=file: load_image(photographs / file).srgb8)  # type: ignore[misc]
        for file in files
    ]
    replies = list(answerer.answers(prompts, Sampling(TOKENS), lambda: False))
    answerer.close()
    return [reply for reply in replies if isinstance(reply, Reply)]


@pytest.mark.weights
def test_the_command_writes_what_the_model_says_and_build_reads_it(
    model: Path, photographs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "captions.csv"
    line = ["caption", str(photographs), "--model", str(model), "--out", str(out)]
    line += ["--max-tokens", str(TOKENS), "--device", "cpu"]
    files = ["a.png", "more/b.png", "more/c.png"]
    said = dict(zip(files, _replies(model, photographs, files, INSTRUCTION), strict=True))
    whole = {
        file: " ".join(reply.words.split())
        for file, reply in said.items()
        if reply.ending == "stop" and reply.words.strip()
    }
    assert whole
    done = called(main, *line)
    assert done.returncode == 2
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["file"]: row["caption"] for row in rows} == whole
    categories = [
        category_of(reply.words) for reply in _replies(model, photographs, [*whole], QUESTION)
    ]
    assert [row["category"] for row in rows] == categories
    assert "d.png: " in done.stderr
    for name in said.keys() - whole.keys():
        assert f"{name}: The caption was not finished" in done.stderr
    assert f"{4 - len(whole)} without a caption" in done.stdout
    assert [p.caption for p in read_photographs(photographs, out)] == list(whole.values())

    # What is there stays, and what is missing is tried again.
    before = out.read_text()
    out.write_text(before[: before.rindex("\n", 0, -1) + 1])
    again = called(main, *line)
    assert out.read_text() == before
    assert again.returncode == 2
    other = called(main, *line, "--no-categories")
    assert (other.returncode, out.read_text()) == (2, before)
    assert "with other settings" in other.stderr


@pytest.mark.weights
def test_work_ends_between_two_photographs(model: Path, photographs: Path) -> None:
    answerer = open_local(model_of(str(model)))
    with pytest.raises(EvaluationStopped):
        next(captions(answerer, photographs, ["a.png"], CaptionSettings(), lambda: True))
    answerer.close()


def test_bad_requests_are_refused(photographs: Path, tmp_path: Path) -> None:
    line = ["caption", str(photographs), "--out", str(tmp_path / "t.csv"), "--model"]
    for more, text in (
        (["pixels"], "no model with weights"),
        (["http://127.0.0.1:9/v1"], "no model with weights"),
        (["nobody/none"], "hf download nobody/none"),
        (["nobody/none", "--size", "3"], "16 to 8,192"),
        (["nobody/none", "--max-tokens", "0"], "1 to 4,096"),
        (["nobody/none", "--instruction", str(tmp_path)], "cannot be read as UTF-8"),
    ):
        done = called(main, *line, *more)
        assert done.returncode == 2, more
        assert text in done.stderr
    assert not (tmp_path / "t.csv").exists()
