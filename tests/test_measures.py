"""What the measures of the house find."""

from __future__ import annotations

import pytest

from tests.house import read_source
from tests.measures import warnings_of

pytestmark = pytest.mark.slow


def found(source: str, package: bool = False) -> list[str]:
    return warnings_of(read_source(source, "core.one"), "core.one", package)


def test_crowded_functions_long_modules_and_silent_packages_are_named() -> None:
    eight = "def of(a, b, /, c, d, *rest, e, f, **more): ..."
    assert found(eight) == ["core.one, line 1: of takes 8 parameters"]
    method = "class Of:\n    async def of(self, a, b, c, d, e, f, g): ..."
    assert found(method) == []
    assert len(found(method.replace("self", "static"))) == 1
    assert found("\n" * 401) == ["core.one: 401 lines"]
    assert len(found("", package=True)) == 1
    assert found('"""Colors."""', package=True) == []
