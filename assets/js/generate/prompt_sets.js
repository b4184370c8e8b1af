// The prompt sets and the saved selections: their list, and how to hide one.
import { make } from '../shared/dom.js';
import { ask, send } from '../shared/http.js';
import { store } from '../shared/state.js';

const SELECTION = 'selection:';

/**
 * @param {HTMLElement} element the prompts' part of the page
 * @param {object} calls
 * @param {() => string} calls.now the set that is open
 * @param {(id: string) => void} calls.open
 */
export function promptSets(element, { now, open }) {
  const select = element.querySelector('.th-set');
  const removeButton = element.querySelector('.th-set-remove');
  const confirmBox = element.querySelector('.th-confirm');
  const yes = confirmBox.querySelector('.th-confirm-yes');
  const problem = confirmBox.querySelector('.th-problem');
  let sets = [];

  const isSelection = () => now().startsWith(SELECTION);
  function option(item, id, name) {
    const node = make('option', '', name + ' · ' + item.count.toLocaleString('en-US'));
    node.value = id;
    return node;
  }
  async function load() {
    const data = await ask('/api/prompts/sets');
    sets = data.sets;
    select.replaceChildren(...sets.map((item) => option(item, item.id, item.title)));
    if (data.selections.length) {
      const group = make('optgroup');
      group.label = 'Saved selections';
      group.append(
        ...data.selections.map((selection) =>
          option(selection, SELECTION + selection.name, selection.name),
        ),
      );
      select.appendChild(group);
    }
    show();
  }
  function isHere() {
    return [...select.options].some((item) => item.value === now() && !item.disabled);
  }
  function name() {
    const set = sets.find((item) => item.id === now());
    if (set) return set.title;
    return isSelection() ? now().slice(SELECTION.length) : now();
  }
  // A set that a link names stays named where it is not here; another one is not shown in its place.
  function show() {
    [...select.options].filter((item) => item.disabled).forEach((item) => item.remove());
    if (!isHere()) {
      const missing = new Option('Not available: ' + name(), now());
      missing.disabled = true;
      select.prepend(missing);
    }
    select.value = now();
    const set = sets.find((item) => item.id === now());
    select.title = set ? set.description : '';
    removeButton.hidden = !isHere() || !(isSelection() || (set && set.imported));
  }

  select.addEventListener('change', () => open(select.value));
  removeButton.addEventListener('click', () => {
    confirmBox.querySelector('b').textContent = 'Remove “' + name() + '”?';
    confirmBox.querySelector('p').textContent = isSelection()
      ? 'The selection is removed from the list of sets. Its prompts and images stay.'
      : 'The imported set is removed from the list: its prompts can no longer be searched or generated. Images generated from them stay.';
    problem.hidden = true;
    confirmBox.showModal();
  });
  confirmBox.querySelector('.th-confirm-no').addEventListener('click', () => confirmBox.close());
  yes.addEventListener('click', async () => {
    const id = now();
    yes.disabled = true;
    try {
      if (id.startsWith(SELECTION))
        await send('/api/selections/remove', { name: id.slice(SELECTION.length) });
      else await send('/api/prompts/sets/hide', { set_id: id });
      confirmBox.close();
      select.focus();
      store.tell('sets', { open: sets[0].id });
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
    yes.disabled = false;
  });

  return {
    load,
    show,
    // A sentence where the set is not here.
    absence: () =>
      isHere()
        ? ''
        : 'There is no ' +
          (isSelection() ? 'selection' : 'set') +
          ' “' +
          name() +
          '”. Choose another one above.',
  };
}
