"""Ring tests on the page: sets made on this machine, their answers, and the results of each scorer.

A set has a folder below ``ring/`` of the data folder: ``set/`` and ``key.json``
(:mod:`truehue.core.ring.folder`), ``answers/`` as they were given, and ``results/`` with a
certificate of each scorer.
"""

from __future__ import annotations

import io
import json
import re
import secrets
import shutil
import threading
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypedDict

from pydantic import Field

from truehue.core.analysis.judge_error import Calibration
from truehue.core.errors import BadInput, NotStored, TrueHueError
from truehue.core.files import replace_file
from truehue.core.generation.request import Cancelled
from truehue.core.ring.answers import RingAnswers, answer_by_rules, answers_text, read_answers
from truehue.core.ring.certificate import file_name, write_results
from truehue.core.ring.certified import read_certificate
from truehue.core.ring.comparison import compare
from truehue.core.ring.folder import RingKey, RingSet, make_set, open_set, read_key
from truehue.core.ring.plan import DEFAULT_IMAGES, DEFAULT_SIZE_PX
from truehue.core.ring.report import KIND_NAMES, score
from truehue.core.spreadsheets import csv_text
from truehue.core.verdict.rules import RULE_NAMES, rule
from truehue.tabs.charts.figure_parts import interval_text, line_style, rate_text
from truehue.tabs.explore.rule_accuracy_curve import NARROW_PERCENT, interval_box
from truehue.tabs.explore.rule_accuracy_report import AcceptRate
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.figures import INK, PANEL, SOFT
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import EmptyRequest, PageRequest
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import NamedChoice, StartedJob

KIND = "ring"
SET, KEY, ANSWERS, RESULTS, PAIRS = "set", "key.json", "answers", "results", "pairs.json"
IMAGES, SIZE_PX = DEFAULT_IMAGES, DEFAULT_SIZE_PX
_END = "-certificate"
_lock = threading.Lock()

SetName = Annotated[str, Field(title="The set", pattern="^[0-9a-f]{12}$")]


class RingFile(PageRequest):
    """A file of answers to a set."""

    set: SetName


class RingRow(TypedDict):
    """A scorer of a set. ``file`` names its certificate; ``kinds`` are false accepts by kind."""

    name: str
    version: str
    file: str
    hit: AcceptRate
    false: AcceptRate
    kinds: list[str]
    unscored: int
    findings: list[str]


class RingTest(TypedDict):
    """The paired test of two scorers; ``result`` is a sentence for people."""

    names: str
    on: str
    result: str


class RingView(TypedDict):
    """The sets, and the scorers of one; without a set everything is empty."""

    sets: list[NamedChoice]
    set: str
    about: str
    rows: list[RingRow]
    tests: list[RingTest]
    figure: dict[str, Any] | None


class RingAdded(TypedDict):
    """A scorer whose answers were taken."""

    name: str


@requires("compute")
def start_ring(context: Context, actor: Actor, request: EmptyRequest) -> StartedJob:
    """Starts to make a set, which all rules answer."""
    folder = context.storage.data_dir / KIND
    job = context.jobs.start(
        KIND, "Ring test", actor, lambda job: _make(job, folder, IMAGES, SIZE_PX)
    )
    return {"job": job.id}


def _make(job: Job, root: Path, images: int, size_px: int) -> dict[str, Any]:
    """The work of the job; returns the set's name. A set without the rules' answers is not kept."""

    def report(step: str, done: int, total: int) -> None:
        if job.stop.is_set():
            raise Cancelled
        job.tell(f"{step}, {done:,} of {total:,} images", done, total)

    job.tell("Rendering")
    half = root / f".{secrets.token_hex(8)}.part"
    half.mkdir(parents=True)
    try:
        made = make_set(
            half / SET,
            half / KEY,
            secrets.randbelow(2**62),
            images,
            size_px,
            lambda done, total: report("Rendering", done, total),
        )
        ring_set, key = _opened(half)
        answers = answer_by_rules(ring_set, (), lambda done, total: report("Scoring", done, total))
        job.tell("Counting")
        _add(half, ring_set, key, answers)
        half.rename(root / made.name)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    job.tell(f"{made.images:,} images, answered by {len(answers)} rules.")
    return {"set": made.name}


@requires("add")
def take_answers(
    context: Context, actor: Actor, request: RingFile, file: Path, name: str
) -> RingAdded:
    """Scores a file of answers; the scorer bears the file's name. Raises BadInput for a name that
    the set has already."""
    folder = _folder(context, request.set)
    ring_set, key = _opened(folder)
    scorer = Path(name).stem[:60] or "scorer"
    answers = read_answers(file, ring_set, scorer)
    _add(folder, ring_set, key, [answers])
    return {"name": scorer}


def _add(folder: Path, ring_set: RingSet, key: RingKey, scorers: Sequence[RingAnswers]) -> None:
    """Stores answers and their certificates, then the tests of all pairs."""
    with _lock:
        stored = {entry["scorer"]: entry for entry in _results(folder)}
        files = {file_name(name) for name in stored}
        for entry in scorers:
            if file_name(entry.scorer) in files:
                raise BadInput(
                    f"The set has answers of {entry.scorer!r} already. Rename the file, perhaps "
                    "with the scorer's version."
                )
        earlier = [
            read_answers(_answers_path(folder, name), ring_set, name, entry["scorer_version"])
            for name, entry in stored.items()
        ]
        (folder / ANSWERS).mkdir(exist_ok=True)
        for entry in scorers:
            replace_file(_answers_path(folder, entry.scorer), answers_text(entry).encode())
        pairs = [
            asdict(pair) | {"better": pair.better} for pair in compare(key, [*earlier, *scorers])
        ]
        write_results(folder / RESULTS, [score(ring_set, key, entry) for entry in scorers], ())
        replace_file(folder / PAIRS, json.dumps(pairs).encode())


def _answers_path(folder: Path, scorer: str) -> Path:
    return folder / ANSWERS / f"{file_name(scorer)}.csv"


def _folder(context: Context, name: str) -> Path:
    """Raises NotStored for a set that does not exist."""
    folder = context.storage.data_dir / KIND / name
    if not re.fullmatch("[0-9a-f]{12}", name) or not (folder / KEY).is_file():
        raise NotStored("This ring test is not stored here. Reload the page.")
    return folder


def _opened(folder: Path) -> tuple[RingSet, RingKey]:
    ring_set = open_set(folder / SET)
    return ring_set, read_key(folder / KEY, ring_set)


def _results(folder: Path) -> list[dict[str, Any]]:
    """The certificates: our rules in their order, then others as they came."""
    entries = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted((folder / RESULTS).glob(f"*{_END}.json"))
    ]
    order = list(RULE_NAMES)
    return sorted(
        entries,
        key=lambda entry: (
            order.index(entry["scorer"]) if entry["scorer"] in order else len(order),
            entry["created_at"],
        ),
    )


def read_ring_certificate(context: Context, name: str, rule_id: str) -> Calibration:
    """The errors of a rule's present version by its certificate of a set. Raises NotStored, and
    BadInput for a certificate of another version, or without its key."""
    folder = _folder(context, name)
    path = folder / RESULTS / f"{file_name(rule_id)}{_END}.json"
    stamps = tuple(file.stat().st_mtime_ns for file in (path, folder / KEY) if file.is_file())
    return _certified(path, folder / KEY, rule_id, rule(rule_id).version, stamps)


@lru_cache(maxsize=64)
def _certified(
    path: Path, key: Path, rule_id: str, version: str, stamps: tuple[int, ...]
) -> Calibration:
    """Read once while its files stay as they are (``stamps``)."""
    return read_certificate(path, key, rule_id, version)


def certificates_of(context: Context, rule_id: str) -> list[Calibration]:
    """The errors of a rule by its certificates of all sets, newest set first. Those that cannot be
    used are left out."""
    certified = []
    for folder in _folders(context):
        with suppress(TrueHueError):
            certified.append(read_ring_certificate(context, folder.name, rule_id))
    return certified


def _folders(context: Context) -> list[Path]:
    """The sets, newest first."""
    root = context.storage.data_dir / KIND
    return sorted(
        (path.parent for path in root.glob("[0-9a-f]*/key.json")),
        key=lambda folder: -(folder / KEY).stat().st_mtime,
    )


def ring_view(context: Context, name: str) -> RingView:
    """A set for the page, the newest where ``name`` does not exist."""
    folders = _folders(context)
    if not folders:
        return {"sets": [], "set": "", "about": "", "rows": [], "tests": [], "figure": None}
    folder = next((folder for folder in folders if folder.name == name), folders[0])
    results = _results(folder)
    pairs = json.loads((folder / PAIRS).read_text()) if (folder / PAIRS).is_file() else []
    return {
        "sets": [{"id": entry.name, "name": entry.name} for entry in folders],
        "set": folder.name,
        "about": _about(results),
        "rows": [_row(entry) for entry in results],
        "tests": [_test(pair) for pair in pairs],
        "figure": ring_figure(results) if results else None,
    }


def _about(results: Sequence[Mapping[str, Any]]) -> str:
    if not results:
        return "No scorer has answered this set yet."
    first = results[0]
    return (
        f"{first['questions']:,} questions about {first['images']:,} images. Probes, which measure "
        "bias, are in no rate. Intervals are 95%, by bootstrap over images."
    )


def _row(entry: Mapping[str, Any]) -> RingRow:
    return {
        "name": RULE_NAMES.get(entry["scorer"], entry["scorer"]),
        "version": entry["scorer_version"],
        "file": file_name(entry["scorer"]),
        "hit": _rate(entry["hits"]),
        "false": _rate(entry["false_accepts"]),
        "kinds": [
            f"{KIND_NAMES[kind]}: {rate_text(rate['percent'])}%"
            for kind, rate in entry["kinds"].items()
        ],
        "unscored": entry["unscored"] + entry["missing"],
        "findings": list(entry["findings"]),
    }


def _rate(share: Mapping[str, Any]) -> AcceptRate:
    return {
        "percent": share["percent"],
        "text": rate_text(share["percent"]),
        "low": share["low"],
        "high": share["high"],
        "interval": interval_text(share["low"], share["high"], share["percent"]),
        "counts": f"{share['count']:,} of {share['total']:,}",
    }


def _test(pair: Mapping[str, Any]) -> RingTest:
    a, b = (RULE_NAMES.get(pair[side], pair[side]) for side in ("a", "b"))
    if pair["p"] is None:
        result = "same answers"
    elif pair["better"]:
        result = f"{RULE_NAMES.get(pair['better'], pair['better'])} is better, p {_p(pair['p_adjusted'])}"
    else:
        result = f"no difference shown, p {_p(pair['p_adjusted'])}"
    return {"names": f"{a} – {b}", "on": pair["on"], "result": result}


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def ring_figure(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Hits against false accepts, a point and the box of both intervals for each scorer, and a line
    for one that states its confidence."""
    series: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    for index, entry in enumerate(results):
        dash, symbol = line_style(index)
        hit, false = entry["hits"], entry["false_accepts"]
        look = {"legendgroup": entry["scorer"], "line": {"color": SOFT, "width": 2, "dash": dash}}
        hover = (
            f"{entry['scorer'].replace('<', '&lt;')}<br>hits %{{y:.1f}}%, false accepts %{{x:.1f}}%"
        )
        if entry["curve"]:
            rows = [
                {"x": point["false_accept_percent"], "y": point["hit_percent"]}
                for point in entry["curve"]
            ]
            series.append(
                {"mode": "lines", "rows": rows, "showlegend": False, **look}
                | {"hovertemplate": hover + "<extra></extra>"}
            )
        series.append(
            {
                "mode": "markers",
                "rows": [{"x": false["percent"], "y": hit["percent"]}],
                "name": entry["scorer"].replace("<", "&lt;"),
                "cliponaxis": False,
                "marker": {
                    "symbol": symbol,
                    "size": 11,
                    "color": PANEL,
                    "line": {"width": 2, "color": INK},
                },
                "hovertemplate": hover + "<extra></extra>",
                "legendgroup": entry["scorer"],
            }
        )
        shapes.append(interval_box(false["low"], false["high"], hit["low"], hit["high"]))
    widest = max(entry["false_accepts"]["high"] for entry in results)
    high = NARROW_PERCENT if widest < NARROW_PERCENT else 102.0
    return {
        "height": 360,
        "margin": {"l": 46, "r": 10, "t": 10, "b": 40},
        "series": series,
        "shapes": shapes,
        "x": {"title": "False accepts, %", "range": [-high / 60.0, high]},
        "y": {"title": "Hits, %", "range": [0, 102]},
        "legend": {
            "orientation": "v",
            "x": 1,
            "y": 0,
            "xanchor": "right",
            "yanchor": "bottom",
            "bgcolor": PANEL,
        },
    }


def certificate(context: Context, name: str, file: str) -> tuple[str, bytes]:
    """The name and content of a scorer's certificate. Raises NotStored."""
    results = _folder(context, name) / RESULTS
    path = results / f"{file}{_END}.html"
    if path not in results.glob("*.html"):
        raise NotStored("This certificate is not stored here. Reload the page.")
    return f"ring-{name}.html", path.read_bytes()


def set_zip(context: Context, name: str) -> tuple[str, bytes]:
    """The set without its key, for those who answer it."""
    folder = _folder(context, name) / SET
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"ring-{name}/{path.relative_to(folder).as_posix()}")
    return f"ring-{name}.zip", data.getvalue()


def ring_csv(context: Context, name: str) -> tuple[str, str]:
    """The rates of a set as CSV, a line for each scorer and kind of question."""
    rows = [
        (
            entry["scorer"],
            entry["scorer_version"],
            kind,
            share["count"],
            share["total"],
            *(f"{share[end]:.4f}" for end in ("percent", "low", "high")),
        )
        for entry in _results(_folder(context, name))
        for kind, share in (
            ("hits", entry["hits"]),
            ("false_accepts", entry["false_accepts"]),
            *entry["kinds"].items(),
        )
    ]
    head = ("scorer", "version", "kind", "accepted", "questions", "percent", "low", "high")
    return f"truehue-ring-{name}.csv", csv_text(head, rows)
