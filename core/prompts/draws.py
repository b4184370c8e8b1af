"""Platform-independent randomness: orders and samples derived from a key by SHA-256."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Card = TypeVar("Card")

SEED = "truehue-prompts-1"
"""The seed of all built-in sets. Another one is another benchmark."""


def rank(key: str) -> bytes:
    """Where a key falls in the seeded order: 32 bytes to sort by."""
    return hashlib.sha256(f"{SEED}/{key}".encode()).digest()


def seeded_order(count: int, key: str) -> list[int]:
    """0 to ``count - 1`` in an order that follows from ``key`` alone, on every platform."""
    return sorted(range(count), key=lambda index: rank(f"{key}/{index}"))


def _anything(_: object) -> bool:
    return True


class Deck(Generic[Card]):
    """Deals cards in seeded order; each comes once before any comes again.

    A card that does not fit keeps its place in the pile and comes as soon as it fits. Where none
    fits, a new round goes under the pile. So the counts of two cards stay within few of each other.
    """

    def __init__(self, cards: Sequence[Card], key: str) -> None:
        if not cards:
            raise ValueError(f"The deck {key} has no cards.")
        self._cards = cards
        self._key = key
        self._rounds = 0
        self._pile: list[Card] = []

    def deal(self, fits: Callable[[Card], bool] = _anything) -> Card:
        """The next card that fits. Raises ValueError when no card of the deck does."""
        for index, card in enumerate(self._pile):
            if fits(card):
                return self._pile.pop(index)
        start = len(self._pile)
        order = seeded_order(len(self._cards), f"{self._key}/{self._rounds}")
        self._pile.extend(self._cards[position] for position in order)
        self._rounds += 1
        for index in range(start, len(self._pile)):
            if fits(self._pile[index]):
                return self._pile.pop(index)
        raise ValueError(f"No card of the deck {self._key} fits.")
