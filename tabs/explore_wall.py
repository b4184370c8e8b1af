"""The wall of failures of Explore: the pictures behind every number, and what narrows them."""

from __future__ import annotations

TEMPLATE = """<div class="th-wall" hidden>
<section class="th-card th-wall-top"><div class="th-wall-bar" role="group" aria-label="Filters"></div>
<div class="th-wall-sectors" role="group" aria-label="Hue of the asked color"></div>
<div class="th-wall-chips" role="group" aria-label="Filters in use" hidden></div></section>
<nav class="th-strip th-wall-parts" role="group" aria-label="What to show"><button type="button" data-part="pictures">Pictures</button><button type="button" data-part="figures">Figures</button></nav>
<div class="th-wall-split"><div class="th-analyses"></div>
<div class="th-wall-right"><section class="th-card th-wall-list" aria-label="Pictures">
<header><h3 class="th-wall-count" role="status" aria-live="polite"></h3>
<label class="th-wall-sort"><span>Sort</span> <select aria-label="Sort"></select></label>
<button type="button" class="th-button th-wall-compare">Compare two runs</button>
<button type="button" class="th-button th-wall-help" aria-label="Keys" title="Keys">?</button></header>
<p class="th-wall-empty" hidden></p>
<div class="th-wall-grid" role="listbox" aria-label="Pictures"></div>
<button type="button" class="th-button th-wall-more" hidden>Show more</button></section>
<section class="th-card th-compare" aria-label="Two runs side by side" hidden>
<header><h3>Two runs, the same prompts</h3><button type="button" class="th-button th-compare-back">Back to the pictures</button></header>
<div class="th-compare-bar"><label><span>A</span> <select class="th-compare-a" aria-label="Run A"></select></label>
<button type="button" class="th-button th-compare-swap" aria-label="Swap the runs" title="Swap the runs">⇄</button>
<label><span>B</span> <select class="th-compare-b" aria-label="Run B"></select></label></div>
<div class="th-compare-sum"><table class="th-table th-agree-table th-compare-table"></table><div class="th-compare-words"><p class="th-compare-sentence"></p><p class="th-soft th-compare-test"></p></div></div>
<p class="th-wall-empty th-compare-empty" hidden></p>
<div class="th-compare-pair" tabindex="0" role="group" aria-label="The pair; arrow keys bring the next, plus and minus zoom">
<header><button type="button" class="th-button th-compare-previous">‹ Previous</button><p class="th-compare-text"></p><button type="button" class="th-button th-compare-next">Next ›</button></header>
<div class="th-compare-panes"></div></div></section></div></div>
<dialog class="th-light" aria-label="Picture"><div class="th-light-body"><div class="th-light-view"></div>
<aside class="th-light-side"></aside></div></dialog>
<dialog class="th-keys" aria-label="Keys"></dialog></div>"""  # noqa: E501
BEFORE = (
    "js/figure.js", "js/explore_filters.js", "js/explore_filter_bar.js", "js/explore_zoom.js",
    "js/explore_card.js", "js/explore_light.js", "js/explore_compare.js",
)  # fmt: skip
"""The assets that its script needs, beside what all views share."""
