"""What of docs is generated from the code: ``python -m tests.reference``.

The pages of docs/reference but those on testing and on colorings, llms.txt, the types of what the
scripts send and get, and requirements.txt.
``tests/test_reference.py`` says which of them is stale.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.reference.api import api_page
from tests.reference.commands import commands_page
from tests.reference.database import database_page
from tests.reference.formats import formats_page
from tests.reference.llms import llms_page
from tests.reference.requirements import requirements_list
from tests.reference.types import types_page

ROOT = Path(__file__).resolve().parents[2]
PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/commands.md": commands_page,
    "docs/reference/api.md": api_page,
    "docs/reference/database.md": database_page,
    "docs/reference/formats.md": formats_page,
    "llms.txt": llms_page,
    "assets/js/api.d.ts": types_page,
    "requirements.txt": requirements_list,
}
"""The file of each page, and the function that makes its text."""
