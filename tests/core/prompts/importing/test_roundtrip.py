"""What is written is read back, and no bytes at all break the import."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.prompts.importing.prompt_files import write_prompts
from truehue.core.color.systems import SYSTEMS, ColorTarget, parse_target
from truehue.core.color.systems import system as color_system
from truehue.core.errors import BadInput
from truehue.core.prompts.importing import read_prompts
from truehue.core.prompts.prompt import ROLES, TASKS, ObjectTarget, Prompt

pytestmark = pytest.mark.slow

# What str.isprintable says is printable.
FIELD = st.text(
    st.characters(exclude_categories=("C", "Zl", "Zp", "Zs"), include_characters=" "), max_size=20
)
NAME = FIELD.filter(str.strip)
TEXT = st.one_of(
    NAME,
    st.text(st.sampled_from("ab \t\n\r,;\"'é{}[]#=-🦄"), min_size=1, max_size=40).filter(str.strip),
)
LABEL = st.text(st.sampled_from("abc é,\"'"), min_size=1, max_size=8).filter(
    lambda text: text == text.strip()
)


@st.composite
def _colors(draw: st.DrawFn) -> ColorTarget:
    if draw(st.booleans()):
        return parse_target(f"#{draw(st.integers(0, 0xFFFFFF)):06X}")
    color = draw(st.sampled_from(color_system(draw(st.sampled_from(sorted(SYSTEMS)))).colors))
    return parse_target(f"{color.system}:{color.name}")


TARGETS = st.builds(
    ObjectTarget,
    NAME,
    st.none() | _colors(),
    st.lists(LABEL, max_size=3).map(tuple),
    st.sampled_from(ROLES),
    FIELD,
)
PROMPTS = st.builds(
    Prompt,
    NAME,
    TEXT,
    st.sampled_from(sorted(TASKS)),
    st.lists(TARGETS, max_size=4).map(tuple),
    st.sampled_from(["", *SYSTEMS]),
    *[FIELD] * 8,
)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@settings(deadline=None, max_examples=60)
@given(prompts=st.lists(PROMPTS, min_size=1, max_size=5, unique_by=lambda prompt: prompt.id))
def test_prompts_come_back_as_they_were(kind: str, prompts: list[Prompt]) -> None:
    again = read_prompts(write_prompts(prompts, kind).encode(), f"again.{kind}")
    assert again.problems == ()
    assert list(again.prompts) == prompts


@settings(deadline=None, max_examples=150)
@given(
    content=st.binary(max_size=200)
    | st.text(st.sampled_from('text,object;"\n\r\t\0 a{}[]:é'), max_size=80).map(str.encode),
    name=st.sampled_from(["a.csv", "a.txt", "a.jsonl", "a", "cna_l2.csv"]),
    headed=st.booleans(),
)
def test_whatever_the_bytes_are(content: bytes, name: str, headed: bool) -> None:
    if headed:
        content = b"id,color,object,prompt\n1,Red,a,b\n" + content
    try:
        read = read_prompts(content, name)
    except BadInput:
        return
    assert read.records > 0
    if read.kind == "text" and not read.notes and content[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        lines = io.StringIO(content.decode("utf-8-sig"), newline=None).readlines()
        assert read.records + read.blank_lines == len(lines)
    assert len({prompt.id for prompt in read.prompts}) == len(read.prompts)
    for problem in read.problems:
        assert problem.line >= 1
        assert problem.why
        assert problem.text_excerpt.isprintable()
    # All that was taken can be written, and comes back; but for how a color's name was spelled.
    again = (
        read_prompts(write_prompts(read.prompts, "jsonl").encode(), "b.jsonl", kind="jsonl")
        if read.prompts
        else None
    )
    assert again is None or [prompt.as_json() for prompt in again.prompts] == [
        prompt.as_json() for prompt in read.prompts
    ]


@settings(deadline=None, max_examples=100)
@given(
    rows=st.lists(
        st.text(st.sampled_from('ab,"" x'), min_size=1, max_size=12), min_size=1, max_size=8
    )
)
def test_no_quote_swallows_a_line_after_it(rows: list[str]) -> None:
    content = "\n".join(["text,object", *rows, "The last one,cup"])
    read = read_prompts(content.encode(), "a.csv")
    assert read.prompts[-1].text == "The last one"


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (Prompt("a", " ", "free"), "The prompt is empty"),
        (Prompt(" ", "A cup", "free"), "The id is empty"),
        (Prompt("a", "A cup", "none"), "no task"),
        (Prompt("a", "A cup\0", "free"), "U+0000"),
        (Prompt("a", "A cup", "free", (ObjectTarget("cup", None, ("a;b",)),)), "Write JSONL"),
        (Prompt("a", "A cup", "free", (ObjectTarget("cup"),) * 10), "Write JSONL"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(prompt: Prompt, why: str) -> None:
    with pytest.raises(BadInput) as error:
        write_prompts([prompt], "csv")
    assert why in str(error.value)


def test_an_id_is_written_once_and_in_a_known_kind() -> None:
    prompt = Prompt("a", "A cup", "free")
    with pytest.raises(BadInput, match="twice"):
        write_prompts([prompt, prompt], "jsonl")
    with pytest.raises(BadInput, match="csv or jsonl"):
        write_prompts([prompt], "xlsx")
    assert write_prompts([], "jsonl") == ""
