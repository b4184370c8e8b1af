"""``python -m tests.reference``: writes the generated pages of docs/reference."""

from tests.reference import FOLDER, PAGES

for name, page in PAGES.items():
    (FOLDER / name).write_text(page(), encoding="utf-8")
