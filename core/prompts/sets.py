"""The built-in prompt sets: one explicit list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import BadInput
from core.prompts.concepts import build_concepts
from core.prompts.gencolorbench import build
from core.prompts.mini import build_mini
from core.prompts.prompt import Prompt


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
        "gencolorbench", "GenColorBench (reconstruction)",
        "44,464 prompts in five tasks, rebuilt from the paper's objects, colors and templates.",
        "GenColorBench, arXiv:2510.20586, Tables 5 to 9 and Appendix D", build,
    ),
    PromptSet(
        "mini", "GenColorBench Mini (ours)",
        "A part of the reconstruction that keeps every task, color system and category.",
        "GenColorBench, arXiv:2510.20586, Tables 5 to 9 and Appendix D", build_mini,
    ),
    PromptSet(
        "concepts", "ColorConceptBench concepts",
        "1,279 color concepts, each as a natural photo and as a clip-art cartoon.",
        "ColorConceptBench, Table 9 and Appendix C.2", build_concepts,
    ),
)  # fmt: skip


def prompt_set(set_id: str) -> PromptSet:
    """The built-in set of that id. Raises BadInput, naming those there are, for any other."""
    for known in PROMPT_SETS:
        if known.id == set_id:
            return known
    names = ", ".join(known.id for known in PROMPT_SETS)
    raise BadInput(f'There is no prompt set "{set_id[:60]}". The sets are: {names}.')
