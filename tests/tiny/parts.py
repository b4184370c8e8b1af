"""The table, service, job, routes and command of the tiny feature."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import duckdb

from truehue.core.command import arg, command, print_now
from truehue.storage import Storage
from truehue.storage.database.connection import Database
from truehue.tabs.feature import AppParts
from truehue.tabs.page.actor import requires
from truehue.tabs.page.answers import Answer
from truehue.tabs.page.context import Context
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.router import FeatureRouter


def _make_table(cursor: duckdb.DuckDBPyConnection) -> None:
    cursor.execute("CREATE TABLE tiny_colors (hex VARCHAR NOT NULL, created_at TIMESTAMP NOT NULL)")


class NotedColors:
    """The colors that were noted."""

    name = "tiny"
    steps: Sequence[Callable[[duckdb.DuckDBPyConnection], object]] = (_make_table,)

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, hex_color: str) -> None:
        self._database.insert(
            "INSERT INTO tiny_colors VALUES (?, ?)", [hex_color, self._database.now()]
        )

    def count(self) -> int:
        return self._database.count("tiny_colors")


class Notes:
    """The feature's service."""

    def __init__(self, colors: NotedColors) -> None:
        self.colors = colors

    @classmethod
    def of(cls, parts: AppParts) -> Notes:
        return cls(parts.storage.tables(NotedColors))


class NoteColor(PageRequest):
    """A color to note."""

    hex: str


@requires("add")
def note_color(context: Context, actor: Actor, request: NoteColor) -> Answer:
    """Notes a color."""
    context.service(Notes).colors.add(request.hex)
    return {"noted": request.hex}


@requires("add")
def start_count(context: Context, actor: Actor, request: EmptyRequest) -> Answer:
    """Counts the noted colors in a job."""

    def work(job: Any) -> Answer:
        return {"count": context.service(Notes).colors.count()}

    return {"job": context.jobs.start("tiny", "Counting colors", actor, work).id}


def tiny_routes(context: Context) -> FeatureRouter:
    router = FeatureRouter(context, "/api/tiny")
    router.post_json("/colors", NoteColor, note_color)
    router.post_json("/count", EmptyRequest, start_count)
    return router


@command("tiny", "Counts the colors noted in a data folder.", arg("folder FOLDER"))
def COMMAND(options: argparse.Namespace) -> int:
    with Storage.open(options.folder) as storage:
        print_now(str(storage.tables(NotedColors).count()))
    return 0
