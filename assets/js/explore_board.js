// The leaderboard.
const root = element.querySelector('.th-board');
function front() { root.hidden = explore.view !== 'board'; }
document.addEventListener('th-explore', front);
front();
