import { onBothStores } from './audited-stores.js';
import { verificationsInTheBackground } from './background-verifications.js';

onBothStores('verifying a view in the background', verificationsInTheBackground);
