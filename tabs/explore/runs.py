"""The runs of Explore: the form that starts one, and its list."""

from __future__ import annotations

TEMPLATE = """<div class="th-runs" hidden><details class="th-card th-runs-new"><summary>Start a run</summary>
<form class="th-runs-form th-runs-unread" novalidate autocomplete="off"><p class="th-soft th-runs-reading" role="status">Reading what can be chosen…</p>
<span class="th-strip th-runs-kind" role="group" aria-label="What to do"></span>
<div class="th-runs-field" data-field="set"><label>Prompt set<select name="set"></select></label></div>
<div class="th-runs-row"><div class="th-runs-field" data-field="task"><label>Task<select name="task"></select></label></div>
<div class="th-runs-field" data-field="system"><label>Color system<select name="system"></select></label></div>
<div class="th-runs-field" data-field="limit"><label title="Taken at equal distances, so that every task keeps its part; concepts thing by thing, each with its modifiers">At most<input name="limit" inputmode="numeric" placeholder="all"></label></div></div>
<p class="th-runs-count" role="status"></p>
<div class="th-runs-field th-runs-draws" data-field="models"><fieldset><legend>Models</legend><div class="th-runs-models"></div>
<input name="other" placeholder="another: hub:owner/name" aria-label="Another model"></fieldset></div>
<div class="th-runs-field th-runs-scores" data-field="models"><label>Whose pictures<select name="stored"></select></label></div>
<div class="th-runs-row th-runs-draws"><div class="th-runs-field" data-field="images"><label>Images per prompt<input name="images" inputmode="numeric"></label></div>
<div class="th-runs-field" data-field="seed"><label>First seed<input name="seed" inputmode="numeric"></label></div>
<div class="th-runs-field" data-field="size"><label>Size<select name="size"></select></label></div></div>
<div class="th-runs-field" data-field="masker"><span class="th-runs-label">Masks</span><span class="th-strip th-runs-masker" role="group" aria-label="Masks"></span><p class="th-runs-hint"></p></div>
<div class="th-runs-row th-runs-grounded"><div class="th-runs-field" data-field="detector"><label>Finds objects<select name="detector"></select></label></div>
<div class="th-runs-field" data-field="segmenter"><label>Outlines them<select name="segmenter"></select></label></div></div>
<ul class="th-runs-lacking th-runs-grounded"></ul>
<div class="th-runs-field" data-field="rules"><fieldset><legend>Rules</legend><div class="th-runs-rules"></div></fieldset></div>
<div class="th-runs-row"><div class="th-runs-field" data-field="workers"><label>Workers<input name="workers" inputmode="numeric"></label></div><p class="th-runs-machine th-runs-hint"></p></div>
<details class="th-runs-more"><summary>More settings</summary><div class="th-runs-form">
<div class="th-runs-field" data-field="name"><label>Name of the run<input name="name" placeholder="made of set and model"></label></div>
<div class="th-runs-row th-runs-draws"><div class="th-runs-field" data-field="guidance"><label title="Several scales separated by commas: every seed is drawn with each of them">Guidance<input name="guidance" placeholder="model's own, or 3, 5, 7"></label></div>
<div class="th-runs-field" data-field="steps"><label>Steps<input name="steps" inputmode="numeric" placeholder="model's own"></label></div></div>
<div class="th-runs-field th-runs-draws" data-field="negative"><label>Negative prompt<input name="negative"></label></div>
<div class="th-runs-row th-runs-draws"><div class="th-runs-field" data-field="light"><label>Light of the renderer<select name="light"></select></label></div>
<div class="th-runs-field" data-field="failure"><label>Failure that it acts out<select name="failure"></select></label></div></div>
<div class="th-runs-row th-runs-grounded"><div class="th-runs-field" data-field="variant"><label>From boxes to a mask<select name="variant"></select></label></div>
<div class="th-runs-field" data-field="presence"><label>Is the object there?<select name="presence"></select></label></div></div>
<div class="th-runs-row"><div class="th-runs-field" data-field="k"><label title="Neighbors of the asked color that paper and truehue accept too">Neighbors, k<input name="k" inputmode="numeric"></label></div>
<div class="th-runs-field" data-field="ray"><label title="Empty works on this machine; auto finds a cluster that runs here">Ray cluster<input name="ray" placeholder="this machine"></label></div></div></div></details>
<div class="th-runs-estimate"><p class="th-runs-total" role="status"></p><dl></dl>
<button type="button" class="th-button th-runs-try" hidden>Try three pictures</button>
<label class="th-runs-price">Price of the machine an hour<input name="price" inputmode="decimal" placeholder="e.g. 2.50"></label></div>
<div class="th-runs-go"><button type="submit" class="th-draw-button">Start</button></div>
<p class="th-problem" role="alert" hidden></p></form></details>
<section class="th-card th-runs-list" aria-label="Runs"><header><h3>Runs</h3><span class="th-runs-status" role="status"></span>
<button type="button" class="th-button th-runs-hidden" aria-pressed="false" hidden></button>
<button type="button" class="th-button th-runs-take" title="A run that someone exported as an archive">Import…</button><input type="file" class="th-runs-file" accept=".zip" hidden aria-label="Archive of a run"></header>
<div class="th-runs-export"></div><div class="th-runs-import"></div>
<div class="th-runs-empty" hidden><p><b>No runs yet.</b></p><p>A run draws every prompt of a set with one model, marks the objects and judges each picture by every rule.
It goes on when this page is closed, can be paused and taken up again after anything, and what it has found so far is in Leaderboard and Failures while it runs.</p>
<p>To see one in a few seconds, put 20 into “At most”, choose 256 × 256 as the size, and press Start.</p>
<p>The same works without this page: <code>python app.py runs start --help</code></p></div>
<div class="th-runs-items"></div></section></div>"""  # noqa: E501
