"""What a model is told with an image."""

from __future__ import annotations

from pathlib import Path

import pytest

from truehue.core.errors import TrueHueError
from truehue.core.vlm import prompting
from truehue.core.vlm.prompting import Style, instruction, prompt_text
from truehue.core.vlm.records import Form, Question


def test_a_question_comes_with_instruction_and_lettered_choices() -> None:
    question = Question("q1", "t", Form.CHOICE, "What color is the car?", ("red", "blue"), "B", "x")
    message, blank, *target = prompt_text(question).split("\n")
    assert message.startswith("You’ll be given an image, an instruction and some options.")
    assert message.endswith("Do not repeat the entire answer.")
    assert blank == ""
    assert target == ["What color is the car?", "(A) red", "(B) blue"]
    assert "in the parentheses like (X)" in prompt_text(question, Style.REASONED)


def test_open_and_binary_questions_show_no_choices_and_no_answer() -> None:
    binary = Question("q1", "t", Form.BINARY, "Is it red?", (), "yes", "x")
    named = Question("q2", "t", Form.OPEN, "What color is it?", (), "vermilion", "x")
    assert prompt_text(binary).endswith("\n\nIs it red?")
    assert "vermilion" not in prompt_text(named, Style.REASONED)


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize("style", list(Style))
def test_every_form_has_an_instruction_of_each_style(form: Form, style: Style) -> None:
    message = instruction(form, style)
    assert message.by == ("ColorBench" if form is Form.CHOICE else "TrueHue")
    assert ("step by step" in message.text) == (style is Style.REASONED)


def test_the_readme_names_the_checksum() -> None:
    assert prompting.SHA256 in (prompting.PATH.parent / "README.md").read_text("utf-8")


def test_changed_instructions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "instructions.csv"
    monkeypatch.setattr(prompting, "PATH", changed)
    read = prompting._instructions.__wrapped__
    with pytest.raises(TrueHueError, match="cannot be read"):
        read()
    changed.write_text("form,style,by,text\n", "utf-8")
    with pytest.raises(TrueHueError, match="was changed"):
        read()
