"""The report of a run: it holds back nothing that the page says of a number."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from tests.storage.run_samples import sample_plan, sample_result, sample_run
from truehue.core.analysis.intervals import SENTENCE
from truehue.core.export.report import Paragraph, Table
from truehue.core.export.source import runs_of
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.shards import write_shard
from truehue.core.verdict.rules import UNSCORED, rule
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.explore.leaderboard import leaderboard_view
from truehue.tabs.export.report import report_of
from truehue.tabs.export.service import export
from truehue.tabs.page.context import Context

pytestmark = pytest.mark.slow


def test_the_report_doubts_what_the_leaderboard_doubts(context: Context, tmp_path: Path) -> None:
    """Too narrow intervals, prompts without a color system, numbers without an interval, and
    printed numbers that another table of the paper contradicts."""
    plan = sample_plan("flux.1-dev", 60)
    prompts = [
        replace(prompt, system="") if prompt.task == "cna" else prompt for prompt in plan.prompts
    ]
    folder = sample_run(
        context.service(RunSupervisor).root,
        replace(plan, prompts=tuple(prompts), rules=plan.rules[:1]),
    )
    context.service(RunSupervisor).ingest()
    cells = leaderboard_view(context, {"rule": plan.rules[0][0]})["groups"][0]["rows"][0]["cells"]
    export(context, folder, "html", tmp_path / "report.html")
    text = unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    ours = text.partition("<h3>This run</h3>")[2].partition("</section>")[0]
    low_high = cells["coa"]["interval"].replace("–", " to ")
    assert low_high.startswith("≈")
    assert f"{cells['coa']['text']}<small>{low_high}, {cells['coa']['n']}</small>" in ours
    assert ours.count(SENTENCE) == 1
    assert ours.count("bootstrap") == 1
    assert f"{cells['cna']['text']}<small>" in ours
    assert "no color system: pooled" in ours
    assert "33.70?" in ours
    assert "? Flux, CNA, 33.70: Table 11's categories give about 41 for Flux." in ours


def test_a_report_of_a_run_without_gaps_says_so_and_lists_none(
    context: Context, tmp_path: Path
) -> None:
    """Every image has a score, none failed: leaving out what was not found changes nothing."""
    plan = sample_plan(prompts=12, images=1)
    plan = replace(plan, rules=tuple(item for item in plan.rules if item[0] == "released"))
    runs = context.service(RunSupervisor).root
    folder = RunFolder.create(runs, plan)
    made = [sample_result(folder, plan, index, failed=False) for index in range(plan.total)]
    scored = [item for item in made if all(said.status != UNSCORED for said in item.verdicts)]
    assert len(scored) > 6
    write_shard(folder.shard_folder / "w0-0.parquet", scored)
    context.storage.runs.ingest(folder)
    (run,) = runs_of(folder, sealed=True)
    sections = {
        section.title: section for section in report_of(context, run, step=lambda _: None).sections
    }
    assert sections["Unscored images"].blocks == (Paragraph("Every rule scored every image."),)
    board = sections["Accuracy by task"].blocks[0]
    assert isinstance(board, Table)
    assert [row[0].text for row in board.rows] == [f"released {rule('released').version}"]
    assert board.rows[0][-1].text == "0"
