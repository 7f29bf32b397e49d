import { expect } from 'chai';
import type { Collections, ListenerRow } from '../../../src/queue/mongodb/collections.js';
import { CalmListeners } from '../../../src/queue/mongodb/lease/calm-listeners.js';
import { openReadListeners } from '../../../src/queue/mongodb/listeners/read-listeners.js';

const row = { _id: 'one', closed: false, hintVersion: 0 } as ListenerRow;

/** Reads of one listener, each of which answers when it is told to. */
function slowReads() {
  const answers: (() => void)[] = [];
  const toArray = () => new Promise<ListenerRow[]>((resolve) => answers.push(() => resolve([row])));
  const calm = new CalmListeners();
  const listeners = { find: () => ({ toArray }) } as unknown as Collections['listeners'];
  const { known } = openReadListeners({ collections: { listeners } as Collections, calm });
  return { known, calm, answers };
}

describe('listeners that the queue on MongoDB remembers', () => {
  it('are read once', async () => {
    const { known, answers } = slowReads();
    const first = known(['one']);
    answers[0]?.();
    await first;
    expect(await known(['one'])).to.deep.equal(new Map([['one', row]]));
    expect(answers).to.have.length(1);
  });

  it('are not those that changed while they were read', async () => {
    for (const change of [
      (calm: CalmListeners) => calm.forget('one'),
      (calm: CalmListeners) => calm.forgetAll(),
      (calm: CalmListeners) => calm.use([{ isHeld: () => true }]),
    ]) {
      const { known, calm, answers } = slowReads();
      const first = known(['one']);
      change(calm);
      answers[0]?.();
      await first;
      expect(calm.get('one')).to.equal(undefined);
    }
  });

  it('have their health known while deliveries wait, and if they are ordered, as long as nothing else is known of it', () => {
    const { calm } = slowReads();
    for (const [listener, isHealthy] of [
      [{ ...row, nextDue: new Date(), health: { recent: [] } }, true],
      [{ ...row, subscription: { ordered: true } }, true],
      [{ ...row, health: { failures: 1 } }, false],
      [{ ...row, closed: true }, false],
    ] as readonly (readonly [unknown, boolean])[]) {
      calm.note([listener as ListenerRow], calm.changes);
      expect(calm.isHealthy('one')).to.equal(isHealthy);
    }
  });

  it('are read again once under each lease, and not for a copy of it', () => {
    const { calm } = slowReads();
    const lease = { isHeld: () => true };
    for (const [used, isKnown] of [
      [lease, false],
      [{ ...lease }, true],
      [{ isHeld: () => true }, false],
    ] as const) {
      calm.note([row], calm.changes);
      calm.use([used]);
      expect(calm.get('one') !== undefined).to.equal(isKnown);
    }
  });
});
