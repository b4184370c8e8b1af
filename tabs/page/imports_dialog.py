"""The two import dialogs of the page: prompts from files, images from a folder."""

DIALOGS = """<div><dialog class="th-import th-import-prompt-dialog" aria-label="Import prompts"><header><b>Import prompts</b>
<button type="button" class="th-button th-import-close">Close</button></header>
<p>Plain text with one prompt a line; CSV or JSONL with a header; or the published GenColorBench files as they are
(<code>cna_l2.csv</code>, <code>ncu_hex_css.csv</code>, …). A table needs the column <code>text</code> or <code>prompt</code>; what it may
have beside it: <code>id, task, object, color, system, negative_labels, object2, color2, object3, color3, category</code>.
A line that cannot be read is reported, and the rest is taken.</p>
<input type="file" multiple accept=".txt,.csv,.tsv,.jsonl,.json,text/plain,text/csv" aria-label="Prompt files">
<div class="th-import-report" role="status" hidden></div></dialog>
<dialog class="th-import th-import-image-dialog" aria-label="Bring your own images"><header><b>Bring your own images</b>
<button type="button" class="th-button th-import-close">Close</button></header>
<p>A folder of images from any model. They are found by name, as GenColorBench writes them once its
prompt files are imported (<code>cna_l2/17_1.png</code>, <code>17/image_1.png</code>, <code>&lt;prompt id&gt;_1.png</code>), or by a CSV in the folder with the
columns <code>file</code> and <code>prompt_id</code> or <code>prompt</code> (and, if you like, <code>object, color, seed, model, guidance</code>).
The pixels are stored as they are; broken files are reported.</p>
<form><div class="th-field"><label for="th-import-folder">Folder on your computer</label>
<input type="file" class="th-import-folder" id="th-import-folder" webkitdirectory multiple></div>
<div class="th-field" hidden><label for="th-import-path">or its path here</label>
<input type="text" class="th-import-path" id="th-import-path" placeholder="path of the folder" autocomplete="off" spellcheck="false"></div>
<div class="th-field"><label for="th-import-set">Prompts</label><select class="th-import-set" id="th-import-set"></select></div>
<div class="th-field"><label for="th-import-model">Model that drew them</label>
<input type="text" class="th-import-model" id="th-import-model" maxlength="120" placeholder="FLUX.1-dev, 50 steps" autocomplete="off"></div>
<div class="th-import-actions"><button type="submit" class="th-button th-import-check">Check the folder</button>
<button type="button" class="th-button th-import-start" hidden>Import</button>
<button type="button" class="th-button th-import-stop" hidden>Cancel</button>
<span class="th-import-status" role="status"></span></div></form>
<div class="th-import-report" role="status" hidden></div>
<div class="th-import-score" hidden><b>Score them</b><div class="th-field"><label for="th-import-masker">Measure</label>
<select class="th-import-masker" id="th-import-masker"></select></div><p></p>
<button type="button" class="th-button th-import-score-start">Score them</button></div></dialog></div>"""  # noqa: E501
