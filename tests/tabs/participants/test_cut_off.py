"""Designers whose server is killed while they color: the bench of that, for some seconds."""

from __future__ import annotations

import re

import pytest

from tests.bench.colorings import main


@pytest.mark.process
def test_what_was_acknowledged_is_there_after_a_kill(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--short"]) == 0
    told = capsys.readouterr().out
    assert "NOT met" not in told
    assert not re.search(r"\b0 actions acknowledged", told)
