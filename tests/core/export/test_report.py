"""The report's template: text stays text, charts stand together, and data ends no script."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from truehue.core.export.report import (
    Block,
    Cell,
    Chart,
    Code,
    Facts,
    FailureExample,
    FailureExamples,
    Paragraph,
    Report,
    Section,
    Table,
    report_html,
)

HOSTILE = """</script><b title='x' class="y">&amp; – ü"""
SHOT = FailureExample(b"\x89PNG", "", HOSTILE, HOSTILE, HOSTILE, "#aaBB01", "red", HOSTILE, HOSTILE)
TABLE = Table(
    HOSTILE, (HOSTILE,), ((Cell(HOSTILE, HOSTILE), Cell("1", words=True)),), HOSTILE, HOSTILE
)
DRAWN = Chart(HOSTILE, HOSTILE, {"data": [{"name": HOSTILE}]}, source=HOSTILE)
EMPTY = Chart("nothing", "", None, "too few")


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page_of(*blocks: Block) -> str:
    """A report of one section, without plotly's own script."""
    report = Report(HOSTILE, HOSTILE, (Section(HOSTILE, blocks),))
    return re.sub(
        r'<script(?: type="module")?>.*?</script>',
        "",
        "".join(report_html(report)),
        flags=re.DOTALL,
    )


def test_text_is_text_in_every_part() -> None:
    blocks = (
        Paragraph(HOSTILE),
        Facts(((HOSTILE, HOSTILE),)),
        TABLE,
        FailureExamples(HOSTILE, (SHOT,)),
    )
    page = Elements(page_of(*blocks, Code(HOSTILE)))
    # Title, heading and line below; section; words; fact; table; pictures; code.
    assert page.texts.count(HOSTILE) == 3 + 1 + 1 + 2 + 5 + 5 + 1
    assert [attributes["alt"] for tag, attributes in page.tags if tag == "img"] == [HOSTILE]
    swatches = [attributes for tag, attributes in page.tags if tag == "i"]
    assert swatches == [
        {"title": "target: #aaBB01", "style": "background:#aaBB01"},
        {"class": "none", "title": "measured: nothing"},
    ]
    policy = page.tags[3][1]["content"]
    assert policy is not None
    assert "script-src 'none';" in policy


def test_charts_that_follow_each_other_stand_together_and_are_counted() -> None:
    text = page_of(EMPTY, DRAWN, Paragraph("between"), DRAWN)
    page = Elements(text)
    kinds = [attributes.get("class") for tag, attributes in page.tags if tag == "div"]
    assert kinds == ["charts", "chart", "chart", "plot", "charts", "chart", "plot"]
    assert re.findall(r'data-figure="([^"]+)"', text) == ["figure-2", "figure-3"]
    assert '"name":"\\u003c/script>\\u003cb title=' in text
