"""The plain address for programs that measure images: one request of JSON, answered at once."""

from __future__ import annotations

import anyio

from truehue.tabs.api.endpoints import MeasureImage, measure_image
from truehue.tabs.page.context import Context
from truehue.tabs.page.router import FeatureRouter

MAX_BYTES = 48 * 2**20
"""An image of some 32 MB and its mask, in base64."""
AT_ONCE = 2
"""Images that are measured at a time: a large one takes a gigabyte for a moment."""


def api_routes(context: Context) -> FeatureRouter:
    """The router of what programs call."""
    router = FeatureRouter(context, "/api")
    limiter = anyio.CapacityLimiter(AT_ONCE)
    router.post_json("/measure", MeasureImage, measure_image, MAX_BYTES, limiter=limiter)
    return router
