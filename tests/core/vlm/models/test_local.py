"""Local models: one loop for every architecture, whole files or a reason, nothing downloaded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.core.vlm.questions_made import flat
from tests.tiny_models.vlm import SAVED
from truehue.core.errors import BadInput, ImageError
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.weights.sources import Sources
from truehue.core.vlm.models.local import LocalAnswerer, open_local
from truehue.core.vlm.models.records import (
    EvaluationStopped,
    ImagePrompt,
    NoReply,
    Reply,
    Sampling,
    VisionModel,
)
from truehue.core.vlm.models.registry import fingerprint, model_of

pytestmark = pytest.mark.weights

Tiny = Callable[[str], Path]
SHORT = Sampling(max_tokens=6)
IMAGES = (flat(0), flat(3), np.full((60, 20, 3), 250, np.uint8))
SEEN = {
    "qwen2_5_vl": "28 × 56 pixels, 2 tokens",
    "internvl": "4 of 28 × 28, 16 tokens",
    "llava_onevision": "3 of 28 × 28, 40 tokens",
    "janus": "32 × 32 pixels, 16 tokens",
    "instructblip": "28 × 28 pixels, 4 tokens",
}
"""What each makes of the last image, 20 pixels wide and 60 high."""


def opened(folder: Path, **settings: object) -> LocalAnswerer:
    return open_local(model_of(str(folder), settings))


def asks(images: tuple[np.ndarray, ...] = IMAGES) -> list[ImagePrompt]:
    # Of different lengths, so that a batch is padded.
    return [
        ImagePrompt(f"{'Well, ' * n}which color is this?", partial(np.copy, image), seed=n)
        for n, image in enumerate(images)
    ]


def replies(
    model: LocalAnswerer, questions: list[ImagePrompt], sampling: Sampling = SHORT
) -> list[Reply | NoReply]:
    return list(model.answers(questions, sampling, lambda: False))


@pytest.mark.parametrize("kind", SAVED)
def test_each_architecture_answers_alone_as_in_a_batch(kind: str, tiny_vision: Tiny) -> None:
    model = opened(tiny_vision(kind), batch=3)
    together = replies(model, asks())
    alone = [reply for ask in asks() for reply in replies(model, [ask])]
    for item, same, image in zip(together, alone, IMAGES, strict=True):
        assert isinstance(item, Reply)
        assert isinstance(same, Reply)
        assert (item.words, item.seen, item.tokens_in) == (same.words, same.seen, same.tokens_in)
        assert (item.height, item.width) == image.shape[:2]
        assert item.tokens_out
        assert item.tokens_out <= 6
        assert item.ending == ("length" if item.tokens_out == 6 else "stop")
    assert isinstance(together[2], Reply)
    assert together[2].seen == SEEN[kind]
    # The image is read: the same question of another one has another answer.
    (other,) = replies(model, [ImagePrompt(asks()[2].prompt, lambda: 255 - IMAGES[2])])
    assert isinstance(other, Reply)
    assert other.words != together[2].words


def test_one_bad_question_costs_no_other(tiny_vision: Tiny) -> None:
    def broken() -> np.ndarray:
        raise ImageError("The image is cut short.")

    model = opened(tiny_vision("qwen2_5_vl"), batch=4)
    good, thin = asks()[0], np.zeros((1, 400, 3), np.uint8)
    answers = replies(model, [good, ImagePrompt("?", broken), ImagePrompt("?", lambda: thin), good])
    assert isinstance(answers[0], Reply)
    assert isinstance(answers[3], Reply)
    assert answers[0].words == answers[3].words
    assert [str(answer) for answer in answers[1:3] if isinstance(answer, NoReply)] == [
        "The image is cut short.",
        "The model failed (ValueError: absolute aspect ratio must be smaller than 200, got 400.0).",
    ]
    (long,) = replies(opened(tiny_vision("janus")), [ImagePrompt("a" * 300, lambda: IMAGES[0])])
    assert isinstance(long, NoReply)
    assert "no room for 6 more" in str(long)
    assert not long.counts


def test_chance_follows_the_seed_and_a_stop_comes_between_two_tokens(tiny_vision: Tiny) -> None:
    model = opened(tiny_vision("qwen2_5_vl"), batch=3)
    hot = Sampling(max_tokens=6, temperature=2.0)
    first = [reply.words for reply in replies(model, asks(), hot) if isinstance(reply, Reply)]
    again = [reply.words for reply in replies(model, asks()[1:], hot) if isinstance(reply, Reply)]
    assert first[1:] == again
    other = replies(model, [ImagePrompt(asks()[0].prompt, asks()[0].pixels, seed=77)], hot)
    assert isinstance(other[0], Reply)
    assert other[0].words != first[0]
    # What a model's own file says of chance, such as Qwen2-VL's top_k of 1, leaves no chance.
    model._model.generation_config.top_k, model._model.generation_config.top_p = 1, 0.001
    assert [
        reply.words for reply in replies(model, asks(), hot) if isinstance(reply, Reply)
    ] == first
    own = Sampling(max_tokens=6, temperature=2.0, all_tokens=False)
    seeds = [ImagePrompt(asks()[0].prompt, asks()[0].pixels, seed=seed) for seed in (1, 2)]
    item, two = (reply.words for reply in replies(model, seeds, own) if isinstance(reply, Reply))
    assert item == two
    looked: list[int] = []

    def at_the_third() -> bool:
        looked.append(1)
        return len(looked) > 3

    with pytest.raises(EvaluationStopped):
        list(model.answers(asks()[:1], Sampling(max_tokens=500), at_the_third))
    assert len(looked) < 10
    model.close()


def test_what_is_not_here_is_said_with_its_command(tmp_path: Path) -> None:
    nowhere = Sources(tmp_path, tmp_path)
    with pytest.raises(ModelMissing, match=r"hf download Qwen/Qwen2\.5-VL-3B") as caught:
        open_local(model_of("qwen2.5-vl-3b"), nowhere)
    for ending in (".bin", ".pth", ".pt"):  # never opened, so never fetched
        assert f'--exclude "*{ending}"' in str(caught.value)
    with pytest.raises(ModelMissing, match="no folder /gone"):
        open_local(VisionModel("gone", "local", "/gone"), nowhere)


def test_files_that_cannot_be_loaded_are_named(tiny_vision: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "owner--qwen"
    shutil.copytree(tiny_vision("qwen2_5_vl"), folder)
    sources = Sources(tmp_path, tmp_path)
    model = model_of("owner/qwen")
    assert isinstance(open_local(model, sources), LocalAnswerer)
    (folder / "chat_template.jinja").rename(folder / "template")
    with pytest.raises(BadModelFolder, match="no chat template"):
        open_local(model, sources)
    config = json.loads((folder / "config.json").read_text())
    own_code = {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModel": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config | own_code))
    (folder / "own.py").write_text("raise SystemExit('code of a repository ran')")
    with pytest.raises(BadModelFolder, match="code of its own, which TrueHue never runs"):
        open_local(model, sources)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(BadModelFolder, match=r"model\.safetensors"):
        open_local(model, sources)
    weights.rename(folder / "pytorch_model.bin")
    with pytest.raises(BadModelFolder, match="only pickled weights"):
        open_local(model, sources)
    (folder / "config.json").unlink()
    with pytest.raises(BadModelFolder, match=r"no config\.json"):
        open_local(model, sources)


def test_a_fingerprint_is_of_files_and_dtype_wherever_they_lie(
    tiny_vision: Tiny, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(tiny_vision("janus"), folder)
    vision_model = model_of(str(tiny_vision("janus")), {"batch": 2})
    assert fingerprint(model_of(str(folder))) == fingerprint(vision_model)
    assert fingerprint(model_of(str(folder), {"dtype": "float16"})) != fingerprint(vision_model)
    (folder / "generation_config.json").write_text("{}")
    assert fingerprint(model_of(str(folder))) != fingerprint(vision_model)


@pytest.mark.parametrize(
    ("name", "settings", "text"),
    [
        ("no such thing", {}, "is no model"),
        ("owner/name", {"dtype": "int4"}, "The dtype is auto"),
        ("owner/name", {"device": "tpu"}, "A device is auto"),
        ("owner/name", {"batch": 0}, "batch is a number from 1"),
        ("owner/name", {"speed": 3}, "'speed' is no setting"),
        ("http://127.0.0.1:1/v1", {}, "A setting is missing|Name the model"),
        ("http://me:secret@127.0.0.1/v1", {"model": "m"}, "holds a user or a password"),
        ("http://127.0.0.1/v1", {"model": "m", "key_env": "sk-123 4"}, "key_env"),
        ("http://127.0.0.1/v1", {"model": "m", "timeout_s": 0}, "timeout_s is a number"),
        ("http://127.0.0.1/v1", {"model": "m", "length": "n"}, "length is max_tokens"),
    ],
)
def test_models_that_cannot_be_are_refused(name: str, settings: dict, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        model_of(name, settings)


def test_the_first_token_has_probabilities_of_letters(tiny_vision: Tiny) -> None:
    import torch

    model = opened(tiny_vision("qwen2_5_vl"), batch=2)
    plain, lettered = asks()[0], ImagePrompt(asks()[0].prompt, asks()[0].pixels, letters="ABC")
    without, with_letters = replies(model, [plain, lettered])
    assert isinstance(without, Reply)
    assert isinstance(with_letters, Reply)
    assert without.letters == {}
    assert without.words == with_letters.words
    # The same by a pass of the model's own over the prompt.
    inputs = model._inputs([lettered], [lettered.pixels()])
    with torch.inference_mode():
        logits = model._model(**inputs).logits[0, -1].float()
    vocabulary = model._processor.tokenizer.get_vocab()
    for letter, value in with_letters.letters.items():
        ids = [index for token, index in vocabulary.items() if token in (letter, "Ġ" + letter)]
        expected = float(logits.softmax(dim=-1)[ids].sum())
        assert value == pytest.approx(expected, rel=1e-4)
    assert list(with_letters.letters) == ["A", "B", "C"]


def test_a_model_is_spread_over_the_devices_that_are_named(
    tiny_vision: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoModelForImageTextToText

    folder, calls = tiny_vision("qwen2_5_vl"), []
    read = AutoModelForImageTextToText.from_pretrained
    one = replies(opened(folder, attention="eager"), asks()[:1])
    # Two devices of one kind: the CPU under two names, as accelerate dispatches it.
    parts = {"model.visual": "cpu", "model.language_model": torch_cpu(), "lm_head": "cpu"}

    def spread(*arguments: object, **named: object) -> object:
        calls.append(dict(named))
        if "device_map" in named:
            named["device_map"] = parts
        return read(*arguments, **named)

    monkeypatch.setattr(AutoModelForImageTextToText, "from_pretrained", spread)
    model = opened(folder, device_map="balanced", attention="eager", device="cpu")
    assert (calls[0]["device_map"], calls[0]["attn_implementation"]) == ("balanced", "eager")
    assert set(model._model.hf_device_map) == set(parts)
    assert model._devices() == []
    (reply,) = replies(model, asks()[:1])
    assert isinstance(reply, Reply)
    assert [reply.words] == [item.words for item in one if isinstance(item, Reply)]
    model._model.hf_device_map = {"a": 1, "b": 0, "c": "cpu"}
    assert model._devices() == ["cuda:0", "cuda:1"]


def torch_cpu() -> object:
    import torch

    return torch.device("cpu")


@pytest.mark.parametrize(
    ("gib", "gpus", "settings", "expected"),
    [
        (10, 2, {}, ""),  # one GPU holds it
        (100, 2, {}, "auto"),
        (100, 1, {}, ""),
        (100, 2, {"device_map": "none"}, ""),
        (100, 2, {"device": "cuda:1"}, ""),
        (10, 2, {"device_map": "balanced"}, "balanced"),
    ],
)
def test_what_one_gpu_cannot_hold_goes_on_all(
    gib: float, gpus: int, settings: dict, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truehue.core.machine import GIB, Machine
    from truehue.core.vlm.models import files

    card = Machine("cuda", "A card", 80 * 2**30, 78 * 2**30, 2**39, 8, True, 2**38)
    monkeypatch.setattr(files, "machine", lambda: card)
    monkeypatch.setattr(files, "visible_gpus", lambda: tuple(map(str, range(gpus))))
    model = model_of("a/b", settings)
    placed = files.choose_placement(model, int(gib * GIB / 2))
    assert files.choose_device_map(model, placed) == expected
