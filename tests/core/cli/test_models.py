"""python -m truehue models: list, check, download from a hub on this machine, draw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PIL import Image

from tests.commands import called
from tests.core.generation.backends.test_diffusion import ask, draw
from tests.core.generation.conftest import Tiny
from tests.core.generation.tiny_hub import COMMIT, TinyHub, serving
from truehue.core.cli.models import main
from truehue.core.generation.memory import BadModelFolder
from truehue.core.generation.opening import open_model
from truehue.core.generation.registry import MODELS, model
from truehue.core.generation.weights.download import wanted_files
from truehue.core.generation.weights.sources import Sources, source

pytestmark = pytest.mark.weights

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str


Fetch = Callable[..., Done]


@pytest.fixture
def fetch(monkeypatch: pytest.MonkeyPatch) -> Fetch:
    """``download`` with the given hub or none, in this process: huggingface_hub has read the
    environment when it is imported, so what it has read is set."""
    from huggingface_hub import constants

    def fetched(*arguments: object, hub: TinyHub | None = None) -> Done:
        url = hub.url if hub else "http://127.0.0.1:9"
        monkeypatch.setattr(constants, "ENDPOINT", url)
        path = "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + path)
        done = called(main, "download", *map(str, arguments))
        return Done(done.returncode, done.stdout, done.stderr)

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.delenv("TRUEHUE_MODELS", raising=False)
    return fetched


def fetch_alone(*arguments: object, hub: TinyHub, cache: Path) -> Done:
    """The same as a process of its own, which reads the environment."""
    env = {
        **os.environ,
        "HF_ENDPOINT": hub.url,
        "HF_HUB_CACHE": str(cache),
        "HF_HUB_DISABLE_XET": "1",
        "PYTHONPATH": str(ROOT),
    }
    env.pop("TRUEHUE_MODELS", None)
    done = subprocess.run(
        [sys.executable, "-m", "core.generation", "download", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=env,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def test_all_models_are_listed_with_their_state(
    models_folder: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(models_folder("kolors"))
    assert main(["--models-folder", folder, "models"]) == 0
    message = capsys.readouterr().out.splitlines()
    lines = [line for line in message if not line.startswith(" ")]
    assert len(lines) == len(MODELS) + 2
    settings = message[
        next(index for index, line in enumerate(message) if line.startswith("flux.1-dev")) + 1
    ]
    assert "own settings: 50 steps, guidance 3.5" in settings
    assert "gencolorbench-released: 28 steps, guidance 3.5" in settings
    state = {line.split()[0]: line.split()[1] for line in lines[1:-1]}
    assert state["reference-renderer"] == state["kolors"] == "ready"
    assert main(["--models-folder", folder, "models", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["id"] for row in rows] == [entry.id for entry in MODELS]
    kolors = next(row for row in rows if row["id"] == "kolors")
    assert kolors["ready"] is True
    assert kolors["folder"].endswith("kolors")
    assert (kolors["defaults"]["steps"], kolors["released"]) == (50, None)


def test_one_model_is_checked(
    models_folder: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--models-folder", str(models_folder("kolors")), "check", "kolors"]) == 0
    assert "Ready to generate" in capsys.readouterr().out
    assert main(["check", "reference-renderer"]) == 0
    (tmp_path / "kolors").mkdir()
    assert main(["--models-folder", str(tmp_path), "check", "kolors"]) == 1
    assert "- " in capsys.readouterr().out
    assert main(["check", "nothing"]) == 2
    assert "There is no generator" in capsys.readouterr().err
    assert main(["check", f"folder:{tmp_path}", "--json"]) == 1
    assert "no model_index.json" in json.loads(capsys.readouterr().out)["missing"][0]


def test_a_server_is_ready_only_where_it_is_set_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRUEHUE_ENDPOINT", raising=False)
    assert main(["check", "served:nothing"]) == 1
    out = capsys.readouterr().out
    assert "- No server is set up under the name 'nothing' (set up: none)." in out
    assert "Ready" not in out
    monkeypatch.setenv("TRUEHUE_ENDPOINT", "http://127.0.0.1:9/v1")
    assert main(["check", "served:endpoint"]) == 0
    assert "Ready to generate." in capsys.readouterr().out
    monkeypatch.setenv("TRUEHUE_ENDPOINT", "no address")
    assert main(["check", "served:endpoint"]) == 2
    assert "TRUEHUE_ENDPOINT" in capsys.readouterr().err


def test_an_image_is_drawn_into_a_file(
    tiny: Tiny, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "mug.png"
    model_id = f"folder:{tiny('stable_diffusion')}"
    arguments = [
        "draw",
        model_id,
        ask().text,
        "--seed",
        "1",
        "--steps",
        "3",
        "--width",
        "64",
        "--height",
        "64",
        "--out",
        str(out),
    ]
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["seed"] == 1
    assert "step 3 of 3" in captured.err
    wanted = draw(open_model(model_id), ask(steps=3))[0]  # type: ignore[arg-type]
    np.testing.assert_array_equal(np.asarray(Image.open(out)), wanted)
    assert (
        main([*arguments[:-1], str(tmp_path / "b.png"), "--negative", "x", "--guidance", "2"]) == 0
    )
    assert (np.asarray(Image.open(tmp_path / "b.png")) != wanted).any()
    assert main(["draw", model_id, " ", "--out", str(tmp_path / "c.png")]) == 2
    assert not (tmp_path / "c.png").exists()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--guidance", "nan"], "guidance must be a number from 0 to 100, not nan"),
        (["--seed", str(2**70)], "seed must be a whole number from 0 to 2,147,483,647"),
        (["--steps", "0"], "number of steps must be"),
        (["--width", "100000"], "width in pixels must be"),
        (["--color", "red"], "needs an object"),
        (["--object", "mug", "--color", "#12"], "#12"),
    ],
)
def test_what_cannot_be_drawn_is_said_before_anything_is_loaded(
    arguments: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Were the folder looked at, it would be missing.
    out = tmp_path / "new" / "a.png"
    assert main(["draw", "folder:/nowhere", "a mug", "--out", str(out), *arguments]) == 2
    said = capsys.readouterr().err
    assert text in said
    assert "Traceback" not in said
    assert not out.parent.exists()


def test_an_out_that_cannot_be_written_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("no folder")
    arguments = ["draw", "reference-renderer", "", "--object", "mug", "--width", "256", "--out"]
    for out, text in (
        (tmp_path / "file" / "a.png", f"folder {tmp_path / 'file'} cannot be made"),
        (tmp_path, "is a folder"),
        (tmp_path / ("x" * 300), "cannot be written (File name too long)"),
    ):
        assert main([*arguments, str(out)]) == 2
        assert text in capsys.readouterr().err


def test_the_renderer_draws_an_object_in_a_color(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a.png"
    arguments = ["draw", "reference-renderer", "a red mug", "--width", "256", "--out", str(out)]
    assert main(arguments) == 2
    assert "--object mug --color" in capsys.readouterr().err
    assert not out.exists()
    assert main([*arguments, "--object", "apple", "--color", "css:crimson"]) == 0
    origin = json.loads(capsys.readouterr().out)
    assert (origin["object_name"], origin["target"]) == ("apple", "css:crimson")
    sample = np.asarray(Image.open(out)).astype(int)
    assert sample.shape == (256, 256, 3)
    # Somewhere there is much more red than green and blue.
    assert (sample[..., 0] - sample[..., 1:].max(axis=2)).max() > 80


@pytest.fixture
def hub_folder(tiny: Tiny, tmp_path: Path) -> Path:
    """A repository with all that a download must leave out."""
    folder = Path(shutil.copytree(tiny("stable_diffusion"), tmp_path / "hub"))
    (folder / "README.md").write_text("a card")
    (folder / "whole_model.safetensors").write_bytes(b"large")
    (folder / "pipeline.py").write_text("print('hello')")
    (folder / "unet" / "diffusion_pytorch_model.bin").write_bytes(b"pickle")
    (folder / "unet" / "diffusion_pytorch_model.fp16.safetensors").write_bytes(b"half")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(b"other")
    return folder


@pytest.mark.process
@pytest.mark.parametrize("into", ["folder", "cache"])
def test_a_download_fetches_what_is_loaded_and_nothing_else(
    into: str, hub_folder: Path, fetch: Fetch, tiny: Tiny, tmp_path: Path
) -> None:
    repo = "some-one/tiny"
    to, cache = tmp_path / "models", tmp_path / "cache"
    with serving(TinyHub({repo: hub_folder})) as hub:
        if into == "folder":
            done = fetch(f"hub:{repo}", "--to", to, hub=hub)
        else:
            done = fetch_alone(f"hub:{repo}", hub=hub, cache=cache)
        assert done.status == 0, done.err
    sources = Sources(to if into == "folder" else None, cache)
    result = source(model(f"hub:{repo}"), sources)
    assert result.revision == COMMIT
    assert Path(done.out.strip()) == result.folder
    fetched = {name.removeprefix(f"{repo}/") for name in hub.asked}
    assert "README.md" in fetched
    left_out = {"whole_model.safetensors", "pipeline.py", "onnx/model.onnx"}
    assert not fetched & left_out
    assert not any(name.endswith(".bin") or "fp16" in name for name in fetched)
    loaded = open_model(f"hub:{repo}", sources)
    image = loaded.draw([ask()], lambda report: None, Event())[0]
    assert image.origin["revision"] == COMMIT
    assert image.origin["repo"] == repo
    own = open_model(f"folder:{tiny('stable_diffusion')}")
    np.testing.assert_array_equal(draw(own, ask())[0], image.srgb8)  # type: ignore[arg-type]


@pytest.mark.process
def test_srpo_is_fetched_with_what_it_needs_of_its_base(
    fetch: Fetch, tiny: Tiny, tmp_path: Path
) -> None:
    repos = {"tencent/SRPO": tiny("srpo"), "black-forest-labs/FLUX.1-dev": tiny("flux")}
    with serving(TinyHub(repos)) as hub:
        done = fetch("srpo", "--to", tmp_path, hub=hub)
        assert done.status == 0, done.err
    assert "tencent/SRPO/diffusion_pytorch_model.safetensors" in hub.asked
    flux = [name for name in hub.asked if "/transformer/" in name]
    assert flux == ["black-forest-labs/FLUX.1-dev/transformer/config.json"]
    loaded = open_model("srpo", Sources(tmp_path))
    assert draw(loaded, ask())[0].std() > 1  # type: ignore[arg-type]


@pytest.mark.process
def test_what_the_hub_refuses_is_said(fetch: Fetch, tiny: Tiny, tmp_path: Path) -> None:
    repo = "black-forest-labs/FLUX.1-dev"
    with serving(TinyHub({repo: tiny("flux")}, frozenset({repo}))) as hub:
        done = fetch("flux.1-dev", "--to", tmp_path, hub=hub)
        assert done.status == 2
        assert (
            f"accept its license (FLUX.1 [dev] Non-Commercial) at https://huggingface.co/{repo}"
            in done.err
        )
        assert "Traceback" not in done.err
        done = fetch("hub:no/thing", "--to", tmp_path, hub=hub)
        assert done.status == 2
        assert "The hub has no no/thing" in done.err


@pytest.mark.process
def test_without_a_network_the_command_says_so(
    fetch: Fetch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    done = fetch("kolors", "--to", tmp_path)
    assert done.status == 2
    assert "Check the network" in done.err
    assert "Traceback" not in done.err
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    done = fetch("kolors", "--to", tmp_path)
    assert done.status == 2
    assert "HF_HUB_OFFLINE" in done.err
    for model_id in ("reference-renderer", "omnigen2"):
        done = fetch(model_id)
        assert done.status == 2
        assert "nothing to download" in done.err


@pytest.mark.process
def test_a_repository_that_wants_code_or_pickles_is_not_fetched(
    fetch: Fetch, hub_folder: Path, tmp_path: Path
) -> None:
    (hub_folder / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    (hub_folder / "unet" / "diffusion_pytorch_model.fp16.safetensors").unlink()
    with serving(TinyHub({"a/b": hub_folder})) as hub:
        done = fetch("hub:a/b", "--to", tmp_path / "m", hub=hub)
        assert done.status == 2
        assert "unet/diffusion_pytorch_model.bin is pickled" in done.err
        index = hub_folder / "model_index.json"
        index.write_text(json.dumps({**json.loads(index.read_text()), "_class_name": ["my", "My"]}))
        done = fetch("hub:a/b", "--to", tmp_path / "n", hub=hub)
        assert done.status == 2
        assert "never runs code" in done.err
        fetched = {name.rpartition("/")[2] for name in hub.asked}
        assert not {name for name in fetched if name.endswith((".bin", ".py"))}


def test_which_files_are_fetched() -> None:
    names = [
        "model_index.json",
        "LICENSE.md",
        "sd3.5_large.safetensors",
        "text_encoders/t5xxl.safetensors",
        "transformer/config.json",
        "transformer/diffusion_pytorch_model.safetensors.index.json",
        "transformer/diffusion_pytorch_model-00001-of-00002.safetensors",
        "transformer/diffusion_pytorch_model-00002-of-00002.safetensors",
        "text_encoder/config.json",
        "text_encoder/model.fp16.safetensors",
        "text_encoder/model.safetensors",
        "tokenizer/vocab.json",
        "tokenizer/spiece.model",
        "tokenizer/merges.txt",
        "tokenizer/tokenizer.py",
    ]
    parts = ["transformer", "text_encoder", "tokenizer"]
    plain = set(wanted_files(names, parts))
    assert plain == set(names) - {
        "sd3.5_large.safetensors",
        "text_encoders/t5xxl.safetensors",
        "text_encoder/model.fp16.safetensors",
        "tokenizer/tokenizer.py",
    }
    half = set(wanted_files(names, parts, "fp16"))
    assert "text_encoder/model.fp16.safetensors" in half
    assert "text_encoder/model.safetensors" not in half
    assert "transformer/diffusion_pytorch_model-00001-of-00002.safetensors" in half
    janus = [
        "config.json",
        "tokenizer.json",
        "model-00001-of-00001.safetensors",
        "demo.py",
        "model.safetensors.index.json",
        "chat_template.jinja",
    ]
    assert set(wanted_files(janus, [])) == set(janus) - {"demo.py"}
    with pytest.raises(BadModelFolder, match="pickled"):
        wanted_files(["unet/config.json", "unet/diffusion_pytorch_model.bin"], ["unet"])
