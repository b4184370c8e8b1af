"""The only package that imports DuckDB and knows the file tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truehue.storage.store import Storage

__all__ = ["Storage"]


def __getattr__(name: str) -> Any:
    # DuckDB and Pillow are loaded by whoever asks for the Storage, not by every import.
    if name == "Storage":
        from truehue.storage.store import Storage

        return Storage
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
