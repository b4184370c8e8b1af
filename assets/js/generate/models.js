// The chosen models and their missing files. Names may come from a link: text only.

/** @param {import('../shared/widget.js').Widget} widget */
export function mount({ element, props, watch }) {
  const list = element.querySelector('.th-models');
  function draw() {
    const view = props.view || {};
    list.hidden = !(view.models || []).length;
    list.classList.toggle('th-lacking', Boolean(view.lacking));
    list.replaceChildren(
      ...(view.models || []).map((model) => {
        const line = document.createElement('li');
        const name = document.createElement('b');
        name.textContent = model.name;
        line.append(name, ': ' + model.facts + '.');
        model.lacking.forEach(([text, command]) => {
          line.append(' ' + text);
          if (!command) return;
          const code = document.createElement('code');
          code.textContent = command;
          line.append(' ', code);
        });
        return line;
      }),
    );
  }
  watch('view', draw);
  draw();
}
