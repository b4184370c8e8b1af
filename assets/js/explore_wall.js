// The wall of failures.
const root = element.querySelector('.th-wall');
function front() { root.hidden = explore.view !== 'wall'; }
document.addEventListener('th-explore', front);
front();
