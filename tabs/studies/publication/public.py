"""Public pages in memory: made once of what is stored, and again when that changes.

Anybody may reload a page as often as they like. Where nothing changed, that reads no row; where
something did, one page is made at a time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import anyio
import brotli

from truehue.core.cache import LruCache
from truehue.core.errors import NotStored
from truehue.core.studies import PublicationRecord, State
from truehue.tabs.page.asset_files import Body
from truehue.tabs.page.context import Context
from truehue.tabs.page.visitors import Visitors
from truehue.tabs.participants.tokens import well_formed
from truehue.tabs.sources.studies import answers_key, source_key
from truehue.tabs.studies.exports import anonymous_data, file_stem
from truehue.tabs.studies.publication.files import files_of, public_tables
from truehue.tabs.studies.publication.page import PageImage, images_of, page_html
from truehue.tabs.studies.results import NotReady

MAX_BYTES = 64 * 2**20
"""Of all pages with their files in memory; the last one is kept whatever it weighs."""
WAIT_S = 1.0
"""What a reader waits for results that are being computed; then the page says so."""
CHECKED_S = 5.0
"""So long a page is good without a look at the answers, where nothing else was changed: a
participant who was in when the study closed may still finish."""
METRICS_S = 600.0
"""So long a page is good where only the workbench's measurements changed, which metrics of the
candidates may depend on."""
NOWHERE = "This link leads to no results. It may be incomplete, or the results were withdrawn."
REOPENED = "This study is open again. Its results are back under this link once it is closed."


class NotPublic(NotStored):
    """A link that shows no results now."""


class PublicFile(Body):
    """A page, or a file of one."""

    @cached_property
    def brotli(self) -> bytes:
        # Better packing would take seconds for the answers of a large study.
        return bytes(brotli.compress(self.plain, quality=5))

    @cached_property
    def tag(self) -> str:
        """Its ``ETag``."""
        return f'"{hashlib.sha256(self.plain).hexdigest()[:32]}"'

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return len(self.plain) + len(self.brotli) + len(self.gzip)


@dataclass(frozen=True)
class PublicPage:
    """What strangers can read of a study: ``html``, ``files`` by name, and ``images`` in the order
    of their numbers. ``key`` is all that it was made of, ``own`` the part that is the study's;
    ``stem`` is how the names of its files begin."""

    key: object
    own: object
    made_s: float
    html: PublicFile
    files: Mapping[str, PublicFile]
    images: tuple[PageImage, ...]
    stem: str

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return sum(file.size for file in (self.html, *self.files.values()))


@dataclass(frozen=True)
class _Checked:
    """A page that was the current one at a time, when so much had changed."""

    stamp: object
    until_s: float
    page: PublicPage


class PublicPages:
    """The public pages of an app; a service. Belongs to one event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pages: LruCache[PublicPage] = LruCache(MAX_BYTES, lambda page: page.size, at_least=1)
        self._links: tuple[object, Mapping[str, PublicationRecord]] = (None, {})
        self._checked: dict[str, _Checked] = {}
        self._later: dict[str, float] = {}
        self._turn = anyio.CapacityLimiter(1)

    async def page(self, context: Context, token: str) -> PublicPage:
        """The page of a link. Raises NotPublic for one that shows nothing, and NotReady where the
        results are still being computed."""
        if not well_formed(token):
            raise NotPublic(NOWHERE)
        if (checked := self._current(context, token)) is not None:
            return checked
        return await anyio.to_thread.run_sync(self._read, context, token, limiter=self._turn)

    def _current(self, context: Context, token: str) -> PublicPage | None:
        """The page, where that can be said without reading."""
        checked = self._checked.get(token)
        if checked is None or checked.stamp != _stamp(context):
            return None
        return checked.page if self._clock() < checked.until_s else None

    def _read(self, context: Context, token: str) -> PublicPage:
        """The page, read or made now; in the one thread that does so."""
        if (checked := self._current(context, token)) is not None:
            return checked
        stamp = _stamp(context)
        publication = self._publication(context, token)
        if context.storage.studies.get(publication.study_id).state is not State.CLOSED:
            raise NotPublic(REOPENED)
        if self._clock() < self._later.get(token, 0.0):
            raise NotReady("The results are being computed.")
        try:
            page = self._made(context, publication)
        except NotReady:
            self._later[token] = self._clock() + WAIT_S
            raise
        self._later.pop(token, None)
        self._checked[token] = _Checked(stamp, self._clock() + CHECKED_S, page)
        return page

    def _publication(self, context: Context, token: str) -> PublicationRecord:
        publications = context.storage.publications
        changes = publications.changes
        if self._links[0] != changes:
            self._links = (changes, {record.token: record for record in publications.all()})
            for withdrawn in (self._checked.keys() | self._later.keys()) - self._links[1].keys():
                self._checked.pop(withdrawn, None)
                self._later.pop(withdrawn, None)
        if token not in self._links[1]:
            raise NotPublic(NOWHERE)
        return self._links[1][token]

    def _made(self, context: Context, publication: PublicationRecord) -> PublicPage:
        study_id = publication.study_id
        marks = len(context.storage.coloring_marks.of_study(study_id))
        with context.storage.snapshot():
            own = (publication, marks, answers_key(context, study_id))
            key = (publication, marks, source_key(context, study_id))

        def is_current(page: PublicPage) -> bool:
            recent = page.own == own and self._clock() < page.made_s + METRICS_S
            return page.key == key or recent

        def make() -> PublicPage:
            return _page(context, publication, key, own, self._clock())

        return self._pages.get(study_id, make, is_current)


def _stamp(context: Context) -> tuple[int, ...]:
    """Changes with whatever is done to a study but answers."""
    storage = context.storage
    return (
        storage.publications.changes,
        storage.studies.changes,
        storage.participants.changes,
        storage.coloring_marks.changes,
    )


def _page(
    context: Context, publication: PublicationRecord, key: object, own: object, made_s: float
) -> PublicPage:
    data = anonymous_data(context, publication.study_id, WAIT_S)
    log = context.storage.studies.log(publication.study_id)
    names = Visitors(context.storage.data_dir / "images.key")
    tables = public_tables(data, publication.token, names.signature)
    files = files_of(data, tables)
    images = images_of(data.source.plan) if publication.images else {}
    text = page_html(data, log, publication, tables, files, images)
    page = PublicPage(
        key,
        own,
        made_s,
        PublicFile(text.encode(), "text/html; charset=utf-8"),
        {name: PublicFile(content, _media_type(name)) for name, content in files.items()},
        tuple(image for case in images.values() for image in case),
        file_stem(data),
    )
    _ = page.size  # which packs the files here, and not where others wait
    return page


def _media_type(name: str) -> str:
    kind = "csv" if name.endswith(".csv") else "markdown"
    return f"text/{kind}; charset=utf-8"
