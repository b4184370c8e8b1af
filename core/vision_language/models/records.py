"""What a model is asked, what it replies, and whoever asks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from truehue.core.errors import TrueHueError
from truehue.core.vision_language.records import Question

Stop = Callable[[], bool]
"""Whether people want an end: looked at often while a model is at work."""


@dataclass(frozen=True)
class Sampling:
    """How an answer is written: at most ``max_tokens``; the likeliest token each time where
    ``temperature`` is 0, else drawn by chance. With ``all_tokens`` a local model draws among all of
    them; without, among those that its own top_k and top_p leave."""

    max_tokens: int = 512
    temperature: float = 0.0
    all_tokens: bool = True


@dataclass(frozen=True, eq=False)
class Ask:
    """One prompt about one image. ``pixels`` gives uint8 sRGB ``(H, W, 3)`` when it is its turn,
    and may raise a TrueHueError; ``seed`` counts where chance enters. ``question`` is for who
    answers without a model."""

    prompt: str
    pixels: Callable[[], NDArray[np.uint8]]
    seed: int = 0
    question: Question | None = None


@dataclass(frozen=True)
class Reply:
    """What a model said: ``words`` as they came.

    ``ending`` says why it stopped: ``stop`` by itself, ``length`` where its tokens were used up,
    or a server's own word. ``width`` and ``height`` are the image's as it was handed over, in
    pixels; ``seen`` is what the processor made of it, "" where that is not known. ``tokens_in`` and
    ``tokens_out`` are None where a server does not count. ``requests`` were sent for it.
    ``answered_by`` is the model's name as a server gives it.
    """

    words: str
    ending: str
    seconds: float
    width: int
    height: int
    seen: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    requests: int = 0
    answered_by: str = ""


class NoReply(TrueHueError):
    """There is no answer to this question, and why; ``requests`` were sent for it, and ``tokens``
    (in, out) paid for an answer that was kept back, None where that is not known.

    ``counts``: it may be the model's fault, not the question's; many in a row end the work.
    """

    def __init__(
        self,
        reason: str,
        requests: int = 0,
        *,
        counts: bool = True,
        tokens: tuple[int | None, int | None] = (None, None),
    ) -> None:
        super().__init__(reason)
        self.requests, self.counts, self.tokens = requests, counts, tokens


class Answerer(Protocol):
    """A model that can be asked."""

    def answers(
        self, asks: Iterable[Ask], sampling: Sampling, stop: Stop
    ) -> Iterator[Reply | NoReply]:
        """The reply to each, in their order, or why there is none; lazily, and closing the
        iterator gives up what is under way.

        Raises CannotAnswer where no further question could be answered, and Halted once ``stop``
        says so.
        """
        ...

    def close(self) -> None:
        """Gives back what it holds."""
        ...


class CannotAnswer(TrueHueError):
    """This model cannot be asked now, whatever the question: no key, no server, no budget."""


class Halted(Exception):
    """People want an end, and the question in work was given up."""
