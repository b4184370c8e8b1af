"""Text that a spreadsheet would run."""

from __future__ import annotations

import pytest

from truehue.core.spreadsheets import STARTS, cell, escape_formula, guarded_table, unescape_formula


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2", "@SUM(A1)", "\tx", "\r=1"])
def test_formulas_are_guarded_and_read_again(text: str) -> None:
    assert escape_formula(text) == cell(text) == "'" + text
    assert unescape_formula(escape_formula(text)) == text


@pytest.mark.parametrize("text", ["", "rotten mango", "a=b", "'", "'tis", "1-2"])
def test_other_text_stays(text: str) -> None:
    assert escape_formula(text) == unescape_formula(text) == text


def test_cells() -> None:
    assert [cell(value) for value in (None, -0.123456789, 7, True)] == ["", "-0.123457", 7, True]


def test_tables_are_guarded_as_texts_are() -> None:
    import pyarrow as pa

    texts = [*STARTS, "=1+1", "a=b", "", None, "'tis", "\n=1"]
    table = pa.table(
        {
            "text": texts,
            "kind": pa.array(texts).dictionary_encode(),
            "number": [-1.5] * len(texts),
        }
    )
    made = guarded_table(table)
    expected = [None if text is None else escape_formula(text) for text in texts]
    assert made["text"].to_pylist() == made["kind"].to_pylist() == expected
    assert made["number"].equals(table["number"])
