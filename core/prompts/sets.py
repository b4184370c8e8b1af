"""The built-in prompt sets: one explicit list, and their counts beside what the papers state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import build_concepts, concepts
from truehue.core.prompts.gencolorbench import PAPER_COUNTS, PAPER_TOTAL, build
from truehue.core.prompts.mini import build_mini
from truehue.core.prompts.parts import BUILD_ORDER
from truehue.core.prompts.prompt import TASKS, Prompt

PAPER_CONCEPTS = 1_281
"""The paper's figure; its Table 9 lists two concepts fewer."""


@dataclass(frozen=True)
class PromptSet:
    """A set of prompts. ``id`` is the ``source`` of its prompts; ``citation`` is what to cite."""

    id: str
    title: str
    description: str
    citation: str
    build: Callable[[], tuple[Prompt, ...]]

    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts in the order of the set; the first call builds them, later ones share."""
        return self.build()


PROMPT_SETS: tuple[PromptSet, ...] = (
    PromptSet(
        "gencolorbench",
        "GenColorBench (reconstruction)",
        "44,464 prompts in five tasks, rebuilt from the paper's objects, colors and templates.",
        "GenColorBench, arXiv:2510.20586, Tables 5 to 9 and Appendix D",
        build,
    ),
    PromptSet(
        "mini",
        "GenColorBench Mini (ours)",
        "A part of the reconstruction that keeps every task, color system and category.",
        "GenColorBench, arXiv:2510.20586, Tables 5 to 9 and Appendix D",
        build_mini,
    ),
    PromptSet(
        "concepts",
        "ColorConceptBench concepts",
        "1,279 color concepts, each as a natural photo and as a clip-art cartoon.",
        "ColorConceptBench, Table 9 and Appendix C.2",
        build_concepts,
    ),
)


def prompt_set(set_id: str) -> PromptSet:
    """The built-in set of that id. Raises BadInput, naming those there are, for any other."""
    for entry in PROMPT_SETS:
        if entry.id == set_id:
            return entry
    names = ", ".join(entry.id for entry in PROMPT_SETS)
    raise BadInput(f'There is no prompt set "{set_id[:60]}". The sets are: {names}.')


def counts() -> dict[str, Any]:
    """The counts as plain JSON: by task and color system, with the papers' figures."""
    by_concept = concepts()
    styles = Counter(prompt.style for prompt in prompt_set("concepts").prompts())
    return {
        "gencolorbench": {**_by_task("gencolorbench"), "paper_total": PAPER_TOTAL},
        "mini": _by_task("mini"),
        "concepts": {
            "total": styles.total(),
            "concepts": len(by_concept),
            "paper_concepts": PAPER_CONCEPTS,
            "kinds": dict(Counter(concept.modifier_kind for concept in by_concept)),
            "styles": dict(styles),
        },
    }


def _by_task(set_id: str) -> dict[str, Any]:
    prompts = prompt_set(set_id).prompts()
    cells = Counter((prompt.task, prompt.system) for prompt in prompts)
    notations = Counter(
        (prompt.task, prompt.notation) for prompt in prompts if prompt.notation != "name"
    )
    tasks = []
    for task, paper in PAPER_COUNTS.items():
        systems = {key: cells[task, key] for key in BUILD_ORDER}
        row: dict[str, Any] = {
            "task": task,
            "name": TASKS[task],
            "count": sum(systems.values()),
            "systems": systems,
        }
        if set_id == "gencolorbench":
            row["paper"] = paper
        row.update({kind: count for (suffix, kind), count in notations.items() if suffix == task})
        tasks.append(row)
    return {"total": len(prompts), "tasks": tasks}


def table(sets: dict[str, Any]) -> list[str]:
    """The lines of :func:`counts` for a terminal."""
    full, mini, ideas = sets["gencolorbench"], sets["mini"], sets["concepts"]
    lines = [
        "GenColorBench, reconstructed; the paper's count, color systems and Mini beside it",
        "",
    ]
    head = (*BUILD_ORDER, "Mini")
    lines.append(f"{'task':38}{'prompts':>9}{'paper':>9}" + "".join(f"{word:>8}" for word in head))
    for row, small in zip(full["tasks"], mini["tasks"], strict=True):
        numbers = [*row["systems"].values(), small["count"]]
        name = f"{row['task'].upper()}  {row['name']}"
        lines.append(
            f"{name:38}{row['count']:>9,}{row['paper']:>9}"
            + "".join(f"{number:>8,}" for number in numbers)
        )
    sums = [sum(row["systems"][key] for row in full["tasks"]) for key in BUILD_ORDER]
    lines.append(
        f"{'sum':38}{full['total']:>9,}{full['paper_total']:>9,}"
        + "".join(f"{number:>8,}" for number in (*sums, mini["total"]))
    )
    ncu = full["tasks"][1]
    lines += ["", f"NCU is {ncu['hex']:,} in hex and {ncu['rgb']:,} in rgb.", ""]
    kinds, styles = ideas["kinds"], ideas["styles"]
    lines.append(
        f"ColorConceptBench: {ideas['concepts']:,} concepts (the paper: "
        f"{ideas['paper_concepts']:,}) in {len(styles)} styles, {ideas['total']:,} prompts"
    )
    lines.append("  " + ", ".join(f"{count:,} {kind}" for kind, count in kinds.items()))
    return lines
