// What color it is: palette, best-lit part and plain mean with their names in four systems. Shared by
// the verdict card and the evidence below it, before their own scripts. Text by textContent only.

function colorNode(tag, cls, text) {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined && text !== null) node.textContent = text;
  return node;
}

/** The palette as one strip: parts touch, as wide as their share. @param {Api.ColorsJson} colors */
function paletteStrip(colors) {
  const strip = colorNode('div', 'th-palette');
  strip.setAttribute('role', 'img');
  strip.setAttribute(
    'aria-label',
    'Palette: ' +
      colors.palette.map((item) => item.hex + ' ' + Math.round(item.percent) + '%').join(', '),
  );
  colors.palette.forEach((item) => {
    const part = colorNode('i');
    part.style.background = item.hex;
    part.style.flexGrow = item.percent;
    part.title = item.text;
    strip.appendChild(part);
  });
  return strip;
}

/** @param {Api.NearestName[]} names */
function colorNames(names) {
  const list = colorNode('dl', 'th-color-names');
  names.forEach((name) => {
    const chip = colorNode('i', 'th-chip');
    const cell = colorNode('dd');
    chip.style.background = name.hex;
    chip.title = name.hex;
    const term = colorNode(
      'dt',
      '',
      name.system.replace('ISCC-NBS level', 'Level').replace(' Color Level 4', ''),
    );
    // Its grays are tinted as published, so the name that is nearest to a neutral gray may be too.
    term.title =
      name.system +
      ': the nearest name by CIEDE2000' +
      (term.textContent.startsWith('Level') ? '. Its grays are not quite neutral' : '');
    cell.append(
      chip,
      colorNode('span', '', name.name),
      colorNode('small', '', name.delta_e00 + ' ΔE00'),
    );
    list.append(term, cell);
  });
  return list;
}

/**
 * @param {Api.ColorsJson} colors
 * @param {boolean} wide the card of the verdict; else a few lines beside the nearest names
 * @param {string} [image] its id, which names the file of the colors
 */
export function colorCard(colors, wide, image = '') {
  const box = colorNode('div', 'th-colors');
  if (wide) box.appendChild(colorNode('h2', '', colors.of));
  if (wide && colors.note) box.appendChild(colorNode('p', 'th-reason', colors.note));
  const message = colorNode('p', 'th-palette-text', 'Palette · ' + colors.palette_text);
  message.title = colors.palette_help;
  const file = document.createElement('a');
  file.className = 'th-colors-csv';
  file.textContent = 'Colors as CSV';
  file.href = 'data:text/csv;charset=utf-8,' + encodeURIComponent(colors.csv);
  file.download = ['colors', image.slice(0, 8)].filter(Boolean).join('-') + '.csv';
  message.append(' · ', file);
  box.append(paletteStrip(colors), message);
  const list = colorNode('div', 'th-color-rows');
  colors.rows.forEach((row) => {
    const part = colorNode('section', 'th-color');
    const swatch = colorNode('div', 'th-color-swatch');
    const text = colorNode('div', 'th-color-words');
    swatch.style.background = row.hex;
    swatch.classList.toggle('th-on-light', row.dark_text);
    const title = colorNode('b', '', row.title);
    title.title = row.help;
    text.append(
      title,
      colorNode('small', '', row.text),
      colorNode('span', 'th-color-hex', row.hex),
      colorNode('span', '', row.lab),
      colorNode('span', '', row.lch),
      colorNode('span', 'th-color-people', row.people),
    );
    part.append(swatch, text);
    if (wide) part.appendChild(colorNames(row.names));
    list.appendChild(part);
  });
  box.appendChild(list);
  return box;
}
