import { randomUUID } from 'node:crypto';
import pino from 'pino';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { deliveries } from '../../../src/deliveries/deliveries.js';
import type { DeliveryDependencies, DeliverySettings } from '../../../src/deliveries/delivery-settings.js';
import type { ListenersView } from '../../../src/deliveries/fan-out/listeners.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import { detailsIn, type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { listenerStream } from '../../../src/listeners/listener.js';
import { signingSecret } from '../../../src/listeners/signing-secret.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { soleHolder } from '../../../src/stores/leases/sole-holder.js';
import { sortable, open as stillOpen } from '../../../src/views/projection.js';
import { plainSubscription } from '../../listeners/fixtures.js';
import { temporaryDirectory } from '../temporary-directory.js';

const keys = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
const cause = { actor: 'test', correlationId: 'test' };

type Period = ListenerPeriod & { begins: bigint; ends: bigint | undefined };

/** The position of a view, moved by the test. */
function steppedView(position: bigint) {
  const waiting = new Set<() => void>();
  return {
    position: async () => position,
    async passed(wanted: bigint, signal: AbortSignal): Promise<void> {
      while (position < wanted && !signal.aborted) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      signal.throwIfAborted();
    },
    moveTo(next: bigint): void {
      position = next > position ? next : position;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
}

type EngineOptions = Partial<
  Pick<DeliveryDependencies, 'store' | 'queue' | 'guard' | 'observer'> &
    Pick<DeliverySettings, 'attempts' | 'failingPolicy' | 'startFrom' | 'otherInstances'>
> & { directory?: string; periods?: Period[] };

/**
 * Fan-out, queue and worker on the embedded store, with the listeners view as a list: what the tests of deliveries drive.
 * The view gets an event only after it was appended, as the real one does.
 * Given the store, the queue and the periods of another engine, it is a further instance beside it.
 */
export async function startEngine({ directory = temporaryDirectory(), ...options }: EngineOptions = {}) {
  const store = options.store ?? openSqliteEventStore({ directory });
  const queue = options.queue ?? openSqliteDeliveryQueue({ directory });
  const periods = options.periods ?? [];
  const stepped = steppedView(options.periods ? 2n ** 62n : -1n);

  const settings: DeliverySettings = {
    attempts: { concurrency: 64, deadlineMs: 1_000, ...options.attempts },
    failingPolicy: options.failingPolicy,
    retention: { retentionMs: 86_400_000, publishMemoryMs: 86_400_000 },
    startFrom: options.startFrom,
    otherInstances: options.otherInstances ?? false,
  };
  const view: ListenersView = {
    async *registeredAt(orgId, position) {
      yield periods.filter(
        (period) =>
          period.orgId === orgId && period.begins <= position && (period.ends === undefined || period.ends > position),
      );
    },
    position: stepped.position,
    passed: stepped.passed,
  };
  const log = pino({ enabled: false });
  const running = await deliveries(settings, {
    store,
    queue,
    view,
    leases: soleHolder({ log }),
    masterKeys: keys,
    guard: options.guard ?? targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] }),
    ...(options.observer && { observer: options.observer }),
    log,
  });

  async function appendListenerEvent(event: ListenerEvent): Promise<bigint> {
    const { position } = await store.append(listenerStream(event.data.orgId, event.data.hookUrl), [
      listenerCodec.encode(event, cause, new Date()),
    ]);
    return position;
  }

  /** The event alone, without the barrier. */
  async function recordRemoval(listenerId: string): Promise<void> {
    const period = periods.find((each) => each.listenerId === listenerId && each.ends === undefined);
    if (!period) throw new Error('not subscribed');
    period.ends = await appendListenerEvent({
      type: 'ListenerUnsubscribed',
      data: { ...detailsIn(period), reason: 'requested', since: '0' },
    });
    stepped.moveTo(period.ends);
  }

  return {
    store,
    queue,
    deliveries: running,
    directory,
    periods,

    async subscribe(
      hookUrl: string,
      {
        orgId = 'acme',
        subscriptionType = '*',
        listenerId = randomUUID() as string,
        ordered = false,
        transform = null as string | null,
      } = {},
    ) {
      const data = {
        listenerId,
        orgId,
        userId: 'u',
        hookUrl,
        subscription: { ...plainSubscription, subscriptionType, transform, ordered },
        secret: { keyGeneration: 'g1', version: 1, previous: null },
        failing: null,
      };
      const begins = await appendListenerEvent({ type: 'ListenerSubscribed', data });
      periods.push({
        ...data,
        state: 'active',
        pausedBy: null,
        status: 'active',
        from: sortable(begins),
        since: '',
        until: stillOpen,
        begins,
        ends: undefined,
      });
      stepped.moveTo(begins);
      return { listenerId, secret: signingSecret(keys, listenerId, data.secret) };
    },

    recordRemoval,

    /** Runs as the command does: append, then the barrier. Resolves when the platform would have its 200. */
    async unsubscribe(listenerId: string): Promise<void> {
      await recordRemoval(listenerId);
      await running.queue.withdraw({ listenerId });
    },

    async publish(
      data: object = {},
      { orgId = 'acme', type = 'flow.completed', stream = `flow-${randomUUID()}`, id = randomUUID() as string } = {},
    ) {
      await store.append(stream, [{ id, type, data: { orgId, ...data }, metadata: {} }]);
      return id;
    },

    async fannedOut(): Promise<boolean> {
      return (running.status().fanOut.position ?? -1n) >= (await store.head());
    },

    async stop(): Promise<void> {
      await running.stop(5_000);
      // What another engine opened, it closes.
      if (!options.queue) await queue.close();
      if (!options.store) await store.close();
    },
  };
}

export type Engine = Awaited<ReturnType<typeof startEngine>>;
