import { expect } from 'chai';
import { listenersInTrouble } from '../../../src/listeners/queries/listener-health.js';
import type { ListedListener } from '../../../src/queue/listener-log.js';

const breaker = { openings: 1, openUntil: 1_000, probing: false };

/** The trouble that is named for a listener in this state. */
async function troubleOf(state: Pick<ListedListener, 'health' | 'paused'>) {
  const listener = { listenerId: '1', orgId: 'acme', hookUrl: 'https://hooks.example.com/1', dueSince: undefined };
  const queue = { listeners: async () => [{ ...listener, ...state, waiting: 1, held: 0 }] };
  const [found] = await listenersInTrouble(queue, { limit: 1, now: 0 });
  return found?.trouble;
}

describe('the trouble of a listener', () => {
  it('is that it is paused, also while its circuit breaker is open: nothing is sent when that closes', async () => {
    expect(await troubleOf({ health: { recent: [], breaker }, paused: true })).to.equal('paused');
    expect(await troubleOf({ health: { recent: [], breaker }, paused: false })).to.equal('breaker');
    expect(await troubleOf({ health: { recent: [] }, paused: true })).to.equal('paused');
    expect(await troubleOf({ health: { recent: [] }, paused: false })).to.equal('overdue');
  });
});
