"""A folder of prompt files as one set, such as the 21 files of GenColorBench's own Mini."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.prompts.importing import ImportedPrompts, LineProblem, read_prompts
from truehue.core.prompts.prompt import Prompt

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson")
"""Files of prompts; others, such as a manifest or a README, are left alone."""


def prompt_files(folder: Path) -> tuple[Path, ...]:
    """The files of prompts that lie in a folder, by name. Raises BadInput where there is none."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() in ENDINGS)
    if not files:
        raise BadInput(
            f"{folder} holds no files of prompts: {', '.join(ENDINGS)}. The published ones are "
            "named cna_l2.csv, ncu_hex_css.csv and so on.",
            "set",
        )
    return tuple(files)


def read_prompt_folder(
    folder: Path,
    *,
    negative_labels: Mapping[str, tuple[str, ...]] | None = None,
    categories: Mapping[str, str] | None = None,
) -> ImportedPrompts:
    """The prompts of all files of a folder, in the order of the files' names.

    Notes and problems name their file. An id that two files have is taken once. Raises BadInput,
    naming the file, where one cannot be read as a whole.
    """
    prompts: dict[str, Prompt] = {}
    problems: list[LineProblem] = []
    notes: list[str] = []
    blank_lines = 0
    for file in prompt_files(folder):
        try:
            reading = read_prompts(file, negative_labels=negative_labels, categories=categories)
        except BadInput as error:
            raise BadInput(f"{file.name}: {error} Repair it, or take it out.", "set") from None
        notes += [f"{file.name}: {note}" for note in reading.notes]
        problems += [replace(item, why=f"{file.name}: {item.why}") for item in reading.problems]
        blank_lines += reading.blank_lines
        twice = [prompt.id for prompt in reading.prompts if prompt.id in prompts]
        if twice:
            notes.append(
                f"{file.name}: {len(twice):,} prompts have an id of an earlier file, {twice[0]} "
                "first, and were not taken."
            )
        for prompt in reading.prompts:
            named = prompt if prompt.source else replace(prompt, source=file.stem)
            prompts.setdefault(prompt.id, named)
    return ImportedPrompts(
        tuple(prompts.values()), tuple(problems), "csv", tuple(notes), blank_lines
    )


def folder_sha256(folder: Path) -> str:
    """SHA-256, hex, of the names and contents of its files of prompts."""
    digest = hashlib.sha256()
    for file in prompt_files(folder):
        digest.update(f"{file.name}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
