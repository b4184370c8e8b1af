"""Save a verdict that Inspect shows, and a person's judgment of it, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from truehue.core.analysis.intervals import wilson
from truehue.core.analysis.names import run_labels
from truehue.core.color.systems import ColorTarget, parse_target
from truehue.core.errors import BadInput, NotStored, TrueHueError
from truehue.core.records import EvidenceRecord
from truehue.core.spreadsheets import csv_text
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import Measurement, measure_by_rules
from truehue.core.verdict.rules import MATCHES, PASS, RULE_NAMES, RULES, UNSCORED
from truehue.storage.verdicts.judgments import (
    MAX_REASON,
    JudgmentRecord,
    RuleAgainstPeople,
    RuleStatus,
)
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context, runs_of
from truehue.tabs.page.links import ID_LENGTH, link, whole
from truehue.tabs.page.requests import PageRequest, Whole
from truehue.tabs.page.roles import Actor, Resource, authorize
from truehue.tabs.page.shared_answers import Done
from truehue.tabs.verdicts.question import MAX_K, NEIGHBORS_OF, Question, evidence_record, question


def measured_by_all(
    context: Context, image_id: str, mask_id: str, put: Question
) -> list[Measurement]:
    """What every rule says of the pixels of a stored mask, in the order of the rules.

    Raises BadInput for a color that is none, NotStored for an image or mask that is not there.
    """
    return list(
        measure_by_rules(
            context.srgb8(image_id),
            context.mask_pixels(mask_id),
            parse_target(put.target_text),
            [by.id for by in RULES],
            acceptance=Acceptance(put.k, context.munsell, put.neighbors_of),
            target_object=put.target_object,
        )
    )


def store_evidence(
    context: Context, image_id: str, mask_id: str, put: Question, maker: str
) -> list[EvidenceRecord]:
    """Judges the question by all rules and stores every verdict, kept by ``maker``; what is stored
    stays as it is.

    Returns the rows in the order of the rules. Raises BadInput where nothing could be measured by
    the rule that was asked for, and for a mask of another image.
    """
    image = context.storage.images.get(image_id)
    mask = context.storage.masks.get(mask_id)
    measurements = measured_by_all(context, image.image_id, mask.mask_id, put)
    shown = next(
        measurement for measurement in measurements if measurement.verdict.rule == put.rule_id
    )
    if shown.dominant is None:
        raise BadInput(f"There is no verdict to save: {shown.verdict.reason}")
    return context.storage.evidence.add_many(
        [
            evidence_record(measurement, image.image_id, mask.mask_id)
            for measurement in measurements
        ],
        maker,
    )


class QuestionRequest(PageRequest):
    """A question about the pixels of a stored mask, as the page puts it."""

    image: str = ""
    mask: str = ""
    object: str = ""
    target: str = ""
    rule: str = ""
    k: Annotated[Whole, Field(ge=0, le=MAX_K, title="k, the number of accepted neighbors,")] = 0
    neighbors_of: str = NEIGHBORS_OF
    relation: str = MATCHES

    def question(self) -> Question:
        """What is asked. Raises BadInput for what it cannot be."""
        return question(
            self.object, self.target, self.rule, self.k, True, self.neighbors_of, self.relation
        )


@requires("add")
def save_question(context: Context, actor: Actor, request: QuestionRequest) -> list[EvidenceRecord]:
    """:func:`store_evidence` for what a page asks."""
    return store_evidence(context, request.image, request.mask, request.question(), actor.id)


class SavedVerdict(TypedDict):
    """The ids of the stored verdicts by rule; ``data`` names the folder."""

    evidence: dict[str, str]
    data: str


@requires("add")
def save_verdict(context: Context, actor: Actor, request: QuestionRequest) -> SavedVerdict:
    """Saves the verdicts of every rule on a question."""
    rows = save_question(context, actor, request)
    return {
        "evidence": {row.protocol: row.evidence_id for row in rows},
        "data": context.data_text(),
    }


PAGE = 100
MAX_POSITION = 2**31 - 1
POSITION = "Which image of the run, counted from 0,"
OTHERS = 5
"""How many answers of others a card shows."""


class AnswerVerdict(QuestionRequest):
    """A person's answer to a verdict: of a picture of a run (``run`` and ``position``), or of the
    question that was shown, whose verdicts are kept with it. ``rule`` is whose verdict was shown.
    """

    answer: Literal["pass", "fail"] = Field(title="What you see")
    reason: str = Field("", max_length=MAX_REASON, title="The reason")
    run: str = ""
    position: int | None = Field(None, strict=True, ge=0, le=MAX_POSITION, title=POSITION)


class Judgment(PageRequest):
    """A stored answer by its id."""

    judgment_id: str


class RuleStatusJson(TypedDict):
    """What a rule had said of the question."""

    rule: str
    name: str
    version: str
    status: str


class JudgmentJson(TypedDict):
    """A judgment as a card and a list show it; ``mine`` says whether the actor gave it."""

    id: str
    mine: bool
    answer: str
    reason: str
    rule: str
    rule_name: str
    version: str
    status: str
    agrees: bool | None
    statuses: list[RuleStatusJson]
    object: str
    hex: str
    color: str
    target: str
    relation: str
    image_id: str
    mask: str
    stored: bool
    thumb: str
    link: str
    run: str
    position: int | None
    at: str


class QuestionJudgments(TypedDict):
    """The actor's own answer to a question, and the latest of others."""

    judgment: JudgmentJson | None
    others: list[JudgmentJson]
    others_total: int


class RuleAgreementJson(TypedDict):
    """How often a rule says what people say; ``share`` as text, with Wilson's interval of the
    questions that it scored, empty where it scored none."""

    rule: str
    name: str
    version: str
    agree: int
    share: str
    too_strict: int
    too_lenient: int
    unscored: int


class JudgmentsView(TypedDict):
    """A page of people's answers, and the agreement of each rule with them."""

    total: int
    judgments: list[JudgmentJson]
    rules: list[RuleAgreementJson]


@requires("add")
def judge_verdict(context: Context, actor: Actor, request: AnswerVerdict) -> JudgmentJson:
    """Stores a person's answer to a verdict and returns it. Raises BadInput and NotStored."""
    judgment = _of_run(context, request) if request.run else _of_mask(context, actor, request)
    record = context.storage.judgments.add(replace(judgment, actor=actor.id))
    return judgment_json(context, actor, record)


@requires("change")
def withdraw(context: Context, actor: Actor, request: Judgment) -> Done:
    """Withdraws an answer. Raises NotStored."""
    record = context.storage.judgments.get(request.judgment_id)
    authorize(actor, "change", Resource(frozenset({record.actor})))
    context.storage.judgments.withdraw(record.judgment_id)
    return {}


def judgment_json(context: Context, actor: Actor, judgment: JudgmentRecord) -> JudgmentJson:
    """A judgment as JSON."""
    shown = judgment.statuses[judgment.rule]
    target = judgment.target
    stored = _is_stored(context, judgment.image_id)
    return {
        "id": judgment.judgment_id,
        "mine": is_mine(actor, judgment),
        "answer": judgment.answer,
        "reason": judgment.reason,
        "rule": judgment.rule,
        "rule_name": RULE_NAMES.get(judgment.rule, judgment.rule),
        "version": shown.version,
        "status": shown.status,
        "agrees": judgment.agrees,
        "statuses": [
            {
                "rule": rule,
                "name": RULE_NAMES.get(rule, rule),
                "version": rule_status.version,
                "status": rule_status.status,
            }
            for rule, rule_status in judgment.statuses.items()
        ],
        "object": judgment.object_name,
        "hex": str(target.get("hex") or ""),
        "color": str(target.get("name") or target.get("hex") or ""),
        "target": str(target.get("value") or target.get("hex") or ""),
        "relation": _relation(judgment),
        "image_id": judgment.image_id,
        "mask": judgment.mask_id,
        "stored": stored,
        "thumb": f"/media/thumbs/{judgment.image_id}.png" if stored else "",
        "link": _link(judgment) if stored else "",
        "run": judgment.run_id,
        "position": judgment.position,
        "at": judgment.created_at.isoformat() if judgment.created_at else "",
    }


def is_mine(actor: Actor, judgment: JudgmentRecord) -> bool:
    """Whether the actor gave that answer; nobody knows it of who cannot be told from others."""
    return bool(actor.id) and judgment.actor == actor.id


def judgments_view(context: Context, actor: Actor, query: Mapping[str, str]) -> JudgmentsView:
    """How often each rule agrees with people, and a page of their answers (``offset``)."""
    judgments = context.storage.judgments.all()
    offset = whole(query.get("offset", "0"), MAX_POSITION) or 0
    only = query.get("only", "")
    if only == "disagree":
        judgments = [judgment for judgment in judgments if not judgment.agrees]
    order = [by.id for by in RULES]
    rules = sorted(
        context.storage.judgments.by_rule(),
        key=lambda row: (order.index(row.rule) if row.rule in order else len(order), row.version),
    )
    return {
        "total": len(judgments),
        "judgments": [
            judgment_json(context, actor, judgment)
            for judgment in judgments[offset : offset + PAGE]
        ],
        "rules": [
            {
                "rule": row.rule,
                "name": RULE_NAMES.get(row.rule, row.rule),
                "version": row.version,
                "agree": row.agree,
                "share": _share(row),
                "too_strict": row.too_strict,
                "too_lenient": row.too_lenient,
                "unscored": row.unscored,
            }
            for row in rules
        ],
    }


def _share(row: RuleAgainstPeople) -> str:
    scored = row.agree + row.too_strict + row.too_lenient
    if not scored:
        return ""
    low, high = wilson(row.agree / scored, scored)
    return f"{100 * row.agree / scored:.0f}% ({low:.0f}–{high:.0f})"


def judgments_csv(context: Context) -> str:
    """CSV with a heading: a row for each answer that counts and each rule with a verdict."""
    runs = run_labels(runs_of(context))
    columns = (
        "judgment_id",
        "at",
        "answer",
        "reason",
        "shown_rule",
        "rule",
        "version",
        "status",
        "agrees",
        "object",
        "color",
        "color_hex",
        "relation",
        "image_id",
        "mask_id",
        "run_id",
        "run",
        "position",
    )
    rows = []
    for judgment in context.storage.judgments.all():
        for rule_id, rule_status in judgment.statuses.items():
            agrees = (
                ""
                if rule_status.status == UNSCORED
                else str(rule_status.status == judgment.answer).lower()
            )
            row = (
                judgment.judgment_id,
                judgment.created_at.isoformat() if judgment.created_at else "",
                judgment.answer,
                judgment.reason,
                judgment.rule,
                rule_id,
                rule_status.version,
                rule_status.status,
                agrees,
                judgment.object_name,
                judgment.target.get("name"),
                judgment.target.get("hex"),
                _relation(judgment),
                judgment.image_id,
                judgment.mask_id,
                judgment.run_id,
                runs.get(judgment.run_id, ""),
                judgment.position if judgment.run_id else "",
            )
            rows.append(row)
    return csv_text(columns, rows)


def of_question(context: Context, actor: Actor, query: Mapping[str, str]) -> QuestionJudgments:
    """The answers that count to the question about a mask: ``image``, ``mask``, ``object``,
    ``target`` and ``relation``, as the page writes them. Raises BadInput for a color that is
    none."""
    color = parse_target(query.get("target", ""))
    probe = JudgmentRecord(
        PASS,
        "",
        {},
        query.get("image", ""),
        query.get("mask", ""),
        object_name=query.get("object", ""),
        target=_target_json(color, query.get("relation", MATCHES)),
    )
    return _answers(context, actor, probe)


def of_image(context: Context, actor: Actor, run_id: str, position: int) -> QuestionJudgments:
    """The answers that count to a picture of a run."""
    probe = JudgmentRecord(PASS, "", {}, "", run_id=run_id, position=position)
    return _answers(context, actor, probe)


def _answers(context: Context, actor: Actor, probe: JudgmentRecord) -> QuestionJudgments:
    """The actor's own answer to the question of ``probe``, or None, and the latest of others."""
    records = context.storage.judgments.of(probe.question)
    own = [record for record in records if is_mine(actor, record)]
    others = [record for record in records if not is_mine(actor, record)]
    return {
        "judgment": judgment_json(context, actor, own[0]) if own else None,
        "others": [judgment_json(context, actor, record) for record in others[:OTHERS]],
        "others_total": len(others),
    }


def _of_mask(context: Context, actor: Actor, request: AnswerVerdict) -> JudgmentRecord:
    rows = save_question(context, actor, request)
    shown = next(row for row in rows if row.protocol == request.rule)
    statuses = {row.protocol: RuleStatus(row.version, row.status) for row in rows}
    return JudgmentRecord(
        request.answer,
        shown.protocol,
        statuses,
        shown.image_id,
        shown.mask_id or "",
        object_name=shown.object_name,
        target=shown.target,
        reason=request.reason,
    )


def _of_run(context: Context, request: AnswerVerdict) -> JudgmentRecord:
    run, position = context.storage.runs.get(request.run), request.position
    if position is None:
        raise BadInput(f"{POSITION} is missing.", "position")
    items = context.storage.results.verdicts_of_image(
        run.run_id, position, ""
    )  # as the page counts them
    if not items:
        raise NotStored(f"Image {position:,} of this run has no result yet.")
    rule_id = request.rule or items[0].rule
    versions = dict(run.rules)
    statuses = {
        item.rule: RuleStatus(versions.get(item.rule, ""), item.picture_status) for item in items
    }
    if rule_id not in statuses:
        raise BadInput(f"This run was not scored by {rule_id!r:.40}.")
    color = parse_target(items[0].color) if items[0].color else None
    target = {} if color is None else _target_json(color, items[0].relation)
    return JudgmentRecord(
        request.answer,
        rule_id,
        statuses,
        items[0].image_id,
        "",
        run.run_id,
        position,
        items[0].object_name,
        target,
        request.reason,
    )


def _target_json(color: ColorTarget, relation: str) -> dict[str, Any]:
    """The target of a judgment: without a relation stand those that must have the color."""
    required = {"relation": relation} if relation not in ("", MATCHES) else {}
    return {"name": color.name, "hex": color.hex, **required}


def _relation(judgment: JudgmentRecord) -> str:
    return str(judgment.target.get("relation") or MATCHES)


def _is_stored(context: Context, image_id: str) -> bool:
    try:
        return bool(context.storage.images.get(image_id))
    except TrueHueError:
        return False


def _link(judgment: JudgmentRecord) -> str:
    target = judgment.target
    return link(
        "inspect",
        {
            "image": judgment.image_id[:ID_LENGTH],
            "mask": judgment.mask_id[:ID_LENGTH],
            "object": judgment.object_name,
            "target": str(target.get("value") or target.get("hex") or ""),
            "relation": str(target.get("relation") or ""),
            "rule": judgment.rule,
        },
    )
