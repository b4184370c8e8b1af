"""A gr.HTML widget from files under assets/: constant template, module, no user text in either."""

from __future__ import annotations

from typing import Any

import gradio as gr

from truehue.tabs.page.asset_files import asset_files
from truehue.tabs.page.templates import html

# Gradio runs this text for each widget that comes on the page; a browser loads and runs the module
# once. What Python sends until the module is there stands in ``props`` when ``mount`` reads them.
# Until then nothing can be pressed: the click would be lost. The address is whole: in a tab that
# came from another port of this machine, Chromium asks the app that was there for a bare path.
ON_LOAD = """element.inert = true; import(location.origin + '{address}').then(
(page) => page.{name}({{ element, props, trigger, watch }}),
(error) => {{ element.textContent = '{gone}'; throw error; }}
).finally(() => {{ element.inert = false; }})"""
GONE = "TrueHue was restarted. Reload this page."


def on_load(module: str) -> str:
    """The script that mounts a widget: of ``inspect/form``, what ``assets/js/inspect/page.js``
    exports as ``form``."""
    tab, name = module.split("/")
    address = asset_files().address(f"js/{tab}/page.js")
    return ON_LOAD.format(address=address, name=name, gone=GONE)


def widget(module: str, template: str | None = None, **props: Any) -> Any:
    """A component that a ``module`` (see :func:`on_load`) draws into ``assets/html/<module>.html``.
    A file with places for values is given filled, as ``template``.

    The template must be constant: Gradio draws it anew when it changes, which would blank what the
    script drew, and text put into it could be run as code. The script sets text by textContent.
    """
    return gr.HTML(
        html_template=html(module) if template is None else template,
        js_on_load=on_load(module),
        apply_default_css=False,
        **props,
    )
