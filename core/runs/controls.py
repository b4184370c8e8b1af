"""Control images: renders of known color that go through the masker, the presence model and the
rules of a run before its first image.

A detector with other weights, a presence model that always says yes, or a masker that does not fit
the images looks like a failure of the model under test. On the control images every answer is known:
each object has an exact mask, its own color is right, and another color is wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from truehue.core.batch.folder import PLAN, json_bytes, json_object
from truehue.core.batch.locks import InUse, hold_lock
from truehue.core.color.systems import ColorTarget
from truehue.core.diagnosis.colors import make_query, render_image
from truehue.core.errors import BadInput
from truehue.core.files import read_png, replace_file
from truehue.core.images.load import image_id
from truehue.core.images.pixels import Mask
from truehue.core.masks.grounded.compose import iou
from truehue.core.prompts.prompt import ObjectTarget
from truehue.core.runs.concepts import has_only_concepts
from truehue.core.runs.maskers import Masker
from truehue.core.runs.records import EXACT, WHOLE, RunPlan
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.expectations import PRESENCES, Localization
from truehue.core.verdict.rules import PASS
from truehue.core.verdict.tasks import judge_all

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "controls"
FILE, LOCK = "controls.json", "controls.lock"
PREFIX = "Control images: "
MIN_IMAGES = 20
"""A run of fewer images has no controls: they would be most of its work."""

SIZE_PX = 192
SYSTEM = "l2"
# Scenes whose objects a detector of COCO's classes knows, too.
SCENES = (("apple", "overcast"), ("vase", "window"), ("chair", "overcast"), ("car", "studio"))
COLORS = (
    ("Red", "Yellow", "Olive green", "White", "Purple"),
    ("Orange", "Green", "Violet", "Gray", "Brown"),
    ("Yellowish brown", "Yellow green", "Blue", "Pink", "Black"),
    ("Reddish orange", "Bluish green", "Greenish blue", "Purplish red", "Olive"),
)
ALLOWED = 2
"""So many of the 20 may be missed, or have another verdict than with the exact mask, before the
run warns; one of the four absent objects may be said to be there."""
MIN_IOU = 0.7
BY_NEIGHBORS = ("paper", "paper-centred", "truehue")
"""The rules that accept k neighbors of a color, too."""
MAX_ROWS, MAX_TEXT = 100, 2_000
"""Of a file of control images that is read: its images, and the characters of a text in it."""


@dataclass(frozen=True)
class ControlImage:
    """A render: ``srgb8`` uint8 ``(H, W, 3)``, its exact ``mask``, the color that the object has, and
    another of the same system, the fifth nearest of those at least 10 ΔE00 away."""

    object_name: str
    light: str
    srgb8: np.ndarray
    mask: Mask
    color: ColorTarget
    other: ColorTarget

    def targets(self, color: ColorTarget) -> tuple[ObjectTarget, ...]:
        """The one object, with that target color."""
        return (ObjectTarget(self.object_name, color),)


@dataclass(frozen=True)
class ControlResult:
    """What the run's tools say of one control image.

    ``iou`` is 0 to 1 against the exact mask, None where none was found; ``reason`` says why.
    ``accepted`` and ``accepted_other`` are by rule whether the right color and the other one pass;
    ``exact`` and ``exact_other`` the same with the exact mask.
    """

    object_name: str
    light: str
    color: str
    other: str
    iou: float | None
    presence: str
    reason: str
    accepted: Mapping[str, bool]
    accepted_other: Mapping[str, bool]
    exact: Mapping[str, bool]
    exact_other: Mapping[str, bool]


@lru_cache(1)
def control_images() -> tuple[ControlImage, ...]:
    """The 20 control images, the same in every run. They are rendered once and shipped: each worker
    would trace its scenes for seconds."""
    images, masks = read_png(FOLDER / "images.png", "RGB"), read_png(FOLDER / "masks.png", "L")
    controls = []
    for row, ((name, light), colors) in enumerate(zip(SCENES, COLORS, strict=True)):
        down = slice(row * SIZE_PX, (row + 1) * SIZE_PX)
        exact = Mask(masks[down] > 0, "renderer").of_target(0, name)
        for column, color in enumerate(colors):
            across = slice(column * SIZE_PX, (column + 1) * SIZE_PX)
            query = make_query(color, SYSTEM)
            srgb8 = np.ascontiguousarray(images[down, across])
            controls.append(ControlImage(name, light, srgb8, exact, query.true, query.near[-1]))
    return tuple(controls)


def render_controls() -> tuple[np.ndarray, np.ndarray]:
    """The images that are shipped: uint8 ``srgb8`` with a row a scene and a column a color, and the
    masks, bool, one below the other."""
    rows, masks = [], []
    for seed, ((name, light), colors) in enumerate(zip(SCENES, COLORS, strict=True)):
        rendered = [
            render_image(name, light, seed, make_query(color, SYSTEM).true.hex, SIZE_PX)
            for color in colors
        ]
        rows.append(np.hstack([srgb8 for srgb8, _ in rendered]))
        masks.append(rendered[0][1])
    return np.vstack(rows), np.vstack(masks)


def has_controls(plan: RunPlan) -> bool:
    """Whether a run has control images: it scores colors of objects, and has at least 20 images.
    Whole images, such as patches, have no object that a masker could miss."""
    return (
        bool(plan.rules)
        and plan.total >= MIN_IMAGES
        and plan.masker.kind != WHOLE
        and not has_only_concepts(plan.prompts)
    )


def check_controls(
    folder: Path,
    plan: RunPlan,
    masker: Masker,
    acceptance: Acceptance,
    step: Callable[[], None] = lambda: None,
) -> None:
    """Writes the controls of a run into its folder, unless they are there or another worker is at
    them. ``step`` is called before each image; what it and the masker raise comes out."""
    if (folder / FILE).is_file() or not has_controls(plan):
        return
    try:
        with hold_lock(folder / LOCK, "Another worker is at the control images."):
            if (folder / FILE).is_file():
                return
            report = run_controls(plan, masker, acceptance, step)
            text = json.dumps(report, indent=1, ensure_ascii=False)
            replace_file(folder / FILE, f"{text}\n".encode())
    except InUse:
        return


def note_problem(folder: Path, problem: str) -> None:
    """Writes why the control images of a run could not be scored."""
    replace_file(folder / FILE, f"{json.dumps({'problem': problem})}\n".encode())


def run_controls(
    plan: RunPlan,
    masker: Masker,
    acceptance: Acceptance,
    step: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """The result of every control image, and of every question for an object that is not there."""
    # The rules ask for an object's presence in this task, and in the other not.
    task = "coa" if plan.masker.presence else "cna"
    results = []
    for control in control_images():
        step()
        results.append(_result(control, plan, masker, task, acceptance))
    absent = []
    if plan.masker.presence:
        for index, (name, _) in enumerate(SCENES):
            step()
            shown = control_images()[index * len(COLORS[0])]
            other = SCENES[(index + 1) % len(SCENES)][0]
            target = (ObjectTarget(other, shown.color),)
            text = f"a photo of a {other}"
            found = masker.find(shown.srgb8, task, target, {}, prompt_text=text).findings.get(0)
            absent.append(
                {
                    "object": name,
                    "absent_object": other,
                    "presence": found.presence if found else "",
                }
            )
    return {"images": [asdict(result) for result in results], "absent": absent}


def _result(
    control: ControlImage, plan: RunPlan, masker: Masker, task: str, acceptance: Acceptance
) -> ControlResult:
    rules = [rule_id for rule_id, _ in plan.rules]
    exact_masks = plan.masker.kind == EXACT
    targets = control.targets(control.color)
    known = masker.find(
        control.srgb8,
        task,
        targets,
        {0: control.mask} if exact_masks else {},
        None,
        image_id(control.srgb8),
        f"a photo of a {control.color.label.lower()} {control.object_name}",
    )
    finding = known.findings.get(0)
    found = None if finding is None else finding.mask
    # Both colors are targets of one image, as of two objects with one mask: what does not depend
    # on the target is computed once.
    both = (*targets, *control.targets(control.other))

    def accepted(finding: Localization | None, task: str) -> tuple[dict[str, bool], ...]:
        findings = {} if finding is None else {0: finding, 1: finding}
        verdicts = list(judge_all(task, both, findings, control.srgb8, rules, acceptance))
        return tuple(
            {
                verdict.rule: any(
                    outcome.status == PASS
                    for outcome in verdict.outcomes
                    if outcome.asked.position == index
                )
                for verdict in verdicts
            }
            for index in range(2)
        )

    exact = accepted(Localization(control.mask.pixels), "cna")
    right, other = exact if exact_masks else accepted(finding, task)
    return ControlResult(
        control.object_name,
        control.light,
        control.color.label,
        control.other.label,
        None if found is None else round(iou(found, control.mask.pixels), 4),
        "" if finding is None else finding.presence,
        "" if finding is None or found is not None else finding.reason,
        right,
        other,
        *exact,
    )


@dataclass(frozen=True)
class ControlSummary:
    """The counts of a run's controls. ``accepted`` and ``accepted_other`` are by rule in how many of
    ``images`` the right and another color pass, ``exact`` and ``exact_other`` with exact masks;
    ``k`` is the run's number of neighbors."""

    images: int
    found: int
    median_iou: float | None
    accepted: Mapping[str, int]
    accepted_other: Mapping[str, int]
    exact: Mapping[str, int]
    exact_other: Mapping[str, int]
    warnings: tuple[str, ...]
    k: int = 0

    @property
    def result(self) -> str:
        """The result in two words."""
        if not self.images:
            return "not scored"
        count = len(self.warnings)
        return f"{count} warning{'s' if count > 1 else ''}" if count else "passed"

    @property
    def text(self) -> str:
        """The counts in one line."""
        if not self.images:
            return "not scored"
        right = ", ".join(f"{name} {self._right(name)}" for name in self.accepted)
        other = ", ".join(f"{name} {self._other(name)}" for name in self.accepted_other)
        return f"{self._found}; right color accepted: {right}; another color: {other}"

    @property
    def lines(self) -> tuple[str, ...]:
        """The same as a line for the masks and one for each rule."""
        if not self.images:
            return ()
        rules = (
            f"{name}: right color accepted in {self._right(name)}, another color in "
            f"{self._other(name)}"
            for name in self.accepted
        )
        return (self._found, *rules)

    @property
    def _found(self) -> str:
        overlap = "" if self.median_iou is None else f", median IoU {self.median_iou:.2f}"
        return f"{self.found} of {self.images} objects found{overlap}"

    def _right(self, name: str) -> str:
        count = self.accepted[name]
        few = count == self.exact[name] and 2 * count < self.images
        # A strict rule accepts few names for a color; with more neighbors it accepts more.
        expected = f" (expected with k = {self.k})" if few and name in BY_NEIGHBORS else ""
        return f"{_count(count, self.exact[name])}{expected}"

    def _other(self, name: str) -> str:
        return _count(self.accepted_other[name], self.exact_other[name])


def _count(count: int, exact: int) -> str:
    return str(count) if count == exact else f"{count} ({exact} by exact masks)"


def checked_report(report: Any, rules: Collection[str]) -> dict[str, Any]:
    """The object of ``controls.json``, checked to the last field: ``rules`` are those of the run.
    Raises BadInput that says what is wrong, not whose file it is in."""
    if not isinstance(report, dict):
        raise BadInput("they are no JSON object")
    if set(report) == {"problem"}:
        _must(_text(report["problem"]), "their problem is no text")
        return report
    _must(set(report) == {"images", "absent"}, "they are neither images nor a problem")
    rows, absent = report["images"], report["absent"]
    for listed in (rows, absent):
        is_list = isinstance(listed, list) and len(listed) <= MAX_ROWS
        _must(is_list and all(isinstance(row, dict) for row in listed), "a list of them is none")
    _must(bool(rows), "they have no image")
    names = {field.name for field in fields(ControlResult)}
    for row in rows:
        _must(set(row) == names, "an image of them has other fields")
        texts = (row[name] for name in ("object_name", "light", "color", "other", "reason"))
        _must(all(map(_text, texts)) and row["presence"] in PRESENCES, "a text of them is none")
        overlap = row["iou"]
        is_number = isinstance(overlap, (int, float)) and not isinstance(overlap, bool)
        _must(overlap is None or (is_number and 0 <= overlap <= 1), "an IoU of them is no share")
        for name in ("accepted", "accepted_other", "exact", "exact_other"):
            said = row[name]
            _must(
                isinstance(said, dict)
                and set(said) == set(rules)
                and all(isinstance(value, bool) for value in said.values()),
                "a verdict of them is none, or of a rule that the run does not have",
            )
    for row in absent:
        is_row = set(row) == {"object", "absent_object", "presence"}
        _must(is_row and all(map(_text, row.values())), "an absent object of them is none")
        _must(row["presence"] in PRESENCES, "an answer of their presence model is none")
    return report


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadInput(otherwise)


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT


def controls_of(folder: Path) -> ControlSummary | None:
    """The summary of a run's controls; None where it has none, or they cannot be read. Files are
    read again only where they have changed."""
    try:
        marks = [(stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in _stats(folder)]
    except OSError:
        return None
    return _read_controls(folder, tuple(marks))


def _stats(folder: Path) -> list[os.stat_result]:
    return [(folder / name).stat() for name in (FILE, PLAN)]


@lru_cache(1_000)
def _read_controls(folder: Path, marks: tuple[tuple[int, int, int], ...]) -> ControlSummary | None:
    """The summary of files with these ``marks``: time of change, size, and number."""
    try:
        plan = json_object(folder / PLAN)
        rules = [str(name) for name, _ in plan["rules"]]
        report = checked_report(json_object(folder / FILE), rules)
        if problem := report.get("problem"):
            return replace(summarize([], []), warnings=(f"They could not be scored: {problem}",))
        results = [ControlResult(**row) for row in report["images"]]
        summary = summarize(results, [row["presence"] for row in report["absent"]])
        return replace(summary, k=int(plan["k"]))
    except (BadInput, KeyError, TypeError, ValueError):
        return None


def portable_report(folder: Path, rules: Collection[str]) -> bytes | None:
    """``controls.json`` of a run as it leaves this machine; None where it has none that can be
    read. An error is named by its kind alone: its text may have a path."""
    try:
        report = checked_report(json_object(folder / FILE), rules)
    except BadInput:
        return None
    if problem := report.get("problem"):
        report = {"problem": str(problem).partition(":")[0]}
    return json_bytes(report)


def controls_text(folder: Path) -> tuple[str, ...]:
    """The controls of a run as lines, warnings first; empty where it has none."""
    summary = controls_of(folder)
    if summary is None:
        return ()
    return tuple(f"{PREFIX}{text}" for text in (*summary.warnings, summary.text))


def summarize(results: Sequence[ControlResult], absent: Sequence[str]) -> ControlSummary:
    """The counts, and a warning for each tool that fails its controls. ``absent`` are the presence
    model's answers for objects that are not in the image."""
    overlaps = [result.iou for result in results if result.iou is not None]
    median_iou = float(np.median(overlaps)) if overlaps else None
    rules = list(results[0].accepted) if results else []
    accepted = {name: sum(result.accepted[name] for result in results) for name in rules}
    other = {name: sum(result.accepted_other[name] for result in results) for name in rules}
    summary = ControlSummary(
        len(results),
        len(overlaps),
        median_iou,
        accepted,
        other,
        {name: sum(result.exact[name] for result in results) for name in rules},
        {name: sum(result.exact_other[name] for result in results) for name in rules},
        (),
    )
    return replace(summary, warnings=tuple(_warnings(summary, results, absent)))


def _warnings(
    summary: ControlSummary, results: Sequence[ControlResult], absent: Sequence[str]
) -> list[str]:
    total = summary.images
    warnings = []
    if total - summary.found > ALLOWED:
        reasons = [result.reason for result in results if result.reason]
        first = f" The first reason: {reasons[0]}" if reasons else ""
        warnings.append(
            f"The masker finds {summary.found} of {total} objects that are there. Check the masker "
            f"and its weights before you trust this run.{first}"
        )
    if summary.median_iou is not None and summary.median_iou < MIN_IOU:
        warnings.append(
            f"The masks overlap the objects by an IoU of {summary.median_iou:.2f} (median; "
            f"{MIN_IOU:.1f} or more is expected). Colors of the background may be measured."
        )
    for name, count in summary.accepted.items():
        expected, expected_other = summary.exact[name], summary.exact_other[name]
        if expected - count > ALLOWED:
            warnings.append(
                f"{name} accepts the right color in {count} of {total}, and in {expected} with exact "
                "masks: this run's masks lower the accuracy."
            )
        if (other := summary.accepted_other[name]) - expected_other > ALLOWED:
            warnings.append(
                f"{name} accepts another color in {other} of {total}, and in {expected_other} with "
                "exact masks: this run's masks raise the accuracy wrongly."
            )
    # An unclear answer denies the object only where it then was not looked for.
    denied = sum(
        result.presence == "no" or (result.presence == "unknown" and result.iou is None)
        for result in results
    )
    if denied > ALLOWED:
        warnings.append(f"The presence model denies {denied} of {total} objects that are there.")
    invented = sum(answer == "yes" for answer in absent)
    if invented > 1:
        warnings.append(
            f"The presence model says yes to {invented} of {len(absent)} objects that are not there."
        )
    return warnings
