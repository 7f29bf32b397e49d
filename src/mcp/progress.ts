import type { MasterKeys } from '../access/keys/master-keys.js';
import { feedCursors } from '../admin/feed/cursor.js';
import { handedOverUpTo } from '../deliveries/fan-out/partitions.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';

/** Progress of a subscription in force. */
type Progress = {
  /** Cursor of the feed: all up to it was accepted or given up. Undefined while deliveries are open. */
  cursor: string | undefined;
  deliveryStatus: {
    active: true;
    lastDeliveryAt: string | null;
    lastError: string | null;
    failedSince?: string;
  };
};

export type ProgressOf = (orgId: string, listenerId: string) => Promise<Progress>;

type ProgressDependencies = {
  queue: Pick<DeliveryQueue, 'positions' | 'waiting' | 'backlog' | 'deliveries' | 'listenerStates'>;
  masterKeys: Pick<MasterKeys, 'current' | 'derive'>;
};

export function subscriptionProgress({ queue, masterKeys }: ProgressDependencies): ProgressOf {
  return async (orgId, listenerId) => {
    const position = await handedOverUpTo(queue, orgId); // first: what comes after it may be open
    const [open, { deliveries }, states] = await Promise.all([
      queue.backlog({ orgId, listenerId, limit: 1 }),
      queue.deliveries({ orgId, listenerId, states: ['succeeded'], limit: 1 }),
      queue.listenerStates([listenerId]),
    ]);
    const isIdle = position !== undefined && open.every(({ waiting, held }) => waiting + held === 0);
    const failing = states.get(listenerId)?.health.failing;
    const [latest] = deliveries;
    return {
      cursor: isIdle ? feedCursors(masterKeys, orgId).write({ position, reported: position }) : undefined,
      deliveryStatus: {
        active: true,
        lastDeliveryAt: isoOrNull(latest?.lastAttemptAt),
        lastError: failing ? errorOf(failing.last ?? {}) : null,
        ...(failing && { failedSince: new Date(failing.since).toISOString() }),
      },
    };
  };
}

const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

/** Class of a failure in the words of MCP Events. */
function errorOf({ status, error = '' }: { status?: number; error?: string }): string {
  if (status !== undefined) return status >= 500 ? 'http_5xx' : 'http_4xx';
  if (/timeout/.test(error)) return 'timeout';
  return /tls|certificate/.test(error) ? 'tls_error' : 'connection_refused';
}
