import { join } from 'node:path';
import type { Logger } from 'pino';
import { projections } from '../../projections/index.js';
import { openKeys } from '../access/keys/open-keys.js';
import { answerTokenError } from '../access/tokens/answer-token-error.js';
import { removalNotices } from '../deliveries/posting/removal-notice.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { deliveriesFile } from '../deliveries/sqlite/schema.js';
import { unsubscribeBarrier } from '../deliveries/start-deliveries.js';
import { targetGuard } from '../deliveries/target-guard/target-guard.js';
import { workerGates } from '../deliveries/worker/worker-gates.js';
import { createApp } from '../http/app.js';
import { listen } from '../http/listen.js';
import { ensureDefaultTask } from '../registrations/integration-tasks/ensure-default-task.js';
import { causedByService } from '../stores/event-store/caused-by-service.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { eventsFile } from '../stores/event-store/sqlite/schema.js';
import { watchAppends } from '../stores/event-store/watched-event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import { followUnderLease } from '../stores/read-model/following/follow-under-lease.js';
import { watchAll } from '../stores/read-model/following/watch.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import { backgroundRebuilds } from '../stores/read-model/rebuilding/background-rebuilds.js';
import { checkpointLogs } from '../stores/sqlite/checkpoint-logs.js';
import { lockDataDirectory } from '../stores/sqlite/directory-lock.js';
import type { Config } from './config/config.js';
import { type Dispatcher, startDispatcher } from './dispatcher.js';
import { dispatcherSettings } from './dispatcher-settings.js';
import { countAppends } from './metrics/event-store-metrics.js';
import { meteredLeases } from './metrics/lease-metrics.js';
import { openMetrics } from './metrics/metrics.js';
import { requestMetrics } from './metrics/request-metrics.js';
import { observation } from './observation.js';
import { type RoutesDependencies, routesOf } from './routes.js';
import { openStores, type Stores } from './stores/open-stores.js';

/** A running service. */
export type Service = {
  /** Its address, as a URL prefix. */
  readonly origin: string;
  /** Accepts no new work, waits for current work for at most `timeoutMs`, and closes everything. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Ends one part; `timeoutMs` is the rest of the time that all parts have together. */
type Close = (timeoutMs: number) => Promise<void> | void;

type OnStop = (close: Close) => void;

/**
 * Opens the stores, starts the processes, and serves HTTP. Closes what has been opened in reverse order, at the stop or if
 * a later step fails. Throws domain errors with the reason, and the errors of `listen`.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const opened: Close[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    for (const close of opened.splice(0).reverse()) {
      try {
        await close(Math.max(0, deadline - performance.now()));
      } catch (error) {
        log.error({ err: error }, 'a part did not close'); // the other parts are closed nevertheless
      }
    }
  };
  try {
    const origin = await start(config, log, (close) => opened.push(close));
    return { origin, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function start(config: Config, log: Logger, onStop: OnStop): Promise<string> {
  if (!config.cluster) onStop(lockDataDirectory(config.dataDirectory).release);
  let dispatcher: Dispatcher | undefined;
  const stores = await openStores(config, log, onStop, (committed) => dispatcher?.appended(committed));
  const { readModel } = stores;
  const metrics = openMetrics();
  const store = watchAppends(countAppends(stores.events, metrics));
  const leases = meteredLeases(stores.leases, metrics);
  const keys = await openKeys(config, store);
  if (config.mode === 'development') await ensureTask(store);

  const views = startViews(config, { store, readModel, leases, log }, onStop);
  if (config.roles.has('dispatcher')) {
    dispatcher = await startDispatcher(dispatcherSettings(config), {
      onFailure: (error) => failWith(error, log),
    });
    onStop(dispatcher.close);
  }
  if (!config.cluster) await startCheckpoints(config.dataDirectory, log, onStop);
  const hooks = await openHooks(config, { stores, dispatcher, log }, onStop);

  const routes = [...observation({ metrics, store, stores, followers: views.followers, dispatcher })];
  if (config.roles.has('api')) {
    const dispatcherLoad = () => dispatcher?.load() ?? 0;
    routes.push(...(await routesOf(config, { store, readModel, keys, ...views, ...hooks, dispatcherLoad })));
  }
  const app = createApp({
    log,
    routes,
    loopbackNamesOnly: config.mode === 'development',
    maxConcurrentRequests: config.http.maxConcurrentRequests,
    answerTokenError,
    onAnswered: requestMetrics(metrics),
  });
  const listening = await listen(app.callback(), config.http);
  // Both accept no new work from the same moment on; neither waits for the other.
  onStop(async (timeoutMs) => {
    await Promise.all([listening.stop(timeoutMs), dispatcher?.stop(timeoutMs)]);
  });
  return listening.origin;
}

async function ensureTask(store: EventStore): Promise<void> {
  const { cause, now } = causedByService();
  await ensureDefaultTask(store, cause, now);
}

type ViewDependencies = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly leases: Leases;
  readonly log: Logger;
};

/** The views, which this instance keeps up to date or only watches, and their rebuilds. */
function startViews(
  { roles }: Config,
  dependencies: ViewDependencies,
  onStop: OnStop,
): Pick<RoutesDependencies, 'followers' | 'rebuilds'> {
  const start = roles.has('projector') ? followUnderLease : watchAll;
  const views = start({ ...dependencies, projections });
  onStop(views.stop);
  const rebuilds = backgroundRebuilds(dependencies);
  onStop(rebuilds.stop);
  return { followers: views.followers, rebuilds };
}

async function startCheckpoints(directory: string, log: Logger, onStop: OnStop): Promise<void> {
  const files = [eventsFile, deliveriesFile].map(({ name }) => join(directory, name));
  onStop(await checkpointLogs(files, log));
}

/** The queue and the target guard, and what takes effect when a hook is removed. */
async function openHooks(
  { deliveries: settings }: Config,
  { stores, dispatcher, log }: { stores: Stores; dispatcher: Dispatcher | undefined; log: Logger },
  onStop: OnStop,
): Promise<Pick<RoutesDependencies, 'queue' | 'barrier' | 'guard' | 'onRemoved'>> {
  const guard = targetGuard(settings);
  const queue = await queueOf(stores, dispatcher);
  // The dispatcher knows its own posts; the posts of other instances end when their permits do.
  const barrier = stores.shared ? unsubscribeBarrier(workerGates(), queue, true) : { close: queue.closeGate };
  const notices = settings.notifyRemoved ? removalNotices({ guard, log }) : undefined;
  // Stopped after requests and posts, in the time that these have left over.
  if (notices) onStop(notices.stop);
  return { queue, barrier, guard, onRemoved: notices?.tell };
}

/** The dispatcher alone opens the embedded queue. */
async function queueOf(stores: Stores, dispatcher: Dispatcher | undefined): Promise<Omit<DeliveryQueue, 'close'>> {
  if (stores.shared) return stores.openQueue();
  if (!dispatcher) throw new Error('the embedded store needs all roles'); // `readConfig` has checked it
  return dispatcher.queue;
}

/** An error that only a bug can cause ends the process. */
function failWith(error: Error, log: Logger): void {
  log.fatal({ err: error }, 'the dispatcher has ended');
  setImmediate(() => {
    throw error;
  });
}
