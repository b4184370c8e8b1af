"""Agreement of the rules with people's names: the counts, the command, and the shipped report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.commands import called
from truehue.core.cli.diagnose import main
from truehue.core.color.people import MIN_ANSWERS, naming
from truehue.core.color.spaces import lab_to_srgb8
from truehue.core.color.systems import parse_target, system
from truehue.core.diagnosis.people import (
    PeopleReport,
    colors_named,
    compare_with_people,
    save,
    text,
)
from truehue.core.errors import BadInput
from truehue.core.verdict.measure import measure
from truehue.core.verdict.rules import PASS, RULES, rule

SHIPPED = Path(__file__).resolve().parents[3] / "assets" / "diagnosis" / "people.json"
EVERY = 900


@pytest.fixture(scope="module")
def report() -> PeopleReport:
    return compare_with_people([rule("released-munsell"), rule("truehue")], EVERY)


def test_each_answer_counts_where_the_rule_accepts_its_name(report: PeopleReport) -> None:
    """By a plain walk over colors and names."""
    names = [color.name for color in system("l1").colors]
    lab, counts = colors_named(names, MIN_ANSWERS)
    accepted = rare_accepted = said = 0
    for color, answers in zip(lab[::EVERY], counts[::EVERY], strict=True):
        patch = np.full((16, 16, 3), lab_to_srgb8(color), dtype=np.uint8)
        every = np.ones((16, 16), dtype=bool)
        for name, count in zip(names, answers, strict=True):
            share = naming(color).share_of(name)
            assert share is not None
            assert (share > 0) == (count > 0)
            found = measure(patch, every, parse_target(f"l1:{name}"), "released-munsell")
            passes = found.verdict.status == PASS
            said += count
            accepted += count * passes
            rare_accepted += passes and count <= 0.05 * answers.sum()
    of_rule, _ = report.rules
    assert (of_rule.answers, of_rule.accepted) == (said, accepted)
    assert of_rule.rare_accepted == rare_accepted
    assert 0 < accepted < said
    assert report.best >= report.nearest > 0


def test_what_is_shipped_is_of_the_rules_that_are_here() -> None:
    shipped = PeopleReport.read(SHIPPED)
    assert [(item.id, item.version) for item in shipped.rules] == [
        (item.id, item.version) for item in RULES
    ]
    # Over all colors, by other code: 82 and 55% (tests/gold/test_people.py has that of 8,299 bins).
    assert 100 * shipped.best / shipped.answers == pytest.approx(82, abs=2)
    assert 100 * shipped.nearest / shipped.answers == pytest.approx(55, abs=1)


def test_a_report_is_written_read_and_printed(tmp_path: Path, report: PeopleReport) -> None:
    save(report, tmp_path / "people.json")
    assert PeopleReport.read(tmp_path / "people.json") == report
    assert "released-munsell" in text(report)
    (tmp_path / "people.json").write_text("{}")
    with pytest.raises(BadInput, match="is no report of names by people"):
        PeopleReport.read(tmp_path / "people.json")


def test_the_command(tmp_path: Path) -> None:
    few = ("--every", "4000", "--rules", "paper", "--out", str(tmp_path))
    done = called(main, "--people", "--json", *few)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((tmp_path / "people.json").read_text())
    refused = called(main, "--people", "--out", str(tmp_path), "--every", "0")
    assert (refused.returncode, "a number from 1" in refused.stderr) == (2, True)
    refused = called(main, "--people", "--objects", "mug", *few)
    assert refused.returncode == 2
    assert "--objects belongs to images" in refused.stderr
