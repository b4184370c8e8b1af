"""Import of archives from others as a run's folder, completely or not at all.

Every byte comes from an untrusted person. Names can lead only into the new folder, sizes are
counted and not trusted, ids are checked before they name files, and each image must match the hash
in its name.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from truehue.core.batch.folder import PLAN, json_bytes
from truehue.core.batch.records import BatchState
from truehue.core.errors import BadInput, DataFolderError
from truehue.core.export.archive_import.plan import checked_plan
from truehue.core.export.archive_import.shards import checked_results
from truehue.core.export.archive_import.zip_file import Limits, RunZip, import_images
from truehue.core.export.source import IMPORTED, imported_from, parts_of, same_results
from truehue.core.files import ReportProgress, file_problem, ignore_progress, replace_file
from truehue.core.runs.adaptive import FILE as ADAPTIVE
from truehue.core.runs.adaptive import checked_order, unpack_order
from truehue.core.runs.controls import FILE as CONTROLS
from truehue.core.runs.controls import checked_report
from truehue.core.runs.folder import ITEMS, PROMPTS, RunFolder

INCOMING = ".incoming"
"""Below the folder of runs: what is being read. Nobody looks for runs in there."""


def open_archive(
    path: Path | str,
    root: Path | str,
    *,
    name: str = "",
    limits: Limits | None = None,
    progress: ReportProgress = ignore_progress,
) -> RunFolder:
    """Makes the folder ``root/<run_id>`` of an archive that :mod:`truehue.core.export.archive`
    wrote, here or elsewhere, and returns it; ``name`` is what the file was called where it came
    from.

    The same results again are the run that is there. Raises BadInput that says what is wrong with
    the file (no archive of ours, another version, damaged, too large, paths or ids that lead
    elsewhere, results that do not fit their plan), or that a run of that id has other results;
    DataFolderError where nothing can be written. In each case nothing stays behind.
    """
    path, root = Path(path), Path(root)
    shown = name or path.name
    waiting = root / INCOMING / secrets.token_hex(8)
    try:
        with RunZip(path, shown, limits or Limits()) as archive:
            run = _run_id(archive)
            for text in (PLAN, PROMPTS, ITEMS):
                archive.write(text, waiting)
            plan = checked_plan(waiting, shown, run)
            archive.refuse_parts_beyond(plan.total)
            rules = [name for name, _ in plan.summary["rules"]]
            controls = _checked(
                archive,
                waiting,
                CONTROLS,
                "control images",
                lambda text: checked_report(text, rules),
            )
            order = _checked(
                archive,
                waiting,
                ADAPTIVE,
                "adaptive order",
                lambda text: checked_order(text, run, plan.total),
            )
            results = checked_results(archive, waiting, plan, progress)
            import_images(archive, waiting, results.images, results.masks, progress)
        run_path = waiting / run
        _lay_out(waiting, run_path, plan.item_lines)
        if controls:
            (run_path / CONTROLS).write_bytes(json_bytes(controls))
        _say_where_from(run_path, archive, results.done, plan.summary)
        folder = _take_its_place(run_path, root, shown)
        if order and not (folder.path / ADAPTIVE).exists():
            unpack_order(order, folder.path)
        return folder
    except OSError as error:
        raise DataFolderError(f"{shown} cannot be imported: {file_problem(error)}.") from error
    finally:
        shutil.rmtree(waiting, ignore_errors=True)


def _run_id(archive: RunZip) -> str:
    """The run that the archive says it is of."""
    run = archive.manifest.get("run_id")
    if not isinstance(run, str) or len(run) != 16 or set(run) - set("0123456789abcdef"):
        raise BadInput(f"{archive.shown} names no run that this TrueHue could know.")
    return run


def _checked(
    archive: RunZip,
    waiting: Path,
    file: str,
    name: str,
    check: Callable[[Any], dict[str, Any]],
) -> dict[str, Any]:
    """What a file of an archive says, as it was checked; empty where the archive has none."""
    path = archive.write(file, waiting)
    if not path.is_file():
        return {}
    try:
        return check(json.loads(path.read_bytes()))
    except (BadInput, ValueError, RecursionError) as error:
        text = str(error) if isinstance(error, BadInput) else f"{file} is no JSON"
        raise BadInput(
            f"The {name} in {archive.shown} cannot be used: {text.rstrip('.')}."
        ) from error


def _lay_out(waiting: Path, run_path: Path, item_lines: Path | None) -> None:
    """The folder of a run as :class:`truehue.core.runs.folder.RunFolder` has it."""
    for part in ("journal", "shards", "images", "masks"):
        (run_path / part).mkdir(parents=True, exist_ok=True)
    for part in ("shards", "images", "masks"):
        source = waiting / part
        if source.is_dir():
            os.rmdir(run_path / part)
            source.rename(run_path / part)
    (waiting / PROMPTS).rename(run_path / PROMPTS)
    if item_lines is not None:
        item_lines.rename(run_path / ITEMS)


def _say_where_from(run_path: Path, archive: RunZip, done: int, summary: Mapping[str, Any]) -> None:
    folder = RunFolder(run_path)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    about = {
        "name": archive.shown[:200],
        "sha256": archive.sha256,
        "at": now,
        "truehue": str(archive.manifest.get("truehue", ""))[:40],
        "images": any(folder.images.iterdir()),
        "counts": _counts(folder, archive.manifest, done),
    }
    (run_path / IMPORTED).write_bytes(json_bytes(about))
    # In the plan's summary too: whoever shows the run can say it without its folder.
    (run_path / PLAN).write_bytes(json_bytes({**summary, "imported": about}))
    total = int(summary["total"])
    state = BatchState(
        str(summary["run_id"]),
        "finished" if done == total else "cancelled",
        total,
        done,
        updated_at=now,
    )
    folder.save_state(replace(state, failed=_failed(folder)))


def _counts(folder: RunFolder, manifest: Mapping[str, Any], done: int) -> dict[str, list[int]]:
    """How many results, images and masks were found, and how many the archive's list says."""
    images = manifest.get("pictures")
    listed = {
        "results": images.get("done") if isinstance(images, Mapping) else None,
        "pictures": manifest.get("images"),
        "masks": manifest.get("masks"),
    }
    held = {"results": done, "pictures": _files(folder.images), "masks": _files(folder.masks)}
    return {
        name: [held[name], number]
        for name, number in listed.items()
        if type(number) is int and 0 <= number < 2**40
    }


def _files(folder: Path) -> int:
    return sum(1 for _ in folder.glob("*/*.png"))


def _failed(folder: RunFolder) -> int:
    from truehue.core.runs.shards import read_columns

    return sum(
        read_columns(path, ("status",))["status"].to_pylist().count("failed")
        for path in folder.shards()
    )


def _take_its_place(run_path: Path, root: Path, shown: str) -> RunFolder:
    target_folder = RunFolder(root / run_path.name)
    if (target_folder.path / PLAN).is_file():
        if same_results(parts_of(target_folder), RunFolder(run_path).shards()):
            _add_images(run_path, target_folder)
            return target_folder
        origin = imported_from(target_folder.path)
        whose = f"imported from {origin['name']}" if origin.get("name") else "made here"
        raise BadInput(
            f"{shown} holds the run {run_path.name}, which is here already, {whose}, with other "
            "results. Nothing was changed. To compare both, import it into another data folder."
        )
    for leftover in (run_path / "wish.json", run_path / "lock"):
        leftover.unlink(missing_ok=True)
    try:
        run_path.rename(target_folder.path)
    except OSError as error:
        raise DataFolderError(
            f"{target_folder.path} cannot be made: {file_problem(error)}. Remove what is there."
        ) from error
    return target_folder


def _add_images(run_path: Path, target_folder: RunFolder) -> None:
    """An archive with images, or with control images, completes a run that was imported without
    them."""
    about = imported_from(target_folder.path)
    if not about:
        return
    if (run_path / CONTROLS).is_file() and not (target_folder.path / CONTROLS).exists():
        (run_path / CONTROLS).rename(target_folder.path / CONTROLS)
    for part in ("images", "masks"):
        for source in (run_path / part).glob("*/*.png"):
            target = target_folder.path / part / source.parent.name / source.name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                source.rename(target)
    before, brought = dict(about), imported_from(run_path).get("counts") or {}
    about["images"] = any(target_folder.images.iterdir())
    about["counts"] = dict(about.get("counts") or {})
    for name, folder in (("pictures", target_folder.images), ("masks", target_folder.masks)):
        listed = max(
            counts[name][1] if name in counts else 0 for counts in (about["counts"], brought)
        )
        about["counts"][name] = [_files(folder), listed]
    if about != before:
        replace_file(
            target_folder.path / PLAN, json_bytes({**target_folder.summary(), "imported": about})
        )
        replace_file(target_folder.path / IMPORTED, json_bytes(about))
