"""The weights and servers of a run: recorded with its first image, and fixed from then on.

A folder or a hub id in a plan may have other weights tomorrow or on the next node, and a run must
not mix two models. Each image's origin records the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from truehue.core.batch.locks import hold_lock
from truehue.core.errors import BadInput
from truehue.core.files import replace_file
from truehue.core.generation.backends.endpoints import Endpoint
from truehue.core.generation.opening import server_name, servers
from truehue.core.generation.registry import model
from truehue.core.generation.weights.sources import Source, Sources, source
from truehue.core.masks.grounded.weights import Role, vision_model, weights

FILE, LOCK = "weights.json", "weights.lock"
GENERATOR = "model"
_WAIT_S = 30.0


class OtherWeights(BadInput):
    """A run was begun with other weights, or with another server's model, than are here now."""


def pin(folder: Path, role: str, provenance: Mapping[str, Any]) -> None:
    """Notes what a run works with in ``role``, or compares it with what was noted before.

    ``provenance`` is of :func:`of_generator` or :func:`of_tool`; two are the same where the commit
    of the hub is, or else the fingerprint of the files. Raises OtherWeights.
    """
    if not provenance:
        return
    path = folder / FILE
    with hold_lock(folder / LOCK, f"{folder / LOCK} is held by another process.", wait_s=_WAIT_S):
        try:
            roles = json.loads(path.read_bytes()) if path.is_file() else {}
        except (OSError, ValueError) as error:
            raise BadInput(f"{path} cannot be read: {error}. Put a copy back.") from error
        if role not in roles:
            text = json.dumps({**roles, role: provenance}, indent=1, ensure_ascii=False)
            replace_file(path, f"{text}\n".encode())
            return
    if not _same(roles[role], provenance):
        raise OtherWeights(
            f"The run was started with another {role}: {_text(roles[role])}. Here it is "
            f"{_text(provenance)}. Put the first one back, or start a new run under another name."
        )


def of_generator(
    model_id: str, sources: Sources, endpoints: Mapping[str, Endpoint] | None
) -> dict[str, Any]:
    """What tells the weights of a model that draws from others; empty for the renderer, whose
    version stands in the plan. Of a server only its name for the model is known."""
    entry = model(model_id)
    if entry.kind == "renderer":
        return {}
    if entry.kind == "served":
        end = servers(endpoints)[server_name(entry)]
        request_fields = {"size": [end.width, end.height], "fields": dict(end.fields)}
        return {
            "server": end.base_url,
            "revision": json.dumps(
                {"model": end.model or end.base_url, **request_fields}, sort_keys=True
            ),
        }
    model_source = source(entry, sources)
    about = _of(model_source)
    return about if model_source.base is None else {**about, "base": _of(model_source.base)}


def of_tool(model_id: str, role: Role, sources: Sources) -> dict[str, Any]:
    """The same for a detector, a segmenter or a presence model."""
    tool_weights = weights(vision_model(model_id, role), sources)
    if tool_weights.is_file:
        return {"repo": tool_weights.repo, "fingerprint": tool_weights.about()["revision"]}
    return _of(Source(tool_weights.path, tool_weights.repo, tool_weights.revision))


def _of(model_source: Source) -> dict[str, Any]:
    return {
        "repo": model_source.repo,
        "revision": model_source.revision,
        "fingerprint": f"sha256:{model_source.fingerprint()}",
    }


def _same(first: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    keys = ("revision", "fingerprint")
    equal = any(first.get(key) and first.get(key) == other.get(key) for key in keys)
    return equal and (
        first.get("base") == other.get("base")
        or _same(first.get("base", {}), other.get("base", {}))
    )


def _text(about: Mapping[str, Any]) -> str:
    """The repository or server, and what of commit or fingerprint tells it from the other."""
    parts = [about.get("server") or about.get("repo") or "a folder"]
    parts += [str(about[key])[:80] for key in ("revision", "fingerprint") if about.get(key)]
    return ", ".join(parts) + (f", on {_text(about['base'])}" if about.get("base") else "")
