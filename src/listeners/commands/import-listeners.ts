import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { notReserved } from '../../access/reserved-organisation.js';
import { beganAt } from '../../events/imported.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { opaqueId } from '../../kernel/input/texts.js';
import type { Perform } from '../../stores/event-store/dry-run.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { subscribeRequest } from '../contract.js';
import { normalisedHookUrl } from '../hook-url.js';
import { effectiveTask } from '../integration-task.js';
import { isRegistered, type ListenerDetails, listenerDecider, listenerStream, newListenerId } from '../listener.js';
import { organisationSettings } from '../organisation-settings.js';
import { requestedSubscription } from '../subscription.js';
import { importListener, requireAllowedType } from './subscribe-listener.js';

/** Unknown fields are refused: a misspelt filter would send more than the listener asked for. */
const line = z.strictObject({ orgId: opaqueId, userId: opaqueId, ...subscribeRequest.shape, registeredAt: beganAt });

type ListenerImport = {
  store: EventStore;
  perform: Perform;
  /** The current master key. */
  keyGeneration: string;
  subscriptionTypes: readonly string[] | undefined;
  checkTarget: (hookUrl: string) => Promise<void>;
};

/** `details`: those of the current listener at the hook URL, if there is one. */
export type ImportedListener = { isNew: boolean; details: ListenerDetails | undefined };

/** Maximum number of organisations, and of hosts, in memory: about half a kilobyte each. Further ones are read again for each line. */
const maxInMemory = 100_000;

/**
 * Registers the listener of a line with the checks of a subscribe, except for the quota. Looks up each organisation and host once
 * in a run. Throws the errors of a subscribe, and `Forbidden` for the reserved organisation.
 */
export function listenerImport({ store, perform, keyGeneration, subscriptionTypes, checkTarget }: ListenerImport) {
  const organisationOf = oncePerKey((orgId) =>
    Promise.all([effectiveTask(store, orgId), organisationSettings(store, orgId)]),
  );
  const checkOrigin = oncePerKey(checkTarget);

  return async (input: unknown): Promise<ImportedListener> => {
    const { orgId, userId, registeredAt, hookUrl: requestedUrl, ...body } = parseInput(line, input);
    notReserved(orgId);
    const hookUrl = normalisedHookUrl(requestedUrl);
    requireAllowedType(body.subscriptionType, subscriptionTypes);
    const subscription = await requestedSubscription(body);
    await checkOrigin(new URL(hookUrl).origin);
    const [task, defaults] = await organisationOf(orgId);
    const listener = { listenerId: newListenerId(), keyGeneration, orgId, userId, hookUrl, subscription };
    const { state, events } = await perform(listenerStream(orgId, hookUrl), listenerDecider, (known) =>
      importListener({ ...listener, task, defaults, beganAt: registeredAt }, known),
    );
    return { isNew: events.length > 0, details: isRegistered(state) ? state.details : undefined };
  };
}

function oncePerKey<Result>(work: (key: string) => Promise<Result>): (key: string) => Promise<Result> {
  const results = new LRUCache<string, Promise<Result>>({ max: maxInMemory });
  return (key) => {
    const known = results.get(key) ?? work(key);
    results.set(key, known);
    return known;
  };
}
