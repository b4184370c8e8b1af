"""A small file of prompts for whole runs: two scenes in several colors, quickly drawn."""

from __future__ import annotations

import json
from pathlib import Path

from truehue.core.color.systems import parse_target
from truehue.core.prompts.prompt import ObjectTarget, Prompt

COLORS = ("l2:Red", "l2:Green", "l2:Blue", "css:gold", "css:teal", "l3:Vivid purple")


def prompts(count: int = 12) -> tuple[Prompt, ...]:
    """So many prompts, of a mug and of a cube in turns."""
    out = []
    for index in range(count):
        name, color = ("mug", "cube")[index % 2], parse_target(COLORS[index % len(COLORS)])
        text = f"A photo of a {color.name} {name}, number {index}"
        targets = (ObjectTarget(name, color),)
        out.append(Prompt(f"p{index}", text, "cna", targets, color.system or "", "few"))
    return tuple(out)


def prompt_file(folder: Path, count: int = 12) -> Path:
    """The prompts as a file that can be imported."""
    path = folder / "few.jsonl"
    path.write_text("".join(json.dumps(prompt.as_json()) + "\n" for prompt in prompts(count)))
    return path
