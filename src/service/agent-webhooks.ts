import type { Logger } from 'pino';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { notifyQueue } from '../deliveries/fan-out/fan-out-batch-builder.js';
import { postThrough } from '../deliveries/posting/post.js';
import { targetGuard } from '../deliveries/target-guard/target-guard.js';
import { agentQuota } from '../listeners/agents/agent-quota.js';
import { agentSubscriptions } from '../listeners/agents/agent-subscriptions.js';
import type { ListenerQuota } from '../listeners/listener-quota.js';
import { callbackPools, callbackVerification } from '../mcp/callbacks.js';
import { gapNotices } from '../mcp/gaps.js';
import { subscriptionProgress } from '../mcp/progress.js';
import type { Webhooks } from '../mcp/webhooks.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { DocumentFinder } from '../views/read-model.js';
import type { Config } from './config/config.js';
import type { DeliveryPorts } from './delivery-ports.js';

/** Subscriptions of agents, and the requests that verify their callbacks. Loaded where agents may connect. */
export function agentWebhooks(
  { deliveries: { targets }, mcp }: Config,
  dependencies: Pick<DeliveryPorts, 'queue' | 'guard' | 'barrier'> & {
    store: EventStore;
    readModel: DocumentFinder;
    masterKeys: MasterKeys;
    log: Logger;
    listenerQuota: ListenerQuota;
  },
  stopping: AbortSignal,
): Webhooks {
  const pools = callbackPools(targetGuard(targets).connect);
  stopping.addEventListener('abort', () => void pools.destroy());
  const post = postThrough(pools);
  const { queue, guard } = dependencies;
  return {
    subscriptions: agentSubscriptions({
      ...dependencies,
      agentQuota: agentQuota(mcp.maxSubscriptions, dependencies.readModel),
      checkTarget: guard.check,
      notifyChange: notifyQueue(queue, Date.now),
    }),
    verifyCallback: callbackVerification(post),
    progressOf: subscriptionProgress(dependencies),
    notifyGap: gapNotices({ ...dependencies, post }),
  };
}
