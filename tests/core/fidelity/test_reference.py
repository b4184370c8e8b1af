"""Vividness against photographs: the numbers by colour-science and scipy, the file, the command."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from truehue.core.cli.fidelity import main
from truehue.core.errors import BadInput
from truehue.core.fidelity.vividness import (
    NUMBERS,
    read_reference,
    reference_of,
    vividness_of,
    write_reference,
)

CHANCE = np.random.default_rng(0)
PHOTOGRAPHS = [
    {name: float(value) for name, value in zip(NUMBERS, row, strict=True)}
    for row in CHANCE.uniform((0.1, 5, 5), (0.6, 40, 30), (500, 3))
]


def test_the_numbers_of_an_image_are_colour_sciences() -> None:
    import colour

    srgb8 = np.random.default_rng(1).integers(0, 256, (30, 20, 3), np.uint8)
    lab = colour.XYZ_to_Lab(colour.sRGB_to_XYZ(srgb8 / 255))
    hsv = colour.RGB_to_HSV(srgb8 / 255)
    vividness = vividness_of(srgb8)
    assert vividness["saturation"] == pytest.approx(hsv[..., 1].mean(), abs=1e-9)
    assert vividness["chroma"] == pytest.approx(np.hypot(lab[..., 1], lab[..., 2]).mean(), abs=0.02)
    assert vividness["contrast"] == pytest.approx(lab[..., 0].std(), abs=0.02)


def test_distances_and_percentiles_are_scipys() -> None:
    from scipy.stats import percentileofscore, wasserstein_distance

    reference = reference_of(PHOTOGRAPHS, "made up")
    values = [row["chroma"] for row in PHOTOGRAPHS]
    item = reference.distributions["chroma"]
    shown = np.random.default_rng(2).uniform(20, 60, 80)
    assert item.distance(list(shown)) == pytest.approx(wasserstein_distance(values, shown), abs=0.1)
    for value in (7.0, 22.5, 39.0):
        assert item.percentile(value) == pytest.approx(percentileofscore(values, value), abs=1)
    assert (item.percentile(0), item.percentile(99)) == (0, 100)
    alike = reference_of([PHOTOGRAPHS[0]] * 3, "one").distributions["chroma"]
    assert alike.percentile(PHOTOGRAPHS[0]["chroma"]) == 50


def test_a_reference_is_written_and_read_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "reference.json"
    write_reference(path, reference_of(PHOTOGRAPHS, "made up"))
    again = read_reference(path)
    assert (again.source, again.photographs) == ("made up", 500)
    assert again.distributions["chroma"].mean == pytest.approx(
        np.mean([row["chroma"] for row in PHOTOGRAPHS]), abs=1e-5
    )
    fields = json.loads(path.read_text())
    for change, text in (
        ({"format": 2}, "format 2"),
        ({"numbers": {}}, "no reference"),
        ({"source": None, "photographs": "x"}, "no reference"),
    ):
        path.write_text(json.dumps({**fields, **change}))
        with pytest.raises(BadInput, match=text):
            read_reference(path)
    for index, number in (("mean", math.nan), ("quantiles", [math.nan] * 101)):
        chroma = {**fields["numbers"]["chroma"], index: number}
        path.write_text(json.dumps({**fields, "numbers": {**fields["numbers"], "chroma": chroma}}))
        with pytest.raises(BadInput, match="a number of chroma is not finite"):
            read_reference(path)
    with pytest.raises(BadInput, match="no finite number"):
        reference_of([*PHOTOGRAPHS, {**PHOTOGRAPHS[0], "contrast": math.nan}], "x")
    fields["numbers"]["chroma"]["quantiles"][0] = 99
    path.write_text(json.dumps(fields))
    with pytest.raises(BadInput, match="101 rising"):
        read_reference(path)
    with pytest.raises(BadInput, match="two photographs"):
        reference_of(PHOTOGRAPHS[:1], "x")
    with pytest.raises(BadInput, match="license"):
        reference_of(PHOTOGRAPHS, " ")


def test_the_commands_make_a_reference_and_hold_images_against_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "photographs", tmp_path / "reference.json"
    folder.mkdir()
    for number, least in enumerate((180, 150, 120)):
        Image.fromarray(np.full((8, 8, 3), (200, least, least), np.uint8)).save(
            folder / f"{number}.png"
        )
    (folder / "broken.png").write_bytes(b"no image")
    assert main(["reference", str(folder), "--source", "ours", "--out", str(out)]) == 2
    captured = capsys.readouterr()
    assert "3 photographs" in captured.out
    assert "That is few" in captured.out
    assert "broken.png" in captured.err
    (folder / "broken.png").unlink()
    vivid = tmp_path / "vivid.png"
    Image.fromarray(np.full((8, 8, 3), (200, 20, 20), np.uint8)).save(vivid)
    assert main(["vivid", str(vivid), "--reference", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "saturation 0.900 (above 100% of photographs)" in printed
    assert "ΔSat of the mean 0.570" in printed
    assert "mean of the images' ΔSat 0.570" in printed
    assert main(["vivid", str(folder), "--reference", str(out), "--json"]) == 0
    loads = json.loads(capsys.readouterr().out)
    # 1 - 180/200, 1 - 150/200, 1 - 120/200.
    assert loads["means"]["saturation"] == pytest.approx(0.25)
    assert loads["reference"]["means"]["saturation"] == pytest.approx(0.25)
    # |0.25 - 0.33|, and (0.23 + 0.08 + 0.07) / 3.
    assert loads["delta_sat_of_mean"] == pytest.approx(0.08)
    assert loads["mean_delta_sat"] == pytest.approx(0.38 / 3)
    assert [image["percentiles"]["saturation"] for image in loads["images"]] == pytest.approx(
        [0, 50, 100]
    )
