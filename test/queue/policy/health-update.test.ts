import { expect } from 'chai';
import { updateHealth } from '../../../src/queue/policy/listener-attempts.js';
import { healthy } from '../../../src/queue/policy/listener-health.js';

const now = 1_000_000;
const none = { tooMany: 0, unavailable: 0 };
const probing = { recent: [], breaker: { openings: 1, openUntil: now + 60_000, probing: true } };

describe('the health of a listener after recorded outcomes', () => {
  it('says that the listener is in trouble after a failure, and not after a success', () => {
    const updateAfter = (succeeded: number, failed: number) =>
      updateHealth(healthy, { attempts: { succeeded, failed, refused: none }, released: false }, now);
    expect(updateAfter(1, 0)).to.include({ isTroubled: false, hasClosed: false });
    expect(updateAfter(1, 1)).to.include({ isTroubled: true, hasClosed: false });
  });

  it('says that a circuit breaker has closed after its probe succeeded', () => {
    const attempts = { succeeded: 1, failed: 0, refused: none };
    const update = updateHealth(probing, { attempts, released: false }, now);
    expect(update).to.include({ before: probing, isTroubled: true, hasClosed: true });
    expect(update.health.breaker).to.equal(undefined);
  });

  it('allows another probe after one was released without an attempt', () => {
    const { health } = updateHealth(probing, { attempts: undefined, released: true }, now);
    expect(health.breaker).to.deep.equal({ openings: 1, openUntil: now, probing: false });
  });

  it('is the stored health itself where the outcomes say nothing about the listener', () => {
    expect(updateHealth(healthy, { attempts: undefined, released: true }, now).health).to.equal(healthy);
  });
});
