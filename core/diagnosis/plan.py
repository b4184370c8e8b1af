"""The plan of a diagnosis: tasks whose results can be saved, and manifests of other renders.

A task's fingerprint covers everything that its rows depend on, including the code that judges. A
saved file with another fingerprint is computed again.

Half of the objects and half of the lights are "tuned". Held-out numbers are those of held-out
objects under held-out lights; an image with one of each is "mixed".
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from truehue.core.color.systems import SYSTEMS, parse_target
from truehue.core.diagnosis.colors import (
    MATERIALS,
    SET_SYSTEMS,
    TWO_MATERIAL_OBJECTS,
    render_image,
    set_colors,
)
from truehue.core.errors import BadInput
from truehue.core.files import file_stamp
from truehue.core.generation.renderer import RENDERER_VERSION
from truehue.core.generation.renderer.checks import check_object, check_size_and_seed, checked_light
from truehue.core.generation.renderer.two_materials import PATTERNED, PATTERNS
from truehue.core.verdict.candidates import Acceptance
from truehue.core.verdict.measure import measure
from truehue.core.verdict.rules import RULES, rule

TUNED_OBJECTS = ("sphere", "mug", "book", "apple", "vase", "chair", "hat")
HELD_OUT_OBJECTS = ("cube", "cylinder", "torus", "banana", "teapot", "car", "teddy bear")
TUNED_LIGHTS = ("overcast", "window")
HELD_OUT_LIGHTS = ("studio", "hard")
SPLIT: dict[str, dict[str, tuple[str, ...]]] = {
    "objects": {"tuned": TUNED_OBJECTS, "held_out": HELD_OUT_OBJECTS},
    "lights": {"tuned": TUNED_LIGHTS, "held_out": HELD_OUT_LIGHTS},
}

_CORE = Path(__file__).resolve().parents[1]
_JUDGING_CODE = (
    "color",
    "verdict",
    "generation/renderer",
    "images/pixels.py",
    "images/white_balance.py",
    "masks/cleanup.py",
    "diagnosis/colors.py",
    "diagnosis/scoring.py",
)


@dataclass(frozen=True)
class RuleUsed:
    """A rule with the parameters that its verdicts carry."""

    id: str
    version: str
    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class FileRow:
    """One image of somebody else: paths are absolute, ``where`` names the line in messages.

    ``problem`` says why the line cannot be used. ``stamp`` changes when a file does.
    """

    where: str
    file: str
    mask: str
    system: str
    color: str
    object: str
    light: str
    problem: str = ""
    stamp: tuple[int, ...] = ()


@dataclass(frozen=True)
class Task:
    """The images of one object, light and seed in all colors, or some images of a manifest.

    ``step`` is the n of "every nth color", ``first`` where that begins. ``two`` is True for
    images of two materials. ``material`` is one of MATERIALS, empty for plain ones; with
    ``neutral`` each image is balanced by its backdrop. ``files`` are the manifest's rows. ``k`` is
    the number of neighbors that rules accept which take neighbors.
    """

    key: str
    rule_ids: tuple[str, ...]
    object: str = ""
    light: str = ""
    seed: int = 0
    size_px: int = 0
    systems: tuple[str, ...] = ()
    step: int = 1
    first: int = 0
    two: bool = False
    material: str = ""
    neutral: bool = False
    files: tuple[FileRow, ...] = ()
    k: int = 0
    fingerprint: str = ""

    @property
    def colors(self) -> tuple[tuple[str, str], ...]:
        """System and name of every image."""
        return tuple(
            (system_id, color.name)
            for system_id in self.systems
            for color in set_colors(system_id)[self.first :: self.step]
        )

    @property
    def images(self) -> int:
        """How many images it judges."""
        return len(self.files) or len(self.colors)

    @property
    def file_name(self) -> str:
        """The name of the file that keeps its rows."""
        return f"{self.key}--{self.fingerprint}.csv.gz"


def rules_used(rule_ids: Sequence[str] = (), k: int = 0) -> tuple[RuleUsed, ...]:
    """The rules of those ids, all of them by default, each asked once for its parameters.

    ``k`` as for :class:`truehue.core.verdict.candidates.Acceptance`. Raises BadInput for an unknown
    id or such a k.
    """
    chosen = [rule(rule_id) for rule_id in rule_ids] or list(RULES)
    probe, target = render_image("sphere", "overcast", 0, "#E83B1B", 64), parse_target("#E83B1B")
    used = []
    for by in dict.fromkeys(chosen):
        measurement = measure(
            *probe, target, by.id, acceptance=Acceptance(k, system=SET_SYSTEMS[0])
        )
        # Neighbors come from the system of each color, not from the probe's.
        parameters = {
            name: v for name, v in measurement.verdict.parameters.items() if name != "neighbors_of"
        }
        used.append(RuleUsed(by.id, by.version, by.name, parameters))
    return tuple(used)


def renderer_tasks(
    rules: Sequence[RuleUsed],
    objects: Sequence[str],
    lights: Sequence[str],
    seeds: Sequence[int],
    systems: Sequence[str],
    size_px: int,
    every: int = 1,
    material: str = "",
    neutral: bool = False,
) -> list[Task]:
    """The tasks of the diagnostic set, then those of two materials; or those of a ``material`` of
    MATERIALS alone. With ``neutral`` each image is balanced by its backdrop.

    With ``every`` n each task takes every nth color, and the tasks take turns in where they begin.
    Raises BadInput for an unknown object, light, system or material, an object that has no
    patterns, a bad size or seed, and an ``every`` below 1.
    """
    if every < 1:
        raise BadInput(f"--every must be 1 or more, not {every}.")
    if material and material not in MATERIALS:
        raise BadInput(f"No material is called {material!r}: {', '.join(MATERIALS)}.")
    for name in objects:
        check_object(name)
        if material in PATTERNS and name not in PATTERNED:
            raise BadInput(f"A {name} has no {material}. Objects that do: {', '.join(PATTERNED)}.")
    for seed in seeds:
        check_size_and_seed(size_px, seed)
    for light in lights:
        checked_light(light)
    for system_id in systems:
        set_colors(system_id)
    if not (objects and lights and seeds and systems):
        raise BadInput("At least one object, light, seed and system is needed.")
    tasks: list[Task] = []
    two = [name for name in objects if name in TWO_MATERIAL_OBJECTS]
    parts: tuple[tuple[bool, list[str]], ...] = ((False, list(objects)), (True, two))
    if material:
        parts = ((material in PATTERNS, list(objects)),)
    for is_two, names in parts:
        for name in names:
            for light in lights:
                for seed in seeds:
                    kind = material or ("two" if is_two else "one")
                    kind += "-neutral" if neutral else ""
                    task = Task(
                        f"{kind}--{name.replace(' ', '-')}--{light}--{seed}",
                        tuple(used.id for used in rules),
                        name,
                        light,
                        seed,
                        size_px,
                        tuple(systems),
                        every,
                        len(tasks) % every,
                        is_two,
                        material,
                        neutral,
                        k=_k(rules),
                    )
                    tasks.append(replace(task, fingerprint=_fingerprint(task, rules)))
    return tasks


def manifest_tasks(
    rules: Sequence[RuleUsed], rows: Sequence[FileRow], size: int = 32
) -> list[Task]:
    """The tasks of a manifest's rows, so many of them at a time."""
    tasks = []
    for number, begin in enumerate(range(0, len(rows), size)):
        some = tuple(rows[begin : begin + size])
        ids = tuple(used.id for used in rules)
        task = Task(f"files--{number:05d}", ids, files=some, k=_k(rules))
        tasks.append(replace(task, fingerprint=_fingerprint(task, rules)))
    return tasks


def _k(rules: Sequence[RuleUsed]) -> int:
    return max((int(used.parameters.get("k", 0)) for used in rules), default=0)


def _fingerprint(task: Task, rules: Sequence[RuleUsed]) -> str:
    """Sixteen hex digits of the SHA-256 of all that the task's rows depend on."""
    label = {
        "task": asdict(task),
        "colors": [(key, name, parse_target(name, key).hex) for key, name in task.colors],
        "light": asdict(checked_light(task.light)) if task.light else None,
        "renderer": RENDERER_VERSION,
        "rules": [asdict(used) for used in rules],
        "code": code_sha256(),
    }
    text = json.dumps(label, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def code_sha256() -> str:
    """SHA-256 of the source that draws and judges: a rule that is changed without a new version
    must not be reported with its old rows."""
    digest = hashlib.sha256()
    for name in _JUDGING_CODE:
        path = _CORE / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(file.relative_to(_CORE).as_posix().encode() + b"\0")
            digest.update(file.read_bytes())
    return digest.hexdigest()


def part_of(object_name: str, light: str) -> str:
    """One of "tuned", "held_out" and "mixed".

    Empty for an object or a light outside of the split: so is the light "even", which shows the
    exact color everywhere and would flatter every rule.
    """
    if object_name in TUNED_OBJECTS and light in TUNED_LIGHTS:
        return "tuned"
    if object_name in HELD_OUT_OBJECTS and light in HELD_OUT_LIGHTS:
        return "held_out"
    known_object = object_name in TUNED_OBJECTS + HELD_OUT_OBJECTS
    return "mixed" if known_object and light in TUNED_LIGHTS + HELD_OUT_LIGHTS else ""


COLUMNS = ("file", "mask", "system", "color")
OPTIONAL = ("object", "light")


def read_manifest(path: Path) -> list[FileRow]:
    """The rows in order; paths start at the manifest's folder.

    ``color`` is a name of the system or a hex. A row that cannot be used says so in ``problem``.
    Raises BadInput for a file that is no such manifest or has no rows.
    """
    rows: list[FileRow] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, skipinitialspace=True)
            reader.fieldnames = [name.strip().lower() for name in reader.fieldnames or []]
            missing = [name for name in COLUMNS if name not in reader.fieldnames]
            if missing:
                raise BadInput(
                    f"The manifest {path.name} lacks the column(s) {', '.join(missing)}. It needs "
                    f"a header line with {','.join(COLUMNS)}; {' and '.join(OPTIONAL)} may follow."
                )
            for row in reader:
                values = {name: (row.get(name) or "").strip() for name in (*COLUMNS, *OPTIONAL)}
                too_many = None in row  # csv's key for what no column is named for
                rows.append(_row(path, reader.line_num, values, too_many))
    except OSError as error:
        raise BadInput(f"Cannot read the manifest {path}: {error.strerror}.") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadInput(f"The manifest {path.name} is no CSV in UTF-8: {error}.") from error
    if not rows:
        raise BadInput(f"The manifest {path.name} has a header but no rows.")
    return rows


def _row(path: Path, line: int, values: dict[str, str], too_many: bool) -> FileRow:
    problem = ""
    if too_many:
        problem = "There are more values than columns; a value with commas needs quotes."
    elif not all(values[name] for name in COLUMNS):
        problem = "file, mask, system and color must all be given."
    elif values["system"].lower() not in SYSTEMS:
        problem = f"There is no color system {values['system']!r}: {', '.join(SYSTEMS)}."
    file, mask = (path.parent / values[name] for name in ("file", "mask"))
    return FileRow(
        where=f"{path.name}, line {line}",
        file=str(file.absolute()),
        mask=str(mask.absolute()),
        system=values["system"].lower(),
        color=_one_line(values["color"]),
        object=_one_line(values["object"]),
        light=_one_line(values["light"]),
        problem=problem,
        stamp=tuple(number for path in (file, mask) for number in file_stamp(path)),
    )


def _one_line(name: str) -> str:
    return " ".join(name.split())
