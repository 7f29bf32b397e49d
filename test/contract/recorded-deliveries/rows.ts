import { expect } from 'chai';
import type { NewDelivery, QueuedListener } from '../../../src/queue/delivery.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import { batchOf, emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { logOf } from '../../support/deliveries/log-of.js';
import { hour, minute } from '../delivery-queue/context.js';
import {
  attemptAll,
  idOfListener,
  later,
  listenerOf,
  nameOfListener,
  position,
  queued,
  type RecordedContext,
  recorded,
  statesOf,
} from './context.js';

const { noon, listeners, replays } = recorded;

const countsOf = (each: { succeeded: number; failed: number; exhausted: number }) =>
  [each.succeeded, each.failed, each.exhausted] as const;

export function recordedRowsContract({ queue, reopen, readers }: RecordedContext): void {
  it('are listed with their states and attempts, and counted', async () => {
    const listed = (await queue().deliveries({ orgId: 'acme' })).deliveries.toReversed();
    const rows = listed.map((each) => [each.publishedId, each.state, each.attempts, each.lastStatus ?? null]);
    expect(rows).to.deep.equal(recorded.deliveries);
    expect(listed.map(({ listenerId }) => listenerId)).to.deep.equal(
      recorded.deliveries.map(([event]) => listeners[listenerOf(event)]),
    );
    const count = (state: string) => recorded.deliveries.filter((each) => each[1] === state).length;
    expect(await queue().counts(later)).to.include({
      ...{ waiting: count('waiting'), held: count('held'), succeeded: count('succeeded') },
      ...{ exhausted: count('exhausted'), cancelled: count('cancelled'), setAside: 2 },
    });
    const [retried] = listed.filter(({ publishedId }) => publishedId === 'retried-1');
    const attempts = await logOf(queue(), 'acme', retried?.id ?? '');
    expect(attempts.map(({ startedAt }) => startedAt)).to.deep.equal(
      [0, 1, 2].map((minutes) => noon - hour + minutes * minute),
    );
    expect(attempts[0]).to.include({ durationMs: 12.5, status: 500, error: 'http_status', answer: 'out of order' });
  });

  it('have the recorded statistics, to which later attempts add', async () => {
    const period = { from: noon - 72 * hour, to: noon + 24 * hour };
    const days = async () =>
      (await daysOf(queue(), { orgId: 'acme', from: '2026-11-20', to: '2026-11-30' })).map((each) => [
        ...[each.day, nameOfListener(each.listenerId), ...countsOf(each), each.durationMs],
      ]);
    const halfHours = async (name: string) =>
      (await queue().statistics({ by: 'half hour', orgId: 'acme', listenerId: idOfListener(name), ...period })).map(
        (each) => [...[each.at, name, ...countsOf(each)]],
      );
    expect(await days()).to.deep.equal(recorded.days);
    for (const name of Object.keys(listeners))
      expect(await halfHours(name)).to.deep.equal(recorded.halfHours.filter((each) => each[1] === name));
    expect((await queue().activity(period)).map((each) => [each.at, each.events, ...countsOf(each)])).to.deep.equal(
      recorded.activity,
    );

    await attemptAll(queue(), later);
    await reopen();
    const ordered = (await days()).find(([day, name]) => day === '2026-11-26' && name === 'ordered');
    expect(ordered?.slice(2, 5), 'one success and one failure are recorded, three successes were due').to.deep.equal([
      4, 1, 0,
    ]);
  });

  it('that are exhausted are the dead letters, and can be redelivered', async () => {
    const exhausted = await queue().exhausted({ from: noon - 48 * hour, to: noon + hour });
    expect(exhausted).to.deep.equal([{ listenerId: listeners.exhausted, exhausted: 2 }]);
    await attemptAll(queue(), later);
    const query = { orgId: 'acme', states: ['exhausted'] } as const;
    expect((await queue().deliveries(query)).deliveries.map(({ publishedId }) => publishedId)).to.have.members([
      ...['exhausted-0', 'exhausted-1'],
    ]);
    expect(await queue().redeliver(query, later)).to.include({ redelivered: 2 });
    expect(await attemptAll(queue(), later)).to.have.members(['exhausted-0 2', 'exhausted-1 2']);
    expect(await queue().counts(later)).to.include({ exhausted: 0 });
  });

  it('of closed gates stay cancelled, and no later one starts', async () => {
    const closed = ['closed', 'closedLater', 'unseen'];
    const ids = Object.values(listeners);
    expect([...(await queue().closedGates(ids))].map(nameOfListener)).to.have.members(closed);
    await queue().enqueue(batchOf(closed.map(queued)), later);
    const states = ['succeeded', 'cancelled'] as const;
    for (const name of closed)
      await queue().redeliver({ orgId: 'acme', listenerId: idOfListener(name), states }, later);
    const attempted = await attemptAll(queue(), noon + 24 * hour);
    expect(attempted.filter((each) => each.startsWith('closed') || each.startsWith('published'))).to.deep.equal([]);
    expect((await queue().deliveries({ orgId: 'acme', states: ['cancelled'] })).deliveries.length).to.equal(
      4 + closed.length,
    );
  });

  it('are not added again: neither by their events, nor by events published again, nor by a cancelled replay', async () => {
    const [delivery] = (await queue().deliveries({ orgId: 'acme', listenerId: idOfListener('steady'), limit: 1 }))
      .deliveries;
    const known = delivery && (await queue().events({ orgId: 'acme', eventId: delivery.eventId }))[0];
    if (!known) throw new Error('the event is not known');
    const { id, webhookId, orgId, eventId, listenerId } = delivery;
    const message = { ...known, body: '{}', recordedAt: noon };
    const added = async (listener: QueuedListener, newDelivery: NewDelivery, at: bigint) => {
      const messages = [{ ...message, position: at }];
      const batch = { ...emptyBatch, messages, listeners: [listener], deliveries: [newDelivery] };
      return (await queue().enqueue(batch, later)).added;
    };
    const again = { id, webhookId, orgId, eventId, listenerId };
    expect(await added(queued('steady'), again, known.position)).to.equal(0);
    const other = { ...again, id: 'other', webhookId: 'other', listenerId: 'other' };
    expect(await added(queued('other'), other, position + 20n)).to.equal(0);

    const replayed = batchOf([queued('replayed')], 1, 'replayed-again');
    const deliveries = replayed.deliveries.map((each) => ({ ...each, replay: replays.cancelled }));
    await queue().enqueue({ ...replayed, deliveries }, later);
    expect(await statesOf(queue(), 'replayed')).to.include('published-replayed-again-0 cancelled 0');
    expect(await queue().withdraw({ replay: replays.running })).to.equal(1);
    const attempted = await attemptAll(queue(), later);
    expect(attempted.filter((each) => /^(steady|replayed|published)/.test(each))).to.deep.equal([]);
  });

  it('continue from the recorded checkpoints, with the events that wait behind them and those set aside', async () => {
    const reached = await queue().positions(readers);
    expect(reached).to.deep.equal(new Map(readers.map((each) => [each, position])));
    const [reader] = readers;
    const waiting = {
      orgId: 'busy',
      position: 87n,
      stream: 'flow-00000000-0000-5000-8000-000000000000',
      revision: 7n,
    };
    expect(await queue().waiting([reader])).to.deep.equal([waiting]);
    const checkpoint = { reader, position: position + 1n, term: 4n, follows: true, handedOver: waiting } as const;
    await queue().enqueue({ ...emptyBatch, checkpoint }, later);
    expect(await queue().positions([reader])).to.deep.equal(new Map([[reader, position + 1n]]));
    expect(await queue().waiting([reader])).to.deep.equal([{ ...waiting, position: 89n, revision: 9n }]);
    expect((await queue().setAside()).map((each) => [each.position, each.reason])).to.deep.equal([
      [77n, 'its data has no orgId'],
      [78n, 'its data has no orgId'],
    ]);
  });
}
