"""What is made on demand is made once, a few at a time."""

from __future__ import annotations

import anyio
import pytest

from tests.tabs.inside import Inside
from truehue.tabs.page.single_flight import SingleFlightCache


class Making:
    """Counts how often it makes, and how many at a time."""

    def __init__(self, at_once: int = 1) -> None:
        self.inside = Inside(at_once)

    @property
    def made(self) -> int:
        return self.inside.count

    def __call__(self, name: str) -> str:
        with self.inside:
            pass
        if name == "bad":
            raise ValueError("no")
        return name.upper()


def asked(once: SingleFlightCache[..., str], names: list[str]) -> list[str | Exception]:
    """All of them at the same time."""
    out: list[str | Exception] = []

    async def one(name: str) -> None:
        try:
            out.append(await once.get(name))
        except ValueError as error:
            out.append(error)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for name in names:
                group.start_soon(one, name)

    anyio.run(main)
    return out


def test_equal_requests_share_what_is_made() -> None:
    making = Making()
    assert asked(SingleFlightCache(making), ["a"] * 20) == ["A"] * 20
    assert making.made == 1


def test_few_are_made_at_a_time() -> None:
    making = Making(2)
    assert sorted(map(str, asked(SingleFlightCache(making), list("abcdef")))) == list("ABCDEF")
    assert making.inside.most == 2


def test_the_oldest_is_forgotten() -> None:
    making = Making()
    once = SingleFlightCache(making, most_kept=3)
    # One after the other: which of two at a time ends first, nobody knows.
    for name in ("a", "b", "c", "a", "d"):
        asked(once, [name])
    assert making.made == 4
    for name in ("a", "c", "d"):
        asked(once, [name])
    assert making.made == 4
    asked(once, ["b"])
    assert making.made == 5


def test_a_failure_reaches_everybody_and_is_not_kept() -> None:
    making = Making()
    once = SingleFlightCache(making)
    assert all(isinstance(item, ValueError) for item in asked(once, ["bad"] * 3))
    with pytest.raises(ValueError, match="no"):
        anyio.run(once.get, "bad")
    assert asked(once, ["good"]) == ["GOOD"]
