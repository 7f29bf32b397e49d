import { importReason } from '../src/events/imported.js';
import { listenerEvents, type SigningSecret, type Subscription } from '../src/events/listener-events.js';
import { projection, put, removeWhere, sortable } from '../src/views/projection.js';

/** Fields before or after an event; null: no listener. */
type ListenerDetails = {
  subscription?: Subscription;
  state?: 'active' | 'paused';
  keyGeneration?: string;
  secretVersion?: number;
  /** ISO 8601; null: no previous secret. */
  previousSecretUntil?: string | null;
  /** End of the subscription of an agent. */
  expiresAt?: string | null;
  /** Progress towards the automatic pause. */
  failingPercent?: number;
} | null;

export type HistoryEntry = {
  /** `sortable`: key order is chronological. */
  position: string;
  type: string;
  at: string;
  /** `user:42`, `admin:ops`. */
  actor: string | null;
  correlationId: string | null;
  orgId: string;
  userId: string;
  listenerId: string;
  hookUrl: string;
  before: ListenerDetails;
  after: ListenerDetails;
  reason: string | null;
};

type HistoryEvent = {
  type: string;
  position: bigint;
  recordedAt: string;
  metadata: Readonly<Record<string, unknown>>;
  data: Pick<HistoryEntry, 'orgId' | 'userId' | 'listenerId' | 'hookUrl'>;
};

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function entry(
  { type, position, recordedAt, metadata, data: { orgId, userId, listenerId, hookUrl } }: HistoryEvent,
  { before, after, reason }: Pick<HistoryEntry, 'before' | 'after'> & { reason?: string },
) {
  const document: HistoryEntry = {
    position: sortable(position),
    type,
    at: recordedAt,
    actor: textOrNull(metadata.actor),
    correlationId: textOrNull(metadata.$correlationId),
    orgId,
    userId,
    listenerId,
    hookUrl,
    before,
    after,
    reason: reason ?? null,
  };
  return put(document.position, document);
}

const secretFacts = ({ keyGeneration, version }: SigningSecret) => ({ keyGeneration, secretVersion: version });

export const listenerHistory = projection({
  name: 'listener-history',
  version: 1,
  category: 'listener',
  // With the type: `ListenerSubscribed` lists current and past listeners.
  indexes: [['orgId'], ['orgId', 'type'], ['orgId', 'hookUrl'], ['listenerId']],
  events: listenerEvents,
  forget: ({ listenerIds }) => removeWhere('listenerId', listenerIds),
  on: {
    ListenerSubscribed: (event) => {
      const { subscription, secret } = event.data;
      const after = { subscription, state: 'active', ...secretFacts(secret) } as const;
      return entry(event, { before: null, after, reason: importReason(event.data) });
    },
    ListenerSubscriptionChanged: (event) => {
      const { previous, subscription } = event.data;
      return entry(event, { before: { subscription: previous }, after: { subscription } });
    },
    ListenerSecretRotated: (event) => {
      const { secret } = event.data;
      const previousSecretUntil = secret.previous?.until ?? null;
      return entry(event, { before: {}, after: { ...secretFacts(secret), previousSecretUntil } });
    },
    ListenerRenewed: (event) => entry(event, { before: {}, after: { expiresAt: event.data.secret.expiresAt ?? null } }),
    ListenerFailing: (event) => entry(event, { before: {}, after: { failingPercent: event.data.failing.percent } }),
    ListenerPaused: (event) =>
      entry(event, { before: { state: 'active' }, after: { state: 'paused' }, reason: event.data.reason }),
    ListenerResumed: (event) => {
      const { circuitClosed } = event.data;
      const before = { state: circuitClosed ? 'active' : 'paused' } as const;
      return entry(event, { before, after: { state: 'active' }, reason: circuitClosed && 'circuit-closed' });
    },
    ListenerUnsubscribed: (event) =>
      entry(event, {
        before: { subscription: event.data.subscription },
        after: null,
        reason: event.data.reason,
      }),
  },
});
