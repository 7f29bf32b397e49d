import type { Logger } from 'pino';
import type { AdministratorIdentity } from '../access/identity/caller.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import { notifyQueue } from '../deliveries/fan-out/queued-listener.js';
import { postThrough } from '../deliveries/posting/post.js';
import { targetGuard } from '../deliveries/target-guard/target-guard.js';
import type { Routes } from '../http/context.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import { agentQuota } from '../listeners/agents/agent-quota.js';
import { agentSubscriptions } from '../listeners/agents/agent-subscriptions.js';
import type { ListenerQuota } from '../listeners/listener-quota.js';
import { callbackPools, callbackVerification } from '../mcp/callbacks.js';
import { gapNotices } from '../mcp/gaps.js';
import { mcpRoutes } from '../mcp/mcp.js';
import { subscriptionProgress } from '../mcp/progress.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { DocumentFinder } from '../views/read-model.js';
import type { Config } from './config/config.js';
import type { DeliveryPorts } from './delivery-ports.js';

type AgentDependencies = Pick<DeliveryPorts, 'queue' | 'guard' | 'barrier'> & {
  store: EventStore;
  readModel: DocumentFinder;
  keys: { masterKeys: MasterKeys };
  identity: AdministratorIdentity;
  limits: RequestLimits;
  listenerQuota: ListenerQuota;
  api: AdminApi;
  log: Logger;
};

/** The endpoint for agents, with their subscriptions, and the requests that verify their callbacks. Loaded where agents connect. */
export function openAgents(config: Config, dependencies: AgentDependencies, stopping: AbortSignal): readonly Routes[] {
  const { targets } = config.deliveries;
  const { queue, guard, keys, api, identity, limits } = dependencies;
  const { masterKeys } = keys;
  const pools = callbackPools(targetGuard(targets).connect);
  stopping.addEventListener('abort', () => void pools.destroy());
  const post = postThrough(pools);
  const subscriptions = agentSubscriptions({
    ...dependencies,
    masterKeys,
    agentQuota: agentQuota(config.mcp.maxSubscriptions, dependencies.readModel),
    checkTarget: guard.check,
    notifyChange: notifyQueue(queue, Date.now),
  });
  const webhooks = {
    subscriptions,
    verifyCallback: callbackVerification(post),
    progressOf: subscriptionProgress({ queue, masterKeys }),
    notifyGap: gapNotices({ ...dependencies, masterKeys, post }),
  };
  return [mcpRoutes(config, { api, webhooks, identity, limits, stopping })];
}
