"""Seeded orders and decks."""

from __future__ import annotations

from collections import Counter

import pytest

from truehue.core.prompts.draws import Deck, seeded_order


def test_an_order_follows_from_its_key() -> None:
    first = seeded_order(100, "a")
    assert sorted(first) == list(range(100))
    assert first == seeded_order(100, "a")
    assert first != seeded_order(100, "b")
    # Frozen: another platform, or another Python, gives the same one.
    assert seeded_order(8, "gold") == [4, 1, 6, 2, 5, 0, 7, 3]


def test_each_card_comes_once_before_any_comes_again() -> None:
    deck = Deck("abcde", "test")
    rounds = [[deck.deal() for _ in range(5)] for _ in range(4)]
    assert all(sorted(item) == list("abcde") for item in rounds)
    assert len({tuple(item) for item in rounds}) > 1


def test_a_card_that_does_not_fit_comes_as_soon_as_it_does() -> None:
    deck = Deck("abc", "test")
    counts = Counter(deck.deal(lambda card: card != "a") for _ in range(4))
    assert counts["a"] == 0
    assert sorted(counts.values()) == [2, 2]
    assert [deck.deal(), deck.deal()] == ["a", "a"]


def test_a_deck_that_has_nothing_to_give_says_so() -> None:
    with pytest.raises(ValueError, match="No card of the deck test fits"):
        Deck("abc", "test").deal(lambda card: card == "z")
    with pytest.raises(ValueError, match="has no cards"):
        Deck("", "test")
