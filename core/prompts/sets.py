"""The built-in prompt sets: one explicit list, and their counts beside the papers' counts.

Mini is a sample of GenColorBench below 10,000 prompts that covers all strata. The authors' own Mini
set is a list of files; this one is sampled from our reconstruction. A stratum is a task, a color
system and a category. Each contributes the same share, and small ones more.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.prompts.concepts import build_concepts, concepts
from truehue.core.prompts.draws import rank
from truehue.core.prompts.gencolorbench import PAPER_COUNTS, PAPER_TOTAL, build
from truehue.core.prompts.parts import BUILD_ORDER
from truehue.core.prompts.prompt import TASKS, Prompt

SOURCE = "mini"
SHARE_PERCENT = 22
FLOOR = 12

Stratum = tuple[str, str, str]
Feature = tuple[str, str, Hashable]
# Load, seeded order, id.
_Entry = tuple[int, bytes, str]


def quota(size: int) -> int:
    """How many of a stratum's ``size`` prompts Mini takes: 22%, at least 12 or all there are."""
    return min(size, max(FLOOR, (size * SHARE_PERCENT + 50) // 100))


@cache
def build_mini() -> tuple[Prompt, ...]:
    """Mini's prompts in the order of the full set, with the full set's ids.

    First every color of every task is asked once. Then each stratum is filled with the prompts
    whose template was used least in its system, and among them with those whose colors and objects
    were asked least in their task, against their fair part. Ties fall by the seeded order.
    """
    full = build()
    choice = _Choice(full)
    choice.query_every_color()
    choice.fill()
    return tuple(replace(prompt, source=SOURCE) for prompt in full if prompt.id in choice.kept)


def stratum(prompt: Prompt) -> Stratum:
    """Task, color system and category."""
    return prompt.task, prompt.system, prompt.category


def features(prompt: Prompt) -> tuple[Feature, ...]:
    """What a prompt asks of: its template in its system first, then its objects and colors."""
    parts: list[Feature] = [(prompt.task, "template", (prompt.system, prompt.template))]
    for target in prompt.targets:
        parts.append((prompt.task, "object", (target.name, target.category)))
        if target.color is not None and target.role == "main":
            parts.append((prompt.task, "color", target.color.value))
    return tuple(parts)


class _Choice:
    """The prompts chosen so far, and what they ask of.

    Features have numbers: comparing loads is most of the work, and a number is found at once.
    """

    def __init__(self, prompts: Sequence[Prompt]) -> None:
        self.kept: set[str] = set()
        number_of: dict[Feature, int] = {}
        self._parts = {
            prompt.id: tuple(number_of.setdefault(f, len(number_of)) for f in features(prompt))
            for prompt in prompts
        }
        self._features = list(number_of)
        self._rank = {prompt.id: rank(f"mini/{prompt.id}") for prompt in prompts}
        kinds = Counter(feature[:2] for feature in self._features)
        self._kinds = [kinds[feature[:2]] for feature in self._features]
        self._asked = [0] * len(self._features)
        # Of every feature, the square of how often it was asked against its fair part.
        self._squares = [0] * len(self._features)
        self._strata: dict[Stratum, list[Prompt]] = defaultdict(list)
        for prompt in prompts:
            self._strata[stratum(prompt)].append(prompt)
        self._left = {key: quota(len(members)) for key, members in self._strata.items()}

    def _load(self, prompt_id: str) -> int:
        """How much was asked of a prompt's objects and colors; only ever grows."""
        squares = self._squares
        load = 0
        for part in self._parts[prompt_id][1:]:
            load += squares[part]
        return load

    def _keep(self, prompt_id: str, location: Stratum) -> None:
        self.kept.add(prompt_id)
        self._left[location] -= 1
        for part in self._parts[prompt_id]:
            self._asked[part] += 1
            self._squares[part] = (self._asked[part] * self._kinds[part]) ** 2

    def query_every_color(self) -> None:
        """Keeps a prompt of each color that has none yet, the colors of few prompts first."""
        is_color = [feature[1] == "color" for feature in self._features]
        offers: dict[int, list[tuple[str, Stratum]]] = defaultdict(list)
        for key, members in self._strata.items():
            for prompt in members:
                for part in set(self._parts[prompt.id]):
                    if is_color[part]:
                        offers[part].append((prompt.id, key))

        def worth(offer: tuple[str, Stratum]) -> tuple[int, int, int, bytes]:
            """The offer to take first is the least: the most new colors, then the template that
            was used least, then the least load."""
            parts = self._parts[offer[0]]
            new = sum(is_color[part] and not self._asked[part] for part in parts)
            return -new, self._asked[parts[0]], self._load(offer[0]), self._rank[offer[0]]

        def order(part: int) -> tuple[int, bytes]:
            return len(offers[part]), rank(f"mini/{self._features[part]}")

        for part in sorted(offers, key=order):
            open_offers = [offer for offer in offers[part] if self._left[offer[1]] > 0]
            if open_offers and not self._asked[part]:
                self._keep(*min(open_offers, key=worth))

    def fill(self) -> None:
        """Keeps what each stratum still has to give, the large ones first."""
        for location, members in sorted(self._strata.items(), key=lambda item: -len(item[1])):
            # A queue for each template: when its count grows, it does so for all of its prompts.
            queues: dict[int, list[_Entry]] = defaultdict(list)
            for prompt in members:
                if prompt.id not in self.kept:
                    entry = self._load(prompt.id), self._rank[prompt.id], prompt.id
                    queues[self._parts[prompt.id][0]].append(entry)
            for queue in queues.values():
                heapq.heapify(queue)
            while self._left[location]:
                fewest = min(self._asked[template] for template in queues)
                template = min(
                    (template for template in queues if self._asked[template] == fewest),
                    key=lambda template: self._first(queues[template]),
                )
                self._keep(heapq.heappop(queues[template])[-1], location)
                if not queues[template]:
                    del queues[template]

    def _first(self, queue: list[_Entry]) -> _Entry:
        """The entry of a queue with the least load, brought up to date."""
        before, tie, prompt_id = queue[0]
        while (load := self._load(prompt_id)) > before:
            # Loads only grow: the least that is up to date is the least.
            heapq.heapreplace(queue, (load, tie, prompt_id))
            before, tie, prompt_id = queue[0]
        return queue[0]


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


def set_title(name: str) -> str:
    """What people call the set that a plan names."""
    return next((entry.title for entry in PROMPT_SETS if entry.id == name), name)


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
