"""The preset ``colorbench-released``: its texts, codec, pixels, order and reader, alone and whole."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.vlm.chat_server import ChatServer, completion
from tests.core.vlm.questions_made import save_set
from tests.core.vlm.test_published import row, written
from tests.workers_here import workers_here
from truehue.core.cli.vlm import main
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.images.load import image_id
from truehue.core.vlm import released
from truehue.core.vlm.evaluation.log import read_log
from truehue.core.vlm.evaluation.plan import EvaluationFolder, EvaluationSettings, Version
from truehue.core.vlm.evaluation.protocols import released_preset
from truehue.core.vlm.models.local import open_local
from truehue.core.vlm.models.records import ImagePrompt, Sampling, VisionModel
from truehue.core.vlm.models.registry import model_of
from truehue.core.vlm.presentation import Presentation, decoded, jpeg
from truehue.core.vlm.prompting import Style
from truehue.core.vlm.question_set import open_set
from truehue.core.vlm.records import Form, Question
from truehue.core.vlm.released import families, family_of, family_settings, released_prompt
from truehue.core.vlm.released_reader import ReleasedReader, read_released, reader_of_family

__all__ = ["workers_here"]

PROMPT = "What color? Select. (A) red (B) blue"
QUESTION = Question(
    "q", "t", Form.CHOICE, "What color?", ("red", "blue"), "A", "x", construction={"prompt": PROMPT}
)


def preset(name: str, style: Style = Style.PLAIN, family: str = "") -> EvaluationSettings:
    return released_preset(model_of(name), EvaluationSettings(str(style)), family)[1]


def test_each_family_has_its_text_before_or_after_the_rows_own_prompt() -> None:
    assert families() == (
        *("qwen", "internvl", "llava-next", "llava-onevision"),
        *("cambrian", "eagle", "gpt", "gemini"),
    )
    qwen = released_prompt(QUESTION, "qwen")
    assert qwen.startswith("You'll be given an image, an instruction and some options. You have")
    assert qwen.endswith("Do not repeat the entire answer. \n" + PROMPT)
    # InternVL's text and the prompt have nothing between them.
    assert released_prompt(QUESTION, "internvl").endswith("explain your reasoning." + PROMPT)
    gpt = released_prompt(QUESTION, "gpt", Style.REASONED)
    assert gpt.startswith(PROMPT + "\nThink step by step")
    assert gpt.endswith("in the parentheses like (X).")
    for family in families():
        for style in Style:
            assert PROMPT in released_prompt(QUESTION, family, style)
    own = Question("q", "t", Form.CHOICE, "Which?", ("red", "blue"), "A", "x")
    text = "Which? Select from the following choices. (A) red (B) blue"
    assert released_prompt(own, "gemini").startswith(text + "\n")
    with pytest.raises(BadInput, match="has none"):
        released_prompt(Question("q", "t", Form.BINARY, "Red?", (), "yes", "x"), "qwen")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen"),
        ("qwen2.5-vl-3b", "qwen"),
        ("llava-hf/llava-onevision-qwen2-0.5b-ov-hf", "llava-onevision"),
        ("llava-hf/llava-v1.6-vicuna-7b-hf", "llava-next"),
        ("OpenGVLab/InternVL3-1B-hf", "internvl"),
        ("nyu-visionx/cambrian-8b", "cambrian"),
        ("NVEagle/Eagle-X5-7B", "eagle"),
        ("gpt-4o", "gpt"),
        ("gemini-2.0-flash", "gemini"),
    ],
)
def test_a_name_tells_the_family(name: str, family: str) -> None:
    assert family_of([name]) == family


def test_the_preset_decides_limit_codec_pixels_and_order() -> None:
    assert preset("qwen2.5-vl-7b").max_tokens == 2048
    assert preset("qwen2.5-vl-7b").presentation == Presentation(
        "released", "qwen", "jpeg-75", "rgb"
    )
    next_one = preset("llava-hf/llava-v1.6-vicuna-7b-hf")
    assert (next_one.max_tokens, next_one.presentation.image) == (1024, "last")
    assert next_one.presentation.codec == "png"
    assert preset("a/b", family="cambrian").max_tokens == 1
    served = model_of("http://127.0.0.1:1/v1", {"model": "gpt-4o"})
    model, settings = released_preset(served, EvaluationSettings(version=Version.GRAY))
    assert model.served().temperature is False  # nor does the released code send one
    assert (settings.version, settings.presentation.image) == (Version.GRAY, "last")
    with pytest.raises(BadInput, match="--family"):
        preset("a/b")
    with pytest.raises(BadInput, match="has no baseline"):
        preset("pixels")
    with pytest.raises(BadInput, match="likeliest token"):
        released_preset(served, EvaluationSettings(temperature=0.5))
    with pytest.raises(BadInput, match="the texts of a family"):
        Presentation("released")


def test_changed_texts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "released.csv"
    changed.write_bytes(released.PATH.read_bytes() + b"\n")
    monkeypatch.setattr(released, "PATH", changed)
    released._rows.cache_clear()
    with pytest.raises(TrueHueError, match="was changed"):
        family_settings("qwen", Style.PLAIN)
    monkeypatch.undo()
    released._rows.cache_clear()


def test_the_reader_of_llava_onevision_takes_the_first_character() -> None:
    reader = reader_of_family("llava-onevision", reasoned=True)
    assert reader is ReleasedReader.FIRST_CHARACTER
    assert read_released("Black, so (C)", reader) == "B"
    assert read_released("It is (C)", reader) == "C"
    assert read_released("", reader) is None
    assert reader_of_family("qwen", reasoned=True) is ReleasedReader.REASONED
    assert reader_of_family("gemini", reasoned=False) is ReleasedReader.LAST_LETTER


def transparent() -> tuple[bytes, np.ndarray]:
    """A PNG that is half transparent over green, and its pixels as the released code has them."""
    pixels = np.full((4, 6, 4), (10, 200, 30, 255), dtype=np.uint8)
    pixels[:, 3:, 3] = 0
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue(), pixels[..., :3]


def test_a_set_keeps_the_pixels_that_the_released_code_saw(
    tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    content, expected = transparent()
    image = {"bytes": content, "path": None}
    path = written(tmp_path, [row(0), row(1, image=image)])
    assert main(["import", str(path), str(tmp_path / "set")]) == 0
    opened = open_set(tmp_path / "set")
    plain, other = opened.questions()
    assert plain.released_image_id == plain.image_id
    assert other.released_image_id == image_id(expected) != other.image_id
    assert opened.image(other)[0, 5].tolist() == [255, 255, 255]
    assert opened.pixels(other.released_image_id)[0, 5].tolist() == [10, 200, 30]
    server = ChatServer()
    server.answers = [completion("A) red"), completion("A")]
    parts = ["run", str(tmp_path / "set"), "--name", "my-qwen2.5-vl", "--at-once", "1"]
    with server.running():
        parts += ["--model", server.base_url]
        out = ["--out", str(tmp_path / "released"), "--protocol", "colorbench-released"]
        assert main([*parts, *out]) == 0
        again = [*parts, "--out", str(tmp_path / "released")]
        assert main(again) == 2
        assert "was started with another" in capsys.readouterr().err
        server.answers = [completion("A) red"), completion("A")]
        assert main([*parts, "--out", str(tmp_path / "ours")]) == 0
        # Each part alone.
        server.answers = [completion("A"), completion("A")]
        alone = ["--out", str(tmp_path / "codec"), "--codec", "jpeg-75"]
        assert main([*parts, *alone]) == 0
        assert main([*parts, *out, "--codec", "png"]) == 2
        capsys.readouterr()
        assert main([*parts, *alone, "--family", "gpt"]) == 2
        assert "Add --prompt-form released" in capsys.readouterr().err
    first, second = (got["messages"][0]["content"] for _, got in server.got[:2])
    assert first[1]["text"].endswith("What color? \n(A) red\n(B) blue")
    head, _, data = second[0]["image_url"]["url"].partition(",")
    assert head == "data:image/jpeg;base64"
    assert base64.b64decode(data) == jpeg(expected)
    assert (server.got[0][1]["max_tokens"], server.got[0][1]["temperature"]) == (2048, 0.0)
    plan = EvaluationFolder(tmp_path / "released")
    assert (plan.protocol(), plan.parser()) == ("colorbench-released", "released")
    assert "presentation" not in EvaluationFolder(tmp_path / "ours").summary()["settings"]
    assert EvaluationFolder(tmp_path / "codec").protocol() == "truehue, jpeg-75"
    # The released parser cannot read "A) red".
    log, ours = read_log(tmp_path / "released"), read_log(tmp_path / "ours")
    assert [answer.reading for answer in log.answers] == [None, "A"]
    assert [str(answer.outcome) for answer in log.answers] == ["wrong", "right"]
    assert [str(answer.outcome) for answer in ours.answers] == ["right", "right"]
    capsys.readouterr()
    assert main(["score", "--json", str(tmp_path / "released"), str(tmp_path / "ours")]) == 0
    message = capsys.readouterr()
    assert "have different protocols and cannot be compared" in message.err
    scores = json.loads(message.out)
    assert scores["differences"] == []
    assert [s["protocol"] for s in scores["scores"]] == ["colorbench-released", "truehue"]


def test_a_local_model_gets_what_comes_out_of_the_codec_after_the_text(
    tiny_vision: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (28, 28, 3), dtype=np.uint8)
    folder = tiny_vision("qwen2_5_vl")
    model = open_local(VisionModel("tiny", "local", str(folder), {"device": "cpu"}))
    seen: dict[str, object] = {}
    processor = model._processor

    class Spy:
        def __getattr__(self, name: str) -> object:
            return getattr(processor, name)

        def __call__(self, **inputs: object) -> object:
            seen.update(inputs)
            return processor(**inputs)

    monkeypatch.setattr(model, "_processor", Spy())
    ask = ImagePrompt("Which?", lambda: noise, codec="jpeg-75", order="last")
    (reply,) = model.answers([ask], Sampling(max_tokens=1), lambda: False)
    model.close()
    (image,) = seen["images"]  # type: ignore[misc]
    np.testing.assert_array_equal(np.asarray(image), decoded(jpeg(noise)))
    (text,) = seen["text"]  # type: ignore[misc]
    assert text.index("Which?") < text.index("<|image_pad|>")
    assert reply.width == 28  # type: ignore[union-attr]


def test_a_set_without_prompts_is_asked_in_their_form(
    tmp_path: Path, workers_here: None, capsys: pytest.CaptureFixture[str]
) -> None:
    target = save_set(tmp_path / "set", 1)
    server = ChatServer()
    server.answers = [completion("(A)")]
    with server.running():
        parts = ["run", str(target), "--out", str(tmp_path / "out"), "--model", server.base_url]
        parts += ["--name", "gpt-4o", "--protocol", "colorbench-released", "--style", "reasoned"]
        assert main(parts) == 0
    content = server.got[0][1]["messages"][0]["content"]
    assert "Select from the following choices. (A) " in content[0]["text"]
    assert content[1]["type"] == "image_url"
    assert "temperature" not in server.got[0][1]
