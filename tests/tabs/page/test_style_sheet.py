"""The style sheet as Gradio would write it."""

from __future__ import annotations

import re

import pytest

from truehue.tabs.page.asset_files import (
    SHEETS,
    TAB_SHEETS,
    rules,
    sheets,
    stronger,
    style_sheet,
    written_twice,
)
from truehue.tabs.page.context import ROOT

WITHIN = ".w .contain"


def test_rules_are_read_with_their_blocks() -> None:
    text = "/* a { */ .a, .b { color: red }\n@media (x) { .c { top: 0; } .d { left: 0 } }"
    assert list(rules(text)) == [
        (".a, .b", "color: red"),
        ("@media (x)", ".c { top: 0; } .d { left: 0 }"),
    ]
    with pytest.raises(ValueError, match="does not end"):
        list(rules(".a { color: red"))


def test_each_selector_is_written_once_more_below_the_page_s_own() -> None:
    (rule,) = written_twice(".a, .b { color: red }", WITHIN)
    assert rule == ".a, .b,.w .contain .a, .w .contain .b{color: red}"


def test_a_comma_in_brackets_cuts_no_list() -> None:
    (rule,) = written_twice(".a:is(.b:not(.c), .d) i, .e { top: 0 }", WITHIN)
    strong = ".w .contain .a:is(.b:not(.c), .d) i, .w .contain .e"
    assert rule == ".a:is(.b:not(.c), .d) i, .e," + strong + "{top: 0}"


def test_rules_of_media_and_of_the_dark_page_are_as_gradio_has_them() -> None:
    (rule,) = written_twice("@media (max-width: 1px) { .a { top: 0 } }", WITHIN)
    assert rule == "@media (max-width: 1px){.w .contain .a{top: 0}}"
    assert stronger("body.dark .a", WITHIN) == ".dark .w .contain body .a"
    assert list(written_twice("@keyframes k { to { top: 0 } }", WITHIN)) == [
        "@keyframes k{to { top: 0 }}"
    ]


def test_a_rule_of_media_holds_whatever_its_selector_is() -> None:
    """It has no plain form: begun above the page's ``.contain`` it would never hold."""

    def within_media(selectors: str) -> str:
        (rule,) = written_twice(f"@media (x) {{ {selectors} {{ top: 0 }} }}", WITHIN)
        return rule.removeprefix("@media (x){").removesuffix("{top: 0}}")

    assert within_media(".gradio-container:has(.a) #b") == ".w.gradio-container:has(.a) #b"
    assert within_media("body > .a, .b") == "body > .a, .w .contain .b"
    assert within_media("html[lang] .a, :root") == "html[lang] .a, :root"
    assert within_media(".dark .a") == ".dark .w .contain .a"
    assert within_media(".a:is(.b, .c) > :not(.d, .e), .f") == (
        ".w .contain .a:is(.b, .c) > :not(.d, .e), .w .contain .f"
    )
    assert within_media(".gradio-container-wide, bodyguard") == (
        ".w .contain .gradio-container-wide, .w .contain bodyguard"
    )


def test_every_sheet_is_the_page_s_or_the_picker_s() -> None:
    assert len(set(SHEETS)) == len(SHEETS)
    of_tabs = {name for names in TAB_SHEETS.values() for name in names}
    assert of_tabs.isdisjoint(SHEETS)
    folder = ROOT / "assets/css"
    # These have pages of their own, which load no workbench.
    own_pages = {"studies/publication", "studies/review"}
    local = {
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.css")
        if path.parent.name not in ("accounts", "participants")
    }
    assert {*SHEETS, *of_tabs, "picker/picker", *own_pages} == local


def classes(text: str) -> set[str]:
    """Our classes that a text names."""
    return set(re.findall(r"\bth-[\w-]+", text))


def test_a_tab_uses_no_class_of_another_tab_s_sheets() -> None:
    """It would look as it should only behind that tab. The tour looks for parts of all tabs."""
    own = {tab: classes("".join(sheets(names))) for tab, names in TAB_SHEETS.items()}
    in_tabs = set().union(*own.values()) - classes("".join(sheets(SHEETS)))
    for folder in ("js", "html"):
        for path in (ROOT / "assets" / folder).rglob(f"*.{folder}"):
            tab = path.relative_to(ROOT / "assets" / folder).parts[0]
            if tab not in ("participants", "canvas") and path.name != "tour.js":
                used = classes(path.read_text(encoding="utf-8"))
                assert used & in_tabs - own.get(tab, set()) == set(), path


def test_the_page_s_sheets_are_all_in_it() -> None:
    texts = sheets(SHEETS)
    made = style_sheet(texts)
    assert made.count("{") == made.count("}")
    assert re.search(r"\.gradio-container\.gradio-container-\d+-\d+-\d+ \.contain \.th-stage", made)
    assert sum(text.count("@media") for text in texts) == made.count("@media")
