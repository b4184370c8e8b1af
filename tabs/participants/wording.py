"""Texts of the participants' page, read from the page's own files, so that there is one list of them;
and the server's messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from truehue.annotation.studies.cases import Kind
from truehue.annotation.studies.plan import StudyPlan
from truehue.tabs.page.context import ROOT

FOLDER = ROOT / "assets" / "js" / "participants"
FILES = ("words", "vote_words", "coloring_words", "question_words")
_ENTRY = re.compile(r"^  (\w+):\s*'((?:[^'\\\n]|\\.)*)',$", re.MULTILINE)
_ENTRY_IN_QUOTES = re.compile(r'^  (\w+):\s*"((?:[^"\\\n]|\\.)*)",$', re.MULTILINE)


@cache
def load_wording(language: str) -> Mapping[str, str]:
    """The words of the page in a language, by name."""
    terms: dict[str, str] = {}
    for name in FILES:
        # English is in a module that is always loaded: it is there when another cannot be.
        file = f"{name}.js" if language == "en" else f"{name}_{language}.js"
        text = (FOLDER / file).read_text(encoding="utf-8")
        by_place = {
            entry.start(): (entry[1], re.sub(r"\\(.)", r"\1", entry[2]))
            for pattern in (_ENTRY, _ENTRY_IN_QUOTES)
            for entry in pattern.finditer(text)
        }
        terms |= dict(by_place[index] for index in sorted(by_place))
    return terms


def instruction(plan: StudyPlan, expected: int) -> str:
    """What a check of attention says: which place, letter or rating is to be chosen."""
    ratings = plan.kind is Kind.RATINGS
    name = "attention_rating" if ratings else "attention_place"
    text = (
        dict(plan.wording).get(name) or {**load_wording("en"), **load_wording(plan.language)}[name]
    )
    index = chr(ord("A") + expected) if plan.kind is Kind.QUESTIONS else expected + 1
    return text.replace("{n}", str(expected if ratings else index))
