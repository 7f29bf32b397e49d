import { listenerHistory } from '../../projections/listener-history.js';
import { listenersView } from '../../projections/listeners.js';
import { sessions } from '../../projections/sessions.js';
import type { OnScanned } from '../audit/find-streams.js';
import { setAsideRetries } from '../deliveries/commands/retry-set-aside.js';
import { notifyQueue } from '../deliveries/fan-out/queued-listener.js';
import type { UnsubscribeBarrier } from '../listeners/commands/end-listener.js';
import type { OnRemoved } from '../listeners/commands/operate-listener.js';
import { findListener } from '../listeners/queries/find-listener.js';
import { registeredAt } from '../listeners/queries/registered-listeners.js';
import { type Follower, followerOf, viewCaughtUp } from '../views/follower.js';
import type { RouteDependencies } from './api/routes.js';
import type { RouteStores } from './api/routing/admin-route.js';
import type { ViewWork } from './api/views.js';

/** Parts of the service that operators work on. */
export type OperatedParts = RouteStores & {
  views: ViewWork & {
    /** One for each projection. */
    followers: readonly Follower[];
  };
  deliveries: {
    barrier: UnsubscribeBarrier;
    onRemoved: OnRemoved | undefined;
    checkTarget: (hookUrl: string) => Promise<void>;
  };
  access: Pick<RouteDependencies, 'keys' | 'portalAccess'>;
  publishing: Pick<RouteDependencies, 'transform' | 'checkPublished' | 'limits' | 'subscribe'>;
  service: Pick<RouteDependencies, 'instanceStatus' | 'serviceUrl' | 'log'>;
  /** Ends waits early. */
  stopping: AbortSignal;
};

export type OperatingDependencies = OperatedParts & {
  maxEventBytes: number;
  maxFeedWaits: number;
  /** Dependencies of a command only. */
  command?: {
    /** The history finds streams by reading all events instead of a view. */
    fullScan: boolean;
    onScanned: OnScanned;
  };
};

/** Makes the dependencies of the handlers of all subjects; opens and reads nothing itself. */
export function routeDependencies(dependencies: OperatingDependencies): RouteDependencies {
  const {
    store,
    readModel,
    queue,
    views,
    deliveries,
    access,
    publishing,
    service,
    maxEventBytes,
    maxFeedWaits,
    command,
    stopping,
  } = dependencies;
  const { barrier, onRemoved, checkTarget } = deliveries;
  const { followers } = views;
  const viewPassed = followerOf(listenersView, followers).passed;
  const clock = Date.now;
  return {
    store,
    readModel,
    queue,
    ...views,
    ...access,
    masterKeys: access.keys.masterKeys,
    checkTarget,
    ...publishing,
    ...service,
    ...command,
    maxEventBytes,
    maxFeedWaits,
    stopping,
    operations: {
      store,
      barrier,
      onRemoved,
      notifyChange: notifyQueue(queue, clock),
      findListener: findListener({ store, readModel, viewPassed }),
    },
    erasure: { store, queue, barrier, onRemoved, onScanned: command?.onScanned, log: service.log },
    sessionsCaughtUp: viewCaughtUp(store, 'session', followerOf(sessions, followers).passed),
    explain: {
      store,
      readModel,
      queue,
      clock,
      historyCaughtUp: viewCaughtUp(store, 'listener', followerOf(listenerHistory, followers).passed),
    },
    retries: setAsideRetries({
      store,
      queue,
      clock,
      viewPassed,
      registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
    }),
  };
}
