"""Text that a spreadsheet would run."""

from __future__ import annotations

import pytest

from core.spreadsheets import cell, guarded, unguarded


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2", "@SUM(A1)", "\tx", "\r=1"])
def test_formulas_are_guarded_and_read_again(text: str) -> None:
    assert guarded(text) == cell(text) == "'" + text
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["", "rotten mango", "a=b", "'", "'tis", "1-2"])
def test_other_text_stays(text: str) -> None:
    assert guarded(text) == unguarded(text) == text


def test_cells() -> None:
    assert [cell(value) for value in (None, -0.123456789, 7, True)] == ["", "-0.123457", 7, True]
