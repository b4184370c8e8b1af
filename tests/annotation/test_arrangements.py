"""Side bias by how pairs lay on the screen."""

from __future__ import annotations

from tests.annotation.studies_made import plan
from truehue.annotation.judgments.rates import side_biases
from truehue.core.studies import Event, EventKind, Trial


def test_rows_and_columns_are_counted_apart() -> None:
    study = plan(2, 2)
    trials = [
        Trial(index, stimulus.id, stimulus.models) for index, stimulus in enumerate(study.stimuli)
    ]

    def chosen(index: int, *arrangements: object) -> list[Event]:
        return [
            Event(
                f"{position:032x}",
                EventKind.ANSWER,
                position,
                {"kind": "place", "value": index, "response_ms": 500, "display": shown},
            )
            for position, shown in enumerate(arrangements)
        ]

    below, others, rows = ({"arrangement": name} for name in ("below", "beside", "rows"))
    side_bias = side_biases(
        study, [("a", trials, chosen(0, below, others)), ("b", trials, chosen(1, rows, None))]
    )
    assert set(side_bias) == {"row", "column"}
    assert (side_bias["row"].left, side_bias["row"].right) == (2, 0)
    assert (side_bias["column"].left, side_bias["column"].right) == (0, 1)
    assert side_biases(study, [("c", trials, chosen(0, {"arrangement": "single"}, {}))]) == {}
