import { expect } from 'chai';
import type { DeliveryRecord } from '../../src/queue/delivery-log.js';
import type { ListenerState } from '../../src/queue/listener-log.js';
import { healthy } from '../../src/queue/policy/listener-health.js';
import { findWaits, waitOf } from '../../src/queue/waits.js';

const now = 1_000_000;
const usual: ListenerState = { health: healthy, paused: false, head: undefined, keptBackUntil: undefined };
const breaker = (openUntil: number) => ({ ...healthy, breaker: { openings: 1, openUntil, probing: false } });
const wait = (listener: Partial<ListenerState>, dueAt = now - 1) =>
  waitOf({ id: 'd', state: 'waiting', dueAt }, { ...usual, ...listener }, now);

describe('what a delivery waits for', () => {
  it('is the longest of several', () => {
    expect(wait({ health: breaker(now + 10) }, now + 20)).to.deep.equal({ waitsFor: 'schedule', until: now + 20 });
    expect(wait({ health: breaker(now + 20) }, now + 10)).to.deep.equal({ waitsFor: 'breaker', until: now + 20 });
    const asked = { ...breaker(now + 10), notBefore: now + 30 };
    expect(wait({ health: asked, keptBackUntil: now + 20 })).to.deep.equal({
      waitsFor: 'retry-after',
      until: now + 30,
    });
    expect(wait({ keptBackUntil: now + 5 }, now + 1)).to.deep.equal({ waitsFor: 'rate', until: now + 5 });
  });

  it('is order if another delivery is next, whatever delays the listener', () =>
    expect(wait({ health: breaker(now + 10), head: 'another' })).to.deep.equal({
      waitsFor: 'order',
      until: undefined,
    }));

  it('is the breaker where the listener is kept back for a probe', () =>
    expect(wait({ health: breaker(now - 10), keptBackUntil: now + 60 })).to.deep.equal({
      waitsFor: 'breaker',
      until: now + 60,
    }));

  it('is a worker once all times have passed', () =>
    expect(wait({ health: breaker(now), keptBackUntil: now }, now)).to.deep.equal({
      waitsFor: 'a worker',
      until: undefined,
    }));

  it('is a worker where the queue does not know the listener', () =>
    expect(waitOf({ id: 'd', state: 'waiting', dueAt: now }, undefined, now)?.waitsFor).to.equal('a worker'));

  it('is asked of the queue only where something waits or is held, and once for each listener', async () => {
    const asked: (readonly string[])[] = [];
    const queue = {
      listenerStates: async (listenerIds: readonly string[]) => {
        asked.push(listenerIds);
        return new Map<string, ListenerState>();
      },
    };
    const delivery = (state: DeliveryRecord['state'], listenerId: string): DeliveryRecord => ({
      id: 'd',
      webhookId: 'd',
      orgId: 'acme',
      eventId: 'e',
      publishedId: 'e',
      listenerId,
      eventType: 'flow.done',
      state,
      attempts: 0,
      dueAt: undefined,
      enqueuedAt: 0,
      lastStatus: undefined,
      lastError: undefined,
      lastAttemptAt: undefined,
    });
    await findWaits(queue, [delivery('succeeded', 'a'), delivery('cancelled', 'b')], now);
    expect(asked).to.deep.equal([]);
    await findWaits(queue, [delivery('waiting', 'a'), delivery('held', 'b'), delivery('waiting', 'a')], now);
    expect(asked).to.deep.equal([['a', 'b']]);
  });
});
