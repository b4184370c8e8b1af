// Explore: the parts that `truehue.tabs.page.widgets` mounts.

import { mountParts } from '../shared/widget.js';
import { mount as disagreements } from './disagreements.js';
import { mount as failures } from './failures.js';
import { mount as judgments } from './judgments.js';
import { mount as leaderboard } from './leaderboard.js';
import { mount as ruleAccuracy } from './rule_accuracy.js';
import { mount as runs } from './runs.js';
import { mount as switches } from './switch.js';

export const explore = mountParts({
  explore: switches,
  'explore-leaderboard': leaderboard,
  'explore-failures': failures,
  'explore-runs': runs,
  'explore-rule_accuracy': ruleAccuracy,
  'explore-disagreements': disagreements,
  'explore-judgments': judgments,
});
