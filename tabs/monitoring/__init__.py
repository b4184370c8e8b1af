"""What whoever operates an app asks of it: is it well, and how much does it do and hold?"""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(id="monitoring", routers=("routes:monitoring_routes",))
