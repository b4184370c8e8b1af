"""Distributions in JSON: by concept, or as a list of objects, or 71 bare numbers."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from truehue.core.concepts.reading.bins import (
    COUNT_58,
    FileRefused,
    Order,
    SourceColor,
    by_color,
    by_position,
    color_in,
    of_hex,
    of_lab,
    of_rgb,
    offer_58,
)
from truehue.core.concepts.reading.collector import Label, RowCollector
from truehue.core.concepts.reading.tables import NOTE, no_concept
from truehue.core.errors import BadInput
from truehue.core.text_tables import TextSource

MAX_NUMBERS = 8_000_000
MAX_PARTS = 2_000_000
_NUMBERS = ("weights", "bins", "histogram")
_PALETTE = "palette"
_LABELS = ("concept", "modifier", "contributor", "people")
_FORM = (
    'Such a file is {"apple": [71 numbers], …}, or a list of objects like {"concept": "apple", '
    '"contributor": "p01", "weights": [71 numbers]} or {"concept": "apple", "palette": [{"hex": '
    '"#D51C3C", "weight": 0.7}, …]}.'
)


class _Pairs(dict[str, Any]):
    """An object of JSON; ``twice`` are the keys that stood in it more than once."""

    twice: tuple[str, ...] = ()


def looks_like_json(source: TextSource) -> bool:
    """Whether the first sign of a text opens a list or an object."""
    for _, text, _ in source.lines():
        if text.strip():
            return text.strip()[0] in "[{"
    return False


def take_json(source: TextSource, gathering: RowCollector, as_58: bool, text: str | None) -> bool:
    """Reads the text into ``gathering``; True where its rows are palettes.

    Raises FileRefused for what is no JSON or has another form.
    """
    entries = _entries(_parsed(source), source.name, text)
    palettes = [_PALETTE in entry for _, entry in entries]
    if any(palettes) and not all(palettes):
        raise FileRefused(
            f"{source.name} holds palettes and histograms. Put them into a file each."
        )
    lengths = {
        len(entry_numbers)
        for _, entry in entries
        if isinstance(entry_numbers := _numbers(entry), list)
    }
    if COUNT_58 in lengths and not as_58 and len(lengths) == 1:
        raise offer_58(source.name)
    notes: dict[str, None] = {NOTE: None} if all(palettes) else {}
    for location, entry in entries:
        try:
            label = _label(location, entry)
        except BadInput as error:
            gathering.refuse(location, str(error))
            continue
        try:
            if _PALETTE in entry:
                gathering.take_palette(label, *_palette(entry[_PALETTE]))
            else:
                numbers, order = _row(entry, as_58, label.name)
                gathering.take_numbers(label, numbers, order)
                notes.update(dict.fromkeys(order.notes))
        except FileRefused as error:
            gathering.problem(str(error))
        except BadInput as error:
            gathering.refuse(label.name, str(error))
    gathering.notes.extend(notes)
    return all(palettes)


def _parsed(source: TextSource) -> object:
    source.stream.seek(0)
    text = io.TextIOWrapper(source.stream, source.encoding, "strict")
    try:
        content = text.read()
        _check_parts(content, source.name)
        return json.loads(content, object_pairs_hook=_pairs)
    except UnicodeDecodeError as error:
        raise FileRefused(f"{source.name} is not text: {error.reason}. {source.advice}") from error
    except RecursionError:
        raise FileRefused(f"{source.name} is nested too deep. {_FORM}") from None
    except ValueError as error:
        raise FileRefused(f"{source.name} is not JSON: {error}. {_FORM}") from error
    finally:
        text.detach()


def _check_parts(content: str, name: str) -> None:
    """Raises FileRefused before millions of empty objects take gigabytes of memory."""
    if content.count(",") > MAX_NUMBERS or sum(map(content.count, "[{:")) > MAX_PARTS:
        raise FileRefused(
            f"{name} has more than {MAX_NUMBERS:,} numbers, or {MAX_PARTS:,} lists and keys. "
            "Split it."
        )


def _pairs(pairs: list[tuple[str, Any]]) -> _Pairs:
    mapping = _Pairs(pairs)
    if len(mapping) < len(pairs):
        # Counted once: a hostile file has millions of keys.
        counts = Counter(key for key, _ in pairs)
        mapping.twice = tuple(key for key, count in counts.items() if count > 1)
    return mapping


def _entries(content: object, name: str, text: str | None) -> list[tuple[str, Mapping[str, Any]]]:
    """Every row as an object with the place that it has in the file."""
    if isinstance(content, list) and content and not isinstance(content[0], (dict, list)):
        content = _Pairs(weights=content)
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, _Pairs) and item.twice:
            raise FileRefused(
                f'{name} has "{item.twice[0][:60]}" more than once. Keep one of them.'
            )
    if content in ([], {}):
        raise FileRefused(f"{name} has no distribution in it. {_FORM}")
    if isinstance(content, _Pairs) and _is_entry(content):
        content = [content]
    if isinstance(content, _Pairs):
        return [
            (f"Entry {position}", {"concept": concept, "weights": numbers})
            for position, (concept, numbers) in enumerate(content.items(), 1)
        ]
    if not isinstance(content, list) or not all(isinstance(entry, _Pairs) for entry in content):
        raise FileRefused(f"{name} has no distributions in a form that is known. {_FORM}")
    entries = []
    for index, entry in enumerate(content, 1):
        if not entry.get("concept"):
            if not (text or "").strip():
                raise no_concept(name)
            entry = {**entry, "concept": text}
        entries.append((f"Entry {index}", entry))
    return entries


def _is_entry(entry: Mapping[str, Any]) -> bool:
    """Whether an object is one row itself, and not rows by their concepts."""
    data = {*_NUMBERS, _PALETTE} & set(entry)
    return bool(data) and set(entry) <= {*data, *_LABELS, "colors"}


def _numbers(entry: Mapping[str, Any]) -> object:
    return next((entry[key] for key in _NUMBERS if key in entry), None)


def _label(location: str, entry: Mapping[str, Any]) -> Label:
    concept, modifier, contributor = (
        _text(key, entry.get(key)) for key in ("concept", "modifier", "contributor")
    )
    people = entry.get("people") or 0
    if isinstance(people, bool) or not isinstance(people, int) or not 0 <= people < 10**9:
        raise BadInput(f"people is {json.dumps(people)[:40]}, which is not a whole number")
    nobody = people == 0 and entry.get("people") is not None
    return Label(location, concept, modifier, contributor, people, nobody)


def _text(key: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        return str(value)
    raise BadInput(f"{key} is text, not {json.dumps(value)[:40]}")


def _row(entry: Mapping[str, Any], as_58: bool, name: str) -> tuple[list[float], Order]:
    values = _numbers(entry)
    if not isinstance(values, list):
        raise BadInput("It has no list of numbers called weights, and no palette")
    numbers = [_number(value, f"number {index}") for index, value in enumerate(values)]
    colors = entry.get("colors")
    if colors is None:
        return numbers, by_position(len(numbers), as_58, name)
    if not isinstance(colors, list) or len(colors) != len(numbers):
        raise BadInput(f"colors is not a list of {len(numbers)} colors, one for each number")
    row_colors = [_color(color) for color in colors]
    labels = [f"color {index} of {name}" for index in range(len(row_colors))]
    return numbers, by_color(row_colors, labels, as_58, name)


def _palette(content: object) -> tuple[list[SourceColor], list[float] | None]:
    if not isinstance(content, list) or not content:
        raise BadInput("palette is not a list of colors")
    colors, weights = [], []
    for index, item in enumerate(content, 1):
        colors.append(_color(item))
        if isinstance(item, dict) and item.get("weight") is not None:
            weights.append(_number(item["weight"], f"the weight of color {index}"))
    if weights and len(weights) < len(colors):
        raise BadInput("some colors of its palette have no weight")
    return colors, weights or None


def _color(content: object) -> SourceColor:
    if isinstance(content, dict):
        ways = [key for key in ("hex", "rgb", "lab") if key in content]
        if len(ways) == 1:
            value = content[ways[0]]
            if ways[0] == "hex" and isinstance(value, str):
                return of_hex(value)
            if ways[0] != "hex" and isinstance(value, list):
                numbers = [_number(number, ways[0]) for number in value]
                return of_rgb(numbers) if ways[0] == "rgb" else of_lab(numbers)
    elif isinstance(content, list):
        return of_lab([_number(number, "lab") for number in content])
    elif isinstance(content, str) and (color := color_in(content)) is not None:
        return color
    raise BadInput(
        f"{json.dumps(content)[:60]} is not a color; a color has one of hex, rgb and lab"
    )


def _number(value: object, label: str) -> float:
    if value is None:
        raise BadInput(f"{label} is missing")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadInput(f"{label} is {json.dumps(value)[:40]}, which is not a number")
    try:
        return float(value)
    except OverflowError:
        raise BadInput(f"{label} is too large") from None
