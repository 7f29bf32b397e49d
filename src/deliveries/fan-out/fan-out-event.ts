import { type ListenerEvent, listenerCodec } from '../../events/listener-events.js';
import { ReplayCancelled, replayCodec } from '../../events/replay-events.js';
import type { FlowEvent } from '../../flows/flow-event.js';
import { matches } from '../../flows/subscription-types.js';
import { triggerOf } from '../../flows/triggers.js';
import { selects } from '../../registrations/filters/filter.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import type { Message } from '../queue/delivery.js';
import type { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import type { Pace } from './pace.js';
import { queuedHookOf } from './queued-hook-of.js';
import type { RegistrationPages } from './registrations.js';

/** Number of deliveries after which a batch is handed over, however many hooks one event goes to. */
const partSize = 1_000;

/**
 * Gathers what a listener event means for the queue: gates that close, hooks of which something has changed, and what is
 * held of them and is to be delivered now. Returns whose registrations it changes, and the hook that it ends. Throws
 * `EventUndecodable`.
 */
export function gatherListenerEvent(
  batch: FanOutBatchBuilder,
  recorded: RecordedEvent,
): { readonly orgId: string; readonly ended: string | undefined } {
  const event = listenerCodec.decode(recorded);
  const { data, position } = event;
  if (event.type === 'ListenerUnsubscribed') batch.end(data.listenerId);
  const paused = pausedBy(event);
  if (paused !== undefined) batch.addHook(queuedHookOf(data, { paused, position }));
  if (event.type === 'ListenerResumed' && event.data.redeliverHeld) {
    batch.release({ listenerId: data.listenerId, before: position });
  }
  return { orgId: data.orgId, ended: event.type === 'ListenerUnsubscribed' ? data.listenerId : undefined };
}

/** Gathers the end of a replay: what a crash has left of it is cancelled. Throws `EventUndecodable`. */
export function gatherReplayEvent(batch: FanOutBatchBuilder, recorded: RecordedEvent): void {
  if (recorded.type === ReplayCancelled.type) batch.cancelReplay(replayCodec.decode(recorded).data.replayId);
}

/** Whether the hook is paused after an event that changes what the queue knows of it; undefined where it changes nothing. */
function pausedBy(event: ListenerEvent): boolean | undefined {
  switch (event.type) {
    case 'ListenerPaused':
      return true;
    case 'ListenerSecretRotated':
    case 'ListenerOptionsChanged':
      return event.data.paused;
    case 'ListenerResumed':
    case 'ListenerSubscriptionChanged':
      return false;
    default:
      return undefined; // the first delivery brings a new one in
  }
}

/**
 * Gathers the deliveries of a flow event to those hooks, of all that its organisation had registered at its position, which
 * want it: held where the hook was paused then. Where they are many, `handOver` takes what has been gathered, part by part;
 * the last part is left to the caller. Returns false where the pace ends it before all hooks are matched.
 */
export async function gatherDeliveries(
  batch: FanOutBatchBuilder,
  {
    event,
    position,
    registered,
  }: {
    readonly event: FlowEvent;
    readonly position: bigint;
    readonly registered: RegistrationPages;
  },
  { handOver, pace }: { readonly handOver: () => Promise<void>; readonly pace: Pace },
): Promise<boolean> {
  let message: Message | undefined;
  const delivered = triggerOf(event);
  for await (const page of registered) {
    for (const hook of page) {
      if (!matches(hook.subscriptionType, event.type)) continue;
      if (hook.filter !== null) {
        if (!(await pace.mayContinue())) return false;
        const startedAt = performance.now();
        const isSelected = selects(hook.filter, delivered);
        pace.took(performance.now() - startedAt);
        if (!isSelected) continue;
      }
      message ??= batch.message(event, position);
      batch.deliver(message, hook);
      if (batch.size >= partSize) await handOver();
    }
  }
  if (!message) batch.addUnwanted(event, position);
  return true;
}
