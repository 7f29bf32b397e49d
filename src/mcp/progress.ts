import type { MasterKeys } from '../access/keys/master-keys.js';
import { feedCursors } from '../admin/feed/cursor.js';
import { handedOverUpTo, lowest } from '../deliveries/fan-out/partitions.js';
import { remembered } from '../flows/types/publishing-checks.js';
import { InvalidRequest } from '../kernel/domain-error.js';
import { isoOrNull } from '../kernel/iso-time.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';

/** Progress of a subscription in force. */
type Progress = {
  /** Cursor of the feed: all up to it was accepted or given up. Undefined: none that is known is later than that of the host. */
  cursor: string | undefined;
  deliveryStatus: {
    active: true;
    lastDeliveryAt: string | null;
    lastError: string | null;
    failedSince?: string;
  };
};

/** `given`: the cursor of the host. */
export type ProgressOf = (orgId: string, listenerId: string, given: string | null) => Promise<Progress>;

type ProgressDependencies = {
  queue: Pick<DeliveryQueue, 'positions' | 'waiting' | 'listeners' | 'deliveries' | 'events' | 'listenerStates'>;
  masterKeys: Pick<MasterKeys, 'current' | 'derive'>;
};

/** Maximum number of open deliveries among which the earliest is looked up. */
const maxOpen = 1_000;

const maxOrganisations = 1_000;

export function subscriptionProgress({ queue, masterKeys }: ProgressDependencies): ProgressOf {
  // For a second: hosts refresh many subscriptions one after the other.
  const positionOf = remembered(maxOrganisations, (orgId) => handedOverUpTo(queue, orgId, { unwritten: true }));

  /** Undefined: not known. */
  async function acceptedUpTo(handedOver: bigint, orgId: string, listenerId: string): Promise<bigint | undefined> {
    const [backlog] = await queue.listeners({ orgId, listenerId, limit: 1 });
    if (!backlog) return handedOver;
    if (backlog.waiting + backlog.held > maxOpen) return undefined;
    const open = await queue.deliveries({ orgId, listenerId, states: ['waiting', 'held'], limit: maxOpen });
    const earliest = open.deliveries.at(-1);
    if (!earliest) return handedOver; // they have been recorded meanwhile
    const [event] = await queue.events({ orgId, eventId: earliest.eventId });
    if (!event || open.next !== undefined) return undefined;
    return lowest([handedOver, event.position - 1n]);
  }

  return async (orgId, listenerId, given) => {
    const cursors = feedCursors(masterKeys, orgId);
    const handedOver = await positionOf(orgId); // first: what comes after it may be open
    // Second: it has those of the listener written that are in memory.
    const { deliveries } = await queue.deliveries({ orgId, listenerId, states: ['succeeded'], limit: 1 });
    const [position, states] = await Promise.all([
      handedOver === undefined ? undefined : acceptedUpTo(handedOver, orgId, listenerId),
      queue.listenerStates([listenerId]),
    ]);
    const failing = states.get(listenerId)?.health.failing;
    const [latest] = deliveries;
    return {
      cursor:
        position === undefined || position <= placeOf(cursors, given)
          ? undefined
          : cursors.write({ position, reported: position }),
      deliveryStatus: {
        active: true,
        lastDeliveryAt: isoOrNull(latest?.lastAttemptAt),
        lastError: failing ? errorOf(failing.last ?? {}) : null,
        ...(failing && { failedSince: new Date(failing.since).toISOString() }),
      },
    };
  };
}

/** Position of the host's cursor, which is later than the delivery of an old event that is redelivered. A text that is no cursor has none. */
function placeOf(cursors: ReturnType<typeof feedCursors>, given: string | null): bigint {
  try {
    return given === null ? -1n : cursors.read(given).position;
  } catch (error) {
    if (error instanceof InvalidRequest) return -1n;
    throw error;
  }
}

/** Class of a failure in the words of MCP Events. */
function errorOf({ status, error = '' }: { status?: number; error?: string }): string {
  if (status !== undefined) return status >= 500 ? 'http_5xx' : 'http_4xx';
  if (/timeout/.test(error)) return 'timeout';
  return /tls|certificate/.test(error) ? 'tls_error' : 'connection_refused';
}
