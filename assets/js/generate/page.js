// Generate: the parts that `truehue.tabs.page.widgets` mounts.

import { mountParts } from '../shared/widget.js';
import { mount as gallery } from './gallery.js';
import { mount as pair } from './pair.js';
import { mount as prompts } from './prompts.js';
import { mount as request } from './request.js';

export const generate = mountParts({ prompts, request, gallery, pair });
