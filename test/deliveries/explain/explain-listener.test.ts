import { expect } from 'chai';
import type { HistoryEntry } from '../../../projections/listener-history.js';
import { explainListener } from '../../../src/deliveries/explain/explain-listener.js';
import type { HandOver } from '../../../src/deliveries/queries/locate-flow-event.js';
import type { Payload } from '../../../src/flows/flow-event.js';
import type { AttemptReport, DeliveryRecord } from '../../../src/queue/delivery-log.js';
import type { ListenerState } from '../../../src/queue/listener-log.js';
import { healthy } from '../../../src/queue/policy/listener-health.js';
import { sortable } from '../../../src/views/projection.js';
import { plainSubscription } from '../../listeners/fixtures.js';

const now = Date.parse('2026-01-02T12:00:00.000Z');
const later = now + 60_000;

const happened = (position: number, type: string, fields: Partial<HistoryEntry>): HistoryEntry => ({
  position: sortable(BigInt(position)),
  type,
  at: `2026-01-01T00:00:${position}.000Z`,
  actor: `user:${position}`,
  correlationId: null,
  orgId: 'acme',
  userId: 'u',
  listenerId: 'l',
  hookUrl: 'https://hooks.example.com/secret',
  before: null,
  after: null,
  reason: null,
  ...fields,
});
const subscribed = (position: number, subscriptionType = 'flow.*') =>
  happened(position, 'ListenerSubscribed', {
    after: { subscription: { ...plainSubscription, subscriptionType }, state: 'active' },
  });
const paused = (position: number) =>
  happened(position, 'ListenerPaused', { after: { state: 'paused' }, reason: 'failing' });
const resumed = (position: number) => happened(position, 'ListenerResumed', { after: { state: 'active' } });
const rotated = (position: number) => happened(position, 'ListenerSecretRotated', { after: { secretVersion: 2 } });
const removed = (position: number) => happened(position, 'ListenerUnsubscribed', { reason: 'gone' });

const record = (fields: Partial<DeliveryRecord>): DeliveryRecord => ({
  ...{
    id: 'd',
    webhookId: 'd',
    orgId: 'acme',
    eventId: 'e',
    publishedId: 'o-1',
    listenerId: 'l',
    eventType: 'flow.completed',
  },
  state: 'waiting',
  attempts: 0,
  dueAt: undefined,
  enqueuedAt: now - 1_000,
  lastStatus: undefined,
  lastError: undefined,
  lastAttemptAt: undefined,
  ...fields,
});

/** One a second, answered so. */
const attemptsAnswered = (...statuses: number[]): AttemptReport[] =>
  statuses.map((status, index) => ({
    startedAt: now + index * 1_000,
    durationMs: 5,
    status,
    ...(status >= 300 && { error: 'http_status' }),
  }));

const usual: ListenerState = { health: healthy, paused: false, head: undefined, keptBackUntil: undefined };

/** Explains a flow event at position 50. `attempts`: at each delivery. */
function explain(
  history: readonly HistoryEntry[],
  {
    deliveries = [],
    attempts = [],
    handOver = 'done',
    delivered,
    listener,
  }: {
    deliveries?: readonly DeliveryRecord[];
    attempts?: readonly AttemptReport[];
    handOver?: HandOver;
    delivered?: Payload;
    listener?: Partial<ListenerState>;
  } = {},
) {
  return explainListener({
    history,
    listener: { ...usual, ...listener },
    now,
    event: { type: 'flow.completed', position: 50n, handOver, delivered },
    deliveries: deliveries.map((each) => ({ record: each, attempts })),
  });
}

describe('explaining what a listener got of a flow event', () => {
  describe('where nothing was sent', () => {
    it('says that the listener was subscribed later, when and by whom', () => {
      const { outcome, because } = explain([subscribed(51)]);
      expect(outcome).to.equal('not-subscribed');
      expect(because).to.equal('the listener was subscribed later, at 2026-01-01T00:00:51.000Z by user:51');
    });

    it('says that it had been removed before, why, when and by whom', () => {
      const { outcome, because } = explain([subscribed(10), removed(20)]);
      expect(outcome).to.equal('not-subscribed');
      expect(because).to.equal('the listener had been removed before, at 2026-01-01T00:00:20.000Z by user:20 (gone)');
    });

    describe('by its filter', () => {
      const filtered = (position: number, type: string, filter: string | null) =>
        happened(position, type, { after: { subscription: { ...plainSubscription, filter }, state: 'active' } });
      const delivered = {
        id: 'e',
        type: 'flow.completed',
        timestamp: '',
        orgId: 'acme',
        flowId: 'f',
        data: { total: 12 },
      };
      const over40 = '{"data.total":{"$gt":40}}';

      it('says which condition failed on which value, by the filter of the time', () => {
        const history = [filtered(10, 'ListenerSubscribed', over40), filtered(60, 'ListenerSubscriptionChanged', null)];
        const { outcome, because, details } = explain(history, { delivered });
        expect(outcome).to.equal('filter-mismatch');
        expect(because).to.equal("the listener's filter excluded the event: data.total.$gt 40 failed on 12");
        expect(details.filter).to.equal(over40);
      });

      it('does not apply a filter that came later', () => {
        const history = [filtered(10, 'ListenerSubscribed', null), filtered(60, 'ListenerSubscriptionChanged', over40)];
        expect(explain(history, { delivered }).outcome).to.equal('purged');
        expect(explain(history, { delivered, handOver: 'not-yet' }).outcome).to.equal('not-handed-over');
      });

      it('says that it is not known any more where the event has been deleted', () => {
        const { outcome, because } = explain([filtered(10, 'ListenerSubscribed', over40)]);
        expect(outcome).to.equal('purged');
        expect(because).to.match(/the event has been deleted/);
      });
    });

    it('says that the type did not match, by what the listener was for then', () => {
      const changed = (position: number, subscriptionType: string) =>
        happened(position, 'ListenerSubscriptionChanged', {
          after: { subscription: { ...plainSubscription, subscriptionType }, state: 'active' },
        });
      expect(explain([subscribed(10, 'flow.failed')])).to.deep.include({
        outcome: 'type-mismatch',
        because: 'the listener was subscribed to flow.failed, and the type of the event is flow.completed',
      });
      expect(explain([subscribed(10, 'flow.failed'), changed(60, '*')]).outcome).to.equal('type-mismatch');
      expect(explain([subscribed(10), changed(20, 'flow.failed')]).outcome).to.equal('type-mismatch');
      expect(explain([subscribed(10, 'flow.failed'), changed(20, '*')]).outcome).to.equal('purged');
    });

    it('says that the log has been purged only where the event must have been for the listener', () => {
      expect(explain([subscribed(10)]).because).to.include('DELIVERY_RETENTION');
      expect(explain([subscribed(10), removed(60)]).outcome).to.equal('purged');
      expect(explain([subscribed(10), paused(20), resumed(30)]).because).not.to.include('paused');
    });

    it('says that the log has been purged where it was held, for what is held stays, and that the listener was paused', () => {
      const { outcome, because } = explain([subscribed(10), paused(20), resumed(60)]);
      expect(outcome).to.equal('purged');
      expect(because).to.match(
        /^the listener was paused, at 2026-01-01T00:00:20.000Z by user:20 \(failing\), and the event was held for it; .* DELIVERY_RETENTION$/,
      );
      expect(explain([subscribed(10), paused(20), rotated(30)])).to.deep.include({ outcome, because });
      const waiting = { handOver: 'not-yet' as const };
      expect(explain([subscribed(10), paused(20)], waiting).outcome).to.equal('not-handed-over');
    });

    it('says that the fan-out has not reached the event, or began only after it', () => {
      expect(explain([subscribed(10)], { handOver: 'not-yet' }).because).to.include('has not reached');
      expect(explain([subscribed(10)], { handOver: 'never' }).because).to.include('at which the fan-out began');
      expect(explain([subscribed(60)], { handOver: 'not-yet' }).outcome).to.equal('not-subscribed');
    });
  });

  describe('where something was sent', () => {
    const became = (fields: Partial<DeliveryRecord>, listener?: Partial<ListenerState>, history = [subscribed(10)]) =>
      explain(history, { deliveries: [record(fields)], ...(listener && { listener }) });

    it('says that it was delivered, when and at which attempt', () =>
      expect(became({ state: 'succeeded', attempts: 2, lastStatus: 204, lastAttemptAt: now })).to.deep.include({
        outcome: 'delivered',
        because: 'the listener answered 204 at 2026-01-02T12:00:00.000Z, at attempt 2',
      }));

    it('says until when it waits and for what: its schedule, Retry-After, the breaker, the rate', () => {
      const waiting = { dueAt: now + 1_000, attempts: 1, lastStatus: 503 };
      const waitsFor = (listener?: Partial<ListenerState>) => became(waiting, listener).deliveries[0];
      expect(waitsFor()).to.include({ waitsFor: 'schedule', until: now + 1_000 });
      expect(waitsFor({ health: { ...healthy, notBefore: later } })).to.include({
        waitsFor: 'retry-after',
        until: later,
      });
      const breaker = { openings: 2, openUntil: later, probing: false };
      expect(waitsFor({ health: { ...healthy, breaker } })).to.include({ waitsFor: 'breaker', until: later });
      expect(waitsFor({ keptBackUntil: later })).to.include({ waitsFor: 'rate', until: later });
      expect(waitsFor({ health: { ...healthy, notBefore: now + 500 } })).to.include({ waitsFor: 'schedule' });
      expect(became(waiting).because).to.include(
        'until 2026-01-02T12:00:01.000Z, after 1 attempt, the last answered 503',
      );
    });

    it('explains that it is next if nothing delays it', () =>
      expect(became({ dueAt: now - 1 }).deliveries[0]).to.include({ waitsFor: 'a worker', until: undefined }));

    it('says that it waits for what comes before it where the listener is ordered', () => {
      const behind = became({ dueAt: now - 1 }, { head: 'another' });
      expect(behind.deliveries[0]).to.include({ waitsFor: 'order', until: undefined });
      expect(behind.because).to.equal(
        'it is due since 2026-01-02T11:59:59.999Z: an earlier delivery of this ordered listener has not ended',
      );
      expect(became({ dueAt: later }, { head: 'd' }).deliveries[0]).to.include({ waitsFor: 'schedule' });
      expect(became({ dueAt: now - 1 }, { head: 'd' }).deliveries[0]).to.include({ waitsFor: 'a worker' });
    });

    it('says that the target guard refused it, as long as that is so', () => {
      const refused = { attempts: 3, lastError: 'target_not_allowed' };
      expect(became({ ...refused, dueAt: later }).outcome).to.equal('refused');
      expect(became({ ...refused, state: 'exhausted' }).because).to.include('target guard');
    });

    it('says that it is held, and whether the listener is still paused', () => {
      const held = { state: 'held' as const };
      expect(became(held, undefined, [subscribed(10), paused(20)]).because).to.include('is paused, since');
      expect(became(held, { paused: true }).deliveries[0]).to.include({ waitsFor: 'resume', until: undefined });
      expect(became(held, undefined, [subscribed(10), paused(20), resumed(60)]).because).to.include('has been resumed');
    });

    it('says that it is a dead letter', () =>
      expect(became({ state: 'exhausted', attempts: 10, lastError: 'refused' })).to.deep.include({
        outcome: 'dead-letter',
        because: 'given up after 10 attempts, the last failed with refused: it can be redelivered',
      }));

    it('explains why a dead letter cannot be redelivered', () => {
      const gone = { state: 'exhausted' as const, attempts: 1, lastStatus: 410 };
      expect(became(gone, undefined, [subscribed(10), removed(60)]).because).to.equal(
        'given up after 1 attempt, the last answered 410: the listener was removed at 2026-01-01T00:00:60.000Z by user:60 (gone)',
      );
      expect(became(gone, undefined, [subscribed(10), paused(60)]).because).to.match(/once the listener is resumed$/);
    });

    it('says that the listener was removed meanwhile, or the replay cancelled', () => {
      expect(became({ state: 'cancelled' }, undefined, [subscribed(10), removed(60)]).because).to.equal(
        'the listener was removed at 2026-01-01T00:00:60.000Z by user:60 (gone) before it succeeded',
      );
      expect(became({ state: 'cancelled', replay: 'r' }).because).to.include('its replay was cancelled');
    });
  });

  describe('where it had been delivered before it was redelivered', () => {
    const redelivered = (fields: Partial<DeliveryRecord>, attempts: AttemptReport[], ...since: HistoryEntry[]) =>
      explain([subscribed(10), ...since], {
        deliveries: [record({ attempts: attempts.length, lastStatus: attempts.at(-1)?.status, ...fields })],
        attempts,
      });
    const first =
      'the listener answered 200 at 2026-01-02T12:00:00.000Z, at attempt 1; it has been redelivered since: ';

    it('says so, and that the redelivery waits, for what and until when', () => {
      const { outcome, because, deliveries } = redelivered({ dueAt: later }, attemptsAnswered(200, 500));
      expect(outcome).to.equal('delivered');
      expect(because).to.equal(
        `${first}its next attempt is scheduled, until 2026-01-02T12:01:00.000Z, after 2 attempts, the last answered 500`,
      );
      expect(deliveries[0]).to.include({ outcome: 'delivered', waitsFor: 'schedule', until: later });
    });

    it('says so, and that the redelivery was given up or is held, or was cancelled with the listener', () => {
      const attempts = attemptsAnswered(200, 500);
      expect(redelivered({ state: 'exhausted' }, attempts)).to.deep.include({
        outcome: 'delivered',
        because: `${first}given up after 2 attempts, the last answered 500: it can be redelivered`,
      });
      expect(redelivered({ state: 'held' }, attempts, paused(60)).because).to.include(
        `${first}the listener is paused, since`,
      );
      expect(redelivered({ state: 'cancelled' }, attempts, removed(60))).to.deep.include({
        outcome: 'delivered',
        because: `${first}the listener was removed at 2026-01-01T00:00:60.000Z by user:60 (gone) before another attempt succeeded`,
      });
    });

    it('says both where the redelivery was delivered too', () =>
      expect(
        redelivered({ state: 'succeeded', lastAttemptAt: now + 2_000 }, attemptsAnswered(200, 500, 204)).because,
      ).to.equal(`${first}the listener answered 204 at 2026-01-02T12:00:02.000Z, at attempt 3`));

    it('follows the kept attempts of the log', () => {
      const latest = attemptsAnswered(500, 200, 500);
      expect(redelivered({ state: 'exhausted', attempts: 103 }, latest).because).to.match(
        /, at attempt 102; it has been/,
      );
      const unknown = redelivered({ state: 'cancelled', attempts: 102 }, attemptsAnswered(500, 500), removed(60));
      expect(unknown.outcome).to.equal('cancelled');
      expect(unknown.because).to.match(/before another attempt succeeded$/);
    });
  });

  it('says that a replay sent what happened before the listener was subscribed', () => {
    const deliveries = [record({ state: 'succeeded', replay: 'r-1', attempts: 1, lastStatus: 200 })];
    const { outcome, because } = explain([subscribed(60)], { deliveries });
    expect(outcome).to.equal('delivered');
    expect(because).to.match(
      /^the listener was subscribed later.*; a replay sent it \(r-1\): the listener answered 200/,
    );
  });

  it('explains the event itself first, then its replays', () => {
    const deliveries = [record({ id: 'r', replay: 'r-1' }), record({ state: 'exhausted', attempts: 10 })];
    const explained = explain([subscribed(10)], { deliveries });
    expect(explained.outcome).to.equal('dead-letter');
    expect(explained.deliveries.map(({ replay }) => replay)).to.eql([undefined, 'r-1']);
  });
});
