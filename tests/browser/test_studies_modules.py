"""What the scripts of Judge compute by themselves: files of tables, and when a study would end."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tabs.page.asset_files import asset_files

pytestmark = pytest.mark.browser

CSV = """async ([address, rows]) => {
  const { csvOf, span, spanHeads } = await import(address);
  const columns = [
    { name: 'model', cell: () => '', values: (row) => [row.model] },
    { name: '', cell: () => '' },
    { name: 'x', cell: () => '', heads: spanHeads('x'), values: (row) => span(row.x) },
  ];
  return csvOf(columns, rows);
}"""
END = "async ([address, live]) => (await import(address)).expectedEnd(live)"


def test_a_table_as_csv_has_all_decimals_and_no_formula(modules: Page) -> None:
    number = {"value": -0.123456789, "low": None, "high": 1}
    rows = [{"model": "=cmd()", "x": number}, {"model": 'a "b", c', "x": number}]
    text = modules.evaluate(CSV, [asset_files().address("js/studies/table.js"), rows])
    assert text.split("\r\n") == [
        "model,x,x_low,x_high",
        "'=cmd(),-0.123456789,,1",
        '"a ""b"", c",-0.123456789,,1',
        "",
    ]


@pytest.mark.parametrize(
    ("changes", "text", "words"),
    [
        ({}, "in 2.0 h", "at 50 answers an hour"),
        ({"answers": 200}, "in 2.0 h", "at 50 answers an hour"),
        ({"missing": 0}, "Complete", "every answer"),
        ({"state": "paused"}, "–", "takes no answers"),
        ({"hours": [{"at": "2026-01-01T01:00:00Z", "answers": 9}]}, "–", "no answers in the last"),
    ],
)
def test_the_end_is_expected_from_the_last_hours(
    modules: Page, changes: dict[str, Any], text: str, words: str
) -> None:
    live = {
        "state": "open",
        "answers": 100,
        "wanted": 200,
        "missing": 100,
        "now": "2026-01-01T12:00:00Z",
        "hours": [
            {"at": "2026-01-01T01:00:00Z", "answers": 900},
            {"at": "2026-01-01T10:00:00Z", "answers": 60},
            {"at": "2026-01-01T11:00:00Z", "answers": 40},
        ],
        **changes,
    }
    told = modules.evaluate(END, [asset_files().address("js/studies/live.js"), live])
    assert told["text"] == text
    assert words in told["words"]
