"""Consistency checks of an imported study: all facts that the analysis relies on."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from math import comb
from typing import Any

import numpy as np
from pydantic import ValidationError

from truehue.annotation.colorings import (
    MAX_ACTIONS,
    MAX_ROWS,
    Action,
    Pick,
    Stroke,
    read_action,
    rows_of,
)
from truehue.annotation.judgments.answers import read_answer
from truehue.annotation.participants import ExclusionRule
from truehue.annotation.studies.cases import SIZES, Kind
from truehue.annotation.studies.plan import StudyPlan, from_json, to_json
from truehue.annotation.studies.survey import SurveyPart
from truehue.core.color.distances import checked
from truehue.core.errors import BadInput
from truehue.core.studies import PERSONAL, EventKind, Purpose
from truehue.core.study_copy import EventCopy, ParticipantCopy, StudyCopy, TrialCopy
from truehue.tabs.studies.colorings.rule import FIELD as COLORINGS
from truehue.tabs.studies.colorings.rule import check_coloring_rule
from truehue.tabs.studies.completion import https_url
from truehue.tabs.studies.making import FORM, form_of
from truehue.tabs.studies.study import REVISABLE

MAX_STIMULI = 500_000
_IMAGE = re.compile(r"[0-9a-f]{64}")
_ASKED = (Purpose.ATTENTION, Purpose.TRAINING)


class CopyChecks:
    """The checks of one export: of the copy at once, then of each participant, and at the end of
    all together. Of participants it holds what they may not share, so that they can come one by
    one. Each raises BadInput, saying what does not fit."""

    def __init__(self, copy: StudyCopy) -> None:
        self._copy = copy
        self._plans = [_plan(plan.plan, version) for version, plan in enumerate(copy.plans, 1)]
        for rule in copy.rules:
            _check_rule(rule.rule)
        self._numbers: set[int] = set()
        for erasure in copy.erasures:
            self._note_number(erasure.number)
        self._links: set[int] = set()
        self._marks: set[int] = set()
        self._first_version = len(copy.plans) + 1
        self._event_ids, self._positions = bytearray(), list[tuple[int, str]]()

    def check(self, person: ParticipantCopy) -> None:
        """Returns where a participant fits the study and those before."""
        location = f"Participant {person.number}"
        self._note_number(person.number)
        self._first_version = min(self._first_version, person.plan_version)
        if person.link >= len(self._copy.links):
            raise BadInput(f"{location} came in by a link that is not in the export.")
        if self._copy.links[person.link].personal and person.link in self._links:
            raise BadInput(f"{location} came in by a personal link that somebody else used too.")
        self._links.add(person.link)
        if person.plan_version > len(self._plans):
            raise BadInput(
                f"{location} was served a version of the plan that is not in the export."
            )
        _check_person(self._plans[person.plan_version - 1], person, location)
        self._positions.append((len(self._event_ids) // 16, location))
        self._event_ids += b"".join(bytes.fromhex(event.id) for event in person.events)
        for mark in person.marks:
            if mark.number in self._marks:
                raise BadInput(f"Two marks on colorings have the number {mark.number}.")
            self._marks.add(mark.number)

    def finish(self) -> None:
        """Returns where all of them together fit: no event is there twice, and the plan was not
        changed under people."""
        _check_served(self._copy, self._first_version)
        # Sixteen bytes an event: as text in a set they would be hundreds of megabytes.
        ids = np.frombuffer(self._event_ids, "V16")
        order = np.argsort(ids, kind="stable")
        again = order[1:][ids[order][1:] == ids[order][:-1]]
        if again.size:
            position = int(again[0])
            index = bisect_right(self._positions, position, key=lambda key: key[0]) - 1
            raise BadInput(
                f"{self._positions[index][1]}: the event {ids[position].tobytes().hex()} appears twice "
                "in the export."
            )

    def _note_number(self, number: int) -> None:
        if number in self._numbers:
            raise BadInput(f"Two participants have the number {number}.")
        self._numbers.add(number)


def _check_served(copy: StudyCopy, first: int) -> None:
    """Once somebody took part (``first`` is the earliest version that anybody saw), no version of
    the plan changes what people see: results are of all of them together. What a version does not
    name is as it was before there was such a setting."""
    fixed = [
        {
            name: value
            for name, value in to_json(from_json(plan.plan)).items()
            if name not in REVISABLE
        }
        for plan in copy.plans[first - 1 :]
    ]
    if any(record != fixed[0] for record in fixed):
        raise BadInput(
            "The plan was changed in what people see after the first participant joined."
        )


def images_of(copy: StudyCopy) -> set[str]:
    """The ids of all images that its plans name."""
    return {
        image_id
        for plan in copy.plans
        for case in from_json(plan.plan).cases
        for image_id in case.image_ids
    }


def _plan(content: Mapping[str, Any], version: int) -> StudyPlan:
    _refuse_many(content, version)
    plan = from_json(content)
    known = to_json(plan)
    if FORM in content:
        known[FORM] = _form(content, version)
    if unknown := _unknown(content, known):
        raise BadInput(f"Version {version} of the plan has a field that no plan has: {unknown}.")
    for case in plan.cases:
        if case.reference:
            checked(case.reference, f"People's distribution of {case.words[:80]!r}")
        for candidate in case.candidates:
            if not all(_IMAGE.fullmatch(image_id) for image_id in candidate.image_ids):
                raise BadInput(f"{case.words[:80]!r} names an image by what is no image's id.")
            if candidate.weights:
                checked(candidate.weights, f"{candidate.model[:80]}'s of {case.words[:80]!r}")
    for completion in (plan.completion, *(page for _, page in plan.endings)):
        https_url(completion.url)
    if not plan.stimuli:  # made here, so that what it refuses is said before anything is stored
        raise BadInput(f"Version {version} of the plan asks about nothing.")
    return plan


def _form(content: Mapping[str, Any], version: int) -> dict[str, Any]:
    try:
        form = form_of(content)
    except ValidationError as error:
        first = error.errors()[0]
        location = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"The form of version {version} of the plan cannot be read: {location[:120]}: "
            f"{first['msg']}."
        ) from None
    return {} if form is None else form.model_dump(mode="json")


def _refuse_many(content: Mapping[str, Any], version: int) -> None:
    """Refuses more stimuli than any study has before one of them is made."""
    kind, cases = content.get("kind"), content.get("cases")
    size = SIZES[Kind(kind)] if isinstance(kind, str) and kind in set(Kind) else 1
    sizes = [
        len(case["candidates"])
        for case in (cases if isinstance(cases, list) else ())
        if isinstance(case, Mapping) and isinstance(case.get("candidates"), list)
    ]
    if sum(comb(count, size) for count in sizes) > MAX_STIMULI:
        raise BadInput(
            f"Version {version} of the plan asks about more than {MAX_STIMULI:,} stimuli."
        )


def _unknown(content: Any, known: Any, index: str = "") -> str:
    """The first name in ``content`` that ``known`` does not have, empty without one."""
    if isinstance(content, Mapping) and isinstance(known, Mapping):
        for name, value in content.items():
            location = f"{index}.{str(name)[:40]}".lstrip(".")
            if name not in known:
                return location
            if inner := _unknown(value, known[name], location):
                return inner
    elif isinstance(content, list) and isinstance(known, list):
        for position, (value, source) in enumerate(zip(content, known, strict=False)):
            if inner := _unknown(value, source, f"{index}.{position}"):
                return inner
    return ""


def _check_rule(rule: Mapping[str, Any]) -> None:
    names = {field.name for field in fields(ExclusionRule)}
    for name, value in rule.items():
        if name == COLORINGS:
            check_coloring_rule(value)
            continue
        if name not in names:
            raise BadInput(f"A rule of exclusion has no bound {str(name)[:40]!r}.")
        if name == "screen":
            right = isinstance(value, bool)
        else:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            right = value is None or (number and 0 <= value <= 1)
        if not right:
            raise BadInput(f"The rule's {name} cannot be {str(value)[:40]}.")


def _check_person(plan: StudyPlan, person: ParticipantCopy, location: str) -> None:
    if [trial.position for trial in person.trials] != list(range(len(person.trials))):
        raise BadInput(f"{location}: positions of trials do not count from 0.")
    for trial in person.trials:
        _check_trial(plan, trial, person.trials, f"{location}, trial {trial.position}")
    _check_purposes(plan, person.trials, location)
    _check_marks(person, location)
    if [event.number for event in person.events] != list(range(len(person.events))):
        raise BadInput(f"{location}: numbers of events do not count from 0.")
    counter: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    for event in person.events:
        if event.position is not None and event.position >= len(person.trials):
            raise BadInput(
                f"{location}: an event is about trial {event.position}, which is not there."
            )
        if event.kind is EventKind.ACTION:
            action = _checked_action(plan, event, location)
            assert event.position is not None
            counter[event.position] += 1
            if isinstance(action, Stroke):
                rows[event.position] += rows_of(action.points, action.diameter)
        if event.kind is EventKind.SURVEY:
            _check_survey(plan, event, location)
        if event.kind is EventKind.ANSWER:
            if event.position is None:
                raise BadInput(f"{location}: an answer is about no trial.")
            try:
                read_answer(plan, person.trials[event.position].stored(), event.stored())
            except BadInput as error:
                raise BadInput(f"{location}, answer to trial {event.position}: {error}") from None
    if counter and max(counter.values()) > MAX_ACTIONS:
        raise BadInput(f"{location}: a sketch has more than {MAX_ACTIONS:,} actions.")
    for position, count in rows.items():
        if count > MAX_ROWS:
            raise BadInput(
                f"{location}, trial {position}: the brush strokes are more than can be painted "
                f"({count:,} rows of pixels; {MAX_ROWS:,} are the most). No page takes as many: "
                "the export was changed."
            )


def _check_survey(plan: StudyPlan, event: EventCopy, location: str) -> None:
    """The answers of one page, of which an anonymous export has only some."""
    stored = [event.body.get(name) or {} for name in ("answers", PERSONAL)]
    part = event.body.get("part")
    if part not in list(SurveyPart) or not all(isinstance(values, Mapping) for values in stored):
        raise BadInput(f"{location}: answers about a participant are of no page.")
    items = {item.id: item for item in plan.survey.part(SurveyPart(part))}
    for name, values in zip(("answers", PERSONAL), stored, strict=True):
        for key, value in values.items():
            if key not in items:
                raise BadInput(f"{location}: {key[:40]!r} is no question about participants.")
            try:
                read = items[key].read(value)
            except BadInput as error:
                raise BadInput(f"{location}: {error}") from None
            if read is not None and name != PERSONAL and items[key].is_apart(read):
                raise BadInput(f"{location}: the answer to {key[:40]!r} is not kept apart.")


def _checked_action(plan: StudyPlan, event: EventCopy, location: str) -> Action:
    if plan.kind is not Kind.COLORINGS or event.position is None:
        raise BadInput(f"{location}: something is colored where there is nothing to color.")
    try:
        action = read_action(event.body)
    except BadInput as error:
        raise BadInput(f"{location}, trial {event.position}: {error}") from None
    if isinstance(action, Pick) and not plan.reference_image:
        raise BadInput(f"{location}: a color of a reference image, which the plan does not allow.")
    return action


def _check_marks(person: ParticipantCopy, location: str) -> None:
    for mark in person.marks:
        if mark.position >= len(person.trials):
            raise BadInput(f"{location}: a mark is on trial {mark.position}, which is not there.")


def _check_trial(
    plan: StudyPlan, trial: TrialCopy, trials: Sequence[TrialCopy], location: str
) -> None:
    # Practice sketches have no right answer.
    target = () if plan.kind is Kind.COLORINGS else _ASKED
    if (trial.expected is not None) != (trial.purpose in target):
        raise BadInput(f"{location}: only training and attention checks have an expected answer.")
    if trial.expected is not None and trial.expected >= plan.choice_count:
        raise BadInput(f"{location}: the expected answer cannot be given.")
    if (trial.original is not None) != (trial.purpose is Purpose.REPEAT):
        raise BadInput(f"{location}: only a repeat has an original.")
    if trial.purpose is Purpose.ATTENTION:
        if trial.stimulus_id or trial.order:
            raise BadInput(f"{location}: an attention check shows nothing.")
        return
    stimulus = plan.by_id.get(trial.stimulus_id)
    if stimulus is None or sorted(trial.order) != sorted(stimulus.models):
        raise BadInput(f"{location}: it shows what the plan does not have.")
    if trial.original is not None:
        before = trials[trial.original] if trial.original < trial.position else None
        if before is None or before.stimulus_id != trial.stimulus_id:
            raise BadInput(f"{location}: it repeats no trial before it.")
        # Consistency turns the answer back by the order.
        if before.purpose is not Purpose.MAIN or trial.order != before.order[::-1]:
            raise BadInput(f"{location}: a repeat shows a main trial with its sides turned.")


def _check_purposes(plan: StudyPlan, trials: Sequence[TrialCopy], location: str) -> None:
    """What the analysis takes for granted: nobody votes twice on one stimulus, and what has a known
    answer is no vote."""
    main = Counter(trial.stimulus_id for trial in trials if trial.purpose is Purpose.MAIN)
    if any(count > 1 for count in main.values()):
        raise BadInput(f"{location}: two main trials show one stimulus.")
    if main.keys() - {stimulus.id for stimulus in plan.main_stimuli}:
        raise BadInput(f"{location}: a main trial shows what is for training alone.")
    keys: dict[str, str | None] = dict(plan.training.keys)
    keys |= {stimulus.id: None for stimulus in plan.practice_stimuli}
    for trial in trials:
        if trial.purpose is not Purpose.TRAINING:
            continue
        expected = None if trial.expected is None else trial.order[trial.expected]
        if trial.stimulus_id not in keys or keys[trial.stimulus_id] != expected:
            raise BadInput(
                f"{location}, trial {trial.position}: it trains what the plan does not, or has "
                "another right answer."
            )
