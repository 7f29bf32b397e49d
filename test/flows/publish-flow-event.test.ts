import { expect } from 'chai';
import { z } from 'zod';
import { publishRequest } from '../../src/flows/contract.js';
import { flowStream } from '../../src/flows/flow-event.js';
import { FlowEventTooLarge, publishFlowEvent } from '../../src/flows/publish-flow-event.js';
import { parseJson } from '../../src/kernel/input/exact-json.js';
import type { EventStore, RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const maxBytes = 1_000;
const now = new Date('2026-01-02T03:04:05.678Z');
const cause = {
  actor: 'user:user-1',
  correlationId: 'request-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
};
const event = { type: 'flow.completed', data: { steps: 3 } };

describe('publishing a flow event', () => {
  let store: EventStore;

  const publish = ({ orgId = 'org-1', ...overrides }: Record<string, unknown> & { orgId?: string } = {}) =>
    publishFlowEvent(store, { ...event, ...overrides }, { orgId, cause, now, maxBytes });

  async function recorded(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const each of store.readAll()) events.push(each);
    return events;
  }

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
  });

  afterEach(() => store.close());

  it("records it with the producer's type, the actor and the time", async () => {
    await publish({ id: 'e1', flowId: 'f1', occurredAt: '2026-01-01T00:00:00+01:00' });
    const [first] = await recorded();
    expect(first).to.deep.include({
      stream: flowStream('org-1', 'f1'),
      type: 'flow.completed',
      data: { orgId: 'org-1', id: 'e1', flowId: 'f1', occurredAt: '2026-01-01T00:00:00+01:00', data: { steps: 3 } },
      metadata: {
        schemaVersion: 1,
        recordedAt: now.toISOString(),
        actor: 'user:user-1',
        $correlationId: 'request-1',
        traceparent: cause.traceparent,
      },
    });
  });

  it('generates an id if none is given, and uses it as the flow id too', async () => {
    const { id } = await publish();
    const [first] = await recorded();
    expect(first?.stream).to.equal(flowStream('org-1', id));
    expect(first?.data).to.deep.include({ id, flowId: id });
  });

  it('appends an event once if it is published again with its generated id', async () => {
    const { id } = await publish();
    await publish({ id });
    expect(await recorded()).to.have.length(1);
  });

  it('appends one event for each id, and keeps the first', async () => {
    expect(await publish({ id: 'e1', data: 'first' })).to.include({ id: 'e1' });
    expect(await publish({ id: 'e1', data: 'second' })).to.include({ id: 'e1' });
    expect((await recorded()).map(({ data }) => data)).to.deep.equal([
      { orgId: 'org-1', id: 'e1', flowId: 'e1', data: 'first' },
    ]);
  });

  it('appends one event for each id, also after later events of the flow', async () => {
    for (const id of ['e1', 'e2', 'e3', 'e1', 'e2']) await publish({ id, flowId: 'f1' });
    expect(await recorded()).to.have.length(3);
  });

  it('appends one event for concurrent publications with the same id', async () => {
    await Promise.all(Array.from({ length: 50 }, () => publish({ id: 'e1' })));
    await Promise.all(Array.from({ length: 50 }, () => publish({ id: 'e2', flowId: 'e1' })));
    expect(await recorded()).to.have.length(2);
  });

  it('appends an event whose id is the flow id of an earlier event', async () => {
    await publish({ id: 'e2', flowId: 'e1' });
    await publish({ id: 'e1' });
    await publish({ id: 'e1' });
    expect((await recorded()).map(({ stream }) => stream)).to.deep.equal([
      flowStream('org-1', 'e1'),
      flowStream('org-1', 'e1'),
    ]);
  });

  it('appends two events for the same id in two organisations', async () => {
    await publish({ id: 'e1', orgId: 'org-1' });
    await publish({ id: 'e1', orgId: 'org-2' });
    const events = await recorded();
    expect(new Set(events.map(({ id }) => id)).size).to.equal(2);
    expect(new Set(events.map(({ stream }) => stream)).size).to.equal(2);
  });

  it('gives the same id in two flows the same event ID, so that it is delivered once', async () => {
    await publish({ id: 'e1', flowId: 'f1' });
    await publish({ id: 'e1', flowId: 'f2' });
    expect(new Set((await recorded()).map(({ id }) => id)).size).to.equal(1);
  });

  it('derives a permanent event ID from an id', async () => {
    await publish({ id: 'e1' });
    const [first] = await recorded();
    expect(first).to.include({
      id: 'b4f8e3a9-256e-543f-97d7-2d50b0faa88f',
      stream: 'flow-c5.69641761-5397-57c5-85d2-b05a1a72e3cd',
    });
  });

  it('refuses an event over the limit in bytes', async () => {
    await publish({ data: 'x'.repeat(800) });
    const error = await rejection(publish({ data: 'é'.repeat(800) }));
    expect(error).to.be.instanceOf(FlowEventTooLarge);
    expect(await recorded()).to.have.length(1);
  });

  it('counts the text of data that doubles do not keep', async () => {
    const odd = (length: number) => parseJson(`["${'x'.repeat(length)}",1.0]`);
    await publish({ data: odd(400) });
    expect(await rejection(publish({ data: odd(480) }))).to.be.instanceOf(FlowEventTooLarge);
  });
});

describe('a published flow event', () => {
  const problem = (overrides: Record<string, unknown>): string | undefined =>
    publishRequest
      .safeParse({ ...event, ...overrides })
      .error?.issues.map(({ path, message }) => `${path}: ${message}`)
      .join();
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  it('may contain any JSON', () => {
    for (const data of [null, 0, '', false, [], {}, { a: [{ b: null }] }])
      expect(problem({ data })).to.equal(undefined);
  });

  it('must contain data', () => expect(problem({ data: undefined })).to.match(/^data: is required/));

  it('has a maximum nesting', () => {
    expect(problem({ data: nested(100) })).to.equal(undefined);
    expect(problem({ data: nested(101) })).to.match(/100 levels/);
    expect(problem({ data: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) })).to.match(/100 levels/);
  });

  it('has a type without stars, spaces or characters that stores reserve', () => {
    for (const type of ['flow.completed', 'a', 'Order-Paid_v2', 'com.example/flow:1'])
      expect(problem({ type })).to.equal(undefined);
    for (const type of ['', 'flow.*', '*', '$system', 'a b', 'a\n', 'x'.repeat(129), 7])
      expect(problem({ type })).to.match(/^type/);
  });

  it('has ids of 1 to 256 printable characters', () => {
    for (const id of ['1', 'é 1', '🙂'.repeat(256)]) expect(problem({ id, flowId: id, orgId: id })).to.equal(undefined);
    for (const id of ['', 'a\u0000', 'a\n', 'x'.repeat(257), 7, null]) {
      expect(problem({ id })).to.match(/^id/);
      expect(problem({ flowId: id })).to.match(/^flowId/);
      expect(problem({ orgId: id })).to.match(/^orgId/);
    }
  });

  it('has a time of occurrence as RFC 3339 permits, in one spelling', () => {
    for (const [sent, recorded] of [
      ['2026-01-31t12:00:00z', '2026-01-31T12:00:00Z'],
      ['2026-01-31t12:00:00.5+01:00', '2026-01-31T12:00:00.5+01:00'],
      ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
      ['1990-12-31T15:59:60.25-08:00', '1990-12-31T15:59:59.25-08:00'],
    ])
      expect(publishRequest.parse({ ...event, occurredAt: sent }).occurredAt).to.equal(recorded);
  });

  it('is described with a pattern for its time that accepts what the service accepts', () => {
    const { properties } = z.toJSONSchema(publishRequest, { io: 'input' }) as {
      properties: Record<string, { pattern: string }>;
    };
    const pattern = new RegExp(properties.occurredAt?.pattern ?? '');
    for (const time of ['2026-01-31t12:00:00z', '2016-12-31T23:59:60Z', '1990-12-31T15:59:60.123456789-08:00'])
      expect(time).to.match(pattern);
    for (const time of ['2026-01-31', '2026-01-31T12:00:00', '2026-01-31T12:00:00.1234567890Z'])
      expect(time).not.to.match(pattern);
  });

  it('holds no lone surrogate in its data', () => {
    for (const text of ['"\\ud83d\\ude00"', '{"😀":["\\\\ud800","\\u00e9"]}'])
      expect(problem({ data: JSON.parse(text) }), text).to.equal(undefined);
    for (const text of ['"\\ud83d"', '["a","\\ude00\\ud83d"]', '{"a":{"\\udfff":1}}'])
      expect(problem({ data: JSON.parse(text) }), text).to.equal('data: must hold no lone surrogate such as \\ud800');
  });

  it('has a time of occurrence with an offset', () => {
    for (const occurredAt of ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00.5+01:00', '1970-01-01T00:00:00.123456789Z'])
      expect(problem({ occurredAt })).to.equal(undefined);
    for (const occurredAt of ['2026-01-31', '2026-01-31T12:00:00', 'yesterday', 1_769_860_800, '2026-01-31T12:00:60Z'])
      expect(problem({ occurredAt })).to.match(/^occurredAt: must be an ISO 8601/);
    expect(problem({ occurredAt: '1970-01-01T00:59:59.9+01:00' })).to.equal('occurredAt: must be in 1970 or later');
    expect(problem({ occurredAt: '2026-01-31T12:00:00.1234567890Z' })).to.equal(
      'occurredAt: must have at most 9 digits after the second',
    );
  });

  it('has a year of four digits in UTC, in which times are recorded', () => {
    expect(problem({ occurredAt: '9999-12-31T23:59:59.999Z' })).to.equal(undefined);
    expect(problem({ occurredAt: '9999-12-31T23:59:59-14:00' })).to.match(
      /^occurredAt: must be within the years 0 to 9999/,
    );
  });
});
