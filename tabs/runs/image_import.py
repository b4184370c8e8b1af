"""Import of a folder of images: matched with prompts and stored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict
from urllib.parse import unquote

from pydantic import Field

from truehue.core.errors import BadInput
from truehue.core.files import named_path
from truehue.core.image_sets import UNKNOWN_MODEL, plan, unreadable, unreadable_measured
from truehue.core.image_sets.records import (
    NO_PROMPT,
    FolderPlan,
    FolderReport,
    ImportStep,
    Remark,
    RemarkList,
    Tally,
    generation_of,
    read,
)
from truehue.core.images.pixels import Mask
from truehue.core.prompts.prompt import Prompt
from truehue.tabs.library.service import ImportReport, Library, ReportList, count_entry
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import message_of
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest, Session
from truehue.tabs.page.roles import Actor, authorize
from truehue.tabs.page.shared_answers import Done, StartedJob
from truehue.tabs.runs.imported import offer

EVERY_IMPORTED_SET = "*"
SHOWN = 100
MAX_MODEL = 120
_NONE = RemarkList(0, ())
# Names as the released benchmark writes them: cna_l2/17_1.png, 17/image_1.png.
_RELEASED = re.compile(r"(?:^|/)(?:\d+_\d+|\d+/image_\d+)\.\w+$")


class ImageFolder(PageRequest):
    """A folder of images: the files that a page sent under ``session``, or a ``path`` of this
    machine; with the ``set`` of its prompts, the ``model`` that drew them, and the color ``system``
    whose names its CSV uses, empty for the first system that has a name."""

    session: str = ""
    path: str = ""
    set: str = ""
    model: str = Field("", max_length=MAX_MODEL, title="The model's name")
    system: Literal["", "css", "l1", "l2", "l3", "people"] = ""


class StagedFile(PageRequest):
    """A file of a folder, under the path that it has in there."""

    session: Session
    path: str = ""


class StagedFolder(PageRequest):
    """Files that a page sent."""

    session: Session


@requires("add")
def take_file(context: Context, actor: Actor, request: StagedFile, file: Path, name: str) -> Done:
    """Holds a file of a folder until the folder is imported."""
    context.staging.take(request.session, unquote(request.path) or name, file)
    return {}


@requires("add")
def forget_folder(context: Context, actor: Actor, request: StagedFolder) -> Done:
    """Discards the files of a folder."""
    context.staging.clear(request.session)
    return {}


def folder_of(context: Context, actor: Actor, request: ImageFolder) -> Path:
    """The folder that the page means. Raises BadInput, and NotAllowed for a path where others than
    the owner reach the app."""
    if request.session:
        folder = context.staging.folder(request.session)
        if not folder.is_dir():
            raise BadInput("The files of this folder are no longer available. Choose it again.")
        inside = [subfolder for subfolder in folder.iterdir() if subfolder.is_dir()]
        # A browser sends the chosen folder itself as the first part of every path.
        return inside[0] if len(inside) == 1 and not any(folder.glob("*.*")) else folder
    authorize(actor, "name-folder")
    if not request.path:
        raise BadInput("Choose a folder first.")
    return named_path(request.path)


def prompts_of(library: Library, set_id: str) -> Sequence[Prompt] | Mapping[str, Sequence[Prompt]]:
    """The prompts of a set; those of every imported set by its name; or none at all."""
    if set_id == EVERY_IMPORTED_SET:
        named: dict[str, Sequence[Prompt]] = {}
        for prompt_set in library.sets():  # newest first: of two sets of one name, the newer
            stem = Path(prompt_set.title).stem
            if prompt_set.imported and stem not in named:
                named[stem] = library.index(prompt_set.id).prompts
        return named
    return library.index(set_id).prompts if set_id else ()


def plan_import(context: Context, actor: Actor, request: ImageFolder) -> FolderPlan:
    """The plan of what the page asks to import; raises BadInput in words for the page."""
    prompts = prompts_of(context.service(Library), request.set)
    return plan(
        folder_of(context, actor, request),
        prompts,
        model=request.model or UNKNOWN_MODEL,
        system=request.system or None,
    )


class FolderPreview(TypedDict):
    """What an import would do; ``found`` are the images that can be imported."""

    found: int
    report: ImportReport


@requires("look")
def look(context: Context, actor: Actor, request: ImageFolder) -> FolderPreview:
    """A preview of an import; the first files are opened, so that broken ones are counted."""
    folder_plan = plan_import(context, actor, request)
    report = Tally(folder_plan).report()
    broken = unreadable_measured(folder_plan)
    return {
        "found": len(folder_plan.found) - len(broken),
        "report": report_json(
            report, True, (*broken, *unreadable(folder_plan)), _is_released(folder_plan)
        ),
    }


@requires("add")
def start_import(context: Context, actor: Actor, request: ImageFolder) -> StartedJob:
    """Starts to import a folder."""
    if not request.session:
        authorize(actor, "name-folder")
    name = Path(request.path).name or "images"

    def work(job: Job) -> dict[str, Any]:
        with context.staging.in_use(request.session):
            return import_folder(context, actor, request, job)

    return {"job": context.jobs.start("images", f"Import of {name}", actor, work).id}


def import_folder(context: Context, actor: Actor, request: ImageFolder, job: Job) -> dict[str, Any]:
    """Imports a folder, image by image; the answer is the report. Stops when the job says so."""
    stored = 0
    try:
        folder_plan = plan_import(context, actor, request)
        total = len(folder_plan.found)
        source = ""
        if folder_plan.new_prompts:
            name = f"{folder_plan.folder.name or 'images'} (from its table)"
            source = context.storage.prompt_sets.add(
                name, folder_plan.new_prompts, "mapping", maker=actor.id
            ).set_id
        tally = Tally(folder_plan)
        already = context.storage.drawings.imported_keys()
        rows, with_mask, known = [], 0, dict[str, None]()
        for step in read(folder_plan, already, job.stop):
            text = f"{step.position:,} of {total:,} files, {stored:,} images stored"
            job.tell(text, step.position, total)
            tally.add(step)
            if step.known and (image_id := _known_image(step, already)):
                known[image_id] = None
            if step.loaded is None:
                continue
            loaded_image = step.loaded
            context.require_space(2 * loaded_image.srgb8[..., 0].size, images=1)
            row = generation_of(step, job.id, source)
            image = context.storage.images.add(
                loaded_image.srgb8, loaded_image.name, "import", loaded_image.notes, maker=actor.id
            )
            if loaded_image.opaque is not None and loaded_image.opaque.any():
                mask = Mask(loaded_image.opaque, "file", {"from": "transparency"})
                context.storage.masks.add(image.image_id, mask)
                with_mask += 1
            rows.append(context.storage.drawings.add(row))
            stored += 1
        set_id = request.set
        set_id = "" if set_id == EVERY_IMPORTED_SET or folder_plan.new_prompts else set_id
        report = report_json(
            tally.report(), False, unreadable(folder_plan), _is_released(folder_plan)
        )
        job.tell("Cancelled. What was stored stays." if job.stop.is_set() else "Done.")
        return {**report, "score": offer(context, rows, set_id, with_mask, list(known))}
    except Exception as error:
        counts = [[stored, "stored before that"]]
        job.tell(result={"title": message_of(error), "counts": counts, "lists": []})
        raise
    finally:
        if request.session:
            context.staging.clear(request.session)


def _known_image(step: ImportStep, already: Mapping[str, str]) -> str:
    """The stored image of a file that was imported before; empty for a copy of this import."""
    by_file = already.get(step.found.file_key)
    return by_file or already.get(step.found.content_key(step.sha256), "")


def _is_released(folder_plan: FolderPlan) -> bool:
    """Whether an image without a prompt is named as the released benchmark names its images."""
    unlinked = [image.name for image in folder_plan.found if image.prompt is NO_PROMPT]
    names = [*unlinked, *(remark.where for remark in folder_plan.extra)]
    return any(_RELEASED.search(name) for name in names)


def report_json(
    report: FolderReport, planned_only: bool, unread: Sequence[Remark] = (), released: bool = False
) -> ImportReport:
    """A report as the dialog shows it: counts, then lists that can be opened. ``unread`` are files
    that are no images, besides those that the import found so; ``released`` says whether images of
    the released benchmark have no prompt."""
    broken = RemarkList(report.broken.total + len(unread), (*report.broken.first, *unread))
    with_image = report.asked - report.missing.total if planned_only else report.prompts
    counts: list[tuple[int, str]] = [
        count_entry(report.files, "file", "in the folder"),
        count_entry(report.linked, "image file", "linked to prompts"),
        (
            with_image,
            f"of {report.asked:,} prompts with an image" + (" file" if planned_only else ""),
        ),
        count_entry(
            report.found - report.linked, "image file", "without a prompt, for the color alone"
        ),
    ]
    if not planned_only:
        counts += [
            count_entry(report.taken, "image", "read and stored"),
            count_entry(report.known, "image", "imported before, unchanged"),
            count_entry(report.unread, "image", "not reached"),
            count_entry(
                report.lossy, "image", "compressed with loss: colors were changed a little"
            ),
        ]
    counts += [
        count_entry(broken.total, "file", "broken, skipped"),
        count_entry(report.new_prompts, "prompt", "that are defined only in the folder's CSV"),
        count_entry(report.extra.total, "file", "not imported"),
        count_entry(report.ignored, "hidden, system or table file", ""),
    ]
    notes = []
    if released or (report.extra.total and not report.found):
        notes.append(
            "Some images have no prompt. For images of a released run, import its CSV files of "
            "prompts first and choose every imported set; for any other folder, put a CSV with the "
            "columns file and prompt into it."
        )
    lists = [
        _list("Broken", broken),
        _list("Not imported", report.extra),
        # Of a few images for many prompts the count says enough.
        _list(
            "Prompts without an image", report.missing if with_image * 10 > report.asked else _NONE
        ),
        _list("Same pixels as another file", report.same),
        _list("Remarks", report.problems),
    ]
    title = f"{report.folder}: {'found' if planned_only else 'imported'}"
    return {
        "title": title,
        "counts": [count for index, count in enumerate(counts) if count[0] or index < 3],
        "notes": notes,
        "lists": lists,
    }


def _list(title: str, listed: RemarkList) -> ReportList:
    items = [f"{entry.where}: {entry.why}" for entry in listed.first[:SHOWN]]
    return {"title": title, "items": items, "total": listed.total}
