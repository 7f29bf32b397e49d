import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { pastFlowEvents, type Selection } from '../../../src/admin/replays/past-flow-events.js';
import { fanOutBeginningReader } from '../../../src/deliveries/fan-out/fan-out-beginning.js';
import { fanOutReader } from '../../../src/deliveries/fan-out/partitions.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventsQuery } from '../../../src/queue/delivery-log.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const hour = 3_600_000;
const firstHour = Date.parse('2026-01-01T00:00:00.000Z');
const atHour = (hours: number): string => new Date(firstHour + hours * hour).toISOString();

describe('the past flow events of an organisation', () => {
  let store: EventStore;
  let queue: ReturnType<typeof openSqliteDeliveryQueue>;
  let known: { id: string; orgId: string; type: string; position: bigint }[];

  beforeEach(() => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
    known = [];
  });
  afterEach(async () => {
    await queue.close();
    await store.close();
  });

  /** One an hour, each in its own stream, and an event of another organisation after each. */
  async function append(
    hours: number,
    { type = 'flow.completed', orgId = 'acme', operational = false } = {},
  ): Promise<void> {
    const id = randomUUID();
    const event = { id, type, data: { orgId, n: hours }, metadata: { recordedAt: atHour(hours), operational } };
    const { position } = await store.append(`flow-${id}`, [event]);
    known.push({ id, orgId, type, position });
    const other = { id: randomUUID(), type, data: { orgId: 'other' }, metadata: { recordedAt: atHour(hours) } };
    await store.append(`flow-${other.id}`, [other]);
  }

  /** The fan-out began after the first `unknown` events, and has gone by all others. */
  async function fanOut({ unknown = 0 } = {}): Promise<void> {
    const beginning = unknown === 0 ? -1n : (known[unknown - 1]?.position ?? -1n);
    const messages = known.slice(unknown).map(({ id, orgId, type, position }) => ({
      eventId: id,
      orgId,
      type,
      position,
      body: null,
      recordedAt: undefined,
    }));
    const checkpoint = { reader: fanOutBeginningReader, position: beginning, term: 1n };
    await queue.enqueue({ ...emptyBatch, checkpoint }, 0);
    const reached = { reader: fanOutReader, position: await store.head(), term: 1n };
    await queue.enqueue({ ...emptyBatch, messages, checkpoint: reached }, 0);
  }

  async function found(
    wanted: Partial<Selection> = {},
    after?: bigint,
    { sources = { store, queue }, upTo = undefined as bigint | undefined } = {},
  ): Promise<unknown[]> {
    const all: Selection = { orgId: 'acme', from: null, to: null, type: null, ...wanted };
    const { beginning, events } = await pastFlowEvents(sources, all, upTo ?? (await store.head()));
    const data: unknown[] = [];
    for await (const { event } of events(after ?? beginning)) {
      if (event) data.push((event.data as { n: number }).n);
    }
    return data;
  }

  const hours = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('are found in the event store where the queue has forgotten them', async () => {
    for (const hours of [0, 1, 2, 3]) await append(hours);
    await fanOut();
    const now = 5_000;
    await queue.forget({ of: 'flowEvents', before: now, now, limit: 10 }); // notes the time that the queue did not know
    await queue.forget({ of: 'flowEvents', before: now + 1, now, limit: 2 });
    expect(await queue.events({ orgId: 'acme', after: -1n, upTo: await store.head(), limit: 10 })).to.have.length(2);
    expect(await found()).to.deep.equal([0, 1, 2, 3]);
    expect(await found({ from: atHour(1), to: atHour(2) })).to.deep.equal([1, 2]);
  });

  it('are found in the event store where the queue forgets them while they are read', async () => {
    for (const n of hours(0, 3)) await append(n);
    await fanOut();
    const now = 5_000;
    await queue.forget({ of: 'flowEvents', before: now, now, limit: 10 }); // notes the time that the queue did not know
    let limit = 2;
    let reads = 0;
    const forgetting = {
      ...queue,
      async events(query: EventsQuery) {
        reads += 1;
        if (reads > 10) throw new Error('it reads on and on');
        await queue.forget({ of: 'flowEvents', before: now + 1, now, limit });
        return queue.events(query);
      },
    };
    const sources = { store, queue: forgetting };
    expect(await found({}, undefined, { sources })).to.eql(hours(0, 3));

    await fanOut();
    await queue.forget({ of: 'flowEvents', before: now, now, limit: 10 });
    limit = 10;
    reads = 0;
    const last = known[1]?.position;
    expect(await found({}, undefined, { sources, upTo: last }), 'and later ones').to.eql(hours(0, 1));
  });

  it('are all of its own, from the store and from the queue', async () => {
    for (const n of hours(0, 9)) await append(n);
    await fanOut({ unknown: 4 });
    expect(await found()).to.eql(hours(0, 9));
    expect(await found({}, known[1]?.position), 'after one that the queue does not know').to.eql(hours(2, 9));
    expect(await found({}, known[6]?.position), 'after one that it knows').to.eql(hours(7, 9));
  });

  it('are read from the event store only, if the start of the queue is not recorded', async () => {
    for (const n of hours(0, 4)) await append(n);
    expect(await found()).to.eql(hours(0, 4));
  });

  it('are those of a time, both ends included', async () => {
    for (const n of hours(0, 30)) await append(n);
    for (const unknown of [0, 7]) {
      await fanOut({ unknown });
      expect(await found({ from: atHour(10), to: atHour(20) })).to.eql(hours(10, 20));
      expect(await found({ from: atHour(3) })).to.eql(hours(3, 30));
      expect(await found({ to: atHour(2) })).to.eql(hours(0, 2));
      expect(await found({ from: atHour(40) })).to.eql([]);
    }
  });

  it('are read from shortly before the requested time, without reading earlier ones', async () => {
    for (const n of hours(0, 30)) await append(n);
    await fanOut();
    const wanted: Selection = { orgId: 'acme', from: atHour(20), to: null, type: null };
    const { beginning } = await pastFlowEvents({ store, queue }, wanted, await store.head());
    expect(beginning).to.equal(known[17]?.position);
  });

  it('are all of a time, though the clock was an hour ahead or behind for a while', async () => {
    const ahead = [10, 11, 12.1, 12.2, 11.3, 11.4, 12];
    for (const n of [...hours(0, 9), ...ahead, ...hours(13, 20)]) await append(n);
    const behind = [21, 22, 21.1, 21.2, 21.3, 22.4, 23];
    for (const n of [...behind, ...hours(24, 30)]) await append(n);
    for (const unknown of [0, 12]) {
      await fanOut({ unknown });
      expect(await found({ from: atHour(11), to: atHour(12) })).to.eql([11, 11.3, 11.4, 12]);
      expect(await found({ from: atHour(22), to: atHour(23) })).to.eql([22, 22.4, 23]);
      expect(await found({ from: atHour(21.15), to: atHour(21.25) })).to.eql([21.2]);
    }
  });

  it('are those of a type', async () => {
    for (const n of hours(0, 5)) await append(n, { type: n % 2 === 0 ? 'flow.completed' : 'order.paid' });
    await fanOut({ unknown: 3 });
    expect(await found({ type: 'order.*' })).to.eql([1, 3, 5]);
  });

  it('are operational events only by their type', async () => {
    for (const n of hours(0, 3)) await append(n);
    for (const n of hours(4, 5)) await append(n, { type: 'delivery.exhausted', operational: true });
    for (const unknown of [0, 6]) {
      await fanOut({ unknown });
      expect(await found({ type: '*' }), `after ${unknown}`).to.eql(hours(0, 3));
      expect(await found({ type: 'delivery.*' }), `after ${unknown}`).to.eql(hours(4, 5));
    }
  });

  it('are only those that the queue knows, also if other events have their positions now', async () => {
    for (const n of hours(0, 3)) await append(n);
    const [, second, third] = known;
    if (!second || !third) throw new Error('they have been appended');
    known[1] = { ...second, position: second.position + 1n }; // the position of another organisation's event
    known[2] = { ...third, id: randomUUID() };
    await fanOut();
    expect(await found()).to.eql([0, 3]);
    expect(await found({ from: atHour(3) })).to.eql([3]);
  });

  it('are read once the fan-out has passed them, which decides which of them count', async () => {
    await append(0);
    await fanOut();
    await append(1);
    const waiting = found();
    await fanOut();
    expect(await waiting).to.eql([0, 1]);
  });

  it('are refused while the fan-out is behind', async () => {
    await append(0);
    await fanOut();
    await append(1);
    expect(await rejection(found())).to.be.instanceOf(StoreUnavailable);
  });
});
