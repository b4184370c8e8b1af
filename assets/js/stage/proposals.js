// What an automatic mask was made from: boxes, negative labels and answers, each of which a person
// can override. Drawn from `found` by DOM calls only. Rows stay while their number does, so that a
// click or a focus is never lost.

export function stageFound(root, view, onOverride) {
  const panel = root.querySelector('.th-found');
  const boxes = root.querySelector('.th-stage-boxes');
  const tags = root.querySelector('.th-stage-tags');
  let shape = '';
  const rows = {};

  function el(tag, cls, text) {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    if (text !== undefined && text !== null) node.textContent = text;
    return node;
  }
  function put(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  function group(title, list, make) {
    const part = el('div', 'th-found-group');
    const rows = el('div', 'th-found-list');
    part.append(el('h4', '', title), rows);
    const made = list.map((item, index) => {
      const row = make(item, index);
      rows.appendChild(row.node);
      return row;
    });
    panel.appendChild(part);
    return made;
  }

  function ticked(step) {
    return (item, index) => {
      const node = el('label', 'th-found-row');
      const tick = el('input');
      const text = el('span', 'th-found-text');
      const name = el('span', 'th-found-name');
      const number = el('span', 'th-found-number');
      const note = el('small');
      tick.type = 'checkbox';
      tick.addEventListener('change', () =>
        onOverride({ type: 'override', step, index, use: tick.checked }),
      );
      text.append(name, note);
      node.append(tick, text, number);
      if (step === 'box') {
        const lit = (on) =>
          [boxes.children[index], tags.children[index]].forEach(
            (mark) => mark && mark.classList.toggle('lit', on),
          );
        node.addEventListener('pointerenter', () => lit(true));
        node.addEventListener('pointerleave', () => lit(false));
      }
      return { node, tick, name, number, note };
    };
  }

  function sendRequest(item, index) {
    const node = el('div', 'th-found-row th-found-asked');
    const text = el('span', 'th-found-text');
    const name = el('span', 'th-found-name');
    const note = el('small');
    const choice = el('select');
    choice.setAttribute('aria-label', 'Is it in the image?');
    [
      ['', 'model’s answer'],
      ['yes', 'yes (set by me)'],
      ['no', 'no (set by me)'],
    ].forEach(([value, message]) => {
      const option = el('option', '', message);
      option.value = value;
      choice.appendChild(option);
    });
    choice.addEventListener('change', () =>
      onOverride({ type: 'override', step: 'presence', index, answer: choice.value }),
    );
    text.append(name, note);
    node.append(text, choice);
    return { node, choice, name, note };
  }

  /** @param {Api.GroundingJson} result */
  function build(result) {
    panel.replaceChildren();
    const head = el('div', 'th-found-head');
    rows.title = el('b');
    rows.made = el('span', 'th-found-made');
    head.append(rows.title, rows.made);
    panel.appendChild(head);
    rows.boxes = group('Boxes in the mask', result.boxes, ticked('box'));
    // Of many labels most are not in the image: those are one line, and nothing to choose.
    rows.negatives = result.negatives.length
      ? group('Excluded parts', result.negatives, ticked('negative'))
      : [];
    rows.absent = el('small', 'th-found-absent');
    if (result.negatives.length) panel.lastChild.appendChild(rows.absent);
    rows.presence = result.presence.length
      ? group('In the image?', result.presence, sendRequest)
      : [];
    rows.notes = el('p', 'th-found-notes');
    panel.appendChild(rows.notes);
  }

  /** @param {Api.GroundingJson} result */
  function update(result) {
    put(rows.title, 'Detected: ' + result.object);
    put(rows.made, result.made);
    rows.made.title = result.made;
    [
      ...rows.boxes.map((row, k) => [row, result.boxes[k], k]),
      ...rows.negatives.map((row, k) => [row, result.negatives[k], k]),
    ].forEach(([row, item, k]) => {
      row.tick.checked = item.used;
      put(row.name, (item.box ? k + 1 + ' ' : '') + item.label);
      put(row.number, item.text);
      put(row.note, item.note);
      row.node.classList.toggle('by-hand', item.by_hand);
      row.node.hidden = item.found === false;
    });
    const absent = result.negatives.filter((item) => !item.found);
    const unknown = absent.filter((item) => item.note.startsWith('not looked for'));
    const missed = absent.filter((item) => !unknown.includes(item));
    const line = (title, items) =>
      items.length ? title + items.map(({ label }) => label).join(', ') : '';
    const lines = [
      line('Not detected: ', missed),
      line('Not looked for, as the detector does not know them: ', unknown),
    ];
    put(rows.absent, lines.filter(Boolean).join('. '));
    rows.presence.forEach((row, k) => {
      const item = result.presence[k];
      row.choice.value = item.override;
      put(row.name, item.answer);
      put(row.note, item.note);
      row.node.classList.toggle('by-hand', Boolean(item.override));
    });
    put(rows.notes, result.notes.join(' '));
    rows.notes.hidden = !result.notes.length;
  }

  function onImage(result) {
    const [width, height] = view.size();
    const lines = [];
    const parts = [];
    (result ? result.boxes : []).forEach((item, index) => {
      // A detector's box may reach over the edge.
      const [x0, y0] = view.clamp(item.box.slice(0, 2));
      const [x1, y1] = view.clamp(item.box.slice(2));
      const pair = document.createElementNS('http://www.w3.org/2000/svg', 'g');
      pair.setAttribute('class', item.used ? '' : 'unused');
      ['black', 'white'].forEach((tone) => {
        const rect = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
        Object.entries({ x: x0, y: y0, width: x1 - x0, height: y1 - y0, class: tone }).forEach(
          ([key, value]) => rect.setAttribute(key, value),
        );
        pair.appendChild(rect);
      });
      lines.push(pair);
      const tag = el(
        'span',
        item.used ? '' : 'unused',
        index + 1 + ' ' + item.label + ' ' + item.text,
      );
      // A box at the right has its words at its right end, so that they stay on the image.
      if (x0 > 0.6 * width) tag.style.right = 100 - (100 * x1) / width + '%';
      else tag.style.left = (100 * x0) / width + '%';
      tag.style.top = 'min(' + (100 * y0) / height + '%, 100% - 16px)';
      parts.push(tag);
    });
    boxes.replaceChildren(...lines);
    tags.replaceChildren(...parts);
  }

  return {
    show(result) {
      panel.hidden = !result;
      onImage(result);
      if (!result) return;
      const now = JSON.stringify([
        result.boxes.length,
        result.negatives.length,
        result.presence.length,
      ]);
      if (now !== shape) {
        shape = now;
        build(result);
      }
      update(result);
    },
  };
}
