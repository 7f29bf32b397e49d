import type { SealCalls } from '../../../admin/api/seals.js';
import type { Subject } from '../../page-view.js';
import { momentPages } from './difference.js';
import { historyPages } from './history.js';
import { sealPages } from './seals.js';

/**
 * `/audit`: the history of an organisation and of the service, differences between two moments, and listeners at one; and seals,
 * where the pages are not for one customer.
 */
export const auditPages =
  (seals?: SealCalls): Subject =>
  (site) => {
    historyPages(site);
    momentPages(site);
    if (seals) sealPages(site, seals);
  };
