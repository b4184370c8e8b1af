"""The authors' instruction, from a checkout of their repository (ZhengyaoFang/CFM, Apache-2.0)."""

from __future__ import annotations

import ast
from pathlib import Path

from truehue.core.errors import BadInput
from truehue.core.fidelity.cfm.scorer import checked

COLLATOR = Path("cfm") / "dataset" / "data_collator_qwen.py"
"""The file of the repository that holds the text."""
PARTS = ("INSTRUCTION", "prompt_with_special_token")
"""Its constants, in the order in which training and scoring join them."""


def released_instruction(checkout: Path) -> str:
    """The text around the prompt as the published weights were trained with it.

    The file is parsed and never run. Raises BadInput where it is missing or holds no such text.
    """
    path = checkout / COLLATOR
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{path} cannot be read ({error}). Give the folder that this makes: git clone "
            "https://github.com/ZhengyaoFang/CFM"
        ) from None
    except (SyntaxError, ValueError) as error:
        raise BadInput(f"{path} is no Python file: {error}") from None
    texts = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }
    missing = [name for name in PARTS if name not in texts]
    if missing:
        raise BadInput(
            f"{path} has no text {' and '.join(missing)}: this version of the repository is not "
            "known. 1e97a01 is."
        )
    return checked("".join(texts[name] for name in PARTS), f"The instruction of {path}")
