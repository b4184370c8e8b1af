"""The whole command on a slice of the set: the report, resuming, and what is refused."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from core.color.systems import parse_target
from core.diagnosis.colors import asking, picture, set_colors
from core.diagnosis.plan import renderer_tasks, rules_used
from core.diagnosis.records import DiagnosisReport
from core.diagnosis.run import diagnose, read_report
from core.diagnosis.shards import FOLDER, MEANING, load, save, write_whole
from core.errors import BadInput
from core.verdict.measure import measure
from tests.core.diagnosis.commands import SLICE, command, run
from tests.core.diagnosis.rows import row

Rows = list[dict[str, str]]


def verdicts(folder: Path) -> Rows:
    with gzip.open(folder / "verdicts.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, DiagnosisReport]:
    """The folder and the printed report of an uninterrupted run of the slice."""
    folder = tmp_path_factory.mktemp("whole")
    done = run("--out", str(folder), *SLICE, "--json")
    assert done.returncode == 0, done.stderr
    return folder, DiagnosisReport.from_json(json.loads(done.stdout))


def test_every_picture_is_judged_by_every_rule_against_six_colors(
    whole: tuple[Path, DiagnosisReport],
) -> None:
    folder, report = whole
    rows = verdicts(folder)
    assert tuple(rows[0]) == tuple(MEANING)
    pictures = {(r["object"], r["system"], r["color"], r["second"]) for r in rows}
    assert len(pictures) == report.images
    assert len(rows) == report.images * 2 * 6
    assert Counter(r["relation"] for r in rows) == {
        "true": report.images * 2,
        "near": report.images * 10,
    }
    # Every 20th color of 29 and 147, twice with one material and twice with two.
    assert 2 * 2 * (1 + 7) <= report.images <= 2 * 2 * (2 + 8)
    assert report.images_two_material == sum(1 for one in pictures if one[3])
    assert {r["status"] for r in rows} <= {"pass", "fail"}
    assert report == read_report(folder)
    assert (report.every, report.size_px, report.seeds) == (20, 96, (0,))
    assert [(one.system, one.hit_percent) for one in report.published] == [
        ("l2", 96.46),
        ("css", 92.0),
    ]


def test_a_row_is_what_the_pipeline_says_of_that_picture(
    whole: tuple[Path, DiagnosisReport],
) -> None:
    rows = verdicts(whole[0])
    for one in rows[:: max(1, len(rows) // 25)]:
        true = parse_target(one["color"], one["system"])
        pair = picture(one["object"], one["light"], int(one["seed"]), true.hex, 96, one["second"])
        found = measure(*pair, parse_target(one["asked"], one["system"]), one["rule"])
        assert found.verdict.status == one["status"]
        distance = found.verdict.metric("delta_e00")
        assert distance is not None
        assert float(one["delta_e00"]) == pytest.approx(distance.value, rel=1e-5)
        shares = [m.value / m.threshold for m in found.verdict.metrics if m.threshold is not None]
        assert float(one["margin"]) == pytest.approx(max(shares), rel=1e-5)
        assert (float(one["margin"]) < 1.0) == (one["status"] == "pass")
        near = [target.label for target in asking(one["color"], one["system"]).near]
        assert (one["asked"] in near) == (one["relation"] == "near")


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
    done = run("--out", str(folder), *SLICE)
    assert done.returncode == 0, done.stderr
    assert (folder / "verdicts.csv.gz").read_bytes() == before
    assert read_report(folder).images_reused == report.images
    for words in ("paper 1.0", "released 1.1", "96.46%", "92.00%", "not published", "quick look"):
        assert words in done.stdout


def test_a_killed_run_goes_on_and_ends_with_the_same_rows(
    whole: tuple[Path, DiagnosisReport], tmp_path: Path
) -> None:
    process = subprocess.Popen(
        **command("--out", str(tmp_path), *SLICE), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    shards = tmp_path / FOLDER
    deadline = time.monotonic() + 120
    while not list(shards.glob("*.csv.gz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    kept = {path: path.stat().st_mtime_ns for path in shards.glob("*.csv.gz")}
    assert kept
    assert not (tmp_path / "report.json").exists(), "the run was too short to be killed"
    # A half-written file and a damaged one are no results.
    (shards / "one--mug--overcast--0--0000.csv.gz.1.half").write_bytes(b"half")
    done = run("--out", str(tmp_path), *SLICE)
    assert done.returncode == 0, done.stderr
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())
    assert not list(shards.glob("*.half"))
    assert verdicts(tmp_path) == verdicts(whole[0])
    assert 0 < read_report(tmp_path).images_reused < whole[1].images


def _answers_ctrl_c() -> None:
    """What is started in a script's background is deaf to Ctrl+C; a terminal's command is not."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_cleanly_and_keeps_what_is_done(tmp_path: Path, number: int) -> None:
    # A session of its own: the signal goes to all of it, as from a terminal. SIGTERM goes to one.
    process = subprocess.Popen(
        **command("--out", str(tmp_path), *SLICE),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_answers_ctrl_c,
    )
    deadline = time.monotonic() + 120
    while not list((tmp_path / FOLDER).glob("*.csv.gz")) and time.monotonic() < deadline:
        time.sleep(0.02)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "the same command goes on from there" in err
    assert list((tmp_path / FOLDER).glob("*.csv.gz"))
    assert not list((tmp_path / FOLDER).glob("*.half"))


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


def test_a_rule_with_other_parameters_is_judged_anew(tmp_path: Path) -> None:
    from dataclasses import replace

    (rule,) = rules_used(["paper"])
    other = replace(rule, parameters={**rule.parameters, "k": 3})
    newer = replace(rule, version="9.0")
    arguments = ("mug",), ("hard",), (0,), ("l2",), 96
    (old, *_), (changed, *_), (later, *_) = (
        renderer_tasks([one], *arguments) for one in (rule, other, newer)
    )
    save(tmp_path, old, [row()], [])
    assert load(tmp_path, old) == ([row()], [])
    assert load(tmp_path, changed) is load(tmp_path, later) is None
    save(tmp_path, changed, [row(), row(0.4)], ["a problem"])
    assert load(tmp_path, old) is None, "the old file is taken away"
    assert load(tmp_path, changed) == ([row(), row(0.4)], ["a problem"])
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "fields"])
def test_a_damaged_file_does_not_count(tmp_path: Path, damage: str) -> None:
    (task, *_) = renderer_tasks(rules_used(["paper"]), ("mug",), ("hard",), (0,), ("l2",), 96)
    save(tmp_path, task, [row(number / 7) for number in range(40)], [])
    path = tmp_path / task.file_name
    content = path.read_bytes()
    path.write_bytes(
        {
            "cut": content[:-30],
            "flipped": content[:60] + bytes([content[60] ^ 255]) + content[61:],
            "text": b"object,light",
            "fields": gzip.compress(b"mug,hard,0\n"),
        }[damage]
    )
    assert load(tmp_path, task) is None


def test_rows_come_back_with_six_digits(tmp_path: Path) -> None:
    (task, *_) = renderer_tasks(rules_used(["paper"]), ("mug",), ("hard",), (0,), ("l2",), 96)
    rows = [row(1 / 3, color="Yellowish green"), row(None, delta_e00=None, confidence_percent=75.0)]
    save(tmp_path, task, rows, [])
    found = load(tmp_path, task)
    assert found is not None
    assert found[0][0].margin == pytest.approx(1 / 3, rel=1e-5)
    assert found[0][1] == rows[1]


def test_a_folder_that_takes_no_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Cannot write"):
        write_whole(tmp_path / "none" / "report.json", b"")


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


# ------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("arguments", "words"),
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
        (["--images", "x.csv", "--lights", "hard"], "--lights belongs to our own pictures"),
    ],
)
def test_bad_options_are_refused_in_words(
    tmp_path: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from core.cli.diagnose import main

    before = signal.getsignal(signal.SIGTERM)
    assert main(["--out", str(tmp_path / "out"), *arguments]) == 2
    assert signal.getsignal(signal.SIGTERM) is before
    out, err = capsys.readouterr()
    assert out == ""
    assert any(word in err for word in words.split("|"))
    assert "Traceback" not in err


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    done = run("--out", str(tmp_path / "out"), *SLICE)
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
