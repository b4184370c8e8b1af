"""The form of Inspect: open images, measure selections, find objects.

The page sends the whole selection and question with every change, and shows the last response.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from pydantic import Field

from truehue.core.errors import BadInput
from truehue.core.verdict.audit import read_limits
from truehue.core.verdict.rules import DEFAULT_RULE, MATCHES
from truehue.tabs.inspect.mask_request import (
    CutPoints,
    FindObject,
    labels_for,
    start_find,
    start_points,
)
from truehue.tabs.inspect.score import (
    PROPOSING,
    EvidenceJson,
    Opening,
    StageJson,
    VerdictJson,
    judge,
    last_question,
    open_on_stage,
    question_of,
)
from truehue.tabs.inspect.view import WAITING
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.links import read
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, allowed
from truehue.tabs.verdicts.question import NEIGHBORS_OF, VerdictQuestion, question


class QuestionFields(PageRequest):
    """The fields of the question as they stand: :func:`truehue.tabs.verdicts.question.question`
    reads them."""

    object: Any = ""
    target: Any = ""
    rule: Any = DEFAULT_RULE
    k: Any = 0
    show_measured: Any = True
    neighbors_of: Any = NEIGHBORS_OF
    relation: Any = MATCHES

    @property
    def controls(self) -> tuple[Any, ...]:
        """The arguments of :func:`truehue.tabs.verdicts.question.question`."""
        return (
            self.object,
            self.target,
            self.rule,
            self.k,
            self.show_measured,
            self.neighbors_of,
            self.relation,
        )


class MarkedImage(QuestionFields):
    """The image on the stage and its marks, numbered ``seq``, with the question. ``selects`` says that
    the marks have changed, and not only the question, ``proposed`` that nobody changed them: the page
    asks for the first mask of an image."""

    image_id: Any = ""
    marks: Any = ()
    seq: Any = 0
    selects: bool = False
    proposed: bool = False


class OpenImage(QuestionFields):
    """A stored image, its mask and its question; with ``last`` those of its last saved verdict."""

    image: str = Field(max_length=64, title="The image")
    mask: str = Field("", max_length=64, title="The mask")
    last: bool = False


class FollowLink(PageRequest):
    """The values of a link."""

    query: dict[str, str] = Field(default_factory=dict, title="The link")


class ScoredMarks(TypedDict):
    """What stage, verdict and evidence show; ``data`` says what is stored, in words."""

    stage: StageJson
    verdict: VerdictJson
    evidence: EvidenceJson
    data: str


class OpenedImage(TypedDict, total=False):
    """The same of an image that was opened, with its question and the negative labels of its
    object, comma-separated; empty for a link that names none."""

    stage: StageJson
    verdict: VerdictJson
    evidence: EvidenceJson
    question: VerdictQuestion
    labels: str
    data: str


class StartedMask(TypedDict):
    """The job that finds an object."""

    job: str
    words: str


@requires("add")
def score_marks(context: Context, actor: Actor, request: MarkedImage) -> ScoredMarks:
    """Makes the mask of the selections and scores it; returns what stage, verdict and evidence
    show."""
    value = {"image_id": request.image_id, "marks": request.marks, "seq": request.seq}
    stage, verdict, evidence = judge(
        context, value, *request.controls, selects=request.selects, proposed=request.proposed
    )
    data = context.data_text()
    return {"stage": stage, "verdict": verdict, "evidence": evidence, "data": data}


@requires("look")
def open_image(context: Context, actor: Actor, request: OpenImage) -> OpenedImage:
    """Opens a stored image with its mask and scores it. Raises BadInput and NotStored."""
    put, mask_id = question(*request.controls), request.mask
    if request.last:
        put, mask_id = last_question(context, request.image, put)
    return _opened(context, actor, open_on_stage(context, request.image, put, mask_id))


@requires("look")
def open_link(context: Context, actor: Actor, request: FollowLink) -> OpenedImage:
    """Opens what a link names; empty for one that names no image. Raises BadInput for a link to
    what is not stored."""
    query = read(request.query)
    if query.get("tab", "inspect") != "inspect" or not query.get("image"):
        return {}
    try:
        put, text = question_of(query)
        limits, wrong = _limits_of(query)
        text = " ".join(filter(None, (text, wrong)))
        done = open_on_stage(context, query["image"], put, query.get("mask", ""), text)
    except Exception as error:
        raise BadInput(f"This link cannot be opened. {message_of(error)}") from error
    return _opened(context, actor, done, limits)


def _opened(context: Context, actor: Actor, done: Opening, limits: str = "") -> OpenedImage:
    """What the page shows of an opened image. The page alone tries ``limits`` on the verdict. It asks
    for a first mask where there is none, so that the image is on the screen before."""
    question = done.put.as_json(done.stage["image_id"], "")
    propose = done.stage["propose"] and allowed(actor, "add")
    if propose and done.verdict["view"]["status"] == WAITING:
        done.verdict["view"]["reason"] = PROPOSING
    return {
        "stage": {**done.stage, "propose": propose},
        "verdict": {**done.verdict, "limits": limits},
        "evidence": {"image": "", **done.evidence},
        "question": question,
        "labels": labels_for(question["object"]),
        "data": context.data_text(),
    }


def _limits_of(query: Mapping[str, str]) -> tuple[str, str]:
    """The limits that a link tries, in their plainest form, and what is wrong with them."""
    try:
        limits = read_limits(query.get("limits", ""))
    except BadInput as error:
        return "", str(error)
    return ",".join(f"{name}:{value:g}" for name, value in limits.items()), ""


@requires("compute")
def find_object(context: Context, actor: Actor, request: FindObject) -> StartedMask:
    """Starts to find an object. Raises BadInput where weights are missing."""
    return _started(start_find(context, actor, request))


@requires("compute")
def cut_points(context: Context, actor: Actor, request: CutPoints) -> StartedMask:
    """Starts to segment the object that points select. Raises BadInput where weights are missing."""
    return _started(start_points(context, actor, request))


def _started(job: Job) -> StartedMask:
    return {"job": job.id, "words": job.record.words}
