"""A gr.HTML widget from files under assets/: constant template, script, no user text in either."""

from __future__ import annotations

from typing import Any

import gradio as gr

from core.verdict.rules import DEFAULT_RULE
from tabs.page.context import ROOT


def asset(path: str) -> str:
    """The text of a file under ``assets/``."""
    return (ROOT / "assets" / path).read_text(encoding="utf-8")


def widget(
    name: str, template: str, value: Any = None, before: str | tuple[str, ...] = "", **props: Any
) -> Any:
    """A component drawn by ``assets/js/<name>.js`` into ``template``; the assets ``before`` hold
    what several scripts share.

    The template must be constant: Gradio draws it anew when it changes, which would blank what the
    script drew, and text put into it could be run as code. The script sets text by textContent.
    ``__DEFAULT_RULE__`` in a script stands for the id of the default rule.
    """
    shared = (before,) if isinstance(before, str) and before else before or ()
    return gr.HTML(
        value=value,
        html_template=template,
        js_on_load="".join(asset(path) for path in (*shared, f"js/{name}.js")).replace(
            "__DEFAULT_RULE__", DEFAULT_RULE
        ),
        apply_default_css=False,
        **props,
    )


def refresh(component: Any, **changes: Any) -> Any:
    """An update that also repeats the component's first props.

    Gradio 6.31 drops all props of an HTML component on a tab that was never opened when an update
    does not bring them along; its script then starts without them.
    """
    return gr.update(**{**component.props, **changes})
