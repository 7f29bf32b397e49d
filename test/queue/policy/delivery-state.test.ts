import { expect } from 'chai';
import type { DeliveryState } from '../../../src/queue/delivery.js';
import type { Outcome } from '../../../src/queue/leasing.js';
import { initialState, stateAfter } from '../../../src/queue/policy/delivery-state.js';

const now = 1_000;
const retryAt = 6_000;
const report = { startedAt: 900, durationMs: 5 };
const leased = { id: 'id', asRead: '0.0' };
const outcomes = {
  succeeded: { ...leased, kind: 'succeeded', report },
  failed: { ...leased, kind: 'failed', report, byListener: true, retryAt },
  exhausted: { ...leased, kind: 'exhausted', report, byListener: true },
  released: { ...leased, kind: 'released' },
} as const satisfies Record<string, Outcome>;

describe('the state of a delivery', () => {
  for (const [closed, replayCancelled, paused, held, state] of [
    [false, false, false, undefined, 'waiting'],
    [false, false, true, undefined, 'held'],
    [false, false, false, true, 'held'],
    [true, false, true, true, 'cancelled'],
    [false, true, true, true, 'cancelled'],
  ] as const) {
    const listener = { closed, replayCancelled, paused };
    it(`is ${state} when it is enqueued for ${JSON.stringify({ ...listener, held })}`, () => {
      expect(initialState({ held }, listener)).to.equal(state);
    });
  }

  for (const [before, outcome, after, dueAt] of [
    ['waiting', 'succeeded', 'succeeded', undefined],
    ['waiting', 'failed', 'waiting', retryAt],
    ['waiting', 'exhausted', 'exhausted', undefined],
    ['waiting', 'released', 'waiting', now],
    ['held', 'succeeded', 'succeeded', undefined],
    ['held', 'failed', 'held', undefined],
    ['held', 'exhausted', 'exhausted', undefined],
    ['held', 'released', 'held', undefined],
    ['cancelled', 'succeeded', 'succeeded', undefined],
    ['cancelled', 'failed', 'cancelled', undefined],
    ['cancelled', 'exhausted', 'cancelled', undefined],
    ['cancelled', 'released', 'cancelled', undefined],
    ['exhausted', 'failed', 'exhausted', undefined],
    ['succeeded', 'failed', 'succeeded', undefined],
  ] as const) {
    it(`that was ${before} during the attempt is ${after} after the outcome ${outcome}`, () => {
      const leased = { state: before, redeliverAfterLease: false };
      expect(stateAfter(leased, outcomes[outcome], now)).to.deep.equal({ state: after, dueAt });
    });
  }

  for (const outcome of Object.values(outcomes)) {
    it(`is due at once after the outcome ${outcome.kind}, where a redelivery was requested`, () => {
      const stateOf = (state: DeliveryState) => stateAfter({ state, redeliverAfterLease: true }, outcome, now);
      expect(stateOf('waiting')).to.deep.equal({ state: 'waiting', dueAt: now });
      expect(stateOf('held')).to.deep.equal({ state: 'held', dueAt: undefined });
    });
  }
});
