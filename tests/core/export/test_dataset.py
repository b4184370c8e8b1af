"""Dataset folders for the hub. Their form was validated with mlcroissant, datasets, inspect-ai and
every-eval-ever (docs/guides/sharing.md); here the files are held to it without those packages."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard, parse_eval_result_entries

from tests.commands import called
from tests.core.export.made import make_run, plan
from truehue.core.errors import BadInput
from truehue.core.export.dataset.folder import CONFORMS_TO, CROISSANT
from truehue.core.export.dataset.question_set import EVAL, share_question_set
from truehue.core.export.dataset.run import (
    EVAL_RESULTS,
    EVERY_EVAL,
    EVERY_EVAL_VERSION,
    accuracies_of,
    share_run,
)
from truehue.core.export.source import ExportRun
from truehue.core.images.load import encode_png
from truehue.core.runs.folder import RunFolder
from truehue.core.vlm.color_judge.question_set import JudgeSettings, judge_questions
from truehue.core.vlm.generators import Difficulty, GeneratedSettings, generated
from truehue.core.vlm.question_set import QuestionSet, open_set, write_set
from truehue.tabs.command import share

pytestmark = pytest.mark.slow

NAMED = ("ann/colors", "cc-by-4.0")
# Of every_eval_ever/schemas/eval.schema.json of every-eval-ever 0.3.0.
EVERY_EVAL_REQUIRED = {
    *("schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata"),
    *("model_info", "eval_library", "evaluation_results"),
}
RESULT_FIELDS = {
    *("evaluation_result_id", "evaluation_name", "source_data", "evaluation_timestamp"),
    *("metric_config", "score_details", "generation_config"),
}
DETAILS = ("deployment_type", "model_availability")
# Of inspect_ai/_eval/task/hf.py of inspect-ai 0.3.285.
TASK_FIELDS = {"id", "config", "split", "field_spec", "solvers", "scorers"}
SOLVERS, SCORERS = {"multiple_choice", "generate"}, {"choice", "match", "includes"}


@pytest.fixture(scope="module")
def choices(tmp_path_factory: pytest.TempPathFactory) -> QuestionSet:
    settings = GeneratedSettings({"color_extraction": 2, "color_comparison": 1}, Difficulty.EASY, 0)
    return write_set(tmp_path_factory.mktemp("q") / "set", generated(settings), "Colors", {"n": 3})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("r"), plan(images=1))


def check_folder(folder: Path) -> dict[str, Any]:
    """Holds the card, croissant.json and the Parquet files to each other; the rows by table."""
    card = DatasetCard.load(folder / "README.md")
    header = card.data.to_dict()
    croissant = json.loads((folder / CROISSANT).read_text("utf-8"))
    assert (header["license"], croissant["license"]) == (NAMED[1], NAMED[1])
    assert croissant["conformsTo"] == list(CONFORMS_TO)
    assert croissant["url"] == "https://huggingface.co/datasets/ann/colors"
    assert croissant["citeAs"].strip() in card.text
    assert {"rai:dataCollection", "rai:dataUseCases", "rai:dataLimitations"} <= set(croissant)
    files = {item["@id"]: item for item in croissant["distribution"]}
    records = {item["name"]: item for item in croissant["recordSet"]}
    features = {item["config_name"]: item["features"] for item in header["dataset_info"]}
    found = {}
    for config in header["configs"]:
        name = config["config_name"]
        (data,) = config["data_files"]
        item = files.pop(f"{name}-parquet")
        content = (folder / data["path"]).read_bytes()
        assert item["contentUrl"] == data["path"]
        assert item["sha256"] == hashlib.sha256(content).hexdigest()
        assert item["contentSize"] == f"{len(content)} B"
        table = pq.read_table(folder / data["path"])
        fields = records.pop(name)["field"]
        columns = [field["source"]["extract"]["column"] for field in fields]
        assert columns == table.column_names == [item["name"] for item in features[name]]
        assert {field["source"]["fileObject"]["@id"] for field in fields} == {f"{name}-parquet"}
        assert f"`{name}`: {table.num_rows:,} rows" in card.text
        found[name] = table
    assert not files
    assert not records
    return found


def test_a_question_set_becomes_a_benchmark(choices: QuestionSet, tmp_path: Path) -> None:
    share_question_set(choices, tmp_path / "d", *NAMED)
    tables = check_folder(tmp_path / "d")
    rows = tables["choice"].to_pylist()
    assert [row["question_id"] for row in rows] == [
        question.question_id for question in choices.questions()
    ]
    for row, item in zip(rows, choices.illustrated(), strict=True):
        png = encode_png(item.srgb8)
        assert row["image"] == {"bytes": png, "path": f"{item.question.image_id}.png"}
        assert row["image_uri"].startswith("data:image/png;base64,iVBOR")
        assert tuple(row["choices"]) == item.question.choices
        assert (row["question"], row["answer"]) == (item.question.text, item.question.answer)
    check_eval(tmp_path / "d", tables)


def check_eval(folder: Path, tables: dict[str, Any]) -> None:
    benchmark = yaml.safe_load((folder / EVAL).read_text("utf-8"))
    assert set(benchmark) == {"name", "description", "evaluation_framework", "tasks"}
    assert benchmark["evaluation_framework"] == "inspect-ai"
    assert [task["config"] for task in benchmark["tasks"]] == list(tables)
    for task in benchmark["tasks"]:
        assert set(task) == TASK_FIELDS
        assert set(task["field_spec"].values()) <= set(tables[task["config"]].column_names)
        assert {item["name"] for item in task["solvers"]} <= SOLVERS
        assert {item["name"] for item in task["scorers"]} <= SCORERS


def test_each_form_of_answer_is_a_table(tmp_path: Path) -> None:
    made = judge_questions(JudgeSettings(system="l2", renders=1))
    questions = write_set(tmp_path / "set", made, "Judge", {})
    share_question_set(questions, tmp_path / "d", *NAMED)
    tables = check_folder(tmp_path / "d")
    assert list(tables) == ["binary", "open"]
    assert sum(table.num_rows for table in tables.values()) == questions.questions_count
    assert set(tables["binary"]["answer"].to_pylist()) == {"yes", "no"}
    assert "choices" not in tables["open"].column_names
    check_eval(tmp_path / "d", tables)


def test_a_run_is_shared_with_its_accuracies(run: RunFolder, tmp_path: Path) -> None:
    share_run(run, tmp_path / "d", *NAMED)
    table = check_folder(tmp_path / "d")["results"]
    accuracies = accuracies_of(ExportRun(run), tmp_path / "d" / "results" / _only(tmp_path))
    leads = [row for row in table.to_pylist() if row["leads"]]
    for item in accuracies:
        mine = [row for row in leads if (row["task"], row["rule"]) == (item.task, item.rule)]
        passed = sum(row["picture_status"] == "pass" for row in mine)
        failed = sum(row["picture_status"] == "fail" for row in mine)
        assert (item.rate.passes, item.rate.fails) == (passed, failed)
        assert item.rate.unscored == len(mine) - passed - failed
    entries = parse_eval_result_entries(
        yaml.safe_load((tmp_path / "d" / EVAL_RESULTS).read_text("utf-8"))
    )
    assert [(entry.task_id, entry.value) for entry in entries] == [
        (f"{item.task}-{item.rule}", round(item.rate.percent or 0.0, 2)) for item in accuracies
    ]
    assert {entry.dataset_id for entry in entries} == {NAMED[0]}
    check_every_eval(tmp_path / "d" / EVERY_EVAL, len(accuracies))
    assert not list((tmp_path / "d").rglob("*.png"))


def _only(tmp_path: Path) -> str:
    (path,) = (tmp_path / "d" / "results").iterdir()
    return path.name


def check_every_eval(folder: Path, count: int) -> None:
    (path,) = folder.rglob("*.json")
    place = path.relative_to(folder).parts
    assert place[:-1] == ("data", "truehue", "truehue", "reference-renderer")
    log = json.loads(path.read_text("utf-8"))
    assert set(log) == EVERY_EVAL_REQUIRED
    assert log["schema_version"] == EVERY_EVAL_VERSION
    assert all(log["model_info"]["additional_details"][name] for name in DETAILS)
    assert len(log["evaluation_results"]) == count > 0
    for result in log["evaluation_results"]:
        assert set(result) <= RESULT_FIELDS
        interval = result["score_details"]["uncertainty"]["confidence_interval"]
        assert 0 <= interval["lower"] <= result["score_details"]["score"] <= interval["upper"] <= 1
        assert result["metric_config"]["lower_is_better"] is False
        details = result["generation_config"]["additional_details"]
        assert all(isinstance(value, str) for value in details.values())


def test_unscored_images_count_as_the_leaderboard_counts_them(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "r", plan(images=1, rules=("paper", "released")))
    # Of the last image an object fails and leads, and another has no score: it is left out.
    rows = [
        (rule, position, leads, picture, status, cause)
        for rule in ("paper", "released")
        for position, leads, picture, status, cause in (
            (0, True, "pass", "pass", None),
            (1, True, "unscored", "unscored", "not-found"),
            (2, True, "unscored", "unscored", "too-few-pixels"),
            (3, True, "unscored", "unscored", "no-image"),
            (4, True, "fail", "fail", "hue"),
            (4, False, "fail", "unscored", "left-out"),
        )
    ]
    names = ("rule", "position", "leads", "picture_status", "status", "cause")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    table = pa.table({**columns, "task": ["coa"] * len(rows)})
    pq.write_table(table, tmp_path / "t.parquet")
    paper, released = accuracies_of(ExportRun(folder), tmp_path / "t.parquet")
    assert (paper.rate.passes, paper.rate.fails, paper.rate.unscored) == (1, 0, 4)
    assert (released.rate.passes, released.rate.fails, released.rate.unscored) == (1, 2, 2)


def test_what_cannot_be_shared_is_refused(
    choices: QuestionSet, run: RunFolder, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match="is there already"):
        share_question_set(choices, tmp_path, *NAMED)
    with pytest.raises(BadInput, match="is there already"):
        share_run(run, tmp_path, *NAMED)
    with pytest.raises(BadInput, match="OWNER/NAME"):
        share_question_set(choices, tmp_path / "d", "colors", NAMED[1])
    with pytest.raises(BadInput, match="such as cc-by"):
        share_run(run, tmp_path / "d", NAMED[0], "do what you like")
    empty = make_run(tmp_path / "r", plan(images=1), shards=0)
    with pytest.raises(BadInput, match="no result yet"):
        share_run(empty, tmp_path / "d", *NAMED)
    assert not (tmp_path / "d").exists()


def test_the_command_shares_a_run_and_a_set(
    choices: QuestionSet, run: RunFolder, tmp_path: Path
) -> None:
    about = ("--id", NAMED[0], "--license", NAMED[1])
    shared = ("--shared", str(run.path.parent))
    done = called(share.main, "run", run.run_id[:8], "a b", *about, *shared, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1] == "  hf upload ann/colors 'a b' . --type dataset"
    check_folder(tmp_path / "a b")
    done = called(share.main, "set", str(choices.folder), "q", *about, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    check_folder(tmp_path / "q")
    done = called(share.main, "set", str(tmp_path), "r", *about, folder=tmp_path)
    assert done.returncode == 2
    assert "is no set of questions" in done.stderr
    assert open_set(choices.folder).sha256 == choices.sha256
