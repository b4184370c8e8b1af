"""Sets of questions that a study can be made of, and the names of their tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from truehue.annotation.studies.cases import Case
from truehue.core.errors import BadInput, NotStored
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.tasks import TASKS
from truehue.tabs.page.context import Context


def task_name(task_id: str) -> str:
    """``Color Counting``; the id itself of a task that is not known."""
    return TASKS[task_id].name if task_id in TASKS else task_id


def requires_people(task_id: str) -> bool:
    """Whether people are asked a task where nobody says otherwise: color codes and robustness are
    not, as in the paper."""
    return task_id not in TASKS or TASKS[task_id].people


def in_order(task_ids: Iterable[str]) -> list[str]:
    """Tasks in the order of the list of tasks, unknown ones last."""
    values = list(dict.fromkeys(task_ids))
    return [*(task for task in TASKS if task in values), *(t for t in values if t not in TASKS)]


def tasks_json(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """How many questions of each task there are among the cases of a study."""
    counts = Counter(case.group for case in cases)
    return [
        {"id": task, "name": task_name(task), "questions": counts[task]}
        for task in in_order(counts)
    ]


def chosen_tasks(question_set: QuestionSet, tasks: Sequence[str]) -> list[str]:
    """The tasks that are asked: those named, or all that people are asked. Raises BadInput for one
    that the set has not."""
    unknown = [task for task in tasks if task not in question_set.counts]
    if unknown:
        raise BadInput(
            f"“{question_set.name}” has no questions of {', '.join(map(task_name, unknown))[:200]}.",
            "tasks",
        )
    return in_order(tasks or [task for task in question_set.counts if requires_people(task)])


def opened_set(context: Context, set_id: str) -> QuestionSet:
    """The set that a form names. Raises BadInput where none is named or it is not here, and
    StorageError where it was changed."""
    if not set_id:
        raise BadInput("Choose a question set.", "question_set")
    try:
        return context.storage.question_sets.open(set_id)
    except NotStored as error:
        raise BadInput(str(error), "question_set") from None


def sets_json(context: Context) -> list[dict[str, Any]]:
    """The sets to choose from, newest first, with their tasks."""
    return [
        {
            "id": question_set.set_id,
            "name": question_set.questions.name,
            "questions": question_set.questions.questions_count,
            "images": question_set.questions.images_count,
            "sha256": question_set.questions.sha256,
            "tasks": [
                {
                    "id": task,
                    "name": task_name(task),
                    "questions": question_set.questions.counts[task],
                    "people": requires_people(task),
                }
                for task in in_order(question_set.questions.counts)
            ],
        }
        for question_set in context.storage.question_sets.all()
        if question_set.questions is not None and not question_set.hidden
    ]
