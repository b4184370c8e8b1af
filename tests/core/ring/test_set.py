"""Sealed sets on disk: the command from set to certificate, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import called
from truehue.core.cli.ring import main
from truehue.core.color.systems import parse_target
from truehue.core.errors import BadInput
from truehue.core.ring.answers import answer_by_rules, read_answers
from truehue.core.ring.folder import RingKey, RingSet, open_set, read_key, render
from truehue.core.ring.vlm import write_vlm_set
from truehue.core.verdict.measure import measure

pytestmark = pytest.mark.slow

SIZE_PX, SEED = 64, 314159265358979


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ring")
    done = called(main, "make", "--out", str(folder / "set"), "--seed", str(SEED), "--n", "12",
                  "--size", str(SIZE_PX))  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(folder / "set-key.json") in done.stdout
    return folder


@pytest.fixture(scope="module")
def made(folder: Path) -> tuple[RingSet, RingKey]:
    ring_set = open_set(folder / "set")
    return ring_set, read_key(folder / "set-key.json", ring_set)


def test_rules_give_their_own_verdicts_through_the_door(made: tuple[RingSet, RingKey]) -> None:
    ring_set, key = made
    answers = {entry.scorer: entry for entry in answer_by_rules(ring_set, ["truehue", "released"])}
    drawn = {image: render(scene, SIZE_PX) for image, scene in key.scenes.items()}
    for question in list(key.questions.values())[::3]:
        srgb8, mask = drawn[question.image]
        system = None if question.system == "hex" else question.system
        target = parse_target(question.color, system)
        for name, given in answers.items():
            verdict = measure(srgb8, mask, target, name).verdict
            answer = {"pass": "yes", "fail": "no"}.get(verdict.status, "unscored")
            assert given.answers[question.id].answer == answer
            if verdict.confidence_percent is not None:
                stated = given.answers[question.id].confidence
                assert stated == pytest.approx(verdict.confidence_percent / 100, abs=1e-4)


def test_from_answers_to_a_certificate(folder: Path) -> None:
    place = ("--set", str(folder / "set"), "--key", str(folder / "set-key.json"))
    for rule in ("truehue", "paper"):
        out = str(folder / f"{rule}.csv")
        assert called(main, "answer", str(folder / "set"), "--rule", rule, "--out", out).stdout
    files = (str(folder / "truehue.csv"), str(folder / "paper.csv"))
    done = called(main, "score", *files, *place, "--out", str(folder / "out"))
    assert done.returncode == 0, done.stderr
    assert "Paired tests" in done.stdout
    assert (folder / "out/comparison.html").is_file()
    name = "<b>lab</b>"
    done = called(main, "score", files[0], *place, "--name", name, "--json")
    report = json.loads(done.stdout)["reports"][0]
    assert (report["scorer"], report["hits"]["total"]) == (name, 8)
    page = (folder / "b-lab-b-certificate.html").read_text()
    assert "&lt;b&gt;lab&lt;/b&gt;" in page
    assert name not in page
    # Nothing is loaded from elsewhere.
    assert not any(mark in page for mark in ("http", "src=", "url(", "<script"))
    for fact in (report["set_id"], report["key_sha256"], report["answers_sha256"]):
        assert fact in page
    # Whoever knows the seed can make the key, and answers may still come.
    written = [page, *(path.read_text() for path in (folder / "out").iterdir())]
    assert not any(str(SEED) in text for text in (*written, done.stdout, json.dumps(report)))


def test_what_was_sealed_cannot_be_changed(
    folder: Path, tmp_path: Path, made: tuple[RingSet, RingKey]
) -> None:
    ring_set, _ = made
    text = (folder / "set-key.json").read_text()
    forged = tmp_path / "key.json"
    forged.write_text(text.replace('"kind": "right"', '"kind": "probe"', 1))
    with pytest.raises(BadInput, match="was changed after the set was sealed"):
        read_key(forged, ring_set)
    forged.write_text(text.replace(ring_set.id, "0" * 64))
    with pytest.raises(BadInput, match="belongs to the set 000000000000"):
        read_key(forged, ring_set)
    copy = tmp_path / "copy"
    shutil.copytree(folder / "set", copy)
    shutil.copy(copy / "images/0001.png", copy / "images/0002.png")
    with pytest.raises(BadInput, match="not those that were sealed"):
        open_set(copy)
    out = ("make", "--out", str(tmp_path / "new"), "--n", "12")
    inside = called(main, *out, "--key", str(tmp_path / "new/key.json"))
    assert (inside.returncode, "outside of the set's folder" in inside.stderr) == (2, True)
    assert called(main, *out[:-1], "3").stderr.startswith("A set has 12 to 5,000 images")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("answer\nyes\n", "needs a header line with id,answer"),
        ("id,answer\nq1,yes\n", "line 2: the set .* has no question 'q1'"),
        ("id,answer\nID,perhaps\n", "line 2: an answer is yes, no or unscored, not 'perhaps'"),
        ("id,answer\nID,yes\nID,no\n", "line 3: the question .* was answered before"),
        ("id,answer,confidence\nID,yes,90\n", "line 2: a confidence is 0 to 1, not '90'"),
        ("id,answer\n", "has no answers"),
    ],
)
def test_answers_that_cannot_be_read_say_why(
    text: str, message: str, tmp_path: Path, made: tuple[RingSet, RingKey]
) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(text.replace("ID", made[0].rows[0]["id"]))
    with pytest.raises(BadInput, match=message):
        read_answers(file, made[0])


def test_a_vlm_answers_by_a_question_set(tmp_path: Path, made: tuple[RingSet, RingKey]) -> None:
    ring_set, key = made
    vlm_set = write_vlm_set(tmp_path / "vlm", ring_set, key)
    questions = list(vlm_set.questions())
    assert vlm_set.counts.keys() == {"ring", "ring_probes"}
    assert len(questions) == len(key.questions)
    assert all(item.answer == key.questions[item.question_id].answer for item in questions)
    # As ``truehue vlm score --answers`` writes them: several lines of words, an empty reading.
    lines = [f'model,{item.question_id},"Yes,\nit is",yes' for item in questions[1:]]
    head = f"asking,question_id,words,reading\nmodel,{questions[0].question_id},?,\n"
    (tmp_path / "answers.csv").write_text(head + "\n".join(lines))
    answers = read_answers(tmp_path / "answers.csv", ring_set)
    said = [answers.answers[item.question_id].answer for item in questions[:2]]
    assert said == ["unscored", "yes"]
