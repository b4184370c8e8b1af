"""The view "People and files" of Compare: what was imported, and the ways to bring more in."""

from __future__ import annotations

from html import escape

from tabs.compare.people.examples import EXAMPLES
from tabs.compare.people.images import CONTRIBUTORS, MASKS

_NONE = """<section class="th-card th-people-none" hidden><h3>No colors by people yet</h3>
<p>How far a model is from people can only be said where people are. The 6,369 human colorings of ColorConceptBench
were not published. Models can be compared with each other all the same, and people's data can come from:</p>
<ul><li><b>Association ratings.</b> The Schloss Visual Reasoning Lab publishes mean ratings of words over the UW-71 colors, at
<a href="https://github.com/SchlossVRL/gpt-cca" target="_blank" rel="noreferrer">github.com/SchlossVRL/gpt-cca</a>. Drop its CSV below as it is, and say that these are ratings. Ratings say how well each color fits, not what share people would paint; they are normalized, and called ratings everywhere.</li>
<li><b>Colorings of your own.</b> Palettes or histograms as a file, or the colored sheets themselves as pictures.</li>
<li><b>Studies in this workbench.</b> They are still to come; their distributions will stand in this list.</li></ul></section>"""  # noqa: E501


def _choices(attribute: str, choices: dict[str, str]) -> str:
    return "".join(
        f'<button type="button" {attribute}="{escape(key)}">{escape(text)}</button>'
        for key, text in choices.items()
    )


_PEOPLE = {"people": "People", "other": "Another measurement"}
_MAKERS = {"model": "A model", "people": "People"}
_MASK_WORDS = {
    "stored": "Stored mask",
    "marked-or-whole": "Mask, else whole",
    "whole": "Whole picture",
    "paper": "Without white paper",
}
assert _MASK_WORDS.keys() == MASKS.keys()

_CONCEPT = """<div class="th-people-field {more}"><label for="{id}">{label}</label>
<input type="text" id="{id}" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="{id}-list" maxlength="120" autocomplete="off" spellcheck="false" placeholder="rotten mango">
<ul id="{id}-list" role="listbox" hidden></ul><p class="th-people-hint" role="status"></p>{after}</div>"""  # noqa: E501

_FILE = f"""<div data-part="file"><label class="th-people-drop" tabindex="-1"><input type="file" accept=".csv,.tsv,.json,.txt,text/csv,application/json" aria-label="File of distributions">
<b>Drop a CSV or JSON here, or choose one</b><span>Palettes, histograms of the 71 bins, or association ratings. Nothing is stored before you have seen what was found.</span></label>
<p class="th-people-status" role="status"></p><div class="th-people-report" hidden></div>
{
    _CONCEPT.format(
        more="th-people-ask",
        id="th-people-one",
        label="Concept of this distribution",
        after='<button type="button" class="th-button">Read it as this concept</button>',
    )
}
<form hidden><div class="th-people-field"><label for="th-people-name">Name</label><input type="text" name="name" id="th-people-name" maxlength="120" autocomplete="off"></div>
<div class="th-people-field"><label for="th-people-source">Who made it</label><input type="text" name="source" id="th-people-source" maxlength="1000" autocomplete="off" placeholder="Authors, year, address or DOI, license"></div>
<div class="th-people-field th-people-whose"><span class="th-people-label">Whose colors these are</span><span class="th-strip" role="group" aria-label="Whose colors these are">{
    _choices("data-people", _PEOPLE)
}</span></div>
<div class="th-people-buttons"><button type="submit" class="th-button th-draw-button th-people-store">Store</button><button type="button" class="th-button th-people-away">Put away</button></div></form></div>"""  # noqa: E501

_PICTURES = f"""<div data-part="pictures" hidden><label class="th-people-drop" tabindex="-1"><input type="file" multiple accept="image/*,.csv,.avif,.tif,.tiff,.ppm,.pgm" aria-label="Pictures of one concept">
<b>Drop pictures of one concept here, or choose them</b><span>From any model, or colored by people. A mask may lie beside each: <code>name-mask.png</code> for <code>name.jpg</code>, white on black.</span></label>
<p class="th-people-status" role="status"></p><div class="th-bar" hidden role="presentation"><i></i></div><div class="th-people-report" hidden></div>
<form hidden><ul class="th-people-problems"></ul>
{_CONCEPT.format(more="th-people-concept", id="th-people-words", label="Concept that they show", after="")}
<div class="th-people-field th-people-mask"><span class="th-people-label">Pixels that count, where no mask file lies beside</span><span class="th-strip" role="group" aria-label="Pixels that count">{_choices("data-mask", _MASK_WORDS)}</span><p class="th-people-hint th-people-mask-hint"></p></div>
<div class="th-people-field th-people-whose"><span class="th-people-label">Drawn by</span><span class="th-strip" role="group" aria-label="Drawn by">{_choices("data-people", _MAKERS)}</span></div>
<div class="th-people-field" hidden><label for="th-people-contributors">Who colored which picture stands in</label><select name="contributors" id="th-people-contributors">{"".join(f'<option value="{key}">{escape(text)}</option>' for key, text in CONTRIBUTORS.items())}</select></div>
<div class="th-people-field"><label for="th-people-set-name">Name</label><input type="text" name="name" id="th-people-set-name" maxlength="120" autocomplete="off" placeholder="FLUX.1-dev, guidance 3.5"></div>
<div class="th-people-previews"></div>
<div class="th-people-buttons"><button type="submit" class="th-button th-draw-button th-people-store">Store</button><button type="button" class="th-button th-people-away">Put away</button><button type="button" class="th-button th-people-stop" hidden>Cancel</button></div></form></div>"""  # noqa: E501

_IMAGE = """<div data-part="image" hidden><label class="th-people-drop" tabindex="-1"><input type="file" accept="image/*,.avif,.tif,.tiff,.ppm,.pgm" aria-label="One image">
<b>Drop any image here for its UW-71 histogram</b><span>Its newest stored mask counts, or its transparency, or else the whole picture. It is stored like any image that Inspect opens.</span></label>
<p class="th-people-status" role="status"></p></div>"""  # noqa: E501

_FORMATS = """<section class="th-card th-people-formats"><h3>Which files are read</h3>
<p class="th-soft">Each example is a small file with made-up numbers that is read as it is. Concepts may be any words; those of ColorConceptBench are found by them.
Files with 58 numbers a concept are taken as UW-58 once you say so. What cannot be read is reported with its line, and the rest is taken.</p><dl>{rows}
<dt><b>Pictures</b></dt><dd>PNG, JPEG, TIFF, WebP, AVIF, BMP, GIF and PPM, up to 64 megapixels; color profiles and the camera's orientation are honored, and what was converted is noted.
A mask is a file of the same name with <code>-mask</code> at its end, white where the object is, of the same size.</dd></dl></section>"""  # noqa: E501


def _format_rows() -> str:
    return "".join(
        f'<dt><b>{escape(one.title)}</b><a href="/api/compare/sets/examples/{one.file_name}" '
        f"download>{one.file_name}</a></dt><dd>{escape(one.about)}</dd>"
        for one in EXAMPLES
    )


TEMPLATE = f"""<div class="th-people" data-compare-view="people" hidden>{_NONE}
<div class="th-people-columns"><section class="th-card th-people-bring"><header><h3>Bring in</h3>
<span class="th-strip th-people-what" role="group" aria-label="What to bring in"><button type="button" data-bring="file">Distributions</button><button type="button" data-bring="pictures">Pictures of a concept</button><button type="button" data-bring="image">One image</button></span></header>
{_FILE}{_PICTURES}{_IMAGE}</section>
<section class="th-card th-people-list"><header><h3>What is here</h3><span class="th-soft th-people-list-status" role="status"></span>
<label class="th-people-hidden" hidden><input type="checkbox"><span></span></label></header>
<p class="th-soft th-people-empty" hidden>Nothing was brought in yet.</p><div class="th-people-sets"></div></section></div>
{_FORMATS.format(rows=_format_rows())}</div>"""  # noqa: E501
