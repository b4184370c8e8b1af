"""What became of the prompts of a set."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mark:
    """What became of one prompt: how many drawings there are, how many attempts failed, and what
    the verdicts say together (``pass``, ``fail``, ``unscored``, or empty where there are none)."""

    drawn: int
    failed: int
    verdict: str
