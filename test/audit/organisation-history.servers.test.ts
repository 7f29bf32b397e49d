import { onBothStores } from './audited-stores.js';
import { organisationDifference } from './organisation-difference.js';
import { organisationHistory } from './organisation-history.js';

onBothStores('an audit of one organisation', (open) => {
  organisationHistory(open);
  organisationDifference(open);
});
