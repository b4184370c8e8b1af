// What the views of Explore share: which view is in front, the link, and lines of long work.
const explore = (window.thExplore ||= (() => {
  const query = new URLSearchParams(location.search), linked = query.get('tab') === 'explore';
  const views = ['board', 'wall', 'runs', 'trust', 'audit'], wanted = query.get('view');
  const view = linked && views.includes(wanted) ? wanted : 'board';
  // Back and Forward: the views take up what the address says, and then the right one comes forward.
  document.addEventListener('th-place', (event) => {
    const query = event.detail.query, before = JSON.stringify(explore.slice), next = query.get('view');
    if (query.get('tab') !== 'explore') return;
    explore.view = views.includes(next) ? next : 'board';
    if (explore.readSlice && ['board', 'wall'].includes(explore.view)) explore.readSlice(query);
    document.dispatchEvent(new CustomEvent('th-explore-back', { detail: { ...event.detail, view: explore.view } }));
    if (JSON.stringify(explore.slice) !== before) document.dispatchEvent(new CustomEvent('th-slice', { detail: {} }));
    document.dispatchEvent(new CustomEvent('th-explore'));
  });
  return {
    view,
    values: Object.fromEntries(views.map((name) => [name, {}])),
    // What a link says of a view; each view reads it once.
    restored: (name) => linked && view === name ? query : new URLSearchParams(),
  };
})());
// Brings a view to the front; every view listens to th-explore.
function openView(view) {
  const held = document.activeElement, other = explore.view !== view;
  explore.view = view;
  document.dispatchEvent(new CustomEvent('th-explore'));
  const nav = other && document.querySelector('.th-explore-switch');
  if (!nav || nav.offsetParent === null) return;
  // Another view begins at its top, and what was pressed in the one before can no longer be seen.
  if (nav.getBoundingClientRect().top < 0) window.scrollTo(0, 0);
  if (held && held !== document.body && held.offsetParent === null) nav.querySelector('[data-view="' + view + '"]').focus({ preventScroll: true });
}
// The address bar always opens what is on screen.
function addressOfExplore(view) {
  const values = new URLSearchParams({ tab: 'explore', view });
  Object.entries(explore.values[view]).forEach(([name, value]) => { if (value) values.set(name, value); });
  return '?' + values.toString().replace(/%2C/g, ',').replace(/%3A/g, ':');
}
function publishExplore() {
  const nav = document.querySelector('.th-explore-switch');
  if (!nav || nav.offsetParent === null) return;
  const large = explore.view === 'wall' && explore.wallLink && explore.wallLink.large;
  thPlaces.show(addressOfExplore(explore.view), large ? explore.largeWords : '');
}
// What a view takes up when someone comes back to it.
function onBack(view, take) {
  document.addEventListener('th-explore-back', (event) => { if (event.detail.view === view) take(event.detail.query, event.detail.memo); });
}
function ofLink(view, values) { explore.values[view] = values; publishExplore(); }

// One button of a strip is pressed; a strip keeps its buttons.
function strip(box, choices, chosen, choose) {
  box.thChoose = choose;
  const known = new Map([...box.children].map((button) => [button.dataset.id, button]));
  // The same buttons with new words: one that is being pressed, or has the focus, stays.
  arrange(box, choices.map((choice) => {
    let button = known.get(String(choice.id));
    if (!button) {
      button = make('button');
      button.type = 'button';
      button.dataset.id = choice.id;
      button.addEventListener('click', () => box.thChoose(choice.id));
    }
    put(button, choice.name);
    button.title = choice.title || '';
    button.setAttribute('aria-pressed', String(button.dataset.id === String(chosen)));
    return button;
  }));
}
function options(select, choices, chosen) {
  const made = JSON.stringify(choices);
  if (select.dataset.choices !== made) {
    select.dataset.choices = made;
    select.replaceChildren(...choices.map((choice) => new Option(choice.name, choice.id)));
  }
  select.value = chosen;
}

function duration(value) {
  if (value < 60) return Math.max(1, Math.round(value)) + ' s';
  return value < 3600 ? Math.round(value / 60) + ' min' : (value / 3600).toFixed(1) + ' h';
}
const owner = ownerOfWork();
// The button that begins long work. It waits from the click on: a second click is no second wish.
function beginsWork(button, box, begin) {
  const refused = make('p', 'th-problem');
  refused.hidden = true;
  refused.setAttribute('role', 'alert');
  box.before(refused);
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    refused.hidden = true;
    try { await begin(); } catch (error) {
      put(refused, error.message);
      refused.hidden = false;
      button.setAttribute('aria-disabled', 'false');
    }
    document.dispatchEvent(new CustomEvent('th-explore-job'));
  });
}
// A line of long work: title, bar, words, Cancel. It keeps its nodes.
function workLine(box) {
  const node = make('article', 'th-job'), head = make('header'), title = make('b'), button = make('button', 'th-button', 'Cancel');
  const bar = make('div', 'th-bar'), fill = make('i'), words = make('p', 'th-job-words'), problem = make('p', 'th-problem');
  let job = null;
  node.hidden = true;
  button.type = 'button';
  words.setAttribute('role', 'status');
  bar.setAttribute('role', 'progressbar');
  bar.setAttribute('aria-valuemin', '0');
  bar.setAttribute('aria-valuemax', '100');
  bar.appendChild(fill);
  head.append(title, button);
  node.append(head, bar, words, problem);
  box.appendChild(node);
  button.addEventListener('click', async () => {
    if (!job || button.getAttribute('aria-disabled') === 'true') return;
    button.setAttribute('aria-disabled', 'true');
    try { await send('/api/explore/jobs/' + job.id + '/cancel', { owner }); } catch (error) { put(problem, error.message); problem.hidden = false; }
    document.dispatchEvent(new CustomEvent('th-explore-job'));
  });
  return (now) => {
    job = now;
    node.hidden = !job;
    if (!job) return;
    const running = job.status === 'running', percent = job.total ? Math.round(100 * job.done / job.total) : 0;
    put(title, (job.mine ? '' : 'Someone else: ') + job.title);
    button.hidden = !running || !job.mine;
    button.setAttribute('aria-disabled', String(job.cancelling));
    put(button, job.cancelling ? 'Cancelling…' : 'Cancel');
    bar.hidden = !running;
    bar.setAttribute('aria-label', job.title);
    bar.setAttribute('aria-valuenow', String(percent));
    fill.style.width = percent + '%';
    const left = job.left_s === null ? '' : ' · about ' + duration(job.left_s) + ' left';
    put(words, running ? job.words + left : { done: 'Done in ' + duration(job.elapsed_s) + '. ', cancelled: 'Cancelled. ', failed: 'Failed. ' }[job.status] + (job.status === 'failed' ? '' : job.words));
    put(problem, job.problem);
    problem.hidden = !job.problem;
    node.dataset.status = job.status;
  };
}
// Asks for the work of this tab while it is seen: often while some runs, else now and then.
function watchWork(kind, show) {
  let timer = null, before;
  async function look() {
    clearTimeout(timer);
    let busy = false;
    if (element.offsetParent !== null && !document.hidden) {
      try {
        const job = (await ask('/api/explore/jobs?owner=' + owner))[kind] || null;
        busy = Boolean(job && job.status === 'running');
        // A short one may begin and end between two looks.
        const fresh = before !== undefined && job && (!before || before.id !== job.id || before.status === 'running');
        show(job, Boolean(fresh && !busy));
        before = job;
      } catch (error) { busy = true; /* asked again: the app may be starting anew */ }
    }
    clearTimeout(timer);
    if (element.isConnected) timer = setTimeout(look, busy ? 500 : 4000);
  }
  // What was begun here is new, also where it has ended before the first look.
  document.addEventListener('th-explore-job', () => { before ??= null; look(); });
  document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
  new IntersectionObserver((seen) => { if (seen.some((entry) => entry.isIntersecting)) look(); }).observe(element);
  look();
}
// Opens a picture in Inspect, which begins at its top.
function inspectIt(value) {
  props.value = { ...value, at: Date.now() };
  trigger('open');
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) || element.offsetParent !== null) return;
    seen.disconnect();
    window.scrollTo(0, 0);
  });
  seen.observe(element);
}
function touching(list) {
  const box = make('span', 'th-touching');
  list.forEach((one) => {
    const part = make('i');
    part.style.background = one.hex;
    part.title = one.role + ': ' + [one.name, one.hex].filter(Boolean).join(' ');
    box.appendChild(part);
  });
  return box;
}
// The same with a word under each: what was asked stands left of what was found, everywhere.
function touchingInWords(list) {
  const pair = make('span', 'th-touching-pair'), words = make('small', 'th-touching-words');
  list.forEach((one) => words.appendChild(make('span', '', one.role)));
  pair.append(touching(list), words);
  return pair;
}
