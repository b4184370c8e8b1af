"""The generated pages of the documentation are those that the code says now."""

from __future__ import annotations

import pytest

from tests.reference import PAGES, ROOT
from tests.reference.types import untyped

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), f"Run python -m tests.reference: {name} is stale."


def test_what_routes_answer_is_typed() -> None:
    assert not untyped()


def test_what_participants_get_is_typed() -> None:
    text = PAGES["assets/js/api.d.ts"]()
    for address in ("state", "enroll", "events"):
        assert f"    '/study/{{}}/{address}': " in text
