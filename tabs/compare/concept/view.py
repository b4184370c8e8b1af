"""The view "A concept" of Compare: the places that its script fills (see
tabs.compare.concept.service)."""

from __future__ import annotations

TEMPLATE = """<div class="th-cc" data-compare-view="concept" hidden>
<section class="th-card th-cc-choose" aria-label="Concept">
<div class="th-cc-now" hidden><h2 class="th-cc-words"></h2><span class="th-cc-kind th-soft"></span>
<button type="button" class="th-button th-cc-another">Choose another concept</button>
<div class="th-cc-siblings" role="group" aria-label="This thing and its modifiers"></div></div>
<div class="th-cc-browse"><p class="th-cc-lead" hidden>What colors do people give a concept, and what colors a model? Choose one: all that is here of it is set side by side.</p>
<div class="th-cc-bar">
<input type="search" class="th-cc-search" placeholder="Search: rotten mango…" aria-label="Search concepts" autocomplete="off" spellcheck="false">
<span class="th-strip th-cc-kinds" role="group" aria-label="Kind of concept"></span>
<label><span>Category</span> <select class="th-cc-category" aria-label="Category"></select></label>
<span class="th-strip th-cc-having" role="group" aria-label="What there is of it"></span></div>
<div class="th-cc-list" role="listbox" aria-label="Concepts"></div>
<p class="th-soft th-cc-found" role="status"></p></div>
<p class="th-problem th-cc-list-problem" role="alert" hidden></p></section>

<section class="th-card th-cc-start" hidden><h3>Nothing to compare yet</h3>
<p>Compare sets color distributions of one concept side by side: what people give it, and what models give it.
It needs at least one of these:</p>
<div class="th-cc-ways"><div><h4>Pictures of a model</h4><p>Draw concepts with a model that is here, or with the reference renderer. Every
picture is measured inside the mask of its object.</p><button type="button" class="th-button th-cc-go-run">Start a concept run</button></div>
<div><h4>People</h4><p>Import palettes, histograms or association ratings from a CSV or JSON file. Ratings are normalized, and called so.</p>
<button type="button" class="th-button th-cc-go-people">Import people's colors</button></div>
<div><h4>Images of your own</h4><p>Drop two photographs above: one image, one row, and what would have to move from one to the other.
A concept can be chosen later.</p><button type="button" class="th-button th-cc-go-own">Choose images</button></div></div></section>

<section class="th-card th-cc-beside"><header><h3>Side by side</h3><span class="th-soft th-cc-count"></span>
<label class="th-cc-method-label"><span>Images by</span> <select class="th-cc-method" aria-label="How images become a distribution"></select></label></header>
<p class="th-cc-no-people" hidden>No people's colors of this concept are here: models and images are compared with each other, and nothing says which of them is
right. <button type="button" class="th-link th-cc-go-people">Import people's colors</button></p>
<ol class="th-cc-sources"></ol><p class="th-soft th-cc-pooling" hidden></p>
<div class="th-cc-add"><select class="th-cc-choices" aria-label="Add a distribution"></select>
<label class="th-cc-drop" tabindex="0"><input type="file" multiple accept="image/*,.csv,.json" aria-label="Upload images, or a CSV or JSON file of distributions">
<span>Drop photographs to set them side by side, or a CSV or JSON of 71 numbers; or click to choose</span></label></div>
<p class="th-cc-said" role="status"></p></section>

<section class="th-card th-cc-histograms" hidden><header><h3>Histograms</h3>
<span class="th-cc-tool"><span>Sort</span><span class="th-strip th-cc-sort" role="group" aria-label="Order of the bins"></span></span>
<span class="th-cc-tool"><span>Scale</span><span class="th-strip th-cc-scale" role="group" aria-label="Vertical scale"></span></span>
<span class="th-cc-saves" role="group" aria-label="The figure as a file" data-of="histograms"></span>
<a class="th-button th-cc-weights" download>Shares as CSV</a><button type="button" class="th-button th-cc-link">Copy link</button></header>
<div class="th-cc-figure" data-figure="histograms"></div></section>

<section class="th-card th-cc-numbers" hidden><header><h3>Numbers of every pair</h3><span class="th-soft th-cc-draws" role="status"></span>
<a class="th-button th-cc-numbers-csv" download>Numbers as CSV</a></header>
<p class="th-soft th-cc-plain"></p><div class="th-scroll"><table class="th-table th-cc-table"></table></div>
<div class="th-cc-notes"></div><details class="th-cc-meaning"><summary>What these numbers are</summary><dl></dl></details></section>

<section class="th-card th-cc-pair" hidden><header><h3>The pair</h3>
<label><span>Up</span> <select class="th-cc-first" aria-label="First of the pair"></select></label>
<button type="button" class="th-button th-cc-swap" aria-label="Swap the two" title="Swap the two">⇅</button>
<label><span>Down</span> <select class="th-cc-second" aria-label="Second of the pair"></select></label>
<span class="th-cc-tool"><span>Between</span><span class="th-strip th-cc-between" role="group" aria-label="What stands between the two"></span></span>
<span class="th-cc-tool"><span>Scale</span><span class="th-strip th-cc-pair-scale" role="group" aria-label="Vertical scale of the pair"></span></span>
<span class="th-cc-saves" role="group" aria-label="The figure as a file" data-of="mirrored"></span></header>
<div class="th-cc-figure" data-figure="mirrored"></div></section>

<section class="th-card th-cc-palettes" hidden><header><h3>Palettes</h3>
<span class="th-soft">As wide as their shares, the largest first. Extraction has merged colors; of histograms and ratings only the bins are known.</span>
<span class="th-cc-saves" role="group" aria-label="The figure as a file" data-of="palettes"></span></header>
<div class="th-cc-figure" data-figure="palettes"></div></section>

<div class="th-cc-planes" hidden><section class="th-card th-cc-map"><header><h3>Where they are: a*b*</h3>
<span class="th-strip th-cc-apart" role="group" aria-label="Bins of one a*, b*"></span>
<span class="th-cc-saves" role="group" aria-label="The figure as a file" data-of="map"></span></header>
<div class="th-cc-figure" data-figure="map"></div><p class="th-soft th-cc-map-words"></p></section>
<section class="th-card th-cc-flow"><header><h3>What would have to move</h3>
<span class="th-cc-saves" role="group" aria-label="The figure as a file" data-of="flow"></span></header>
<div class="th-cc-figure" data-figure="flow"></div></section></div>
<section class="th-card th-cc-moves" hidden><header><h3 class="th-cc-moves-title"></h3></header><p class="th-soft th-cc-moves-words"></p>
<ol class="th-cc-moves-list"></ol><button type="button" class="th-button th-cc-moves-more" hidden></button></section>

<section class="th-card th-cc-steps" hidden><header><h3>How it was extracted</h3>
<label><span>Of</span> <select class="th-cc-steps-of" aria-label="Steps of which distribution"></select></label></header>
<div class="th-cc-steps-body"></div></section>

<div class="th-cc-tip" role="status" aria-live="polite" hidden></div>
<dialog class="th-cc-images" aria-label="Images of a bin"></dialog>
<dialog class="th-cc-images th-cc-mark" aria-label="Mark the thing"></dialog></div>"""  # noqa: E501
