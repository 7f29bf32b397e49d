import type { SealCalls } from '../../../admin/api/seals.js';
import type { Subject } from '../../page-view.js';
import { momentPages } from './difference.js';
import { historyPages } from './history.js';
import { sealPages } from './seals.js';

/** `/audit`: history, differences between two moments, listeners at one; seals for operators only. */
export const auditPages =
  (seals?: SealCalls): Subject =>
  (site) => {
    historyPages(site);
    momentPages(site);
    if (seals) sealPages(site, seals);
  };
