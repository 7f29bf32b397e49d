import { type ListenerDetails, listenerEvents } from '../src/events/listener-events.js';
import { open, patch, projection, put, removeWhere, sortable } from '../src/views/projection.js';

/** A listener as valid between the positions `from` and `until`: one lookup answers for now and for any past event. */
export type ListenerPeriod = ListenerDetails & {
  state: 'active' | 'paused';
  pausedBy: 'operator' | 'failing' | null;
  /** Position. */
  from: string;
  /** ISO 8601. `since` of the events is a revision, which is in the key. */
  since: string;
  /** Position; `open`: still valid. */
  until: string;
  /**
   * The state while valid, then `ended`, or `replaced` by another period. `failing`: active, and a step without success
   * was recorded.
   */
  status: CurrentStatus | 'replaced' | 'ended';
};

type CurrentStatus = 'active' | 'failing' | 'paused' | 'paused-failing';

const statusOf = (pausedBy: ListenerPeriod['pausedBy'], failing: ListenerDetails['failing']): CurrentStatus => {
  if (pausedBy !== null) return pausedBy === 'failing' ? 'paused-failing' : 'paused';
  return failing !== null && failing.percent > 0 ? 'failing' : 'active';
};

type BeginningEvent = {
  data: ListenerDetails;
  position: bigint;
  revision: bigint;
  recordedAt: string;
};

const begin = (
  { data, position, revision, recordedAt }: BeginningEvent,
  pausedBy: ListenerPeriod['pausedBy'] = null,
) => {
  const { listenerId, orgId, userId, hookUrl, subscription, secret, failing, agent } = data;
  // Listed, because spreading takes 100 times as long; a rebuild makes millions.
  const document: ListenerPeriod = {
    listenerId,
    orgId,
    userId,
    hookUrl,
    subscription,
    secret,
    failing,
    state: pausedBy === null ? 'active' : 'paused',
    pausedBy,
    from: sortable(position),
    since: recordedAt,
    until: open,
    status: statusOf(pausedBy, failing),
  };
  return put([data.listenerId, revision.toString()], agent === undefined ? document : { ...document, agent });
};

type EndingEvent = {
  /** `since`: revision of the event that began the period. */
  data: { listenerId: string; since: string };
  position: bigint;
};

const end = ({ data, position }: EndingEvent, status: 'replaced' | 'ended' = 'replaced') =>
  patch([data.listenerId, data.since], { until: sortable(position), status });

export const listenersView = projection({
  name: 'listeners',
  version: 1,
  category: 'listener',
  indexes: [
    ['until'],
    ['status'],
    ['orgId', 'until'],
    ['orgId', 'status'],
    ['hookUrl', 'until'],
    ['listenerId', 'until'],
  ],
  events: listenerEvents,
  forget: ({ listenerIds }) => removeWhere('listenerId', listenerIds),
  on: {
    ListenerSubscribed: (event) => begin(event),
    ListenerSubscriptionChanged: (event) => {
      const { paused, listenerId, since, subscription } = event.data;
      return paused ? patch([listenerId, since], { subscription }) : [end(event), begin(event)];
    },
    ListenerSecretRotated: ({ data: { listenerId, since, secret } }) => patch([listenerId, since], { secret }),
    ListenerRenewed: ({ data: { listenerId, since, secret, agent } }) =>
      patch([listenerId, since], { secret, ...(agent && { agent }) }),
    ListenerFailing: ({ data: { listenerId, since, failing } }) =>
      patch([listenerId, since], { failing, status: statusOf(null, failing) }),
    ListenerPaused: (event) => [end(event), begin(event, event.data.reason)],
    ListenerResumed: (event) => [end(event), begin(event)],
    ListenerUnsubscribed: (event) => end(event, 'ended'),
  },
});
