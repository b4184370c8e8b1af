"""The report of an import: counts that add up, and lists that stay short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from truehue.core.image_sets.records import FolderPlan, ImportStep, Remark

LISTED = 200
"""A list of a report shows this many and says how many there are."""


@dataclass(frozen=True)
class RemarkList:
    """The first :data:`LISTED` of ``total`` remarks."""

    total: int
    first: tuple[Remark, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "total": self.total,
            "first": [{"where": entry.where, "why": entry.why} for entry in self.first],
        }


@dataclass(frozen=True)
class FolderReport:
    """What became of every file of a folder.

    ``files`` = ``found`` + ``extra.total`` + ``ignored``, and ``found`` = ``taken`` + ``known``
    (imported before, or the copy of a file that was) + ``broken.total`` + ``unread`` (not reached,
    because the import was stopped). ``same`` are those that were taken though an earlier file has
    their pixels, and the copies; ``lossy`` of those taken were compressed with loss. ``prompts`` is
    how many prompts have an image now, of ``asked``; ``missing`` are those for which the folder has
    fewer than ``expected`` images, broken ones excluded.
    """

    folder: str
    layout: str
    files: int
    ignored: int
    found: int
    taken: int
    known: int
    unread: int
    lossy: int
    prompts: int
    asked: int
    new_prompts: int
    expected: int
    models: tuple[str, ...]
    broken: RemarkList
    extra: RemarkList
    missing: RemarkList
    same: RemarkList
    problems: RemarkList

    def as_json(self) -> dict[str, Any]:
        """Plain JSON of all of it."""
        return {
            name: value.as_json() if isinstance(value, RemarkList) else _plain(value)
            for name, value in vars(self).items()
        }

    def as_text(self) -> str:
        """Lines for people: a summary, then each list that is not empty."""
        enough = self.asked - self.missing.total
        lines = [
            f"{self.folder}: {self.files:,} files, layout {self.layout}, "
            f"model {', '.join(self.models) or 'unknown'}.",
            f"{self.found:,} images were linked to prompts: {self.taken:,} imported now, "
            f"{self.known:,} imported before or copies, {self.broken.total:,} broken, "
            f"{self.unread:,} not read.",
            f"{enough:,} of {self.asked:,} prompts have {self.expected} or more images; "
            f"{self.new_prompts:,} prompts are new. {self.extra.total:,} files are extra, "
            f"{self.ignored:,} hidden, system or table files were ignored.",
        ]
        if self.lossy:
            lines.append(
                f"{self.lossy:,} images use lossy compression, which changes colors slightly."
            )
        titles = (
            ("Broken", self.broken),
            (f"Fewer than {self.expected} images", self.missing),
            ("Extra files", self.extra),
            ("Same pixels as another file", self.same),
            ("Remarks", self.problems),
        )
        for title, listed in titles:
            if listed.total:
                lines += ["", f"{title} ({listed.total:,}):"]
                lines += [f"  {entry.where}: {entry.why}" for entry in listed.first]
                if listed.total > len(listed.first):
                    lines.append(f"  … and {listed.total - len(listed.first):,} more")
        return "\n".join(lines)


class Tally:
    """Counts steps as they come and keeps no image. ``report`` may be asked at any time; before
    the first step it says what an import would do."""

    def __init__(self, plan: FolderPlan, expected_per_prompt: int = 1) -> None:
        self._plan = plan
        self._expected = expected_per_prompt
        self._taken = self._known = self._broken = self._same = self._lossy = 0
        self._broken_first: list[Remark] = []
        self._same_first: list[Remark] = []
        # By identity: a prompt is hashed with all its targets, and ids repeat between sets.
        self._images = Counter(id(image.prompt) for image in plan.found)
        self._done: set[int] = set()

    def add(self, step: ImportStep) -> None:
        """Counts one step; each step of a plan once."""
        name = step.found.name
        if step.problem is not None:
            self._broken += 1
            if len(self._broken_first) < LISTED:
                self._broken_first.append(Remark(name, step.problem))
            self._images[id(step.found.prompt)] -= 1
            return
        self._done.add(id(step.found.prompt))
        if step.same_as is not None:
            self._same += 1
            if len(self._same_first) < LISTED:
                copy = "It is a copy of" if step.known else "It has the pixels of"
                self._same_first.append(Remark(name, f"{copy} {step.same_as}."))
        if step.known:
            self._known += 1
        else:
            self._taken += 1
            self._lossy += step.lossy

    def report(self) -> FolderReport:
        """What became of the files so far."""
        plan = self._plan
        prompts = (*plan.prompts, *plan.new_prompts)
        short = [
            Remark(prompt.id, f"{self._images[id(prompt)]} of {self._expected} images")
            for prompt in prompts
            if self._images[id(prompt)] < self._expected
        ]
        return FolderReport(
            folder=plan.folder.name or str(plan.folder),
            layout=plan.layout,
            files=plan.files,
            ignored=plan.ignored,
            found=len(plan.found),
            taken=self._taken,
            known=self._known,
            unread=len(plan.found) - self._taken - self._known - self._broken,
            lossy=self._lossy,
            prompts=len(self._done),
            asked=len(prompts),
            new_prompts=len(plan.new_prompts),
            expected=self._expected,
            models=tuple(sorted({image.model for image in plan.found})),
            broken=RemarkList(self._broken, tuple(self._broken_first)),
            extra=_remark_list(plan.extra),
            missing=_remark_list(short),
            same=RemarkList(self._same, tuple(self._same_first)),
            problems=_remark_list(plan.problems),
        )


def report(
    plan: FolderPlan, steps: Iterable[ImportStep], expected_per_prompt: int = 1
) -> FolderReport:
    """The report of all ``steps`` of ``plan``; a generator of them is used up step by step."""
    tally = Tally(plan, expected_per_prompt)
    for step in steps:
        tally.add(step)
    return tally.report()


def _remark_list(remarks: Sequence[Remark]) -> RemarkList:
    return RemarkList(len(remarks), tuple(remarks[:LISTED]))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
