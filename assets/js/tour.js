// Five minutes for newcomers: what to press, in order. Each step waits until it was done, or goes on
// when one says so. It presses nothing itself.
const card = element.querySelector('.th-tour'), title = card.querySelector('h3'), text = card.querySelector('p');
const count = card.querySelector('footer span'), next = card.querySelector('.th-tour-next'), end = card.querySelector('.th-tour-end');
const EXPLORE = '#th-tabs button[role=tab]:nth-of-type(3)', COMPARE = '#th-tabs button[role=tab]:nth-of-type(4)';
const STEPS = [
  { title: 'Draw a mug of known color', text: 'Choose “Own words”: the object is a mug, the color vivid reddish orange, the model the reference renderer, which needs no weights. Press Draw.', at: '#draw .th-draw-button', done: 'th-drawn' },
  { title: 'See what was measured', text: 'The picture appears below with a mark for every rule that judged it: the renderer knows exactly which pixels are the mug. Click the picture: Inspect opens with the verdict and the reasons.', at: '#gallery .th-shot-picture', done: () => document.querySelector('#verdict') && document.querySelector('#verdict').offsetParent },
  { title: 'Change the rule', text: 'Under “Rule”, choose another one. The same pixels can pass one rule and fail another: light and shade move L* and chroma. “How this was measured” lists every step. Then come back to Generate.', at: '#rule', done: () => document.querySelector('#prompts') && document.querySelector('#prompts').offsetParent },
  { title: 'Find prompts', text: 'Search for “vivid green”, and tick “several objects” under Number of objects. Every prompt of the benchmark is in the list, with its colors.', at: '#prompts .th-search', done: () => document.querySelector('#prompts .th-search').value.trim().length > 2 },
  { title: 'Fill the basket', text: 'Put three prompts into the basket with the boxes at the left of the list.', at: '#prompts .th-list', done: () => basket.size() >= 3 },
  { title: 'Let it fail', text: 'Under “Failure that the renderer acts out”, choose swapped: the objects exchange their colors. Press Draw, and see what the verdicts make of it.', at: '#generate-failure', done: 'th-drawn' },
  { title: 'Let a whole run do it', text: 'Open the tab Explore and choose Runs. Take at most 20 prompts, 1 image per prompt and the size 128 × 128, and press Start: every picture is drawn, judged by all rules, and kept.', at: ['#explore-runs .th-draw-button', '.th-explore-switch [data-view="runs"]', EXPLORE], done: () => document.querySelector('.th-run-item[data-status="running"]') },
  { title: 'See what broke', text: 'Leaderboard says how often each run painted what was asked, while it goes on. Click a number: Failures shows the pictures behind it. The arrow keys go through them, Enter makes one large, C puts another run beside it.', at: ['.th-explore-switch [data-view="board"]', EXPLORE], done: () => document.querySelector('dialog.th-light[open]') },
  { title: 'Ask whether to believe it', text: 'Choose “Can the measure be trusted?”: how often each rule is right on pictures of known color, and how often it accepts a wrong one. “Where the rules disagree” compares them on your own images.', at: ['.th-explore-switch [data-view="trust"]', EXPLORE], done: () => seen(document.querySelector('#explore-trust .th-trust')) },
  { title: 'Compare with people', text: 'A “rotten mango” has no one right color. Open the tab Compare, search for it and choose it: what people give it, and what models give it, stand side by side, with what would have to move from one to the other. People’s colors come in under “People and files”. Then come back to Generate.', at: ['.th-cc-search', '.th-compare-switch [data-view="concept"]', COMPARE], done: () => seen(document.querySelector('.th-cc-beside')) },
  { title: 'Your own', text: 'That was it. “Bring your own images” takes a folder from any model; Inspect takes a photograph. With weights on this machine, choose other models in the same list.', at: '#gallery .th-import-images' },
];
// Of several places of a step the first that is seen is marked.
let step = -1, timer = null, spot = null, opener = null;
card.tabIndex = -1;

function seen(node) { return node && node.offsetParent !== null; }
function mark() {
  const now = step >= 0 ? [STEPS[step].at].flat().map((at) => document.querySelector(at)).find(seen) : null;
  if (spot && spot !== now) spot.classList.remove('th-tour-spot');
  spot = now || null;
  if (spot) spot.classList.add('th-tour-spot');
}
function go(to) {
  step = to;
  clearInterval(timer);
  if (step < 0 || step >= STEPS.length) {
    step = -1;
    mark();
    const held = card.contains(document.activeElement);
    card.hidden = true;
    if (held && opener && opener.isConnected) opener.focus();
    try { localStorage.setItem('th-tour', 'seen'); } catch (error) { /* it may be offered again */ }
    return;
  }
  const one = STEPS[step];
  title.textContent = one.title;
  text.textContent = one.text;
  count.textContent = (step + 1) + ' of ' + STEPS.length;
  next.textContent = step + 1 === STEPS.length ? 'Done' : 'Next';
  if (card.hidden) {
    opener = document.activeElement;
    card.hidden = false;
    card.focus({ preventScroll: true });
  }
  mark();
  if (spot) spot.scrollIntoView({ block: 'nearest' });
  timer = setInterval(() => {
    mark();
    if (typeof one.done === 'function' && one.done()) go(step + 1);
  }, 500);
}
document.addEventListener('th-drawn', () => { if (step >= 0 && STEPS[step].done === 'th-drawn') go(step + 1); });
next.addEventListener('click', () => go(step + 1));
end.addEventListener('click', () => go(-1));
document.addEventListener('keydown', (event) => { if (event.key === 'Escape' && step >= 0 && !document.querySelector('dialog[open]')) go(-1); });
document.addEventListener('th-tour', () => go(0));
