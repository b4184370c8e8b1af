"""A set of pictures as the page asks for it: what would be taken, and the job that takes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.errors import BadInput, TrueHueError
from tabs.compare.people.images import Layout, Staged, laid_out, mask_for
from tabs.compare.people.words import concept_json, free_words, text_in
from tabs.page.context import Context
from tabs.page.errors import many, message_of
from tabs.page.imports import ImportJob

LISTED = 200


def look(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a set would be made of, by names alone; raises BadInput in words for the page."""
    for key, what in (("name", "A name"), ("mask", "Pixels that count"), ("words", "A concept")):
        text_in(given, key, what)
    found = _layout(context, given)
    with_mask = sum(one.mask is not None for one in found.pictures)
    counts: list[list[Any]] = [[len(found.pictures), _noun(len(found.pictures), "picture")]]
    if with_mask:
        counts.append([with_mask, "with a mask file beside"])
    if given.get("contributors"):
        counts.append([found.contributors, _noun(found.contributors, "contributor")])
    return {
        "pictures": [
            {"place": one.place, "name": one.name, "contributor": one.contributor,
             "mask": one.mask.name if one.mask else ""}
            for one in found.pictures[:LISTED]
        ],
        "total": len(found.pictures), "counts": counts, "problems": list(found.problems),
    }  # fmt: skip


def take(context: Context, given: Mapping[str, Any], job: ImportJob) -> dict[str, Any]:
    """Reads, masks and measures the pictures, and stores those that could be measured as one set.

    The set comes last and at once: a job that is stopped makes none. What was read before stays
    among the stored images.
    """
    words = free_words(given.get("words"))
    found = _layout(context, given)
    mode = text_in(given, "mask", "Pixels that count") or "stored"
    job.total = len(found.pictures)
    members = list[tuple[str, str, str]]()
    seen = dict[tuple[str, str], str]()
    refused = list[dict[str, str]]()
    for position, one in enumerate(found.pictures, 1):
        if job.stop.is_set():
            return _cancelled(words, len(seen))
        image_id, mask_id, why = _stored(context, one, mode, seen)
        if why:
            refused.append({"name": one.name, "why": why, "image_id": image_id})
        else:
            members.append((image_id, mask_id, one.contributor))
        job.position, job.stored = position, len(seen)
    report: dict[str, Any] = {
        **concept_json(words), "taken": len(members), "refused": refused,
        "set_id": "", "source": "", "name": "", "notes": list(found.problems),
    }  # fmt: skip
    if members:
        name = _name(given, words, len(members))
        people = bool(given.get("of_people"))
        set_id = context.storage.picture_sets.add(name, words, members, people)
        report |= {"set_id": set_id, "source": f"pictures:{set_id}", "name": name}
        report["title"] = f"{name}: stored with {many(len(members), 'picture')}"
        context.staging.clear(str(given.get("session") or ""))
    else:
        report["title"] = "No picture could be measured: there is no set."
    return report


def _layout(context: Context, given: Mapping[str, Any]) -> Layout:
    folder = context.staging.folder(str(given.get("session") or ""))
    if not folder.is_dir():
        raise BadInput("The pictures are not here any more. Choose them again.")
    return laid_out(folder, text_in(given, "contributors", "Who colored which picture"))


def _stored(
    context: Context, one: Staged, mode: str, seen: dict[tuple[str, str], str]
) -> tuple[str, str, str]:
    """Image, mask and an empty reason; or why the picture is left out, with its image if there is
    one."""
    from core.images.load import load_image

    image_id = ""
    try:
        loaded = load_image(one.path, name=one.name)
        image_id = context.storage.images.add(
            loaded.srgb8, loaded.name, "upload", loaded.notes
        ).image_id
        if (image_id, one.contributor) in seen:
            first = seen[image_id, one.contributor]
            return "", "", f"It has the same pixels as {first}."
        seen[image_id, one.contributor] = one.name
        record = context.storage.masks.add(image_id, mask_for(context, one, loaded, mode))
        # Measured now: what cannot be measured is said here, and comparing waits for nothing.
        context.storage.picture_profiles.of(image_id, record.mask_id)
    except TrueHueError as error:
        return image_id, "", message_of(error)
    return image_id, record.mask_id, ""


def _name(given: Mapping[str, Any], words: str, count: int) -> str:
    return text_in(given, "name", "A name")[:120] or f"{words}, {many(count, 'picture')}"


def _cancelled(words: str, read: int) -> dict[str, Any]:
    title = "Cancelled: no set was made."
    if read:
        stay = "stays" if read == 1 else "stay"
        title += f" {many(read, 'picture')} that had been read {stay} among the stored images."
    return {**concept_json(words), "taken": 0, "refused": [], "set_id": "", "source": "",
            "name": "", "notes": [], "title": title}  # fmt: skip


def _noun(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"
