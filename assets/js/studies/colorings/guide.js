// Instructions before coloring: good and bad examples, and the practice.
import { make } from '../../shared/dom.js';
import { sendFile } from '../../shared/http.js';
import { fieldsOf, fold, part, row, screeningFields } from '../form_fields.js';
import { button, problemLine } from '../parts.js';

const MAX_EXAMPLES = 24;

/** @param {{ form: any, changed: () => void }} given */
export function examplesField({ form, changed }) {
  const node = make('div', 'th-study-field');
  const label = make('span', 'th-study-label', 'Examples: do and do not');
  const list = make('div', 'th-colorings-examples');
  const buttons = make('div', 'th-study-buttons');
  const line = problemLine();
  node.dataset.field = 'examples';
  form.examples ||= [];

  /** @param {any} example */
  function line_(example) {
    const box = make('div', 'th-colorings-example');
    const mark = make('span', 'th-colorings-mark', example.good ? '✓ Do' : '✕ Do not');
    const input = make('textarea');
    const file = make('input');
    const tools = make('span', 'th-study-buttons');
    const word = example.good ? 'Do' : 'Do not';
    // As high as its text: what people read is read whole here too, in any window.
    input.rows = 1;
    input.value = example.text;
    input.placeholder = example.good ? 'Good example' : 'Bad example';
    input.setAttribute('aria-label', word);
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') event.preventDefault();
    });
    input.addEventListener('input', () => {
      example.text = input.value.replace(/\s*\n\s*/g, ' ');
      changed();
    });
    file.type = 'file';
    file.accept = 'image/*';
    file.hidden = true;
    file.setAttribute('aria-label', 'Image for this example');
    file.addEventListener('change', async () => {
      const [used] = file.files || [];
      if (!used) return;
      line.say('');
      try {
        example.image_id = (await sendFile('/api/colorize/import', used)).image_id;
        changed();
        box.replaceWith(line_(example));
      } catch (error) {
        line.say('The image was not accepted. ' + error.message);
      }
    });
    const away = button(
      '×',
      () => {
        form.examples = form.examples.filter((item) => item !== example);
        changed();
        draw();
      },
      'th-study-small',
    );
    away.setAttribute('aria-label', 'Remove: ' + (example.text || word));
    if (example.image_id) {
      const image = make('img');
      image.src = '/media/thumbs/' + example.image_id + '.png?side=256';
      image.alt = 'Image: ' + example.text;
      tools.append(
        image,
        button(
          'No image',
          () => {
            example.image_id = '';
            changed();
            box.replaceWith(line_(example));
          },
          'th-study-small',
        ),
      );
    } else tools.append(button('Image…', () => file.click(), 'th-study-small'));
    tools.append(away);
    box.dataset.good = String(example.good);
    box.append(mark, input, tools, file);
    return box;
  }
  function draw() {
    const sorted = [...form.examples].sort((a, b) => Number(b.good) - Number(a.good));
    list.replaceChildren(...sorted.map(line_));
    buttons.hidden = form.examples.length >= MAX_EXAMPLES;
  }
  /** @param {boolean} good */
  function add(good) {
    form.examples = [...form.examples, { text: '', good, image_id: '' }];
    draw();
    const lines = [...list.querySelectorAll('[data-good="' + good + '"] input')];
    /** @type {HTMLElement} */ (lines.filter((item) => !item.hidden).at(-1))?.focus();
  }
  buttons.append(
    button('Add a good example', () => add(true), 'th-study-small'),
    button('Add a bad example', () => add(false), 'th-study-small'),
  );
  node.append(
    label,
    list,
    line,
    buttons,
    make(
      'p',
      'th-study-hint',
      'Participants read these before the practice and can open them at any time. Do not show a concept of the study.',
    ),
  );
  draw();
  return node;
}

/**
 * @param {{ form: any, presets: any, changed: () => void }} given
 * @returns {{ node: HTMLElement, outlined: () => void }}
 */
export function coloringNumbers({ form, presets, changed }) {
  const node = part(
    3,
    'Numbers and practice',
    'How often each concept is colored, and how much each participant colors.',
  );
  const source = fieldsOf(form, changed);
  const allowed = make('div', 'th-study-checks');
  form.practice = { concepts: [], number: 3, review: 'researcher', ...form.practice };
  const practice = make('div', 'th-study-field');
  const reviews = Object.entries(presets.reviews || {}).map(([id, text]) => {
    const label = make('label', 'th-colorings-choice');
    const radio = make('input');
    radio.type = 'radio';
    radio.name = 'th-colorings-review';
    radio.value = id;
    radio.checked = form.practice.review === id;
    radio.addEventListener('change', () => {
      form.practice.review = id;
      changed();
    });
    label.append(radio, make('span', '', String(text)));
    return label;
  });
  const who = make('div', 'th-colorings-choices');
  who.setAttribute('role', 'radiogroup');
  who.setAttribute('aria-label', 'Review of the practice');
  who.append(...reviews);
  const own = make('input');
  own.value = form.practice.concepts.join(', ');
  own.id = 'th-colorings-practice';
  own.placeholder = 'chosen automatically';
  own.addEventListener('input', () => {
    form.practice.concepts = own.value
      .split(/[,;\n]+/)
      .map((text) => text.trim())
      .filter(Boolean);
    changed();
  });
  const ownBox = make('div', 'th-study-field');
  const ownLabel = make('label', '', 'Practice concepts');
  ownLabel.htmlFor = own.id;
  ownBox.append(ownLabel, own);
  practice.dataset.field = 'practice';
  practice.append(
    make('span', 'th-study-label', 'Practice'),
    row(
      source.number('practice.number', 'Practice sketches', { hint: '0 for none.', empty: 0 }),
      ownBox,
    ),
    who,
  );
  allowed.append(
    source.check('skip', 'Allow “I don’t know this word”', 'Counts as skipped, with its reason.'),
    source.check(
      'ask_background',
      'Ask participants who color the background',
      'Asks whether it is part of the concept and flags the coloring. Not for landscapes.',
    ),
    source.check(
      'reference_image',
      'Allow a reference image',
      'Participants may open an image of their own beside the sketch and take colors from it. It never leaves their browser; each color that is taken is in the log.',
    ),
    source.check(
      'keep_color',
      'Keep the color from sketch to sketch',
      'As in apps for drawing. Off: each sketch begins without a color, so that none suggests itself.',
    ),
  );
  node.append(
    row(
      source.number('votes', 'Colorings per concept', {
        hint: 'By different people. ColorConceptBench uses 5.',
      }),
      source.number('trials', 'Sketches per participant', {
        hint: 'Maximum, without practice. ColorConceptBench uses 40 to 50.',
      }),
    ),
    practice,
    allowed,
    fold('Screening', ...screeningFields(source)),
  );
  return { node, outlined() {} };
}
