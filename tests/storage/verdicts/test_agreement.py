"""Agreement of two rules: the SQL against a plain loop over all rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.empty_data import empty_data
from tests.storage.conftest import SteppingClock
from tests.storage.samples import answers, asks, brushed, drawing, picture
from truehue.core.errors import BadInput
from truehue.core.records import EvidenceRecord
from truehue.storage import Storage
from truehue.storage.verdicts.agreement import CELLS, Agreement

COLORS = ("l3:Vivid red", "css:red", "l2:Blue", "#123456")
STATUSES = ("pass", "fail", "unscored")


def question(row: EvidenceRecord) -> tuple[str, str | None, str, str]:
    target = row.target
    color = (target.get("hex") or "").upper() or target.get("value") or ""
    color += str(target.get("relation", "matches"))
    return row.image_id, row.mask_id, row.object_name.strip().lower(), color


def by_loop(rows: list[EvidenceRecord], first: str, second: str) -> dict[Any, dict[str, Any]]:
    """The latest row of each rule by question; ``rows`` in the order of adding."""
    out: dict[Any, dict[str, Any]] = {}
    for index, row in enumerate(rows):
        if row.protocol in (first, second):
            out.setdefault(question(row), {})[row.protocol] = (index, row)
    return out


@pytest.fixture(scope="module")
def filled(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Storage, list[EvidenceRecord]]]:
    """900 verdicts of three rules on 40 images, some judged several times; in order of adding.

    Read by every test, changed by none. One batch: 900 of them waited for the disk 900 times.
    """
    clock = SteppingClock()
    with Storage.open(empty_data(tmp_path_factory.mktemp("agreement") / "data"), clock) as storage:
        yield storage, _fill(storage)


def _fill(storage: Storage) -> list[EvidenceRecord]:
    rng = random.Random(4)
    images = [storage.images.add(picture(n), str(n), "render").image_id for n in range(40)]
    masks = {image: storage.masks.add(image, brushed(2.0, of=image)).mask_id for image in images}
    for index, image_id in enumerate(images[:30]):
        storage.drawings.add(drawing(image_id, task=("cna", "coa", "")[index % 3]))
    rows = []
    for n in range(900):
        image_id = rng.choice(images)
        target = asks(rng.choice(("mug", "Mug ", "hat")), rng.choice(COLORS))
        assert target.color is not None
        row = answers(
            image_id,
            target,
            mask_id=rng.choice((masks[image_id], None)),
            version=str(n),
            protocol=rng.choice(("paper", "released", "other")),
            status=rng.choice(STATUSES),
        )
        about: dict[str, Any] = {**row.target, "system": target.color.system}
        if rng.random() < 0.2:
            about["relation"] = "differs"
        row = EvidenceRecord(**{**row.__dict__, "target": about})
        rows.append(row)
    return storage.evidence.add_many(rows)


@pytest.mark.parametrize("task", [None, "cna", "nothing of it"])
@pytest.mark.parametrize("system", [None, "l3", ""])
def test_the_table_is_that_of_a_loop(
    filled: tuple[Storage, list[EvidenceRecord]], task: str | None, system: str | None
) -> None:
    storage, rows = filled
    of_task = {
        row.image_id for row in storage.drawings.recent(1000) if task is None or row.task == task
    }
    counts = dict.fromkeys(Agreement.__dataclass_fields__, 0)
    for (image_id, *_), said in by_loop(rows, "paper", "released").items():
        target = next(iter(said.values()))[1].target
        if task is not None and image_id not in of_task:
            continue
        if system is not None and (target["system"] or "") != system:
            continue
        a, b = (said[rule][1].status if rule in said else None for rule in ("paper", "released"))
        if a is None or b is None:
            counts["second_only" if a is None else "first_only"] += 1
        elif "unscored" in (a, b):
            counts["unscored"] += 1
        else:
            name = {("pass", "pass"): "both", ("fail", "fail"): "neither"}.get((a, b))
            counts[name or ("first" if a == "pass" else "second")] += 1
    table = storage.agreement.table("paper", "released", task, system)
    assert table == Agreement(**counts)
    if task is None and system is None:
        assert all(counts.values())


@pytest.mark.parametrize("cell", CELLS)
def test_pairs_are_those_of_a_loop_latest_first(
    filled: tuple[Storage, list[EvidenceRecord]], cell: str
) -> None:
    storage, rows = filled
    fits: Callable[[str, str], bool] = {
        "disagree": lambda a, b: {a, b} == {"pass", "fail"},
        "first": lambda a, b: (a, b) == ("pass", "fail"),
        "second": lambda a, b: (a, b) == ("fail", "pass"),
        "both": lambda a, b: a == b == "pass",
        "neither": lambda a, b: a == b == "fail",
        "unscored": lambda a, b: "unscored" in (a, b),
    }[cell]
    wanted = [
        (max(said["paper"][0], said["released"][0]), said)
        for said in by_loop(rows, "paper", "released").values()
        if len(said) == 2 and fits(said["paper"][1].status, said["released"][1].status)
    ]
    wanted.sort(key=lambda item: -item[0])
    expected = [
        (said["paper"][1].evidence_id, said["released"][1].evidence_id) for _, said in wanted
    ]
    pairs = storage.agreement.pairs("paper", "released", cell, 1000)
    assert [(pair.first.evidence_id, pair.second.evidence_id) for pair in pairs] == expected
    assert expected
    halves = [storage.agreement.pairs("paper", "released", cell, 5, index) for index in (0, 5)]
    assert [*halves[0], *halves[1]] == pairs[:10]
    row = storage.evidence.get(pairs[0].first.evidence_id)
    said = pairs[0].first
    assert (said.rule, said.version, said.status) == ("paper", row.version, row.status)
    assert (said.reason, said.numbers, said.parameters) == (row.reason, row.numbers, row.parameters)
    assert (pairs[0].image_id, pairs[0].mask_id) == (row.image_id, row.mask_id)
    assert (pairs[0].object_name, pairs[0].target) == (row.object_name, row.target)


def test_what_can_be_filtered_by(filled: tuple[Storage, list[EvidenceRecord]]) -> None:
    storage, _ = filled
    assert storage.agreement.tasks() == ["cna", "coa"]
    assert storage.agreement.systems() == ["", "css", "l2", "l3"]


def test_no_verdicts_no_agreement(storage: Storage) -> None:
    table = storage.agreement.table("paper", "released")
    assert table == Agreement(0, 0, 0, 0, 0, 0, 0)
    assert table.kappa is None
    assert storage.agreement.pairs("paper", "released") == []


def test_one_rule_twice_and_unknown_parts_are_refused(storage: Storage) -> None:
    with pytest.raises(BadInput, match="Both rules are 'paper'"):
        storage.agreement.table("paper", "paper")
    with pytest.raises(BadInput, match="cell is 'all'"):
        storage.agreement.pairs("paper", "released", "all")


def test_kappa_by_hand() -> None:
    # Of 50: 20 both yes, 15 both no, 5 and 10 apart. Observed .7, by chance .5 (a known example).
    assert Agreement(20, 15, 5, 10, 3, 7, 9).kappa == pytest.approx(0.4)
    assert Agreement(20, 15, 5, 10, 3, 7, 9).judged == 53
    assert Agreement(9, 0, 0, 0, 1, 0, 0).kappa is None
    assert Agreement(5, 5, 0, 0, 0, 0, 0).kappa == 1.0
