"""The available question sets, and the cases of a study sampled from one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypedDict

import numpy as np

from truehue.annotation.studies.cases import Case, QuestionSetName, stored_question
from truehue.core.errors import BadInput, NotStored
from truehue.core.vlm.question_set import QuestionSet
from truehue.core.vlm.records import Form, Question
from truehue.core.vlm.tasks import ROBUSTNESS, TASKS
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.sources.audits import SAMPLE
from truehue.tabs.studies.drafting import Draft
from truehue.tabs.studies.form import StudyForm

SOURCE = "question"
"""What images of questions are stored as."""


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


class TaskJson(TypedDict):
    """A task and how many questions of it there are."""

    id: str
    name: str
    questions: int


def tasks_json(cases: Iterable[Case]) -> list[TaskJson]:
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


class SetTask(TaskJson):
    """A task of a set; ``people`` says that they are asked it where nobody says otherwise."""

    people: bool


class StudyQuestionSet(TypedDict):
    """A set of questions to choose."""

    id: str
    name: str
    questions: int
    images: int
    sha256: str
    tasks: list[SetTask]


def sets_json(context: Context) -> list[StudyQuestionSet]:
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


def draft_of_questions(context: Context, form: StudyForm) -> Draft:
    """The cases of a filled form. Raises BadInput where no question is left to ask."""
    question_set = opened_set(context, form.question_set)
    tasks = chosen_tasks(question_set, form.tasks)
    every = list(question_set.questions())
    wanted = [question for question in every if question.task in tasks]
    askable = [question for question in wanted if _why_not(question) is None]
    chosen = [
        question
        for task in tasks
        for question in _sample_questions(
            [q for q in askable if q.task == task], form.number or 0, form.seed
        )
    ]
    if not chosen:
        why = "; ".join(_left_out(wanted)) or "none of these tasks has one"
        raise BadInput(f"No questions are left for people: {why}. Choose other tasks.", "tasks")
    return Draft(
        form,
        tuple(
            Case(
                question.question_id,
                question.text,
                (),
                question.task,
                question=stored_question(question),
            )
            for question in chosen
        ),
        (),
        (),
        {},
        len(every),
        len(askable),
        tuple(_message(form, question_set, every, askable, chosen)),
        question_set=QuestionSetName(question_set.name, question_set.sha256),
    )


class NamedQuestionSet(TypedDict):
    """A set of questions by its name and size."""

    id: str
    name: str
    questions: int


class ChosenTask(TaskJson):
    """A task of a study, of which the set has ``of`` questions."""

    of: int


class SampleQuestion(TypedDict):
    """A question as a participant gets it."""

    words: str
    form: str
    choices: list[str]
    image: str


class OutlinedQuestions(TypedDict):
    """The questions of a study."""

    set: NamedQuestionSet
    tasks: list[ChosenTask]
    sample: SampleQuestion


def questions_json(context: Context, draft: Draft) -> OutlinedQuestions:
    """What is asked, by task, what is left out in words, and the first question as a sample."""
    question_set = opened_set(context, draft.form.question_set)
    sample = draft.cases[0]
    assert sample.question is not None
    return {
        "set": {
            "id": draft.form.question_set,
            "name": question_set.name,
            "questions": question_set.questions_count,
        },
        "tasks": [
            {**record, "of": question_set.counts[record["id"]]}
            for record in tasks_json(draft.cases)
        ],
        "sample": {
            "words": sample.words,
            "form": sample.question.form.value,
            "choices": list(sample.question.choices),
            "image": f"/api/vlm/images/{draft.form.question_set}/{sample.question.image_id}.png",
        },
    }


def missing_images(context: Context, draft: Draft) -> list[str]:
    """The ids of images that the study shows and that are not stored yet."""
    wanted = dict.fromkeys(image for case in draft.cases for image in case.image_ids)
    stored = context.storage.images.by_ids(wanted)
    return [image for image in wanted if image not in stored]


def store_image(context: Context, question_set: QuestionSet, case: Case, maker: str) -> None:
    """Stores the image of a question, pixel by pixel as the set has it. Raises StorageError where
    the set has it no more."""
    assert case.question is not None
    question = case.question
    context.storage.images.add(
        question_set.pixels(question.image_id),
        f"{question.question_id}.png",
        SOURCE,
        origin={"set": question_set.sha256, "question": question.question_id, "task": case.group},
        maker=maker,
    )


def _why_not(question: Question) -> str | None:
    """Why people are not asked a question, as the end of a sentence on so many; None where they
    are."""
    if question.seed_id or question.variant or question.task == ROBUSTNESS:
        return "variants of other questions, which count for robustness alone"
    if question.form is Form.OPEN:
        return "answered in free text, which cannot be tapped"
    return None


def _sample_questions(questions: Sequence[Question], number: int, seed: int) -> list[Question]:
    """So many of one task by the seed, in the order of the set; all where there are no more. The
    first ones stay the same when more are asked for."""
    if not number or number >= len(questions):
        return list(questions)
    digest = hashlib.sha256(questions[0].task.encode()).digest()
    rng = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    positions = sorted(int(index) for index in rng.permutation(len(questions))[:number])
    return [questions[index] for index in positions]


def _left_out(questions: Sequence[Question]) -> list[str]:
    reasons = Counter(why for question in questions if (why := _why_not(question)) is not None)
    return [f"{count_noun(count, 'question')} {why}" for why, count in reasons.most_common()]


def _message(
    form: StudyForm,
    question_set: QuestionSet,
    every: Sequence[Question],
    askable: Sequence[Question],
    chosen: Sequence[Question],
) -> list[str]:
    """Sentences on what was taken and left out."""
    messages = [f"Questions of the set “{question_set.name}”, SHA-256 {question_set.sha256}."]
    if isinstance(sample := question_set.settings.get(SAMPLE), str):  # of an audit
        messages.append(sample)
    tasks = {question.task for question in chosen}
    others = Counter(question.task for question in every if question.task not in tasks)
    messages += [
        f"Excluded: {count_noun(count, 'question')} of {task_name(task)}."
        for task, count in others.items()
    ]
    messages += [f"Excluded: {text}." for text in _left_out([q for q in every if q.task in tasks])]
    by_task = Counter(question.task for question in chosen)
    whole = Counter(question.task for question in askable)
    sample = [task for task in in_order(by_task) if by_task[task] < whole[task]]
    if sample:
        parts = ", ".join(f"{by_task[t]} of {whole[t]} of {task_name(t)}" for t in sample)
        messages.append(f"Sampled at random (seed {form.seed}): {parts}.")
    messages.append(
        f"{count_noun(len(chosen), 'question')} of {count_noun(len(by_task), 'task')} included."
    )
    return messages
