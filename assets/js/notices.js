// Above everything: that nothing can be stored, or that something is lost. Drawn into the body, so
// that it takes no room in the page's layout while there is nothing to tell.
const box = element.querySelector('.th-notices');
document.body.prepend(box);
let looked = 0;

function show(notices) {
  box.hidden = !notices.length;
  const known = new Map([...box.children].map((node) => [node.dataset.number + node.firstChild.textContent, node]));
  arrange(box, notices.map((one) => known.get(String(one.number) + one.text) || drawn(one)));
}

function drawn(one) {
  const node = make('div', 'th-notice');
  node.dataset.number = String(one.number);
  node.appendChild(make('p', '', one.text));
  if (one.number !== null) {
    const read = make('button', 'th-button', 'I have read this');
    read.type = 'button';
    read.addEventListener('click', async () => {
      read.disabled = true;
      try {
        show((await send('/api/notices/read', { number: one.number })).notices);
      } catch (error) {
        read.disabled = false;
        put(node.firstChild, one.text + ' ' + error.message);
      }
    });
    node.appendChild(read);
  }
  return node;
}

async function look() {
  looked = Date.now();
  try { show((await ask('/api/notices')).notices); } catch (error) { /* asked again with the next event */ }
}
look();
['th-drawn', 'th-runs', 'th-explore'].forEach((name) => document.addEventListener(name, () => { if (Date.now() - looked > 2000) look(); }));
document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
