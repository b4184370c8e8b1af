"""Studies behind the real routes, with images that are stored, for pages to take part in."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI

from tests.browser.line_drawings import sketches
from tests.browser.stage_app import serving
from truehue.annotation import participants
from truehue.annotation.colorings import paint, read_action
from truehue.annotation.studies.cases import Candidate, Case, Kind, QuestionSetName, stored_question
from truehue.annotation.studies.languages import ENGLISH, language_of
from truehue.annotation.studies.plan import (
    Completion,
    Consent,
    Example,
    Material,
    Practice,
    Review,
    Screening,
    StudyPlan,
    Training,
    to_json,
)
from truehue.core.sketches.images import composite
from truehue.core.sketches.prepare import of_ink
from truehue.core.sketches.regions import regions
from truehue.core.sketches.starter import starter
from truehue.core.studies import Event, MarkKind, State
from truehue.core.vlm.generators import (
    GENERATORS,
    Difficulty,
    GeneratedSettings,
    generated,
)
from truehue.storage import Storage
from truehue.tabs.page.same_origin import SameOriginMiddleware
from truehue.tabs.participants.page import participant_asset_routes
from truehue.tabs.participants.routes import participant_routes
from truehue.tabs.participants.tokens import hash_of, new_token
from truehue.tabs.shell.compose import make_context

CODE = "C1A9X4QT"
BACK = "https://app.prolific.com/submissions/complete?cc=" + CODE
WORDS = (
    "a ripe banana",
    "a red bicycle",
    "a calm sea",
    "an old brick",
    "a lime",
    "a fox",
    "a plum",
)
INTRO = "In this study you compare colors in images.\n\nIt takes about ten minutes."
INSTRUCTIONS = "Judge only the colors; ignore which image you like more."
CONSENT = (
    "This study is run by the color laboratory of an example university.\n\n"
    "Taking part is voluntary. You can stop at any time, without a reason.\n\n"
    "We store your answers, how long they took, and facts about your screen. We store neither "
    "your name nor your address on the network."
)


@dataclass
class StudyRoom:
    """A running server with studies that are made as they are wanted."""

    storage: Storage
    address: str
    images: tuple[str, ...]
    sketches: dict[str, str] = field(default_factory=dict)
    """The ids of the sketches by their words, once a study wanted any."""

    def plan(self, kind: Kind = Kind.PAIRS, **values: Any) -> StudyPlan:
        """A study of images, or of distributions, of four trials without screening."""
        models = {Kind.PAIRS: 3, Kind.RATINGS: 2, Kind.BEST_OF: 4}.get(kind, 0)
        provided: dict[str, Any] = {
            "title": "Colors of things",
            "kind": kind,
            "material": Material.IMAGES,
            "question": "Which image’s colors match the description better?",
            "instructions": INSTRUCTIONS,
            "consent": Consent("1", CONSENT),
            "cases": self._cases(models),
            "votes": 5,
            "trials": 4,
            "seed": 7,
            "screening": Screening(False, False),
            "completion": Completion(CODE, BACK),
        }
        return StudyPlan(**{**provided, **values})

    def _cases(self, models: int) -> tuple[Case, ...]:
        rng = np.random.default_rng(5)

        def weights() -> tuple[float, ...]:
            return tuple(float(share) for share in rng.dirichlet(np.full(71, 0.15)))

        return tuple(
            Case(
                f"c{row}",
                text,
                tuple(
                    Candidate(
                        f"m{column}",
                        (self.images[(row * models + column) % len(self.images)],),
                        weights(),
                    )
                    for column in range(models)
                ),
                reference=weights(),
            )
            for row, text in enumerate(WORDS)
        )

    def colorings(
        self, practice: int = 3, review: Review = Review.AUTOMATIC, **values: Any
    ) -> StudyPlan:
        """A study of line drawings without screening: so many for practice, then the others."""
        if not self.sketches:
            for key, sketch in sketches().items():
                self.sketches[key] = self.storage.sketches.add(sketch, key, "test").id
        cases = tuple(
            Case(f"c{number}", text, (), sketch=sketch_id)
            for number, (text, sketch_id) in enumerate(self.sketches.items())
        )
        provided: dict[str, Any] = {
            "kind": Kind.COLORINGS,
            "material": Material.SKETCHES,
            "question": language_of(ENGLISH).presets["colorings"].question,
            "instructions": language_of(ENGLISH).presets["colorings"].instructions,
            "cases": cases,
            "votes": 60,
            "trials": len(cases) - practice,
            "practice": Practice(tuple(case.id for case in cases[:practice]), review),
        }
        return self.plan(**{**provided, **values})

    def questions(self, counts: Mapping[str, int], seed: int = 3, **values: Any) -> StudyPlan:
        """A study of so many generated questions by task, all of them for everybody."""
        cases = []
        for item in generated(GeneratedSettings(counts, Difficulty.EASY, seed)):
            self.storage.images.add(item.srgb8, "question.png", "question")
            source = item.question
            case_question = stored_question(source)
            cases.append(
                Case(source.question_id, source.text, (), source.task, question=case_question)
            )
        provided: dict[str, Any] = {
            "kind": Kind.QUESTIONS,
            "material": Material.QUESTIONS,
            "question": language_of(ENGLISH).presets["questions"].question,
            "instructions": language_of(ENGLISH).presets["questions"].instructions,
            "cases": tuple(cases),
            "trials": len(cases),
            "tie": False,
            "question_set": QuestionSetName("Generated", "ab" * 32),
        }
        return self.plan(**{**provided, **values})

    def training(self, count: int = 2, needed: int = 1) -> Training:
        """So many practice trials of pairs, of which the first model is right."""
        stimuli = self.plan().stimuli[:count]
        return Training(tuple((stimulus.id, stimulus.models[0]) for stimulus in stimuli), needed)

    def opened(self, plan: StudyPlan, state: State = State.OPEN, personal: bool = False) -> str:
        """The address of a new link of a new study."""
        study = self.storage.studies.add(to_json(plan), "researcher")
        if state is not State.DRAFT:
            self.storage.studies.set_state(study.id, State.OPEN, "researcher")
        if state not in (State.DRAFT, State.OPEN):
            self.storage.studies.set_state(study.id, state, "researcher")
        token = new_token()
        self.storage.invitations.add(study.id, hash_of(token), "", personal, "researcher")
        return f"{self.address}/study/{token}"

    def mark(self, link: str, position: int, kind: MarkKind, value: str, reason: str = "") -> None:
        """What a reviewer says of a coloring of the one person of a link."""
        record = self.storage.invitations.by_token(hash_of(link.rsplit("/", 1)[-1]))
        assert record is not None
        (person,) = self.storage.participants.of(record.study_id)
        self.storage.coloring_marks.add(
            record.study_id, person.id, position, kind, value, reason, "reviewer"
        )

    def events(self, link: str) -> Mapping[str, tuple[Event, ...]]:
        """What is stored of everybody who came in by a link, by participant, but the consents."""
        record = self.storage.invitations.by_token(hash_of(link.rsplit("/", 1)[-1]))
        assert record is not None
        stored = self.storage.study_events.of_study(record.study_id)
        return {
            person: tuple(event for event in events if event.kind != "consent")
            for person, events in stored.items()
        }


def _picture(rng: np.random.Generator, side: int, noise: float) -> np.ndarray:
    """A shaded ball of one color on a ground of another, uint8 ``(side, side, 3)``."""
    y, x = np.mgrid[:side, :side] / side - 0.5
    ball = np.hypot(x, y) < 0.32
    shade = 1.15 - 1.3 * np.hypot(x + 0.1, y + 0.12)
    ground, color = rng.uniform(60, 220, 3), rng.uniform(30, 240, 3)
    pixels = np.where(
        ball[..., None], color * shade[..., None], ground * (0.9 + 0.2 * y[..., None])
    )
    return np.clip(pixels + rng.normal(0, noise, pixels.shape), 0, 255).astype(np.uint8)


@contextmanager
def study_room(folder: Path, side: int = 400, noise: float = 2.0) -> Iterator[StudyRoom]:
    """Opens the doors of participants over a fresh data folder, on a port of this machine. Tests
    are faster than people, and get their codes all the same."""
    rng = np.random.default_rng(11)
    with Storage.open(folder / "data") as storage, pytest.MonkeyPatch.context() as patch:
        patch.setattr(participants, "MIN_ANSWER_S", 0.0)
        context = make_context(storage, "data")
        app = FastAPI()
        app.include_router(participant_routes(context))
        app.include_router(participant_asset_routes(context))
        app.add_middleware(SameOriginMiddleware)
        images = tuple(
            storage.images.add(_picture(rng, side, noise), f"{number}.png", "upload").image_id
            for number in range(12)
        )
        with serving(app) as address:
            yield StudyRoom(storage, address, images)
        context.close()


def _add_starter_sketches(room: StudyRoom, count: int) -> None:
    """So many of the drawings that come with the app, evenly of all."""
    drawings = list(starter().items())
    for text, drawing in drawings[:: len(drawings) // count][:count]:
        room.sketches[text] = room.storage.sketches.add(of_ink(drawing.ink()), text, "starter").id


def _examples(room: StudyRoom) -> tuple[Example, ...]:
    """An apple as it is to be colored, and as it is not."""
    ink = sketches()["apple"].ink
    maps = regions(ink)

    def colored(*fills: tuple[int, int, str]) -> str:
        actions = (
            {"do": "fill", "x": x, "y": y, "closing": 0, "color": color} for x, y, color in fills
        )
        layer = paint([read_action(action) for action in actions], maps)
        return room.storage.images.add(composite(ink, layer), "apple.png", "upload").image_id

    apple, leaf, sky = (250, 290, "#b3202c"), (338, 92, "#5f7d32"), (5, 5, "#8fb9e6")
    return (
        Example("An apple, in colors that apples have.", True, colored(apple, leaf)),
        Example(
            "What is around the apple is colored too, and nobody asked for it.",
            False,
            colored(apple, leaf, sky),
        ),
        Example(
            "A color that one would like to see, and that apples do not have.",
            False,
            colored((250, 290, "#3f6fd0"), leaf),
        ),
    )


def main() -> None:
    """Serves one study of each kind and prints their links until it is interrupted."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, study_room(Path(folder), 1024) as room:
        full: dict[str, Any] = {"intro": INTRO, "screening": Screening(), "tie": True, "votes": 60}
        pairs = room.plan(attention=1, repeats=1, trials=8, training=room.training(), **full)
        shares = room.plan(
            material=Material.DISTRIBUTIONS,
            question="Whose colors are closer to the colors people chose?",
            trials=8,
            attention=1,
            votes=60,
        )
        ratings = room.plan(
            Kind.RATINGS,
            question="How real do the colors look, as in a photograph?",
            trials=8,
            attention=1,
            votes=60,
        )
        best = room.plan(
            Kind.BEST_OF,
            question="Which image has the colors that the words ask for?",
            votes=60,
        )
        _add_starter_sketches(room, 11)
        colorings = room.colorings(
            review=Review.NONE, intro=INTRO, examples=_examples(room), screening=Screening()
        )
        tasks = {task: 2 for task in GENERATORS if task != "color_extraction"} | {
            "color_extraction": 1
        }
        for name, plan in {
            "questions": room.questions(tasks, votes=60, attention=1, screening=Screening()),
            "colorings": colorings,
            "reviewed": replace(
                colorings, practice=replace(colorings.practice, review=Review.RESEARCHER)
            ),
            "pairs": pairs,
            "dist": shares,
            "ratings": ratings,
            "best": best,
        }.items():
            print(name, room.opened(plan), flush=True)
        for state in (State.DRAFT, State.PAUSED, State.CLOSED):
            print(state.value, room.opened(room.plan(), state), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
