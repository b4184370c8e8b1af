// Unscored images of a run: the cell in the leaderboard, and a row of the causes.
import { arrange, make, put } from '../shared/dom.js';

/** @typedef {(key: string, create: () => any) => any} Keep the node of a key, made once */

/**
 * @param {Keep} keep
 * @param {any} item the run
 * @param {boolean} isOpen whether its causes stand below it
 * @param {() => void} toggle opens or closes them
 */
export function unscoredCell(keep, item, isOpen, toggle) {
  const cell = keep('unscored ' + item.id, () => {
    const node = make('td', 'th-leaderboard-cell th-leaderboard-unscored');
    const button = make('button');
    const numbers = make('span', 'th-leaderboard-numbers');
    button.type = 'button';
    numbers.append(
      make('span', 'th-unseen'),
      make('b'),
      make('span', 'th-unseen', ' unscored images, '),
    );
    button.append(numbers, make('small'), make('span', 'th-unseen'));
    button.addEventListener('click', toggle);
    node.appendChild(button);
    return node;
  });
  const button = cell.firstChild;
  const unscored = item.unscored;
  const some = Boolean(unscored && unscored.count);
  button.hidden = !unscored;
  if (!unscored) return cell;
  put(button.firstChild.children[0], item.name + ', ');
  put(button.firstChild.children[1], unscored.text);
  put(button.children[1], unscored.words);
  put(button.lastChild, some ? ', show why' : '');
  button.disabled = !some;
  button.title = some
    ? unscored.causes.map((cause) => cause.text + ' ' + cause.name).join('\n')
    : 'Every image has a pass or a fail';
  button.setAttribute('aria-expanded', String(some && isOpen));
  return cell;
}

/**
 * @param {Keep} keep
 * @param {any} item the run
 * @param {number} columns of numbers
 * @param {(filters: Record<string, any>) => void} openPictures
 */
export function causesRow(keep, item, columns, openPictures) {
  const line = keep('why ' + item.id, () => make('tr', 'th-leaderboard-why'));
  const cell = keep('why cell ' + item.id, () => {
    const node = make('td');
    const box = make('div');
    node.colSpan = columns + 2;
    box.appendChild(make('span', 'th-soft'));
    node.appendChild(box);
    line.appendChild(node);
    return node;
  });
  const box = cell.firstChild;
  put(box.firstChild, `${item.unscored.text} unscored:`);
  arrange(box, [
    box.firstChild,
    ...item.unscored.causes.map((cause) => {
      const button = keep('why ' + item.id + ' ' + cause.id, () => {
        const made = make('button', 'th-leaderboard-cause');
        made.type = 'button';
        made.append(make('b'), make('span'), make('small'));
        made.addEventListener('click', () =>
          openPictures({ runs: [item.id], status: 'unscored', cause: cause.id }),
        );
        return made;
      });
      put(button.children[0], cause.text);
      put(button.children[1], cause.name);
      put(button.children[2], cause.tasks);
      button.title = 'Opens these images';
      return button;
    }),
  ]);
  return line;
}
