"""The documentation is written for a reader: each page says for whom it is, in short sentences."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
PARTS = ("tutorial", "guides", "reference", "science")
MAX_MEAN_WORDS = 20
MAX_README_LINES = 120


def paragraphs(text: str) -> list[str]:
    """The prose of a page: no front matter, code, tables, headings, images or link-only items."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    text = re.sub(r"^ *(`{3,}).*?^ *\1 *$", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^(\||#|!\[|:::).*$", "\n", text, flags=re.MULTILINE)
    # A list's item is a paragraph of its own, and so is every other block.
    blocks = re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.) +", text, flags=re.MULTILINE)
    prose = (" ".join(block.split()) for block in blocks)
    return [item for item in prose if item and not re.fullmatch(r"\[[^]]*\]\([^)]*\)[.,;]?", item)]


def sentences(text: str) -> list[str]:
    """The sentences of a page's prose."""
    out = []
    for paragraph in paragraphs(text):
        plain = re.sub(r"\]\([^)]*\)", "]", paragraph)
        out += re.split(r"(?<=[.!?])[\"”*)_\]]*\s+(?=[\"“*(_`\[]*[A-Z0-9`λΔ])", plain)
    return out


def words(sentence: str) -> int:
    return sum(any(letter.isalnum() for letter in word) for word in sentence.split())


def mean_text(text: str) -> float:
    counts = [count for sentence in sentences(text) if (count := words(sentence))]
    return sum(counts) / len(counts)


def test_sentences_are_counted_as_a_reader_counts_them() -> None:
    page = (
        "---\nkey: one. Two. three.\n---\n\n# A title. With a stop\n\n"
        "One two three. *Four* five!\nSix [seven](a/b.md) ≥ 8.5 nine.\n\n"
        "| a table. | B. |\n|---|---|\n\n```\ncode. Code.\n```\n\n"
        "- [Only a link](x.md)\n- An item with `code`. It has two.\n1. Third item\n"
    )
    assert [words(sentence) for sentence in sentences(page)] == [3, 2, 4, 4, 3, 2]
    assert mean_text(page) == 3


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_for_whom_it_is_and_what_it_answers(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    start = re.match(r"# [^\n]+\n\n(.+?)\n\n", text + "\n\n", flags=re.DOTALL)
    assert start, "A page begins with its title and one paragraph."
    assert re.fullmatch(r"\*\*For:\*\* .+\. \*\*Answers:\*\* .+[.?]", " ".join(start[1].split()))


@pytest.mark.parametrize("page", ["../README.md", *PAGES])
def test_sentences_are_short(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    longest = sorted(sentences(text), key=words)[-3:]
    assert mean_text(text) < MAX_MEAN_WORDS, longest


def headings(text: str) -> set[str]:
    """The anchors of a page, as GitHub and Sphinx make them of its headings."""
    findall = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", item).strip().lower().replace(" ", "-") for item in findall}


@pytest.mark.parametrize("page", ["../README.md", *PAGES])
def test_links_into_pages_meet_a_heading(page: str) -> None:
    path = DOCS / page
    links = re.findall(r"\]\(([^):]*?)#([^)]+)\)", path.read_text(encoding="utf-8"))
    for link, anchor in links:
        target = path if not link else path.parent / link
        if target.exists():
            assert anchor in headings(target.read_text(encoding="utf-8")), (link, anchor)


def test_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MAX_README_LINES


def test_pages_lie_in_four_parts() -> None:
    stray = [page for page in PAGES if page.partition("/")[0] not in PARTS]
    assert stray in ([], ["index.md"])


NAMES = (
    "annotation/studies/presets.py",
    "core/generation/renderer/failures.py",
    "core/scores/measures.py",
)
"""Modules outside of ``assets`` and ``tabs`` whose names the page shows."""
NO_LABELS = frozenset(
    {"not", "these", "other", "other people", "this model"}  # stressed words
    | {"ink", "region", "closing", "actions", "layer", "sketch", "measure"}  # terms where defined
    | {"behind it", "cannot be told from it"}  # ends of sentences that are put together
    | {"published", "unreadable"}  # marks in tables and files
)
"""What tutorials and guides set in italics though it is no label of the page."""


def page_text() -> str:
    """The sources of the page, where a label is a string or the text of an element."""
    pages = (ROOT / "assets/html").rglob("*.html")
    sources = (
        *(ROOT / "assets/js").rglob("*.js"),
        ROOT / "assets/languages/en.json",
        *(ROOT / "tabs").rglob("*.py"),
    )
    texts = [plain(unescape(page.read_text(encoding="utf-8"))) for page in pages]
    texts += [path.read_text(encoding="utf-8") for path in (*sources, *map(ROOT.joinpath, NAMES))]
    return "\n".join(texts).replace("’", "'")


def plain(text: str) -> str:
    return " ".join(text.split())


def is_label(label: str, text: str) -> bool:
    """Whether a string or an element of ``text`` is this label, or has more behind a stop. A label
    that ends in `` …`` is the start of one."""
    start, bare = -1, label.removesuffix(" …")
    while (start := text.find(bare, start + 1)) >= 0:
        end = start + len(bare)
        before = text[max(start - 2, 0) : start].rstrip()[-1:]
        after = text[end : end + 2].lstrip()[:1]
        if before in "\"'`>}" and (bare != label or after in "\"'`<:.,(…"):
            return True
    return False


def labels(page: str) -> set[str]:
    """What a page sets in italics, outside of code."""
    text = re.sub(r"^ *(`{3,}).*?^ *\1 *$", "", page, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"`[^`]*`", "``", text)
    found = re.findall(r"(?<![*\\])\*(?![*\s])([^*|]+?)(?<![\\\s])\*(?!\*)", text)
    return {plain(item) for item in found}


GUIDED = [page for page in PAGES if page.startswith(("tutorial/", "guides/"))]


def test_labels_of_the_pages_are_those_of_the_app() -> None:
    text = page_text()
    used = {page: labels((DOCS / page).read_text(encoding="utf-8")) for page in GUIDED}
    assert set().union(*used.values()) >= NO_LABELS
    assert [
        (page, label)
        for page, named in used.items()
        for label in sorted(named - NO_LABELS)
        if not is_label(label, text)
    ] == []


def test_a_label_is_a_whole_text_of_the_page() -> None:
    page = "Press *Open it*, then *Save* (`a * b`), in *a\\*b\\** **not** *two\nlines*.\n```\n*no*\n```\n"
    assert labels(page) == {"Open it", "Save", "two lines"}
    text = "<b>Open it</b> put('Save…') ('Keep the rest by ' + name)"
    assert is_label("Open it", text)
    assert is_label("Save", text)
    assert is_label("Keep the rest by …", text)
    assert not is_label("Keep", text)
    assert not is_label("it", text)
