"""The pages of docs/reference that are generated from the code: ``python -m tests.reference``.

``tests/test_reference.py`` says which of them is stale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.reference.api import api_page
from tests.reference.commands import commands_page
from tests.reference.database import database_page
from tests.reference.formats import formats_page

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "api.md": api_page,
    "database.md": database_page,
    "formats.md": formats_page,
}
"""The file of each page, and the function that makes its text."""
