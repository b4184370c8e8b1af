"""Templates of widgets: the files of ``assets/html/``, with values filled in."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound

from truehue.tabs.page.context import ROOT

FOLDER = ROOT / "assets" / "html"


@cache
def _files() -> Environment:
    files = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    # Of ``tojson``, for an attribute in single quotes: few bytes.
    files.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return files


def html(name: str, **values: object) -> str:
    """The text of ``assets/html/<name>.html``, each file read once, with ``values`` escaped in it.

    Raises FileNotFoundError for a file that is not there, and jinja2's UndefinedError for a value
    that the file has a place for and ``values`` do not have.
    """
    try:
        return _files().get_template(f"{name}.html").render(values)
    except TemplateNotFound as error:
        raise FileNotFoundError(
            f"The file assets/html/{error.name} of the page is missing. Put it back from the "
            "release, or from the repository."
        ) from error


def parts(templates: Mapping[str, str]) -> str:
    """One template of several, each in an element of its id: Gradio's page works for each component
    that a tab has, seen or not, so that a tab is one."""
    return html("page/parts", parts=templates)
