"""The project speaks its field's language: words that may not be names or texts any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.house import FOLDERS, ROOT

pytestmark = pytest.mark.slow

NAMES = frozenset(
    {"one", "told", "asked", "asking", "askings", "kept", "drawn", "begun", "place", "places"}
    | {"beside", "thing", "things", "anew", "picture", "pictures", "keeper", "desk", "seat"}
    | {"shelf", "crowd"}
)
"""Variables and parameters say what a value is. Fields of records, columns and keys keep a stored
name: they are data."""
LIMITS = re.compile(r"^_?(MOST|LEAST)_")
CLASSES = re.compile(
    r"^_?(Line$|Asking|Asked|Given|Standing|Worth|Crowd|Shelf|Book|Desk|Seat|Door|Thing|Turns|Once)"
    r"([A-Z]\w*)?$"
)
TEXTS = {
    r"\bpictures?\b": "image",
    r"\basked (color|object|hue)s?\b": "target color",
    r"\bfound colors?\b": "measured color",
    r"\baskings?\b(?= (is|are|was|were|of|has|have)\b)": "evaluation",
    r"\b(ask|asked) a model\b": "evaluate a model",
    r"\b(bring|brought|brings) in\b": "import",
    r"\b(take|taken|takes|taking) in\b": "import",
    r"\bput away\b": "hide",
    r"\blook into it\b": "open",
    r"\bwhat moves\b": "transport plan",
    r"\bcan the measure be trusted\b": "rule accuracy",
    r"\bwhere the rules disagree\b": "rule disagreements",
    r"\bwho wins against whom\b": "pairwise win rates",
    r"\banew\b": "again",
    r"\bnobody's answers\b": "no evaluation",
}
"""What people read, and the word that it is from now on."""
STORED = {
    "annotation/studies/presets.py": "what people were asked in studies that exist",
    "tabs/studies/form.py": "what people consented to",
    "core/runs/concepts.py": "reasons that stored rows bear",
    "core/runs/worker.py": "reasons that stored rows bear",
    "core/scores/cfm.py": "reasons that stored rows bear",
    "core/scores/work.py": "names that stored reasons are made of",
    "core/fidelity/cfm/scorer.py": "reasons that stored rows bear",
    "core/masks/cleanup.py": "parameters of stored masks",
    "core/runs/summary.py": "a name that the ids of runs are made of",
    "core/generation/renderer/stand_ins.py": "words of prompts",
    "core/sentences.py": "words of prompts",
    "core/export/archive.py": "the layout of archives that exist",
}
"""Modules whose texts are data: they stay as they are stored."""


SQL = re.compile(r"\b(SELECT|CREATE|INSERT|UPDATE|DELETE|WHERE|JOIN|ALTER|AS|FROM|AND)\b")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module: looking for them takes longer than what is asked of them."""
    return tuple(ast.walk(tree))


def is_route(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a decorator ``@router.…`` stands over it."""
    targets = [part.func if isinstance(part, ast.Call) else part for part in node.decorator_list]
    return any(
        isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "router"
        for target in targets
    )


def names_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The names that a module gives to variables and parameters. Parameters of a route are the
    names of its address: they stay."""
    fields = {
        id(part.target)
        for node in nodes_of(tree)
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign)
    }
    addresses = {
        id(parameter)
        for node in nodes_of(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_route(node)
        for parameter in node.args.args
    }
    for node in nodes_of(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            if id(node) not in fields:
                yield node.lineno, node.id
        elif isinstance(node, ast.arg) and id(node) not in addresses:
            yield node.lineno, node.arg


def functions_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Functions of a module and in functions: no methods, and no routes, whose names are wire."""
    methods = {
        id(part) for node in nodes_of(tree) if isinstance(node, ast.ClassDef) for part in node.body
    }
    for node in nodes_of(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not is_function or id(node) in methods:
            continue
        if not is_route(node):
            yield node.lineno, node.name.strip("_")


def prose_of_python(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Strings of a module that are sentences or labels: no docstrings, keys or queries."""
    docstrings = {
        id(node.value)
        for node in nodes_of(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in nodes_of(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            is_prose = re.search(r"[A-Za-z] [A-Za-z]", node.value) and not SQL.search(node.value)
            if is_prose and id(node) not in docstrings:
                yield node.lineno, node.value


def prose_of_script(text: str) -> Iterator[tuple[int, str]]:
    """Strings of a script that have a blank between letters; comments are left out."""
    bare = re.sub(r"/\*.*?\*/", lambda part: "\n" * part[0].count("\n"), text, flags=re.DOTALL)
    bare = re.sub(r"(^|[\s;])//[^\n]*", r"\1", bare)
    for match in re.finditer(
        r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", bare
    ):
        content = next(part for part in match.groups() if part is not None)
        content = re.sub(r"\$\{[^}]*\}", "…", content)
        if re.search(r"[A-Za-z] [A-Za-z]", content):
            yield bare.count("\n", 0, match.start()) + 1, content


def prose_of_page(text: str) -> Iterator[tuple[int, str]]:
    """What a page shows or reads out: its text, titles, labels and placeholders."""
    for match in re.finditer(r">([^<>]+)<|(?:title|aria-label|placeholder|alt)=\"([^\"]*)\"", text):
        content = match[1] or match[2] or ""
        if content.strip():
            yield text.count("\n", 0, match.start()) + 1, content


def files(pattern: str, *folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob(pattern))


def breaches(prose: Iterator[tuple[int, str]], path: Path) -> list[str]:
    name = path.relative_to(ROOT).as_posix()
    return [
        f"{name}:{line}: “{found[0]}” is {better!r} from now on: {' '.join(text.split())[:70]}"
        for line, text in prose
        for pattern, better in TEXTS.items()
        if name not in STORED and (found := re.search(pattern, text, re.IGNORECASE))
    ]


REFERENCE = re.compile(r"\btruehue\.((?:core|annotation|storage|tabs)(?:\.\w+)*)")
LEADING = re.compile(r"(?:^|[.:;!?]\s+)``([a-z_]\w*)``(?=\s)")
"""An identifier that begins a sentence of a docstring, or what follows a semicolon or colon."""


def words_of(*nodes: ast.AST) -> set[str]:
    """Every identifier in these parts of a module, and every word of its texts."""
    words: set[str] = set()
    for node in (node for part in nodes for node in ast.walk(part)):
        named = (getattr(node, field, None) for field in ("id", "attr", "arg", "name"))
        words.update(name for name in named if isinstance(name, str))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.update(re.findall(r"\w+", node.value))
    return words


@cache
def members(path: Path, of_class: str = "") -> frozenset[str]:
    """What a module, or a class of it, defines; a module also what it imports."""
    tree = tree_of(path)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if of_class:
        return frozenset(words_of(*classes[of_class].body)) if of_class in classes else frozenset()
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= words_of(node)
    fields = (part for node in classes.values() for part in node.body)
    return frozenset(names | words_of(*(f.target for f in fields if isinstance(f, ast.AnnAssign))))


def is_known(name: str) -> bool:
    """Whether ``core.x.Y.z`` is a module, something that it defines, or a member of its class."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        module, rest = ROOT.joinpath(*parts[:end]), parts[end:]
        path = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
        if path.is_file():
            known = not rest or rest[0] in members(path)
            return known and (len(rest) < 2 or rest[1] in members(path, rest[0]))
        if module.is_dir():
            return not rest
    return False


def unknown_in_docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """What docstrings of a module refer to that is not there, with the lines of what they are of:
    names in full, and the name that begins a sentence in the docstring of a function."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in nodes_of(tree_of(path)):
        docstring = ast.get_docstring(node) if isinstance(node, documented) else None
        if not docstring:
            continue
        line = getattr(node, "lineno", 1)
        text = " ".join(docstring.split())
        yield from ((line, name) for name in REFERENCE.findall(text) if not is_known(name))
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if leading := LEADING.findall(text):
            returns = [node.returns] if node.returns else []
            own = words_of(node.args, *returns, *node.decorator_list, *node.body[1:])
            yield from ((line, name) for name in leading if name not in own | members(path))


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_name_what_is_there(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {name}"
        for path in files("*.py", folder)
        for line, name in unknown_in_docstrings(path)
    ]
    assert wrong == []


def test_docstrings_of_renamed_parameters_are_found(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""See truehue.core.color and truehue.core.gone."""\n'
        'def cut(text, limit):\n    """The begin of ``text``. ``most`` is its length."""\n'
        'def join(words):\n    """``words`` with blanks. ``none`` where there is none."""\n'
        '    return " ".join(words) or "none"\n'
    )
    assert list(unknown_in_docstrings(path)) == [(1, "core.gone"), (2, "most")]
    assert is_known("storage.concept_images.images.Images.add")
    assert not is_known("storage.concept_images.images.add")
    assert not is_known("core.concepts.distribution.Distribution.gone")


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_say_what_a_value_is(folder: str) -> None:
    wrong = []
    for path in files("*.py", folder):
        tree = tree_of(path)
        name = path.relative_to(ROOT).as_posix()
        named = (*names_of(tree), *functions_of(tree))
        wrong += [
            f"{name}:{line}: {word}" for line, word in named if word in NAMES or LIMITS.match(word)
        ]
        wrong += [
            f"{name}:{node.lineno}: {node.name}"
            for node in nodes_of(tree)
            if isinstance(node, ast.ClassDef) and CLASSES.match(node.name)
        ]
    assert wrong == []


def test_texts_use_the_fields_words() -> None:
    wrong = []
    for path in files("*.py", *FOLDERS):
        wrong += breaches(prose_of_python(tree_of(path)), path)
    for path in files("*.js", "assets/js"):
        wrong += breaches(prose_of_script(path.read_text(encoding="utf-8")), path)
    for path in files("*.html", "assets/html"):
        wrong += breaches(prose_of_page(path.read_text(encoding="utf-8")), path)
    assert wrong == []


def test_the_dialect_is_found_where_it_is_spoken() -> None:
    tree = ast.parse(
        'def read(one, *, told):\n    places = 2\n    """Pictures anew."""\n    say("It is not put away.")\n'
    )
    assert [name for _, name in names_of(tree)] == ["one", "told", "places"]
    assert breaches(prose_of_python(tree), ROOT / "x.py")[0].startswith("x.py:4: “put away”")
    script = (
        "/* a picture of it */ make('p', `${count} pictures of it`); // drawn anew\nput('picture');"
    )
    assert [text for _, text in prose_of_script(script)] == ["… pictures of it"]
    page = '<p title="Look into it">Found <b>ten pictures</b></p>'
    assert len(breaches(prose_of_page(page), ROOT / "x.html")) == 2
