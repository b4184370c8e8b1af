from __future__ import annotations

from pathlib import Path

import pytest

from tests.storage.conftest import START
from truehue.core.errors import BadInput, NotStored
from truehue.storage import Storage

pytestmark = pytest.mark.slow

REFS = (("gencolorbench", "cna-1"), ("mini", "cna-1"), ("", "free-1"))


def test_a_selection_comes_back_in_its_order(storage: Storage) -> None:
    stored = storage.selections.save("  my café ", [*REFS, REFS[0]])
    assert (stored.name, stored.version, stored.refs) == ("my café", 1, REFS)
    assert stored.created_at == START
    assert storage.selections.all() == [stored]
    assert storage.selections.get("my cafe\u0301") == stored


def test_saving_again_adds_a_version(storage: Storage) -> None:
    first = storage.selections.save("a", REFS)
    other = storage.selections.save("b", REFS[:1])
    assert storage.selections.save("a", REFS) == first
    second = storage.selections.save("a", REFS[::-1])
    assert (second.version, second.refs) == (2, REFS[::-1])
    assert storage.selections.all() == [second, other]
    third = storage.selections.save("a", REFS)
    assert (third.version, third.refs) == (3, REFS)
    assert storage._database.count("selections") == 4


def test_removing_keeps_the_versions(storage: Storage, data_dir: Path) -> None:
    storage.selections.save("a", REFS)
    save = storage.selections.save("b", REFS)
    storage.selections.remove(" a ")
    assert storage.selections.all() == [save]
    for call in (storage.selections.remove, storage.selections.get):
        with pytest.raises(NotStored, match="under the name 'a'"):
            call("a")
    again = storage.selections.save("a", REFS)
    assert again.version == 3
    storage.close()
    with Storage.open(data_dir) as reopened:
        assert reopened.selections.all() == [again, save]
        assert reopened._database.count("selections") == 4


@pytest.mark.parametrize(
    ("name", "refs", "message"),
    [
        ("", REFS, "name is empty"),
        ("\u00a0", REFS, "name is empty"),
        (None, REFS, "name must be text"),
        ("x" * 101, REFS, "101 characters: give at most 100"),
        ("a\nb", REFS, "more than one line"),
        ("\ud800", REFS, "name holds a character"),
        ("a", [], "holds no prompt: choose at least one"),
        ("a", ["ab"], "Prompt 1 of the selection is no pair"),
        ("a", [("mini", "cna-1", "x")], "Prompt 1 of the selection is no pair"),
        ("a", [("mini", "cna-1"), ("mini", "")], "The id of prompt 2 is empty"),
        ("a", [("mini", 7)], "The id of prompt 1 must be text"),
        ("a", [("mini", str(n)) for n in range(100_001)], "100,001 prompts: save at most 100,000"),
    ],
)
def test_what_cannot_be_saved_is_named(shared_storage: Storage, name, refs, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        shared_storage.selections.save(name, refs)
    assert shared_storage.selections.all() == []
    assert shared_storage._database.count("selections") == 0
