"""Whatever goes wrong in whatever order: each request comes to its end once, and is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.engine.models import WAIT_S, FlatModel, House, OutOfMemoryError, asked
from truehue.core.engine import Delivery
from truehue.core.errors import BadInput
from truehue.core.generation.request import GenerationRequest

FATES = ("drawn", "refused", "broken", "memory", "lost")
REQUEST = st.tuples(
    st.sampled_from(["a", "b", "absent"]), st.sampled_from(FATES), st.sampled_from([None, 5, 9])
)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(REQUEST, min_size=1, max_size=25),
    st.integers(1, 5),
    st.integers(0, 5),
    st.sampled_from([None, 100, 200]),
)
def test_each_request_is_delivered_once(
    fates: list[tuple[str, str, int | None]], batch_size: int, room: int, limit: int | None
) -> None:
    """``room`` images fit into memory at once; "memory" is a request that never fits."""

    def before(requests: Sequence[GenerationRequest]) -> None:
        local = {request.prompt_id for request in requests}
        if "memory" in local or len(requests) > room:
            raise OutOfMemoryError
        if "refused" in local:
            raise BadInput("No.")
        if "broken" in local:
            raise ValueError("Oh.")

    house = House({name: lambda: FlatModel(batch_size=batch_size, before=before) for name in "ab"})
    requests = [
        replace(request, model=model, prompt_id=fate, steps=steps)
        for request, (model, fate, steps) in zip(asked(len(fates)), fates, strict=True)
    ]
    got: list[Delivery] = []

    def keep(delivery: Delivery) -> None:
        got.append(delivery)
        if delivery.image is not None and delivery.request.prompt_id == "lost":
            raise OSError("Full.")

    with house.engine(limit) as engine:
        state = engine.wait(engine.submit(requests, keep), WAIT_S)
        assert sum(held for _, held in engine.loaded()) <= (limit or 1000)
    assert sorted(delivery.position for delivery in got) == list(range(len(requests)))
    assert all(requests[delivery.position] is delivery.request for delivery in got)
    assert all((delivery.image is None) != (delivery.problem is None) for delivery in got)
    images = [delivery for delivery in got if delivery.image is not None]
    assert {delivery.request.prompt_id for delivery in images} <= {"drawn", "lost"}
    assert all(delivery.request.model != "absent" for delivery in images)
    saved = [delivery for delivery in images if delivery.request.prompt_id == "drawn"]
    assert (state.done, state.failed) == (len(saved), len(requests) - len(saved))
    assert sum(problem.count for problem in state.problems) == state.failed
    assert state.status == ("done" if saved else "failed")
    healthy = {fate for _, fate, _ in fates} <= {"drawn", "refused"} and room > 0
    if healthy:
        wanted = [fate == "drawn" and model != "absent" for model, fate, _ in fates]
        assert state.done == sum(wanted)
