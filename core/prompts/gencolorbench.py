"""GenColorBench's 44,464 prompts, reconstructed from its templates by seeded rules.

The paper (arXiv:2510.20586) prints objects, colors, templates and rounded counts, and not the
prompts; the list was never published. The rules stand in ``single_object`` and ``several_objects``
and in ``assets/prompts/gencolorbench/README.md``. Nothing here depends on a platform's own
random numbers: an id names the same sentence everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.several_objects import context_prompts, implicit_prompts, scene_prompts
from truehue.core.prompts.single_object import color_name_prompts, number_prompts

PAPER_COUNTS: Mapping[str, str] = MappingProxyType(
    {"cna": "18K", "ncu": "11.5K", "coa": "8.7K", "moc": "2.2K", "ica": "4.5K"}
)
"""What the paper prints for each task."""

PAPER_TOTAL = 44_464


@cache
def build() -> tuple[Prompt, ...]:
    """All prompts, task by task (CNA, NCU, COA, MOC, ICA); built once, in about half a second.

    Ids are unique, and no two prompts of one task and color system have the same text.
    """
    return (
        *color_name_prompts(),
        *number_prompts(),
        *context_prompts(),
        *scene_prompts(),
        *implicit_prompts(),
    )
