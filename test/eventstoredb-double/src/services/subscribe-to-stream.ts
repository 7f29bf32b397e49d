import type { Node } from '../node.js';
import { tombstoneRevision } from '../store/event-log.js';
import { readStream } from '../store/read-stream.js';
import { streamDeleted } from './call-failure.js';
import type { StreamStart, StreamSubscriptionRequest } from './read-request.js';
import { caughtUpMessage, confirmationMessage } from './read-response.js';
import type { EventForm, Subscription } from './subscription.js';

/** History, then live events. A stream that is missing is waited for, save from its end. */
export async function subscribeToStream(
  { store, version }: Node,
  subscription: Subscription,
  { stream: name, from, ...form }: StreamSubscriptionRequest & EventForm,
): Promise<void> {
  const { log } = store;
  if (log.isTombstoned(name)) throw streamDeleted(name);
  subscription.put(confirmationMessage(subscription.id));
  let next = firstWanted(from, log.stream(name).lastRevision);
  const isMissing = () => log.stream(name).isMissing;
  if (from !== 'end' && isMissing()) {
    if (version.missingStreamsAreCaughtUp) subscription.put(caughtUpMessage());
    await untilWritten(subscription, name, isMissing);
  }

  for (let more = true; more; ) {
    more = false;
    for (const event of readStream(log.stream(name), next, 'forwards')) {
      subscription.putEvent(event, form);
      next = event.revision + 1n;
      more = true;
      await subscription.readyForMore();
      if (subscription.isOver) return;
    }
    if (log.isTombstoned(name)) throw streamDeleted(name);
  }

  // From here to the listening nothing is awaited, so that no event comes in between.
  subscription.put(caughtUpMessage());
  subscription.listen((event) => {
    if (event.stream !== name || event.revision < next) return;
    subscription.push(() => subscription.putEvent(event, form));
    if (event.revision === tombstoneRevision) subscription.push(() => subscription.end(streamDeleted(name)));
  });
}

/** The revision from which to start is excluded. */
function firstWanted(from: StreamStart, lastRevision: bigint): bigint {
  if (from === 'start') return 0n;
  return (from === 'end' ? lastRevision : from) + 1n;
}

async function untilWritten(subscription: Subscription, name: string, isMissing: () => boolean): Promise<void> {
  while (isMissing() && !subscription.isOver) {
    await new Promise<void>((resolve) => {
      subscription.onOver(resolve);
      const stop = subscription.listen((event) => {
        if (event.stream !== name) return;
        stop();
        resolve();
      });
    });
  }
}
