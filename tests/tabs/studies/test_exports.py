"""Exports of studies: every table with its codebook, nobody named unless it is asked for."""

from __future__ import annotations

import csv
import io
import json
import re
import secrets
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pyarrow import parquet

from tests.empty_data import empty_data
from tests.tabs.studies.simulated import Crowd, distributions_plan, simulated
from truehue.annotation.judgments.answers import AnswerKind
from truehue.annotation.judgments.resampling import FEW_PEOPLE
from truehue.annotation.quality.control import Level, Outcome
from truehue.annotation.ranking import PRIOR_SD
from truehue.annotation.studies.cases import Case
from truehue.annotation.studies.plan import Consent
from truehue.annotation.studies.survey import Survey, SurveyItem, read_survey
from truehue.core.errors import NotAllowed, NotStored
from truehue.core.export.columns import NUMBER, TEXT, TRUTH, WHOLE
from truehue.core.studies import Event, EventKind, Purpose, State
from truehue.core.vlm.records import Form
from truehue.storage import Storage
from truehue.tabs.page.context import Context
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.shell.compose import make_context
from truehue.tabs.studies.colorings.submitted import MAIN, SECOND, TRAINING
from truehue.tabs.studies.exports import (
    StudyExportRequest,
    StudyTableRequest,
    codebook_file,
    table_file,
    table_list,
    votes_file,
    write_archive,
)
from truehue.tabs.studies.metrics import metrics_of
from truehue.tabs.studies.results import StudyReference, StudyResultsRequest, study_results
from truehue.tabs.studies.routes import results_routes
from truehue.tabs.studies.tables import COLORING_TABLES, QUESTION_TABLES, TABLES

pytestmark = pytest.mark.slow

SELDOM = ("external", "original", "expected", "right", "misread", "why", "training")
"""Columns that a study without training or odd answers leaves empty."""
NAMED = ("Anna", "prolific_pid", "HYPERLINK", "laptop", "Bertha")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Context, str]]:
    """A study with people; a concept and a code that a spreadsheet would run."""
    with Storage.open(empty_data(tmp_path_factory.mktemp("exports") / "data")) as storage:
        context = make_context(storage, "data")
        plan = distributions_plan(12)
        first, *rest = plan.cases
        consent = Consent("7", "Bertha Example, University of Examples, runs this.")
        wild = Case(first.id, "=1+1 lemon", first.candidates, "@group", first.reference)
        survey = Survey((SurveyItem("job", "Are you a designer?", choices=("yes", "no")),))
        texts: dict[str, Any] = {"consent": consent, "survey": survey}
        plan = replace(plan, cases=(wild, *rest), record_input=True, **texts)
        study_id = simulated(storage, plan, Crowd(5, lazy=(1,)))
        for number, person in enumerate(storage.participants.of(study_id)):
            body = read_survey(survey, {"part": "before", "answers": {"job": number % 2}})
            event = Event(f"{number:032x}", EventKind.SURVEY, body=body)
            storage.study_events.append(person.id, [event])
        storage.studies.set_state(study_id, State.PAUSED, "owner", "Bertha is away")
        storage.studies.set_state(study_id, State.OPEN, "owner", "Bertha is back")
        yield context, study_id
        context.close()


def rows_of(context: Context, study_id: str, table: str, **more: bool) -> list[dict[str, str]]:
    ask = StudyTableRequest(study=study_id, table=table, format="csv", **more)
    text = table_file(context, OWNER, ask).content.decode()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_is_the_same_in_both_forms_and_as_its_codebook_says(
    here: tuple[Context, str], table: object
) -> None:
    context, study_id = here
    name = table.name  # type: ignore[attr-defined]
    columns = {column.name: column for column in table.columns}  # type: ignore[attr-defined]
    rows = rows_of(context, study_id, name)
    assert rows
    assert list(rows[0]) == list(columns)
    ask = StudyTableRequest(study=study_id, table=name, format="parquet")
    whole = parquet.read_table(io.BytesIO(table_file(context, OWNER, ask).content))
    assert whole.num_rows == len(rows)
    assert whole.column_names == list(columns)
    for column in columns.values():
        values = whole.column(column.name).to_pylist()
        if column.always:
            assert None not in values, column.name
        if column.allowed:
            assert set(values) - {None} <= set(column.allowed), column.name
        # What no row ever has is a column that nobody fills.
        if column.name not in (
            "external",
            "original",
            "expected",
            "right",
            "misread",
            "why",
            "training",
        ):
            assert any(value is not None for value in values), column.name


def test_the_codebook_has_the_values_and_bounds_of_the_code() -> None:
    tables = (*TABLES, *COLORING_TABLES, *QUESTION_TABLES)
    columns = {(t.name, column.name): column for t in tables for column in t.columns}
    values = {
        ("trials", "purpose"): Purpose,
        ("answers", "purpose"): Purpose,
        ("answers", "kind"): AnswerKind,
        ("events", "kind"): EventKind,
        ("colorings", "purpose"): (MAIN, SECOND, TRAINING),
        ("colorings", "outcome"): Outcome,
        ("concepts", "level"): Level,
        ("distributions", "level"): Level,
        ("questions", "form"): (Form.CHOICE, Form.BINARY),
    }
    assert {key: columns[key].allowed for key in values} == {
        key: tuple(known) for key, known in values.items()
    }
    assert {column.kind for column in columns.values()} == {TEXT, WHOLE, NUMBER, TRUTH}
    assert f"fewer than {FEW_PEOPLE} are" in columns["results", "people"].meaning


def test_tables_hold_no_name_and_no_formula(here: tuple[Context, str], tmp_path: Path) -> None:
    context, study_id = here
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".parquet"):
                text = str(parquet.read_table(io.BytesIO(archive.read(name))).to_pylist())
            else:
                text = archive.read(name).decode()
            assert not [word for word in NAMED if word in text], name
            if name.endswith(".csv"):
                cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
                # Numbers may be negative; a formula is more than a number.
                risky = [c for c in cells if re.match(r"[=+@\t\r]|-(?![\d.])", c)]
                assert not risky, name
    cases = rows_of(context, study_id, "cases")
    assert cases[0]["words"] == "'=1+1 lemon"
    assert cases[0]["group"] == "'@group"
    assert "out of anonymous exports" in table_columns()["body"]
    settings = {row["name"]: row["value"] for row in rows_of(context, study_id, "study")}
    assert json.loads(settings["consent"]) == {"version": "7"}
    settings = {
        row["name"]: row["value"] for row in rows_of(context, study_id, "study", personal=True)
    }
    assert "Bertha" in settings["consent"]


def table_columns() -> dict[str, str]:
    return {column.name: column.meaning for table in TABLES for column in table.columns}


def test_personal_data_are_for_who_may_have_them(here: tuple[Context, str]) -> None:
    context, study_id = here
    people = rows_of(context, study_id, "participants", personal=True)
    assert "prolific_pid" in people[0]["external"]
    assert rows_of(context, study_id, "participants")[0]["external"] == ""
    events = rows_of(context, study_id, "events", personal=True)
    assert any("Anna Example" in row["body"] for row in events)
    researcher = Actor("somebody", Role.RESEARCHER)
    ask = StudyTableRequest(study=study_id, table="events", format="csv", personal=True)
    with pytest.raises(NotAllowed, match="Personal data"):
        table_file(context, researcher, ask)
    assert table_file(context, researcher, ask.model_copy(update={"personal": False})).content
    assert table_list(context, researcher, StudyReference(study=study_id))["personal"] is False
    assert table_list(context, OWNER, StudyReference(study=study_id))["personal"] is True
    with pytest.raises(NotAllowed):
        table_file(context, Actor("v", Role.VISITOR), ask)


def test_all_that_is_exported_is_of_one_moment(
    context: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers come in while results are computed, and before the file is written."""
    study_id = simulated(context.storage, distributions_plan(4), Crowd(2))
    person = context.storage.participants.of(study_id)[0]

    def more() -> None:
        comment = Event(secrets.token_hex(16), EventKind.COMMENT, None, {"text": "late"})
        context.storage.study_events.append(person.id, [comment])

    def late(*args: Any) -> Any:
        more()
        return metrics_of(*args)

    ask = StudyResultsRequest(study=study_id, replicates=1_000)
    monkeypatch.setattr("truehue.tabs.studies.results.metrics_of", late)
    while study_results(context, OWNER, ask)["status"] != "ready":
        pass
    monkeypatch.setattr("truehue.tabs.studies.exports.metrics_of", late)
    path = tmp_path / "all.zip"
    write_archive(context, OWNER, StudyExportRequest(study=study_id), path)
    with zipfile.ZipFile(path) as archive:
        people = [json.loads(line) for line in archive.read("people.jsonl").splitlines()]
        document = json.loads(archive.read("study.json"))
        table = archive.read("tables/events.csv").decode()
    events = sum(len(item["events"]) for item in people)
    assert document["events"] == events == len(list(csv.DictReader(io.StringIO(table))))


def test_votes_have_the_arenas_form(here: tuple[Context, str]) -> None:
    context, study_id = here
    file = votes_file(context, OWNER, StudyExportRequest(study=study_id))
    lines = [json.loads(line) for line in file.content.decode().splitlines()]
    table = rows_of(context, study_id, "votes")
    assert len(lines) == len(table) > 50
    assert {line["winner"] for line in lines} == {"model_a", "model_b", "tie"}
    assert [line["tstamp"] for line in lines] == sorted(line["tstamp"] for line in lines)
    for line in lines:
        assert line["model_a"] != line["model_b"]
        assert (line["turn"], line["anony"], line["language"]) == (1, True, "en")
    wins = sum(row["winner"] == "m0" for row in table)
    ours = sum(line.get(line["winner"]) == "m0" for line in lines)
    assert ours == wins
    assert {line["judge"] for line in lines} == {f"participant_{n}" for n in range(1, 6)}


def test_numbers_of_tables_are_those_of_the_results(here: tuple[Context, str]) -> None:
    context, study_id = here
    answers = [row for row in rows_of(context, study_id, "answers") if row["purpose"] == "main"]
    stimuli = rows_of(context, study_id, "stimuli")
    assert sum(int(row["answers"]) for row in stimuli) == len(answers)
    assert sum(int(row["served"]) for row in stimuli) == len(answers)
    revised = [row for row in rows_of(context, study_id, "answers") if row["revisions"] == "1"]
    assert len(revised) == 5
    results = rows_of(context, study_id, "results")
    strengths = {
        row["model"]: float(row["value"])
        for row in results
        if (row["over"], row["measure"], row["group"]) == ("everybody", "strength", "")
    }
    assert sum(strengths.values()) == pytest.approx(0, abs=1e-6)
    metrics = rows_of(context, study_id, "metrics")
    emd = [float(row["value"]) for row in metrics if row["metric"] == "emd_lab"]
    assert len(emd) == 36
    assert min(emd) > 0
    assert {row["turned"] for row in metrics if row["metric"] == "emd_lab"} == {"true"}


def test_the_codebook_names_every_column(here: tuple[Context, str]) -> None:
    context, study_id = here
    text = codebook_file(context, OWNER, StudyExportRequest(study=study_id)).content.decode()
    assert f"MAP under N(0, {PRIOR_SD:g}²)" in text, "a strength depends on it where one always won"
    plain = text.replace("\\", "")
    for table in TABLES:
        assert f"## {table.name}\n" in plain
        for column in table.columns:
            assert f"| {column.name} | {column.kind} |" in plain
    assert "This export is anonymous" in text
    with pytest.raises(NotStored, match="There is no table"):
        table_file(context, OWNER, StudyTableRequest(study=study_id, table="people", format="csv"))


def test_routes_answer_with_files_and_errors_in_words(here: tuple[Context, str]) -> None:
    context, study_id = here
    base = f"/api/studies/{study_id}"
    app = FastAPI()
    app.include_router(results_routes(context))
    with TestClient(app, base_url="http://127.0.0.1:7860") as client:
        ready = client.get(f"{base}/results?replicates=200")
        assert ready.status_code == 200
        assert ready.json()["status"] in ("ready", "computing")
        assert client.get(f"{base}/results?replicates=7").status_code == 400
        table = client.get(f"{base}/tables/votes.csv")
        assert "attachment" in table.headers["content-disposition"]
        assert table.headers["content-type"] == "text/csv; charset=utf-8"
        assert client.get(f"{base}/tables/nothing.csv").status_code == 404
        assert client.get(f"{base}/tables").json()["zip"] == f"{base}/all.zip"
        whole = client.get(f"{base}/all.zip")
        assert zipfile.is_zipfile(io.BytesIO(whole.content))
        assert client.get(f"{base}/replay").json()["whole"] is True
        assert client.get("/api/studies/nothing/results").status_code == 404
        person = client.get(f"{base}/results?replicates=1000").json()
        while person["results"] is None:
            person = client.get(f"{base}/results?replicates=1000").json()
        item = person["results"]["people"][0]["id"]
        mine = client.get(f"{base}/participants/{item}/export")
        assert mine.json()["format"] == "truehue participant"
        marked = {"X-TrueHue": "1"}
        gone = client.post(f"{base}/participants/{item}/erase", json={"confirm": 9}, headers=marked)
        assert gone.status_code == 400
        assert gone.json()["field"] == "confirm"
        assert client.post(f"{base}/rule", json={"most_fast": 0.5}).status_code == 403
        post = client.post(f"{base}/rule", json={"most_fast": 0.5}, headers=marked)
        assert post.json()["rule"]["most_fast"] == 0.5
        sent = client.post("/api/studies/import", content=whole.content, headers=marked)
        assert sent.status_code == 200, sent.json()
        assert sent.json()["study"]["state"] == "closed"
        again = client.post("/api/studies/import", content=b"PK nothing", headers=marked)
        assert again.status_code == 400
        assert "no archive" in again.json()["error"]
