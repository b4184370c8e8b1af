"""Audits of runs: people's answers on a random sample of a run's images, and the accuracy by them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from truehue.annotation.studies.cases import YES_NO
from truehue.core.analysis.audit import PeopleAccuracy, people_accuracy
from truehue.core.verdict.rules import PASS
from truehue.tabs.page.context import Context
from truehue.tabs.sources.studies import human_answers

_NAME = "Audit of run "


def audit_name(run_id: str) -> str:
    """What the question set of an audit is called, by which its studies are found."""
    return _NAME + run_id


def question_id(run_id: str, position: int) -> str:
    """The id of the question about one image of a run."""
    return f"{run_id}:{position}"


@dataclass(frozen=True)
class AuditAnswers:
    """``shares``: by position the share of people who say that the color is right, 0 to 1, of those
    of the ``sampled`` images that somebody judged. ``people`` took part in the studies."""

    shares: Mapping[int, float]
    sampled: int
    people: int


def audit_answers(context: Context, run_id: str) -> AuditAnswers | None:
    """People's answers on the sampled images of a run: those of its audit studies, and judgments
    ("I agree", "I disagree") of these images. Judgments of other images do not count: nobody chose
    those by chance. None where the run was not audited."""
    plans = [
        record.plan
        for record in context.storage.studies.all()
        if isinstance(named := record.plan.get("question_set"), Mapping)
        and named.get("name") == audit_name(run_id)
    ]
    if not plans:
        return None
    yes: dict[int, int] = defaultdict(int)
    votes: dict[int, int] = defaultdict(int)
    sampled = {_position(case["id"]) for plan in plans for case in plan["cases"]}
    digests = sorted({str(plan["question_set"]["sha256"]) for plan in plans})
    studies = [study for digest in digests for study in human_answers(context, digest)]
    for study in studies:
        for answers in study.answers.values():
            for answer in answers:
                if answer.reading in YES_NO:
                    votes[_position(answer.question_id)] += 1
                    yes[_position(answer.question_id)] += answer.reading == YES_NO[0]
    for judgment in context.storage.judgments.all():
        if judgment.run_id == run_id and judgment.position in sampled:
            votes[judgment.position] += 1
            yes[judgment.position] += judgment.answer == PASS
    shares = {position: yes[position] / count for position, count in votes.items()}
    return AuditAnswers(shares, len(sampled), sum(study.participants for study in studies))


def accuracy_by_people(context: Context, run_id: str, rule_id: str) -> PeopleAccuracy | None:
    """The accuracy of a run by people and the verdicts of a rule; None before ten images were
    judged, and for a run without an audit."""
    audit = audit_answers(context, run_id)
    if audit is None:
        return None
    strata: dict[tuple[str, str], dict[int, bool]] = defaultdict(dict)
    prompts = set()
    for image in context.storage.results.scored_images(rule_id, run_id):
        strata[image.task, image.system][image.position] = image.passes
        prompts.add(image.prompt)
    return people_accuracy(strata, audit.shares, len(prompts))


def _position(name: str) -> int:
    return int(name.rpartition(":")[2])
