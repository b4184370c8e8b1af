"""``python -m truehue fidelity``: what is printed and written, on groups of known order."""

from __future__ import annotations

import csv
import hashlib
import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.core.fidelity.vivid_groups import vivid_groups
from tests.tiny_models import cfm
from truehue.core.cli.fidelity import COMMAND, EPILOG, _warn, main
from truehue.core.cli.fidelity_scoring import computed_metric, local_placement
from truehue.core.fidelity.cfm.released import COLLATOR
from truehue.core.fidelity.groups import Group, write_groups
from truehue.core.generation.registry import model
from truehue.core.images.load import image_id, load_image
from truehue.core.machine import GIB, Machine
from truehue.core.scores.measures import measure_of


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> list[Group]:
    """Three groups, and ``groups.json`` beside their files."""
    made = vivid_groups(tmp_path_factory.mktemp("groups"), 4)[1:]
    write_groups(made[0].photograph.parent / "groups.json", made)
    return made


@pytest.fixture
def listed(groups: list[Group]) -> str:
    return str(groups[0].photograph.parent / "groups.json")


def test_metrics_stand_beside_the_papers_figures(
    groups: list[Group], listed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # What came in: a score that falls with the rank, but for one image; and people who agree.
    scores, ratings = ["image_id,measure,value"], ["image_id,rating"]
    by_file = ["file,measure,value"]
    for group in groups:
        for rank, path in enumerate(group.files):
            name = image_id(load_image(path).srgb8)
            scores.append(f"{name},elsewhere,{-rank if rank != 2 else 9}")
            scores.append(f"{name},vivid,{rank}")
            scores.append(f"{name},HPSv3,{-rank}")
            ratings.append(f"{name},{10 - rank}")
            by_file.append(f"{path},MPS,{-rank}")
    ratings.append("of-no-group,3")
    for name, lines in (("scores", scores), ("ratings", ratings), ("by_file", by_file)):
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    line = ["evaluate", "--groups", listed, "--measure", "delta_sat", "--out", str(tmp_path / "e")]
    line += ["--scores", str(tmp_path / "scores.csv"), "--lower-better", "vivid"]
    line += ["--scores", str(tmp_path / "by_file.csv")]
    line += ["--ratings", str(tmp_path / "ratings.csv")]
    assert main(line) == 0
    captured = capsys.readouterr()
    assert "1 rated images are in no group" in captured.err
    assert "vivid: SynPairs 100.0 (100.0 to 100.0), Real&Syn 100.0" in captured.out
    assert "MPS: SynPairs 100.0 (100.0 to 100.0), Real&Syn 100.0" in captured.out
    # 0 9 against the neighbors -1 and -3: one of five pairs is wrong.
    assert "elsewhere: SynPairs 80.0" in captured.out
    report = json.loads((tmp_path / "e" / "report.json").read_text())
    by_name = {metric["metric"]: metric for metric in report["metrics"]}
    assert by_name["vivid"]["agreement"]["kendall"]["value"] == pytest.approx(1)
    assert by_name["vivid"]["agreement"]["images"] == 21
    page = (tmp_path / "e" / "report.md").read_text()
    assert "| HPSv3 | *published* | 57.5 | 5,000 | 58.3 | 5,000 | |" in page
    assert "| CFM (the paper's) | *published* | 84.9 | 85.4 | 71.4 | | |" in page
    assert "| ΔSat | ours |" in page
    # What has a published row says why it is not that one.
    assert "| HPSv3 | CFD-SynPairs | -42.5 |  |" in page
    assert "- Groups: 15 pairs of one's own → 5,000 sampled pairs of CFD-Test." in page
    vivid = report["vividness"]["photographs"]
    assert vivid["images"] == 3
    assert vivid["delta_sat_of_mean"] == pytest.approx(abs(vivid["mean_saturation"] - 0.33))
    assert vivid["mean_delta_sat"] >= vivid["delta_sat_of_mean"]
    assert "| image 6 of each group | 3 |" in page
    assert "ΔSat of the mean | mean of the images' ΔSat |" in page
    for number in range(3, 8):
        assert f"**Table {number}, published" in page


def test_scores_are_computed_once_and_a_cut_line_is_computed_again(
    groups: list[Group], listed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["evaluate", "--groups", listed, "--measure", "delta_sat", "--out", str(tmp_path)]
    assert main(line) == 0
    path = tmp_path / "scores.jsonl"
    first = (tmp_path / "report.json").read_text()
    whole = path.read_text()
    assert len(whole.split("\n")) == 43  # of 21 images ΔSat, and the saturation itself
    path.write_text(whole[:-30])
    assert main(line) == 0
    assert (tmp_path / "report.json").read_text() == first
    lines = [json.loads(splitline) for splitline in path.read_text().splitlines()[:20]]
    assert lines[0]["metric"] == computed_metric("delta_sat").key


@pytest.mark.weights
def test_the_instruction_that_a_cfm_read_is_named(
    groups: list[Group], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = str(groups[0].photograph.parent / "first.json")
    write_groups(Path(listed), [replace(groups[0], images=groups[0].images[:2])])
    weights = cfm.save(tmp_path / "tiny")
    theirs = tmp_path / "theirs.txt"
    theirs.write_text("Their text: {text_prompt} <|Reward|>", encoding="utf-8")
    line = ["evaluate", "--groups", listed, "--cfm", str(weights), "--cpu"]
    assert main([*line, "--out", str(tmp_path / "ours")]) == 0
    assert main([*line, "--out", str(tmp_path / "e"), "--instruction", str(theirs)]) == 0
    (name, read), *_ = json.loads((tmp_path / "e" / "report.json").read_text())["cfm"].items()
    (_, ours), *_ = json.loads((tmp_path / "ours" / "report.json").read_text())["cfm"].items()
    assert name == "CFM (tiny)"
    assert ours["instruction"] == "TrueHue's own instruction"
    assert read == {
        **ours,
        "instruction": "the instruction of theirs.txt",
        "instruction_sha256": hashlib.sha256(theirs.read_bytes()).hexdigest(),
    }
    assert (read["area_px"], read["rounded_rotary"]) == (200_704, True)
    # Scores by another text are others.
    keys = [
        json.loads((tmp_path / out / "scores.jsonl").read_text().splitlines()[0])["metric"]
        for out in ("e", "ours")
    ]
    assert keys[0] != keys[1]
    page = (tmp_path / "e" / "report.md").read_text()
    assert "rotary frequencies in bfloat16, as the authors'" in page
    assert f"the instruction of theirs.txt (SHA-256 {read['instruction_sha256'][:12]})" in page
    photographs = tmp_path / "photographs"
    photographs.mkdir()
    (photographs / "a.png").write_bytes(groups[0].photograph.read_bytes())
    (tmp_path / "c.csv").write_text("file,caption\na.png,a car\n")
    sweep = ["sweep", str(photographs), "--captions", str(tmp_path / "c.csv"), "--scales", "1"]
    sweep += ["--cfm", str(weights), "--cpu", "--instruction", str(theirs)]
    assert main([*sweep, "--out", str(tmp_path / "s")]) == 0
    assert json.loads((tmp_path / "s" / "sweep.json").read_text())["cfm"][name] == read
    assert "the instruction of theirs.txt" in capsys.readouterr().out
    alone = ["evaluate", "--groups", listed, "--measure", "delta_sat", "--instruction", str(theirs)]
    assert main([*alone, "--out", str(tmp_path / "a")]) == 2
    assert "give --cfm too" in capsys.readouterr().err


def test_the_authors_text_is_written_for_the_other_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "CFM" / COLLATOR
    source.parent.mkdir(parents=True)
    source.write_text(
        "INSTRUCTION = 'Judge {text_prompt}. '\nprompt_with_special_token = '<|Reward|> END'\n"
    )
    out = tmp_path / "theirs.txt"
    assert main(["instruction", str(tmp_path / "CFM"), "--out", str(out)]) == 0
    assert out.read_text() == "Judge {text_prompt}. <|Reward|> END"
    assert hashlib.sha256(out.read_bytes()).hexdigest() in capsys.readouterr().out
    assert main(["instruction", str(tmp_path), "--out", str(out)]) == 2
    assert "git clone" in capsys.readouterr().err


def test_cfm_is_never_placed_in_float16(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Machine("cuda", "A card of 2018", 40 * GIB, 40 * GIB, 64 * GIB, 8, bf16=False)
    monkeypatch.setattr("truehue.core.cli.fidelity_scoring.machine", lambda: old)
    assert local_placement(cpu=False).dtype == "float32"
    assert local_placement(cpu=True).device == "cpu"


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ([], "Say what to evaluate"),
        (["--measure", "mean_saturation"], "neither more nor less is better"),
        (["--measure", "beauty"], "There is no measure 'beauty'"),
        (["--scores", "none.csv"], "cannot be read as a table"),
        (["--measure", "delta_sat", "--ratings", "none.csv"], "cannot be read as UTF-8"),
    ],
)
def test_what_cannot_be_evaluated_is_said(
    listed: str, tmp_path: Path, more: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "e"
    assert main(["evaluate", "--groups", listed, "--out", str(out), *more]) == 2
    assert text in capsys.readouterr().err
    assert not (out / "report.md").exists()


def test_the_sweep_says_where_each_metric_is_best(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "photographs"
    folder.mkdir()
    # HSV saturation of 0.22 and 0.275: 1.5 and 1.2 times that is 0.33, where ΔSat is least.
    for name, least in (("a", 156), ("b", 145)):
        Image.fromarray(np.full((8, 8, 3), (200, least, least), np.uint8)).save(
            folder / f"{name}.png"
        )
    out = tmp_path / "sweep"
    line = ["sweep", str(folder), "--measure", "delta_sat"]
    line += ["--scales", "1,1.2,1.5,2", "--out", str(out)]
    assert main(line) == 0
    printed = capsys.readouterr().out
    assert "ΔSat: best at 1.2 times the saturation, of 2 photographs" in printed
    rows = list(csv.DictReader((out / "sweep.csv").read_text().splitlines()))
    assert [row["best_of"] for row in rows[:4]] == ["0", "1", "1", "0"]
    # By hand, at twice the saturation: (|0.44 - 0.33| + |0.55 - 0.33|) / 2.
    assert float(rows[3]["mean"]) == pytest.approx(0.165, abs=0.003)
    assert "ΔSat</text>" in (out / "sweep.svg").read_text()
    before = (out / "scores.jsonl").read_text()
    assert main(line) == 0
    assert (out / "scores.jsonl").read_text() == before
    for more, text in (
        (["--scales", "0.5,2"], "is one of them"),
        (["--cfm", str(folder)], "CFM reads captions"),
        (["--measure", "mean_saturation"], "neither more nor less is better"),
        (["--out", str(folder / "a.png")], "it is a file"),
    ):
        assert main([*line, *more]) == 2
        assert text in capsys.readouterr().err
    # One that is broken is named, and costs no other its score.
    (folder / "c.png").write_bytes((folder / "a.png").read_bytes()[:40])
    assert main(line) == 2
    captured = capsys.readouterr()
    assert "of 2 photographs" in captured.out
    assert f"{folder / 'c.png'}: " in captured.err
    for nothing, text in ((out, "holds no images"), (tmp_path / "none", "is not there")):
        assert main(["sweep", str(nothing), "--measure", "delta_sat"]) == 2
        assert text in capsys.readouterr().err


def test_the_examples_of_the_help_parse() -> None:
    lines = EPILOG.replace("\\\n", "").splitlines()[1:]
    examples = [line.split()[4:] for line in lines if line]
    assert {example[0] for example in examples} >= {"build", "train", "evaluate", "sweep"}
    for example in examples:
        options = COMMAND.parser().parse_args(shlex.split(" ".join(example)))
        # Ids that there are: others raise.
        for name in filter(None, (getattr(options, "models", "") or "").split(",")):
            model(name)
        for name in getattr(options, "measure", []):
            measure_of(name)


def test_a_split_without_a_side_is_said(
    groups: list[Group], capsys: pytest.CaptureFixture[str]
) -> None:
    _warn(groups, [], 0.3)
    assert "test.json has no groups" in capsys.readouterr().err
    _warn(groups, [], 0.0)
    assert capsys.readouterr().err == ""
