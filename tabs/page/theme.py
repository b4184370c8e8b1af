"""The theme: neutral in light and in dark, so that nothing on the page tints the images."""

from __future__ import annotations

from typing import Any

import gradio as gr

from truehue.tabs.page.asset_files import STYLE, asset_files


def theme() -> Any:
    """Gradio's base theme in grays with system fonts; nothing is fetched from elsewhere."""
    both = {
        "body_background_fill": "var(--th-page)",
        "body_text_color": "var(--th-ink)",
        "body_text_color_subdued": "var(--th-soft)",
        "background_fill_primary": "var(--th-panel)",
        "background_fill_secondary": "var(--th-panel)",
        "block_background_fill": "transparent",
        "block_border_width": "0px",
        "block_label_text_color": "var(--th-soft)",
        "block_title_text_color": "var(--th-soft)",
        "border_color_primary": "var(--th-line)",
        "input_background_fill": "var(--th-control)",
        "input_border_color": "var(--th-line)",
        "input_border_color_focus": "var(--th-ink)",
        "button_primary_background_fill": "var(--th-ink)",
        "button_primary_background_fill_hover": "var(--th-ink)",
        "button_primary_text_color": "var(--th-page)",
        "button_secondary_background_fill": "var(--th-control)",
        "button_secondary_background_fill_hover": "var(--th-panel)",
        "button_secondary_border_color": "var(--th-line)",
        "button_secondary_text_color": "var(--th-ink)",
        "color_accent": "var(--th-ink)",
        "color_accent_soft": "var(--th-control)",
        "slider_color": "var(--th-ink)",
        "checkbox_background_color_selected": "var(--th-ink)",
        "checkbox_label_background_fill": "var(--th-control)",
        "checkbox_label_background_fill_selected": "var(--th-ink)",
        "checkbox_label_text_color_selected": "var(--th-page)",
        "panel_background_fill": "var(--th-panel)",
        "error_background_fill": "var(--th-panel)",
        "error_border_color": "var(--th-ink)",
        "error_text_color": "var(--th-ink)",
        "error_icon_color": "var(--th-ink)",
    }
    base = gr.themes.Base(
        primary_hue="neutral",
        secondary_hue="neutral",
        neutral_hue="neutral",
        text_size="sm",
        radius_size="sm",
        font=["system-ui", "Inter", "Segoe UI", "sans-serif"],
        font_mono=["ui-monospace", "SFMono-Regular", "Menlo", "monospace"],
    )
    dark = {f"{name}_dark": value for name, value in both.items() if hasattr(base, f"{name}_dark")}
    return base.set(**both, **dark)


def css() -> str:
    """What Gradio is given in place of the sheets: the one file that is made of them.

    It has to stand where Gradio would put the sheets themselves, behind its own: linked in the
    page's head, it lost to them. Chromium warns twice that Gradio tries the line elsewhere too.
    """
    return f"@import url({asset_files().address(STYLE)});"
