import type { Subject } from '../../page-view.js';
import { momentPages } from './difference.js';
import { historyPages } from './history.js';

/** `/audit`: the history of an organisation and of the service, differences between two moments, and registrations at one. */
export const auditPages = (): Subject => (site) => {
  historyPages(site);
  momentPages(site);
};
