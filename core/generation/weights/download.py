"""The only module that uses the network: it downloads a model's files on a user's request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from truehue.core.errors import BadInput
from truehue.core.generation.memory import BadModelFolder, DownloadFailed
from truehue.core.generation.registry import ModelEntry, model
from truehue.core.generation.weights.folders import INDEX, NO_CODE
from truehue.core.generation.weights.sources import PICKLES, Sources, weight_sets

_TEXTS = (".json", ".txt", ".model", ".jinja")
_LICENSES = ("license", "notice", "readme.md")


def wanted_files(
    names: Iterable[str], parts: Iterable[str], variant: str | None = None
) -> tuple[str, ...]:
    """Of a repository's files those that its pipeline loads: configurations, tokenizers and one
    variant of the safetensors.

    ``parts`` are the folders that model_index.json names; an empty ``parts`` stands for a model of
    transformers, with its files at the top. ``variant`` is taken where a part has it, the plain
    weights elsewhere. Raises BadModelFolder for a repository with pickled weights only.
    """
    folders: dict[str, list[str]] = {}
    for name in names:
        path = PurePosixPath(name)
        folders.setdefault("" if path.parent == PurePosixPath() else str(path.parent), []).append(
            path.name
        )
    parts = list(parts)
    files = [name for name in folders.get("", []) if name.lower().startswith(_LICENSES)]
    files += [INDEX] if parts else []
    for part in parts or [""]:
        prefix = f"{part}/" if part else ""
        inside = folders.get(part, [])
        files += [prefix + name for name in inside if _is_text(name)]
        sets = weight_sets(inside)
        if not sets:
            pickled = sorted(name for name in inside if name.endswith(PICKLES))
            if pickled:
                raise BadModelFolder(
                    f"{prefix}{pickled[0]} is pickled, and loading a pickle can run any code. This "
                    "repository has no safetensors: look for a copy that has."
                )
            continue
        chosen = next(sets[v] for v in (variant, None, *sets) if v in sets)
        files += [prefix + name for name in chosen.files]
        files += [prefix + chosen.index] if chosen.index else []
    return tuple(dict.fromkeys(files))


def _is_text(name: str) -> bool:
    return name.endswith(_TEXTS) and ".index." not in name and "safetensors" not in name


def download(entry: ModelEntry, sources: Sources, to: Path | None = None) -> Path:
    """Fetches the files of a model, and of its base; returns the model's folder.

    ``to`` is a models folder; else that of ``sources``, else the hub's cache. huggingface_hub shows
    the progress and resumes what was broken off. Raises DownloadFailed when the hub cannot be
    reached or refuses, and BadInput for models without a repository.
    """
    if not entry.repo or entry.kind not in ("diffusers", "transformers"):
        raise BadInput(f"There is nothing to download for {entry.id}.")
    if entry.files_of:
        return download(model(entry.files_of), sources, to)
    models_folder = to or sources.models_folder
    if entry.base:
        base = model(entry.base)
        _fetch(base, sources, models_folder, leave_out=entry.part)
    return _fetch(entry, sources, models_folder)


def _fetch(
    entry: ModelEntry, sources: Sources, models_folder: Path | None, leave_out: str = ""
) -> Path:
    from huggingface_hub import HfApi, hf_hub_download, snapshot_download

    name = entry.repo.replace("/", "--") if ":" in entry.id else entry.id
    local = models_folder / name if models_folder else None
    options: dict[str, Any] = {"local_dir": local} if local else {"cache_dir": sources.hub_cache}
    try:
        info = HfApi().model_info(entry.repo)
        names = [file.rfilename for file in info.siblings or ()]
        if entry.base:
            files: tuple[str, ...] = (entry.part_name,)
        else:
            parts: list[str] = []
            if entry.kind == "diffusers":
                if INDEX not in names:
                    raise BadModelFolder(f"{entry.repo} has no {INDEX}: it is no pipeline.")
                path = hf_hub_download(entry.repo, INDEX, revision=info.sha, **options)
                parts = parts_named(json.loads(Path(path).read_text(encoding="utf-8")))
            files = wanted_files(names, parts, entry.variant)
            # The base of another model is asked for without the weights that the other replaces.
            files = tuple(
                file
                for file in files
                if not (leave_out and file.startswith(f"{leave_out}/") and "safetensors" in file)
            )
        folder = snapshot_download(
            entry.repo, revision=info.sha, allow_patterns=list(files), **options
        )
    except Exception as error:
        raise explain_error(entry, error) from error
    if not local:
        _name_main(Path(folder))
    return Path(folder)


def parts_named(index: Mapping[str, Any]) -> list[str]:
    """The parts of a pipeline that model_index.json gives a class to; raises BadModelFolder where
    the pipeline itself is code of the repository."""
    if isinstance(index.get("_class_name"), list):
        raise BadModelFolder(f"Its {INDEX} asks for a pipeline class of its own code. {NO_CODE}")
    return [
        name
        for name, value in index.items()
        if isinstance(value, list) and len(value) == 2 and value[0] and value[1]
    ]


def _name_main(folder: Path) -> None:
    """Notes in the cache that this commit is main, as a download of main itself would, so that
    loading finds it."""
    main = folder.parent.parent / "refs" / "main"
    main.parent.mkdir(parents=True, exist_ok=True)
    main.write_text(folder.name, encoding="utf-8")


def explain_error(entry: ModelEntry, error: Exception) -> Exception:
    """What huggingface_hub raised, as an error of ours that says what to do."""
    from huggingface_hub import errors

    page = f"https://huggingface.co/{entry.repo}"
    if isinstance(error, BadInput):
        return error
    if isinstance(error, errors.GatedRepoError):
        return DownloadFailed(
            f"The hub refuses {entry.repo}: accept its license ({entry.license}) at {page}, then "
            "sign in with: hf auth login"
        )
    if isinstance(error, errors.RepositoryNotFoundError):
        return DownloadFailed(
            f"The hub has no {entry.repo}, or it is private: sign in with hf auth login, or check "
            f"{page}."
        )
    if isinstance(error, errors.HFValidationError):
        return BadInput(f"{entry.repo!r} is no id of the hub: write owner/name.")
    if isinstance(error, errors.OfflineModeIsEnabled):
        return DownloadFailed("HF_HUB_OFFLINE is set: unset it to download.")
    if isinstance(error, OSError) and error.errno == 28:
        return DownloadFailed(
            f"The disk is full. {entry.name} takes {entry.download_gib:g} GiB; what had arrived is "
            "kept. Make room, or choose another folder with --to."
        )
    return DownloadFailed(
        f"{entry.repo} could not be fetched from the hub: {_first_line(error)} Check the network "
        "and run it again; what had arrived is kept."
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip().split("\n", 1)[0] or type(error).__name__
    return text if text.endswith(".") else text + "."
