"""Side bias by how pairs lay on the screen."""

from __future__ import annotations

from tests.annotation.studies_made import plan
from truehue.annotation.judgments.arrangements import side_biases
from truehue.core.studies import Event, EventKind, Trial


def test_rows_and_columns_are_counted_apart() -> None:
    study = plan(2, 2)
    trials = [Trial(at, one.id, one.models) for at, one in enumerate(study.stimuli)]

    def chosen(place: int, *arrangements: object) -> list[Event]:
        return [
            Event(
                f"{at:032x}",
                EventKind.ANSWER,
                at,
                {"kind": "place", "value": place, "response_ms": 500, "display": shown},
            )
            for at, shown in enumerate(arrangements)
        ]

    below, beside, rows = ({"arrangement": name} for name in ("below", "beside", "rows"))
    told = side_biases(
        study, [("a", trials, chosen(0, below, beside)), ("b", trials, chosen(1, rows, None))]
    )
    assert set(told) == {"row", "column"}
    assert (told["row"].left, told["row"].right) == (2, 0)
    assert (told["column"].left, told["column"].right) == (0, 1)
    assert side_biases(study, [("c", trials, chosen(0, {"arrangement": "single"}, {}))]) == {}
