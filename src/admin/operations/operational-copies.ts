import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { operationsOrganisation } from '../../events/operational-events.js';
import { flowAbout, flowStream } from '../../flows/flow-event.js';
import { newFlowEvent } from '../../flows/publish-flow-event.js';
import { selectsOperational } from '../../flows/types/subscription-types.js';
import { uuidV5 } from '../../kernel/uuid.js';
import { registeredAt } from '../../listeners/queries/registered-listeners.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import type { LeadershipLease, Leases } from '../../stores/leases/leases.js';
import type { DocumentFinder } from '../../views/read-model.js';
import type { OperationalEvent } from './operational-event.js';

type CopySettings = {
  store: EventStore;
  readModel: DocumentFinder;
  masterKeys: MasterKeys;
  clock: () => number;
};

export type OperationalEventsSettings = CopySettings & {
  queue: Pick<DeliveryQueue, 'positions' | 'enqueue' | 'exhausted'>;
  leases: Leases;
  viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  log: Logger;
};

/** Writes the checkpoint of a reader, which is refused to an earlier term. */
export type KeepCheckpoint = (reader: string, position: bigint) => Promise<void>;

export type Following = {
  lease: Pick<LeadershipLease, 'signal'>;
  keep: KeepCheckpoint;
  /** Called after each step that succeeded. */
  worked: () => void;
};

type OperationalCopies = {
  /**
   * Publishes a copy for operators and one for the organisation concerned, each only if a listener there selects operational events at
   * this position, which the listeners view has reached. Idempotent by `causeId`; operators get one of a minute for each `alert`.
   * `at`: ISO 8601. Returns the number of copies.
   */
  publish: (event: OperationalEvent & { causeId: string; at: string }, position: bigint) => Promise<number>;
  /** Deletes the copies of an organisation that was erased. */
  withdraw: (event: OperationalEvent) => Promise<void>;
  /** Call with each listener event, in order. */
  noticeListener: (recorded: RecordedEvent) => void;
};

const maxEventBytes = 65_536;
/** Organisations of which it is known whether a listener selects operational events. */
const maxOrganisations = 10_000;

const copiesOf = (concerned: string | undefined) => [
  { orgId: operationsOrganisation, flowId: concerned === undefined ? 'service' : flowAbout(concerned) },
  ...(concerned === undefined ? [] : [{ orgId: concerned, flowId: operationsOrganisation }]),
];

const minuteOf = (at: string): string => new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

const idOfSecret = uuidV5('9d6d3f0c-3a51-4a55-b1a5-6f0b8a0f7c1e');

export function operationalCopies({ store, readModel, masterKeys, clock }: CopySettings): OperationalCopies {
  /** Not to be guessed: a publisher could use the ID first, and the event would count as a repeat. */
  const idOf = (causeId: string): string =>
    idOfSecret(masterKeys.derive(masterKeys.current, 'operational-event', causeId).toString('hex'));
  const subscribed = new LRUCache<string, boolean>({ max: maxOrganisations });

  async function isSubscribed(orgId: string, position: bigint): Promise<boolean> {
    const known = subscribed.get(orgId);
    if (known !== undefined) return known;
    let found = false;
    for await (const page of registeredAt(readModel, orgId, position)) {
      found = page.some(({ subscription }) => selectsOperational(subscription.subscriptionType));
      if (found) break;
    }
    subscribed.set(orgId, found);
    return found;
  }

  return {
    async publish({ type, data, orgId: concerned, alert, causeId, at }, position) {
      let published = 0;
      for (const { orgId, flowId } of copiesOf(concerned)) {
        if (!(await isSubscribed(orgId, position))) continue;
        const isOnceAMinute = alert !== undefined && orgId === operationsOrganisation;
        const id = idOf(isOnceAMinute ? JSON.stringify([...alert, minuteOf(at)]) : causeId);
        const cause = { actor: 'service', correlationId: causeId, causationId: causeId };
        const options = { orgId, cause, now: new Date(clock()), maxBytes: maxEventBytes, operational: true } as const;
        await store.appendEach([newFlowEvent({ id, flowId, occurredAt: at, type, data }, options)]);
        published += 1;
      }
      return published;
    },
    async withdraw({ orgId: concerned }) {
      if (concerned === undefined) return;
      for (const { orgId, flowId } of copiesOf(concerned)) await store.deleteStream(flowStream(orgId, flowId));
    },
    noticeListener({ type, data }) {
      const { orgId, subscription } = data as { orgId?: string; subscription?: { subscriptionType?: string } };
      const isConcerned =
        type === 'ListenerSubscriptionChanged' || selectsOperational(subscription?.subscriptionType ?? '');
      if (orgId !== undefined && isConcerned) subscribed.delete(orgId);
    },
  };
}
