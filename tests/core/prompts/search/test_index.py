"""The search index against a plain reading of every prompt, and its orders, pages and facets."""

from __future__ import annotations

import re
import threading
import tracemalloc
import unicodedata
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truehue.core.color.systems import nearest_names, parse_target
from truehue.core.errors import BadInput
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.core.prompts.search import FACETS, SORTS, Page, PromptIndex, Query
from truehue.core.prompts.search.columns import Facet, PromptStatus, StatusColumn

pytestmark = pytest.mark.slow

RED, GREEN, BLUE, GRAY, HEX = (
    parse_target(text) for text in ("l3:Vivid red", "l2:Green", "css:blue", "css:gray", "#DC143C")
)


def prompt(number: int, text: str, *targets: ObjectTarget, **more: str) -> Prompt:
    task = more.pop("task", "cna")
    return Prompt(f"{task}-l3-{number:03}", text, task, targets, **more)


SET = (
    prompt(1, "A vivid yellowish green kite", ObjectTarget("kite", GREEN, category="Toys")),
    prompt(2, "A vivid green café", ObjectTarget("café", GREEN), system="l2", category="Toys"),
    prompt(3, "Kites: green, vivid", ObjectTarget("kite", BLUE), ObjectTarget("hat"), task="coa"),
    prompt(4, "A kite of #DC143C.", ObjectTarget("kite", HEX), task="ncu", notation="hex"),
    prompt(5, "The child's T-shirt", ObjectTarget("T-shirt", GRAY), source="mine"),
    prompt(6, "A lonely beach", task="concept", concept="beach", modifier="lonely"),
    prompt(
        7,
        "Two hats, red",
        ObjectTarget("hat", RED),
        ObjectTarget("hat", RED, role="reference"),
        task="ica",
        category="Clothes",
    ),
)
INDEX = PromptIndex(SET)


def numbers(text: str, index: PromptIndex = INDEX, **more: object) -> list[int]:
    query = Query(text, **more)  # type: ignore[arg-type]
    return [int(index.prompts[row].id[-3:]) for row in index.search(query).rows]


def facet(page: Page, name: str) -> Facet:
    return next(item for item in page.facets if item.name == name)


def counted(page: Page, name: str) -> dict[str, int]:
    return {value.value: value.count for value in facet(page, name).values}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", [1, 2, 3, 4, 5, 6, 7]),
        ("   ", [1, 2, 3, 4, 5, 6, 7]),
        ("vivid green", [1, 2, 3]),
        ("viv gre", [1, 2, 3]),
        ("GREEN Vivid", [1, 2, 3]),
        ("ivid", []),
        ('"vivid green"', [2]),
        ("“vivid green”", [2]),
        ('"vivid gre', [2]),
        ('"vivid gre"', []),
        ('"vivid yellowish green" kite', [1]),
        ("vivid -yellowish", [2, 3]),
        ("vivid -yellow", [1, 2, 3]),
        ('vivid -"vivid green"', [1, 3]),
        ("-kite", [2, 3, 5, 6, 7]),
        ("cafe", [2]),
        ("CAFÉ", [2]),
        ("cafe\u0301", [2]),
        ("child's", [5]),
        ("child’s t-shirt", [5]),
        ("tshirt", []),
        ("#dc143c", [4]),
        ("#DC1", [4]),
        ("DC143C", [4]),
        ("-#dc143c vivid", [1, 2, 3]),
        ("#808080", [5]),
        ("#0000ff", [3]),
        ("808080", [5]),
        ("ncu-l3-004", [4]),
        ("NCU-L3-0", [4]),
        ("cna-l3", [1, 2, 5]),
        ("ncu", []),
        ("- # . !", [1, 2, 3, 4, 5, 6, 7]),
        ("green beach", []),
        ("a", [1, 2, 4, 6]),
    ],
)
def test_what_a_text_finds(text: str, wanted: list[int]) -> None:
    assert numbers(text) == wanted


def test_exact_phrases_come_first_by_relevance() -> None:
    assert numbers("vivid green", sort="relevance") == [2, 1, 3]
    assert numbers("vivid gre", sort="relevance") == [2, 1, 3]
    assert numbers("hat", sort="relevance") == [7]
    assert numbers("kite", sort="relevance") == [1, 4, 3]
    assert numbers("", sort="relevance") == [1, 2, 3, 4, 5, 6, 7]


def test_orders() -> None:
    assert numbers("", sort="set", descending=True) == [7, 6, 5, 4, 3, 2, 1]
    assert numbers("", sort="text") == [4, 6, 2, 1, 3, 5, 7]
    # Objects alike stay in the order of the set either way, and what has none comes last.
    assert numbers("", sort="object") == [2, 7, 1, 3, 4, 5, 6]
    assert numbers("", sort="object", descending=True) == [5, 1, 3, 4, 7, 2, 6]
    # Red 24°, crimson 25°, green 167°, blue 306°, then gray; the beach has no color.
    assert numbers("", sort="hue") == [7, 4, 1, 2, 3, 5, 6]
    assert numbers("", sort="lightness") == [3, 7, 4, 5, 1, 2, 6]
    assert numbers("", sort="lightness", descending=True) == [1, 2, 5, 4, 7, 3, 6]
    assert numbers("", sort="task") == [1, 2, 5, 4, 3, 7, 6]
    shuffled = numbers("", sort="random")
    assert sorted(shuffled) == [1, 2, 3, 4, 5, 6, 7]
    assert shuffled == numbers("", PromptIndex(SET), sort="random")
    assert [row for row in shuffled if row < 4] == numbers("vivid", sort="random")
    assert len({tuple(numbers("", sort="random", seed=seed)) for seed in range(20)}) > 10


def test_many_random_orders_take_no_more_memory_than_a_few() -> None:
    index = PromptIndex([replace(SET[n % len(SET)], id=f"many-{n}") for n in range(5000)])

    def held_after(seeds: range) -> int:
        for seed in seeds:
            index.search(Query(sort="random", seed=seed))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        few, counted = held_after(range(100)), held_after(range(100, 300))
    finally:
        tracemalloc.stop()
    # Each order of 5,000 positions takes 20 kB.
    assert counted - few < 10 * 20_000


def test_facets_say_what_there_is() -> None:
    page = INDEX.search(Query())
    assert [item.name for item in page.facets] == list(FACETS)
    assert counted(page, "objects") == {"no object": 1, "one object": 4, "several objects": 2}
    tasks = [(value.value, value.label, value.count) for value in facet(page, "task").values]
    assert tasks[0] == ("cna", "Color name accuracy", 3)
    assert [task for task, _, _ in tasks] == ["cna", "ncu", "coa", "ica", "concept"]
    assert counted(page, "color") == {
        "l2:Green": 2,
        "#DC143C": 1,
        "css:blue": 1,
        "css:gray": 1,
        "l3:Vivid red": 1,
    }
    swatches = {value.label: value.hex for value in facet(page, "color").values}
    assert swatches["Vivid red"] == "#D51C3C"
    assert counted(page, "object") == {"kite": 3, "hat": 2, "café": 1, "T-shirt": 1}
    assert counted(page, "category") == {"Toys": 2, "Clothes": 1}
    assert counted(page, "level")["4 implicit"] == 1
    assert counted(page, "set") == {"mine": 1}
    assert counted(page, "drawn") == {"not drawn": 7}
    assert counted(page, "verdict") == {"no verdict": 7}
    assert not facet(page, "style").values
    useful = {item.name: item.useful for item in page.facets}
    assert useful["task"]
    assert not any(useful[name] for name in ("style", "set", "concept", "drawn", "verdict"))
    by_hue = facet(INDEX.search(Query(values_by="hue")), "color")
    assert [value.label for value in by_hue.values] == [
        "Vivid red",
        "#DC143C",
        "Green",
        "blue",
        "gray",
    ]


def test_a_name_of_two_systems_says_which() -> None:
    both = tuple(
        prompt(number, "A kite", ObjectTarget("kite", parse_target(f"{system}:pink")))
        for number, system in enumerate(("css", "l2", "l2"))
    )
    labels = {value.label for value in facet(PromptIndex(both).search(Query()), "color").values}
    assert labels == {"pink", "Pink"}
    again = (*both, prompt(9, "A kite", ObjectTarget("kite", parse_target("l1:Pink"))))
    labels = {value.label for value in facet(PromptIndex(again).search(Query()), "color").values}
    assert labels == {"pink", "Pink (L2)", "Pink (L1)"}


def test_a_facet_counts_without_its_own_choice() -> None:
    chosen = {"task": frozenset({"cna"}), "object": frozenset({"kite", "hat"})}
    page = INDEX.search(Query(chosen=chosen))
    assert (page.total, page.rows) == (1, (0,))
    assert counted(page, "task") == {"cna": 1, "ncu": 1, "coa": 1, "ica": 1}
    assert counted(page, "object") == {"kite": 1, "café": 1, "T-shirt": 1, "hat": 0}
    assert counted(page, "color") == {"l2:Green": 1}
    assert facet(page, "task").useful


def test_a_choice_that_is_not_there_stays_listed() -> None:
    page = INDEX.search(Query(chosen={"color": frozenset({"l3:Gone"}), "task": frozenset()}))
    assert (page.total, page.rows) == (0, ())
    assert counted(page, "color")["l3:Gone"] == 0
    assert sum(counted(page, "color").values()) == 6


def test_marks() -> None:
    marks = INDEX.marks(
        {
            "cna-l3-001": PromptStatus(2, 0, "fail"),
            "cna-l3-002": PromptStatus(1, 1, ""),
            "coa-l3-003": PromptStatus(0, 3, ""),
            "ncu-l3-004": PromptStatus(1, 0, "pass"),
            "ica-l3-007": PromptStatus(1, 0, "unscored"),
            "other-set": PromptStatus(1, 0, "pass"),
        }
    )
    page = INDEX.search(Query(), marks)
    assert counted(page, "drawn") == {"drawn": 4, "not drawn": 3}
    assert counted(page, "verdict") == {"pass": 1, "fail": 1, "unscored": 1, "no verdict": 4}
    failed = Query(chosen={"verdict": frozenset({"fail", "unscored"})})
    assert INDEX.matching(failed, marks).tolist() == [0, 6]
    assert INDEX.search(failed).total == 0
    query = Query("vivid", chosen={"drawn": frozenset({"drawn"})})
    assert INDEX.search(query, marks).rows == (0, 1)
    # New marks are new results, whatever was found before.
    assert INDEX.search(query, INDEX.marks({"coa-l3-003": PromptStatus(1, 0, "")})).rows == (2,)
    with pytest.raises(BadInput, match="no verdict"):
        INDEX.marks({"cna-l3-001": PromptStatus(1, 0, "maybe")})


def test_ids_of_two_sets_and_none_at_all() -> None:
    twice = PromptIndex([*SET, SET[0]])
    assert twice.positions("cna-l3-001") == (0, 7)
    assert twice.positions("none") == ()
    marked = twice.marks({"cna-l3-001": PromptStatus(1, 0, "pass")})
    assert np.flatnonzero(marked.drawn).tolist() == [0, 7]
    nothing = PromptIndex([])
    page = nothing.search(Query("a", sort="hue"))
    assert (len(nothing), page.total, page.rows) == (0, 0, ())
    assert [item.values for item in page.facets] == [()] * len(FACETS)
    for sort in SORTS:
        assert nothing.matching(Query(sort=sort)).tolist() == []


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (Query(sort="size"), "no order"),
        (Query(offset=-1), "begins at 0"),
        (Query(limit=-1), "0 or more rows"),
        (Query(chosen={"shape": frozenset({"x"})}), "no facet"),
        (Query(values_by="name"), "by count or by hue"),
        (Query("x" * 1_001), "1,001"),
    ],
)
def test_wrong_queries_are_refused(query: Query, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        INDEX.search(query)


def test_pages_beyond_the_end_are_empty() -> None:
    assert INDEX.search(Query(offset=5, limit=50)).rows == (5, 6)
    assert INDEX.search(Query(offset=7)).rows == ()
    assert INDEX.search(Query(limit=0)).total == 7


def test_a_copy_is_given_out() -> None:
    first = INDEX.matching(Query("vivid"))
    first[:] = 0
    assert INDEX.matching(Query("vivid")).tolist() == [0, 1, 2]


def test_many_at_once_get_what_one_gets() -> None:
    queries = [Query(text, sort=sort) for text in ("", "vivid", "kite", "a") for sort in SORTS]
    wanted = [PromptIndex(SET).search(query) for query in queries]
    fresh, got = PromptIndex(SET), list[list[Page]]()
    threads = [
        threading.Thread(target=lambda: got.append([fresh.search(query) for query in queries]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [wanted] * 8


# The same questions, answered by reading every prompt.

WORDS = ["a", "ab", "abc", "red", "re", "Green", "green's", "é", "e", "#dc143c", "x-y", "12"]
COLORS = [RED, GREEN, BLUE, GRAY, HEX, parse_target("css:crimson"), parse_target("#dc143d")]
PROMPTS = st.lists(
    st.builds(
        lambda text, task, targets, system, category, template: (
            " ".join(text),
            task,
            tuple(targets),
            system,
            category,
            template,
        ),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
        st.sampled_from(["cna", "moc", "free"]),
        st.lists(
            st.builds(
                ObjectTarget,
                st.sampled_from(["kite", "Hat", "hat"]),
                st.none() | st.sampled_from(COLORS),
                category=st.sampled_from(["", "Toys"]),
            ),
            max_size=3,
        ),
        st.sampled_from(["", "l2", "l3"]),
        st.sampled_from(["", "Toys", "Tools"]),
        st.sampled_from(["", "D.1.2", "D.1.10"]),
    ),
    max_size=12,
).map(
    lambda rows: tuple(
        Prompt(f"p{n}-{n % 3}", text, task, targets, system, category=category, template=template)
        for n, (text, task, targets, system, category, template) in enumerate(rows)
    )
)
TYPED = st.lists(
    st.builds(
        lambda minus, quote, text: f"{minus}{quote}{' '.join(text)}{quote}",
        st.sampled_from(["", "", "-"]),
        st.sampled_from(["", "", '"']),
        st.lists(st.sampled_from([*WORDS, "r", "#dc1", "DC143C", "p1-1", "p"]), max_size=2),
    ),
    max_size=3,
).map(" ".join)
CHOSEN = st.fixed_dictionaries(
    {},
    optional={
        "task": st.frozensets(st.sampled_from(["cna", "moc"])),
        "objects": st.frozensets(st.sampled_from(["no object", "several objects"])),
        "color": st.frozensets(st.sampled_from([color.value for color in COLORS]), max_size=2),
        "hue": st.frozensets(st.sampled_from(["Red", "Green", "Gray"])),
        "category": st.frozensets(st.sampled_from(["Toys", "Tools"])),
        "object": st.frozensets(st.sampled_from(["hat", "kite"])),
        "verdict": st.frozensets(st.sampled_from(["pass", "no verdict"])),
    },
)


def plain_words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.replace("'", "")).casefold()
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return re.findall(r"[^\W_]+", plain)


def values_of(item: Prompt, mark: PromptStatus | None) -> dict[str, set[str]]:
    colors = [target.color for target in item.targets if target.color]
    counted = ("no object", "one object", "several objects")[min(len(item.targets), 2)]
    return {
        "set": {item.source} - {""},
        "task": {item.task},
        "objects": {counted},
        "system": {item.system} - {""},
        "color": {color.value for color in colors},
        "hue": {nearest_names(color.lab, "l1", 1)[0][0].name for color in colors},
        "category": {item.category, *(target.category for target in item.targets)} - {""},
        "object": {target.name for target in item.targets},
        "level": {item.level} - {""},
        "template": {item.template} - {""},
        "drawn": {"drawn" if mark and mark.drawn else "not drawn"},
        "verdict": {(mark.verdict if mark else "") or "no verdict"},
    }


def holds(item: Prompt, text: str) -> bool:
    message = plain_words(item.text)
    hexes = {target.color.hex.lower() for target in item.targets if target.color}
    hexes |= {result.lower() for result in re.findall(r"#[0-9A-Fa-f]{6}", item.text)}
    for minus, quoted, closed, plain in re.findall(r'(-?)"([^"]*)("?)|(\S+)', text):
        if plain:
            excluded = plain[0] == "-" and len(plain) > 1
            typed = (plain[1:] if excluded else plain).lower()
            wanted = plain_words(typed)
            if not wanted:
                continue
            if re.fullmatch("#[0-9a-f]{1,6}", typed):
                good = any(
                    value == typed if excluded else value.startswith(typed) for value in hexes
                )
            elif excluded:
                good = all(word in message for word in wanted)
            else:
                good = all(any(word.startswith(start) for word in message) for start in wanted)
                good |= f"#{typed}" in hexes or item.id.lower() == typed
                looks = any(map(str.isalpha, typed)) and not typed.isalpha()
                good |= looks and item.id.lower().startswith(typed)
        else:
            excluded = bool(minus)
            wanted = plain_words(quoted)
            if not wanted:
                continue
            line, phrase = f" {' '.join(message)} ", f" {' '.join(wanted)}"
            good = f"{phrase} " in line if closed or excluded else phrase in line
        if good == excluded:
            return False
    return True


@settings(deadline=None, max_examples=150)
@given(
    prompts=PROMPTS,
    text=TYPED,
    chosen=CHOSEN,
    sort=st.sampled_from(sorted(SORTS)),
    descending=st.booleans(),
    limit=st.integers(1, 5),
    verdict=st.sampled_from(["", "pass", "fail"]),
)
def test_the_index_answers_as_reading_every_prompt_does(
    prompts: tuple[Prompt, ...],
    text: str,
    chosen: dict[str, frozenset[str]],
    sort: str,
    descending: bool,
    limit: int,
    verdict: str,
) -> None:
    index = PromptIndex(prompts)
    provided = {item.id: PromptStatus(1, 0, verdict) for item in prompts[::2]}
    marks: StatusColumn = index.marks(provided)
    values = [values_of(item, provided.get(item.id)) for item in prompts]

    def kept(row: int, without: str = "") -> bool:
        return holds(prompts[row], text) and all(
            values[row][name] & wanted
            for name, wanted in chosen.items()
            if wanted and name != without
        )

    wanted = [row for row in range(len(prompts)) if kept(row)]
    rows: list[int] = []
    query = Query(text, chosen, sort, descending, limit=limit)
    while True:
        page = index.search(Query(text, chosen, sort, descending, len(rows), limit), marks)
        assert page.total == len(wanted)
        if not page.rows:
            break
        rows += page.rows
    # Every match exactly once over all pages, and the same as all at once.
    assert sorted(rows) == wanted
    assert index.matching(query, marks).tolist() == rows
    assert PromptIndex(prompts).matching(query, index.marks(provided)).tolist() == rows
    if sort == "set":
        assert rows == sorted(wanted, reverse=descending)
    page = index.search(query, marks)
    for entry in page.facets:
        expected = Counter(
            value
            for row in range(len(prompts))
            if kept(row, entry.name)
            for value in values[row].get(entry.name, ())
        )
        for value in chosen.get(entry.name, ()):
            expected.setdefault(value, 0)
        assert {value.value: value.count for value in entry.values} == dict(expected), entry.name


def test_words_that_name_a_filter_or_are_misspelled_are_told() -> None:
    target = ObjectTarget("apple", None, (), "main", "Fruits and vegetables")
    index = PromptIndex(
        [
            Prompt("1", "A purple apple", "free", (target,)),
            Prompt("2", "A green apple", "free", (target,)),
            Prompt("3", "A purple fruit bowl", "free"),
        ]
    )
    instead, (first, *_) = index.suggestions(Query(text="purple fruit"))
    assert instead == ""
    assert (first.facet, first.value, first.rest, first.count) == (
        "category",
        "Fruits and vegetables",
        "purple",
        1,
    )
    assert index.suggestions(Query(text="purpel"))[0] == "purple"
    assert index.suggestions(Query(text="purpel apple -green"))[0] == "purple apple -green"
    assert index.suggestions(Query(text="qqqqq")) == ("", ())
    assert index.suggestions(Query(text="")) == ("", ())
    chosen = {"category": frozenset({"Fruits and vegetables"})}
    assert index.suggestions(Query(text="fruits", chosen=chosen))[1] == ()
