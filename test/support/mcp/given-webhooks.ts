import { pino } from 'pino';
import { notifyQueue } from '../../../src/deliveries/fan-out/queued-listener.js';
import { postThrough } from '../../../src/deliveries/posting/post.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { agentQuota } from '../../../src/listeners/agents/agent-quota.js';
import { agentSubscriptions } from '../../../src/listeners/agents/agent-subscriptions.js';
import { callbackPools, callbackVerification } from '../../../src/mcp/callbacks.js';
import { gapNotices } from '../../../src/mcp/gaps.js';
import { subscriptionProgress } from '../../../src/mcp/progress.js';
import type { Webhooks } from '../../../src/mcp/webhooks.js';
import type { GivenOperations } from '../admin/given-operations.js';

/** Webhook mode of MCP Events on the stores and deliveries of a test, as the service wires it in development mode. */
export function givenWebhooks(
  { store, readModel, masterKeys, queue }: GivenOperations,
  maxSubscriptions?: number,
): Webhooks & { stop: () => Promise<void> } {
  const guard = targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] });
  const pools = callbackPools(guard.connect);
  const post = postThrough(pools);
  return {
    subscriptions: agentSubscriptions({
      store,
      masterKeys,
      checkTarget: guard.check,
      listenerQuota: async () => undefined,
      agentQuota: agentQuota(maxSubscriptions, readModel),
      notifyChange: notifyQueue(queue, Date.now),
      barrier: { close: (listenerId: string) => queue.withdraw({ listenerId }) },
    }),
    verifyCallback: callbackVerification(post),
    progressOf: subscriptionProgress({ queue, masterKeys }),
    notifyGap: gapNotices({ queue, masterKeys, post, log: pino({ enabled: false }) }),
    stop: () => pools.destroy(),
  };
}
