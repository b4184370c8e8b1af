"""``truehue reproduce fidelity``, end to end on tiny weights of the real classes."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.commands import called
from tests.core.batch.here import team_here
from tests.core.fidelity.test_frechet import inception
from tests.core.fidelity.vivid_groups import vivid_groups
from tests.core.generation.conftest import models_folder, one_thread, tiny
from tests.core.scores.test_learned import save_clip
from tests.empty_data import empty_data
from tests.tiny_models import cfm
from truehue.core.cli.fidelity import main as fidelity
from truehue.core.fidelity.cfm.registration import register
from truehue.core.fidelity.groups import write_groups
from truehue.core.fidelity.training.model import write_small_base
from truehue.core.runs.folder import run_folders
from truehue.core.scores.learned import CLIP_B32
from truehue.tabs.command.reproduce import main

pytestmark = [
    pytest.mark.slow,
    pytest.mark.weights,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

__all__ = ["models_folder", "one_thread", "tiny"]

SMALL = "--size 64 --steps 2 --guidance 7.5"


@pytest.fixture(scope="module", autouse=True)
def workers_of_ours() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, one_thread: None) -> Path:
    """A data folder with all that the recipes look for, and the weights beside it."""
    root = tmp_path_factory.mktemp("reproduce")
    empty_data(root / "data")
    own = root / "data" / "fidelity"
    own.mkdir()
    (root / "groups").mkdir()
    groups = vivid_groups(root / "groups", 3)
    cut = [replace(group, images=group.images[:2]) for group in groups]
    write_groups(own / "groups.json", cut[1:2])
    write_groups(own / "train.json", cut[2:])
    (own / "photographs").mkdir()
    for name in ("a", "b"):
        shutil.copy(groups[1].photograph, own / "photographs" / f"{name}.png")
    (own / "photographs.csv").write_text("file,caption\na.png,a mug\nb.png,a car\n")
    (own / "captions.csv").write_text(
        "id,prompt,object,category\n1,a red mug,mug,Indoor Scene\n2,a blue car,car,Vehicles\n"
    )
    inception(own / "inception-2015-12-05.pt")
    theirs = root / "theirs.txt"
    theirs.write_text("Rate {text_prompt}: <|Reward|>", encoding="utf-8")
    register(root / "data", str(cfm.save(root / "cfm")), "", theirs)
    save_clip(root / "weights" / CLIP_B32.replace("/", "--"))
    write_small_base(own / "base")
    return root


def reproduce(folder: Path, *arguments: str, options: str = "") -> CompletedProcess[str]:
    return called(main, "fidelity", *arguments, *_own(folder, options), "--format", "csv")


def _own(folder: Path, options: str) -> list[str]:
    own = ["--data", str(folder / "data"), "--weights", str(folder / "weights"), "--workers", "1"]
    return [*own, "--yes", *(["--step-options", options] if options else [])]


def rows_of(done: CompletedProcess[str]) -> list[dict[str, str]]:
    assert done.returncode in (0, 3), done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def _stand_in(folder: Path, tiny: Callable[[str], Path]) -> None:
    """The folder of tiny weights stands for the id of the printed model."""
    place = folder / "weights" / "pixart-sigma"
    if not place.exists():
        place.symlink_to(tiny("pixart_sigma"))


def test_table_3_from_prompts_to_the_attribution(folder: Path, tiny: Callable[[str], Path]) -> None:
    _stand_in(folder, tiny)
    line = ("--table", "3", "--models", "pixart-sigma")
    done = reproduce(folder, *line, options=SMALL)
    assert "available weights  CFM" in done.stderr
    assert "then: truehue fidelity set --run" in done.stderr
    rows = rows_of(done)
    cells = {(row["setting"], row["column"]): row for row in rows if row["kind"] == "cell"}
    assert {setting for setting, _ in cells} == {"none", "CFR_CFM"}
    for setting in ("none", "CFR_CFM"):
        for column in ("FID", "CLIPScore", "ΔSat.", "CFM"):
            assert cells[setting, column]["n"] == "2", (setting, column)
            assert cells[setting, column]["value"]
            assert cells[setting, column]["published"]
    assert cells["none", "CFM"]["value"] != cells["CFR_CFM", "CFM"]["value"]
    again = called(main, "fidelity", *line, *_own(folder, SMALL), "--format", "text")
    assert "then: truehue" not in again.stderr
    assert again.stderr.count("done: truehue fidelity set") == 2
    text = again.stdout
    assert "the map of CFM over a first pass" in text
    assert "FID has clean-fid's resize" in text
    runs = {"cfr" in run.summary()["options"]: run for run in run_folders(folder / "data" / "runs")}
    assert runs[True].summary()["options"]["cfr"]["map"] == "cfm"
    assert _points(rows) == {"Mean of the images' ΔSat": True, **dict.fromkeys(READ, False)}
    # Other photographs are another FID; its numbers need no folder of the run.
    shutil.copy(
        folder / "data/fidelity/photographs/a.png", folder / "data/fidelity/photographs/c.png"
    )
    stale = reproduce(folder, *line, "--estimate-only", options=SMALL)
    assert stale.stderr.count("then: truehue fidelity set") == 2
    # CFM read otherwise, on the stored images: each switched alone.
    own = ["--data", str(folder / "data"), "--measure", "delta_sat"]
    for option in ("--float32-rotary", "--own-instruction"):
        assert fidelity(["set", "--run", runs[False].run_id, *own, option]) == 0
    assert _points(rows_of(reproduce(folder, *line, options=SMALL))) == {
        "Mean of the images' ΔSat": True,
        **dict.fromkeys(READ, True),
    }
    done = reproduce(folder, "--table", "5", "--models", "pixart-sigma", "--estimate-only")
    assert done.stderr.count("then: truehue runs start") == 4
    # λ is of CFR alone: the images without it have none.
    options = ("--step-options", "--lambda 0.5 --seed 3")
    done = reproduce(
        folder, "--table", "5", "--models", "pixart-sigma", "--estimate-only", *options
    )
    starts = [line for line in done.stderr.splitlines() if "then: truehue runs start" in line]
    assert sorted("--lambda 0.5" in line for line in starts) == [False, True, True, True]
    assert all("--seed 3" in line for line in starts)


READ = ("Rotary frequencies", "Instruction")


def _points(rows: list[dict[str, str]]) -> dict[str, bool]:
    """Of the row without CFR: which differences have points, by name."""
    return {
        row["sentence"].split(":")[0]: bool(row["points"])
        for row in rows
        if row["kind"] == "difference" and row["setting"] == "none"
    }


def test_tables_1_2_and_4_are_evaluated_and_trained_on_groups_of_ones_own(folder: Path) -> None:
    rows = rows_of(reproduce(folder, "--table", "1"))
    by_metric = {row["metric"]: row for row in rows if row["value"]}
    assert by_metric["Ours"]["published"] == "80.1"
    assert by_metric["Ours"]["ours"] == "CFM (cfm)"
    assert {row["ours"] for row in rows if row["value"]} == {"CFM (cfm)", "ΔSat", "CLIPScore"}
    # What is not measured here keeps its printed row, and takes scores of another program.
    assert {row["published"] for row in rows if row["metric"] == "MPS"} == {"44.4", "46.2"}
    listed = json.loads((folder / "data" / "fidelity" / "groups.json").read_text())
    files = [name for name in next(iter(listed)).values() if str(name).endswith((".png", ".jpg"))]
    table = folder / "data" / "fidelity" / "mps.csv"
    lines = [f"{name},MPS,{-number}" for number, name in enumerate(files)]
    table.write_text("\n".join(["file,measure,value", *lines]))
    rows = rows_of(reproduce(folder, "--table", "1", options=f"--scores {table}"))
    assert all(row["value"] for row in rows if row["kind"] == "cell" and row["metric"] == "MPS")
    done = reproduce(folder, "--table", "2")
    assert "missing   people   ratings" in done.stderr
    assert all(not row["value"] for row in rows_of(done))
    small = "--steps 1 --batch 1 --area 12544"
    rows = rows_of(reproduce(folder, "--table", "4", options=small))
    trained = {row["variant"]: row["ours"] for row in rows if row["value"]}
    assert trained == {
        "Pairwise loss": "CFM (cfm-pairwise)",
        "Visual-only": "CFM (cfm-visual)",
        "Ours": "CFM (cfm-softrank)",
    }


def test_figure_1_has_every_metric_in_one_figure(folder: Path) -> None:
    rows = rows_of(reproduce(folder, "--figure", "1", options="--scales 1,1.4"))
    assert {row["metric"] for row in rows} == {"ΔSat", "CLIPScore", "CFM (cfm)"}
    assert (folder / "data" / "fidelity" / "reproduce" / "sweep" / "sweep.svg").is_file()


WITHOUT_WEIGHTS = {
    "__init__.py": """
from pyiqa.utils import download_util

def create_metric(name, device):
    download_util.download_url_to_file("https://example.org/koniq.pth")
""",
    "utils/__init__.py": "",
    "utils/download_util.py": "def download_url_to_file(url): ...",
    "archs/__init__.py": "",
    "archs/clip_model.py": "def _download(url, root): ...",
    "archs/liqe_arch.py": "DEFAULT_CACHE_DIR = ''",
}


@pytest.fixture
def pyiqa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """The package is absent until this is called; then it is a stand-in without weights."""

    def forget() -> None:
        for name in [name for name in sys.modules if name.split(".")[0] == "pyiqa"]:
            del sys.modules[name]

    def add() -> None:
        forget()
        for name, text in WITHOUT_WEIGHTS.items():
            (tmp_path / "pyiqa" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "pyiqa" / name).write_text(text)
        monkeypatch.syspath_prepend(tmp_path)

    sys.modules["pyiqa"] = None  # type: ignore[assignment]
    yield add
    forget()


def test_figures_4_and_9_compare_models_by_category_and_by_metric(
    folder: Path, tiny: Callable[[str], Path], pyiqa: Callable[[], None]
) -> None:
    _stand_in(folder, tiny)
    line = ("--models", "pixart-sigma")
    rows = rows_of(reproduce(folder, "--figure", "4", *line, options=SMALL))
    cells = {row["column"]: row for row in rows}
    assert len(cells) == 13
    counts = {name: cell["n"] for name, cell in cells.items() if cell["value"]}
    assert counts == {"CFM": "2", "Indoor Scene": "1", "Vehicles": "1"}
    parts = [float(cells[name]["value"]) for name in ("Indoor Scene", "Vehicles")]
    assert float(cells["CFM"]["value"]) == pytest.approx(sum(parts) / 2)
    done = reproduce(folder, "--figure", "9", *line, options=SMALL)
    ranked = {row["column"]: row for row in rows_of(done) if row["value"]}
    assert set(ranked) == {"CFM", "ΔSat", "CLIPScore"}
    assert ranked["CFM"]["value"] == cells["CFM"]["value"]  # of the same images
    assert {row["sentence"] for row in ranked.values()} == {"rank 1 of 1"}
    assert "missing   weights  MUSIQ: To compute MUSIQ: pip install" in done.stderr
    again = reproduce(folder, "--figure", "9", *line, "--estimate-only", options=SMALL)
    assert "then: truehue" not in again.stderr
    # With the package and without the weights: tried once, and unscored with the reason.
    pyiqa()
    done = reproduce(folder, "--figure", "9", *line, options=SMALL)
    assert done.stderr.count("then: truehue fidelity set") == 1
    of_musiq = [row for row in rows_of(done) if row["column"] == "MUSIQ"]
    assert [(row["value"], row["unscored"]) for row in of_musiq] == [("", "2")]
    again = reproduce(folder, "--figure", "9", *line, "--estimate-only", options=SMALL)
    assert "then: truehue" not in again.stderr
    reason = "The weights https://example.org/koniq.pth of MUSIQ are not on this machine"
    assert f"missing   weights  MUSIQ: {reason}" in again.stderr
    assert "--measure musiq" in again.stderr


def test_an_empty_folder_says_what_to_get(tmp_path: Path) -> None:
    for arguments in (
        *(("--table", number) for number in ("3", "4")),
        *(("--figure", number) for number in ("1", "4", "9")),
    ):
        done = called(main, "fidelity", *arguments, "--data", str(tmp_path), "--estimate-only")
        assert done.returncode == 0, done.stderr
        assert "missing   data" in done.stderr
        if arguments == ("--table", "3"):  # before there are captions: the weights, and no numbers
            assert "truehue models download pixart-sigma" in done.stderr
            assert f"curl --create-dirs -o {tmp_path}/fidelity/inception" in done.stderr
            assert "0 images" not in done.stderr
    assert (
        "hf download Qwen/Qwen2-VL-7B-Instruct"
        in called(
            main, "fidelity", "--table", "4", "--data", str(tmp_path), "--estimate-only"
        ).stderr
    )
