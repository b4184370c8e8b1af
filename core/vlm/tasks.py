"""The tasks of questions about color: ColorBench's eleven, and GenColorBench's ten."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from truehue.core.errors import BadInput
from truehue.core.vlm.records import Form


class Benchmark(StrEnum):
    """Whose tasks they are."""

    COLORBENCH = "colorbench"
    APPENDIX_E = "gencolorbench-e"


class Category(StrEnum):
    """ColorBench's three, and what Appendix E of GenColorBench asks of renders."""

    PERCEPTION = "Perception"
    REASONING = "Reasoning"
    ROBUSTNESS = "Robustness"
    ASSESSMENT = "Assessment"


@dataclass(frozen=True)
class Task:
    """One task. ``name`` is its name in the published set.

    ``size`` counts its questions in the paper (robustness: seeds, each with up to nine variants).
    ``people`` says whether people are asked it: color codes and robustness are not, as in the
    paper. ``generated`` says whether ``truehue.core.vlm.generators`` makes questions of
    it. ``system`` is the color system of Appendix E's tasks, else empty.
    """

    id: str
    name: str
    category: Category
    benchmark: Benchmark
    form: Form
    size: int
    people: bool
    generated: bool = False
    system: str = ""


def _colorbench(name: str, category: Category, size: int, *marks: str) -> Task:
    return Task(
        id=name.lower().replace(" ", "_"),
        name=name,
        category=category,
        benchmark=Benchmark.COLORBENCH,
        form=Form.CHOICE,
        size=size,
        people="no people" not in marks,
        generated="generated" in marks,
    )


def _appendix_e(system: str, number: int, name: str, form: Form, people: bool) -> Task:
    return Task(
        id=f"{system}_q{number}",
        name=name,
        category=Category.ASSESSMENT,
        benchmark=Benchmark.APPENDIX_E,
        form=form,
        size=2058 if system == "css" else 406,
        people=people,
        system=system,
    )


COLORBENCH = (
    _colorbench("Color Recognition", Category.PERCEPTION, 76),
    _colorbench("Color Extraction", Category.PERCEPTION, 96, "generated", "no people"),
    _colorbench("Object Recognition", Category.PERCEPTION, 77),
    _colorbench("Color Proportion", Category.REASONING, 80, "generated"),
    _colorbench("Color Comparison", Category.REASONING, 101, "generated"),
    _colorbench("Color Counting", Category.REASONING, 102, "generated"),
    _colorbench("Object Counting", Category.REASONING, 103, "generated"),
    _colorbench("Color Illusion", Category.REASONING, 93, "generated"),
    _colorbench("Color Mimicry", Category.REASONING, 70),
    _colorbench("Color Blindness", Category.REASONING, 157, "generated"),
    _colorbench("Color Robustness", Category.ROBUSTNESS, 493, "no people"),
)
"""Table 7 of ColorBench; the published set has 81 questions of Color Proportion."""

APPENDIX_E = (
    _appendix_e("css", 1, "CSS name", Form.OPEN, True),
    _appendix_e("css", 2, "CSS name of a list", Form.CHOICE, True),
    _appendix_e("css", 3, "CSS hex code", Form.OPEN, False),
    _appendix_e("css", 4, "CSS name verified", Form.BINARY, True),
    _appendix_e("css", 5, "RGB verified", Form.BINARY, False),
    _appendix_e("css", 6, "Hex verified", Form.BINARY, False),
    _appendix_e("l2", 1, "ISCC-NBS level 2 name", Form.OPEN, True),
    _appendix_e("l2", 2, "ISCC-NBS level 2 name of a list", Form.CHOICE, True),
    _appendix_e("l2", 3, "ISCC-NBS level 2 name verified", Form.BINARY, True),
    _appendix_e("l2", 4, "RGB verified, level 2", Form.BINARY, False),
)
"""Appendix E of GenColorBench: 14 objects in 147 and 29 colors. ``size`` counts each task's images.
Nothing is said there about people: whether they are asked is ours to decide, by ColorBench's
reason, that people do not read color codes."""

ROBUSTNESS = "color_robustness"
"""The task whose questions count for robustness only."""

TASKS: dict[str, Task] = {task.id: task for task in (*COLORBENCH, *APPENDIX_E)}


def task(task_id: str) -> Task:
    """The task of that id. Raises BadInput for an unknown one."""
    if task_id not in TASKS:
        raise BadInput(f'There is no task "{task_id}". The tasks are: {", ".join(TASKS)}.', "task")
    return TASKS[task_id]


def task_named(name: str) -> Task | None:
    """ColorBench's task of a published name, however it is spaced and capitalized; else None."""
    return TASKS.get("_".join(name.lower().replace("_", " ").split()))
