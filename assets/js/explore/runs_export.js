// Runs as files, and files as runs: what is quick is sent at once, what takes longer is made in the
// background and sent when it is done. Importing shows in a line above the list, exporting at its run.
import { make, put } from '../shared/dom.js';
import { ask, send, sendFile } from '../shared/http.js';
import { workLine } from '../shared/jobs.js';
import { store } from '../shared/state.js';
import { explore } from './view.js';

export function runExports(element, root, imported) {
  // What people read first stands first. A kind without a path is made in the background.
  const KINDS = [
    ['html', 'Report (HTML)'],
    ['csv', 'Table (CSV)', 'export.csv'],
    ['colors', 'Colors of concepts (CSV)', 'colors.csv'],
    ['parquet', 'Table (Parquet)'],
    ['zip', 'Portable archive'],
    ['images', 'Archive with images'],
    ['bib', 'References (BibTeX)', 'references.bib'],
    ['book', 'Data dictionary', 'codebook.md'],
  ];
  const boxes = {
    export: root.querySelector('.th-runs-export'),
    import: root.querySelector('.th-runs-import'),
  };
  const lines = { export: workLine(boxes.export), import: workLine(boxes.import) };
  const done = make('p', 'th-run-facts');
  const file = make('a');
  const second = make('span');
  const colors = make('a');
  const chooser = root.querySelector('.th-runs-file');
  const button = root.querySelector('.th-runs-take');
  const refused = make('p', 'th-problem');
  const started = new Set();
  const ended = new Set();
  done.hidden = true;
  second.append(', and ', colors);
  done.append('Made: ', file, second);
  boxes.export.appendChild(done);
  refused.hidden = true;
  refused.setAttribute('role', 'alert');
  boxes.import.appendChild(refused);

  function fetchIt(url) {
    const link = make('a');
    link.href = url;
    link.download = '';
    document.body.appendChild(link);
    link.click();
    link.remove();
  }
  function look() {
    const jobs = store.get('work') || [];
    ['export', 'import'].forEach((kind) => {
      const job = jobs.find((item) => item.kind === kind) || null;
      const mine = job && started.has(job.id);
      // What ended before this page was opened is no news.
      lines[kind](job && (mine || job.active) ? job : null);
      if (!mine || job.active || ended.has(job.id)) return;
      ended.add(job.id);
      if (job.status !== 'done') return;
      if (kind === 'import') {
        imported(job.result.run);
        return;
      }
      file.href = job.result.url;
      file.download = job.result.name;
      put(file, job.result.name);
      const others = job.result.colors;
      second.hidden = !others;
      if (others) {
        colors.href = others.url;
        colors.download = others.name;
        put(colors, others.name);
      }
      done.hidden = false;
      fetchIt(job.result.url);
    });
  }
  async function start(run, label, node) {
    done.hidden = true;
    node.appendChild(boxes.export); // in sight of who pressed
    const images = label === 'images';
    const made = await send('/api/exports', {
      run: run.id,
      format: images ? 'zip' : label,
      images,
      rule: explore.slice.rule,
    });
    started.add(made.job);
    look();
  }
  button.addEventListener('click', () => chooser.click());
  chooser.addEventListener('change', async () => {
    const chosen = chooser.files[0];
    chooser.value = '';
    if (!chosen) return;
    refused.hidden = true;
    button.setAttribute('aria-disabled', 'true');
    try {
      const made = await sendFile('/api/runs/import', chosen);
      started.add(made.job);
      look();
    } catch (error) {
      put(refused, error.message);
      refused.hidden = false;
    }
    button.setAttribute('aria-disabled', 'false');
  });
  const message = store.subscribe('work', () => {
    if (element.isConnected) look();
    else message();
  });
  document.addEventListener('click', (event) => {
    root.querySelectorAll('.th-run-menu[open]').forEach((menu) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
  });
  root.addEventListener('keydown', (event) => {
    const menu = event.key === 'Escape' && event.target.closest('.th-run-menu[open]');
    if (menu) {
      menu.open = false;
      menu.querySelector('summary').focus();
    }
  });
  look();
  return {
    // The button of a run that opens what it can be exported as.
    menu(run, node, refuse) {
      const menu = make('details', 'th-run-menu');
      const list = make('div', 'th-run-choices');
      menu.append(make('summary', 'th-button', 'Export'), list);
      const sizes = new Map();
      KINDS.forEach(([label, name, path]) => {
        if (label === 'colors' && !run.measures) return;
        const link = make('a');
        const begin = make('button');
        const item = path ? link : begin;
        const size = make('small', 'th-soft');
        item.append(make('span', '', name), ' ', size);
        sizes.set(label, size);
        if (path) {
          link.href = '/api/runs/' + run.id + '/' + path;
          link.download = '';
          item.addEventListener('click', () => {
            menu.open = false;
          });
        } else {
          item.type = 'button';
          item.addEventListener('click', async () => {
            menu.open = false;
            refuse('');
            try {
              await start(run, label, node);
            } catch (error) {
              refuse(error.message);
            }
          });
        }
        list.appendChild(item);
      });
      // About how large each will be: counted when the menu is opened.
      menu.addEventListener('toggle', async () => {
        if (!menu.open) return;
        try {
          const result = await ask(`/api/runs/${run.id}/sizes`);
          sizes.forEach((node, index) => put(node, result[index] || ''));
        } catch {
          /* the names say enough */
        }
      });
      return menu;
    },
  };
}
