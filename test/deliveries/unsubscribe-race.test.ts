import { expect } from 'chai';
import { startEngine } from '../support/deliveries/delivery-engine.js';
import { raceUnsubscribes } from '../support/deliveries/unsubscribe-race.js';

const rounds = 25;
const listenersPerRound = 100;

describe('the unsubscribe barrier', () => {
  it(`lets no post start after any of ${rounds * listenersPerRound} unsubscribes that race against fan-out, leasing and posting`, async () => {
    const engine = await startEngine({ attempts: { concurrency: 64 } });
    const { late, sent, counts } = await raceUnsubscribes([engine], { rounds, listenersPerRound });
    await engine.stop();

    expect(late).to.deep.equal([]);
    expect(counts.waiting).to.equal(0);
    expect(sent, 'posts that were made in time').to.be.greaterThan(0);
    expect(counts.cancelled, 'deliveries that came too late').to.be.greaterThan(0);
  }).timeout(120_000);
});
