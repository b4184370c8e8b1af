"""The metrics: in Prometheus' text format, with what the app has, and for admins alone."""

from __future__ import annotations

import os
import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.core.runs.samples import small_plan
from tests.storage.samples import picture
from tests.tabs.accounts.people import add, session
from tests.tabs.reach import as_demo
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.runs.folder import RunFolder
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.monitoring.metrics import Metric, text_of
from truehue.tabs.monitoring.routes import monitoring_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.refusals import note_refusal
from truehue.tabs.page.roles import OWNER

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
SAMPLE = re.compile(rf"(?P<name>{NAME})(?P<labels>\{{{LABEL}(?:,{LABEL})*\}})? (?P<value>{NUMBER})")


def read(text: str) -> dict[str, float]:
    """The samples of a text in the format, by name and labels as they are written: each name in one
    group behind its HELP and TYPE, no sample twice, a counter's name ends in ``_total``."""
    assert text.endswith("\n")
    samples: dict[str, float] = {}
    names: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("#"):
            help_line = re.fullmatch(rf"# HELP ({NAME}) \S.*", line)
            assert help_line, line
            name = help_line[1]
            type_line = re.fullmatch(rf"# TYPE {name} (counter|gauge)", next(lines))
            assert type_line, line
            assert (type_line[1] == "counter") == name.endswith("_total")
            assert name not in names
            names.append(name)
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, line
        assert sample["name"] == names[-1]
        key = sample["name"] + (sample["labels"] or "")
        assert key not in samples
        samples[key] = float(sample["value"])
    return samples


@pytest.fixture
def client(context: Context) -> TestClient:
    app = FastAPI()
    app.include_router(monitoring_routes(context))
    return TestClient(app)


def samples(client: TestClient) -> dict[str, float]:
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return read(answer.text)


def test_the_numbers_are_those_of_the_app(context: Context, client: TestClient) -> None:
    note_refusal("a request in a test")
    before = samples(client)
    assert before["truehue_images"] == 0
    assert 'truehue_batches{folder="runs",state="planned"}' not in before
    note_refusal("a request in a test")
    context.storage.images.add(picture(), "a", "upload")
    context.jobs.wait(context.jobs.start("export", "An export", OWNER, lambda job: {}).id, 300)
    plan = small_plan([Prompt("-", "a mug", "free", (ObjectTarget("mug"),))])
    RunFolder.create(context.service(RunSupervisor).root, plan)
    after = samples(client)
    refused = 'truehue_refused_requests_total{reason="a request in a test"}'
    assert after[refused] == before[refused] + 1
    assert after["truehue_images"] == 1
    assert after['truehue_jobs{kind="export",state="done"}'] == 1
    assert after["truehue_jobs_waiting"] == 0
    assert after['truehue_batches{folder="runs",state="planned"}'] == 1
    assert after["truehue_verdicts"] == after["truehue_study_answers"] == 0
    folder = context.storage.data_dir
    files = [folder / name for name in ("truehue.duckdb", "truehue.duckdb.wal")]
    sizes = [file.stat().st_size for file in files if file.is_file()]
    assert after["truehue_database_bytes"] == sum(sizes) > 0
    assert after["truehue_disk_free_bytes"] > 0
    assert after["process_cpu_seconds_total"] >= before["process_cpu_seconds_total"] > 0
    page_bytes = os.sysconf("SC_PAGE_SIZE")
    assert after["process_resident_memory_bytes"] % page_bytes == 0


def test_any_text_can_be_a_label() -> None:
    value = 'a "quoted" \\ text\nof two lines'
    text = text_of([Metric("m", "gauge", "Of a test.", {(("a", value), ("b", "")): 1.5})])
    assert text == (
        "# HELP m Of a test.\n# TYPE m gauge\n"
        'm{a="a \\"quoted\\" \\\\ text\\nof two lines",b=""} 1.5\n'
    )
    assert list(read(text).values()) == [1.5]


def test_without_the_data_folder_there_are_none(context: Context, client: TestClient) -> None:
    folder = context.storage.data_dir
    folder.rename(folder.with_name("moved"))
    assert client.get("/metrics").status_code == 503


def test_only_admins_read_them(context: Context, client: TestClient) -> None:
    accounts = context.storage.accounts
    for role in ("admin", "researcher", "expert"):
        client.cookies.clear()
        client.cookies.update(session(accounts, add(accounts, role, role)))
        assert client.get("/metrics").status_code == (200 if role == "admin" else 403)
    client.cookies.clear()
    assert client.get("/metrics").status_code == 403
    as_demo(context)
    assert client.get("/metrics").status_code == 403
