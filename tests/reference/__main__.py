"""``python -m tests.reference``: writes what of the documentation is generated."""

from tests.reference import PAGES, ROOT

for name, page in PAGES.items():
    (ROOT / name).write_text(page(), encoding="utf-8")
