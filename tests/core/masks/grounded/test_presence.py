"""Janus of random weights, taught four answers, asked through the code that asks the published."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.core.generation.tiny_janus import save_tiny_janus, teach
from tests.tiny_models.written import written
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.generation.memory import BadModelFolder, waiting_bytes
from truehue.core.machine import Placement
from truehue.core.masks.grounded import presence, transformers_loading
from truehue.core.masks.grounded.presence import JanusPresence, load_presence, question
from truehue.core.masks.grounded.records import PresenceQuestion

pytestmark = pytest.mark.weights

CPU = Placement("cpu", "float32", "none", "")
NAMES = ("apple", "banana", "skis")


def flat(*srgb8: int) -> np.ndarray:
    return np.full((40, 60, 3), srgb8, np.uint8)


RED, YELLOW = flat(200, 30, 30), flat(220, 200, 40)
ANSWERS = {
    "red": (RED, ("Yes", "No", "Maybe")),
    "yellow": (YELLOW, ("No", "Yes", "No, none")),
}


@pytest.fixture(scope="module")
def folder() -> Path:
    lessons = [
        (image, question(name), answer)
        for image, answers in ANSWERS.values()
        for name, answer in zip(NAMES, answers, strict=True)
    ]

    def write(location: Path) -> None:
        teach(save_tiny_janus(location, terms=("Yes", "No")), lessons)

    return written("janus-taught-six", write)


@pytest.fixture(scope="module")
def taught(folder: Path) -> Iterator[JanusPresence]:
    loaded = load_presence(folder, CPU, "0" * 40, "janus-pro-1b")
    yield loaded
    loaded.unload()


@pytest.fixture(scope="module")
def untaught() -> JanusPresence:
    """Its answers say nothing, and differ with every change of what it sees and reads."""
    return load_presence(written("janus", save_tiny_janus), CPU)


def test_yes_no_and_neither(taught: JanusPresence) -> None:
    for image, said in ANSWERS.values():
        answers = taught.ask(image, NAMES)
        assert tuple(answer.text for answer in answers) == said
        assert [answer.object_name for answer in answers] == list(NAMES)
        assert [answer.question for answer in answers] == [question(name) for name in NAMES]
        assert {answer.by for answer in answers} == {"janus-pro-1b"}
    assert [item.answer for item in taught.ask(RED, NAMES)] == ["yes", "no", "unknown"]
    assert [item.answer for item in taught.ask(YELLOW, NAMES)] == ["no", "yes", "no"]


def test_released_asks_its_own_question_under_autocast(
    untaught: JanusPresence, monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = [PresenceQuestion("released", "a red apple", autocast) for autocast in (False, True)]
    monkeypatch.setattr(transformers_loading, "AUTOCAST_DEVICES", ("cuda", "cpu"))
    plain, cast = (untaught.ask(RED, ["apple"], form)[0] for form in forms)
    assert plain.question == cast.question == question("apple", forms[0])
    assert plain.yes_percent != cast.yes_percent
    assert plain.yes_percent == pytest.approx(cast.yes_percent, abs=2)
    with pytest.raises(BadInput, match="The prompt holds '<image_placeholder>'"):
        untaught.ask(RED, ["apple"], PresenceQuestion("released", "an <image_placeholder>"))


def test_how_sure_it_is(taught: JanusPresence) -> None:
    apple, banana, _ = taught.ask(RED, NAMES)
    assert apple.yes_percent is not None
    assert banana.yes_percent is not None
    assert 99 < apple.yes_percent <= 100
    assert 0 <= banana.yes_percent < 1


def test_a_batch_answers_as_one_by_one(taught: JanusPresence, untaught: JanusPresence) -> None:
    """Names of other lengths: left padding changes nothing."""
    names = ("cup", "skis", "airplane", "very long sofa of red leather", "owl")
    image = np.random.default_rng(0).integers(0, 255, (50, 30, 3), np.uint8)
    for model in (taught, untaught):
        together = model.ask(image, names)
        for name, item in zip(names, together, strict=True):
            (alone,) = model.ask(image, [name])
            assert (alone.text, alone.answer, alone.question) == (
                item.text,
                item.answer,
                item.question,
            )
            assert alone.yes_percent == pytest.approx(item.yes_percent, abs=0.01)
    assert len({entry.text for entry in untaught.ask(image, names)}) == len(names)


def test_it_answers_as_transformers_alone(untaught: JanusPresence, folder: Path) -> None:
    """One question at a time, the image through the processor and the model's own forward."""
    import torch
    from PIL import Image

    parts = untaught._parts
    assert parts is not None
    image = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    for name, ours in zip(NAMES, untaught.ask(image, NAMES), strict=True):
        said = [
            {
                "role": "user",
                "content": [{"type": "image"}, {"type": "text", "text": question(name)}],
            }
        ]
        text = parts.processor.apply_chat_template(said, add_generation_prompt=True)
        assert text.count("<image_placeholder>") == 1
        inputs = parts.processor(text=text, images=Image.fromarray(image), return_tensors="pt")
        with torch.inference_mode():
            tokens = parts.model.generate(**inputs, max_new_tokens=10, do_sample=False)
            scores = parts.model(**inputs).logits[0, -1]
        theirs = parts.processor.decode(
            tokens[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True
        )
        assert ours.text == theirs.strip()
        code = parts.processor.tokenizer.convert_tokens_to_ids
        likely = torch.softmax(scores, -1)
        yes, no = (sum(float(likely[code(item)]) for item in two) for two in ("yY", "nN"))
        assert ours.yes_percent == pytest.approx(100 * yes / (yes + no), abs=0.01)


def test_the_image_is_encoded_once_for_all(
    taught: JanusPresence, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert taught._parts is not None
    tower = taught._parts.model.model.vision_model
    seen: list[int] = []
    hook = tower.register_forward_hook(
        lambda *message: seen.append(len(message[1][0]) if message[1] else 1)
    )
    monkeypatch.setattr(presence, "AT_ONCE", 2)
    try:
        answers = taught.ask(RED, [*NAMES, "apple", "apple"])
    finally:
        hook.remove()
    assert len(seen) == 1
    assert [answer.answer for answer in answers] == ["yes", "no", "unknown", "yes", "yes"]


def test_it_needs_no_chance(taught: JanusPresence) -> None:
    import torch

    before = torch.random.get_rng_state()
    assert taught.ask(RED, NAMES) == taught.ask(RED, NAMES)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_nothing_asked_and_what_cannot_be(taught: JanusPresence) -> None:
    assert taught.ask(RED, []) == ()
    with pytest.raises(BadInput, match="no name"):
        taught.ask(RED, ["apple", ""])
    with pytest.raises(BadInput, match="<image_placeholder>"):
        taught.ask(RED, ["apple <image_placeholder>"])
    for image in (RED / 255, RED[..., 0], RED[:0]):
        with pytest.raises(BadInput, match="uint8"):
            taught.ask(image, ["apple"])
    assert len(taught.ask(RED[:1, :1], ["apple"])) == 1


def test_memory_and_unloading(folder: Path, taught: JanusPresence) -> None:
    offloaded = load_presence(folder, Placement("cpu", "float32", "sequential", ""), "", "janus")
    assert 1000 < offloaded.memory_bytes < taught.memory_bytes / 3
    assert waiting_bytes() == offloaded.ram_bytes == taught.memory_bytes
    assert [item.text for item in offloaded.ask(RED, NAMES)] == ["Yes", "No", "Maybe"]
    offloaded.unload()
    offloaded.unload()
    assert offloaded.memory_bytes == offloaded.ram_bytes == waiting_bytes() == 0
    with pytest.raises(TrueHueError, match="janus was unloaded"):
        offloaded.ask(RED, NAMES)


def test_bfloat16(folder: Path) -> None:
    half = load_presence(folder, Placement("cpu", "bfloat16", "none", ""))
    assert [item.answer for item in half.ask(YELLOW, NAMES)] == ["no", "yes", "no"]


def test_numbers_that_are_none(folder: Path) -> None:
    import torch

    broken = load_presence(folder, CPU, "", "janus")
    assert broken._parts is not None
    with torch.no_grad():
        broken._parts.model.lm_head.weight[:] = float("nan")
    with pytest.raises(TrueHueError, match="computed no numbers"):
        broken.ask(RED, ["apple"])


def test_a_folder_without_janus(tmp_path: Path) -> None:
    with pytest.raises(BadModelFolder, match=r"as Janus: .* truehue masks download janus-pro-7b"):
        load_presence(tmp_path, CPU, "", "janus-pro-7b")
