"""Audits of runs: people's answers on a random sample of a run's images, and the accuracy by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict
from weakref import WeakKeyDictionary

from truehue.annotation.studies.cases import YES_NO
from truehue.core.analysis.audit import PeopleAccuracy, people_accuracy
from truehue.core.cache import LruCache
from truehue.core.errors import TrueHueError
from truehue.core.studies import StudyRecord
from truehue.storage.results.queries import Results
from truehue.storage.vlm.sets import ID_LENGTH
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.sources.studies import answers_key, study_answers

_NAME = "Audit of run "
SETTING = "audit"
"""The setting of a question set that has the id of the run; only code writes it, while anybody may
choose a set's name."""
SAMPLE = "sample"
"""The setting that says how the images were chosen."""
_KEPT = 256
_answers: WeakKeyDictionary[Results, LruCache[tuple[Any, AuditAnswers]]] = WeakKeyDictionary()


def audit_name(run_id: str) -> str:
    """What the question set of an audit is called."""
    return _NAME + run_id


def question_id(run_id: str, position: int) -> str:
    """The id of the question about one image of a run."""
    return f"{run_id}:{position}"


@dataclass(frozen=True)
class AuditAnswers:
    """``shares``: by position the share of people who say that the color is right, 0 to 1, of those
    of the ``sampled`` positions that people judged. ``people`` took part in the studies."""

    shares: Mapping[int, float]
    sampled: frozenset[int]
    people: int


def audit_studies(context: Context) -> dict[str, list[StudyRecord]]:
    """The studies that ask the questions of an audit, by the run's id."""
    studies: dict[str, list[StudyRecord]] = defaultdict(list)
    for record in context.storage.studies.all():
        named = record.plan.get("question_set")
        if not isinstance(named, Mapping) or not str(named.get("name", "")).startswith(_NAME):
            continue  # sets of other names need not be opened
        if run_id := _audited_run(context, str(named.get("sha256", ""))):
            studies[run_id].append(record)
    return dict(studies)


def _audited_run(context: Context, set_sha256: str) -> str:
    """The run that a question set audits; empty for a set that is none of an audit or not here."""
    try:
        settings = context.storage.question_sets.open(set_sha256[:ID_LENGTH]).settings
    except TrueHueError:
        return ""
    run_id = settings.get(SETTING)
    return run_id if isinstance(run_id, str) else ""


def audit_answers(
    context: Context, run_id: str, studies: Sequence[StudyRecord]
) -> AuditAnswers | None:
    """People's answers on the sampled images of a run in its audit ``studies``. None where it was
    not audited.

    Only participants count, to whom the study shows images by chance. Judgments ("I agree", "I
    disagree") do not: who judges in the app chooses the images, even those of the sample.
    """
    if not studies:
        return None
    key = tuple(answers_key(context, study.id) for study in studies)
    cache = _answers.setdefault(context.storage.results, LruCache(_KEPT))
    return cache.get(
        run_id,
        lambda: (key, _read_answers(context, run_id, studies)),
        lambda entry: entry[0] == key,
    )[1]


def _read_answers(context: Context, run_id: str, studies: Sequence[StudyRecord]) -> AuditAnswers:
    yes: dict[int, int] = defaultdict(int)
    votes: dict[int, int] = defaultdict(int)
    ids = {str(case["id"]) for study in studies for case in study.plan["cases"]}
    positions = {name: index for name in ids if (index := _position(run_id, name)) is not None}
    people = 0
    for record in studies:
        study = study_answers(context, record)
        if study is None:
            continue
        people += study.participants
        for answers in study.answers.values():
            for answer in answers:
                if answer.reading in YES_NO and answer.question_id in positions:
                    votes[positions[answer.question_id]] += 1
                    yes[positions[answer.question_id]] += answer.reading == YES_NO[0]
    shares = {position: yes[position] / count for position, count in votes.items()}
    return AuditAnswers(shares, frozenset(positions.values()), people)


def accuracy_by_people(
    context: Context, run_id: str, rule_id: str, audit: AuditAnswers | None
) -> PeopleAccuracy | None:
    """The accuracy of a run by people and the verdicts of a rule; None before ten images were
    judged, for a run without an audit, and where a task and color system has no image in the
    sample, of which nothing is known then."""
    if audit is None:
        return None
    strata: dict[tuple[str, str], dict[int, bool]] = defaultdict(dict)
    prompts = set()
    for image in context.storage.results.scored_images(rule_id, run_id):
        strata[image.task, image.system][image.position] = image.passes
        prompts.add(image.prompt)
    if any(audit.sampled.isdisjoint(own) for own in strata.values()):
        return None
    return people_accuracy(strata, audit.shares, len(prompts))


class AuditStudy(TypedDict):
    """A study of a run's audit, and what it is in a few words."""

    study: str
    words: str


def audits_json(context: Context) -> dict[str, list[AuditStudy]]:
    """The studies of every run that was audited, by the run's id."""
    return {
        run_id: [
            {
                "study": record.id,
                "words": f"{count_noun(len(record.plan['cases']), 'image')}, {record.state.value}",
            }
            for record in records
        ]
        for run_id, records in audit_studies(context).items()
    }


def accuracies_by_people(
    context: Context, run_ids: Iterable[str], rule_id: str
) -> dict[str, PeopleAccuracy]:
    """:func:`accuracy_by_people` of those runs that have one."""
    studies = audit_studies(context)
    by_run = {
        run_id: accuracy_by_people(
            context, run_id, rule_id, audit_answers(context, run_id, studies[run_id])
        )
        for run_id in run_ids
        if run_id in studies
    }
    return {run_id: people for run_id, people in by_run.items() if people is not None}


def _position(run_id: str, name: str) -> int | None:
    """The image of the run that a question is about, None for another question."""
    run, _, position = name.rpartition(":")
    return int(position) if run == run_id and position.isdecimal() else None
