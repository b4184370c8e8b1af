// The participants' links: made, copied once, revoked.
import { arrange, make, many, put } from '../shared/dom.js';
import { send } from '../shared/http.js';
import { readPresets } from './choices.js';
import { tellField } from './form_fields.js';
import { button, card, doing, download, nothing, problemLine, question, time } from './parts.js';
import { publicationCard } from './publication.js';
import { csvOf, dataTable } from './table.js';
import { onView, openStudy } from './view.js';

/** @param {string} text @param {HTMLElement} said */
async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    put(said, 'Copied.');
  } catch {
    put(said, 'The browser does not allow copying. Select the link and copy it manually.');
  }
}

/**
 * @param {HTMLElement} box
 * @param {import('./study.js').Current} current
 */
export function linksView(box, current) {
  const line = problemLine();
  const said = make('p', 'th-study-said');
  const maker = card(
    'Create a link',
    'Anyone with a link can take part. A link is shown only once, because only its hash is stored.',
  );
  const list = card('Links of this study');
  const fresh = make('section', 'th-card th-study-fresh');
  const publication = publicationCard(current, copy);
  const form = make('form', 'th-study-row');
  const label = make('input');
  const count = make('input');
  const personal = make('input');
  let shown = '';
  said.setAttribute('role', 'status');

  function field(input, name, message, hint) {
    const node = make('div', 'th-study-field');
    const text = make('label', '', message);
    const about = make('p', 'th-study-hint', hint);
    input.id = 'th-study-link-' + name;
    input.name = name;
    node.dataset.field = name;
    about.id = input.id + '-hint';
    input.setAttribute('aria-describedby', about.id);
    text.htmlFor = input.id;
    if (input.type === 'checkbox') {
      node.classList.add('th-study-check');
      node.append(input, text, about);
    } else node.append(text, input, about);
    return node;
  }
  label.placeholder = 'Prolific, first round';
  count.inputMode = 'numeric';
  count.value = '1';
  personal.type = 'checkbox';
  const make_ = doing(
    'Create',
    async () => {
      tellField(form, '', '');
      const answer = await send(`${current.address}/links`, {
        label: label.value.trim(),
        personal: personal.checked,
        // What is no number goes as it is: the app says what is wrong with it.
        count: count.value.trim(),
      }).catch((error) => {
        if (!tellField(form, error.field, error.message)) throw error;
      });
      if (!answer) return;
      made(answer.links);
      label.value = '';
      await current.reload();
      show();
    },
    line,
    'th-study-do',
  );
  form.append(
    field(label, 'label', 'Name', 'For you, for example where you send it.'),
    field(count, 'count', 'Number of links', '1 for a link that everyone shares.'),
    field(
      personal,
      'personal',
      'Personal',
      'Each link is for one person, who can continue on any device.',
    ),
    make_,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    make_.click();
  });
  maker.body.append(form, line);

  /** @param {Api.NewLink[]} links */
  function made(links) {
    const rows = links.map((link) => ({ ...link, url: new URL(link.url, location.href).href }));
    const head = make('header');
    const items = make('ul', 'th-study-urls');
    const tools = make('span', 'th-study-buttons');
    head.append(make('h3', '', rows.length === 1 ? 'The link' : many(rows.length, 'link')), tools);
    tools.append(button('Copy all', () => copy(rows.map((row) => row.url).join('\n'), said)));
    const columns = ['label', 'url'].map((name) => ({
      name,
      cell: () => '',
      values: (row) => [row[name]],
    }));
    tools.append(button('CSV', () => download('links.csv', csvOf(columns, rows))));
    rows.slice(0, 20).forEach((row) => {
      const item = make('li');
      const text = make('code', '', row.url);
      item.append(
        text,
        button('Copy', () => copy(row.url, said), 'th-study-small'),
      );
      items.append(item);
    });
    if (rows.length > 20)
      items.append(make('li', 'th-soft', many(rows.length - 20, 'more link') + ' in the CSV.'));
    fresh.replaceChildren(
      head,
      make(
        'p',
        '',
        'Copy it now: it cannot be shown again. If you lose a link, revoke it and create another.',
      ),
      items,
    );
    if (rows.length === 1 && !rows[0].personal) {
      const hint = make('details', 'th-study-more');
      const urls = make('div', 'th-study-sites');
      hint.append(
        make('summary', '', 'For Prolific, MTurk and Sona'),
        make(
          'p',
          'th-soft',
          'Use this as the study URL; the site adds each participant’s id. Ids are stored separately and never in anonymous exports.',
        ),
        urls,
      );
      readPresets().then(({ sites }) =>
        urls.append(
          ...sites.map((site) => {
            const code = make('code', '', rows[0].url + site.query);
            const line = make('p', '', site.name + ': ');
            line.append(
              code,
              button('Copy', () => copy(code.textContent || '', said), 'th-study-small'),
            );
            return line;
          }),
        ),
      );
      const { completion } = current.study.plan;
      const secret = !current.study.personal;
      hint.append(
        make(
          'p',
          'th-soft',
          secret
            ? 'Only the study’s owner and admins can see the completion settings.'
            : completion.code || completion.url
              ? 'At the end participants get ' +
                (completion.code ? 'the code ' + completion.code : 'the return URL') +
                '.'
              : 'The plan has no completion code or return URL yet. Recruiting sites need one of them.',
        ),
      );
      fresh.append(hint);
    }
    fresh.append(said);
    items.querySelector('button')?.focus();
  }
  /** @param {Api.LinkJson} link */
  function revoke(link) {
    question({
      title: 'Revoke “' + (link.label || 'this link') + '”?',
      body: [
        make(
          'p',
          '',
          'Anyone who opens it will read that there is no such study, including people who started with it. Their answers stay.',
        ),
      ],
      action: 'Revoke',
      act: async () => {
        const answer = await send(`${current.address}/links/${link.id}/revoke`, {});
        current.study.links = answer.links;
        // What was just created is not offered to be copied any more.
        fresh.replaceChildren();
        show();
      },
    });
  }
  const columns = [
    { name: 'Name', cell: (link) => link.label || 'Unnamed' },
    { name: 'For', cell: (link) => (link.personal ? 'one person' : 'anyone with the link') },
    { name: 'People', right: true, cell: (link) => String(link.participants) },
    { name: 'Created', cell: (link) => time(link.created_at) },
    {
      name: 'State',
      beside: true,
      cell(link) {
        const node = make('span', 'th-study-stage');
        node.append(
          make('i', '', link.revoked_at ? '×' : '▸'),
          link.revoked_at ? 'Revoked' : 'Active',
        );
        return node;
      },
    },
    {
      name: '',
      cell(link) {
        if (link.revoked_at) return '';
        const act = button('Revoke…', () => revoke(link), 'th-study-small');
        act.setAttribute('aria-label', 'Revoke ' + (link.label || 'unnamed link'));
        return act;
      },
    },
  ];
  function show() {
    if (!onView('links')) return;
    const { study } = current;
    const nodes = [];
    if (study.state === 'draft') {
      const text = make(
        'p',
        'th-study-note',
        'The study is a draft. You can create a link now; it says that the study has not started until you open it. ',
      );
      text.append(button('Show the plan', () => openStudy(study.id, 'plan'), 'th-study-small'));
      nodes.push(text);
    }
    if (study.state === 'closed')
      nodes.push(make('p', 'th-study-note', 'The study is closed. Its links say so.'));
    nodes.push(maker.node);
    if (fresh.children.length) nodes.push(fresh);
    const now = JSON.stringify(study.links);
    if (now !== shown) {
      shown = now;
      list.body.replaceChildren(
        study.links.length
          ? dataTable(columns, study.links, 'Links of this study', true)
          : nothing(
              'No link yet',
              'Participants join by a link that cannot be guessed. One link is enough for everyone; personal links are for people you know.',
            ),
      );
    }
    nodes.push(list.node);
    publication.show();
    // What is next once a study is closed comes first.
    if (study.state === 'closed') nodes.unshift(publication.node);
    else nodes.push(publication.node);
    arrange(box, nodes);
  }
  return { shown: show };
}
