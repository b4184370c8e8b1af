// The runs.
const root = element.querySelector('.th-runs');
function front() { root.hidden = explore.view !== 'runs'; }
document.addEventListener('th-explore', front);
front();
