"""The whole command on a slice of the set: the report, resuming, and what is refused."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.commands import called
from tests.core.batch.here import team_here
from tests.core.diagnosis.commands import SLICE
from tests.core.diagnosis.rows import row
from tests.held_back import held_back
from truehue.core.batch.health import state_of
from truehue.core.batch.journal import read_journal
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.batch.shards import read_columns
from truehue.core.cli.diagnose import main
from truehue.core.color.systems import parse_target
from truehue.core.diagnosis.colors import make_query, render_image, set_colors
from truehue.core.diagnosis.plan import RuleUsed, Task, renderer_tasks, rules_used
from truehue.core.diagnosis.records import DiagnosisReport
from truehue.core.diagnosis.records import text as report_text
from truehue.core.diagnosis.run import (
    FOLDER,
    MEANING,
    DiagnosisFolder,
    Progress,
    csv_of,
    diagnose,
    read_report,
    rows_of_csv,
    work_of,
)
from truehue.core.errors import BadInput, TrueHueError
from truehue.core.verdict.measure import measure

pytestmark = pytest.mark.process

Rows = list[dict[str, str]]
ALONE = (*SLICE[:-1], "1")
# Of several tasks the second batch takes half, so that some are left however fast it is.
FEW = (
    *("--objects", "cube,sphere,mug,car", "--lights", "even", "--systems", "l1"),
    *("--size", "64", "--workers", "1"),
)


def verdicts(folder: Path) -> Rows:
    with gzip.open(folder / "verdicts.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module", autouse=True)
def workers_of_ours() -> Iterator[None]:
    """Commands that are called here have their workers here too; those that are begun as processes
    of their own have processes as workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("truehue.core.batch.execute.LocalTeam", team_here)
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DiagnosisReport]:
    """The folder and the printed report of an uninterrupted run of the slice."""
    folder = tmp_path_factory.mktemp("whole")
    done = called(main, "--out", str(folder), *SLICE, "--json")
    assert done.returncode == 0, done.stderr
    return folder, DiagnosisReport.from_json(json.loads(done.stdout))


def test_every_picture_is_judged_by_every_rule_against_six_colors(
    whole: tuple[Path, DiagnosisReport],
) -> None:
    folder, report = whole
    rows = verdicts(folder)
    assert tuple(rows[0]) == tuple(MEANING)
    images = {(r["object"], r["system"], r["color"], r["second"]) for r in rows}
    assert len(images) == report.images
    assert len(rows) == report.images * 2 * 6
    assert Counter(r["relation"] for r in rows) == {
        "true": report.images * 2,
        "near": report.images * 10,
    }
    # Every 20th color of 29 and 147, twice with one material and twice with two.
    assert 2 * 2 * (1 + 7) <= report.images <= 2 * 2 * (2 + 8)
    assert report.images_two_material == sum(1 for item in images if item[3])
    assert {r["status"] for r in rows} <= {"pass", "fail"}
    assert report == read_report(folder)
    assert (report.every, report.size_px, report.seeds) == (20, 96, (0,))
    assert [(item.system, item.hit_percent) for item in report.published] == [
        ("l2", 96.46),
        ("css", 92.0),
    ]


def test_a_row_is_what_the_pipeline_says_of_that_picture(
    whole: tuple[Path, DiagnosisReport],
) -> None:
    rows = verdicts(whole[0])
    for item in rows[:: max(1, len(rows) // 25)]:
        true = parse_target(item["color"], item["system"])
        pair = render_image(
            item["object"], item["light"], int(item["seed"]), true.hex, 96, item["second"]
        )
        result = measure(*pair, parse_target(item["asked"], item["system"]), item["rule"])
        assert result.verdict.status == item["status"]
        distance = result.verdict.metric("delta_e00")
        assert distance is not None
        assert float(item["delta_e00"]) == pytest.approx(distance.value, rel=1e-5)
        shares = [m.value / m.threshold for m in result.verdict.metrics if m.threshold is not None]
        assert float(item["margin"]) == pytest.approx(max(shares), rel=1e-5)
        assert (float(item["margin"]) < 1.0) == (item["status"] == "pass")
        near = [target.label for target in make_query(item["color"], item["system"]).near]
        assert (item["asked"] in near) == (item["relation"] == "near")


def test_the_report_counts_what_the_rows_say(whole: tuple[Path, DiagnosisReport]) -> None:
    rows = verdicts(whole[0])
    for rule in whole[1].rules:
        for system_id in ("l2", "css"):
            mine = [r for r in rows if (r["rule"], r["system"]) == (rule.id, system_id)]
            for set_, some in (
                ("pooled", [r for r in mine if not r["second"]]),
                ("two_material", [r for r in mine if r["second"]]),
            ):
                figure = rule.figure(set_, system_id)
                assert figure is not None
                true = [r["status"] for r in some if r["relation"] == "true"]
                near = [r["status"] for r in some if r["relation"] == "near"]
                assert (figure.hits, figure.asked) == (true.count("pass"), len(true))
                assert (figure.false_accepts, figure.tried) == (near.count("pass"), len(near))
            at_one = next(p for p in rule.roc[system_id].points if p.limit == 1.0)
            pooled = rule.figure("pooled", system_id)
            assert pooled is not None
            assert at_one.hit_percent == pytest.approx(pooled.hit_percent)
            assert at_one.false_accept_percent == pytest.approx(pooled.false_accept_percent)


def test_a_second_run_takes_what_is_kept_and_prints_the_table(
    whole: tuple[Path, DiagnosisReport], tmp_path: Path
) -> None:
    folder, report = whole
    before = (folder / "verdicts.csv.gz").read_bytes()
    done = called(main, "--out", str(folder), *SLICE)
    assert done.returncode == 0, done.stderr
    assert (folder / "verdicts.csv.gz").read_bytes() == before
    assert read_report(folder).images_reused == report.images
    for text in ("paper 1.0", "released 1.1", "96.46%", "92.00%", "not published", "quick look"):
        assert text in done.stdout


def test_a_killed_run_goes_on_and_ends_with_the_same_rows(
    whole: tuple[Path, DiagnosisReport], tmp_path: Path
) -> None:
    with held_back("truehue.core.diagnose", "--out", str(tmp_path), *ALONE) as process:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    saved = tasks_kept(tmp_path)
    assert saved
    assert not (tmp_path / "report.json").exists()
    done = called(main, "--out", str(tmp_path), *SLICE)
    assert done.returncode == 0, done.stderr
    assert tasks_kept(tmp_path) - saved == tasks_kept(whole[0]) - saved
    assert all(count == 1 for count in tasks_kept(tmp_path).values()), "nothing is done twice"
    assert verdicts(tmp_path) == verdicts(whole[0])
    assert 0 < read_report(tmp_path).images_reused < whole[1].images


def tasks_kept(out: Path) -> Counter[str]:
    """How often each task has its judgments in the folder of a report."""
    folder = DiagnosisFolder(out / FOLDER)
    keys = [
        key for path in folder.shards() for key in read_columns(path, ["key"])["key"].to_pylist()
    ]
    for path in folder.journal.glob("*.jsonl"):
        keys += [str(line["key"]) for line in read_journal(path)]
    return Counter(keys)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_cleanly_and_keeps_what_is_done(tmp_path: Path, number: int) -> None:
    with held_back("truehue.core.diagnose", "--out", str(tmp_path), *FEW) as process:
        # Ctrl+C goes to all processes of the terminal. SIGTERM goes to one.
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "run the same command again to continue" in err
    assert tasks_kept(tmp_path)
    assert state_of(DiagnosisFolder(tmp_path / FOLDER)).status == "paused"


# ------------------------------------------------------------------------------------- what is kept


def test_whatever_changes_rows_changes_the_fingerprint() -> None:
    rules = rules_used(["paper"])
    plain = ("mug",), ("hard",), (0,), ("l2",), 96, 2

    def prints(
        rules=rules,
        objects=plain[0],
        lights=plain[1],
        seeds=plain[2],
        systems=plain[3],
        size_px=96,
        every=2,
    ) -> set[str]:
        tasks = renderer_tasks(rules, objects, lights, seeds, systems, size_px, every)
        return {task.fingerprint for task in tasks}

    other = [
        prints(rules_used(["released"])),
        prints(rules_used(["paper", "released"])),
        prints(objects=("car",)),
        prints(lights=("window",)),
        prints(seeds=(1,)),
        prints(systems=("css",)),
        prints(size_px=97),
        prints(every=3),
    ]
    assert prints() == prints()
    assert all(not prints() & changed for changed in other)


def test_neighbors_that_are_accepted_raise_both_rates(tmp_path: Path) -> None:
    """k = 5 takes in what k = 0 takes in, and colors beside it that are not the true one."""
    rates = []
    for k in (0, 5):
        used = rules_used(["paper", "released"], k)
        tasks = renderer_tasks(used, ("mug",), ("even",), (0,), ("css",), 96, 6)
        report = diagnose(tmp_path / str(k), used, tasks, workers=1, every=6)
        assert [rule.parameters["k"] for rule in report.rules] == [k, 0]
        figure = report.rule("paper").figure("pooled", "css")
        assert figure is not None
        rates.append((figure.hits, figure.false_accepts))
    assert rates[1][0] >= rates[0][0]
    assert rates[1][1] > rates[0][1] + 5
    with pytest.raises(BadInput, match="between 0 and 20"):
        rules_used(["paper"], 21)


def slice_of(rules=("paper",), **more) -> tuple[tuple[RuleUsed, ...], list[Task]]:
    """A few pictures: the colors of l1 on one object."""
    used = rules_used(rules)
    values = {"objects": ("cube",), "lights": ("even",), "seeds": (0,), **more}
    tasks = renderer_tasks(used, values["objects"], values["lights"], values["seeds"], ("l1",), 64)
    return used, tasks


def test_what_was_judged_is_taken_and_what_is_new_is_done(tmp_path: Path) -> None:
    first = diagnose(tmp_path, *slice_of())
    assert (first.images_reused, first.images > 0) == (0, True)
    again = diagnose(tmp_path, *slice_of())
    assert (again.images_reused, again.rules) == (first.images, first.rules)
    more = diagnose(tmp_path, *slice_of(seeds=(0, 1)))
    assert more.images_reused == first.images < more.images
    # The other seed alone, and then the first: both are there.
    assert diagnose(tmp_path, *slice_of(seeds=(1,))).images == more.images - first.images
    assert diagnose(tmp_path, *slice_of()).images_reused == first.images
    # Another rule is another task under the same name: nothing of the old ones is of use.
    other = diagnose(tmp_path, *slice_of(("released",)))
    assert other.images_reused == 0
    assert len(tasks_kept(tmp_path)) == len(slice_of()[1])


def test_a_rule_with_other_parameters_is_judged_anew(tmp_path: Path) -> None:
    (rule,) = rules_used(["paper"])
    other = replace(rule, parameters={**rule.parameters, "k": 3})
    newer = replace(rule, version="9.0")
    arguments = ("mug",), ("hard",), (0,), ("l2",), 96
    prints = {renderer_tasks([item], *arguments)[0].fingerprint for item in (rule, other, newer)}
    assert len(prints) == 3


@pytest.mark.parametrize("damage", ["cut", "flipped", "text"])
def test_a_damaged_file_does_not_count(tmp_path: Path, damage: str) -> None:
    report = diagnose(tmp_path, *slice_of())
    before = verdicts(tmp_path)
    (path,) = DiagnosisFolder(tmp_path / FOLDER).shards()
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        {
            "cut": content[:-30],
            "flipped": content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :],
            "text": b"object,light",
        }[damage]
    )
    again = diagnose(tmp_path, *slice_of())
    assert (again.images, again.images_reused) == (report.images, 0)
    assert verdicts(tmp_path) == before


def test_rows_come_back_with_six_digits() -> None:
    rows = [row(1 / 3, color="Yellowish green"), row(None, delta_e00=None, confidence_percent=75.0)]
    judgment_rows = rows_of_csv(csv_of(rows))
    assert judgment_rows[0].margin == pytest.approx(1 / 3, rel=1e-5)
    assert judgment_rows[1] == rows[1]
    with pytest.raises(ValueError, match="fields"):
        rows_of_csv("mug,hard,0\n")


def test_what_a_watch_raises_ends_it_and_the_next_one_goes_on(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def enough(progress: Progress) -> None:
        raise Enough

    used, tasks = slice_of(seeds=(0, 1))
    with pytest.raises(Enough):
        diagnose(tmp_path, used, tasks, watch=enough)
    assert not tasks_kept(tmp_path)
    seen: list[Progress] = []
    report = diagnose(tmp_path, used, tasks, watch=seen.append)
    assert (seen[0].done, seen[-1].done, seen[-1].images) == (0, report.images, report.images)


def test_a_task_that_breaks_is_said_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*values: object, **more: object) -> None:
        raise RuntimeError("no such shape")

    with monkeypatch.context() as patch:
        patch.setattr("truehue.core.diagnosis.run.rows_of", breaks)
        with pytest.raises(TrueHueError, match=r"could not be scored.*no such shape.*are saved"):
            diagnose(tmp_path, *slice_of())
    assert diagnose(tmp_path, *slice_of()).images_reused == 0


def test_only_one_process_is_at_a_diagnosis(tmp_path: Path) -> None:
    used, tasks = slice_of()
    folder = work_of(tmp_path, tasks).folder
    with hold_lock(folder.path / "lock", ""), pytest.raises(InUse, match="running this diagnosis"):
        diagnose(tmp_path, used, tasks)


def test_a_quick_look_takes_other_colors_of_each_object() -> None:
    tasks = renderer_tasks(
        rules_used(["paper"]), ("sphere", "mug"), ("hard",), (0,), ("l2",), 96, 4
    )
    ones = [task for task in tasks if not task.two]
    assert {len(task.colors) for task in ones} <= {7, 8}
    assert not set(ones[0].colors) & set(ones[1].colors)
    full = renderer_tasks(rules_used(["paper"]), ("mug",), ("hard",), (0,), ("l2", "css"), 96)
    assert [task.images for task in full] == [176, 176]
    assert len(set_colors("css")) == 147


def test_a_neutral_helps_in_tinted_light(tmp_path: Path) -> None:
    used, hits = rules_used(["truehue"]), []
    for neutral in (False, True):
        tasks = renderer_tasks(used, ("cube",), ("lamp",), (0,), ("l1",), 64, 2, neutral=neutral)
        report = diagnose(tmp_path, used, tasks, every=2)
        assert (report.neutral, report.images_reused) == (neutral, 0)
        assert ("balanced by the backdrop" in report_text(report)) == neutral
        figure = report.rules[0].figure("pooled", "l1")
        assert figure is not None
        hits.append(figure.hits)
    assert hits[0] < hits[1]


def test_objects_may_be_of_metal_or_have_a_pattern(tmp_path: Path) -> None:
    used = rules_used(["truehue"])
    arguments = ("cube",), ("shade",), (0,), ("l1",), 64, 6
    for material, second in (("metal", False), ("dots", True)):
        tasks = renderer_tasks(used, *arguments, material)
        assert [(task.two, task.material) for task in tasks] == [(second, material)]
        report = diagnose(tmp_path, used, tasks, every=6)
        assert f"64 px, {material}" in report_text(report)
        assert {row["second"] != "" for row in verdicts(tmp_path)} == {second}
        assert report.rules[0].worst == (), "the page would render plain objects"


# ------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--objects", "fork"], "no object 'fork'"),
        (["--lights", "moon"], "no light 'moon'"),
        (["--rules", "strict"], "Known rules"),
        (["--systems", "pantone"], "no color system"),
        (["--size", "20"], "64..2048|from 64 to 2048"),
        (["--seeds", "one"], "whole numbers"),
        (["--seeds", "-1"], "0 upward"),
        (["--every", "0"], "1 or more"),
        (["--workers", "0"], "worker"),
        (["--objects", ","], "names nothing"),
        (["--images", "no-such.csv"], "Cannot read the manifest"),
        (["--images", "x.csv", "--lights", "hard"], "--lights belongs to our own images"),
        (["--images", "x.csv", "--neutral"], "--neutral belongs to our own images"),
        (["--people", "--neutral"], "--neutral belongs to images"),
        (["--material", "dots", "--objects", "car"], "A car has no dots"),
    ],
)
def test_bad_options_are_refused_in_words(
    tmp_path: Path, arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert main(["--out", str(tmp_path / "out"), *arguments]) == 2
    assert signal.getsignal(signal.SIGTERM) is before
    out, err = capsys.readouterr()
    assert out == ""
    assert any(word in err for word in text.split("|"))
    assert "Traceback" not in err


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    done = called(main, "--out", str(tmp_path / "out"), *SLICE)
    assert done.returncode == 2
    assert "Cannot use the folder" in done.stderr


def test_a_folder_without_a_report_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Cannot read"):
        read_report(tmp_path)
    (tmp_path / "report.json").write_text("{")
    with pytest.raises(BadInput, match="no JSON"):
        read_report(tmp_path)
    (tmp_path / "report.json").write_text(json.dumps(np.arange(3).tolist()))
    with pytest.raises(BadInput, match="no report"):
        read_report(tmp_path)
