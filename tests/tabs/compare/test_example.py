"""What Compare opens with in an empty data folder."""

from __future__ import annotations

import pytest

from tests.assets.live import run_live, sent
from tests.browser.still_life import still_life
from tests.house import ROOT
from tests.tabs.compare.test_page import png
from truehue.core.concepts.records import RATINGS
from truehue.tabs.compare.example import (
    COLORS,
    NAME,
    compare_example,
    make_renders,
    store_ratings,
)
from truehue.tabs.compare.people.routes import compare_people_routes
from truehue.tabs.compare.routes import compare_routes
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.page.context import EXAMPLE, Context
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.requests import EmptyRequest
from truehue.tabs.page.roles import OWNER
from truehue.tabs.page.routes import routes

pytestmark = [pytest.mark.process, pytest.mark.slow]


def test_ratings_are_stored_once_and_named_so(context: Context) -> None:
    assert compare_example(context, OWNER, EmptyRequest()) == {"concept": ""}
    store_ratings(context)
    store_ratings(context)
    (record,) = context.storage.distributions.all()
    assert (record.name, record.kind, record.of_people) == (NAME, RATINGS, True)
    assert "Schloss Visual Reasoning Lab" in record.source
    texts = context.storage.distributions.words(record.set_id)
    assert len(texts) == 70
    assert {"banana", "justice", "working"} <= set(texts)
    # Who hides them does not get them again.
    context.storage.distributions.hide(record.set_id, True)
    store_ratings(context)
    assert context.storage.distributions.all() == []
    assert compare_example(context, OWNER, EmptyRequest()) == {"concept": ""}


def test_compare_opens_with_an_example_until_there_are_own_data(context: Context) -> None:
    store_ratings(context)
    photograph = sent("photograph.png", png(still_life((200, 70, 40), 1)[0]))
    made = (compare_people_routes, compare_routes, inspect_routes, job_routes, routes)
    live = ROOT / "tests/assets/compare/example.live.js"
    run_live(live, context, made, {"photograph": photograph})
    (group,) = context.storage.picture_sets.all()
    assert (group.words, group.of_people, group.images) == ("banana", False, len(COLORS))
    make_renders(context)
    assert len(context.storage.images.recent(source=EXAMPLE)) == len(COLORS)
    # A photograph is nothing that Compare opens with; a generated image may be.
    assert compare_example(context, OWNER, EmptyRequest())["concept"]
    context.storage.images.add(still_life((40, 70, 200), 2)[0], "a blue vase", "generated")
    assert compare_example(context, OWNER, EmptyRequest()) == {"concept": ""}
