"""The available question sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from truehue.core.vlm.color_judge.questions import SYSTEM_NAMES
from truehue.core.vlm.generators import (
    GENERATORS,
    Difficulty,
)
from truehue.core.vlm.published import HUB_ID
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.tasks import TASKS
from truehue.tabs.page.actor import requires, stored_resource
from truehue.tabs.page.requests import PageRequest
from truehue.tabs.page.roles import Actor, allowed, authorize
from truehue.tabs.page.shared_answers import Done, NamedChoice
from truehue.tabs.vlm.messages import about_task, set_facts, task_title

if TYPE_CHECKING:
    from truehue.storage.vlm.sets import StoredQuestionSet
    from truehue.tabs.page.context import Context

QUESTION_SET = "question set"
"""The kind of these among what somebody brought."""
MAX_A_TASK = 500
MAX_NAME = 80


class HideSet(PageRequest):
    """Whether a set is out of the list."""

    set: str
    hidden: bool = True


class TaskCount(TypedDict):
    """A task with the number of its questions."""

    id: str
    title: str
    count: int


class DescribedChoice(TypedDict):
    """One of several choices, with a sentence about it."""

    id: str
    title: str
    about: str


class QuestionSetJson(TypedDict):
    """A set; ``problem`` says why one cannot be read, ``may`` what the user may do with it."""

    id: str
    hidden: bool
    problem: str
    may: dict[str, bool]
    name: str
    questions: int
    images: int
    tasks: list[TaskCount]
    facts: str
    published: bool
    appendix_e: bool
    variants: bool


class GeneratorChoices(TypedDict):
    """What can be generated; ``most`` questions of each task."""

    tasks: list[DescribedChoice]
    difficulties: list[str]
    most: int
    systems: list[NamedChoice]


def set_json(context: Context, actor: Actor, stored: StoredQuestionSet) -> QuestionSetJson:
    """One set as the page shows it."""
    question_set = stored.questions
    own = stored_resource(context, QUESTION_SET, stored.set_id)
    may = {
        "hide": allowed(actor, "change", own),
        "study": question_set is not None and not context.demo and allowed(actor, "study"),
    }
    if question_set is None:
        return {
            "id": stored.set_id,
            "hidden": stored.hidden,
            "problem": stored.problem,
            "may": may,
            "name": stored.set_id[:12],
            "questions": 0,
            "images": 0,
            "tasks": [],
            "facts": "",
            "published": False,
            "appendix_e": False,
            "variants": False,
        }
    published = question_set.settings.get("source") == HUB_ID
    known = [task for task in TASKS if task in question_set.counts]
    others = [task for task in question_set.counts if task not in TASKS]
    return {
        "id": stored.set_id,
        "hidden": stored.hidden,
        "problem": stored.problem,
        "may": may,
        "name": question_set.name,
        "questions": question_set.questions_count,
        "images": question_set.images_count,
        "tasks": [
            {"id": task, "title": task_title(task), "count": question_set.counts[task]}
            for task in (*known, *others)
        ],
        "facts": set_facts(question_set),
        "published": published,
        "appendix_e": bool(question_set.settings.get("appendix_e")),
        "variants": bool(question_set.settings.get("variants_of")) or published,
    }


def sets_json(context: Context, actor: Actor) -> list[QuestionSetJson]:
    """All sets, newest first, also what is hidden or cannot be read."""
    return [set_json(context, actor, stored) for stored in context.storage.question_sets.all()]


def generator_json() -> GeneratorChoices:
    """What can be drawn."""
    return {
        "tasks": [
            {"id": task, "title": task_title(task), "about": about_task(task)}
            for task in GENERATORS
        ],
        "difficulties": [str(difficulty) for difficulty in Difficulty],
        "most": MAX_A_TASK,
        "systems": [{"id": system, "name": name} for system, name in SYSTEM_NAMES.items()],
    }


@requires("change")
def hide_set(context: Context, actor: Actor, request: HideSet) -> Done:
    """Hides a set, or shows it again. Raises NotStored."""
    authorize(actor, "change", stored_resource(context, QUESTION_SET, request.set))
    context.storage.question_sets.hide(request.set, request.hidden)
    return {}


def opened(context: Context, set_id: str) -> QuestionSet:
    """Raises NotStored, and what reading it raises."""
    return context.storage.question_sets.open(set_id)
