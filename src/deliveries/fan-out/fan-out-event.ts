import { type ListenerEvent, listenerCodec } from '../../events/listener-events.js';
import { ReplayCancelled, replayCodec } from '../../events/replay-events.js';
import { type FlowEvent, payloadOf } from '../../flows/flow-event.js';
import { selectsEvent } from '../../flows/types/subscription-types.js';
import { selects } from '../../listeners/filters/filter.js';
import type { Message } from '../../queue/delivery.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import type { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { ListenerIndex } from './indexed-listeners.js';
import type { ListenerPages } from './listeners.js';
import type { Pace } from './pace.js';
import { queuedListenerOf } from './queued-listener.js';

const partSize = 1_000;

/**
 * Gathers the closed gates, the changed listeners and the released deliveries of a listener event. Throws
 * `EventUndecodable`.
 */
export function gatherListenerEvent(
  batch: FanOutBatchBuilder,
  recorded: RecordedEvent,
): { orgId: string; ended: string | undefined } {
  const event = listenerCodec.decode(recorded);
  const { data, position } = event;
  if (event.type === 'ListenerUnsubscribed') batch.end(data.listenerId);
  const paused = pausedBy(event);
  if (paused !== undefined) {
    const isHealthReset = event.type === 'ListenerResumed';
    batch.addListener({ ...queuedListenerOf(data, { paused, position }), isHealthReset });
  }
  if (event.type === 'ListenerResumed' && event.data.redeliverHeld) {
    batch.release({ listenerId: data.listenerId, before: position });
  }
  return { orgId: data.orgId, ended: event.type === 'ListenerUnsubscribed' ? data.listenerId : undefined };
}

/** Gathers the end of a replay: what a crash has left of it is cancelled. Throws `EventUndecodable`. */
export function gatherReplayEvent(batch: FanOutBatchBuilder, recorded: RecordedEvent): void {
  if (recorded.type === ReplayCancelled.type) batch.cancelReplay(replayCodec.decode(recorded).data.replayId);
}

/** Returns undefined where the event changes nothing that the queue knows. */
function pausedBy(event: ListenerEvent): boolean | undefined {
  switch (event.type) {
    case 'ListenerPaused':
      return true;
    case 'ListenerSecretRotated':
    case 'ListenerRenewed':
    case 'ListenerSubscriptionChanged':
      return event.data.paused;
    case 'ListenerResumed':
      return false;
    default:
      return undefined; // the first delivery brings a new one in
  }
}

/**
 * Gathers the deliveries of a flow event to the listeners of its position that select it; `handOver` takes them part by
 * part, the last part is left to the caller. Returns false if the pace ends it early.
 */
export async function gatherDeliveries(
  batch: FanOutBatchBuilder,
  {
    event,
    position,
    registered,
    searchable,
    hasEnded,
  }: {
    event: FlowEvent;
    position: bigint;
    registered: ListenerPages;
    /** Paths by which events of its type are found. */
    searchable?: readonly string[];
    /** Listeners that have ended meanwhile: their deliveries would only be cancelled. */
    hasEnded?: (listenerId: string) => boolean;
  },
  { handOver, pace }: { handOver: () => Promise<unknown>; pace: Pace },
): Promise<boolean> {
  let message: Message | undefined;
  const delivered = payloadOf(event);
  for await (const page of registered) {
    for (const listener of page instanceof ListenerIndex ? page.candidates(event, pace) : page) {
      const { subscriptionType, filter } = listener.subscription;
      if (!selectsEvent(subscriptionType, event) || hasEnded?.(listener.listenerId)) continue;
      if (filter !== null) {
        if (!(await pace.mayContinue())) return false;
        if (!pace.evaluate(() => selects(filter, delivered))) continue;
      }
      message ??= batch.message(event, position, searchable);
      batch.deliver(message, listener);
      if (batch.size >= partSize) await handOver();
    }
  }
  if (!message) batch.addWithoutDeliveries(event, position, searchable);
  return true;
}
