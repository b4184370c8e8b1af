// What the views of Explore share: which view is in front, the link, figures, and lines of long work.
const explore = (window.thExplore ||= (() => {
  const query = new URLSearchParams(location.search), linked = query.get('tab') === 'explore';
  return {
    view: linked && query.get('view') === 'audit' ? 'audit' : 'trust',
    values: { trust: {}, audit: {} },
    // What a link says of a view; each view reads it once.
    restored: (view) => linked && (query.get('view') || 'trust') === view ? query : new URLSearchParams(),
  };
})());
// The address bar always opens what is on screen.
function publishExplore() {
  const nav = document.querySelector('.th-explore-switch');
  if (!nav || nav.offsetParent === null) return;
  const values = new URLSearchParams({ tab: 'explore', view: explore.view });
  Object.entries(explore.values[explore.view]).forEach(([name, value]) => { if (value) values.set(name, value); });
  const address = '?' + values.toString().replace(/%2C/g, ',').replace(/%3A/g, ':');
  if (location.search !== address) history.replaceState(null, '', address);
}
function ofLink(view, values) { explore.values[view] = values; publishExplore(); }

// One button of a strip is pressed; a strip keeps its buttons.
function strip(box, choices, chosen, choose) {
  const made = JSON.stringify(choices);
  if (box.dataset.choices !== made) {
    box.dataset.choices = made;
    box.replaceChildren(...choices.map((choice) => {
      const button = make('button', '', choice.name);
      button.type = 'button';
      button.dataset.id = choice.id;
      if (choice.title) button.title = choice.title;
      button.addEventListener('click', () => choose(choice.id));
      return button;
    }));
  }
  [...box.children].forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.id === chosen)));
}
function options(select, choices, chosen) {
  const made = JSON.stringify(choices);
  if (select.dataset.choices !== made) {
    select.dataset.choices = made;
    select.replaceChildren(...choices.map((choice) => new Option(choice.name, choice.id)));
  }
  select.value = chosen;
}

// One copy of plotly for the page, loaded when the first figure is wanted.
function plotly() {
  window.thPlotly ||= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = '/assets/plotly.min.js?v=' + encodeURIComponent(props.plotly);
    script.onload = () => done(window.Plotly);
    script.onerror = () => failed(new Error('plotly.min.js did not load'));
    document.head.appendChild(script);
  });
  return window.thPlotly;
}
// Figures name the page's colors as var(--th-ink); plotly wants the color itself.
function themed(value, style) {
  if (typeof value === 'string') {
    const name = /^var\((--th-[a-z]+)\)$/.exec(value);
    return name ? style.getPropertyValue(name[1]).trim() : value;
  }
  if (Array.isArray(value)) return value.map((item) => themed(item, style));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, style)]));
  return value;
}
// One drawing at a time for each figure: two at once leave plotly with half of each.
const drawings = new WeakMap();
function figure(node, data) {
  const next = (drawings.get(node) || Promise.resolve()).then(async () => {
    try {
      const Plotly = await plotly(), style = getComputedStyle(node), drawn = themed(data, style);
      drawn.layout.font.family = style.fontFamily;
      await Plotly.react(node, drawn.data, drawn.layout, { displayModeBar: false, responsive: true });
    } catch (error) { node.replaceChildren(make('p', 'th-waiting', 'The figure could not be drawn: ' + error.message)); }
  });
  drawings.set(node, next);
  return next;
}

function duration(value) {
  if (value < 60) return Math.max(1, Math.round(value)) + ' s';
  return value < 3600 ? Math.round(value / 60) + ' min' : (value / 3600).toFixed(1) + ' h';
}
// Who began a piece of work may cancel it, also after the page was loaded again.
const owner = (() => {
  let kept = window.thOwner || null;
  try { kept ||= localStorage.getItem('th-owner'); } catch (error) { /* a new one each time then */ }
  if (!/^[0-9a-f]{32}$/.test(kept || '')) {
    kept = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    try { localStorage.setItem('th-owner', kept); } catch (error) { /* as above */ }
  }
  return (window.thOwner = kept);
})();
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
  let timer = null, before = null;
  async function look() {
    clearTimeout(timer);
    let busy = false;
    if (element.offsetParent !== null && !document.hidden) {
      try {
        const job = (await ask('/api/explore/jobs?owner=' + owner))[kind];
        busy = Boolean(job && job.status === 'running');
        show(job, before && job && before.id === job.id && before.status === 'running' && !busy);
        before = job;
      } catch (error) { busy = true; /* asked again: the app may be starting anew */ }
    }
    clearTimeout(timer);
    if (element.isConnected) timer = setTimeout(look, busy ? 500 : 4000);
  }
  document.addEventListener('th-explore-job', look);
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
