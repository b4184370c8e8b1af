// Explore: the parts that `truehue.tabs.page.widgets` mounts.

export { mount as disagreements } from './disagreements.js';
export { mount as leaderboard } from './leaderboard.js';
export { mount as judgments } from './judgments.js';
export { mount as runs } from './runs.js';
export { mount as switch } from './switch.js';
export { mount as rule_accuracy } from './rule_accuracy.js';
export { mount as failures } from './failures.js';
