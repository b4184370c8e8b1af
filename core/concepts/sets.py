"""The records of stored sets: distributions of a file, and pictures that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class DistributionSetRecord:
    """A stored file of distributions. ``kind`` is a key of core.concepts.records.KINDS.

    ``of_people`` says whether they are people's (else a model's, or anybody's); ``source`` is what
    the person who imported it wrote about where it is from. ``rows`` and ``concepts`` count what is
    in it, ``contributors`` the different ones that are named. ``name`` and ``hidden`` are of its
    newest version; the rest never changes.
    """

    set_id: str
    name: str
    kind: str
    of_people: bool
    file_name: str
    source: str
    notes: tuple[str, ...]
    rows: int
    concepts: int
    contributors: int
    hidden: bool
    created_at: datetime


@dataclass(frozen=True)
class PictureSetRecord:
    """Stored pictures of one concept: uploads, or people's colorings (``of_people``).

    ``words`` are the concept's, in their normal form; ``images`` counts the pictures,
    ``contributors`` the different people that are named.
    """

    set_id: str
    name: str
    words: str
    of_people: bool
    images: int
    contributors: int
    hidden: bool
    created_at: datetime
