"""Signing in: passwords, sessions, and the guard before everything that is not for strangers."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(
    id="accounts",
    services=("control:Control.of",),
    routers=("routes:account_routes",),
    commands={"admin": ("truehue.tabs.command.admin", "accounts of those who sign in")},
)
