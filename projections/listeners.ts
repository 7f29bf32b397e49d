import { type ListenerDetails, listenerEvents } from '../src/events/listener-events.js';
import { open, patch, projection, put, removeWhere, sortable } from '../src/stores/read-model/projection.js';

/**
 * The listeners, current and past: a document for each period in which a listener stayed the same,
 * with the positions `from` and `until` which it was valid. So the same lookup answers for now and for any past event.
 */
export type ListenerPeriod = ListenerDetails & {
  readonly state: 'active' | 'paused';
  /** By an `operator`, or because it was `failing`; null while it is active. */
  readonly pausedBy: 'operator' | 'failing' | null;
  /** `sortable` position of the event that began the period, and its time. */
  readonly from: string;
  readonly since: string;
  /** `sortable` position of the event that ended it, `open` while it is valid. */
  readonly until: string;
  /**
   * What a search selects by: the state while the period is valid, `ended` if the listener ended with it, `replaced` if the
   * listener went on with another period. `failing`: active, and a step of a period without success was recorded.
   */
  readonly status: CurrentStatus | 'replaced' | 'ended';
};

type CurrentStatus = 'active' | 'failing' | 'paused' | 'paused-failing';

const statusOf = (pausedBy: ListenerPeriod['pausedBy'], failing: ListenerDetails['failing']): CurrentStatus => {
  if (pausedBy !== null) return pausedBy === 'failing' ? 'paused-failing' : 'paused';
  return failing !== null && failing.percent > 0 ? 'failing' : 'active';
};

type BeginningEvent = {
  readonly data: ListenerDetails;
  readonly position: bigint;
  readonly revision: bigint;
  readonly recordedAt: string;
};

const begin = (
  { data, position, revision, recordedAt }: BeginningEvent,
  pausedBy: ListenerPeriod['pausedBy'] = null,
) => {
  const { listenerId, orgId, userId, hookUrl, subscriptionType, filter, transform, keyGeneration, secretVersion } =
    data;
  const { previousSecret, ordered, ratePerSecond, failing } = data;
  // Not spread from `detailsIn`: that is a hundred times as slow, and a rebuild makes millions.
  const document: ListenerPeriod = {
    listenerId,
    orgId,
    userId,
    hookUrl,
    subscriptionType,
    filter,
    transform,
    keyGeneration,
    secretVersion,
    previousSecret,
    ordered,
    ratePerSecond,
    failing,
    state: pausedBy === null ? 'active' : 'paused',
    pausedBy,
    from: sortable(position),
    since: recordedAt,
    until: open,
    status: statusOf(pausedBy, failing),
  };
  return put([data.listenerId, revision.toString()], document);
};

type EndingEvent = {
  readonly data: { readonly listenerId: string; readonly since: string };
  readonly position: bigint;
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
  forget: (streams) =>
    removeWhere(
      'listenerId',
      streams.flatMap(({ listenerIds }) => listenerIds),
    ),
  on: {
    ListenerSubscribed: (event) => begin(event),
    ListenerSubscriptionChanged: (event) => [end(event), begin(event)],
    ListenerSecretRotated: ({ data: { listenerId, since, keyGeneration, secretVersion, previousSecret } }) =>
      patch([listenerId, since], { keyGeneration, secretVersion, previousSecret }),
    ListenerOptionsChanged: ({ data: { listenerId, since, ordered, ratePerSecond } }) =>
      patch([listenerId, since], { ordered, ratePerSecond }),
    ListenerFailing: ({ data: { listenerId, since, failing } }) =>
      patch([listenerId, since], { failing, status: statusOf(null, failing) }),
    ListenerPaused: (event) => [end(event), begin(event, event.data.reason)],
    ListenerResumed: (event) => [end(event), begin(event)],
    ListenerUnsubscribed: (event) => end(event, 'ended'),
  },
});
