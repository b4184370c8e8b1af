"""What widgets begin as: files that are there, belong to a script, and take values as text."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from truehue.core.generation.weights.sources import Sources
from truehue.tabs.colorize.tab import template as colorize
from truehue.tabs.compare.tab import people_html
from truehue.tabs.compare.tables import frame
from truehue.tabs.generate.tab import template as generate
from truehue.tabs.inspect.tab import form_html
from truehue.tabs.page import templates
from truehue.tabs.page.context import ROOT
from truehue.tabs.page.templates import html

NAMES = sorted(
    path.relative_to(templates.FOLDER).with_suffix("").as_posix()
    for path in templates.FOLDER.rglob("*.html")
)
ANALYSES = ("tables", "modifiers", "guidance")
FILLED = {f"compare/{name}": lambda name=name: frame.template(name) for name in ANALYSES} | {
    "colorize/colorize": colorize,
    "compare/people": people_html,
    "generate/generate": generate,
    "generate/request": generate,  # which includes it
    "inspect/form": lambda: form_html(Sources()),
}
# One that others extend, the page's head, and elements for parts: no widget begins as they are.
NO_WIDGETS = ("compare/analysis", "page/head", "page/parts")
# Several parts in one, each with a script of its own.
JOINED = ("generate/generate", "page/page")
# Whole pages of their own, which bring no widget.
WHOLE_PAGES = ("accounts/", "participants/", "studies/publication", "studies/review")
VOID = frozenset({"input", "img", "br", "path", "circle"})


class Open(HTMLParser):
    """The elements that are open, from the outermost on."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.names.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.names.pop() == tag


@pytest.mark.parametrize(
    "name", [item for item in NAMES if item not in NO_WIDGETS and not item.startswith(WHOLE_PAGES)]
)
def test_every_file_is_whole_and_belongs_to_a_script(name: str) -> None:
    assert name in JOINED or (ROOT / f"assets/js/{name}.js").is_file()
    text = FILLED[name]() if name in FILLED else html(name)
    parser = Open()
    parser.feed(text)
    parser.close()
    assert parser.names == []
    assert text == text.strip()
    assert "{{" not in text
    assert "{%" not in text


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(templates, "FOLDER", tmp_path)
    templates._files.cache_clear()
    yield tmp_path
    templates._files.cache_clear()


def test_values_are_text_and_none_may_be_missing(folder: Path) -> None:
    (folder / "a.html").write_text('<p title="{{ words }}">{{ words }}</p>\n', encoding="utf-8")
    assert html("a", words='<b> "') == '<p title="&lt;b&gt; &#34;">&lt;b&gt; &#34;</p>'
    with pytest.raises(UndefinedError, match="words"):
        html("a")


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "b.html").write_text('{% extends "c.html" %}', encoding="utf-8")
    with pytest.raises(FileNotFoundError, match=r"assets/html/none\.html of the page is missing"):
        html("none")
    with pytest.raises(FileNotFoundError, match=r"assets/html/c\.html"):
        html("b")
