"""The study of an audit: a random sample of a run's images, each with a yes or no question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, TypedDict

from pydantic import Field

from truehue.annotation.studies.cases import YES_NO
from truehue.annotation.studies.languages import languages
from truehue.annotation.studies.presets import PRESETS
from truehue.core.analysis.audit import ANSWERS, IMAGES, sample
from truehue.core.analysis.records import FailureItem
from truehue.core.errors import BadInput
from truehue.core.verdict.rules import DIFFERS
from truehue.core.vlm.records import Form, IllustratedQuestion, Question
from truehue.storage.results.scored import ScoredImage
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.audits import SAMPLE, SETTING, audit_name, question_id
from truehue.tabs.studies.changing import JOB, create
from truehue.tabs.studies.form import StudyForm

PRESET = PRESETS["questions"]
MAX_IMAGES = 5_000
_TEXTS = {
    "en": (
        "Does this image show {parts}?",
        "“{object}” in the color “{color}”",
        "“{object}” without the color “{color}”",
        " and ",
    ),
    "de": (
        "Zeigt dieses Bild {parts}?",
        "„{object}“ in der Farbe „{color}“",
        "„{object}“ ohne die Farbe „{color}“",
        " und ",
    ),
}


@dataclass(frozen=True)
class AuditSample:
    """The images chosen of the ``stored`` ones of those that the rule scored (``scored``), where
    ``wanted`` were asked for. They are of ``strata`` tasks and color systems."""

    run_id: str
    rule_id: str
    seed: int
    images: tuple[ScoredImage, ...]
    stored: int
    scored: int
    wanted: int
    strata: int

    def text(self) -> str:
        """What was chosen, why more than was wanted, and what could not be."""
        gone = self.scored - self.stored
        rest = f" {gone:,} scored images are not stored and could not be chosen." if gone else ""
        more = (
            f" {self.wanted:,} were wanted, but each of the {self.strata} tasks with a color system "
            "needs two: from one image nobody can tell how much people and rule differ there."
            if len(self.images) > self.wanted
            else ""
        )
        return (
            f"{count_noun(len(self.images), 'image')} at random (seed {self.seed}) of "
            f"{self.stored:,} that {self.rule_id} scored, by task and color system.{more}{rest}"
        )


def audit_sample(context: Context, run_id: str, rule_id: str, count: int, seed: int) -> AuditSample:
    """``count`` images that the rule scored, each task and color system with its share of them.
    Raises BadInput where none is stored, and for a run without all of its results: they come task by
    task, so that a sample of the first ones says nothing of the others."""
    run = context.storage.runs.get(run_id)
    if run.items < run.total:
        raise BadInput(
            f"The run has {run.items:,} of {count_noun(run.total, 'image')}. Let it end first: an "
            "audit is a sample of all of them."
        )
    scored = context.storage.results.scored_images(rule_id, run_id)
    stored = context.storage.images.by_ids(dict.fromkeys(image.image_id for image in scored))
    images = {image.position: image for image in scored if image.image_id in stored}
    if not images:
        raise BadInput(
            f"The run has no image that {rule_id} scored and that is stored. An audit needs images: "
            "score the run, or generate it with --keep-images all."
        )
    strata: dict[tuple[str, str], list[int]] = defaultdict(list)
    for image in images.values():
        strata[image.task, image.system].append(image.position)
    chosen = sorted(position for own in sample(strata, count, seed).values() for position in own)
    return AuditSample(
        run_id,
        rule_id,
        seed,
        tuple(images[position] for position in chosen),
        len(images),
        len(scored),
        count,
        len(strata),
    )


def create_audit(
    context: Context, actor: Actor, audit: AuditSample, votes: int, language: str
) -> str:
    """Stores the questions as a set, which VLMs can answer too, and a study of them as a draft. The
    id of the study.

    The rule's verdict stands where other questions have their right answer, so that "right" is
    agreement with the rule. Raises BadInput for an unknown language.
    """
    _require_language(language)
    settings = {
        SETTING: audit.run_id,
        "rule": audit.rule_id,
        "seed": audit.seed,
        SAMPLE: audit.text(),
    }
    set_id, _ = context.storage.question_sets.add(
        _questions(context, audit, language), audit_name(audit.run_id), settings
    )
    trials = min(PRESET.trials, len(audit.images))
    form = StudyForm(
        preset=PRESET.id,
        question_set=set_id,
        number=0,
        votes=votes,
        trials=trials,
        repeats=min(PRESET.repeats, trials),
        attention=min(PRESET.attention, trials),
        language=language,
        seed=audit.seed,
    )
    return create(context, actor, form)["study"]["id"]


def _require_language(language: str) -> None:
    if language not in languages():
        raise BadInput(f"There is no language {language[:20]!r}: {', '.join(languages())}.")


class AuditRequest(PageRequest):
    """A run whose images people are to judge, how many of them, and in which language."""

    run: str = Field(max_length=64, title="The run")
    n: Annotated[Whole, Field(ge=1, le=MAX_IMAGES, title="The number of images")] = IMAGES
    language: str = "en"


class StartedAudit(TypedDict):
    """The job whose result names the ``study``; ``text`` says what was chosen."""

    job: str
    text: str


@requires("study")
def start_audit(context: Context, actor: Actor, request: AuditRequest) -> StartedAudit:
    """Starts to make the study that ``truehue runs audit`` makes, by the run's first rule. What is
    wrong with the run, the number and the language is said before."""
    _require_language(request.language)
    run = context.storage.runs.get(request.run)
    if not run.rules:
        raise BadInput(
            "The run was scored by no rule, so there is nothing that people could check."
        )
    audit = audit_sample(context, run.run_id, run.rules[0][0], request.n, 0)
    job = context.jobs.start(
        JOB,
        f"Creating the check of “{run.name}” by people",
        actor,
        lambda job: {"study": create_audit(context, actor, audit, ANSWERS, request.language)},
    )
    return {"job": job.id, "text": audit.text()}


def _questions(
    context: Context, audit: AuditSample, language: str
) -> Iterator[IllustratedQuestion]:
    for image in audit.images:
        question = Question(
            question_id(audit.run_id, image.position),
            image.task,
            Form.BINARY,
            _question(context, audit.run_id, audit.rule_id, image.position, language),
            (),
            YES_NO[0] if image.passes else YES_NO[1],
            image.image_id,
        )
        yield IllustratedQuestion(question, context.storage.images.srgb8(image.image_id))


def _question(context: Context, run_id: str, rule_id: str, position: int, language: str) -> str:
    items = [
        item
        for item in context.storage.results.verdicts_of_image(run_id, position)
        if item.rule == rule_id
    ]
    whole, has, lacks, joint = _TEXTS.get(language, _TEXTS["en"])
    return whole.format(
        parts=joint.join(
            (lacks if item.relation == DIFFERS else has).format(
                object=item.object_name, color=_color(item)
            )
            for item in items
        )
    )


def _color(item: FailureItem) -> str:
    return item.color_name.lower() or item.asked_hex
