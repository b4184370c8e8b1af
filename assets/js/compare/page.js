// Compare: the parts that `truehue.tabs.page.widgets` mounts.

import { mountParts } from '../shared/widget.js';
import { mount as concept } from './concept.js';
import { mount as guidance } from './guidance.js';
import { mount as modifiers } from './modifiers.js';
import { mount as people } from './people.js';
import { mount as switches } from './switch.js';
import { mount as tables } from './tables.js';

export const compare = mountParts({
  compare: switches,
  'compare-concept': concept,
  'compare-tables': tables,
  'compare-modifiers': modifiers,
  'compare-guidance': guidance,
  'compare-people': people,
});
