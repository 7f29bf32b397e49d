import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { projections } from '../../projections/index.js';
import { checkKeys, fingerprintOf } from '../access/keys/fingerprint.js';
import { readKeys } from '../access/keys/service-keys.js';
import { answerTokenError } from '../access/tokens/answer-token-error.js';
import { removalNotices } from '../deliveries/posting/removal-notice.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { deliveriesFile } from '../deliveries/sqlite/schema.js';
import { unsubscribeBarrier } from '../deliveries/start-deliveries.js';
import { targetGuard } from '../deliveries/target-guard/target-guard.js';
import { workerGates } from '../deliveries/worker/worker-gates.js';
import { createApp } from '../http/app.js';
import { healthRoutes } from '../http/health.js';
import { listen } from '../http/listen.js';
import { ensureDefaultTask } from '../registrations/integration-tasks/ensure-default-task.js';
import type { UnsubscribeBarrier } from '../registrations/listeners/unsubscribe-barrier.js';
import type { Cause } from '../stores/event-store/codec.js';
import { eventsFile } from '../stores/event-store/sqlite/schema.js';
import { watchAppends } from '../stores/event-store/watched-event-store.js';
import { followUnderLease } from '../stores/read-model/following/follow-under-lease.js';
import { watchAll } from '../stores/read-model/following/watch.js';
import { backgroundRebuilds } from '../stores/read-model/rebuilding/background-rebuilds.js';
import { checkpointLogs } from '../stores/sqlite/checkpoint-logs.js';
import { lockDataDirectory } from '../stores/sqlite/directory-lock.js';
import type { Config } from './config/config.js';
import { type Dispatcher, startDispatcher } from './dispatcher.js';
import { addHeadMetrics, addResubscriptionMetrics, countAppends } from './metrics/event-store-metrics.js';
import { meteredLeases } from './metrics/lease-metrics.js';
import { addProcessMetrics, openMetrics } from './metrics/metrics.js';
import { requestMetrics } from './metrics/request-metrics.js';
import { metricsRoutes } from './metrics/routes.js';
import { addViewMetrics } from './metrics/view-metrics.js';
import { readiness } from './readiness.js';
import { routesOf } from './routes.js';
import { openStores, type Stores } from './stores/open-stores.js';

/** A service that runs. */
export type Service = {
  /** Where it is reached, as a URL prefix. */
  readonly origin: string;
  /** Takes nothing new, lets what is under way end for at most `timeoutMs`, and closes everything. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Ends one part; `timeoutMs` is what is left of the time that all of them have together. */
type Close = (timeoutMs: number) => Promise<void> | void;

/**
 * Configuration → adapters → processes → HTTP. What has been opened is closed again, in reverse order, at the stop and where
 * a later step fails. Throws domain errors that say what is in the way, and what `listen` throws.
 */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const opened: Close[] = [];
  const stop = async (timeoutMs: number): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    for (const close of opened.splice(0).reverse()) {
      try {
        await close(Math.max(0, deadline - performance.now()));
      } catch (error) {
        log.error({ err: error }, 'a part did not close'); // the others do all the same
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

async function start(config: Config, log: Logger, onStop: (close: Close) => void): Promise<string> {
  const { mode, dataDirectory, http, roles } = config;
  const development = mode === 'development';

  if (!config.cluster) onStop(lockDataDirectory(dataDirectory).release);
  let dispatcher: Dispatcher | undefined;
  const stores = await openStores(config, log, onStop, (committed) => dispatcher?.appended(committed));
  const { readModel } = stores;
  const metrics = openMetrics();
  const store = watchAppends(countAppends(stores.events, metrics));
  const leases = meteredLeases(stores.leases, metrics);
  const causeByService = (): Context => ({
    cause: { actor: 'service', correlationId: randomUUID() },
    now: new Date(),
  });

  const keys = await readKeys(config.keys, { dataDirectory, mayMake: development });
  await checkKeys(store, fingerprintOf(keys.masterKeys, keys.signingKeys), causeByService());
  if (development) {
    const { cause, now } = causeByService();
    await ensureDefaultTask(store, cause, now);
  }

  const views = roles.has('projector')
    ? followUnderLease({ store, readModel, projections, leases, log })
    : watchAll({ store, readModel, projections });
  onStop(views.stop);
  const rebuilds = backgroundRebuilds({ store, readModel, log });
  onStop(rebuilds.stop);

  if (roles.has('dispatcher')) {
    dispatcher = await startDispatcher({ onFailure: (error) => failWith(error, log) });
    onStop(dispatcher.close);
  }
  if (!config.cluster) {
    const files = [eventsFile, deliveriesFile].map(({ name }) => join(dataDirectory, name));
    onStop(await checkpointLogs(files, log));
  }
  const guard = targetGuard(config.deliveries);
  const queue = await queueOf(stores, dispatcher);
  const barrier = barrierOf(stores, queue);
  const notices = config.deliveries.notifyRemoved ? removalNotices({ guard, log }) : undefined;
  // They go on while requests and posts end, and may then have what is left of the time.
  if (notices) onStop(notices.stop);

  addProcessMetrics(metrics);
  const head = metrics.reading('head', () => store.head());
  addHeadMetrics(metrics, head);
  addResubscriptionMetrics(metrics, () => stores.subscriptions().resubscriptions);
  addViewMetrics(metrics, views.followers, head);

  const app = createApp({
    log,
    routes: [
      metricsRoutes([() => metrics.registry.getMetricsAsJSON(), ...(dispatcher ? [dispatcher.metrics] : [])]),
      healthRoutes(
        readiness({
          storeTrouble: () => stores.eventsTrouble() ?? store.trouble(),
          subscriptionsInTrouble: () => [
            ...stores.subscriptions().inTrouble,
            ...(dispatcher?.subscriptionsInTrouble() ?? []),
          ],
          ...{ followers: views.followers, deliveries: dispatcher },
        }),
      ),
      ...(roles.has('api')
        ? await routesOf({
            ...{ config, store, keys, guard, barrier, readModel, queue, onRemoved: notices?.tell },
            ...{ followers: views.followers, rebuilds, dispatcherLoad: () => dispatcher?.load() ?? 0 },
          })
        : []),
    ],
    loopbackNamesOnly: development,
    maxConcurrentRequests: http.maxConcurrentRequests,
    answerTokenError,
    onAnswered: requestMetrics(metrics),
  });
  const listening = await listen(app.callback(), http);
  // Both take up nothing new from the same moment on; neither needs the other to end.
  onStop(async (timeoutMs) => {
    await Promise.all([listening.stop(timeoutMs), dispatcher?.stop(timeoutMs)]);
  });
  return listening.origin;
}

/** The embedded queue is the dispatcher's alone. */
async function queueOf(stores: Stores, dispatcher: Dispatcher | undefined): Promise<Omit<DeliveryQueue, 'close'>> {
  if (stores.shared) return stores.openQueue();
  if (!dispatcher) throw new Error('the embedded form has all roles'); // `readConfig` has seen to it
  return dispatcher.queue;
}

/** The dispatcher knows of its own posts; those of other instances have to be waited for. */
const barrierOf = (stores: Stores, queue: Omit<DeliveryQueue, 'close'>): UnsubscribeBarrier =>
  stores.shared ? unsubscribeBarrier(workerGates(), queue, true) : { close: queue.closeGate };

/** What only a bug brings about ends the process, wherever it happens. */
function failWith(error: Error, log: Logger): void {
  log.fatal({ err: error }, 'the dispatcher has ended');
  setImmediate(() => {
    throw error;
  });
}

/** Who did something, and when. */
type Context = { readonly cause: Cause; readonly now: Date };
