"""The page around the tabs: header, tab bar, and what opens when a link is followed."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import gradio as gr

from truehue.tabs.accounts.guard import Guard
from truehue.tabs.accounts.routes import account_routes
from truehue.tabs.api import gradio_api, mcp_server
from truehue.tabs.backup.routes import backup_routes
from truehue.tabs.colorize import tab as colorize
from truehue.tabs.colorize.routes import colorize_routes
from truehue.tabs.compare import tab as compare
from truehue.tabs.compare.people.routes import compare_people_routes
from truehue.tabs.compare.routes import compare_routes
from truehue.tabs.compare.tables.routes import compare_tables_routes
from truehue.tabs.explore import tab as explore
from truehue.tabs.explore.routes import analyses_routes, board_routes, explore_routes, wall_routes
from truehue.tabs.export.routes import export_routes
from truehue.tabs.generate import examples_row
from truehue.tabs.generate import tab as generate
from truehue.tabs.generate.routes import example_routes, generation_routes
from truehue.tabs.inspect import tab as inspect
from truehue.tabs.inspect.routes import inspect_routes
from truehue.tabs.library.routes import prompt_routes
from truehue.tabs.page import theme
from truehue.tabs.page.answers import in_words, wrong_value
from truehue.tabs.page.asset_files import asset_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.events import QUIET, on
from truehue.tabs.page.gradio_routes import GradioRoutes, check_paths, count_refused_events
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.roles import Actor, Role, allowed
from truehue.tabs.page.routes import notice_routes, routes
from truehue.tabs.page.same_origin import SameOriginMiddleware
from truehue.tabs.page.visitor_cookies import VisitorCookies
from truehue.tabs.page.widgets import widget
from truehue.tabs.participants.page import participant_asset_routes
from truehue.tabs.participants.routes import participant_routes
from truehue.tabs.runs.routes import image_set_routes, run_routes
from truehue.tabs.shell import places
from truehue.tabs.studies import tab as studies
from truehue.tabs.studies.colorings.routes import coloring_routes
from truehue.tabs.studies.routes import study_routes
from truehue.tabs.studies.routes_results import results_routes
from truehue.tabs.verdicts.routes import judgment_routes
from truehue.tabs.vlm import tab as ask
from truehue.tabs.vlm.routes import vlm_routes

DESCRIPTION = "/api/openapi.json"
"""Every route with what it takes, for programs."""

MOST_PAGES = 4000
# Sessions whose state Gradio keeps, 0.2 MB each, and events that may wait for their turn.
MOST_SESSIONS = 1000
MOST_WAITING = 500
HOLD_S = 15
# Gradio's queue would look for new events 1,000 times a second, and 100 times among all that run
# for what has told its progress, which nothing here does: a twentieth of a processor at rest.
LOOK_S, PROGRESS_S = 0.01, 1.0


def build(context: Context) -> Any:
    """The Gradio app: ``gr.Blocks`` with all tabs wired to ``context``."""
    with gr.Blocks(title="TrueHue", fill_width=True, analytics_enabled=False) as demo:
        header = widget(
            "page/header", elem_id="th-header", data=context.data_text(), account="", backup=False
        )
        with gr.Tabs(selected="inspect", elem_id="th-tabs") as tabs:
            with gr.Tab("Generate", id="generate"):
                generate_view = generate.layout(context)
            with gr.Tab("Inspect", id="inspect"):
                film_row = places.film()
                example_row = examples_row.row()
                inspect_view = inspect.layout(context.sources)
            with gr.Tab("Explore", id="explore"):
                explore_view = explore.layout()
            with gr.Tab("Compare", id="compare"):
                compare_view = compare.layout()
            with gr.Tab("Colorize", id=colorize.NAME):
                colorize.layout()
            with gr.Tab("VLMs", id=ask.NAME):
                ask.layout()
            if not context.demo:
                with gr.Tab("Studies", id=studies.NAME):
                    studies.layout()
        widget("page/tour", elem_id="tour")
        widget("page/notices", elem_id="notices")
        widget("page/imports", elem_id="imports")
        widget("page/scrolling", elem_id="scrolling")
        widget("page/drop", elem_id="page-drop")
        index = places.places()
        inspect.wire(inspect_view, context, header)
        generate.wire(generate_view, inspect_view, context, header, tabs)
        explore.wire(explore_view, inspect_view, context, header, tabs)
        compare.wire(compare_view, inspect_view, context, header, tabs)
        gradio_api.wire(context)
        examples_row.wire(example_row, inspect_view, context)
        places.wire(index, film_row, inspect_view, context, header, tabs)

        # Which room is in front is in the page already (truehue.tabs.page.front_page).
        demo.load(
            on(
                context,
                "look",
                lambda cause: gr.update(
                    data=context.data_text(),
                    account=cause.actor.name,
                    backup=not context.demo and allowed(cause.actor, "backup"),
                ),
            ),
            outputs=header,
            **QUIET,
        )
        demo.load(hold_stream, concurrency_limit=None, **QUIET)
    return demo


async def hold_stream() -> AsyncIterator[None]:
    """Runs as long as a page is open and does nothing.

    Gradio 6.31's page closes its stream of answers when the last event that it knows of is done.
    An event that was sent at that moment, but not yet confirmed, then never gets its answer. With
    one event that does not end, the stream stays. Of a page that was left, it ends with the next
    yield, and only then is its place in Gradio's queue free again.
    """
    while True:
        await asyncio.sleep(HOLD_S)
        yield


def at_work(demo: Any) -> bool:
    """Whether an event of a page is being answered, or waits for its turn."""
    events = [event for batch in demo._queue.active_jobs if batch for event in batch]
    return len(demo._queue) > 0 or any(event.fn.fn is not hold_stream for event in events)


def mount(context: Context, hosts: Sequence[str] = ("*",)) -> Any:
    """The whole web app: FastAPI with our routes, and Gradio at ``/``.

    ``hosts`` are the names that requests may ask for; a page elsewhere that points its own name
    at this machine is then refused.
    """
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.routing import Mount, Route

    space = bool(os.environ.get("SPACE_ID"))
    app = FastAPI(title="TrueHue", docs_url=None, redoc_url=None, openapi_url=DESCRIPTION)
    if not context.demo:
        # Added first, so it stands innermost: before it, what is asked for is as the routes see it.
        app.add_middleware(Guard, context=context)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_exception_handler(RequestValidationError, wrong_value)
    app.add_exception_handler(HTTPException, in_words)
    if not context.local:
        # Long answers of the app's own routes; the page and its files come packed to everybody.
        app.add_middleware(GZipMiddleware, minimum_size=4096, compresslevel=5)
    if context.demo:
        app.add_middleware(
            VisitorCookies,
            visitors=context.visitors,
            answer=lambda visitor, stays: context.visit(Actor(visitor, Role.VISITOR), stays),
            space=space,
        )
    # Added last, so it stands outermost.
    app.add_middleware(SameOriginMiddleware, local=context.local, space=space)
    for make in (
        participant_routes,  # first: they are asked most often
        routes,
        inspect_routes,
        job_routes,
        prompt_routes,
        generation_routes,
        image_set_routes,
        example_routes,
        explore_routes,
        analyses_routes,
        board_routes,
        run_routes,
        wall_routes,
        export_routes,
        backup_routes,
        judgment_routes,
        compare_people_routes,
        compare_tables_routes,
        compare_routes,
        colorize_routes,
        vlm_routes,
        study_routes,
        results_routes,
        coloring_routes,
        notice_routes,
    ):
        app.include_router(make(context))
    app.include_router(account_routes(context, space))
    app.include_router(participant_asset_routes())
    app.include_router(asset_routes())
    app.router.routes.append(Route(mcp_server.ADDRESS, mcp_server.McpServer(context)))
    demo = build(context)
    demo.state_session_capacity = MOST_SESSIONS
    mounted = gr.mount_gradio_app(
        app,
        demo,
        path="/",
        theme=theme.theme(),
        css=theme.css(),
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        show_error=True,
        max_file_size="1mb",  # nothing here is uploaded by way of Gradio
        mcp_server=False,  # whatever the environment says: ours knows who asks
    )
    check_paths(demo)
    count_refused_events()
    # Gradio 6.31 runs at most 40 events at once, and every open page holds one: the next page would
    # wait for ever. The number is read when the queue starts; its threads are limited elsewhere.
    demo._queue.max_thread_count = MOST_PAGES
    demo._queue.max_size = MOST_WAITING
    demo._queue.sleep_when_free, demo._queue.progress_update_sleep_when_free = LOOK_S, PROGRESS_S
    # What it would count of every event is for a page of Gradio's that is closed here.
    demo._queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize
    app.state.at_work = lambda: at_work(demo)
    gradio = next(route for route in mounted.routes if isinstance(route, Mount))
    gradio.app = GradioRoutes(gradio.app, lambda: len(demo._queue))
    return mounted
