// Images of one concept: chosen, looked at with the pixels that count, stored as a set.
import { make, many, put } from '../shared/dom.js';
import { ask } from '../shared/http.js';
import { PEOPLE_URL, conceptField, dropZone, pressed } from './people_parts.js';
import { planImages, stageImages, storeImages, uploadForget, uploadSession } from './upload.js';
import { openCompare } from './view.js';

const PREVIEWS = 24;
export function pictureImport(part, { stored, openPicture }) {
  const zone = part.querySelector('.th-people-drop');
  const form = part.querySelector('form');
  const grid = part.querySelector('.th-people-previews');
  const problems = part.querySelector('.th-people-problems');
  const status = part.querySelector('.th-people-status');
  const report = part.querySelector('.th-people-report');
  const bar = part.querySelector('.th-bar');
  const fill = bar.querySelector('i');
  const contributors = form.querySelector('[name="contributors"]');
  const contributorsField = contributors.closest('.th-people-field');
  const name = form.querySelector('[name="name"]');
  const store = form.querySelector('.th-people-store');
  const away = form.querySelector('.th-people-away');
  const stop = form.querySelector('.th-people-stop');
  const message = conceptField(form.querySelector('.th-people-concept'), () => say(''));
  const mask = pressed(
    form.querySelector('.th-people-mask'),
    'data-mask',
    'salient-or-whole',
    () => {
      maskHint();
      looks();
    },
  );
  const whose = pressed(form.querySelector('.th-people-whose'), 'data-people', 'model', () => {
    whoseChanged();
    plan();
  });
  const hint = form.querySelector('.th-people-mask-hint');
  const HINTS = {
    stored:
      'Uses the newest mask made in Inspect (matched by pixels), or the transparency of a cut-out. Images with neither are excluded.',
    'salient-or-whole':
      'Uses the stored mask or the transparency. Of other images it takes what stands out, and where nothing does, the whole image.',
    whole: 'Includes the background. For images that show only the object.',
    paper:
      'For colored sheets: excludes near-white (L* above 98) that touches the border. White inside an outline counts as white, and outlines are measured too.',
  };
  let session = '';
  let planned = null;
  let index = 0;
  let cancel = null;
  const say = (text, problem) => {
    put(status, text);
    status.classList.toggle('th-problem', Boolean(problem));
  };
  const maskHint = () => put(hint, HINTS[mask.value()]);
  const people = () => whose.value() === 'people';
  function whoseChanged() {
    contributorsField.hidden = !people();
    name.placeholder = people() ? 'Our designers, spring study' : 'FLUX.1-dev, guidance 3.5';
  }
  const from = () => (people() ? contributors.value : '');
  function clear() {
    uploadForget(session);
    session = '';
    planned = null;
    index += 1;
    form.hidden = true;
    zone.hidden = false;
    bar.hidden = true;
    grid.replaceChildren();
    problems.replaceChildren();
  }
  // Only the newest question counts: a choice may come before the answer to the one before.
  let planning = 0;
  async function plan() {
    if (!session) return;
    const mine = index;
    const number = ++planning;
    try {
      const result = await planImages(session, { contributors: from() });
      if (mine !== index || number !== planning) return;
      planned = result;
      say(
        result.counts
          .map(([number, text]) => number.toLocaleString('en-US') + ' ' + text)
          .join(' · '),
      );
      problems.replaceChildren(...result.problems.map((text) => make('li', '', text)));
      store.textContent = 'Store ' + many(result.total, 'image');
      store.setAttribute('aria-disabled', 'false');
      looks();
    } catch (error) {
      if (mine === index && number === planning) {
        say(error.message, true);
        store.setAttribute('aria-disabled', 'true');
      }
    }
  }
  // One after another: a large image takes a moment to read.
  let looking = 0;
  async function looks() {
    if (!planned) return;
    const number = ++looking;
    const mine = index;
    const mode = mask.value();
    const cards = planned.pictures.slice(0, PREVIEWS).map((item) => {
      const card = make('figure', 'th-people-preview');
      const image = make('img');
      const title = make('b', '', item.name);
      const about = make('span', '', 'Reading…');
      image.alt = item.name;
      title.title = item.name;
      const lines = make('figcaption');
      lines.append(title, about);
      if (item.contributor) lines.appendChild(make('span', '', 'by ' + item.contributor));
      const frame = make('div', 'th-people-frame');
      frame.appendChild(image);
      card.append(frame, lines);
      return [item, card, image, about];
    });
    grid.replaceChildren(...cards.map(([, card]) => card));
    if (planned.total > PREVIEWS)
      grid.appendChild(
        make('p', 'th-soft', 'and ' + many(planned.total - PREVIEWS, 'image') + ' more'),
      );
    let left = 0;
    for (const [item, card, image, about] of cards) {
      let data;
      try {
        data = await ask(`${PEOPLE_URL}/pictures/${session}/${item.place}?mask=${mode}`);
      } catch (error) {
        data = { refused: error.message };
      }
      if (number !== looking || mine !== index) return;
      if (data.url) image.src = data.url;
      else image.remove();
      card.classList.toggle('th-people-refused', Boolean(data.refused));
      if (data.refused) {
        put(about, 'Excluded: ' + data.refused.replace(item.name + ' ', 'it '));
        left += 1;
        continue;
      }
      put(about, data.mask);
      about.title = [data.words, ...data.notes].join('\n');
      if (data.notes.length) about.append(' · ' + many(data.notes.length, 'note'));
    }
    // Only where all were looked at it is known how many will come in.
    const good = planned.total - left;
    const all = planned.total <= PREVIEWS;
    put(
      store,
      !all || !left
        ? 'Store ' + many(planned.total, 'image')
        : good
          ? 'Store ' + good.toLocaleString('en-US') + ' of ' + many(planned.total, 'image')
          : 'Store them for Inspect',
    );
  }
  async function take(files) {
    clear();
    report.hidden = true;
    const mine = index;
    session = uploadSession();
    zone.hidden = true;
    try {
      await stageImages(session, files, (text) => {
        if (mine === index) say(text);
      });
      if (mine !== index) return;
      form.hidden = false;
      await plan();
    } catch (error) {
      if (mine === index) {
        clear();
        say(error.message, true);
      }
    }
  }
  function details(result) {
    const nodes = [
      make('b', '', result.title),
      ...result.notes.map((text) => make('p', 'th-soft', text)),
    ];
    const buttons = make('div', 'th-people-buttons');
    if (result.refused.length) {
      const list = make('ul', 'th-people-left');
      result.refused.forEach((item) => {
        const line = make('li');
        line.append(make('b', '', item.name), make('span', '', item.why));
        if (item.image_id) {
          const open = make('button', 'th-button', 'Select in Inspect');
          open.type = 'button';
          open.addEventListener('click', () =>
            openPicture({ image: item.image_id, object: result.words }),
          );
          line.appendChild(open);
        }
        list.appendChild(line);
      });
      nodes.push(
        make(
          'p',
          '',
          many(result.refused.length, 'image') +
            (result.refused.length === 1 ? ' was' : ' were') +
            ' excluded:',
        ),
        list,
      );
    }
    if (result.set_id) {
      const open = make('button', 'th-button th-primary', 'Compare now');
      open.type = 'button';
      open.addEventListener('click', () => openSet(result, result.source));
      buttons.appendChild(open);
    }
    nodes.push(buttons);
    report.replaceChildren(...nodes);
    report.hidden = false;
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (store.getAttribute('aria-disabled') === 'true') return;
    if (!message.words()) {
      say('Enter the concept that these images show.', true);
      form.querySelector('.th-people-concept input').focus();
      return;
    }
    store.setAttribute('aria-disabled', 'true');
    away.hidden = true;
    bar.hidden = false;
    fill.style.width = '0';
    try {
      const options = {
        words: message.words(),
        mask: mask.value(),
        contributors: from(),
        of_people: people(),
        name: name.value,
      };
      const result = await storeImages(
        session,
        options,
        (text, state) => {
          if (state.active) {
            say(text);
            fill.style.width = (100 * state.done) / Math.max(1, state.total) + '%';
          }
        },
        (call) => {
          cancel = call;
          stop.hidden = false;
        },
      );
      say('');
      details(result);
      if (result.set_id) {
        session = '';
        clear();
        name.value = '';
        stored(result.set_id);
      }
    } catch (error) {
      say(error.message, true);
    }
    cancel = null;
    stop.hidden = true;
    away.hidden = false;
    bar.hidden = true;
    store.setAttribute('aria-disabled', 'false');
  });
  stop.addEventListener('click', async () => {
    if (cancel)
      try {
        await cancel();
      } catch (error) {
        say(error.message, true);
      }
  });
  away.addEventListener('click', () => {
    clear();
    report.hidden = true;
    say('Cancelled. Nothing was stored.');
  });
  contributors.addEventListener('change', plan);
  dropZone(zone, take);
  maskHint();
  whoseChanged();
  clear();
  return { take };
}
// The Concept view with one source; its words as a concept where they are one.
export function openSet(item, source) {
  const [kind, id] = source.split(':');
  openCompare('concept', {
    ...(item.concept ? { concept: item.concept } : item.words ? { words: item.words } : {}),
    d: kind + ':' + id.slice(0, 16),
  });
}
