import type { Registration } from '../../projections/listeners.js';

/** A registration as operators see it, in the CLI's JSON and the admin API. */
export const listenerSummary = ({
  listenerId,
  orgId,
  userId,
  hookUrl,
  subscriptionType,
  state,
  since,
}: Registration) => ({ listenerId, orgId, userId, hookUrl, subscriptionType, state, since });
