"""The list of vision models, where their files are found, and what is said when they are not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

import truehue.core.generation.registry as generators
from tests.core.generation.tiny_hub import COMMIT, TinyHub, serving
from tests.tiny_models import grounding
from truehue.core.cli.masks import main
from truehue.core.errors import BadInput
from truehue.core.generation.memory import BadModelFolder, DownloadFailed, ModelMissing
from truehue.core.generation.weights.sources import Sources
from truehue.core.machine import GIB, Machine
from truehue.core.masks.grounded.ground import about
from truehue.core.masks.grounded.tools import (
    memory_wanted,
    open_detector,
    open_segmenter,
    open_vision,
    vision_placement,
)
from truehue.core.masks.grounded.weights import (
    SAM_MIRROR,
    VISION_MODELS,
    WITHOUT,
    download,
    find,
    missing,
    vision_model,
)

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def nowhere(tmp_path: Path) -> Sources:
    return Sources(tmp_path / "models", tmp_path / "cache")


def test_the_list_is_of_one_kind() -> None:
    ids = [entry.id for entry in VISION_MODELS]
    assert len(set(ids)) == len(ids) == 14
    for entry in VISION_MODELS:
        assert re.fullmatch(r"[a-z0-9.-]+", entry.id)
        assert entry.download_gib > 0
        assert entry.license
        assert entry.repo.count("/") == (entry.library != "opencv")
        assert vision_model(entry.id) is vision_model(entry.id, entry.role) is entry
        if entry.library == "segment_anything":
            assert entry.repo == SAM_MIRROR
            assert entry.url.endswith(entry.file.removeprefix("checkpoints/"))
            assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    for entry in VISION_MODELS[-3:-1]:
        known = generators.model(entry.id)
        assert (entry.repo, entry.download_gib) == (known.repo, known.download_gib)


def test_the_classes_of_the_list_exist() -> None:
    import segment_anything.modeling
    import transformers

    for entry in (entry for entry in VISION_MODELS if entry.library != "opencv"):
        library = transformers if entry.library == "transformers" else segment_anything.modeling
        assert hasattr(library, entry.model_class)


def test_unknown_ids_and_roles_are_refused() -> None:
    with pytest.raises(BadInput, match=r"no detector 'sam-vit-b'\. Choose one of: grounding-dino"):
        vision_model("sam-vit-b", "detector")
    with pytest.raises(BadInput, match="does not say what it does"):
        vision_model("hub:some/model")
    for wrong in ("hub:model", "hub:a/b/c", "hub:../x", "hub:a/b c"):
        with pytest.raises(BadInput, match="no hub id"):
            vision_model(wrong, "segmenter")
    assert vision_model("folder:/some/sam.pth", "segmenter").name == "sam.pth"
    with pytest.raises(BadInput, match=r"core\.masks\.grounded\.tools"):
        open_vision("janus-pro-1b")


@pytest.mark.parametrize("entry", VISION_MODELS, ids=lambda entry: entry.id)
def test_missing_files_are_named_with_the_way_to_get_them(entry, nowhere: Sources) -> None:  # type: ignore[no-untyped-def]
    (first, *more) = missing(entry, nowhere)
    assert f"python -m truehue masks download {entry.id}" in first
    assert (Path(entry.file).name or "safetensors") in first
    assert f"{entry.download_gib:g} GiB" in first
    assert more[-1] == WITHOUT[entry.role]
    assert any(entry.url in item for item in more)
    if entry.role == "segmenter":
        with pytest.raises(ModelMissing, match="GrabCut"):
            open_segmenter(entry.id, nowhere)
    assert find(entry, nowhere) is None


@pytest.mark.process
def test_listing_loads_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from truehue.core.cli.masks import main; "
        f"main(['--models', {str(tmp_path)!r}, 'models']); "
        "print([n for n in ('torch', 'transformers', 'segment_anything') if n in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    *lines, last, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    assert [line.split()[0] for line in lines] == [entry.id for entry in VISION_MODELS]
    assert all(line.split()[2] == "missing" for line in lines)
    assert last.startswith("What a model lacks")


@pytest.mark.weights
def test_the_models_folder_is_searched(
    tiny: dict[str, Path], nowhere: Sources, capsys: pytest.CaptureFixture[str]
) -> None:
    top = nowhere.models_folder
    assert top is not None
    top.mkdir()
    (top / "grounding-dino-base").symlink_to(tiny["detector"])
    (top / "facebook--sam2.1-hiera-large").symlink_to(tiny["sam2_video"])
    # Meta's file name at the top, or any one .pth in a folder of the entry's id.
    (top / "sam_vit_h_4b8939.pth").symlink_to(tiny["sam"])
    (top / "sam-vit-b").mkdir()
    (top / "sam-vit-b" / "other.pth").symlink_to(tiny["sam"])
    for model_id in ("sam-vit-h", "sam-vit-b", "sam2.1-hiera-large"):
        opened = open_segmenter(model_id, nowhere)
        assert opened.id == model_id
        assert missing(vision_model(model_id), nowhere) == ()
        assert memory_wanted(model_id, nowhere) > GIB
    assert open_vision("grounding-dino-base", nowhere).id == "grounding-dino-base"
    assert open_vision("sam-vit-b", nowhere).id == "sam-vit-b"
    assert find(vision_model("sam-vit-l"), nowhere) is None
    assert main(["--models", str(top), "models", "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ready = {row["id"] for row in rows if row["ready"]}
    assert ready == {"grounding-dino-base", "sam2.1-hiera-large", "sam-vit-h", "sam-vit-b"}


def test_a_published_size_is_not_taken_for_another(tmp_path: Path) -> None:
    import torch
    from segment_anything import sam_model_registry

    folder = tmp_path / "sam-vit-h"
    folder.mkdir()
    with torch.device("meta"):
        shapes = sam_model_registry["vit_b"]().state_dict()
    # Views of one number: as large a model as ViT-B in a file of a few kilobytes.
    item = torch.zeros(1)
    torch.save(
        {name: item.expand(value.shape) for name, value in shapes.items()},
        folder / "sam_vit_h_4b8939.pth",
    )
    with pytest.raises(BadModelFolder, match="holds a vit_b, and SAM ViT-H is a vit_h"):
        open_segmenter("sam-vit-h", Sources(tmp_path, tmp_path))


def test_folders_and_files_that_are_not_there(nowhere: Sources, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="There is nothing at /no/such"):
        open_detector("folder:/no/such", nowhere)
    (tmp_path / "x.bin").write_bytes(b"1")
    with pytest.raises(BadModelFolder, match=r"nor a \.pth file"):
        open_segmenter(f"folder:{tmp_path / 'x.bin'}", nowhere)
    with pytest.raises(BadInput, match="nothing to download"):
        download(vision_model("folder:/x", "detector"), nowhere)


@pytest.mark.weights
def test_check_says_what_is_wrong(
    tiny: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", f"folder:{tiny['sam']}", "--role", "segmenter"]) == 0
    assert "Ready." in capsys.readouterr().out
    assert main(["check", f"folder:{tiny['sam2']}"]) == 2
    assert "does not say what it does" in capsys.readouterr().err
    assert main(["check", "folder:/no/such", "--role", "detector", "--json"]) == 1
    message = json.loads(capsys.readouterr().out)
    assert message["missing"] == ["There is nothing at /no/such.", WITHOUT["detector"]]


def test_placement_is_float32_and_whole() -> None:
    gpu = Machine("cuda", "GPU", 8 * GIB, 6 * GIB, 16 * GIB, 4, True)
    assert vision_placement(2.4, gpu).device == "cuda"
    small = vision_placement(4.0, gpu)
    assert (small.device, small.dtype) == ("cpu", "float32")
    assert "do not fit" in small.why
    assert vision_placement(2.4, gpu).dtype == "float32"


@pytest.fixture(scope="module")
def hub(tiny: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[TinyHub]:
    """The repositories that published ids name, with tiny models in them."""
    mirror = tmp_path_factory.mktemp("mirror")
    grounding.sam_file(mirror / "checkpoints" / "sam_vit_b_01ec64.pth")
    sam2 = Path(shutil.copytree(tiny["sam2_video"], tmp_path_factory.mktemp("hub") / "sam2"))
    (sam2 / "sam2.1_hiera_tiny.pt").write_bytes(b"pickled")
    repos = {
        SAM_MIRROR: mirror,
        "facebook/sam2.1-hiera-tiny": sam2,
        "IDEA-Research/grounding-dino-tiny": tiny["detector"],
    }
    with serving(TinyHub(repos)) as hub:
        yield hub


FETCHED = ("sam-vit-b", "sam2.1-hiera-tiny", "grounding-dino-tiny")
ASKED = "hub:facebook/sam2.1-hiera-tiny"

# Which hub there is huggingface_hub reads once, when it is imported: several command lines in one
# process. It does not sleep, since a hub that does not answer is tried six times in 23 seconds.
LINES = """
import contextlib, io, json, sys, time
time.sleep = lambda seconds: None
from truehue.core.cli.masks import main

found = []
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(line)
    found.append([status, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""


def commands(
    lines: Iterable[Sequence[object]], url: str, cache: Path
) -> list[tuple[int, str, str]]:
    """Status, output and errors of each command line, in one process that knows a hub and a
    cache."""
    env = {
        **os.environ,
        "HF_ENDPOINT": url,
        "HF_HUB_DISABLE_XET": "1",
        "PYTHONPATH": str(ROOT),
        "HF_HOME": str(cache),
    }
    env.pop("TRUEHUE_MODELS", None)
    done = subprocess.run(
        [sys.executable, "-c", LINES],
        input=json.dumps([[str(word) for word in line] for line in lines]),
        capture_output=True,
        text=True,
        env=env,
        check=True,
    )
    return [tuple(load) for load in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def fetched(hub: TinyHub, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``models`` and a hub's cache in ``home``, both got from the hub."""
    folder = tmp_path_factory.mktemp("fetched")
    lines: list[list[object]] = [["download", ASKED, "--role", "segmenter"]]
    lines += [
        ["download", model_id, *to]
        for to in (["--to", folder / "models"], [])
        for model_id in FETCHED
    ]
    for status, out, err in commands(lines, hub.url, folder / "home"):
        assert status == 0, err
        assert Path(out.strip()).exists()
    return folder


@pytest.mark.process
@pytest.mark.weights
@pytest.mark.parametrize("model_id", FETCHED)
def test_models_are_fetched_from_a_hub_and_opened(
    model_id: str, hub: TinyHub, fetched: Path
) -> None:
    for to in (fetched / "models", None):
        sources = Sources(to, fetched / "home" / "hub")
        assert missing(vision_model(model_id), sources) == ()
        opened = open_vision(model_id, sources)
        assert opened.id == model_id
        # Ours is no file of Segment Anything's publisher, and what it cuts out says so.
        expected = False if model_id == "sam-vit-b" else None
        assert about(opened).get("published") is expected
    result = find(vision_model(model_id), Sources(None, fetched / "home" / "hub"))
    assert result is not None
    if model_id != "sam-vit-b":
        assert result.revision == COMMIT
    assert not any(name.endswith(".pt") for name in hub.asked)


@pytest.mark.process
def test_a_hub_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    line = ["download", "sam-vit-b"]
    ((status, _, err),) = commands([line], "http://127.0.0.1:9", tmp_path)
    assert status == 2
    assert "Check the network" in err
    assert "Traceback" not in err


@pytest.mark.process
@pytest.mark.weights
def test_any_repository_of_the_hub_is_opened_by_its_id(fetched: Path) -> None:
    sources = Sources(None, fetched / "home" / "hub")
    assert open_vision(ASKED, sources, "segmenter").id == ASKED
    with pytest.raises(ModelMissing, match="--role detector"):
        open_detector("hub:no/where", sources)


@pytest.mark.weights
def test_a_failed_download_of_a_file_is_one_of_ours(
    hub: TinyHub, nowhere: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadFailed):
        download(vision_model("sam-vit-l"), nowhere)
