"""Upload of an image set: a preview of the import, and the job that stores it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

from pydantic import Field

from truehue.core.errors import BadInput, TrueHueError
from truehue.tabs.compare.people.images import ImageUpload, Layout, laid_out, mask_for
from truehue.tabs.compare.people.messages import concept_json, normalize_concept
from truehue.tabs.compare.people.sets import MAX_NAME
from truehue.tabs.page.actor import requires
from truehue.tabs.page.context import UPLOAD, Context
from truehue.tabs.page.errors import count_noun, message_of
from truehue.tabs.page.jobs import Job
from truehue.tabs.page.requests import PageRequest, Session
from truehue.tabs.page.roles import Actor
from truehue.tabs.page.shared_answers import Done, StartedJob

LISTED = 200


class ImageFiles(PageRequest):
    """Pictures that a page has sent, to become one set of a concept; ``mask`` says which pixels
    count, ``contributors`` where it stands who colored which picture."""

    session: Session
    words: str = Field("", title="A concept")
    name: str = Field("", max_length=MAX_NAME, title="A name")
    mask: str = Field("stored", title="Measured pixels")
    contributors: str = Field("", title="Contributors of the images")
    of_people: bool = False


class ImageFile(PageRequest):
    """A picture, or what goes along with one, and its place among the others."""

    session: Session
    place: int


class PlannedImage(TypedDict):
    """A staged image with its mask file and contributor."""

    place: int
    name: str
    contributor: str
    mask: str


class ImagesPlan(TypedDict):
    """What a set would be made of; ``counts`` are numbers with their words."""

    pictures: list[PlannedImage]
    total: int
    counts: list[tuple[int, str]]
    problems: list[str]


@requires("add")
def stage(context: Context, actor: Actor, request: ImageFile, file: Path, name: str) -> Done:
    """Holds an image until its set is made."""
    context.staging.take(request.session, f"{request.place:06d}/{name or 'picture'}", file)
    return {}


@requires("look")
def look(context: Context, actor: Actor, request: ImageFiles) -> ImagesPlan:
    """What a set would consist of, by names alone; raises BadInput in words for the page."""
    layout = _layout(context, request)
    with_mask = sum(stored.mask is not None for stored in layout.pictures)
    counts = [(len(layout.pictures), _noun(len(layout.pictures), "image"))]
    if with_mask:
        counts.append((with_mask, "with a mask file"))
    if request.contributors:
        counts.append((layout.contributors, _noun(layout.contributors, "contributor")))
    return {
        "pictures": [
            {
                "place": stored.place,
                "name": stored.name,
                "contributor": stored.contributor,
                "mask": stored.mask.name if stored.mask else "",
            }
            for stored in layout.pictures[:LISTED]
        ],
        "total": len(layout.pictures),
        "counts": counts,
        "problems": list(layout.problems),
    }


@requires("add")
def start(context: Context, actor: Actor, request: ImageFiles) -> StartedJob:
    """Starts to make a set of images."""
    _layout(context, request)  # what is wrong with it is said now
    normalize_concept(request.words)

    def work(job: Job) -> dict[str, Any]:
        with context.staging.in_use(request.session):
            return import_concept_images(context, actor, request, job)

    title = f"Images of {request.words[:80]}"
    return {"job": context.jobs.start("pictures", title, actor, work).id}


def import_concept_images(
    context: Context, actor: Actor, request: ImageFiles, job: Job
) -> dict[str, Any]:
    """Reads, masks and measures the pictures, and stores those that could be measured as one set.

    The set comes last and at once: a job that is stopped makes none. What was read before stays
    among the stored images.
    """
    text = normalize_concept(request.words)
    layout = _layout(context, request)
    total = len(layout.pictures)
    members = list[tuple[str, str, str]]()
    seen = dict[tuple[str, str], str]()
    refused = list[dict[str, str]]()
    for position, upload in enumerate(layout.pictures, 1):
        if job.stop.is_set():
            job.tell("Cancelled. Images already stored are kept.")
            return _cancelled(text, len(seen))
        image_id, mask_id, why = _store_upload(context, actor, upload, request.mask, seen)
        if why:
            refused.append({"name": upload.name, "why": why, "image_id": image_id})
        else:
            members.append((image_id, mask_id, upload.contributor))
        job.tell(f"{position:,} of {total:,} files, {len(seen):,} images stored", position, total)
    report: dict[str, Any] = {
        **concept_json(text),
        "taken": len(members),
        "refused": refused,
        "set_id": "",
        "source": "",
        "name": "",
        "notes": list(layout.problems),
    }
    if members:
        name = request.name or f"{text}, {count_noun(len(members), 'image')}"
        set_id = context.storage.picture_sets.add(name, text, members, request.of_people, actor.id)
        report |= {"set_id": set_id, "source": f"pictures:{set_id}", "name": name}
        report["title"] = f"{name}: stored with {count_noun(len(members), 'image')}"
        context.staging.clear(request.session)
    else:
        report["title"] = "No image could be measured: there is no set."
    job.tell("Done.")
    return report


def _layout(context: Context, request: ImageFiles) -> Layout:
    folder = context.staging.folder(request.session)
    if not folder.is_dir():
        raise BadInput("The images are no longer available. Choose them again.")
    return laid_out(folder, request.contributors)


def _store_upload(
    context: Context,
    actor: Actor,
    upload: ImageUpload,
    mode: str,
    seen: dict[tuple[str, str], str],
) -> tuple[str, str, str]:
    """Image, mask and an empty reason; or why the picture is excluded, with its image if there is
    one."""
    from truehue.core.images.load import load_image

    image_id = ""
    try:
        loaded = load_image(upload.path, name=upload.name)
        context.require_space(2 * loaded.srgb8[..., 0].size, images=1)
        image_id = context.storage.images.add(
            loaded.srgb8, loaded.name, UPLOAD, loaded.notes, maker=actor.id
        ).image_id
        if (image_id, upload.contributor) in seen:
            first = seen[image_id, upload.contributor]
            return "", "", f"It has the same pixels as {first}."
        seen[image_id, upload.contributor] = upload.name
        record = context.storage.masks.add(image_id, mask_for(context, upload, loaded, mode))
        # Measured now: what cannot be measured is said here, and comparing waits for nothing.
        context.storage.image_profiles.of(image_id, record.mask_id)
    except TrueHueError as error:
        return image_id, "", message_of(error)
    return image_id, record.mask_id, ""


def _cancelled(text: str, read: int) -> dict[str, Any]:
    title = "Cancelled: no set was made."
    if read:
        stay = "stays" if read == 1 else "stay"
        title += f" {count_noun(read, 'image')} that had been read {stay} among the stored images."
    return {
        **concept_json(text),
        "taken": 0,
        "refused": [],
        "set_id": "",
        "source": "",
        "name": "",
        "notes": [],
        "title": title,
    }


def _noun(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"
