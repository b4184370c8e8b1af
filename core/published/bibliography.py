"""The papers as entries of a BibTeX file."""

from __future__ import annotations

from collections.abc import Iterable

from core.published.records import Paper


def entry(paper: Paper) -> str:
    """One ``@misc`` entry, with only what is known of the paper."""
    fields = {
        "title": f"{{{paper.title}}}",
        "author": " and ".join(paper.authors),
        "year": str(paper.year or ""),
        "eprint": paper.arxiv,
        "archiveprefix": "arXiv" if paper.arxiv else "",
        "url": paper.url,
    }
    lines = [f"  {name} = {{{text}}}," for name, text in fields.items() if text]
    return "\n".join([f"@misc{{{paper.id},", *lines, "}"])


def entries(papers: Iterable[Paper]) -> str:
    """All entries, each paper once, ready to be written to a file."""
    return "".join(f"{entry(paper)}\n\n" for paper in dict.fromkeys(papers)).rstrip("\n") + "\n"
