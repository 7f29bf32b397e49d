import type { Logger } from 'pino';
import { projections } from '../../projections/index.js';
import { listenerHistory } from '../../projections/listener-history.js';
import { listenersView } from '../../projections/listeners.js';
import { sessions } from '../../projections/sessions.js';
import type { ServiceKeys } from '../access/keys/service-keys.js';
import type { PortalAccess } from '../access/portal/portal-access.js';
import { setAsideRetries } from '../deliveries/commands/retry-set-aside.js';
import { notifyQueue } from '../deliveries/fan-out/queued-listener.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import type { Transformer } from '../deliveries/transforms/transformer.js';
import type { CheckPublished } from '../flows/types/publishing-checks.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import type { OnRemoved, UnsubscribeBarrier } from '../listeners/operate-listener.js';
import { registeredAt } from '../listeners/queries/find.js';
import { findListener } from '../listeners/queries/find-listener.js';
import type { Subscribe } from '../listeners/subscribe.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { type Follower, viewCaughtUp } from '../stores/read-model/follower.js';
import type { Projection } from '../stores/read-model/projection.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import type { BackgroundRebuilds } from '../stores/read-model/rebuilding/background-rebuilds.js';
import type { RouteDependencies } from './api/routes.js';
import type { ActivityRoutes } from './api/service.js';
import type { BackgroundVerifications } from './audit/background-verifications.js';
import type { OnScanned } from './audit/find-streams.js';

export type OperatingDependencies = {
  maxEventBytes: number;
  store: EventStore;
  readModel: ReadModel;
  views: {
    /** In the order of `projections`. */
    followers: readonly Follower[];
    rebuilds: Pick<BackgroundRebuilds, 'start' | 'failure'>;
    verifications: Pick<BackgroundVerifications, 'start' | 'last'>;
  };
  deliveries: {
    queue: Omit<DeliveryQueue, 'close'>;
    barrier: UnsubscribeBarrier;
    onRemoved: OnRemoved | undefined;
    checkTarget: (hookUrl: string) => Promise<void>;
  };
  access: {
    keys: Pick<ServiceKeys, 'masterKeys' | 'signingKeys'>;
    portalAccess: Pick<PortalAccess, 'makeLink'>;
  };
  publishing: {
    transform: Transformer['transform'];
    checkPublished: CheckPublished;
    limits: Pick<RequestLimits, 'flowEvent'>;
    subscribe: Subscribe;
  };
  service: Pick<ActivityRoutes, 'instanceStatus'> & {
    /** Base URL for browsers, without a slash at the end. */
    serviceUrl: () => string;
    log: Pick<Logger, 'info'>;
  };
  /** Of a command only. */
  command?: {
    /** The history finds streams by reading all events instead of a view. */
    fullScan: boolean;
    onScanned: OnScanned;
  };
  /** Ends waits early. */
  stopping: AbortSignal;
};

/** What the handlers of all subjects need; it opens and reads nothing itself. */
export function routeDependencies(dependencies: OperatingDependencies): RouteDependencies {
  const { store, readModel, views, deliveries, access, publishing, service, maxEventBytes, command, stopping } =
    dependencies;
  const { queue, barrier, onRemoved, checkTarget } = deliveries;
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
    stopping,
    operations: {
      store,
      barrier,
      onRemoved,
      notifyChange: notifyQueue(queue, clock),
      findListener: findListener({ store, readModel, viewPassed }),
    },
    erasure: { store, queue, barrier, onRemoved, ...(command && { onScanned: command.onScanned }) },
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

function followerOf(projection: Projection, followers: readonly Follower[]): Follower {
  const follower = followers[projections.indexOf(projection)];
  if (!follower) throw new Error(`the view ${projection.name} has no follower`);
  return follower;
}
