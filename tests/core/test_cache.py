"""Answers that are kept."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from truehue.core.cache import LruCache


def test_the_last_answers_are_kept() -> None:
    saved, made = LruCache[int](2), list[int]()

    def of(number: int) -> int:
        def make() -> int:
            made.append(number)
            return number * number

        return saved.get(number, make)

    assert [of(3), of(4), of(3), of(5), of(3), of(4)] == [9, 16, 9, 25, 9, 16]
    assert made == [3, 4, 5, 4]


def test_as_many_are_kept_as_their_weight_allows() -> None:
    saved, made = LruCache[bytes](5, len), list[int]()

    def of(length: int) -> int:
        def make() -> bytes:
            made.append(length)
            return bytes(length)

        return len(saved.get(length, make))

    assert [of(2), of(3), of(2), of(3), of(1), of(2)] == [2, 3, 2, 3, 1, 2]
    assert made == [2, 3, 1, 2]
    # What is too heavy alone is made and not kept, and takes no room.
    assert [of(6), of(1), of(1)] == [6, 1, 1]
    assert made == [2, 3, 1, 2, 6, 1]


def test_two_who_ask_at_once_get_one_answer() -> None:
    saved, both, made, go = LruCache[object](4), Barrier(2), list[object](), Event()

    def make() -> object:
        go.wait(120.0)
        made.append(object())
        return made[-1]

    def asked(_: int) -> object:
        both.wait(120.0)
        return saved.get("key", make)

    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(asked, number) for number in range(2)]
        go.set()
        first, second = (answer.result(120.0) for answer in answers)
    assert first is second
    assert len(made) == 1


def test_an_error_is_not_kept() -> None:
    saved = LruCache[int](1)
    with pytest.raises(ZeroDivisionError):
        saved.get("a", lambda: 1 // 0)
    assert saved.get("a", lambda: 7) == 7


def test_the_newest_answer_is_kept_whatever_it_weighs() -> None:
    saved = LruCache[bytes](5, len, at_least=1)
    assert len(saved.get("heavy", lambda: bytes(9))) == 9
    assert "heavy" in saved
    saved.get("light", lambda: bytes(2))
    assert saved.answers() == (bytes(2),)


def test_an_answer_that_is_not_current_is_made_again() -> None:
    saved = LruCache[bytes](5, len)

    def of(length: int) -> int:
        return len(saved.get("key", lambda: bytes(length), lambda answer: len(answer) == length))

    assert [of(2), of(3), of(3), of(5)] == [2, 3, 3, 5]
    # Each took the place of the one before, and of its weight.
    assert saved.answers() == (bytes(5),)


def test_what_is_cleared_while_it_is_made_is_not_kept() -> None:
    saved = LruCache[bytes](5, len)
    saved.get("kept", lambda: bytes(5))
    saved.clear()
    assert saved.answers() == ()

    def make() -> bytes:
        saved.clear()
        return bytes(5)

    assert saved.get("key", make) == bytes(5)
    assert "key" not in saved
    assert saved.get("key", lambda: bytes(4)) == bytes(4)
    assert saved.answers() == (bytes(4),)
