"""How soon a password may be tried again, and that nobody is kept out by a stranger."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from truehue.tabs.page import throttle as module
from truehue.tabs.page.throttle import EVERYBODY, NAME, Pace, Throttle, network_of

ANN: dict[Hashable, Pace] = {"ann": NAME}


class Clock:
    """Seconds that are put forward by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_few_attempts_are_free_and_then_the_time_between_two_doubles(clock: Clock) -> None:
    throttle = Throttle(clock)
    assert [throttle.begin(ANN) for _ in range(NAME.free)] == [0.0] * NAME.free
    waits = []
    for _ in range(8):
        waits.append(throttle.begin(ANN))
        clock.now += waits[-1]
        assert throttle.begin(ANN) == 0.0
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_what_is_refused_makes_no_delay_longer(clock: Clock) -> None:
    throttle = Throttle(clock)
    for _ in range(NAME.free + 1):
        throttle.begin(ANN)
    assert {throttle.begin(ANN) for _ in range(1_000)} == {1.0}
    clock.now += 0.25
    assert throttle.begin(ANN) == 0.75
    # Other names have nothing to do with it.
    assert throttle.begin({"ben": NAME}) == 0.0


def test_the_longest_delay_counts_and_a_refusal_counts_nowhere(clock: Clock) -> None:
    throttle = Throttle(clock)
    both: dict[Hashable, Pace] = {"ann": NAME, "address": Pace(1, 60.0)}
    assert throttle.begin(both) == 0.0
    for _ in range(20):
        assert throttle.begin(both) == pytest.approx(1.0)
    clock.now += 1.0
    assert [throttle.begin(ANN) for _ in range(NAME.free - 1)] == [0.0] * (NAME.free - 1)
    assert throttle.begin(ANN) == 1.0


def test_who_is_right_begins_anew_but_the_address_keeps_what_was_wrong(clock: Clock) -> None:
    throttle = Throttle(clock)
    both: dict[Hashable, Pace] = {"ann": NAME, "address": Pace(3, 60.0)}
    for _ in range(3):
        assert throttle.begin(both) == 0.0
    throttle.succeeded(both, "ann")
    assert throttle.begin(ANN) == 0.0
    # Two of three were wrong: one more is free.
    assert throttle.begin({"address": Pace(3, 60.0)}) == 0.0
    assert throttle.begin({"address": Pace(3, 60.0)}) == 1.0


def test_all_is_forgotten_after_a_while(clock: Clock) -> None:
    throttle = Throttle(clock)
    for _ in range(NAME.free + 1):
        throttle.begin(ANN)
    clock.now += NAME.forgotten_s
    assert [throttle.begin(ANN) for _ in range(NAME.free)] == [0.0] * NAME.free
    for _ in range(EVERYBODY.free + 1):
        throttle.begin({"everybody": EVERYBODY})
    clock.now += EVERYBODY.forgotten_s
    assert throttle.begin({"everybody": EVERYBODY}) == 0.0


def test_the_memory_of_it_is_bounded(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_KEPT", 10)
    throttle = Throttle(clock)
    for number in range(1_000):
        assert throttle.begin({number: NAME}) == 0.0
    assert len(throttle._counts) == 10


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_a_household_of_ipv6_counts_as_one_address(address: str, network: str) -> None:
    assert network_of(address) == network
