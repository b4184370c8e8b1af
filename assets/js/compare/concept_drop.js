// Images, or a file of distributions, dropped or chosen: how they are meant is asked, then they are
// stored by the same routes as in "People and files".
import { make, many, options, put } from '../shared/dom.js';
import { send, sendFile } from '../shared/http.js';
import { store } from '../shared/state.js';
import { uploadDistribution, uploadImages } from './upload.js';

const PIXELS_OF = [
  { id: 'salient-or-whole', name: 'its mask or transparency, else what stands out' },
  { id: 'stored', name: 'only images with a mask or transparency' },
  { id: 'whole', name: 'the whole image' },
  { id: 'paper', name: 'all but the white paper' },
];

export function dropField(box, { concept, add, room, pooled }) {
  const field = box.querySelector('.th-concept-drop');
  const input = field.querySelector('input');
  const said = box.querySelector('.th-concept-said');
  const say = (text, problem) => {
    said.replaceChildren(text);
    said.classList.toggle('th-problem', Boolean(problem));
  };
  function option(name, choices, chosen) {
    const label = make('label', 'th-concept-tool');
    const select = make('select');
    label.append(make('span', '', name), select);
    options(select, choices, chosen);
    return { label, value: () => select.value };
  }
  function button(text, act, plain) {
    const node = make('button', 'th-button' + (plain ? '' : ' th-concept-do'), text);
    node.type = 'button';
    node.addEventListener('click', act);
    return node;
  }
  function form(text, parts, label, act) {
    const node = make('span', 'th-concept-form');
    const go = button(label, async () => {
      go.disabled = true;
      try {
        await act();
      } catch (error) {
        go.disabled = false;
        failed(error, node);
      }
    });
    node.append(
      make('b', '', text),
      ...parts.map((part) => part.label),
      go,
      button('Cancel', () => say(''), true),
    );
    said.classList.remove('th-problem');
    said.replaceChildren(node);
    go.focus({ preventScroll: true });
    return node;
  }
  function failed(error, node) {
    const report = error.report;
    const text =
      report && report.refused.length > 1
        ? report.title + ' ' + report.refused[0].why
        : error.message;
    const old = node.querySelector('.th-problem');
    if (old) old.remove();
    node.append(make('span', 'th-problem', text));
  }
  const WHOSE = [
    { id: '', name: 'a model, or nobody' },
    { id: '1', name: 'people' },
  ];
  // Of what the images are; asked where no concept is on the page.
  function ofWhat() {
    const text = concept();
    const label = make('label', 'th-concept-tool');
    const input = make('input', 'th-concept-of');
    if (text) return { label: make('span', '', 'of “' + text + '”'), value: () => text };
    input.placeholder = 'banana';
    label.append(make('span', '', 'Concept'), input);
    return { label, value: () => input.value.trim() };
  }
  // Every image stands for itself, in the order in which they were dropped; one that cannot be read
  // leaves the others alone.
  async function single(files) {
    const made = [];
    const refused = [];
    for (const [index, file] of files.entries()) {
      say('Storing ' + (index + 1) + ' of ' + many(files.length, 'image') + '…');
      try {
        made.push('image:' + (await sendFile('/api/images', file)).image_id.slice(0, 16));
      } catch (error) {
        refused.push(file.name + ': ' + error.message);
      }
    }
    const same = made.length - new Set(made).size;
    say(
      [
        ...refused,
        ...(same
          ? [many(same, 'image') + ' had the same pixels as another: one row shows both.']
          : []),
      ].join(' '),
      refused.length,
    );
    if (made.length) add([...new Set(made)]);
  }
  // Rows that stand here become one, each by the pixels that it is measured by now.
  function pool(rows) {
    const source = ofWhat();
    const whose = option('Colored by', WHOSE, '');
    form(
      'Pool ' + rows.map((row) => row.letter).join(', '),
      [source, whose],
      'Pool them',
      async () => {
        const made = await send('/api/compare/image/pool', {
          sources: rows.map((row) => row.source),
          words: source.value(),
          of_people: Boolean(whose.value()),
        });
        store.tell('compare-sets');
        say('');
        pooled(
          rows.map((row) => row.source),
          made,
        );
      },
    );
  }
  // More than rows are left: pooled into one from the start.
  function images(files) {
    const source = ofWhat();
    const pixels = option('Measure', PIXELS_OF, 'salient-or-whole');
    const whose = option('Colored by', WHOSE, '');
    const node = form(
      many(files.length, 'image') + ', pooled into one row',
      [source, pixels, whose],
      'Add',
      async () => {
        const words_ = make('span', 'th-soft', 'Sending…');
        node.append(words_);
        try {
          const report = await uploadImages(files, source.value(), {
            mask: pixels.value(),
            of_people: Boolean(whose.value()),
            said: (text) => put(words_, text),
          });
          say(
            report.refused.length
              ? report.taken +
                  ' of ' +
                  many(files.length, 'image') +
                  ' were imported. ' +
                  report.refused
                    .slice(0, 3)
                    .map((item) => item.name + ': ' + item.why)
                    .join(' ')
              : '',
            report.refused.length,
          );
          add([report.source], report);
        } finally {
          words_.remove();
        }
      },
    );
  }
  function numbers(file, values) {
    const text = concept();
    const whose = option(
      'Measured on',
      [
        { id: '1', name: 'people' },
        { id: '', name: 'something else' },
      ],
      '1',
    );
    const take = async (more) => {
      try {
        const made = await uploadDistribution(file, {
          name: file.name.replace(/\.[^.]*$/, ''),
          of_people: Boolean(whose.value()),
          ...more,
        });
        const sources = made.sets.map((item) => item.source);
        const fit = Math.max(1, room());
        say(
          [
            made.said,
            sources.length > fit
              ? 'Of ' +
                many(sources.length, 'distribution') +
                ' in this file, the first ' +
                fit +
                ' are shown; the others are in the list.'
              : '',
          ]
            .filter(Boolean)
            .join(' '),
        );
        add(sources.slice(0, fit), made);
      } catch (error) {
        // A list of numbers does not say of what: it is meant for the concept on the page.
        if (error.offer === 'words' && text && !more.words) {
          await take({ ...more, words: text });
          return;
        }
        if (error.buttons && error.buttons.length) offer(error, more);
        else throw error;
      }
    };
    function offer(error, more) {
      const node = make('span', 'th-concept-form');
      node.append(
        make('b', '', error.question),
        make('span', 'th-soft', error.message),
        ...error.buttons.map((item) =>
          button(item.text, async () => {
            try {
              await take({ ...more, ...item.options });
            } catch (next) {
              say(next.message, true);
            }
          }),
        ),
        button('Cancel', () => say(''), true),
      );
      said.replaceChildren(node);
    }
    form(file.name, [whose], 'Add', () => take(values));
  }
  function took(files) {
    input.value = '';
    if (!files.length) return;
    const tables = files.filter((file) => /\.(csv|json)$/i.test(file.name));
    const imageFiles = files.filter((file) => !tables.includes(file));
    if (tables.length && imageFiles.length)
      say(
        'Images and files of numbers cannot be dropped together. Drop one kind, then the other.',
        true,
      );
    else if (tables.length > 1) say('Drop one file of distributions at a time.', true);
    else if (tables.length) numbers(tables[0], {});
    else if (room() < 1) say('Six distributions are already shown. Remove one first.', true);
    else if (imageFiles.length > room()) images(imageFiles);
    else single(imageFiles).catch((error) => say(error.message, true));
  }
  input.addEventListener('change', () => took([...input.files]));
  field.addEventListener('dragover', (event) => {
    event.preventDefault();
    field.classList.add('th-concept-over-it');
  });
  field.addEventListener('dragleave', () => field.classList.remove('th-concept-over-it'));
  field.addEventListener('drop', (event) => {
    event.preventDefault();
    field.classList.remove('th-concept-over-it');
    took([...event.dataTransfer.files]);
  });
  return { say, pool, took };
}
