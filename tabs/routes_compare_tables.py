"""HTTP routes of Compare."""

from __future__ import annotations

from fastapi import APIRouter

from tabs.context import Context


def compare_tables_routes(context: Context) -> APIRouter:
    """The router; errors are ``{"error": text}`` with a 4xx status."""
    return APIRouter(prefix="/api/compare/analyses")
