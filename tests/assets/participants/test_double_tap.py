"""The second tap of a double tap is on the next screen, where nobody meant it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.node import run_module

pytestmark = pytest.mark.process

TAP = {"type": "click", "at": 1000, "x": 100, "y": 600}
KEY = {"type": "keydown", "at": 1000, "x": 0, "y": 0, "key": "Enter"}


@pytest.mark.parametrize(
    ("first", "changes", "second"),
    [
        (TAP, {"at": 1250, "x": 108}, True),
        (TAP, {"at": 1250, "type": "pointerdown"}, True),
        (TAP, {"at": 1600}, False),
        (TAP, {"at": 1250, "y": 400}, False),
        (KEY, {"at": 1200}, True),
        (KEY, {"at": 1200, "key": "f"}, False),
        (KEY, {"at": 1200, "type": "click", "key": None}, False),
    ],
)
def test_what_comes_at_once_at_the_same_place_is_no_press_of_its_own(
    first: dict[str, Any], changes: dict[str, Any], second: bool
) -> None:
    code = """
      const { isSecond } = await load('participants/double_tap');
      return isSecond(...value);
    """
    assert run_module(code, [first, {**first, **changes}]) is second
