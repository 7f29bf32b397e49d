import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { startsInTurns } from '../../../src/deliveries/worker/starts-in-turns.js';

describe('starts of attempts', () => {
  let started: string[];
  let add: (orgId: string, count?: number) => void;

  beforeEach(() => {
    started = [];
    const start = startsInTurns();
    add = (orgId, count = 1) => {
      for (let number = 0; number < count; number += 1) start(orgId, () => void started.push(`${orgId} ${number}`));
    };
  });

  it('are made at once if there are few', () => {
    add('acme', 2);
    add('globex');
    expect(started).to.deep.equal(['acme 0', 'acme 1', 'globex 0']);
  });

  it('are spread over turns of the event loop in a burst, in their order, and all made', async () => {
    add('acme', 100);
    const atOnce = started.length;
    expect(atOnce).to.be.within(1, 20);
    for (let turns = 1; started.length < 100; turns += 1) {
      expect(started).to.have.length.of.at.most(turns * atOnce);
      await nextTurn();
    }
    expect(started).to.deep.equal(Array.from({ length: 100 }, (_, number) => `acme ${number}`));
  });

  it('are not made behind the burst of another organisation', async () => {
    add('acme', 100);
    add('globex');
    await nextTurn();
    await nextTurn();
    expect(started).to.include('globex 0');
    expect(started).to.have.length.below(50);
  });

  it('are made in turns again after a burst has ended', async () => {
    add('acme', 20);
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    started = [];
    add('acme', 20);
    expect(started).to.have.length.within(1, 19);
  });
});
