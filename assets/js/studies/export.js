// The study as files: every table, its codebook, votes in the arena's format, all in one.
import { make, put } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { button, card, linkButton, problemLine, question, whole } from './parts.js';
import { dataTable } from './table.js';
import { onView } from './view.js';

/** What is said of the archive where there are no votes. @type {Record<string, string>} */
const MORE = {
  colorings: 'all.zip contains every sketch, and every coloring as PNG. ',
  questions:
    'The table “questions” lists the correct answers and how often each choice was selected. ',
};

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function exportView(box, current) {
  const line = problemLine();
  const wait = make('p', 'th-soft', 'Loading tables…');
  const cleared = make('p', 'th-soft');
  cleared.setAttribute('role', 'status');
  let data = null;
  let personal = false;

  /** @param {string} url */
  const ownerOf = (url) => (personal ? url + (url.includes('?') ? '&' : '?') + 'personal=1' : url);
  function clearIds() {
    const text =
      'Do this once everyone is paid, as the consent text says. This deletes the recruiting-site ids, and the answers about participants that are personal data or in their own words. All other answers and the comments stay. The study must be closed.';
    question({
      title: 'Delete ids and personal answers?',
      body: [make('p', '', text)],
      action: 'Delete for good',
      act: async () => {
        const message = await send(`${current.address}/clear-external`, {});
        put(
          cleared,
          'Ids and personal answers of ' + whole(message.cleared) + ' people are deleted.',
        );
      },
    });
  }
  function draw() {
    const all = card(
      'Everything',
      'One archive that another TrueHue can import: plan, people, events, tables, codebook.',
    );
    const buttons = make('div', 'th-study-buttons');
    const whole_ = linkButton('all.zip', ownerOf(data.zip), true);
    whole_.classList.add('th-study-do');
    buttons.append(
      whole_,
      ...(data.votes ? [linkButton('votes.jsonl', ownerOf(data.votes), true)] : []),
      linkButton('codebook.md', ownerOf(data.codebook), true),
    );
    all.body.append(
      buttons,
      make(
        'p',
        'th-soft',
        (data.votes
          ? 'votes.jsonl has one vote per line, in the format that arenas use. '
          : MORE[current.study.kind] || '') +
          'The data dictionary (codebook) explains every column of every table, with its unit.',
      ),
    );
    const text = make('p', 'th-study-note');
    if (data.personal) {
      const label = make('label', 'th-study-check');
      const input = make('input');
      input.type = 'checkbox';
      input.checked = personal;
      input.addEventListener('change', () => {
        personal = input.checked;
        draw();
        /** @type {HTMLElement} */ (box.querySelector('.th-study-check input')).focus();
      });
      label.append(input, make('span', '', 'Include personal data'));
      const line_ = make('div', 'th-study-buttons');
      line_.append(
        label,
        button('Delete ids and personal answers…', clearIds, 'th-study-small'),
        cleared,
      );
      all.body.append(line_);
    }
    put(
      text,
      personal
        ? 'Personal data: these files contain recruiting-site ids, original comments, and personal answers. Store them as your consent text says.'
        : 'Anonymous: participants are numbers, without recruiting-site ids.',
    );
    all.body.append(text);
    const tables = card('Tables');
    tables.body.append(
      dataTable(
        [
          {
            name: 'Table',
            cell(table) {
              const node = make('span', 'th-study-metric');
              node.append(make('b', '', table.name), make('small', '', table.title));
              return node;
            },
          },
          {
            name: 'One row per',
            wide: true,
            cell: (table) => table.row + (table.rows ? ', ' + whole(table.rows) + ' of them' : ''),
          },
          {
            name: 'Columns',
            wide: true,
            cell: (table) => make('small', '', (table.columns || []).join(', ')),
          },
          {
            name: 'Files',
            cell(table) {
              const node = make('span', 'th-study-buttons th-study-files');
              node.append(
                ...[
                  ['CSV', table.csv],
                  ['Parquet', table.parquet],
                ].map(([name, url]) => {
                  const link = linkButton(name, ownerOf(url), true);
                  link.classList.add('th-study-small');
                  link.setAttribute('aria-label', table.name + ' as ' + name);
                  return link;
                }),
              );
              return node;
            },
          },
        ],
        data.tables,
        'Tables of this study',
      ),
    );
    box.replaceChildren(line, all.node, tables.node);
  }
  return {
    async shown() {
      if (!onView('export')) return;
      if (!box.children.length) box.replaceChildren(line, wait);
      try {
        data = await ask(`${current.address}/tables`);
        line.say('');
        draw();
      } catch (error) {
        wait.remove();
        line.say('The exports cannot be listed. ' + error.message);
      }
    },
  };
}
