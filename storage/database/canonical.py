"""Canonical JSON: the form that the database stores and ids are computed from."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from truehue.core.errors import BadInput

# Every whole number up to here has an exact float, so 50 and 50.0 are surely the same number.
_EXACT_WHOLE = 2**53
# Python refuses to write a number of more than 4,300 digits.
_MAX_BITS = 4_096


def text(value: object, field: str) -> str:
    """Return ``value`` if it is text that can be stored.

    Raises :class:`BadInput`, naming ``field``, for anything else and for half characters (file
    names that are not UTF-8 arrive as such).
    """
    if not isinstance(value, str):
        raise BadInput(f"{field} must be text, not {type(value).__name__}.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(
            f"{field} holds a character that is not valid Unicode, at place {error.start}: "
            "remove it."
        ) from error
    return value


def require_text(value: object, field: str) -> str:
    """Return ``value`` if it is text with something in it; :class:`BadInput` otherwise."""
    if not text(value, field).strip():
        raise BadInput(f"{field} is empty: give it a value.")
    return str(value)


def one_line(value: object, field: str, limit: int) -> str:
    """Return text of one line and at most ``limit`` characters as it is stored: the same name typed
    on two keyboards is one. Raises :class:`BadInput`, naming ``field``."""
    line = unicodedata.normalize("NFC", require_text(value, field)).strip()
    if len(line) > limit:
        raise BadInput(f"The {field} has {len(line)} characters: give at most {limit}.")
    if len(line.splitlines()) > 1:
        raise BadInput(f"The {field} has more than one line: give one.")
    return line


def plain(value: object, field: str) -> Any:
    """Return ``value`` as dicts, lists, text, numbers, booleans and None only.

    Raises :class:`BadInput`, naming the place inside ``field`` (``numbers.delta_e00``), for NaN
    and infinity, which JSON cannot hold (a missing number is None), for keys that are not text
    and for any other type, numpy's own included.
    """
    if value is None or isinstance(value, (bool, int)):
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            raise BadInput(f"{field} is a whole number of more than {_MAX_BITS:,} bits.")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadInput(f"{field} is {value}, which JSON cannot hold: give None instead.")
        return float(value)
    if isinstance(value, str):
        return text(value, field)
    if isinstance(value, Mapping):
        return {_key(key, field): plain(item, f"{field}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{field}[{index}]") for index, item in enumerate(value)]
    raise BadInput(
        f"{field} is a {type(value).__module__}.{type(value).__name__}, which is not plain JSON: "
        "give numbers, text, booleans, None, lists or dicts of them."
    )


def mapping(value: object, field: str) -> dict[str, Any]:
    """Return ``value`` as a plain dict; :class:`BadInput` if it is none or holds what JSON
    cannot."""
    if not isinstance(value, Mapping):
        raise BadInput(f"{field} must be a dict, not {type(value).__name__}.")
    result: dict[str, Any] = plain(value, field)
    return result


def dump(value: object) -> str:
    """Write plain JSON (see :func:`plain`) for a column; key order is kept as it was given."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def digest(key: Mapping[str, Any]) -> str:
    """Name ``key`` (plain JSON): SHA-256 hex of its one spelling.

    Keys are sorted, nothing is padded, and a whole number is written without a decimal point, so
    that a target that went through a browser (50.0 becomes 50) still has the same name.
    """
    spelled = json.dumps(
        _whole(key), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(spelled.encode("utf-8")).hexdigest()


def _key(key: object, field: str) -> str:
    if not isinstance(key, str):
        raise BadInput(f"{field} has the key {key!r}, which is not text: JSON needs text keys.")
    return text(key, f"a key of {field}")


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT_WHOLE:
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return value
