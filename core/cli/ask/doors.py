"""What the command takes from its neighbors: a set's questions, and the words of a prompt."""

from __future__ import annotations

from core.vision_language.asking.plan import PromptText
from core.vision_language.asking.sets import read_questions
from core.vision_language.records import LETTERS, Form, Question

__all__ = ["STYLES", "prompts", "read_questions"]

STYLES = ("plain", "reasoned")
_ENDINGS = {
    "plain": {
        Form.CHOICE: "Answer with the letter of the right option only.",
        Form.BINARY: "Answer with yes or no only.",
        Form.OPEN: "Answer in as few words as possible.",
    },
    "reasoned": {
        Form.CHOICE: "Think step by step. Then conclude with the letter of the right option in "
        "parentheses, like (X).",
        Form.BINARY: 'Think step by step. Then write a last line: "Answer: yes" or "Answer: no".',
        Form.OPEN: 'Think step by step. Then write a last line that begins with "Answer:".',
    },
}


def prompts(style: str) -> PromptText:
    """What is sent with a question's image, in one of :data:`STYLES`: the question, its choices
    with their letters, and how to answer."""

    def prompt_text(question: Question) -> str:
        lines = [question.text]
        lines += [f"({LETTERS[n]}) {choice}" for n, choice in enumerate(question.choices)]
        return "\n".join([*lines, _ENDINGS[style][question.form]])

    return prompt_text
