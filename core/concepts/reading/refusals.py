"""A file of distributions that is refused as a whole, and what would make it readable."""

from __future__ import annotations

from core.color.uw71 import COUNT, uw58
from core.errors import BadInput

AS_58 = "as_58"
RATINGS = "ratings"
SHARES = "shares"
WORDS = "words"

COUNT_58 = len(uw58())


class FileRefused(BadInput):
    """A file of distributions that was not read.

    ``offer`` is what would read it: ``"as_58"`` to take 58 numbers for UW-58's bins, ``"ratings"``
    to divide each row by its sum (``normalize``; ``"shares"`` does so too, for counts or percent),
    ``"words"`` to say which concept it is of, or empty. ``problems`` has one sentence for each row,
    where it was the rows that were refused.
    """

    def __init__(self, message: str, offer: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.offer, self.problems = offer, problems


def offer_58(what: str) -> FileRefused:
    """The refusal of 58 numbers that nobody said to be UW-58's. ``what`` has them."""
    return FileRefused(
        f"{what} has {COUNT_58} numbers; UW-71 has {COUNT} bins. These may be the {COUNT_58} bins "
        f"of UW-58: import them as UW-58, and they are put to their places, with 0 in the "
        f"{COUNT - COUNT_58} bins of L* = 88.",
        AS_58,
    )
