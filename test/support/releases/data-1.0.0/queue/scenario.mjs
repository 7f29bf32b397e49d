/**
 * Fills an empty queue of 1.0.0, as its fan-out and its worker did. `parts`: its compiled modules. The events of a listener `x` are `x-0`, `x-1` …
 */

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
export const noon = Date.UTC(2026, 10, 26, 12);

const ordered = { ordered: true };
/** Names of the listeners, with what is special of their subscriptions. The hook URLs end with the names. */
const settings = {
  steady: {},
  retried: {},
  exhausted: {},
  failing: {},
  probed: {},
  asking: {},
  ordered,
  blocked: ordered,
  paused: {},
  pausedLater: {},
  underWay: {},
  arriving: {},
  closed: {},
  closedLater: {},
  waiting: {},
  replayed: {},
};

export function openScenario({ FanOutBatchBuilder, uuidV5, emptyBatch }, readers) {
  const idOf = uuidV5('0d9f4a52-3c39-4d0e-9a86-6e3b0f3d6a11');
  const listeners = Object.fromEntries(
    Object.entries(settings).map(([name, fields], index) => [
      name,
      {
        listenerId: idOf(`listener ${name}`),
        orgId: 'acme',
        userId: 'ann',
        hookUrl: `https://hooks.example.com/${name}`,
        subscription: {
          subscriptionType: 'flow.*',
          filter: null,
          transform: null,
          ordered: false,
          ratePerSecond: null,
          description: null,
          signedWithKeyPair: false,
          ...fields,
        },
        secret: { keyGeneration: 'g1', version: 1, previous: null },
        state: 'active',
        from: `${index + 1}`,
      },
    ]),
  );
  const unseen = idOf('listener unseen');
  const [cancelledReplay, runningReplay] = [idOf('replay cancelled'), idOf('replay running')];

  /** Position of the latest event. */
  let position = 100n;
  const eventOf = (id, at) => ({
    id,
    eventId: idOf(`event ${id}`),
    orgId: 'acme',
    flowId: id,
    type: 'flow.completed',
    timestamp: new Date(at).toISOString(),
    recordedAt: new Date(at).toISOString(),
    data: { text: 'Zürich 🎉' },
  });
  const checkpoint = () => readers.map((reader) => ({ position, ...reader }));
  const readOn = async (queue) => {
    position = await queue.checkpoint(readers[0].reader);
  };

  /** Events with these names, each to the listener that it is named after. */
  function batchOf(names, at, replay) {
    const builder = new FanOutBatchBuilder();
    for (const name of names) {
      const listener = listeners[name.replace(/-\d+$/, '')];
      const event = eventOf(name, at);
      position += 1n;
      if (!listener) builder.addUnwanted(event, position);
      else builder.deliver(builder.message(event, position), listener, replay);
    }
    return { ...builder.take(), checkpoint: checkpoint() };
  }
  const several = (name, count, from = 0) => Array.from({ length: count }, (_, index) => `${name}-${from + index}`);
  function pause(name) {
    const { listenerId, orgId, hookUrl, subscription, secret } = listeners[name];
    position += 1n;
    const paused = { listenerId, orgId, hookUrl, subscription, secret, paused: true, position };
    return { ...emptyBatch, listeners: [paused], checkpoint: checkpoint() };
  }
  const requestAt = (now) => ({
    limit: 100,
    perListener: 100,
    inFlight: { byListener: new Map(), byOrganisation: new Map() },
    leaseMs: minute,
    now,
  });

  const report = (startedAt, fields) => ({ startedAt, durationMs: 12.5, ...fields });
  const ok = () => (now) => ({ kind: 'succeeded', report: report(now, { status: 200 }), latencyMs: 40 });
  const error = (now) => report(now, { status: 500, error: 'http_status', answer: 'out of order' });
  const retryAt = (at) => (now) => ({ kind: 'failed', retryAt: at, byListener: true, report: error(now) });
  const dead = () => (now) => ({ kind: 'exhausted', byListener: true, report: error(now) });
  const asked = (until) => (now) => ({ ...retryAt(until)(now), notBefore: until });

  /** Leases what is due and records its outcomes; throws where something else is due. */
  async function attempt(queue, now, outcomes) {
    const { deliveries } = await queue.lease(requestAt(now));
    const byName = new Map(deliveries.map((each) => [JSON.parse(each.body).id, each]));
    const [due, expected] = [[...byName.keys()].sort(), Object.keys(outcomes).sort()];
    if (`${due}` !== `${expected}`) throw new Error(`due are ${due}, not ${expected}`);
    await queue.record(
      Object.entries(outcomes).map(([name, outcome]) => ({ ...byName.get(name), ...outcome(now) })),
      now,
    );
  }

  return {
    listeners: {
      ...Object.fromEntries(Object.entries(listeners).map(([name, each]) => [name, each.listenerId])),
      unseen,
    },
    replays: { cancelled: cancelledReplay, running: runningReplay },
    /** Three days, up to noon. */
    async fill(queue) {
      const [twoDaysAgo, yesterday] = [noon - 2 * day, noon - day];
      await queue.enqueue(batchOf([...several('steady', 3), 'arriving-0', 'unwanted-0'], twoDaysAgo), twoDaysAgo);
      await attempt(queue, twoDaysAgo, {
        ...{ 'steady-0': ok(), 'steady-1': ok(), 'steady-2': retryAt(yesterday), 'arriving-0': ok() },
      });
      await attempt(queue, yesterday, { 'steady-2': ok() });
      await queue.enqueue(batchOf(['steady-3', ...several('exhausted', 3)], yesterday), yesterday + 40 * minute);
      await attempt(queue, yesterday + 40 * minute, {
        'steady-3': ok(),
        ...{ 'exhausted-0': dead(), 'exhausted-1': dead(), 'exhausted-2': dead() },
      });

      const anHourAgo = noon - hour;
      const names = [...several('retried', 2), ...several('ordered', 4), ...several('blocked', 3), 'paused-0'];
      await queue.enqueue(batchOf([...names, 'underWay-0', ...several('closed', 2)], anHourAgo), anHourAgo);
      await attempt(queue, anHourAgo, {
        ...{ 'retried-0': retryAt(noon + 10 * minute), 'retried-1': retryAt(anHourAgo + minute) },
        ...{ 'ordered-0': ok(), 'blocked-0': retryAt(noon + 5 * minute), 'paused-0': retryAt(noon + minute) },
        ...{ 'underWay-0': retryAt(anHourAgo + minute), 'closed-0': ok(), 'closed-1': retryAt(noon + hour) },
      });
      await attempt(queue, anHourAgo + minute, {
        ...{ 'ordered-1': retryAt(noon), 'retried-1': retryAt(anHourAgo + 2 * minute), 'underWay-0': retryAt(noon) },
      });
      await attempt(queue, anHourAgo + 2 * minute, { 'retried-1': retryAt(noon + hour) });
      await queue.enqueue(pause('paused'), anHourAgo + 2 * minute);
      await queue.enqueue(batchOf(['paused-1'], anHourAgo + 3 * minute), anHourAgo + 3 * minute);
      await queue.closeGate(listeners.closed.listenerId);
      await queue.closeGate(unseen);

      const opened = noon - 31 * second;
      await queue.enqueue(batchOf(several('probed', 10), opened), opened);
      await attempt(
        queue,
        opened,
        Object.fromEntries(several('probed', 10).map((name) => [name, retryAt(noon + hour)])),
      );
      const justNow = noon - 10 * second;
      await queue.enqueue(batchOf([...several('failing', 10), 'asking-0'], justNow), justNow);
      await attempt(queue, justNow, {
        ...Object.fromEntries(several('failing', 10).map((name) => [name, retryAt(noon + 10 * minute)])),
        'asking-0': asked(noon + 30 * minute),
      });
      await queue.enqueue(
        batchOf([...several('failing', 5, 10), ...several('probed', 2, 10), 'asking-1'], justNow),
        justNow + second,
      );
      await queue.cancelReplay(cancelledReplay);
      await queue.enqueue(batchOf(['replayed-0'], justNow, cancelledReplay), justNow + second);
      const stream = 'flow-00000000-0000-5000-8000-000000000000';
      const setAside = [7n, 8n].map((revision) => ({
        ...{ position: 70n + revision, stream, revision, type: 'flow.completed', reason: 'its data has no orgId' },
      }));
      const [first, ...others] = checkpoint();
      const waiting = [7n, 9n].map((revision) => ({ orgId: 'busy', position: 80n + revision, stream, revision }));
      await queue.enqueue({ ...emptyBatch, setAside, checkpoint: [{ ...first, waiting }, ...others] }, noon - second);
      await queue.enqueue(batchOf([...several('underWay', 2, 1), 'pausedLater-0', 'closedLater-0'], noon), noon);
    },

    /** Called by the process that is killed while its attempts hang: all that is due, and events that it enqueues under lease. */
    async leaseForGood(queue) {
      await readOn(queue);
      const leased = await queue.lease(requestAt(noon));
      const arriving = await queue.enqueue(batchOf(several('arriving', 2, 1), noon), noon, requestAt(noon));
      const rest = arriving.lease ? [] : (await queue.lease(requestAt(noon))).deliveries;
      return [...leased.deliveries, ...(arriving.lease?.deliveries ?? []), ...rest].map(
        ({ body }) => JSON.parse(body).id,
      );
    },

    /** Called by another process, while those attempts are under way. */
    async changeBeside(queue) {
      await readOn(queue);
      await queue.enqueue(batchOf([...several('waiting', 3), 'pausedLater-1', 'closedLater-1'], noon), noon + second);
      await queue.enqueue(batchOf(['replayed-1'], noon, runningReplay), noon + second);
      await queue.enqueue(pause('pausedLater'), noon + second);
      await queue.closeGate(listeners.closedLater.listenerId);
      const idOfDelivery = async (name) => {
        const [delivery] = await queue.list({ orgId: 'acme', eventId: idOf(`event ${name}`) });
        return delivery.id;
      };
      for (const name of ['exhausted-2', 'underWay-1']) {
        const { redelivered } = await queue.redeliver({ orgId: 'acme', id: await idOfDelivery(name) }, noon + second);
        if (redelivered !== 1) throw new Error(`${name} is not redelivered`);
      }
      await queue.enqueue({ ...emptyBatch, checkpoint: checkpoint() }, noon + second);
    },

    /** The answers of 1.0.0: rows of `recorded.json`. */
    async facts(queue) {
      const known = Object.entries(listeners);
      const nameOf = new Map(known.map(([name, { listenerId }]) => [listenerId, name]));
      const period = { from: noon - 3 * day, to: noon + day };
      const halfHours = [];
      for (const [, { listenerId }] of known)
        halfHours.push(...(await queue.halfHours({ orgId: 'acme', listenerId, ...period })));
      const deliveries = (await queue.list({ orgId: 'acme' })).toReversed();
      const days = await queue.stats({ orgId: 'acme', from: '2026-11-20', to: '2026-11-30' });
      const counts = ({ succeeded, failed, exhausted }) => [succeeded, failed, exhausted];
      return {
        position: `${position}`,
        deliveries: deliveries.map((each) => [each.publishedId, each.state, each.attempts, each.lastStatus ?? null]),
        days: days.map((each) => [each.day, nameOf.get(each.listenerId), ...counts(each), each.durationMs]),
        halfHours: halfHours.map((each) => [each.at, nameOf.get(each.listenerId), ...counts(each)]),
        activity: (await queue.activity(period)).map((each) => [each.at, each.events, ...counts(each)]),
      };
    },
  };
}
