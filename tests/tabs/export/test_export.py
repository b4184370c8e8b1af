"""Exports and imports as the page and the command ask for them, with the real database."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.core.export.made import EVIL, RULES, make_run
from tests.empty_data import empty_data
from tests.shards import read_shard
from truehue.core.analysis.records import Slice
from truehue.core.errors import BadInput, NotAllowed
from truehue.core.export import write
from truehue.core.runs.folder import RunFolder, run_folders
from truehue.core.runs.shards import row_of
from truehue.storage import Storage
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.command import runs as runs_command
from truehue.tabs.export.report import without_clicks
from truehue.tabs.export.routes import export_routes
from truehue.tabs.export.service import INCOMING, export, import_archive, start_import
from truehue.tabs.page.context import Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.roles import OWNER, Actor, Role
from truehue.tabs.page.routes import routes
from truehue.tabs.runs.list import ChangeRun, change_run, runs_view
from truehue.tabs.shell.compose import make_context

pytestmark = pytest.mark.slow

OURS = {"X-TrueHue": "1"}
TABLES = ("run_verdicts", "run_items", "run_masks", "images", "masks")


@pytest.fixture
def folder(context: Context) -> RunFolder:
    """A run with all its results, taken in."""
    made = make_run(context.service(RunSupervisor).root)
    context.service(RunSupervisor).ingest()
    return made


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = FastAPI()
    for make in (routes, export_routes, job_routes):
        app.include_router(make(context))
    with TestClient(app) as opened:
        yield opened


def ended(client: TestClient, context: Context, kind: str, job: str) -> dict[str, Any]:
    context.jobs.wait(job, 300)
    state: dict[str, Any] = client.get(f"/api/jobs/{job}").json()
    assert state["kind"] == kind
    return state


def rows(storage: Storage, table: str) -> list[tuple[Any, ...]]:
    """All rows, but for when they came and which shard they came in."""
    own = {
        "run_verdicts": "shard_no",
        "run_items": "shard_no, worker",
        "images": "created_at",
        "masks": "created_at",
    }.get(table)
    left = f" EXCLUDE ({own})" if own else ""
    return storage._database.rows(f"SELECT *{left} FROM {table} ORDER BY ALL")


# ── there and back ───────────────────────────────────────────────────────────────────────────


def test_an_archive_brings_the_same_rows_into_another_database(
    context: Context, folder: RunFolder, tmp_path: Path
) -> None:
    out = tmp_path / "a.truehue.zip"
    write(folder, "zip", out, with_images=True)
    with Storage.open(empty_data(tmp_path / "theirs")) as storage:
        theirs = make_context(storage, "theirs")
        back = import_archive(theirs, out, "a.truehue.zip")
        for table in TABLES:
            ours = rows(context.storage, table)
            assert len(ours) >= 7
            if table == "images":  # those of others are known as such
                there = rows(storage, table)
                assert [row[:3] for row in there] == [row[:3] for row in ours]
            else:
                assert rows(storage, table) == ours, table
        assert storage.check() == []
        record = storage.runs.get(back.run_id)
        assert record.summary["imported"]["name"] == "a.truehue.zip"
        theirs.close()


def test_results_without_pictures_come_in_and_say_so(folder: RunFolder, tmp_path: Path) -> None:
    light, full = tmp_path / "a.zip", tmp_path / "b.zip"
    write(folder, "zip", light)
    write(folder, "zip", full, with_images=True)
    with Storage.open(empty_data(tmp_path / "theirs")) as storage:
        theirs = make_context(storage, "theirs")
        import_archive(theirs, light, "a.zip")
        failing = Slice("paper", status="fail")
        assert storage.results.count(failing) > 0
        assert storage.check() == []
        report = tmp_path / "report.html"
        export(theirs, run_folders(theirs.service(RunSupervisor).root)[0], "html", report)
        assert "not part of the export" in report.read_text()
        assert '<img src="data:' not in report.read_text()
        import_archive(theirs, full, "b.zip")
        (shown, *_) = storage.results.page(failing)
        assert storage.images.srgb8(shown.image_id).shape == (64, 64, 3)
        theirs.close()


# ── over HTTP ────────────────────────────────────────────────────────────────────────────────


def test_quick_exports_are_sent_at_once(client: TestClient, folder: RunFolder) -> None:
    base = f"/api/runs/{folder.run_id}"
    table = client.get(f"{base}/export.csv")
    named = f'filename="a-small-run-{folder.run_id[:6]}.csv"'
    assert table.headers["content-disposition"] == f"attachment; {named}"
    result = list(csv.DictReader(io.StringIO(table.text, newline="")))
    assert {row["rule"] for row in result} == set(RULES)
    assert f"A mug {EVIL}" in {row["text"] for row in result}
    cited = client.get(f"{base}/references.bib")
    assert "gencolorbench" in cited.text
    named = f'filename="a-small-run-{folder.run_id[:6]}.bib"'
    assert cited.headers["content-disposition"] == f"attachment; {named}"
    assert client.get(f"{base}/codebook.json").json()["runs"][0]["run_id"] == folder.run_id
    assert "| `delta_e00` |" in client.get(f"{base}/codebook.md").text


def test_what_is_not_there_is_said(client: TestClient, folder: RunFolder) -> None:
    for path in (
        "/api/runs/0123456789abcdef/export.csv",
        f"/api/runs/{folder.run_id}/export.xls",
        "/api/runs/nothing/references.bib",
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]
    # Whole files are begun by who may, one at a time, and not by looking.
    for name in ("export.parquet", "export.zip", "report.html"):
        answer = client.get(f"/api/runs/{folder.run_id}/{name}")
        assert answer.status_code == 404
        assert "POST /api/exports" in answer.json()["error"]
    for values in ({"run": folder.run_id, "format": "xls"}, {"run": "x", "format": "csv"}):
        assert client.post("/api/exports", json=values, headers=OURS).status_code in (400, 404)
    assert client.get("/api/exports/../file").status_code == 404
    for unknown in ("0" * 32, "x"):
        for file in ("file", "colors"):
            assert client.get(f"/api/exports/{unknown}/{file}").status_code == 404


def test_a_long_export_is_made_in_the_background(
    client: TestClient, context: Context, folder: RunFolder
) -> None:
    values = {"run": folder.run_id, "format": "zip", "images": True, "rule": "none"}
    job = client.post("/api/exports", json=values, headers=OURS).json()["job"]
    state = ended(client, context, "export", job)
    assert (state["status"], state["done"]) == ("done", state["total"])
    file = client.get(state["result"]["url"])
    named = f'filename="a-small-run-{folder.run_id[:6]}.truehue.zip"'
    assert named in file.headers["content-disposition"]
    # What the menu said of its size before is about right.
    sizes = client.get(f"/api/runs/{folder.run_id}/sizes").json()
    assert set(sizes) == {"html", "csv", "parquet", "zip", "images"}
    assert re.fullmatch(r"about [4-6](\.\d)? MB", sizes["html"])
    assert all(size.startswith("about ") for size in sizes.values())
    names = zipfile.ZipFile(io.BytesIO(file.content)).namelist()
    assert sum(name.startswith("images/") for name in names) == 7


def test_an_archive_is_imported_by_the_page(
    client: TestClient, context: Context, folder: RunFolder, tmp_path: Path
) -> None:
    write(folder, "zip", tmp_path / "sent.zip")
    sent = (tmp_path / "sent.zip").read_bytes()
    with Storage.open(empty_data(tmp_path / "theirs")) as storage:
        theirs = make_context(storage, "theirs")
        app = FastAPI()
        for make in (export_routes, job_routes):
            app.include_router(make(theirs))
        with TestClient(app) as other:
            headers = {**OURS, "X-File-Name": quote("Ihr Lauf ü.zip")}
            job = other.post("/api/runs/import", content=sent, headers=headers).json()["job"]
            state = ended(other, theirs, "import", job)
            assert state["status"] == "done"
            assert state["result"] == {"run": folder.run_id, "name": "A small run"}
            assert "not part of this export" in state["words"]
            bent = other.post("/api/runs/import", content=sent[:-100], headers=headers).json()
            state = ended(other, theirs, "import", bent["job"])
            assert state["status"] == "failed"
            assert "no archive that can be read" in state["problem"]
            named = other.post("/api/runs/import-path", json={"path": "/nowhere.zip"}, headers=OURS)
            assert named.status_code == 400
        (only,) = storage.runs.all()
        assert only.run_id == folder.run_id
        assert list((theirs.service(RunSupervisor).root / INCOMING).iterdir()) == []
        theirs.close()


def test_an_archive_that_lacks_pictures_is_told_of(
    folder: RunFolder, context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, few = tmp_path / "full.zip", tmp_path / "few.zip"
    write(folder, "zip", full, with_images=True)
    with zipfile.ZipFile(full) as source, zipfile.ZipFile(few, "w") as out:
        images = [name for name in source.namelist() if name.startswith("images/")]
        for name in source.namelist():
            if name not in images[:4]:
                out.writestr(name, source.read(name))
    assert runs_command.main(["import", str(few), "--data", str(tmp_path / "theirs")]) == 0
    said = capsys.readouterr()
    assert "8 images." in said.out
    assert "3 of 7 images are in the archive." in said.err
    with Storage.open(empty_data(tmp_path / "others")) as storage:
        others = make_context(storage, "others")
        job = start_import(others, OWNER, few, "few.zip", False)
        assert others.jobs.wait(job.id, 300).words == "8 images. 3 of 7 images are in the archive."
        others.close()


@pytest.mark.parametrize("role", [Role.RESEARCHER, Role.VISITOR])
def test_an_imported_run_is_its_importers(folder: RunFolder, tmp_path: Path, role: Role) -> None:
    ann, ben = Actor("ann", role), Actor("ben", role)
    write(folder, "zip", tmp_path / "sent.zip")

    def imports(context: Context, actor: Actor) -> str:
        job = start_import(context, actor, tmp_path / "sent.zip", "sent.zip", False)
        return str((context.jobs.wait(job.id, 300).result or {})["run"])

    def hidden(context: Context) -> int:
        return int(runs_view(context, ann)["hidden"])

    with Storage.open(empty_data(tmp_path / "theirs")) as storage:
        context = make_context(storage, "theirs")
        run_id = imports(context, ben)
        assert imports(context, ann) == run_id  # it is there already, and stays ben's
        context.close()
        context = make_context(storage, "theirs")
        (row,) = runs_view(context, ben)["runs"]
        assert (row["may"]["hide"], row["may"]["resume"]) == (True, False)
        with pytest.raises(NotAllowed):
            change_run(context, ann, ChangeRun(run_id=run_id, what="hide"))
        change_run(context, ben, ChangeRun(run_id=run_id, what="hide"))
        assert hidden(context) == 1
        change_run(context, ben, ChangeRun(run_id=run_id, what="show"))
        assert hidden(context) == 0
        change_run(context, ben, ChangeRun(run_id=run_id, what="cancel"))
        for actor in (ben, OWNER):
            with pytest.raises(BadInput, match="stays as it came"):
                change_run(context, actor, ChangeRun(run_id=run_id, what="resume"))
        context.close()


def test_a_page_elsewhere_imports_nothing(client: TestClient) -> None:
    for path in ("/api/exports", "/api/runs/import", "/api/runs/import-path"):
        assert client.post(path, content=b"{}").status_code == 403


def test_files_are_named_only_by_people_at_the_machine(tmp_path: Path) -> None:
    with Storage.open(empty_data(tmp_path / "data")) as storage:
        context = make_context(storage, "data", demo=True)
        app = FastAPI()
        app.include_router(export_routes(context))
        with TestClient(app) as other:
            values = {"path": str(tmp_path / "data" / "truehue.duckdb")}
            answer = other.post("/api/runs/import-path", json=values, headers=OURS)
        assert answer.status_code == 403
        assert "where TrueHue runs" in answer.json()["error"]
        context.close()


# ── the report ───────────────────────────────────────────────────────────────────────────────


def test_the_report_says_what_the_run_says(
    client: TestClient, context: Context, folder: RunFolder, tmp_path: Path
) -> None:
    export(context, folder, "html", tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<h1>A small run</h1>" in text
    assert "The model gave up." in text
    assert "published under paper" in text
    assert "45.97" in text  # SD 3, CNA, Table 4
    assert text.count('<div class="plot"') >= 3
    # Seven pictures were drawn; each that fails stands once, with its PNG.
    shots = re.findall(r'<figure><div class="frame"><img src="data:image/png;base64,', text)
    table = csv.DictReader(io.StringIO(client.get(f"/api/runs/{folder.run_id}/export.csv").text))
    failing = {
        row["position"]
        for row in table
        if (row["rule"], row["picture_status"]) == ("paper", "fail")
    }
    assert len(shots) == len(failing) > 3
    assert "<script>document.title" not in text
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in text


def test_paper_has_no_clicks() -> None:
    assert without_clicks("Share of passes. A click chooses the hue.") == "Share of passes."
    assert without_clicks("Agreement, with kappa; a click takes the rule.") == (
        "Agreement, with kappa."
    )
    assert without_clicks("Clicks aside, all of it.") == "Clicks aside, all of it."


# ── the command ──────────────────────────────────────────────────────────────────────────────


def test_the_command_exports_beside_an_open_app_and_imports(
    context: Context, folder: RunFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(context.storage.data_dir)]
    for format in ("csv", "parquet", "bib", "html"):
        out = tmp_path / f"out.{format}"
        assert runs_command.main(["export", "A small run", *data, "--out", str(out)]) == 0
        assert out.stat().st_size > 100
    archive = tmp_path / "a.zip"
    line = ["export", folder.run_id[:4], *data, "--format", "zip", "--out", str(archive)]
    capsys.readouterr()
    assert runs_command.main([*line, "--with-images", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [str(archive)]
    theirs = ["--data", str(tmp_path / "theirs")]
    assert runs_command.main(["import", str(archive), *theirs]) == 0
    assert runs_command.main(["import", str(archive), *theirs]) == 0
    with Storage.open(tmp_path / "theirs") as storage:
        (only,) = storage.runs.all()
        assert only.items == 8
        assert storage.check() == []
    assert not list((context.storage.data_dir / "runs" / INCOMING).glob("*"))


def test_a_run_that_is_not_whole_says_so_with_its_export(
    client: TestClient, context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(context.service(RunSupervisor).root, leave_out=(6, 7))
    last = run.shards()[-1]
    rows = [json.dumps(row_of(item)) + "\n" for item in read_shard(last)]
    (run.journal / f"{last.stem}.jsonl").write_text("".join(rows))
    last.unlink()
    text = "6 of 8 images have a result: resume generates the rest."
    data = ["--data", str(context.storage.data_dir)]
    out = tmp_path / "a.csv"
    assert runs_command.main(["export", run.run_id, *data, "--out", str(out)]) == 0
    assert capsys.readouterr().err == f"{text}\n"
    with out.open(encoding="utf-8", newline="") as file:
        assert {row["position"] for row in csv.DictReader(file)} == set("012345")
    for format in ("zip", "html"):
        values = {"run": run.run_id, "format": format}
        job = client.post("/api/exports", json=values, headers=OURS).json()["job"]
        state = ended(client, context, "export", job)
        assert (state["status"], state["words"].endswith(f"B. {text}")) == ("done", True)
    # The report is of the database: what was left over was sealed and taken in.
    assert context.storage.runs.get(run.run_id).items == 6


def test_the_command_says_what_it_cannot_do(
    folder: RunFolder, context: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(context.storage.data_dir)]
    for line, text in (
        (["export", "nothing"], "no run"),
        (["export", folder.run_id, "--out", str(tmp_path / "a.docx")], "which format"),
        (["export", folder.run_id, "--with-images", "--format", "csv"], "--format zip"),
        (["export", folder.run_id, "--out", str(tmp_path / "no" / "a.csv")], "cannot be written"),
        (["import", str(tmp_path / "no.zip")], "no file"),
        (["import", str(tmp_path)], "no folder of a run"),
    ):
        assert runs_command.main([*line, *data]) == 2
        assert text in capsys.readouterr().err
