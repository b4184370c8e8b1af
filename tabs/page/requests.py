"""Requests of users as frozen records: validated once, each limit stated once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from truehue.core.errors import BadInput
from truehue.tabs.page.errors import shorten

MAX_WORDS = 3
"""Wrong fields that one answer speaks of."""


class PageRequest(BaseModel):
    """Base of all requests. What is not given, or null, is as the field says; what no field asks
    for is left alone. A field's ``title`` is what it is called where it is wrong; where one is
    missing, ``missing_advice`` says what to do."""

    missing_advice: ClassVar[str] = " Reload the page."

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        str_strip_whitespace=True,
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
    )

    @classmethod
    def title_in(cls, name: str, fields: Mapping[str, Any]) -> str:
        """What a field is called where it is wrong; ``fields`` are those that were sent, since a
        form may call it otherwise for each kind of what it makes."""
        field = cls.model_fields.get(name)
        return (field.title if field is not None else "") or f"“{name}”"

    @model_validator(mode="before")
    @classmethod
    def _filled_fields(cls, fields: Any) -> Any:
        if not isinstance(fields, Mapping):
            return fields
        return {name: value for name, value in fields.items() if value is not None}


_Request = TypeVar("_Request", bound=PageRequest)


class EmptyRequest(PageRequest):
    """Asks for no more than its address says."""


def no_bool(value: Any) -> Any:
    """Lets yes and no not pass for 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("bool")
    return value


def digits(value: Any) -> Any:
    """A whole number as a form has it: digits, perhaps with commas between thousands."""
    no_bool(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        text = value.strip().replace(",", "")
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise ValueError("digits")
        return int(text)
    return value


def list_of_single(value: Any) -> Any:
    """A list, also where the page sends its one member alone, or several between commas."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def single_of(label: str, values: Iterable[str]) -> AfterValidator:
    """Lets one of these words pass, or none."""
    text = tuple(values)

    def checked(word: str) -> str:
        if word and word not in text:
            raise BadInput(f"There is no {label} {word[:60]!r}. It is one of {', '.join(text)}.")
        return word

    return AfterValidator(checked)


Whole = Annotated[int, BeforeValidator(digits)]
Session = Annotated[str, Field(pattern="^[0-9a-f]{32}$", title="The session")]
"""The page's own name for files that it sends one by one."""


def read_as(kind: type[_Request], fields: Mapping[str, Any]) -> _Request:
    """The request that was sent. Raises BadInput in words, with the first field that is wrong."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise refused(kind, error, fields) from None


def require_known(kind: type[BaseModel], fields: Mapping[str, Any], location: str = "") -> None:
    """Returns where every name in ``fields`` is one that ``kind`` asks for, also in the records
    inside of it. Raises BadInput with the nearest name that there is: who writes “vots” would else
    get the votes of the preset, and never know."""
    for name, value in fields.items():
        field = kind.model_fields.get(name)
        if field is None:
            inside = f" in “{location}”" if location else ""
            near = get_close_matches(name, kind.model_fields, 1)
            advice = (
                f"Did you mean “{near[0]}”?"
                if near
                else f"There is: {', '.join(sorted(kind.model_fields))}."
            )
            raise BadInput(
                f"“{shorten(name, 60)}” is not known here{inside}. {advice}", location or name
            )
        inner = next(_records_in(field.annotation), None)
        if inner is None:
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping):
                require_known(inner, item, location or name)


def _records_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The records that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _records_in(part)


def refused(kind: type[PageRequest], error: ValidationError, fields: Mapping[str, Any]) -> BadInput:
    """What a page is told of a request that cannot be: each wrong field by its name, what it takes
    and what it got. ``fields`` are those that were sent."""
    terms: dict[str, str] = {}
    for details in error.errors(include_url=False):
        own = details.get("ctx", {}).get("error")
        if isinstance(own, BadInput) and not terms:
            return own if own.field else BadInput(str(own), _field(details))
        terms.setdefault(_field(details), _text(kind, details, fields))
    return BadInput(" ".join(list(terms.values())[:MAX_WORDS]), next(iter(terms), ""))


def _field(details: ErrorDetails) -> str:
    return str(details["loc"][0]) if details["loc"] else ""


def _text(kind: type[PageRequest], details: ErrorDetails, fields: Mapping[str, Any]) -> str:
    name = _field(details)
    title = kind.title_in(name, fields)
    if details["type"] == "missing" and len(details["loc"]) == 1:
        return f"{title} is missing.{kind.missing_advice}"
    if details["type"] == "extra_forbidden":
        return f"{title} is not known here. There is: {', '.join(kind.model_fields)}."
    schema = kind.model_json_schema()
    definitions = schema.get("$defs", {})
    own = index = schema.get("properties", {}).get(name, {})
    inner = ""
    for part in details["loc"][1:]:
        if isinstance(part, int):  # one of a list
            items = [item["items"] for item in index.get("anyOf", (index,)) if "items" in item]
            index = items[0] if items else {}
            continue
        # A field of a record in the request is what was wrong, and is called by its own name.
        within = _record(index, definitions).get("properties", {})
        if part not in within:
            break
        own = index = within[str(part)]
        inner = str(part)
        title = str(own.get("title", ""))
    if inner and title == inner.replace("_", " ").title():  # nobody gave it one
        title = f"“{name}.{inner}”"
    if details["type"] == "string_too_long":
        return f"{title} has at most {details['ctx']['max_length']:,} characters."
    takes = _takes(own, definitions)
    return f"{title} is {takes}, not {_excerpt(details['input'])}."


def _record(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of the record that a field takes; what has no properties where it takes none."""
    for option in schema.get("anyOf", (schema,)):
        if "$ref" in option:
            return dict(definitions[str(option["$ref"]).rpartition("/")[2]])
    return schema


def _takes(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """What a field takes, by its JSON schema."""
    for several in ("anyOf", "oneOf", "allOf"):
        parts = [option for option in schema.get(several, ()) if option.get("type") != "null"]
        if parts:
            return " or ".join(dict.fromkeys(_takes(part, definitions) for part in parts))
    if "$ref" in schema:
        return _takes(definitions[str(schema["$ref"]).rpartition("/")[2]], definitions)
    if "enum" in schema or "const" in schema:
        text = schema.get("enum", [schema.get("const")])
        return f"one of {', '.join(str(word) for word in text)}"
    return _of_type(schema, definitions)


def _of_type(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    match schema.get("type"):
        case "integer" | "number" as type_:
            noun = "a whole number" if type_ == "integer" else "a number"
            least = schema.get("minimum", schema.get("ge"))
            return noun + _limits(least, schema.get("maximum", schema.get("le")))
        case "boolean":
            return "true or false"
        case "string" if "pattern" in schema:
            return "what the page made it: reload the page"
        case "string":
            return "text, in quotation marks" + _up_to(schema.get("maxLength"), "characters")
        case "array":
            least, limit = schema.get("minItems"), schema.get("maxItems")
            if (
                least is not None
                and limit is not None
                and least < limit
                and "prefixItems" not in schema
            ):
                return f"a list of {least:,} to {limit:,} entries"
            inner = schema.get("items") or {}
            suffix = f", each {_takes(inner, definitions)}" if inner else ""
            return "a list" + _up_to(limit, "entries") + suffix
        case _:
            return "an object"


def _limits(least: Any, limit: Any) -> str:
    if least is not None and limit is not None:
        return f" from {least:,} to {limit:,}"
    return f" from {least:,} on" if least is not None else ""


def _up_to(limit: int | None, noun: str) -> str:
    return f" of up to {limit:,} {noun}" if limit is not None else ""


def _excerpt(value: Any) -> str:
    if isinstance(value, str) and value.strip().isdigit():
        return shorten(value.strip(), 60)
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = type(value).__name__
    return shorten(text, 60)


def texts(values: Sequence[str]) -> tuple[str, ...]:
    """The texts that are not empty, each once, in their order."""
    return tuple(dict.fromkeys(text.strip() for text in values if text.strip()))
