// The page around the tabs: the parts that `truehue.tabs.page.widgets` mounts.

import { mountParts } from '../shared/widget.js';
import { mount as drop } from './drop.js';
import { mount as imports } from './imports.js';
import { mount as notices } from './notices.js';
import { mount as scrolling } from './scrolling.js';
import { mount as tour } from './tour.js';

export { mount as header } from './header.js';
export { open } from './open.js';
export const page = mountParts({ tour, notices, imports, 'page-drop': drop });
scrolling();
