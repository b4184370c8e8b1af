"""Whose stored images a run can score, and the ones that a request takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict
from weakref import WeakKeyDictionary

from truehue.core.batch.health import state_of
from truehue.core.errors import BadInput, NotStored
from truehue.core.generation.registry import name_of
from truehue.core.prompts.prompt import Prompt
from truehue.core.prompts.sets import set_title
from truehue.core.runs.folder import RunFolder
from truehue.core.runs.records import DRAWN, NONE, StoredItem
from truehue.tabs.batches.supervisor import RunSupervisor
from truehue.tabs.library.service import Library, SetInfo, canonical
from truehue.tabs.page.context import Context
from truehue.tabs.page.errors import count_noun
from truehue.tabs.runs.request import RunRequest
from truehue.tabs.runs.stored import OF_RUN, of_model, of_run

if TYPE_CHECKING:
    from truehue.storage.store import Storage

_KEPT: WeakKeyDictionary[Storage, tuple[Any, list[StoredItem], str]] = WeakKeyDictionary()


class StoredChoice(TypedDict):
    """Whose stored images can be scored, and the prompt set that they are of."""

    id: str
    name: str
    set: NotRequired[str]


def stored_choices(context: Context) -> list[StoredChoice]:
    """Whose pictures can be scored: models of stored drawings, and runs that drew."""
    sets = context.service(Library).sets()
    images: Counter[str] = Counter()
    newest: dict[str, str] = {}
    for name, source, count in context.storage.generated_images.prompt_sets():
        images[name] += count
        if own := _set_of(sets, source):
            newest.setdefault(name, own.id)
    sample: list[StoredChoice] = [
        {
            "id": name,
            "name": f"{name_of(name)} · {count_noun(count, 'image')}",
            "set": newest.get(name, ""),
        }
        # Those of a set that is here come first: they can be scored.
        for name, count in sorted(images.items(), key=lambda image: image[0] not in newest)
    ]
    runs: list[StoredChoice] = []
    for folder in context.service(RunSupervisor).folders():
        try:
            about, done = folder.summary(), state_of(folder).done
        except Exception:
            continue  # The list of runs says what is wrong with it.
        stored_images = about.get("imported", {}).get("images", True)
        stored_images = stored_images and about.get("keep_images") != NONE
        if about["kind"] == DRAWN and done and stored_images:
            name = f"Run “{about['name']}” · {count_noun(done, 'image')}"
            runs.append({"id": OF_RUN + folder.run_id, "name": name})
    return sample + runs


def _set_of(sets: Sequence[SetInfo], source: str) -> SetInfo | None:
    """The prompt set that is here under the name that images were stored with."""
    same = (set_info for set_info in sets if canonical(set_info.id) == canonical(source))
    return next((set_info for set_info in sets if set_info.id == source), next(same, None))


def stored_items(
    context: Context, request: RunRequest, prompts: Sequence[Prompt]
) -> tuple[list[StoredItem], str]:
    """The pictures of a model, or of ``run:<id>``, and the model that drew them.

    The last answer is kept: the estimate asks for the same ones at every other change of the form.
    """
    (named,) = request.models
    folder = None
    if named.startswith(OF_RUN):
        try:
            folder = context.service(RunSupervisor).folder(named.removeprefix(OF_RUN))
        except NotStored as error:
            raise BadInput(str(error), "models") from None
    version = (
        tuple(folder.shards())
        if folder
        else (context.storage.drawings.count(), context.storage.masks.count())
    )
    filters = (request.set, request.task, request.system, request.concepts, request.limit)
    key = (named, filters, len(prompts), version)
    entry = _KEPT.get(context.storage)
    if entry is not None and entry[0] == key:
        return entry[1], entry[2]
    try:
        items = of_run(folder, prompts) if folder else of_model(context.storage, named, prompts)
    except BadInput as error:
        message = f"{error} {_prompt_sets_of(context, named, folder)}".strip()
        raise BadInput(message, "models") from None
    drawn_by = str(folder.summary()["model"]) if folder else named
    _KEPT[context.storage] = (key, items, drawn_by)
    return items, drawn_by


def _prompt_sets_of(context: Context, named: str, folder: RunFolder | None) -> str:
    """The prompt sets that the images of a model or run are of, in a sentence."""
    if folder is not None:
        title = set_title(folder.summary()["set_name"])
        return f"Its prompt set is {title}." if title else "Its prompts are of no set."
    every = context.service(Library).sets()
    counts: Counter[str] = Counter()
    for name, source, images in context.storage.generated_images.prompt_sets():
        if name == named:
            own_set = _set_of(every, source)
            counts[own_set.title if own_set else ""] += images
    own = counts.pop("", 0)
    sets = [f"{title} ({count_noun(images, 'image')})" for title, images in counts.most_common()]
    sentences = [f"Choose their prompt set: {', '.join(sets)}."] if sets else []
    if own:
        sentences.append(
            f"{count_noun(own, 'image')} of it {'is' if own == 1 else 'are'} of no set."
        )
    return " ".join(sentences)
