import type { EventOf } from '../src/event-store/codec.js';
import { type ListenerSubscribed, listenerEvents } from '../src/listeners/events.js';
import { open, patch, projection, put, sortable } from './projection.js';

/**
 * Which hooks are registered, and which were: a document for each period in which a registration stayed the same, with the
 * positions `from` which and `until` which it held. So the same lookup answers for now and for any event of the past.
 */
export type Registration = EventOf<typeof ListenerSubscribed>['data'] & {
  readonly state: 'active' | 'paused';
  /** `sortable` position of the event that began the period, and when that was. */
  readonly from: string;
  readonly since: string;
  /** `sortable` position of the event that ended it, `open` while it holds. */
  readonly until: string;
};

type Begins = {
  readonly data: Omit<Registration, 'state' | 'from' | 'since' | 'until'>;
  readonly position: bigint;
  readonly revision: bigint;
  readonly recordedAt: string;
};

const begin = ({ data, position, revision, recordedAt }: Begins, state: Registration['state']) => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion } = data;
  const document: Registration = {
    ...{ listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion },
    ...{ state, from: sortable(position), since: recordedAt, until: open },
  };
  return put([listenerId, revision.toString()], document);
};

type Ends = { readonly data: { readonly listenerId: string; readonly since: string }; readonly position: bigint };

const end = ({ data, position }: Ends) => patch([data.listenerId, data.since], { until: sortable(position) });

export const listeners = projection({
  name: 'listeners',
  version: 1,
  category: 'listener',
  indexes: [
    ['orgId', 'until'],
    ['orgId', 'hookUrl', 'until'],
    ['listenerId', 'until'],
  ],
  events: listenerEvents,
  on: {
    ListenerSubscribed: (event) => begin(event, 'active'),
    ListenerSubscriptionChanged: (event) => [end(event), begin(event, 'active')],
    ListenerSecretRotated: ({ data }) =>
      patch([data.listenerId, data.since], { keyGeneration: data.keyGeneration, secretVersion: data.secretVersion }),
    ListenerPaused: (event) => [end(event), begin(event, 'paused')],
    ListenerResumed: (event) => [end(event), begin(event, 'active')],
    ListenerUnsubscribed: end,
  },
});
