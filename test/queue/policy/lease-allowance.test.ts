import { expect } from 'chai';
import { leaseAllowance } from '../../../src/queue/policy/lease-allowance.js';
import { healthy } from '../../../src/queue/policy/listener-health.js';

const now = 1_000_000;
const request = { requested: 5, now, perSecond: undefined, probeMs: 60_000 };

describe('how many due deliveries of a listener may be leased', () => {
  it('is all of them where nothing restrains the listener, and its health needs no change', () => {
    expect(leaseAllowance(healthy, request)).to.deep.equal({
      attempts: 5,
      health: undefined,
      keptBackUntil: undefined,
    });
  });

  it('is the number that the rate allows, with the time of the next', () => {
    const { attempts, health, keptBackUntil } = leaseAllowance(healthy, { ...request, perSecond: 2 });
    expect({ attempts, keptBackUntil }).to.deep.equal({ attempts: 1, keptBackUntil: now + 500 });
    const again = leaseAllowance(health ?? healthy, { ...request, perSecond: 2 });
    expect(again).to.deep.equal({ attempts: 0, health: undefined, keptBackUntil: now + 500 });
  });

  it('is one, the probe, once a circuit breaker has been open for long enough, and no other for the time that it may take', () => {
    const open = { recent: [], breaker: { openings: 1, openUntil: now, probing: false } };
    const { attempts, health, keptBackUntil } = leaseAllowance(open, request);
    expect({ attempts, keptBackUntil }).to.deep.equal({ attempts: 1, keptBackUntil: now + 60_000 });
    expect(health?.breaker).to.deep.equal({ openings: 1, openUntil: now + 60_000, probing: true });
  });

  it('is none before a circuit breaker may be probed', () => {
    const open = { recent: [], breaker: { openings: 1, openUntil: now + 30_000, probing: false } };
    expect(leaseAllowance(open, request)).to.deep.equal({
      attempts: 0,
      health: undefined,
      keptBackUntil: now + 30_000,
    });
  });
});
