"""A plan from a draft: distributions added, settings checked, sources described."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from truehue.annotation.studies.cases import Candidate, Case
from truehue.annotation.studies.plan import (
    Closing,
    Completion,
    Consent,
    Ending,
    Example,
    Material,
    Practice,
    Review,
    Screening,
    StudyPlan,
    Training,
    to_json,
)
from truehue.core.concepts.records import KINDS, METHODS
from truehue.core.errors import BadInput
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.page.roles import Actor
from truehue.tabs.sources.distributions import SET, label_of, parse
from truehue.tabs.studies.completion import OTHER_ENDINGS, CompletionForm
from truehue.tabs.studies.drafting import Draft, draft, draft_of_sketches
from truehue.tabs.studies.form import ClosingForm, StudyForm
from truehue.tabs.studies.questions.sets import (
    draft_of_questions,
    missing_images,
    opened_set,
    store_image,
)
from truehue.tabs.studies.sketch_choices import store_choice
from truehue.tabs.studies.sources import Weights

FORM = "form"
"""Where the form stands in a stored plan, beside the plan's own fields."""
MAX_MEASURED = 60
"""Distributions that are measured while a page waits; more of them are a job."""
MAX_STORED = 200
"""Images of questions that are stored while a page waits."""
MAX_PREPARED = 2
"""Starter drawings that are prepared while a page waits, about a second each."""
Tell = Callable[[int, int], bool]


def draft_cases(context: Context, form: StudyForm) -> Draft:
    """The cases of a filled form, whatever is asked about them. Raises BadInput."""
    if form.material is Material.SKETCHES:
        return draft_of_sketches(context, form)
    if form.material is Material.QUESTIONS:
        return draft_of_questions(context, form)
    return draft(context, form)


def consent_of(text: str) -> Consent:
    """A text with its version: the first characters of its SHA-256, so that another text is
    another version by itself and the same text the same everywhere."""
    return Consent(hashlib.sha256(text.encode()).hexdigest()[:8], text)


def plan_of(draft: Draft, cases: tuple[Case, ...] | None = None) -> StudyPlan:
    """The plan of a draft. Without ``cases``, which have distributions, it is a plan of images: all
    but the distributions is checked. Raises BadInput for what cannot be served."""
    form = draft.form
    assert form.kind is not None
    preset = form.of_preset
    without = cases is None and form.material is Material.DISTRIBUTIONS
    return StudyPlan(
        title=form.title,
        kind=form.kind,
        material=Material.IMAGES if without else form.material,
        question=form.question or "",
        instructions=form.instructions or "",
        consent=consent_of(form.consent),
        cases=(*draft.cases, *draft.training) if cases is None else cases,
        votes=form.votes or 1,
        trials=form.trials or 1,
        seed=form.seed,
        model_sets=tuple(tuple(sorted(pair)) for pair in form.model_sets) or None,
        method=form.method,
        tie=bool(form.tie),
        skip=bool(form.skip),
        repeats=form.repeats or 0,
        attention=form.attention or 0,
        training=Training(
            draft.keys,
            form.training.needed,
            form.training.attempts,
            form.training.required and bool(draft.keys),
        ),
        screening=Screening(**form.screening.model_dump()),
        completion=completion_of(form.completion),
        endings=endings_of(form),
        returns_after_s=form.returns_after_s,
        missed_checks_limit=form.missed_checks_limit,
        time_limit_s=form.time_limit_s,
        omit_equal=form.omit_equal,
        record_input=form.record_input,
        # Sketches and questions come once each, and what counts as one case is theirs to say.
        case_gap=1 if form.material in (Material.SKETCHES, Material.QUESTIONS) else form.case_gap,
        survey=form.survey.survey(),
        closing=closing_of(form),
        abandoned_after_s=form.abandoned_after_s,
        unanswered_after_s=form.unanswered_after_s,
        start_percent=form.start_percent,
        language=form.language,
        intro=form.intro,
        outro=form.outro,
        wording=tuple(sorted(form.wording.items())),
        provenance=(
            *((f"Made as: {preset.name}. {preset.source}.",) if preset else ()),
            *draft.provenance,
        ),
        practice=Practice(
            tuple(case.id for case in draft.training) if form.practice else (),
            Review(form.practice.review) if form.practice else Review.RESEARCHER,
        ),
        examples=tuple(
            Example(example.text, example.good, example.image_id) for example in form.examples or ()
        ),
        question_set=draft.question_set,
        ask_background=form.ask_background if form.material is Material.SKETCHES else None,
        reference_image=form.reference_image and form.material is Material.SKETCHES,
        keep_color=form.keep_color and form.material is Material.SKETCHES,
    )


def completion_of(form: CompletionForm) -> Completion:
    """What a participant gets at an ending."""
    return Completion(form.code, form.url, form.text)


def endings_of(form: StudyForm) -> tuple[tuple[Ending, Completion], ...]:
    """What participants get at the other endings."""
    pages = ((Ending(name), completion_of(getattr(form.endings, name))) for name in OTHER_ENDINGS)
    return tuple((ending, page) for ending, page in pages if page != Completion())


def closing_of(form: StudyForm) -> Closing:
    """When the study closes by itself."""
    closing = form.closing or ClosingForm()
    return Closing(closing.when_complete, closing.participants, closing.replace_excluded)


def whole_plan(
    context: Context, actor: Actor, draft: Draft, tell: Tell = lambda done, total: True
) -> StudyPlan:
    """The plan with its distributions, which are extracted where they are not kept, or with its
    sketches or images of questions, which are stored where they are not.

    ``tell`` is called with how many cases of how many are done, and says whether to go on. Raises
    BadInput where it says no, and for a case whose pictures cannot be measured.
    """
    every = (*draft.cases, *draft.training)
    if draft.form.material is Material.IMAGES:
        plan = plan_of(draft, every)
    elif draft.form.material is Material.QUESTIONS:
        _store_images(context, actor, draft, tell)
        plan = plan_of(draft, every)
    else:
        weights = Weights(context, draft.form.extraction)
        cases = []
        for index, case in enumerate(every):
            if not tell(index, len(every)):
                raise BadInput("Stopped: no study was created.")
            if draft.form.material is Material.SKETCHES:
                sketch = store_choice(context, draft.sketches[case.id], actor.id)
                cases.append(replace(case, sketch=sketch))
            else:
                cases.append(with_weights(weights, draft, case))
        plan = plan_of(draft, tuple(cases))
    return replace(plan, provenance=(*plan.provenance, *origins(context, draft)))


def _store_images(context: Context, actor: Actor, draft: Draft, tell: Tell) -> None:
    """Stores the images of questions that are not here yet."""
    question_set = opened_set(context, draft.form.question_set)
    missing = set(missing_images(context, draft))
    for index, case in enumerate(draft.cases):
        if not tell(index, len(draft.cases)):
            raise BadInput("Stopped: no study was created.")
        if not missing.isdisjoint(case.image_ids):
            store_image(context, question_set, case, actor.id)
            missing.difference_update(case.image_ids)


def long_work(context: Context, draft: Draft) -> str:
    """What has to be done in the background before the plan is whole, in words; empty where a page
    can wait for it."""
    if draft.form.material is Material.SKETCHES:
        drawings = len({sketch.drawing for sketch in draft.sketches.values() if not sketch.id})
        if drawings <= MAX_PREPARED:
            return ""
        return f"{count_noun(drawings, 'starter drawing')} will be prepared first, about a second each."
    if draft.form.material is Material.QUESTIONS:
        images = len(missing_images(context, draft))
        return f"{count_noun(images, 'image')} will be stored first." if images > MAX_STORED else ""
    measured = missing_weights(context, draft)
    if measured <= MAX_MEASURED:
        return ""
    return f"The colors of {count_noun(measured, 'concept')} will be measured first."


def with_weights(weights: Weights, draft: Draft, case: Case) -> Case:
    """A case with people's distribution and that of each candidate."""
    origin = draft.origins[case.id]
    candidates = tuple(
        Candidate(
            candidate.model,
            candidate.image_ids,
            weights.of(origin.weights[candidate.model], origin.words),
        )
        for candidate in case.candidates
    )
    return replace(case, candidates=candidates, reference=weights.of(origin.people, origin.words))


def missing_weights(context: Context, draft: Draft) -> int:
    """How many distributions have to be extracted from pictures before the plan is whole."""
    if draft.form.material is not Material.DISTRIBUTIONS:
        return 0
    weights = Weights(context, draft.form.extraction)
    wanted = {
        (text, origin.words)
        for case in (*draft.cases, *draft.training)
        for origin in (draft.origins[case.id],)
        for text in (*(origin.weights[model] for model in case.models), origin.people)
    }
    return sum(not weights.is_stored(text, message) for text, message in wanted)


def origins(context: Context, draft: Draft) -> list[str]:
    """Sentences on where pictures and distributions are from."""
    form = draft.form
    sentences = [f"{model.name}: {_listed(context, model.sources)}." for model in form.models]
    if form.material is not Material.DISTRIBUTIONS:
        return sentences
    sentences.append(f"People's colors: {_listed(context, form.people)}.")
    sources = (*form.people, *(source for model in form.models for source in model.sources))
    kinds = {
        context.storage.distributions.get(parse(text).id).kind
        for text in sources
        if parse(text).kind == SET
    }
    sentences += [f"{KINDS[kind][0].upper()}{KINDS[kind][1:]}." for kind in sorted(kinds)]
    if any(parse(text).kind != SET for text in sources):
        sentences.append(f"Of images: {METHODS[form.extraction]}.")
    return sentences


def stored(plan: StudyPlan, form: StudyForm | None) -> dict[str, Any]:
    """The plan as it is stored, with the form that made it."""
    content = to_json(plan)
    if form is not None:
        content[FORM] = form.model_dump(mode="json")
    return content


def form_of(content: Mapping[str, Any]) -> StudyForm | None:
    """The form of a stored plan; None where it was not made by one."""
    fields = content.get(FORM)
    return StudyForm.model_validate(fields) if isinstance(fields, Mapping) else None


def _listed(context: Context, texts: tuple[str, ...]) -> str:
    labels = list(dict.fromkeys(f"{label_of(context, text)} ({text})" for text in texts[:5]))
    more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
    return ", ".join(labels) + more
