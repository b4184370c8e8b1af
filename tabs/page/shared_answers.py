"""Answers that routes of several features give; without fastapi, for services build them."""

from __future__ import annotations

from typing import TypedDict


class Done(TypedDict):
    """The answer of what has nothing to say."""


class StartedJob(TypedDict):
    """The id of the job that was started."""

    job: str


class NamedChoice(TypedDict):
    """One of several choices."""

    id: str
    name: str


class TitledChoice(NamedChoice):
    """One of several choices, with a sentence about it."""

    title: str
