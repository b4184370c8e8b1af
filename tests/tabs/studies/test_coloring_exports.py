"""Colorings leave as tables and pictures, and come back as a study with equal results."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.empty_data import empty_data
from tests.tabs.studies.colored import BLUE, TASTES, Designers, colored_study, event
from truehue.core.errors import BadInput, NotStored
from truehue.core.studies import EventKind, MarkKind
from truehue.storage import Storage
from truehue.storage.studies import copying
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER
from truehue.tabs.shell.compose import make_context
from truehue.tabs.studies import exports
from truehue.tabs.studies.colorings.facts import facts_of
from truehue.tabs.studies.colorings.marks import PostKeep, post_keep, set_coloring_rule
from truehue.tabs.studies.colorings.quality import quality_json, uncertainty_json
from truehue.tabs.studies.colorings.rule import SetColoringRule
from truehue.tabs.studies.exports import (
    StudyExportRequest,
    StudyTableRequest,
    table_file,
    table_list,
    write_archive,
)
from truehue.tabs.studies.imports import import_study
from truehue.tabs.studies.results import StudyReference
from truehue.tabs.studies.rights import EXPERTS

pytestmark = pytest.mark.slow


def reviewed(context: Context, **values: Any) -> tuple[str, list[Any]]:
    """A study with marks of all kinds; the reviews are by two experts."""
    study_id, people = colored_study(context.storage, Designers(liar=3), **values)
    set_coloring_rule(context, OWNER, SetColoringRule(study=study_id, share=0.3, reviewers=2))
    add = context.storage.coloring_marks.add
    for index, person in enumerate(people):
        for expert in ("x" * 32, "y" * 32):
            value = "inconsistent" if index == 1 and expert[0] == "x" else "consistent"
            add(study_id, person.id, 4, MarkKind.REVIEW, value, "", expert)
    add(study_id, people[0].id, 4, MarkKind.REVIEW, "inconsistent", "", "x" * 32)
    add(study_id, people[0].id, 4, MarkKind.REVIEW, "inconsistent", "", "y" * 32)
    add(study_id, people[0].id, 0, MarkKind.PRACTICE, "accepted", "Well done, Anna", "x" * 32)
    add(study_id, people[0].id, 1, MarkKind.RECOLOR, "asked", "Anna, are you sure?", "x" * 32)
    index = {"study": study_id, "participant": people[2].id, "position": 1}
    post_keep(context, OWNER, PostKeep(**index, value="discarded", reason="=1+1 the sky"))
    return study_id, people


def table(context: Context, study_id: str, name: str, personal: bool = False) -> list[Any]:
    request = StudyTableRequest(study=study_id, table=name, format="csv", personal=personal)
    return list(csv.DictReader(io.StringIO(table_file(context, OWNER, request).content.decode())))


def numbers(context: Context, study_id: str) -> dict[str, Any]:
    """All of quality control but what is of this data folder and moment alone."""
    facts = facts_of(context, study_id)
    message = json.loads(json.dumps(quality_json(facts)))
    for name in ("seconds", "computed_at"):
        message.pop(name)
    lists = ("second", "left_out", "unmeasured", "background")
    for row in (item for name in lists for item in message[name]):
        row.pop("participant")
    return {
        **message,
        "worth": [
            uncertainty_json(facts, concept_uncertainty) for concept_uncertainty in facts.worth
        ],
    }


def test_tables_say_everything_of_colorings(context: Context) -> None:
    study_id, _ = reviewed(context)
    names = [
        item["name"]
        for item in table_list(context, OWNER, StudyReference(study=study_id))["tables"]
    ]
    assert names[:5] == ["colorings", "actions", "reviews", "concepts", "distributions"]
    assert not {"votes", "candidates", "metrics", "results"} & set(names)
    rows = table(context, study_id, "colorings")
    assert len(rows) == 25
    liar = [row for row in rows if row["participant"] == "4"]
    assert {row["matches"] for row in liar} == {"false"}
    apple = next(row for row in rows if row["participant"] == "3" and row["words"] == "apple")
    assert (apple["mark"], apple["kept_marks"]) == ("discarded", "false")
    assert apple["mark_reason"] == "'=1+1 the sky"
    assert json.loads(apple["weights"])[0] == pytest.approx(0.0)
    cabin = next(row for row in rows if row["participant"] == "1" and row["position"] == "4")
    assert (cabin["yes"], cabin["no"], cabin["outcome"]) == ("0", "2", "inconsistent")
    assert cabin["kept_majority"] == "false"
    actions = table(context, study_id, "actions")
    assert len(actions) == 25 * 6
    assert [row["do"] for row in actions[:3]] == ["fill", "undo", "fill"]
    reviews = table(context, study_id, "reviews")
    assert len(reviews) == 12
    assert [row["counts"] for row in reviews[:2]] == ["false", "false"]
    assert {row["reviewer"] for row in reviews} == {"1", "2"}
    shares = table(context, study_id, "distributions")
    for level in ("all", "majority", "marks"):
        own = [row for row in shares if (row["words"], row["level"]) == ("sea", level)]
        assert sum(float(row["share"]) for row in own) == pytest.approx(1.0)
    assert len(table(context, study_id, "concepts")) == 2 * len(TASTES)
    assert "action" not in {row["kind"] for row in table(context, study_id, "events")}
    assert {row["kind"] for row in table(context, study_id, "answers")} == {"coloring"}


def test_actions_are_those_that_are_drawn_whatever_the_page_said(context: Context) -> None:
    study_id, people = colored_study(context.storage)
    first = facts_of(context, study_id).given[1]
    assert (first.participant.id, first.trial.position) == (people[0].id, 1)
    more = {"do": "fill", "x": 10, "y": 80, "closing": 0, "color": BLUE}
    again = [event(EventKind.ANSWER, 1, first.answer.body), event(EventKind.ACTION, 1, more)]
    context.storage.study_events.append(
        people[0].id,
        [event(EventKind.UNDO, 1, {}), event(EventKind.ACTION, 1, more), *again],
    )
    rows = table(context, study_id, "actions")
    own = [row for row in rows if (row["participant"], row["position"]) == ("1", "1")]
    assert len(own) == 7
    assert len(rows) == 25 * 6 + 1


def test_an_export_is_of_one_moment(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    study_id, people = colored_study(context.storage)
    storage, compute = context.storage, exports.computed_of

    def mark_meanwhile(*values: Any) -> Any:
        storage.coloring_marks.add(study_id, people[0].id, 1, MarkKind.KEEP, "discarded", "", "a")
        return compute(*values)

    monkeypatch.setattr(exports, "computed_of", mark_meanwhile)
    assert {row["mark"] for row in table(context, study_id, "colorings")} == {""}
    monkeypatch.setattr(exports, "computed_of", compute)
    assert {row["mark"] for row in table(context, study_id, "colorings")} == {"", "discarded"}

    measure = exports.coloring_export

    def erase_meanwhile(*values: Any) -> Any:
        export = measure(*values)
        storage.participants.erase(people[0].id, "a")
        return export

    monkeypatch.setattr(exports, "coloring_export", erase_meanwhile)
    with pytest.raises(NotStored, match="erased in the meantime"):
        table(context, study_id, "colorings")


@pytest.mark.parametrize("personal", [False, True])
def test_results_elsewhere_are_equal(context: Context, tmp_path: Path, personal: bool) -> None:
    study_id, people = reviewed(context)
    rule = context.storage.studies.rule(study_id) or {}
    context.storage.studies.set_rule(study_id, {**rule, EXPERTS: ["x" * 32]}, "owner")
    add = context.storage.coloring_marks.add
    for position in (2, 3):
        add(study_id, people[2].id, position, MarkKind.REVIEW, "consistent", "Dark", "x" * 32)
        add(study_id, people[2].id, position, MarkKind.REVIEW, "consistent", "", "y" * 32)
    add(study_id, people[2].id, 3, MarkKind.SENT_BACK, "sent", "Look again", "d" * 32)
    before = numbers(context, study_id)
    comments = table(context, study_id, "review_comments")
    assert [(row["kind"], row["reviewer"], row["text"]) for row in comments] == [
        ("comment", "1", "Dark"),
        ("comment", "1", "Dark"),
        ("sent-back", "", "Look again"),
    ]
    pairs = table(context, study_id, "review_agreement")
    # Six colorings: five of the flagged concept, and the one that was not sent back.
    assert [(row["first"], row["second"], row["colorings"]) for row in pairs] == [("1", "2", "6")]
    assert float(pairs[0]["equal"]) == pytest.approx(5 / 6)
    assert before["left_out"]
    assert before["reviews"]["kappa"]["value"] is not None
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id, personal=personal), path)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert sum(name.startswith("sketches/") for name in names) == 1
        images = [name for name in names if name.startswith("colorings/")]
        assert len(images) == 25
        sample = np.asarray(Image.open(archive.open("colorings/participant-1-1.png")))
        whole = b"".join(archive.read(name) for name in names)
        assert ("x" * 32).encode() not in whole
        assert (b"prolific_pid" in whole) is personal
        assert (b"Anna" in whole) is personal
        assert "## colorings" in archive.read("codebook.md").decode()
    own = context.storage.coloring_layers.layer(facts_of(context, study_id).given[1].answer.id)
    np.testing.assert_array_equal(sample, own)
    with Storage.open(empty_data(tmp_path / "elsewhere")) as other:
        there = make_context(other, "elsewhere")
        message = import_study(there, OWNER, EmptyRequest(), path, "all.zip")
        assert message["study"]["state"] == "closed"
        assert len(other.sketches.all()) == 1
        assert numbers(there, message["study"]["id"]) == before
        assert table(there, message["study"]["id"], "review_comments") == comments
        # The same data folder takes it, too, beside the first one.
        import_study(there, OWNER, EmptyRequest(), path, "all.zip")
        assert other.check() == []
        there.close()


def changed(path: Path, target: Path, name: str, content: bytes | None) -> Path:
    """The archive with one file changed, added, or left out (None)."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            if info.filename != name:
                new.writestr(info, old.read(info))
        if content is not None:
            new.writestr(name, content)
    return target


def test_sketches_that_are_missing_or_made_up_are_refused(context: Context, tmp_path: Path) -> None:
    study_id, _ = colored_study(context.storage)
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    sketch = context.storage.sketches.all()[0].id
    name = f"sketches/{sketch}.png"
    other = io.BytesIO()
    Image.fromarray(np.full((64, 64), 255, np.uint8)).save(other, "PNG")
    for index, (file, content, text) in enumerate(
        (
            (name, None, "lacks the sketch"),
            (name, b"no picture", "is not a readable image"),
            (name, other.getvalue(), "not the sketch that it is named after"),
            ("sketches/../../x.png", b"x", "which no export of a study has"),
            ("colorings/participant-1-1.svg", b"x", "which no export of a study has"),
        )
    ):
        odd = changed(path, tmp_path / f"{index}.zip", file, content)
        with pytest.raises(BadInput, match=text):
            import_study(context, OWNER, EmptyRequest(), odd, "odd.zip")
    assert len(context.storage.studies.all()) == 1


def strokes(count: int, points: int, far: int) -> list[dict[str, Any]]:
    """Brush strokes up and down over so many rows."""
    stroke = {"do": "stroke", "diameter": 8, "color": BLUE, "within": None}
    ways = [[far * (index % 2), index % 90][::-1] for index in range(points)]
    return [{**stroke, "points": [v for way in ways for v in way]} for _ in range(count)]


def test_more_strokes_than_can_be_painted_are_exported_and_refused_by_name(
    context: Context, tmp_path: Path
) -> None:
    study_id, people = colored_study(context.storage)
    first = facts_of(context, study_id).given[1]
    assert first.trial.position == 1
    more = [event(EventKind.ACTION, 1, stroke) for stroke in strokes(7, 2048, 4000)]
    again = event(EventKind.ANSWER, 1, {**first.answer.body, "actions": 13})
    context.storage.study_events.append(people[0].id, [event(EventKind.UNDO, 1, {}), *more, again])
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("colorings/")]
        assert len(names) == 24
        assert "colorings/participant-1-1.png" not in names
        rows = list(csv.DictReader(io.TextIOWrapper(archive.open("tables/colorings.csv"), "utf-8")))
        assert sum("cannot be drawn" in " ".join(map(str, row.values())) for row in rows) == 1
    with pytest.raises(BadInput, match=r"Participant 0, trial 1: the brush strokes are more than"):
        import_study(context, OWNER, EmptyRequest(), path, "all.zip")
    assert len(context.storage.studies.all()) == 1


def test_a_large_study_is_read_and_stored_a_person_at_a_time(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_id, _ = colored_study(context.storage)
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    monkeypatch.setattr(copying, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(copying, "EVENTS_AT_ONCE", 100)
    peaks = []
    for count in (2, 8):
        large = grown(path, tmp_path / f"{count}.zip", count)
        tracemalloc.start()
        message = import_study(context, OWNER, EmptyRequest(), large, "large.zip")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    assert message["study"]["participants"] == 8
    copied = message["study"]["id"]
    peaks = []
    for read in (list[Any], lambda people: sum(len(person.events) for person in people)):
        tracemalloc.start()
        read(context.storage.studies.people(copied))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 0.3 * peaks[0]
    assert context.storage.check() == []


def grown(path: Path, target: Path, count: int) -> Path:
    """The archive with so many participants, who painted a lot."""
    with zipfile.ZipFile(path) as old:
        document = json.loads(old.read("study.json"))
        person = json.loads(old.read("people.jsonl").splitlines()[0])
        sample = next(item for item in person["events"] if item["kind"] == "action")
        events = person["events"] + [{**sample, "body": body} for body in strokes(120, 60, 90)]
        lines = []
        for number in range(count):
            own = [
                {**item, "id": f"{number:016x}{index:016x}", "number": index}
                for index, item in enumerate(events)
            ]
            lines.append(json.dumps({**person, "number": number, "events": own}) + "\n")
        content = "".join(lines).encode()
        document["participants"], document["events"] = count, count * len(events)
        document["people_sha256"] = hashlib.sha256(content).hexdigest()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
            new.writestr("study.json", json.dumps(document))
            new.writestr("people.jsonl", content)
            for name in old.namelist():
                if name.startswith("sketches/"):
                    new.writestr(name, old.read(name))
    return target
