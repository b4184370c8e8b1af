"""Whether the app works, as any stranger may ask: no path, no version, no account."""

from __future__ import annotations

from typing import Literal, TypedDict

from truehue.core.errors import DataFolderError, StorageError
from truehue.tabs.page.context import Context

GONE = "The data folder was deleted, moved or unmounted. Put it back, or start TrueHue again."
SILENT = "The database does not answer. Start TrueHue again."


class Health(TypedDict):
    """The app works."""

    status: Literal["ok"]


def health(context: Context) -> Health:
    """Whether the data folder is there and its database answers. Raises StorageError, in words that
    name no file: the page says more to people who sign in."""
    try:
        context.storage.require_answering()
    except DataFolderError:
        raise StorageError(GONE) from None
    except StorageError:
        raise StorageError(SILENT) from None
    return {"status": "ok"}
