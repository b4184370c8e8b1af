from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.empty_data import empty_data
from tests.storage.conftest import START
from tests.storage.samples import drawing, prompts
from truehue.core.errors import BadInput, NotStored
from truehue.core.prompts.prompt import ObjectTarget, Prompt
from truehue.storage import Storage

pytestmark = pytest.mark.slow

SHA = "ab" * 32


def test_a_set_comes_back_as_it_was(storage: Storage) -> None:
    values = (
        *prompts(3),
        Prompt("x", "käse\n'quoted' ΔE", "free", (ObjectTarget("cheese"),), source="elsewhere"),
        Prompt("y", "lonely beach", "concept", concept="beach", modifier="lonely", style="oil"),
    )
    report = {"problems": [{"line": 7, "why": "no prompt"}], "taken": 5}
    stored = storage.prompt_sets.add("Käse, 2nd try", values, "csv", "käse.csv", SHA, report)
    assert stored.set_id.startswith("kase-2nd-try-")
    assert len(stored.set_id) == len("kase-2nd-try-") + 8
    assert (stored.name, stored.kind, stored.file_name) == ("Käse, 2nd try", "csv", "käse.csv")
    assert (stored.sha256, stored.report, stored.prompt_count) == (SHA, report, 5)
    assert (stored.hidden, stored.created_at) == (False, START)
    assert storage.prompt_sets.get(stored.set_id) == stored
    assert storage.prompt_sets.all() == [stored]
    assert storage.prompt_sets.prompts(stored.set_id) == tuple(
        replace(prompt, source=stored.set_id) for prompt in values
    )
    assert storage.check() == []


def test_the_same_file_imported_twice_is_one_set(storage: Storage) -> None:
    first = storage.prompt_sets.add("one", prompts(3), "csv", "one.csv", SHA)
    assert storage.prompt_sets.add("two", prompts(3), "csv", "two.csv", SHA, {"new": 1}) == first
    others = [
        storage.prompt_sets.add("one", prompts(4), "csv", "one.csv", SHA),
        storage.prompt_sets.add("one", prompts(3), "jsonl", "one.csv", SHA),
        storage.prompt_sets.add("one", prompts(3), "csv", "one.csv", "cd" * 32),
    ]
    assert storage.prompt_sets.all() == [*others[::-1], first]
    assert len({record.set_id for record in storage.prompt_sets.all()}) == 4


def test_a_hidden_set_keeps_everything(storage: Storage) -> None:
    stored = storage.prompt_sets.add("mine", prompts(2), "text")
    storage.drawings.add(drawing(prompt_source=stored.set_id, prompt_id="cna_l3-1"))
    hidden = storage.prompt_sets.hide(stored.set_id)
    assert hidden == replace(stored, hidden=True)
    assert storage.prompt_sets.hide(stored.set_id) == hidden
    assert storage.prompt_sets.all() == []
    assert storage.prompt_sets.all(hidden=True) == [hidden]
    assert len(storage.prompt_sets.prompts(stored.set_id)) == 2
    assert storage.drawings.count(prompt=(stored.set_id, "cna_l3-1")) == 1
    for _ in range(2):
        assert storage.prompt_sets.add("again", prompts(2), "text") == stored
        assert storage.prompt_sets.all() == [stored]
    assert storage.prompt_sets.hide(stored.set_id).hidden
    assert storage._database.count("prompt_set_views") == 3
    assert storage.check() == []


def test_names_without_plain_letters_have_an_id_too(storage: Storage) -> None:
    for name in ("色", "'); DROP TABLE prompts; --", "x" * 200):
        stored = storage.prompt_sets.add(name, prompts(1), "text", sha256=name)
        assert storage.prompt_sets.get(stored.set_id).name == name
        assert set(stored.set_id) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert storage._database.count("prompts") == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": " "}, "name is empty"),
        ({"name": "x" * 201}, "201 characters.*at most 200"),
        ({"prompts": ()}, "holds no prompt"),
        ({"prompts": prompts(2) + prompts(1)}, "'cna_l3-1' appears twice"),
        ({"prompts": (Prompt("", "x", "free"),)}, "id of prompt 1 is empty"),
        ({"prompts": (Prompt("a", "\ud800", "free"),)}, r"prompt 1\.text holds a character"),
        ({"kind": ""}, "kind is empty"),
        ({"report": {"x": float("nan")}}, r"report\.x is nan"),
        ({"sha256": None}, "sha256 must be text"),
    ],
)
def test_what_cannot_be_stored_is_named(
    shared_storage: Storage, change: dict[str, Any], message: str
) -> None:
    values: dict[str, Any] = {"name": "a", "prompts": prompts(2), "kind": "csv"}
    with pytest.raises(BadInput, match=message):
        shared_storage.prompt_sets.add(**values | change)
    assert shared_storage.prompt_sets.all(hidden=True) == []
    assert shared_storage._database.count("prompts") == 0


def test_an_unknown_set_is_not_stored(storage: Storage) -> None:
    for call in (storage.prompt_sets.get, storage.prompt_sets.prompts, storage.prompt_sets.hide):
        with pytest.raises(NotStored, match="No prompt set is stored under 'none'"):
            call("none")


# As many as the benchmark has are stored at night.
@pytest.mark.parametrize("count", [3_000, pytest.param(44_464, marks=pytest.mark.nightly)])
def test_many_prompts_are_stored_in_their_order(data_dir: Path, count: int) -> None:
    values = prompts(count)
    with Storage.open(empty_data(data_dir)) as storage:
        set_id = storage.prompt_sets.add("all", values, "csv").set_id
    with Storage.open(data_dir) as storage:
        stored = storage.prompt_sets.prompts(set_id)
        assert len(stored) == count
        assert stored[::1000] == tuple(replace(p, source=set_id) for p in values[::1000])
        assert storage.check() == []
