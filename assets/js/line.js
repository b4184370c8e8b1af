// One line of words beside a control.
function draw() { element.querySelector('p').textContent = props.text || ''; }
watch('text', draw);
draw();
