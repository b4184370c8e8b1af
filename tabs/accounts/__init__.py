"""Accounts: passwords, sessions, and the guard of all routes that need a sign-in."""

from __future__ import annotations

from truehue.tabs.feature import Feature

FEATURE = Feature(
    id="accounts",
    services=("control:Control.of",),
    routers=("routes:account_routes",),
    commands={"admin": ("truehue.tabs.command.admin", "accounts of those who sign in")},
)
