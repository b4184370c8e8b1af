"""Prompt sets behind the browser: search, marks, baskets, selections, files."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from truehue.core.errors import BadInput
from truehue.core.prompts.search import Query
from truehue.core.records import GenerationRecord
from truehue.tabs.library.routes import matching, search
from truehue.tabs.library.service import Library, prompt_json
from truehue.tabs.page.context import Context

pytestmark = pytest.mark.slow

RULE = "paper"
FILE = b"text,object,color\nA vivid red apple.,apple,l3:vivid red\n,,\nA blurple mug,mug,blurple\n"


@pytest.fixture
def library(context: Context) -> Library:
    return context.service(Library)


def drawn(context: Context, source: str, prompt_id: str) -> None:
    image = context.storage.images.add(np.zeros((2, 2, 3), np.uint8), "a", "generated")
    context.storage.drawings.add(
        GenerationRecord(
            text="x", model="m", image_id=image.image_id, prompt_source=source, prompt_id=prompt_id
        )
    )


def test_the_built_in_sets_are_there_with_their_counts(library: Library) -> None:
    counts = {item.id: item.count for item in library.sets()}
    assert counts["gencolorbench"] == 44_464
    assert counts["concepts"] == 2_558
    assert 5_000 < counts["mini"] < 10_000


def test_a_search_answers_with_rows_and_facets(context: Context) -> None:
    result = search(context, "gencolorbench", Query("vivid green", limit=5), True, RULE)
    assert result["of"] == 44_464
    assert 0 < result["total"] < 2_000
    assert len(result["rows"]) == 5
    assert all("green" in row["text"] for row in result["rows"])
    facets = {facet["name"]: facet["values"] for facet in result["facets"]}
    assert sum(value.count for value in facets["task"]) == result["total"]
    assert any(value.hex == "#23EAA5" for value in facets["color"])
    assert search(context, "gencolorbench", Query(), False, RULE)["facets"] == []


def test_all_that_match_can_be_taken(context: Context) -> None:
    query = Query("vivid green apple")
    used = matching(context, "gencolorbench", query, RULE)["items"]
    total = search(context, "gencolorbench", query, False, RULE)["total"]
    assert len(used) == total > 0
    refs = [[item["source"], item["id"]] for item in used]
    prompts, missing = context.service(Library).resolve(refs)
    assert [prompt.text for prompt in prompts] == [item["text"] for item in used]
    assert missing == []


def test_a_prompt_drawn_in_mini_is_drawn_in_the_full_set(context: Context) -> None:
    mini = context.service(Library).index("mini").prompts[7]
    before = search(context, "gencolorbench", Query(mini.id), True, RULE)
    assert [row["drawn"] for row in before["rows"] if row["id"] == mini.id] == [0]
    drawn(context, "gencolorbench", mini.id)
    for set_id in ("gencolorbench", "mini"):
        chosen = {"drawn": frozenset({"drawn"})}
        result = search(context, set_id, Query(chosen=chosen), True, RULE)
        assert [(row["id"], row["drawn"]) for row in result["rows"]] == [(mini.id, 1)]


def test_a_file_becomes_a_set_and_what_cannot_be_read_is_told(
    context: Context, tmp_path: Path
) -> None:
    file = tmp_path / "mine.csv"
    file.write_bytes(FILE)
    answer = context.service(Library).take_file(file, "mine.csv")
    assert answer["report"]["counts"][0] == (1, "prompt taken")
    (problems,) = answer["report"]["lists"]
    assert problems["total"] == answer["report"]["counts"][1][0] >= 1
    assert any("blurple" in text for text in problems["items"])
    (prompt,) = context.service(Library).index(answer["set_id"]).prompts
    assert prompt.targets[0].negative_labels[:2] == ("sticker", "wrap")
    assert prompt_json(prompt, {})["targets"][0]["color"] == "l3:Vivid red"
    again = context.service(Library).take_file(file, "mine.csv")
    assert again["set_id"] == answer["set_id"]
    assert [item.title for item in context.service(Library).sets() if item.imported] == ["mine.csv"]


def test_a_file_that_is_none_leaves_no_set(context: Context, tmp_path: Path) -> None:
    file = tmp_path / "picture.csv"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    with pytest.raises(BadInput):
        context.service(Library).take_file(file, "picture.csv")
    assert [item for item in context.service(Library).sets() if item.imported] == []


def test_a_selection_is_browsed_as_a_set_and_follows_its_newest_version(context: Context) -> None:
    ids = [prompt.id for prompt in context.service(Library).index("mini").prompts[:5]]
    save = context.storage.selections.save
    save("hard ones", [("mini", name) for name in ids[:3]])
    assert context.service(Library).selections() == [("hard ones", 3)]
    index = context.service(Library).index("selection:hard ones")
    assert [prompt.id for prompt in index.prompts] == ids[:3]
    assert context.service(Library).index("selection:hard ones") is index
    save("hard ones", [("mini", name) for name in ids])
    old = weakref.ref(index)
    del index
    assert len(context.service(Library).index("selection:hard ones").prompts) == 5
    gc.collect()
    # An index takes megabytes: that of a version that nobody can ask for any more is given back.
    assert old() is None
    drawn(context, "gencolorbench", ids[0])
    result = search(context, "selection:hard ones", Query(), False, RULE)
    assert [row["drawn"] for row in result["rows"]] == [1, 0, 0, 0, 0]


def test_what_is_not_there_is_named(library: Library) -> None:
    with pytest.raises(BadInput, match="no prompt set 'other'"):
        library.index("other")
    with pytest.raises(BadInput, match="no selection called 'x'"):
        library.index("selection:x")
    result, missing = library.resolve([("mini", "nothing"), ("other", "1")])
    assert (result, len(missing)) == ([], 2)
