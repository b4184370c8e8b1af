"""``import truehue``: what a notebook calls, with arrays, PIL images, paths and bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

import truehue
from tests.commands import called
from tests.core.batch.here import team_here
from tests.core.export.made import RULES, make_run
from tests.core.photographs import overlap
from tests.core.vlm.questions_made import save_set
from tests.icc import display_p3
from tests.salient import needs_weights, network
from truehue.core import library
from truehue.core.batch.execute import execute
from truehue.core.cli.compare import main as compare_command
from truehue.core.color.uw71 import pixel_counts
from truehue.core.errors import BadInput, DataFolderError, MaskError, NoPixels, UnknownColor
from truehue.core.images.load import load_image
from truehue.core.vlm.evaluation.plan import EvaluationSettings, begin, read_questions
from truehue.core.vlm.evaluation.work import EvaluationWork
from truehue.core.vlm.models.registry import model_of

pytestmark = pytest.mark.slow

__all__ = ["network"]
RED = (200, 30, 40)


def scene() -> tuple[np.ndarray, np.ndarray]:
    """A red square before gray, uint8 ``(40, 60, 3)``, and its mask."""
    srgb8 = np.full((40, 60, 3), 128, np.uint8)
    mask = np.zeros((40, 60), bool)
    mask[10:30, 20:45] = True
    srgb8[mask] = RED
    return srgb8, mask


def test_the_names_are_those_that_are_documented() -> None:
    assert set(truehue.__all__) <= set(dir(truehue))
    for name in truehue.__all__:
        assert getattr(truehue, name) is getattr(library, name)
        assert getattr(truehue, name).__doc__
        assert f":func:`{name}`" in (truehue.__doc__ or "")
    with pytest.raises(AttributeError, match="no attribute 'colour_of'"):
        truehue.colour_of  # noqa: B018


@pytest.mark.weights
@pytest.mark.usefixtures("network")
def test_what_stands_out_is_a_mask_that_says_how_sure_it_is() -> None:
    mug = truehue.render("mug", "#B4532A", size_px=200)
    found = truehue.salient_mask(mug.srgb8)
    assert overlap(found.pixels, mug.mask.pixels) > 0.9
    assert found.stands_out
    assert found.max_probability > 0.99
    assert found.to_dict()["mask_px"] == found.pixels.sum()
    assert repr(found).startswith(f"Salient object v1  {found.pixels.sum():,} pixels, ")
    assert "data:image/png;base64," in found._repr_html_()
    assert truehue.measure(mug.srgb8, "#B4532A", mask=found).passed

    nothing = truehue.salient_mask(np.full((60, 80, 3), 120, np.uint8))
    assert not nothing.stands_out
    assert "Nothing stands out" in repr(nothing)
    with pytest.raises(NoPixels, match="Nothing stands out"):
        truehue.color_of(mug.srgb8, mask=nothing)


@pytest.mark.process
@pytest.mark.parametrize(
    "code",
    [
        "import truehue; truehue.measure(path, 'crimson', mask=path)",
        "from truehue.tabs.command.main import command_of; "
        "command_of('measure').main([path, '--mask', path, '--target', 'crimson'])",
    ],
)
def test_measuring_imports_what_it_needs(code: str, tmp_path: Path) -> None:
    """A command for one image takes as long as its imports."""
    path = tmp_path / "white.png"
    Image.new("RGB", (8, 8), "white").save(path)
    code = f"import sys; path = sys.argv[1]; {code}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    modules = {name for name in done.stdout.splitlines()[-1].split() if "truehue.core." in name}
    assert "truehue.core.verdict.truehue" in modules
    packages = {name.split(".")[2] for name in modules}
    unwanted = {"batch", "concepts", "export", "generation", "prompts", "runs", "vlm"}
    assert packages & unwanted == set()
    assert modules & {"truehue.core.masks.grabcut", "truehue.core.masks.from_marks"} == set()


def test_an_image_is_the_same_from_a_file_bytes_pil_and_an_array(tmp_path: Path) -> None:
    srgb8, _ = scene()
    path = tmp_path / "scene.png"
    Image.fromarray(srgb8).save(path)
    for image in (path, str(path), path.read_bytes(), Image.open(path), srgb8):
        np.testing.assert_array_equal(truehue.load(image), srgb8)
    np.testing.assert_array_equal(truehue.load(srgb8[..., 0]), np.repeat(srgb8[..., :1], 3, axis=2))


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGBA", "1", "CMYK", "LAB"])
def test_a_pil_image_means_what_its_file_means(mode: str, tmp_path: Path) -> None:
    image = Image.fromarray(scene()[0])
    image = (
        ImageCms.profileToProfile(
            image, ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), outputMode="LAB"
        )
        if mode == "LAB"
        else image.convert(mode)
    )
    path = tmp_path / ("image.tif" if mode in ("CMYK", "LAB") else "image.png")
    image.save(path)
    np.testing.assert_array_equal(truehue.load(image), load_image(path).srgb8)


def test_the_profile_of_a_pil_image_is_applied(tmp_path: Path) -> None:
    image = Image.fromarray(scene()[0])
    image.info["icc_profile"] = display_p3()
    path = tmp_path / "p3.png"
    image.save(path, icc_profile=image.info["icc_profile"])
    loaded = truehue.load(image)
    assert (loaded != scene()[0]).any()
    np.testing.assert_array_equal(loaded, load_image(path).srgb8)


@pytest.mark.parametrize(
    "array", [np.zeros((4, 4, 3)), np.zeros((4, 4, 4), np.uint8), np.zeros(4, np.uint8)]
)
def test_an_array_that_is_no_image_is_told_with_its_remedy(array: np.ndarray) -> None:
    with pytest.raises(BadInput, match=r"uint8 sRGB \(H, W, 3\).*255 \* array"):
        truehue.load(array)


def test_a_verdict_has_the_numbers_of_the_command() -> None:
    srgb8, mask = scene()
    found = truehue.measure(srgb8, "#C81E28", mask=mask, rule="paper")
    assert found.passed
    assert found.status == "pass"
    assert found.delta_e00 == pytest.approx(0.0, abs=1e-9)
    plain = found.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["target_hex"] == "#C81E28"
    assert repr(found).startswith("PASS  target #C81E28, measured Lab (")
    html = found._repr_html_()
    assert "#C81E28" in html
    assert "Pass by paper" in html
    assert "mismatch score" in truehue.measure(srgb8, "red", mask=mask)._repr_html_()


def test_a_mask_may_be_an_array_an_image_or_a_file(tmp_path: Path) -> None:
    srgb8, mask = scene()
    light = np.where(mask, 255, 0).astype(np.uint8)
    path = tmp_path / "mask.png"
    Image.fromarray(light).save(path)
    for given in (mask, light, Image.fromarray(light), Image.fromarray(mask), path):
        assert truehue.color_of(srgb8, mask=given).pixel_count == 500
    boxed = truehue.measure(srgb8, "red", box=(15, 5, 50, 35)).pixels
    assert (boxed != mask).sum() <= 4  # its corners
    with pytest.raises(MaskError, match="30 × 40 pixels, but the image is 60 × 40"):
        truehue.color_of(srgb8, mask=mask[:, :30])
    with pytest.raises(BadInput, match="not both"):
        truehue.color_of(srgb8, mask=mask, box=(0, 0, 9, 9))
    for given in (mask.astype(float), mask.astype(np.uint8)):
        with pytest.raises(MaskError, match="mask > 0 of zeros and ones"):
            truehue.color_of(srgb8, mask=given)
    with pytest.raises(MaskError, match="four numbers"):
        truehue.color_of(srgb8, box=(1, 2))  # type: ignore[arg-type]


def test_a_result_says_which_pixels_count() -> None:
    srgb8, _ = scene()
    whole = "No mask: the whole image is measured, including its background."
    assert repr(truehue.color_of(srgb8)).endswith(f"\n{whole}")
    assert repr(truehue.measure(srgb8, "red")).endswith(f"\n{whole}")
    boxed = truehue.measure(srgb8, "red", box=(15, 5, 50, 35))
    assert "inside the box is found by GrabCut: 20." in repr(boxed)


@needs_weights
def test_a_box_finds_what_the_page_finds_in_it(network: Path) -> None:
    srgb8 = truehue.render("mug", "#B4532A", size_px=200).srgb8
    boxed = truehue.color_of(srgb8, box=(30, 30, 170, 180))
    assert "inside the box is found by salient v1" in repr(boxed)


def test_a_color_has_its_names_and_palette() -> None:
    srgb8, mask = scene()
    found = truehue.color_of(srgb8, mask=mask)
    assert found.hex == "#C81E28"
    assert found.palette == (("#C81E28", 1.0),)
    assert found.names["l1"][0] == "Red"
    assert found.people[0][0] == "red"
    assert "people say red " in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["pixel_count"] == 500
    assert "#C81E28" in repr(found)
    assert "#C81E28" in found._repr_html_()


def test_a_color_that_is_unknown_is_refused() -> None:
    with pytest.raises(UnknownColor, match="redd"):
        truehue.measure(scene()[0], "redd")
    with pytest.raises(BadInput, match=r"rgb\(220 20 60\)"):
        truehue.measure(scene()[0], (220, 20, 60))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="not NoneType"):
        truehue.measure(None, "red")  # type: ignore[arg-type]


def test_histograms_and_distances_of_images_lists_and_distributions() -> None:
    srgb8, mask = scene()
    inside = truehue.histogram(srgb8, mask=mask)
    assert inside.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(inside, pixel_counts(srgb8, mask) / 500)
    everything = truehue.histogram(srgb8)
    of_image = truehue.compare(srgb8, inside, masker="whole")
    assert of_image.notes == ("The first side: Whole image",)
    assert of_image.emd_lab == truehue.compare(everything, inside.tolist()).emd_lab > 0
    mug = truehue.render("mug", "blue", size_px=64).srgb8
    both = truehue.compare([srgb8, mug], inside, masker="whole")
    assert both.notes == ("The first side: Whole image (2 of 2 images)",)
    assert both.first == pytest.approx((everything + truehue.histogram(mug)) / 2)
    assert json.loads(json.dumps(of_image.to_dict()))["delta_hue_deg"] is None
    assert "emd_lab" in repr(of_image)
    assert "Medium gray" in of_image._repr_html_()
    assert "Whole image" in of_image._repr_html_()
    assert "Whole image" in repr(of_image)
    with pytest.raises(BadInput, match='masker="whole", or histograms within masks of your own'):
        truehue.compare(srgb8, inside)  # without the network
    with pytest.raises(BadInput, match="There is no masker"):
        truehue.compare(srgb8, inside, masker="box")


def test_images_are_compared_by_what_the_command_selects(network: Path, tmp_path: Path) -> None:
    mug = truehue.render("mug", "#B4532A", size_px=200)
    flat = np.full((64, 64, 3), 119, np.uint8)
    Image.fromarray(mug.srgb8).save(tmp_path / "mug.png")
    Image.fromarray(flat).save(tmp_path / "flat.png")
    done = called(compare_command, "mug.png", "flat.png", "--json", folder=tmp_path)
    compared = truehue.compare(tmp_path / "mug.png", flat)
    assert compared.emd_lab == pytest.approx(json.loads(done.stdout)["emd"])
    assert compared.first == pytest.approx(truehue.histogram(mug.srgb8, mask=mug.mask), abs=0.05)
    assert compared.to_dict()["notes"] == [
        "The first side: Salient object v1",
        "The second side: Whole image",
        "The second side: Nothing stands out: the whole image is measured, with its background.",
    ]
    several = truehue.compare([mug.srgb8, flat], flat)
    assert several.notes[0] == "The first side: Salient object v1 (1 of 2 images)"
    # Of a cut-out it takes what is not transparent, which needs no network.
    alpha = Image.fromarray(mug.mask.pixels)
    cut_out = Image.fromarray(mug.srgb8)
    cut_out.putalpha(alpha.convert("L"))
    assert "transparency" in truehue.compare(cut_out, flat).notes[0]


def test_a_box_on_a_cut_out_takes_its_opaque_pixels() -> None:
    srgb8, mask = scene()
    cut_out = Image.fromarray(srgb8)
    cut_out.putalpha(Image.fromarray(mask).convert("L"))
    boxed = truehue.measure(cut_out, "crimson", box=(0, 0, srgb8.shape[1], srgb8.shape[0]))
    np.testing.assert_array_equal(boxed.pixels, mask)
    assert boxed.notes[-1] == "The opaque pixels inside the box are measured."
    rows, columns = np.nonzero(mask)
    x, y = int(columns.mean()), int(rows.min())
    half = truehue.measure(cut_out, "crimson", box=(0, 0, x, srgb8.shape[0])).pixels
    assert half.any()
    assert not half[:, x:].any()
    with pytest.raises(NoPixels, match="All of the box is transparent"):
        truehue.measure(cut_out, "crimson", box=(0, 0, 2, max(y, 2)))


def test_a_rendering_is_shown_as_its_image() -> None:
    rendering = truehue.render("mug", "crimson", seed=3, size_px=64)
    np.testing.assert_array_equal(truehue.load(rendering._repr_png_()), rendering.srgb8)
    assert len(repr(rendering)) < 200
    for mask in (rendering.mask, rendering.mask.pixels):
        assert truehue.measure(rendering.srgb8, "crimson", mask=mask).passed


def test_rules_and_prompts_are_those_of_the_app() -> None:
    assert [rule.id for rule in truehue.rules()][:3] == ["truehue", "paper", "released"]
    assert truehue.prompts("concepts")[0].task
    with pytest.raises(BadInput, match="The sets are"):
        truehue.prompts("none")


def test_results_of_a_data_folder_become_tables(tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs")
    index = tmp_path / "askings" / "pixels"
    prompted, source = read_questions(save_set(tmp_path / "set", 6))
    begin(
        index,
        prompted,
        source,
        lambda question: question.text,
        model_of("pixels"),
        EvaluationSettings(),
    )
    work = EvaluationWork(index, model_of("pixels"), EvaluationSettings())
    work.folder.set_desired_state("run")
    assert execute(work, team=team_here(work, 1)).done == 6

    results = truehue.open_results(tmp_path)
    assert (results.runs, results.evaluations) == ((run.run_id,), ("pixels",))
    verdicts = results.verdicts().to_pandas()
    assert set(verdicts["rule"]) == set(RULES)
    assert set(verdicts["run_id"]) == {run.run_id}
    assert results.verdicts(run.run_id).num_rows == len(verdicts) > 10
    answers = results.answers().to_pylist()
    assert [row["evaluation"] for row in answers] == ["pixels"] * 6
    assert {row["task"] for row in answers} == {"color_recognition"}
    with pytest.raises(BadInput, match=f"There is no run 'x' in .*: {run.run_id}"):
        results.verdicts("x")
    with pytest.raises(DataFolderError, match="There is no data folder"):
        truehue.open_results(tmp_path / "none")


def test_a_data_folder_without_results_has_empty_tables(tmp_path: Path) -> None:
    results = truehue.open_results(tmp_path)
    assert (results.runs, results.evaluations) == ((), ())
    assert results.verdicts().num_rows == results.answers().num_rows == 0
    assert "delta_e00" in results.verdicts().column_names
