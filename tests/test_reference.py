"""The generated pages of docs/reference are those that the code says now."""

from __future__ import annotations

import pytest

from tests.reference import FOLDER, PAGES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), f"Run python -m tests.reference: {name} is stale."
