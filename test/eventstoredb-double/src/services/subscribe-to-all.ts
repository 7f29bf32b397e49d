import type { Node } from '../node.js';
import type { ServerVersion } from '../server-version.js';
import { type EventFilter, NoSuchPosition, subscriptionIndex } from '../store/read-all.js';
import { exceptionThrown, invalidArgument } from './call-failure.js';
import type { AllSubscriptionRequest } from './read-request.js';
import { caughtUpMessage, checkpointMessage, confirmationMessage } from './read-response.js';
import type { EventForm, Subscription } from './subscription.js';

/** Number of events in a page of history, if no filter says otherwise. */
const pageSize = 32;

const everything: EventFilter = () => true;

/**
 * History, then live events. With a filter it reports its position each time that this many events were searched, though
 * none may have passed.
 */
export async function subscribeToAll(
  { store, version }: Node,
  subscription: Subscription,
  { from, filter, ...form }: AllSubscriptionRequest & EventForm,
): Promise<void> {
  const { log } = store;
  const { passes, window, checkpointInterval } = filter ?? { passes: everything, window: pageSize };
  if (version.confirmsAnyPosition) subscription.put(confirmationMessage(subscription.id));
  let index = startOf(() => subscriptionIndex(log, from), version);
  let considered = 0;
  const isCheckpointDue = (count: number) => {
    considered += count;
    if (!checkpointInterval || considered < checkpointInterval) return false;
    considered %= checkpointInterval;
    return true;
  };

  if (!version.confirmsAnyPosition) subscription.put(confirmationMessage(subscription.id));
  while (index < log.events.length) {
    const page = log.events.slice(index, index + window);
    const last = page.at(-1)?.position ?? 0n;
    // The start of a page is named with prepare 0, so that to resume at it includes the event there.
    let reached = { commit: page[0]?.position ?? 0n, prepare: 0n };
    for (const event of page) {
      if (!passes(event)) continue;
      subscription.putEvent(event, form);
      reached = { commit: event.position, prepare: event.position };
      await subscription.readyForMore();
      if (subscription.isOver) return;
    }
    if (isCheckpointDue(page.length)) subscription.put(checkpointMessage(reached.commit, reached.prepare));
    await subscription.readyForMore();
    if (subscription.isOver) return;
    index = log.indexAfter(last); // a scavenge may have moved it
  }

  // From here to the listening nothing is awaited, so that no event comes in between.
  subscription.put(caughtUpMessage());
  subscription.listen((event) => {
    if (passes(event)) subscription.push(() => subscription.putEvent(event, form));
    if (!isCheckpointDue(1)) return;
    subscription.push(() => subscription.put(checkpointMessage(event.position, event.position)));
  });
}

function startOf(find: () => number, { confirmsAnyPosition }: ServerVersion): number {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof NoSuchPosition)) throw error;
    throw confirmsAnyPosition ? invalidArgument('Trying to read from an invalid position.') : exceptionThrown();
  }
}
