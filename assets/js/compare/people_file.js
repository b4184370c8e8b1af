// A file of distributions: first a report on its contents, then it is stored or discarded.
import { make, many, put } from '../shared/dom.js';
import { conceptField, conceptRow, dropZone, foldedList, pressed } from './people_parts.js';
import {
  readDistribution,
  stageDistribution,
  storeDistribution,
  uploadForget,
  uploadSession,
} from './upload.js';

export function distributionImport(part, bins, stored) {
  const zone = part.querySelector('.th-people-drop');
  const box = part.querySelector('.th-people-report');
  const form = part.querySelector('form');
  const name = form.querySelector('[name="name"]');
  const source = form.querySelector('[name="source"]');
  const whose = form.querySelector('.th-people-whose');
  const store = form.querySelector('.th-people-store');
  const away = form.querySelector('.th-people-away');
  const status = part.querySelector('.th-people-status');
  const subject = pressed(whose, 'data-people', 'people');
  const wordsBox = part.querySelector('.th-people-ask');
  const wordsButton = wordsBox.querySelector('button');
  const message = conceptField(wordsBox, () => {});
  let session = '';
  let options = {};
  let index = 0;
  const say = (text, problem) => {
    put(status, text);
    status.classList.toggle('th-problem', Boolean(problem));
  };
  function clear() {
    uploadForget(session);
    session = '';
    options = {};
    index += 1;
    [box, form, wordsBox].forEach((item) => {
      item.hidden = true;
    });
    zone.hidden = false;
  }
  function offers(report) {
    return report.buttons.map((button) => {
      const take = make('button', 'th-button th-people-offer', button.text);
      take.type = 'button';
      take.addEventListener('click', () => again(button.options));
      return take;
    });
  }
  function refused(report) {
    const nodes = [
      make('b', '', report.question || report.file + ' cannot be read'),
      make('p', report.question ? 'th-soft' : 'th-problem', report.refused),
    ];
    const buttons = make('div', 'th-people-buttons');
    buttons.append(...offers(report));
    const other = make('button', 'th-button', 'Choose another file');
    other.type = 'button';
    other.addEventListener('click', clear);
    buttons.append(other);
    if (report.problems_total > 1)
      nodes.push(
        foldedList('Rows that cannot be read this way', report.problems, report.problems_total),
      );
    box.replaceChildren(...nodes, buttons);
    wordsBox.hidden = report.offer !== 'words';
    form.hidden = true;
  }
  function accepted(report) {
    const counts = make('dl', 'th-people-counts');
    const all = report.coverage.find((item) => item.kind === 'all');
    const count = (number, text) =>
      counts.append(make('dt', '', number.toLocaleString('en-US')), make('dd', '', text));
    count(report.concepts, report.concepts === 1 ? 'concept' : 'concepts');
    count(all.found, 'in ColorConceptBench (' + coverageWords(report.coverage) + ')');
    if (report.contributors)
      count(report.contributors, report.contributors === 1 ? 'contributor' : 'contributors');
    else if (report.people) count(report.people, 'people in one mean, according to the file');
    if (report.problems_total)
      count(
        report.problems_total,
        report.problems_total === 1 ? 'row that cannot be read' : 'rows that cannot be read',
      );
    const nodes = [
      make('b', '', report.file),
      make('p', 'th-people-kind', 'Read as ' + report.kind + '.'),
      counts,
      ...report.notes.map((text) => make('p', 'th-soft', text)),
    ];
    // The notes name the first of them.
    if (report.unknown_total > 8)
      nodes.push(
        foldedList(
          'Not in ColorConceptBench, imported as they are',
          report.unknown.map(
            (item) =>
              item.words +
              (item.similar.length ? ' (similar: ' + item.similar.join(', ') + ')' : ''),
          ),
          report.unknown_total,
        ),
      );
    if (report.problems_total)
      nodes.push(foldedList('Excluded', report.problems, report.problems_total));
    if (report.buttons.length) {
      const buttons = make('div', 'th-people-buttons');
      buttons.append(...offers(report));
      nodes.push(buttons);
    }
    const rows = make('div', 'th-people-rows');
    rows.append(...report.first.map((item) => conceptRow(bins(), item)));
    nodes.push(rows);
    if (report.concepts > report.first.length)
      nodes.push(
        make(
          'p',
          'th-soft',
          'The first ' +
            report.first.length +
            ' of ' +
            report.concepts.toLocaleString('en-US') +
            ' concepts.',
        ),
      );
    box.replaceChildren(...nodes);
    wordsBox.hidden = true;
    form.hidden = false;
    store.textContent =
      'Store ' + (report.sets > 1 ? many(report.sets, 'set') : many(report.concepts, 'concept'));
  }
  function show(report) {
    box.hidden = false;
    zone.hidden = true;
    if (report.refused) refused(report);
    else accepted(report);
  }
  async function again(more) {
    const mine = index;
    options = { ...options, ...more };
    say('Reading…');
    try {
      const report = await readDistribution(session, options);
      if (mine !== index) return;
      say('');
      show(report);
    } catch (error) {
      say(error.message, true);
    }
  }
  async function take(files) {
    clear();
    const mine = index;
    const file = files[0];
    session = uploadSession();
    say('Reading ' + file.name + '…');
    name.value = file.name.replace(/\.[^.]*$/, '');
    source.value = '';
    try {
      const report = await stageDistribution(session, file);
      if (mine !== index) return;
      say(
        files.length > 1
          ? 'Only one file can be imported at a time. The first of ' + files.length + ' was read.'
          : '',
      );
      show(report);
    } catch (error) {
      say(error.message, true);
    }
  }
  dropZone(zone, take);
  wordsButton.addEventListener('click', () => {
    if (message.words()) again({ words: message.words() });
  });
  away.addEventListener('click', () => {
    clear();
    say('Cancelled. Nothing was stored.');
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (store.getAttribute('aria-disabled') === 'true') return;
    store.setAttribute('aria-disabled', 'true');
    say('Storing…');
    try {
      const made = await storeDistribution(session, {
        ...options,
        name: name.value,
        source: source.value,
        of_people: subject.value() === 'people',
      });
      session = '';
      clear();
      say(
        [
          made.sets.length > 1
            ? many(made.sets.length, 'set') +
              ' stored: ' +
              made.sets.map((item) => '“' + item.name + '”').join(', ') +
              '.'
            : made.known
              ? 'These rows were already imported as “' + made.name + '”.'
              : '“' + made.name + '” stored.',
          made.said,
        ]
          .filter(Boolean)
          .join(' '),
      );
      stored(made.set_id);
    } catch (error) {
      say(error.message, true);
    }
    store.setAttribute('aria-disabled', 'false');
  });
  clear();
  return { take };
}
/** @param {Api.CoverageCount[]} coverage */
function coverageWords(coverage) {
  return coverage
    .filter((item) => item.kind !== 'all')
    .map(
      (item) =>
        item.found.toLocaleString('en-US') +
        ' of ' +
        item.of.toLocaleString('en-US') +
        ' ' +
        item.kind,
    )
    .join(', ');
}
