"""Studies and people who take part in them as their pages do: by requests alone."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx import Response

from tests.annotation import studies_made
from tests.storage.sketches_made import boxes
from truehue.annotation.assignment.assign import replay
from truehue.annotation.assignment.ledger import Enrolled
from truehue.annotation.participants import exclusions_of
from truehue.annotation.studies.plan import Review, Screening, StudyPlan, from_json, to_json
from truehue.core.sketches.records import Sketch, sketch_id
from truehue.core.studies import InvitationRecord, State, StudyRecord
from truehue.tabs.page.context import Context
from truehue.tabs.page.same_origin import SameOriginMiddleware
from truehue.tabs.participants.page import participant_asset_routes
from truehue.tabs.participants.routes import participant_routes
from truehue.tabs.participants.service import Participation
from truehue.tabs.participants.tokens import hash_of, new_token
from truehue.tabs.studies.results_people import logs_of

Action = Mapping[str, Any]
OURS = {"X-TrueHue": "1"}
AUTHOR = "researcher"


class Clock:
    """A millisecond later each time it is asked."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(milliseconds=1)
        return self.time

    def turn(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def plan(number: int = 6, models: int = 3, **values: Any) -> StudyPlan:
    """A study of pairs without screening, two votes a stimulus, five trials a person."""
    return studies_made.plan(number, models, **{"screening": Screening(False, False), **values})


def coloring_plan(
    room: Room,
    number: int = 8,
    practice: int = 2,
    review: Review = Review.RESEARCHER,
    **values: Any,
) -> StudyPlan:
    """A study of colorings of stored sketches without screening, two colorings a concept, three
    sketches a person; the last cases are the practice."""
    made = [Sketch(sketch_id(ink), ink) for ink in (boxes(seed=seed) for seed in range(number))]
    for item in made:
        room.storage.sketches.add(item, "boxes", "starter")
    plain = studies_made.sketch_cases(number)
    cases = tuple(replace(case, sketch=made[i].id) for i, case in enumerate(plain))
    provided = {"screening": Screening(False, False), "votes": 2, "trials": 3, "cases": cases}
    return studies_made.coloring_plan(number, practice, review, **{**provided, **values})


def fill(x: int = 10, y: int = 30, color: str | None = "#aa5500", closing: int = 0) -> Action:
    """A click into the left box of a sketch of :func:`boxes`."""
    return {"do": "fill", "x": x, "y": y, "closing": closing, "color": color}


def stroke(*points: int, color: str | None = "#2266cc", diameter: int = 5) -> Action:
    """A brush along points."""
    return {
        "do": "stroke",
        "points": list(points),
        "diameter": diameter,
        "color": color,
        "within": None,
    }


def colored(position: int, count: int, checksum: str = "00000000", **body: Any) -> dict[str, Any]:
    """A finished coloring of so many actions."""
    return answer(position, None, "coloring", actions=count, checksum=checksum, **body)


@dataclass
class Link:
    """A link of a study, with its token."""

    study: StudyRecord
    token: str
    record: InvitationRecord


class Room:
    """The participants' routes over one context."""

    def __init__(self, context: Context, clock: Clock) -> None:
        self.context, self.clock, self.storage = context, clock, context.storage
        self.app = self.make_app()

    def make_app(self) -> Any:
        app = FastAPI()
        app.include_router(participant_routes(self.context))
        app.include_router(participant_asset_routes(self.context))
        app.add_middleware(SameOriginMiddleware)
        return app

    def restart(self) -> None:
        """As after a start: nothing is in memory."""
        self.context.service(Participation).close()
        self.context.services[Participation] = Participation(self.storage)
        self.app = self.make_app()

    def study(self, made: StudyPlan, state: State = State.OPEN) -> StudyRecord:
        study = self.storage.studies.add(to_json(made), AUTHOR)
        return self.storage.studies.set_state(study.id, state, AUTHOR)

    def link(self, study: StudyRecord, personal: bool = False) -> Link:
        token = new_token()
        record = self.storage.invitations.add(study.id, hash_of(token), "", personal, AUTHOR)
        return Link(study, token, record)

    def opened(self, made: StudyPlan) -> Link:
        """An open link of an open study."""
        return self.link(self.study(made))

    def person(self, link: Link | str) -> Person:
        token = link if isinstance(link, str) else link.token
        return Person(TestClient(self.app), f"/study/{token}", self.expected)

    def expected(self, person_id: str, position: int) -> int | None:
        """What a check, or a training trial, wants to be answered, which no page is told; of a
        preview nothing is stored."""
        trials = self.storage.participants.trials(person_id)
        return trials[position].expected if trials else None

    def log_differs(self, study: StudyRecord) -> list[int]:
        """What a replay of the stored log says: the participants whose trials it does not give."""
        newest = self.storage.studies.get(study.id)
        trials = self.storage.participants.trials_of_study(study.id)
        events = logs_of(self.storage, study.id)
        marks = self.storage.coloring_marks.of_study(study.id)
        people = [
            Enrolled(
                item.number,
                item.enrolled_at,
                trials[item.id],
                events[item.id],
                [mark for mark in marks if mark.participant_id == item.id],
            )
            for item in self.storage.participants.of(study.id)
        ]
        made = from_json(newest.plan)
        numbers = {item.id: item.number for item in self.storage.participants.of(study.id)}
        exclusions = exclusions_of(made, self.storage.studies.log(study.id), marks, numbers)
        return list(replay(made, people, exclusions=exclusions))

    def rows(self) -> dict[str, int]:
        """How many rows every table of accounts and studies has."""
        names = self.storage._database.rows(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'"
        )
        return {name: self.storage._database.count(name) for (name,) in names}


def answer(
    position: int, value: int | None = 0, kind: str = "place", **body: Any
) -> dict[str, Any]:
    """An answer with an id of its own."""
    return event("answer", position, {"kind": kind, "value": value, "response_ms": 1200.5, **body})


def event(
    kind: str, position: int | None = None, body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """An event as a page sends it."""
    return {
        "id": secrets.token_hex(16),
        "kind": kind,
        "position": position,
        "body": dict(body or {}),
        "client_ms": 1_767_225_600_000,
    }


def part_of(trial: Mapping[str, Any]) -> str:
    """What a trial is for, as far as its page can tell."""
    if trial["practice"]:
        return "training"
    if trial.get("original") is not None:
        return "second"
    shown = trial.get("places") or trial.get("image") or trial.get("sketch")
    return "trial" if shown else "attention"


@dataclass
class Person:
    """Somebody with a browser."""

    client: TestClient
    path: str
    expected: Callable[[str, int], int | None] = lambda person_id, position: None
    told: dict[str, Any] = field(default_factory=dict)
    trials: dict[int, dict[str, Any]] = field(default_factory=dict)

    def state(self, **query: str) -> dict[str, Any]:
        response = self.client.get(f"{self.path}/state", params=query)
        assert response.status_code == 200, response.text
        return self._keep(response.json())

    def asks_in(self, **content: Any) -> Response:
        """Agrees to the first version of the consent, or to what is given."""
        body = {"consent_version": "1", "language": "en", **content}
        return self.client.post(f"{self.path}/enroll", json=body, headers=OURS)

    def enroll(self, **content: Any) -> dict[str, Any]:
        response = self.asks_in(**content)
        assert response.status_code == 200, response.text
        return self._keep(response.json())

    def sends(self, *events: Mapping[str, Any]) -> Response:
        return self.client.post(f"{self.path}/events", json={"events": list(events)}, headers=OURS)

    def post(self, *events: Mapping[str, Any]) -> dict[str, Any]:
        response = self.sends(*events)
        assert response.status_code == 200, response.text
        return self._keep(response.json())

    def draws(self, position: int, *actions: Action) -> dict[str, Any]:
        """Does this on the canvas of a trial."""
        return self.post(*(event("action", position, action) for action in actions))

    def colors(self, position: int, *actions: Action) -> dict[str, Any]:
        """Does this, two fills where nothing is said, and finishes the sketch."""
        actions = actions or (fill(), fill(40, color="#11aa33"))
        self.draws(position, *actions)
        return self.post(colored(position, len(actions)))

    def finish(self) -> dict[str, Any]:
        return self.post(event("finish"))["participant"]

    @property
    def waiting(self) -> list[dict[str, Any]]:
        """The trials without an answer, by position."""
        answered = set(self.told["participant"]["positions_answered"])
        return [self.trials[i] for i in sorted(self.trials) if i not in answered]

    def answer_all(self, value: int = 0, kind: str = "place", limit: int = 10_000) -> None:
        """Answers one trial after the other; what a check asks for, it gets."""
        while self.waiting and limit:
            position = self.waiting[0]["position"]
            wanted = self.expected(self.told["participant"]["id"], position)
            self.post(answer(position, value if wanted is None else wanted, kind))
            limit -= 1

    def fails_checks(self) -> None:
        """Answers every trial, and each check with something else than it asks for."""
        for trial in list(self.waiting):
            wanted = self.expected(self.told["participant"]["id"], trial["position"])
            self.post(answer(trial["position"], 0 if wanted is None else int(wanted == 0)))

    def _keep(self, message: dict[str, Any]) -> dict[str, Any]:
        self.told = message
        for trial in message["trials"]:
            self.trials[trial["position"]] = trial
        return message


def pictures(context: Context, number: int, side: int = 24) -> Sequence[str]:
    """So many stored images, by id."""
    rng = np.random.default_rng(3)
    return [
        context.storage.images.add(
            rng.integers(0, 256, (side, side, 3), dtype=np.uint8), f"{i}.png", "upload"
        ).image_id
        for i in range(number)
    ]
