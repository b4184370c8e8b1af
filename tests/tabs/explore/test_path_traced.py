"""The path-traced counts: read strictly, shown as they are, and of the rule that is here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truehue.core.diagnosis.figures import read_path_traced
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import rule
from truehue.core.verdict.truehue import confidence_percent
from truehue.tabs.explore.rule_accuracy import TRACED_FILE
from truehue.tabs.explore.rule_accuracy_report import traced_view


def test_the_page_shows_the_counts_of_the_file() -> None:
    counts = json.loads(TRACED_FILE.read_text(encoding="utf-8"))["figures"]
    for item in traced_view(["l2", "css"])["sets"]:
        ours = next(row for row in item["rows"] if row["name"] == "truehue")
        for system in ("l2", "css"):
            (result,) = [
                row
                for row in counts
                if (row["set"], row["rule"], row["version"], row["system"], row["by"])
                == (item["id"], "truehue", ours["version"], system, "all")
            ]
            assert (
                ours["cells"][system]["hit"]["counts"]
                == f"{result['hits']:,} of {result['asked']:,}"
            )


def test_the_counts_are_of_the_rule_that_is_here() -> None:
    traced = read_path_traced(TRACED_FILE)
    versions = {(item.set, item.version) for item in traced.rules if item.rule == "truehue"}
    assert {(item.id, rule("truehue").version) for item in traced.sets} <= versions


def test_parts_add_up_and_what_was_said_lies_in_its_bin() -> None:
    data = json.loads(TRACED_FILE.read_text(encoding="utf-8"))
    for whole in (figure for figure in data["figures"] if figure["by"] == "all"):
        same = ("set", "rule", "version", "system")
        for by in ("light", "metering"):
            parts = [
                figure
                for figure in data["figures"]
                if figure["by"] == by and all(figure[key] == whole[key] for key in same)
            ]
            for count in ("hits", "asked", "false_accepts", "tried", "other_accepts"):
                assert sum(part[count] for part in parts) == whole[count]
    assert min(bin_["said_percent"] - bin_["from_percent"] for bin_ in data["calibration"]) >= 0
    assert confidence_percent(0.999, 100.0) < 99.0


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    for text in ("", "{}", '{"schema": 2}'):
        (tmp_path / "counts.json").write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match=r"counts\.json"):
            read_path_traced(tmp_path / "counts.json")
