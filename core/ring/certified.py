"""A certificate of a ring test as the calibration that corrects accuracies of its scorer.

The certificate has hits and false accepts of each color system. Questions about one image are
answered alike, so its intervals are of images: here they say how many independent objects of known
color the counts are worth.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from truehue.core.analysis.judge_error import Calibration, ErrorCounts
from truehue.core.errors import BadInput
from truehue.core.files import file_problem
from truehue.core.ring.plan import FALSE_KINDS, RIGHT

PREFIX = "ring:"
"""The id of a calibration is this and the name of its set."""
_Z = 1.959964


def read_certificate(certificate: Path, key: Path, scorer: str, version: str) -> Calibration:
    """The errors of a scorer's version by its certificate, a JSON file of ``truehue ring score``.

    ``key`` is the key of its set: the certificate must name its SHA-256, and count as many
    questions as it has. Raises BadInput where it does not, and for a certificate of another scorer
    or version.
    """
    fields = _json(certificate, "certificate")
    content = _bytes(key)
    try:
        named = str(fields["scorer"]), str(fields["scorer_version"])
        set_name = str(fields["set_id"])[:12]
        if hashlib.sha256(content).hexdigest() != fields["key_sha256"]:
            raise BadInput(
                f"{key.name} is not the key of {certificate.name}, or was changed: its SHA-256 is "
                f"not the one that the certificate names. Give the key of the set {set_name}."
            )
        if named != (scorer, version):
            raise BadInput(
                f"{certificate.name} is of {_title(*named)}, not of {_title(scorer, version)}. "
                "A correction takes the certificate of the very scorer and version."
            )
        if not fields.get("systems"):
            raise BadInput(
                f"{certificate.name} has no rates by color system: an earlier version wrote it. "
                "Score the answers again with truehue ring score."
            )
        _require_same_questions(fields, content, certificate.name)
        counts = tuple(_counts(system, rates) for system, rates in fields["systems"].items())
        return Calibration(
            f"{PREFIX}{set_name}",
            f"by the ring test {set_name}",
            f"renders of known color (ring test {set_name}), with exact masks",
            *named,
            counts,
        )
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise BadInput(
            f"{certificate.name} is no certificate of a ring test: {error!r}."
        ) from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {file_problem(error)}.") from error


def _json(path: Path, what: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(_bytes(path))
    except ValueError as error:
        raise BadInput(f"{path.name} is no {what}, which is JSON: {error}.") from error
    if not isinstance(fields, dict):
        raise BadInput(f"{path.name} is no {what} of a ring test.")
    return fields


def _title(scorer: str, version: str) -> str:
    return f"{scorer} {version}".strip()


def _require_same_questions(fields: Mapping[str, Any], key: bytes, name: str) -> None:
    kinds = Counter(question["kind"] for question in json.loads(key)["questions"])
    counted = int(fields["hits"]["total"]), int(fields["false_accepts"]["total"])
    if counted != (kinds[RIGHT], sum(kinds[kind] for kind in FALSE_KINDS)):
        raise BadInput(f"{name} does not count the questions of its key: it was changed.")


def _counts(system: str, rates: Mapping[str, Mapping[str, Any]]) -> ErrorCounts:
    hits, accepts = rates["hits"], rates["false_accepts"]
    return ErrorCounts(
        system,
        "all",
        "",
        int(hits["count"]),
        int(hits["total"]),
        int(accepts["count"]),
        int(accepts["total"]),
        (independent_images(hits), independent_images(accepts)),
    )


def independent_images(share: Mapping[str, Any]) -> float:
    """How many independent images have an interval as wide as that of a share of questions; at most
    as many as there are questions."""
    portion, total = float(share["percent"]) / 100.0, float(share["total"])
    width = (float(share["high"]) - float(share["low"])) / 100.0
    if not width > 0.0:
        return total
    if 0.0 < portion < 1.0:
        return min(portion * (1.0 - portion) * (2.0 * _Z / width) ** 2, total)
    return min(_Z * _Z * (1.0 / width - 1.0), total)  # of none and all, by Wilson's interval
