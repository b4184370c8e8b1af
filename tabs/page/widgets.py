"""A gr.HTML widget from files under assets/: constant template, module, no user text in either."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from truehue.tabs.page.asset_files import asset_files, tab_style
from truehue.tabs.page.templates import html

# Gradio runs this text for each widget that comes on the page; a browser loads and runs the module
# once. What Python sends until the module is there stands in ``props`` when ``mount`` reads them.
# Until then nothing can be pressed: the click would be lost. The address is whole: in a tab that
# came from another port of this machine, Chromium asks the app that was there for a bare path.
ON_LOAD = """element.inert = true; import(location.origin + '{address}').then(
(page) => page.{mount}).then(
(mount) => mount({{ element, props, trigger, watch }}),
(error) => {{ element.textContent = '{gone}'; throw error; }}
).finally(() => {{ element.inert = false; }})"""
GONE = "TrueHue was restarted. Reload this page."


def on_load(module: str) -> str:
    """The script that mounts a widget: of ``inspect/form``, what ``assets/js/inspect/page.js``
    exports as ``form``."""
    page, name = module.split("/")
    address = asset_files().address(f"js/{page}/page.js")
    return ON_LOAD.format(address=address, mount=name, gone=GONE)


def on_open(module: str, template: str) -> str:
    """The script that mounts a tab: ``assets/js/page/open.js`` fetches its template, its style and
    its script at once."""
    files = asset_files()
    tab, name = module.split("/")
    style = tab_style(tab)
    parts = {
        "name": name,
        "script": files.address(f"js/{tab}/page.js"),
        "style": style and files.address(style),
        "template": files.serve_template(f"html/{tab}.html", template),
    }
    mount = f"open(element, {json.dumps(parts)})"
    return ON_LOAD.format(address=files.address("js/page/page.js"), mount=mount, gone=GONE)


def widget(module: str, **props: Any) -> Any:
    """A component that a ``module`` (see :func:`on_load`) draws into ``assets/html/<module>.html``.

    The template must be constant: Gradio draws it anew when it changes, which would blank what the
    script drew, and text put into it could be run as code. The script sets text by textContent.
    """
    return _component(html(module), on_load(module), props)


def tab_widget(module: str, template: str | None = None, **props: Any) -> Any:
    """A :func:`widget` that is all of a tab. Its template comes when the tab is opened first: the
    page does not carry those of the others. One with places for values is given filled."""
    return _component("", on_open(module, html(module) if template is None else template), props)


def _component(template: str, script: str, props: dict[str, Any]) -> Any:
    return gr.HTML(html_template=template, js_on_load=script, apply_default_css=False, **props)
