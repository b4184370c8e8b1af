"""What people say of verdicts: added, replaced by a later answer, taken back, counted by rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.empty_data import empty_data
from truehue.core.errors import BadInput, NotStored
from truehue.storage import Storage
from truehue.storage.verdicts.judgments import JudgmentRecord, RuleAgainstPeople, RuleStatus

MUG = JudgmentRecord(
    answer="pass",
    rule="paper",
    statuses={
        "paper": RuleStatus("1.0", "fail"),
        "truehue": RuleStatus("1.1", "pass"),
        "released": RuleStatus("1.1", "unscored"),
    },
    image_id="a" * 64,
    mask_id="b" * 64,
    object_name="Mug",
    target={"hex": "#ff6347", "name": "tomato"},
    reason="It is tomato red, only shaded.",
)


def test_an_answer_counts_until_a_later_one_or_none_does(data_dir: Path) -> None:
    with Storage.open(empty_data(data_dir)) as storage:
        first = storage.judgments.add(MUG)
        assert (first.agrees, first.reason) == (False, MUG.reason)
        # The same question, by another rule and spelled otherwise.
        again = replace(MUG, rule="truehue", object_name=" mug", target={"hex": "#FF6347"})
        second = storage.judgments.add(replace(again, answer="fail", reason=""))
        assert [judgment.judgment_id for judgment in storage.judgments.all()] == [
            second.judgment_id
        ]
        assert storage.judgments.of(MUG.question) == [second]
        with pytest.raises(NotStored, match="taken back or replaced"):
            storage.judgments.withdraw(first.judgment_id)
        storage.judgments.withdraw(second.judgment_id)
        assert storage.judgments.all() == []
        assert storage.judgments.of(MUG.question) == []
        storage.judgments.add(MUG)
    # All four rows stay, and the last one counts after opening again too.
    with Storage.open(data_dir) as storage:
        assert storage._database.count("verdict_judgments") == 4
        assert [judgment.answer for judgment in storage.judgments.all()] == ["pass"]


def test_everybodys_answer_counts_beside_those_of_others(storage: Storage) -> None:
    owners = storage.judgments.add(MUG)
    anns = storage.judgments.add(replace(MUG, answer="fail", actor="ann"))
    bens = storage.judgments.add(replace(MUG, actor="ben"))
    assert storage.judgments.of(MUG.question) == [bens, anns, owners]
    # Of each person the latest, and one takes back one's own alone.
    again = storage.judgments.add(replace(MUG, answer="pass", actor="ann"))
    storage.judgments.withdraw(bens.judgment_id)
    assert storage.judgments.all() == [again, owners]
    assert storage.judgments.get(owners.judgment_id) == owners
    for gone in (anns, bens):
        with pytest.raises(NotStored, match="taken back or replaced"):
            storage.judgments.get(gone.judgment_id)
    (paper, _, _) = storage.judgments.by_rule()
    assert (paper.agree, paper.too_strict) == (0, 2)


def test_rules_are_counted_against_people(storage: Storage) -> None:
    storage.judgments.add(MUG)
    storage.judgments.add(replace(MUG, image_id="c" * 64, answer="fail"))
    storage.judgments.add(
        replace(
            MUG,
            mask_id="",
            run_id="d" * 64,
            position=7,
            answer="pass",
            statuses={"paper": RuleStatus("1.0", "pass")},
        )
    )
    assert storage.judgments.by_rule() == [
        RuleAgainstPeople("paper", "1.0", agree=2, too_strict=1, too_lenient=0, unscored=0),
        RuleAgainstPeople("released", "1.1", agree=0, too_strict=0, too_lenient=0, unscored=2),
        RuleAgainstPeople("truehue", "1.1", agree=1, too_strict=0, too_lenient=1, unscored=0),
    ]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"answer": "maybe"}, "give pass or fail"),
        ({"rule": "other"}, "needs the verdict"),
        ({"statuses": {"paper": RuleStatus("1.0", "good")}}, "needs the verdict"),
        ({"reason": "x" * 2001}, "2,001 characters"),
    ],
)
def test_what_is_no_judgment_is_refused(
    storage: Storage, change: dict[str, object], text: str
) -> None:
    with pytest.raises(BadInput, match=text):
        storage.judgments.add(replace(MUG, **change))  # type: ignore[arg-type]
    assert storage.judgments.all() == []
