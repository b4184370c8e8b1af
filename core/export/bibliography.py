"""references.bib of a run: the papers, models and software that it used, and nothing else.

It has only facts from the registries, the shipped tables and the results. A model's authors are on
its page, which is linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from truehue.core import published
from truehue.core.errors import BadInput
from truehue.core.export.source import ExportRun
from truehue.core.generation.registry import MODELS
from truehue.core.masks.grounded.weights import Role, VisionEntry, vision_model
from truehue.core.runs.records import STORED, RunPlan
from truehue.core.version import VERSION

HUB = "https://huggingface.co/"
_SOFTWARE = {
    "diffusers": "https://github.com/huggingface/diffusers",
    "transformers": "https://github.com/huggingface/transformers",
    "torch": "https://pytorch.org",
    "openai": "https://github.com/openai/openai-python",
}
_TITLES = {
    "diffusers": "Diffusers",
    "transformers": "Transformers",
    "torch": "PyTorch",
    "openai": "OpenAI Python client",
}
_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
}


@dataclass(frozen=True)
class Entry:
    """One reference. ``fields`` are plain text, but for ``url``, which is written as it is."""

    kind: str
    key: str
    fields: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = [
            f"  {name} = {{{value if name == 'url' else escaped(value)}}},"
            for name, value in self.fields
            if value
        ]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def references(runs: Sequence[ExportRun]) -> str:
    """The BibTeX of what ``runs`` used."""
    entries = {entry.key: entry for run in runs for entry in entries_of(run)}
    own_entry = Entry(
        "software",
        "truehue",
        (
            ("title", "TrueHue"),
            ("version", VERSION),
            (
                "note",
                ("Run " if len(runs) == 1 else "Runs ") + ", ".join(run.run_id for run in runs),
            ),
        ),
    )
    papers = dict.fromkeys(paper for run in runs for paper in papers_of(run.plan))
    cited = [published.bibtex(papers).strip()] if papers else []
    return "\n\n".join([*cited, str(own_entry), *(str(entry) for entry in entries.values())]) + "\n"


def papers_of(plan: RunPlan) -> tuple[str, ...]:
    """The papers whose prompts or rules a plan uses, as truehue.core.published names them."""
    tasks = {prompt.task for prompt in plan.prompts}
    rules = {rule_id.partition("-")[0] for rule_id, _ in plan.rules}
    used = []
    if tasks & {"cna", "ncu", "coa", "moc", "ica"} or rules & {"paper", "released"}:
        used.append("gencolorbench")
    if "concept" in tasks:
        used.append("colorconceptbench")
    return tuple(used)


def entries_of(run: ExportRun) -> Iterator[Entry]:
    """The models and the software of one run."""
    plan = run.plan
    yield from _model(plan, run)
    masker = plan.masker
    roles: tuple[tuple[Role, str], ...] = (
        ("detector", masker.detector),
        ("segmenter", masker.segmenter),
        ("presence", masker.presence),
    )
    for role, model_id in roles if masker.kind == "grounded" else ():
        if model_id:
            yield from _vision(model_id, role)
    versions: dict[str, set[str]] = {}
    for way in run.made_by:
        for name in _SOFTWARE:
            if way.get(name):
                versions.setdefault(name, set()).add(str(way[name]))
    for name, numbers in versions.items():
        yield Entry(
            "software",
            name,
            (
                ("title", _TITLES[name]),
                ("version", ", ".join(sorted(numbers))),
                ("url", _SOFTWARE[name]),
            ),
        )


def escaped(text: str) -> str:
    """Text in which BibTeX and LaTeX find no command, on one line."""
    return "".join(_SPECIAL.get(sign, sign) for sign in " ".join(text.split()))


def _model(plan: RunPlan, run: ExportRun) -> Iterator[Entry]:
    if plan.kind == STORED:
        note = "Existing images; model name as given by the importer."
        yield Entry("misc", _key(plan.model), (("title", plan.model), ("note", note)))
        return
    model_entry = next((entry for entry in MODELS if entry.id == plan.model), None)
    repo, revision = model_entry.repo if model_entry else "", ""
    for way in run.made_by:
        repo = str(way.get("repo") or repo)
        revision = str(way.get("revision") or revision)
    if model_entry is None or model_entry.kind != "renderer":
        local = "" if "/" not in repo or repo.startswith(("/", "folder:")) else HUB + repo
        yield Entry(
            "misc",
            _key(plan.model),
            (
                ("title", model_entry.name if model_entry else plan.model),
                (
                    "note",
                    _stated(
                        model_entry.license if model_entry else "",
                        revision,
                        model_entry is not None and "license" not in model_entry.not_verified,
                    ),
                ),
                ("url", local),
            ),
        )


def _vision(model_id: str, role: Role) -> Iterator[Entry]:
    try:
        entry: VisionEntry = vision_model(model_id, role)
    except BadInput:  # an id of another version; that it was used still stands
        yield Entry("misc", _key(model_id), (("title", model_id), ("note", f"Used as {role}.")))
        return
    url = entry.url or (HUB + entry.repo if entry.repo else "")
    license_known = "license" not in entry.not_verified and not entry.license.startswith("see ")
    stated = _stated(entry.license, "", license_known)
    yield Entry(
        "misc",
        _key(entry.id),
        (
            ("title", entry.name),
            ("note", f"Used as {role}. {stated}".strip()),
            ("url", url),
        ),
    )


def _stated(license_name: str, revision: str, sure: bool) -> str:
    parts = [f"License: {license_name}."] if license_name and sure else []
    return " ".join([*parts, f"Revision {revision}."] if revision else parts)


def _key(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.:-]+", "-", name).strip("-").lower() or "model"
