"""The page's modules, as a page imports them."""

from __future__ import annotations

from truehue.tabs.page.asset_files import asset_files


def module(name: str) -> str:
    """The JavaScript expression of a promise of ``assets/js/<name>.js``."""
    return f"import('{asset_files().address(f'js/{name}.js')}')"


STORE = f"(await {module('shared/state')}).store"
"""The page's store, inside of an async function."""
