"""The data folder: made, and tried whether it can be written."""

from __future__ import annotations

import secrets
from pathlib import Path

from core.errors import DataFolderError
from core.files import why_of


def prepare_folder(folder: Path | str) -> Path:
    """Make ``folder``, try that it can be written, and return its absolute path.

    Raises :class:`DataFolderError` where that cannot be done.
    """
    try:
        path = Path(folder).expanduser().resolve()
        path.mkdir(parents=True, exist_ok=True)
        # Permissions do not tell the truth everywhere (read-only mounts, network folders, the
        # administrator), so write something and see.
        trial = path / f".trial-{secrets.token_hex(8)}"
        trial.touch(exist_ok=False)
        trial.unlink()
    except (OSError, RuntimeError) as error:
        raise DataFolderError(
            f"The data folder {folder} cannot be used: {why_of(error)}. "
            "Choose a folder that you may write to, or change its permissions."
        ) from error
    return path
