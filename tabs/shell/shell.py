"""The page around the tabs: header, tab bar, and the view that a link opens."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import gradio as gr

from truehue.tabs.accounts.guard import Guard
from truehue.tabs.api import gradio_api, mcp_server
from truehue.tabs.api.routes import api_routes
from truehue.tabs.feature import Feature
from truehue.tabs.features import FEATURES
from truehue.tabs.page import theme
from truehue.tabs.page.answers import error_response, wrong_value
from truehue.tabs.page.asset_files import asset_routes
from truehue.tabs.page.context import Context
from truehue.tabs.page.gradio_routes import GradioRoutes, check_paths, count_refused_events
from truehue.tabs.page.jobs_routes import job_routes
from truehue.tabs.page.openapi import DESCRIPTION, DescribedApp
from truehue.tabs.page.roles import Actor, Role
from truehue.tabs.page.routes import page_routes, routes
from truehue.tabs.page.same_origin import SameOriginMiddleware
from truehue.tabs.page.visitor_cookies import VisitorCookies
from truehue.tabs.page.widgets import widget

# Sessions whose state Gradio keeps, 0.2 MB each, and events that may wait for their turn.
MAX_SESSIONS = 1000
MAX_WAITING = 500
# Gradio's queue would look for new events 1,000 times a second, and 100 times among all that run
# for what has told its progress, which nothing here does: a twentieth of a processor at rest.
LOOK_S, PROGRESS_S = 0.01, 1.0


def build(context: Context, features: Sequence[Feature] = FEATURES) -> Any:
    """The Gradio app: ``gr.Blocks`` with the tabs of ``features``."""
    tabbed = [
        feature for feature in features if feature.title and (feature.in_demo or not context.demo)
    ]
    with gr.Blocks(title="TrueHue", fill_width=True, analytics_enabled=False) as demo:
        # They fill themselves over HTTP: an event of Gradio's would open a stream on every page.
        widget("page/header", elem_id="th-header")
        with gr.Tabs(selected="inspect", elem_id="th-tabs"):
            for feature in tabbed:
                with gr.Tab(feature.title, id=feature.id):
                    feature.layout(context)
        widget("page/page")
    # On a page of their own, which is closed to browsers (truehue.tabs.page.gradio_routes): theirs
    # would work for these components as for those that are seen.
    with demo.route("Endpoints", show_in_navbar=False):
        gradio_api.wire(context)
    return demo


def has_active_events(demo: Any) -> bool:
    """Whether a call of Gradio's API is being answered, or waits for its turn."""
    return len(demo._queue) > 0 or any(demo._queue.active_jobs)


def mount(
    context: Context, hosts: Sequence[str] = ("*",), features: Sequence[Feature] = FEATURES
) -> Any:
    """The whole web app: FastAPI with our routes, and Gradio at ``/``.

    ``hosts`` are the names that requests may ask for; a page elsewhere that points its own name
    at this machine is then refused.
    """
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.routing import Mount, Route

    space = bool(os.environ.get("SPACE_ID"))
    app = DescribedApp(title="TrueHue", docs_url=None, redoc_url=None, openapi_url=DESCRIPTION)
    if not context.demo:
        # Added first, so it stands innermost: before it, what is asked for is as the routes see it.
        app.add_middleware(Guard, context=context)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    app.add_exception_handler(RequestValidationError, wrong_value)
    app.add_exception_handler(HTTPException, error_response)
    # Long answers of the app's own routes; the page and its files come packed anyway.
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
    for feature in features:
        for router in feature.routers:
            app.include_router(feature.named(router)(context), tags=[feature.id])
    shared = {"images": routes, "jobs": job_routes, "page": page_routes, "measure": api_routes}
    for tag, make in shared.items():
        app.include_router(make(context), tags=[tag])
    app.include_router(asset_routes(), tags=["assets"])
    app.router.routes.append(Route(mcp_server.ADDRESS, mcp_server.McpServer(context)))
    demo = build(context, features)
    demo.state_session_capacity = MAX_SESSIONS
    with warnings.catch_warnings():
        # Of an app with two pages Gradio says that they cannot be drawn on the server; none is.
        warnings.filterwarnings("ignore", "SSR mode is not supported", UserWarning)
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
    demo._queue.max_size = MAX_WAITING
    demo._queue.sleep_when_free, demo._queue.progress_update_sleep_when_free = LOOK_S, PROGRESS_S
    # What it would count of every event is for a page of Gradio's that is closed here.
    demo._queue.ANAYLTICS_CACHE_FREQUENCY = sys.maxsize
    app.state.at_work = lambda: has_active_events(demo)
    gradio = next(route for route in mounted.routes if isinstance(route, Mount))
    gradio.app = GradioRoutes(
        gradio.app, lambda: len(demo._queue), [feature.id for feature in features if feature.title]
    )
    return mounted
