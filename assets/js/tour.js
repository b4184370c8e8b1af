// Five minutes for newcomers: what to press, in order. Each step waits until it was done, or goes on
// when one says so. It presses nothing itself.
const card = element.querySelector('.th-tour'), title = card.querySelector('h3'), text = card.querySelector('p');
const count = card.querySelector('footer span'), next = card.querySelector('.th-tour-next'), end = card.querySelector('.th-tour-end');
const STEPS = [
  { title: 'Draw a mug of known color', text: 'Choose “Own words”: the object is a mug, the color vivid reddish orange, the model the reference renderer, which needs no weights. Press Draw.', at: '#draw .th-draw-button', done: 'th-drawn' },
  { title: 'See what was measured', text: 'The picture appears below with a mark for every rule that judged it: the renderer knows exactly which pixels are the mug. Click the picture: Inspect opens with the verdict and the reasons.', at: '#gallery .th-shot-picture', done: () => document.querySelector('#verdict') && document.querySelector('#verdict').offsetParent },
  { title: 'Change the rule', text: 'Under “Rule”, choose another one. The same pixels can pass one rule and fail another: light and shade move L* and chroma. “How this was measured” lists every step. Then come back to Generate.', at: '#rule', done: () => document.querySelector('#prompts') && document.querySelector('#prompts').offsetParent },
  { title: 'Find prompts', text: 'Search for “vivid green”, and tick “several objects” under Number of objects. Every prompt of the benchmark is in the list, with its colors.', at: '#prompts .th-search', done: () => document.querySelector('#prompts .th-search').value.trim().length > 2 },
  { title: 'Fill the basket', text: 'Put three prompts into the basket with the boxes at the left of the list.', at: '#prompts .th-list', done: () => basket.size() >= 3 },
  { title: 'Let it fail', text: 'Under “Failure that the renderer acts out”, choose swapped: the objects exchange their colors. Press Draw, and see what the verdicts make of it.', at: '#generate-failure', done: 'th-drawn' },
  { title: 'Ask whether to believe it', text: 'Open the tab Explore: how often each rule is right on pictures of known color, how often it accepts a wrong one, and on which of your images two rules disagree. Then come back to Generate.', at: '#th-tabs button[role=tab]:nth-of-type(3)', done: () => document.querySelector('#explore') && document.querySelector('#explore').offsetParent },
  { title: 'Your own', text: 'That was it. “Bring your own images” takes a folder from any model; Inspect takes a photograph. With weights on this machine, choose other models in the same list.', at: '#gallery .th-import-images' },
];
let step = -1, timer = null, spot = null, opener = null;
card.tabIndex = -1;

function seen(node) { return node && node.offsetParent !== null; }
function mark() {
  const now = step >= 0 ? document.querySelector(STEPS[step].at) : null;
  if (spot && spot !== now) spot.classList.remove('th-tour-spot');
  spot = seen(now) ? now : null;
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
