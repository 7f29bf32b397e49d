import { randomUUID } from 'node:crypto';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { handedOverUpTo } from '../../deliveries/fan-out/partitions.js';
import { webhookHeaders, webhookTimestamp } from '../../deliveries/queue/delivery.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { ReaderPositions } from '../../deliveries/queue/leasing.js';
import { signature, signingKey } from '../../deliveries/worker/signed-headers.js';
import { bodyOf, type FlowEvent } from '../../flows/flow-event.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import { version } from '../../kernel/version.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { pastFlowEvents } from '../replays/past-flow-events.js';
import {
  beginForwarding,
  endForwarding,
  extendForwarding,
  type Forwarding,
  forwardingDecider,
  forwardingStream,
} from './forwarding.js';

export type ForwardingDependencies = {
  store: EventStore;
  queue: ReaderPositions & Pick<DeliveryQueue, 'events'>;
  masterKeys: MasterKeys;
  /** Ends waits. */
  stopping: AbortSignal;
};

type Fetch = {
  forwardingId: string;
  orgId: string;
  after: bigint;
  waitSeconds: number;
};

type Context = { cause: Cause; now: Date };

/** A request as a listener would get it. */
type ForwardedRequest = {
  position: string;
  eventId: string;
  eventType: string;
  headers: Readonly<Record<string, string>>;
  body: string;
};

/** `next`: position of the last flow event in it, or of the last that was looked at. */
type Page = { until: string; items: readonly ForwardedRequest[]; next: bigint };

const lookEveryMs = 500;
const maxItems = 50;
/** Limit of a page, which has at least one event, of at most 1 MiB. */
const maxPageBytes = 1_048_576;

/** Flow events that are recorded from now on. The secret is the same for an organisation and an actor, as long as the master key is. */
export async function begin(
  { store, masterKeys }: ForwardingDependencies,
  { orgId, subscriptionType }: { orgId: string; subscriptionType: string },
  context: Context,
) {
  const forwardingId = randomUUID();
  const from = await store.head();
  const command = { forwardingId, orgId, subscriptionType, from: `${from}`, now: context.now };
  const { state } = await handle(
    store,
    forwardingStream(forwardingId),
    forwardingDecider,
    (forwarding) => beginForwarding(command, forwarding),
    context,
  );
  if (state.state === 'none') throw new Error('the forwarding did not begin');
  const { state: _, from: __, ...facts } = state;
  return { ...facts, next: from, signingSecret: secretOf(masterKeys, orgId, context.cause.actor) };
}

/**
 * The flow events after a position that the fan-out has handed over, signed now; waits for the first of them. A command repeats the
 * call with the same position after a failure, on any instance. Throws `ForwardingOver`.
 */
export async function nextRequests(
  { store, queue, masterKeys, stopping }: ForwardingDependencies,
  { forwardingId, orgId, after, waitSeconds }: Fetch,
  context: Context,
): Promise<Page> {
  const { state } = await handle(
    store,
    forwardingStream(forwardingId),
    forwardingDecider,
    (forwarding) => extendForwarding(context, ofOrganisation(orgId, forwarding)),
    context,
  );
  if (state.state === 'none') throw new Error('the forwarding did not begin');
  const { until, subscriptionType } = state;
  const from = BigInt(state.from);
  const key = signingKey(secretOf(masterKeys, orgId, context.cause.actor));
  const deadline = performance.now() + waitSeconds * 1_000;
  let next = after > from ? after : from; // reads may begin only at a position that the store has given
  for (;;) {
    const upTo = (await handedOverUpTo(queue, orgId)) ?? next;
    const items: ForwardedRequest[] = [];
    let bytes = 0;
    const wanted = { orgId, from: null, to: null, type: subscriptionType };
    if (upTo > next)
      for await (const { position, event } of pastFlowEvents({ store, queue }, wanted, { after: next, upTo })) {
        next = position;
        if (!event) continue;
        const item = { position: `${position}`, ...requestOf(event, key) };
        bytes += Buffer.byteLength(item.body);
        items.push(item);
        if (items.length === maxItems || bytes >= maxPageBytes) return { until, items, next };
      }
    if (upTo > next) next = upTo;
    if (items.length > 0 || performance.now() >= deadline) return { until, items, next };
    if (!(await sleepUnlessAborted(lookEveryMs, stopping))) return { until, items, next };
  }
}

/** The forwarding as one organisation sees it: that of another does not exist. */
const ofOrganisation = (orgId: string, forwarding: Forwarding): Forwarding =>
  forwarding.state !== 'none' && forwarding.orgId === orgId ? forwarding : { state: 'none' };

/** A repeat changes nothing. */
export const end = (
  { store }: ForwardingDependencies,
  { forwardingId, orgId }: { forwardingId: string; orgId: string },
  context: Context,
) =>
  handle(
    store,
    forwardingStream(forwardingId),
    forwardingDecider,
    (forwarding) => endForwarding(context, ofOrganisation(orgId, forwarding)),
    context,
  );

/** Secret in the format of Standard Webhooks: the forwarding command gets no secret of a listener. */
const secretOf = (masterKeys: MasterKeys, orgId: string, actor: string): string =>
  `whsec_${masterKeys.derive(masterKeys.current, 'forwarding-secret', orgId, actor).toString('base64')}`;

function requestOf(event: FlowEvent, key: ReturnType<typeof signingKey>): Omit<ForwardedRequest, 'position'> {
  const now = Date.now();
  const body = bodyOf(event);
  const id = event.eventId;
  return {
    eventId: event.id,
    eventType: event.type,
    headers: {
      ...webhookHeaders(id, now),
      'user-agent': `Flow-Hooks/${version}`,
      'webhook-signature': signature(key, { id, timestamp: webhookTimestamp(now), body }),
    },
    body,
  };
}
