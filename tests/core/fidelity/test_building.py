"""Groups made from photographs: read, drawn, written as released, taken up, refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.batch.here import team_here
from tests.core.photographs import object_photograph
from tests.workers_here import workers_here
from truehue.core.batch.execute import execute
from truehue.core.cli.fidelity import main
from truehue.core.errors import BadInput
from truehue.core.fidelity.building import (
    BuildSettings,
    BuildWork,
    Photograph,
    _settings_json,
    begin,
    read_photographs,
    rendered_photographs,
    scaled_contrast,
    scaled_down,
    shares,
)
from truehue.core.fidelity.groups import read_groups
from truehue.core.fidelity.sweep import scaled_saturation
from truehue.core.fidelity.vividness import mean_saturation
from truehue.core.images.load import load_image

__all__ = ["workers_here"]

DISTORTED = BuildSettings(("saturation", "contrast"), scales=(1.5, 2.0), size_px=40, format="png")


@pytest.fixture
def photographs(tmp_path: Path) -> list[Photograph]:
    folder = tmp_path / "photographs"
    folder.mkdir()
    for number in range(3):
        image = object_photograph(60, seed=number)[0]
        # The sides of the last one are rounded: 40 pixels squared are 35 by 46, or else 35 by 47.
        size = (90, 67) if number == 2 else (60, 60)
        Image.fromarray(image).resize(size).save(folder / f"{number}.png")
    return [
        Photograph(folder / f"{number}.png", f"caption {number}", "Food") for number in range(3)
    ]


def made(work: BuildWork) -> BuildWork:
    work.folder.set_desired_state("run")
    assert execute(work, team=team_here(work, 1)).status == "finished"
    return work


def test_a_distorted_group_is_the_photograph_more_and_more_vivid(
    photographs: list[Photograph], tmp_path: Path
) -> None:
    work = made(begin(tmp_path / "cfd", photographs, DISTORTED))
    groups = list(work.groups())
    assert [(g.model, g.caption, g.category) for g in groups] == [
        (kind, f"caption {n}", "Food") for kind in DISTORTED.makers for n in range(3)
    ]
    first = load_image(groups[0].photograph).srgb8
    assert first.shape == (40, 40, 3)
    assert (first == scaled_down(load_image(photographs[0].path).srgb8, 1600)).all()
    assert load_image(groups[2].photograph).srgb8.shape == (35, 46, 3)
    for group, change in (
        (groups[0], scaled_saturation),
        (groups[2], scaled_saturation),
        (groups[3], scaled_contrast),
    ):
        real = load_image(group.photograph).srgb8
        for path, scale in zip(group.images, DISTORTED.scales, strict=True):
            np.testing.assert_array_equal(load_image(path).srgb8, change(real, scale))


def test_what_is_made_is_not_made_again_and_other_photographs_are_refused(
    photographs: list[Photograph], tmp_path: Path
) -> None:
    work = made(begin(tmp_path / "cfd", photographs, DISTORTED))
    times = {path: path.stat().st_mtime_ns for path in tmp_path.glob("cfd/pictures/*/*")}
    assert len(times) == 18
    made(begin(tmp_path / "cfd", photographs, DISTORTED))
    assert times == {path: path.stat().st_mtime_ns for path in times}
    assert work.total == 6
    with pytest.raises(BadInput, match="other photographs or settings"):
        begin(tmp_path / "cfd", photographs[1:], DISTORTED)


def test_a_photograph_that_cannot_be_read_costs_its_own_groups(
    photographs: list[Photograph], tmp_path: Path
) -> None:
    photographs[1].path.write_bytes(b"no image")
    work = begin(tmp_path / "cfd", photographs, DISTORTED)
    work.folder.set_desired_state("run")
    state = execute(work, team=team_here(work, 1))
    assert (state.status, state.done, state.failed) == ("finished", 6, 2)
    assert {group.caption for group in work.groups()} == {"caption 0", "caption 2"}


def test_each_photograph_by_one_maker_is_a_plan_of_its_own(photographs: list[Photograph]) -> None:
    many = [Photograph(Path(f"{number}.png"), f"caption {number}") for number in range(40)]
    every = BuildSettings(("saturation", "contrast"))
    one = replace(every, one_each=True)
    assert shares(many, every) == [(maker, number) for maker in (0, 1) for number in range(40)]
    parts = shares(many, one)
    assert sorted(number for _, number in parts) == list(range(40))
    assert parts == sorted(parts)
    assert 10 < sum(maker for maker, _ in parts) < 30
    # Plans from before do not know of it, and stay equal.
    assert "one_each" not in _settings_json(every)
    assert _settings_json(one)["one_each"] is True


def test_contrast_moves_codes_from_the_mean() -> None:
    image = np.array([[[100, 120, 140], [0, 130, 230]]], np.uint8)
    assert scaled_contrast(image, 2.0).tolist() == [[[80, 120, 160], [0, 140, 255]]]
    assert (scaled_contrast(image, 1.0) == image).all()
    with pytest.raises(BadInput, match="0 or more"):
        scaled_contrast(image, -1)
    with pytest.raises(BadInput, match="uint8"):
        scaled_contrast(image[0], 1)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"makers": ()}, "at least one"),
        ({"makers": ("small", "small")}, "each once"),
        ({"makers": ("reference-renderer",)}, "without guidance"),
        ({"makers": ("flux.9",)}, "There is no generator"),
        ({"makers": ("contrast",), "scales": (1.0, 2.0)}, "rises from above 1"),
        ({"makers": ("contrast",), "guidances": (9.0, 7.5)}, "Guidance rises"),
        ({"makers": ("contrast",), "format": "gif"}, "jpg or png"),
        ({"makers": ("contrast",), "size_px": 2}, "16 to 8,192"),
    ],
)
def test_settings_that_make_no_groups_are_refused(settings: dict, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        BuildSettings(**settings)


def test_captions_come_from_csv_and_parquet(photographs: list[Photograph], tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, table = photographs[0].path.parent, tmp_path / "t.csv"
    table.write_text("file,caption,category\n0.png,caption 0,Food\n1.png, caption 1 ,Food\n")
    assert read_photographs(folder, table) == photographs[:2]
    columns = {"file": ["2.png"], "prompt": ["caption 2"], "category": ["Food"]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    assert read_photographs(folder, tmp_path / "t.parquet") == photographs[2:]
    for text, message in (
        ("caption\nx\n", "no such columns"),
        ("file,caption\n", "names no photographs"),
        ("file,caption\n9.png,x\n", "line 2: '9.png' is not there"),
        ("file,caption\n../t.csv,x\n", "is no file below"),
        ("file,caption\n0.png,\n", "caption is empty"),
        ("file,caption\n0.png,x\n0.png,x\n", "line 3: the same photograph"),
        ("file,caption,category\n0.png,x,Cars\n", "none of the categories"),
        ("file,caption\n0.png\n", "another number of cells"),
    ):
        table.write_text(text)
        with pytest.raises(BadInput, match=message):
            read_photographs(folder, table)
    with pytest.raises(BadInput, match="no folder"):
        read_photographs(folder / "0.png", table)
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    with pytest.raises(BadInput, match="as Parquet"):
        read_photographs(folder, tmp_path / "t.parquet")


def test_renderings_stand_in_by_their_prompts(tmp_path: Path) -> None:
    two = rendered_photographs(tmp_path, 2, size_px=64)
    assert [load_image(photograph.path).srgb8.shape for photograph in two] == [(64, 64, 3)] * 2
    assert two[0].caption != two[1].caption
    times = [photograph.path.stat().st_mtime_ns for photograph in two]
    assert rendered_photographs(tmp_path, 2, size_px=64) == two
    assert [photograph.path.stat().st_mtime_ns for photograph in two] == times
    with pytest.raises(BadInput, match="1 to 5,000"):
        rendered_photographs(tmp_path, 0)


@pytest.mark.usefixtures("workers_here")
def test_the_command_writes_the_released_form_and_splits_it(
    photographs: list[Photograph], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, table, out = photographs[0].path.parent, tmp_path / "t.csv", tmp_path / "cfd"
    table.write_text("file,caption\n" + "".join(f"{n}.png,caption {n}\n" for n in range(3)))
    line = ["build", str(folder), "--captions", str(table), "--out", str(out), "--size", "40"]
    line += ["--distort", "saturation,contrast", "--test-share", "0.5", "--format", "png"]
    assert main(line) == 0
    assert "6 groups" in capsys.readouterr().out
    items = json.loads((out / "groups.json").read_text())
    assert list(items[0])[:3] == ["real.jpg", "rank0.jpg", "rank1.jpg"]
    assert items[0]["rank5.jpg"] == "pictures/saturation-000000/rank5.png"
    sides = {
        name: {g.caption for g in read_groups(out / f"{name}.json")}
        for name in ("train", "test")
        if json.loads((out / f"{name}.json").read_text())
    }
    assert sum(map(len, sides.values())) == 3
    first = read_groups(out / "groups.json")[0]
    saturations = [mean_saturation(load_image(path).srgb8) for path in first.files]
    assert saturations == sorted(saturations)
    for more, text in (
        (["--distort", "blur"], "is no distortion"),
        (["--rendered", "3"], "Give a folder of photographs, or --rendered"),
        (["--scales", "1,x"], "--scales takes numbers"),
        (["--test-share", "2"], "from 0 to 1"),
        (["--seed", "4"], "other photographs or settings"),
    ):
        assert main([*line, *more]) == 2, more
        assert text in capsys.readouterr().err
